"""The balance of cluster sizes, for every engine: a sweep with it is a plain sweep of another problem."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from slkmodes.problem import Problem

Array = npt.NDArray[Any]
AnyProblem = TypeVar("AnyProblem", bound=Problem)


def without_balance(problem: AnyProblem) -> AnyProblem:
    """The problem whose plain sweep, at :func:`balanced_similarity`, is the balanced sweep of this one."""
    weight = problem.laplacian_weight / (1 + problem.balance)
    return replace(problem, laplacian_weight=weight, balance=0.0)


def balanced_similarity(similarity: Array, memberships: Array, balance: float) -> Array:
    """``(a + balance * log(z / size)) / (1 + balance)``, where the size of a cluster is its mean membership."""
    dtype = memberships.dtype
    lift = np.log(np.maximum(memberships, floor_of(dtype)))
    lift -= log_sizes(memberships)
    lift *= dtype.type(balance / (1 + balance))
    lift += similarity * dtype.type(1 / (1 + balance))
    return lift


def floor_of(dtype: Any) -> Any:
    """The least that a membership counts.

    An emptied cluster must have a logarithm, to come back by. So far down engines round differently, and the floor is
    where they meet again: above all that an exponential gives for nothing, below all that counts.
    """
    return np.sqrt(np.finfo(dtype).tiny)


def log_sizes(memberships: Array) -> Array:
    """Logarithms of the mean memberships."""
    return logarithms(memberships.mean(axis=0, dtype=np.float64), memberships.dtype)


def logarithms(sizes: Array, dtype: Any) -> Array:
    """Of mean memberships, in the type of the memberships."""
    return np.log(np.maximum(sizes, floor_of(dtype))).astype(dtype)
