"""The words an engine must speak: those of the algorithm, not those of an array library.

Row-wise verbs (``similarity``, ``sweep``) are defined row by row, so how rows are cut into blocks changes
nothing. Verbs that add over rows do so in tiles that depend on the data alone, or sum one number per row in
row order. Hence the answer is the same for any block size and any number of threads.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from slkmodes.mode_kernels import Modes
from slkmodes.problem import Problem

Array = npt.NDArray[Any]

# Opaque to the solver: what an engine makes of a problem, of a and of Z.
Placed = Any
Similarity = Any
Memberships = Any


class Groups(NamedTuple):
    """Rows sorted by label: ``order[starts[l] : starts[l + 1]]`` are the members of cluster l."""

    order: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]

    def owners(self) -> npt.NDArray[np.int64]:
        """The cluster of every row, in their order here."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def members(self, cluster: int) -> npt.NDArray[np.int64]:
        """Rows of one cluster, in ascending order."""
        return self.order[self.starts[cluster] : self.starts[cluster + 1]]


def lean(n_clusters: int) -> float:
    """What is added to the logit of a row's own label so that its membership is 9 in 10 where a is 0."""
    return math.log(9 * (n_clusters - 1)) if n_clusters > 1 else 0.0


class Engine(Protocol):
    """Where the arithmetic happens."""

    name: str
    n_threads: int

    def place(self, problem: Problem) -> Placed:
        """Bring the problem to where this engine computes."""

    def reweigh(self, placed: Placed, laplacian_weight: float, diagonal_shift: float) -> Placed:
        """The same problem under another weight and shift; the data stay where they are."""

    def similarity(self, placed: Placed, modes: Modes) -> Similarity:
        """a_pl = k(x_p, m_l), eq. (6)."""

    def start(self, placed: Placed, similarity: Similarity, labels: npt.NDArray[np.int64] | None = None) -> Memberships:
        """softmax(a_p), the initial memberships of Algorithm 1; with labels, leaning to them (:func:`lean`)."""

    def sweep(
        self, placed: Placed, similarity: Similarity, memberships: Memberships, spare: Memberships | None = None
    ) -> tuple[Memberships, float]:
        """One z-update of all rows, eq. (8), and R of the memberships it started from, eq. (2), both with balance.

        ``spare`` are memberships of the same problem that nobody needs any more: their memory may be used.
        """

    def labels(self, placed: Placed, memberships: Memberships, modes: Modes) -> npt.NDArray[np.int64]:
        """Column of the largest membership; ties go to the nearest mode."""

    def best_rows(
        self, placed: Placed, similarity: Similarity, memberships: Memberships, groups: Groups
    ) -> npt.NDArray[np.int64]:
        """The member with the largest membership in each cluster, eq. (11); -1 where there is none.

        Equal memberships are told apart by the logit ``a + lambda b`` that the softmax saturated on.
        """

    def mean_shift(
        self,
        placed: Placed,
        memberships: Memberships,
        groups: Groups,
        points: Array,
        tolerance: float,
        max_steps: int,
    ) -> Array:
        """Eq. (9) for every mode over the members of its cluster, until none moves by more than the tolerance."""

    def density(
        self,
        placed: Placed,
        candidates: npt.NDArray[np.int64],
        references: npt.NDArray[np.int64],
        weights: Array,
    ) -> npt.NDArray[np.float64]:
        """``sum_p weights_p k(x_p, y)`` over the reference rows p, for every candidate row y."""

    def chebyshev(self, matrix: Any, columns: Array, coefficients: Array, overwrite: bool = False) -> Array:
        """``sum_k coefficients_k T_k(matrix) columns`` on the host, for a sparse matrix with spectrum in [-1, 1].

        ``overwrite``: nobody needs the columns any more, their memory may be used.
        """

    def largest(self, handle: Similarity | Memberships) -> Array:
        """The largest entry of every row."""

    def fetch(self, handle: Similarity | Memberships) -> Array:
        """A similarity or memberships of shape (n_samples, n_clusters): a NumPy array, or CSR where few are kept."""
