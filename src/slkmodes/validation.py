"""Checks of parameters: each error names the parameter, what is allowed, what came, and what to do."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import cpu_count
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.validation import validate_data

# More threads than any machine has cores only crash it.
MOST_THREADS = 1024
# Rows that mostly are enough to see that features vary.
ROWS_LOOKED_AT = 1000


def check_integer(owner: str, name: str, value: Any, minimum: int = 1) -> int:
    """Return a whole number of at least ``minimum``; bools are not numbers."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(f"{name} of {owner} must be an int of at least {minimum}, got {value!r}.")
    if value < minimum:
        raise ValueError(f"{name} of {owner} must be at least {minimum}, got {value!r}.")
    return int(value)


def check_real(owner: str, name: str, value: Any, *, positive: bool = False, word: str | None = None) -> float | str:
    """Return a finite number that is not negative (or positive), or the one word allowed instead."""
    bound = "a positive" if positive else "a non-negative"
    allowed = f"{bound} finite number" + (f" or {word!r}" if word else "")
    if isinstance(value, str):
        if value == word:
            return value
        raise ValueError(f"{name} of {owner} must be {allowed}, got {value!r}.")
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{name} of {owner} must be {allowed}, got {value!r}.")
    number = float(value)
    # The square of a positive number must be one too.
    if not math.isfinite(number) or number < 0 or (positive and not 1e-150 < number < 1e150):
        raise ValueError(f"{name} of {owner} must be {allowed}, got {value!r}.")
    return number


def check_weights(owner: str, name: str, value: Any) -> tuple[float, ...] | None:
    """Return the weights to take one after the other, or None for "auto"."""
    if isinstance(value, str | Real | np.bool_):
        number = check_real(owner, name, value, word="auto")
        return None if isinstance(number, str) else (number,)
    if not isinstance(value, Sequence | np.ndarray) or not len(value):
        raise TypeError(f"{name} of {owner} must be 'auto', a number, or a sequence of numbers, got {value!r}.")
    return tuple(float(check_real(owner, f"Every {name}", weight)) for weight in value)


def check_option(owner: str, name: str, value: Any, options: Iterable[str]) -> str:
    """Return one of the given words."""
    allowed = sorted(options)
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} of {owner} must be one of {', '.join(map(repr, allowed))}; got {value!r}.")
    return value


def check_flag(owner: str, name: str, value: Any) -> bool:
    """Return True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} of {owner} must be True or False, got {value!r}.")
    return bool(value)


def check_init(
    owner: str,
    init: Any,
    seedings: Iterable[str],
    n_clusters: int,
    n_samples: int,
    n_features: int | None,
) -> str | npt.NDArray[Any]:
    """Return the name of a seeding, ``n_clusters`` row numbers, or as many points (where X has features)."""
    if isinstance(init, str):
        return check_option(owner, "init", init, seedings)
    allowed = f"{n_clusters} row numbers" + (
        "" if n_features is None else f" or an array of shape ({n_clusters}, {n_features})"
    )
    try:
        array = np.asarray(init)
    except ValueError:
        array = np.empty(0, dtype=object)
    if array.dtype.kind in "iu" and array.shape == (n_clusters,):
        if array.min() < 0 or array.max() >= n_samples:
            raise ValueError(f"init of {owner} holds row numbers outside 0 to {n_samples - 1}.")
        if len(np.unique(array)) < n_clusters:
            raise ValueError(f"init of {owner} names a row twice; every cluster needs a row of its own.")
        return array.astype(np.int64)
    if n_features is not None and array.dtype.kind in "fiu" and array.shape == (n_clusters, n_features):
        if not np.all(np.isfinite(array)):
            raise ValueError(f"init of {owner} holds NaN or infinity.")
        return array
    raise ValueError(
        f"init of {owner} must be one of {', '.join(map(repr, sorted(seedings)))}, or {allowed}; got an array of "
        f"shape {array.shape} and type {array.dtype}."
    )


def check_sizes(owner: str, n_samples: int, n_clusters: int, n_neighbors: int = 0) -> None:
    """Refuse fewer samples than clusters, or no more samples than neighbours."""
    if n_samples < n_clusters:
        raise ValueError(
            f"n_samples={n_samples} must be at least n_clusters={n_clusters}. Decrease n_clusters of {owner}."
        )
    if n_neighbors >= n_samples:
        raise ValueError(
            f"n_neighbors={n_neighbors} of {owner} must be less than n_samples={n_samples}: a sample is not its own "
            "neighbour. Decrease n_neighbors."
        )


def check_affinities(owner: str, X: Any, *, square: bool = False) -> Any:
    """Return a CSR array of affinities, each at least 0 and not too large to add up, with column numbers that exist."""
    if square and X.shape[0] != X.shape[1]:
        raise ValueError(
            f"With affinity='precomputed' X must be square, affinities between all samples; got shape {X.shape}."
        )
    X = sparse.csr_array(X)
    X.check_format(full_check=True)
    if X.nnz and X.data.min() < 0:
        raise ValueError(f"Negative values in X: affinities given to {owner} must be at least 0. Got {X.data.min()}.")
    with np.errstate(over="ignore"):
        total = float(X.data.sum(dtype=np.float64))
    if not total < float(np.finfo(X.dtype).max) / 4:
        raise ValueError(
            f"The affinities given to {owner} sum to {total:.3g}: their sums overflow {X.dtype}. Divide them by the "
            "largest."
        )
    return X


def check_distances(owner: str, name: str, matrix: Any) -> Any:
    """Return a CSR array of the distances to others: what is stored, also of 0; of a dense matrix everything."""
    if hasattr(matrix, "tocoo"):
        stored = matrix.tocoo()
        rows, columns, values = stored.row, stored.col, stored.data
    else:
        rows, columns = np.indices(matrix.shape).reshape(2, -1)
        values = np.ravel(matrix)
    if not np.all(np.isfinite(values)) or values.min(initial=0) < 0:
        raise ValueError(f"{name} of {owner} must hold distances, finite and at least 0. Compute the neighbours again.")
    others = rows != columns
    values = values[others].astype(np.float32 if values.dtype == np.float32 else np.float64)
    return sparse.coo_array((values, (rows[others], columns[others])), shape=matrix.shape).tocsr()


@contextmanager
def all_or_nothing(estimator: BaseEstimator) -> Iterator[None]:
    """Leave an estimator as it was where what is done with it fails: also what scikit-learn notes of X before."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def check_features(owner: str, estimator: BaseEstimator, X: Any, **kwargs: Any) -> npt.NDArray[Any]:
    """Return the features of samples, finite and not too large: rows of an array."""
    # scikit-learn would read them once more, for what their largest and smallest tell as well.
    X = np.asarray(validate_data(estimator, X, order="C", ensure_all_finite=False, **kwargs))
    check_magnitude(owner, X)
    return X


def check_magnitude(owner: str, X: npt.NDArray[Any]) -> None:
    """Refuse features that are not finite, or so large that squared distances overflow their type."""
    limits = np.finfo(X.dtype)
    # In Python floats, which hold what float32 cannot.
    largest = max(abs(float(X.max(initial=0))), abs(float(X.min(initial=0))))
    if not math.isfinite(largest):
        assert_all_finite(X, estimator_name=owner, input_name="X")
    if largest > 0 and X.shape[1] * 4 >= float(limits.max) / largest / largest:
        raise ValueError(
            f"X holds values up to {largest:.3g}: squared distances overflow {X.dtype}. Scale X before {owner}."
        )


def check_extent(owner: str, X: npt.NDArray[Any]) -> None:
    """Refuse features that vary so little that squared distances vanish in their type; all equal they may be."""
    limits = np.finfo(X.dtype)
    least = (float(limits.tiny) / float(limits.eps)) ** 0.5
    if float(np.ptp(X[:ROWS_LOOKED_AT], axis=0).max(initial=0)) >= least:
        return
    extent = float(np.ptp(X, axis=0).max(initial=0))
    if 0 < extent < least:
        raise ValueError(
            f"X varies by {extent:.3g} at most: squared distances vanish in {X.dtype}. Scale X before {owner}."
        )


def check_reach(owner: str, laplacian_weight: float, affinity: Any, diagonal_shift: float, dtype: Any) -> None:
    """Refuse a weight whose product with the largest degree leaves the range of the type."""
    reach = laplacian_weight * (float(affinity.sum(axis=1).max()) + diagonal_shift)
    if not reach < float(np.finfo(dtype).max) / 4:
        raise ValueError(
            f"A laplacian_weight of {laplacian_weight!r} of {owner} times the largest degree of the graph overflows "
            f"{np.dtype(dtype)}. Decrease laplacian_weight."
        )


def make_generator(random_state: Any) -> np.random.Generator:
    """Return the one source of randomness of a fit, from whatever scikit-learn or NumPy calls a seed."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


def count_threads(owner: str, n_jobs: Any) -> int:
    """Return the number of threads: None and -1 mean all cores, -2 all but one, and so on.

    Cores are those this process may use; OMP_NUM_THREADS, which joblib sets for its workers, lowers them.
    """
    cores = cpu_count()
    limit = os.environ.get("OMP_NUM_THREADS", "")
    if limit.isdecimal() and int(limit) > 0:
        cores = min(cores, int(limit))
    if n_jobs is None:
        return cores
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs of {owner} must be None or an int other than 0, got {n_jobs!r}.")
    if int(n_jobs) < 0:
        return max(1, cores + 1 + int(n_jobs))
    return min(int(n_jobs), MOST_THREADS)


def unit_rows(owner: str, X: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Rows scaled to length one; a row of zeros has no direction."""
    largest = np.abs(X).max(axis=1, keepdims=True)
    zeros = np.flatnonzero(largest[:, 0] == 0)
    if len(zeros):
        raise ValueError(
            f"metric='cosine' of {owner} needs rows with a direction; row {zeros[0]} is all zeros"
            + (f", and {len(zeros) - 1} more are." if len(zeros) > 1 else ".")
            + " Leave them out, or use metric='euclidean'."
        )
    scaled = X / largest  # squares neither overflow nor vanish
    scaled /= np.linalg.norm(scaled, axis=1, keepdims=True)
    return scaled
