"""Checks of parameters: each error names the parameter, what is allowed, what came, and what to do."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt


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
    if not math.isfinite(number) or number < 0 or (positive and number == 0):
        raise ValueError(f"{name} of {owner} must be {allowed}, got {value!r}.")
    return number


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


def count_threads(owner: str, n_jobs: Any) -> int:
    """Return the number of threads: None and -1 mean all cores, -2 all but one, and so on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        return cores
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs of {owner} must be None or an int other than 0, got {n_jobs!r}.")
    return int(n_jobs) if int(n_jobs) > 0 else max(1, cores + 1 + int(n_jobs))
