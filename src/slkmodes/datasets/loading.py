"""``load``: a data set as it is. ``prepare``: the rows one would cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy import sparse

from slkmodes.datasets import archives
from slkmodes.datasets.checks import check_facts
from slkmodes.datasets.preparations import PREPARATIONS
from slkmodes.datasets.records import Loaded
from slkmodes.datasets.sources import fetch
from slkmodes.datasets.table import find_data_set
from slkmodes.validation import check_option

ROWS_PER_CLASS_OF_SMALL = 200


def load(name: str) -> Loaded:
    """A data set as it is published.

    It is looked for in the folder that SLKMODES_DATA names, then in the cache, then at its source.

    Parameters
    ----------
    name : str
        A name or a title of ``DATA_SETS``; case, spaces and punctuation do not matter.

    Returns
    -------
    Loaded
        ``X``, ``y``, ``target_names``, ``image_shape``.

    Examples
    --------
    >>> digits = load("digits")
    >>> digits.X.shape, digits.image_shape
    ((1797, 64), (8, 8))
    """
    data_set = find_data_set(name)
    made = MADE_HERE.get(data_set.name)
    loaded = made() if made else archives.read(fetch(data_set.name))
    check_facts(data_set, loaded)
    y = loaded.y if data_set.unlabelled is None else np.where(loaded.y == data_set.unlabelled, -1, loaded.y)
    return replace(loaded, y=y, image_shape=loaded.image_shape or data_set.image_shape)


def prepare(name: str, preparation: str | None = None) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """The rows of a data set the way one would cluster them, and their classes.

    Parameters
    ----------
    name : str
        A name or a title of ``DATA_SETS``.
    preparation : str, optional
        One of ``"as_it_is"``, ``"unit_rows"``, ``"standardised"``, ``"documents"``, ``"weighted_documents"`` and
        ``"cells"``; the one that ``DATA_SETS`` has for the data set if not given.

    Returns
    -------
    X : array of float32 of shape (n_samples, n_columns)
        C-contiguous.
    y : array of int64 of shape (n_samples,)
        Classes; -1 where a sample has none.

    Examples
    --------
    >>> X, y = prepare("digits", "unit_rows")
    >>> X.shape, X.dtype, round(float((X[0] ** 2).sum()), 6)
    ((1797, 64), dtype('float32'), 1.0)
    """
    if preparation is None:
        preparation = find_data_set(name).preparation
    make_rows = PREPARATIONS[check_option("prepare", "preparation", preparation, PREPARATIONS)]
    loaded = load(name)
    rows = make_rows(loaded.X)
    dense = rows.toarray() if isinstance(rows, sparse.csr_array) else rows
    return np.ascontiguousarray(dense, dtype=np.float32), loaded.y


def digits() -> Loaded:
    """The digits that come with scikit-learn."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return Loaded(X, y.astype(np.int64))


def small_mnist() -> Loaded:
    """200 images of every digit of MNIST, always the same, in the order of MNIST."""
    whole = load("mnist")
    rng = np.random.default_rng(0)
    rows = np.concatenate(
        [
            rng.choice(np.flatnonzero(whole.y == digit), ROWS_PER_CLASS_OF_SMALL, replace=False)
            for digit in np.unique(whole.y)
        ]
    )
    rows.sort()
    return Loaded(whole.X[rows], whole.y[rows])


MADE_HERE: dict[str, Callable[[], Loaded]] = {"digits": digits, "mnist_small": small_mnist}
