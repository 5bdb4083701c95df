"""The kernel of the mode term: how similar is a row to a mode, and how dense is a cluster at a row.

Two members so far: a Gaussian of the distance, and the entries of a given graph. Another kernel (Hamming on discrete
data) is another class with the methods of :class:`ModeKernel`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from slkmodes.distances import EUCLIDEAN, Euclidean

Array = npt.NDArray[Any]

# Entries of a block of kernel values in memory at a time: 16 MiB of float32.
BLOCK_ENTRIES = 1 << 22

# A cluster's density is summed exactly while it costs at most this many values of a Gaussian.
EXACT_PAIRS = 1 << 22


@dataclass(frozen=True)
class Modes:
    """One mode per cluster: the rows of X they are (-1: none), and their points where X has features."""

    rows: npt.NDArray[np.int64]
    points: Array | None = None

    def moved_from(self, other: Modes) -> npt.NDArray[np.float64]:
        """How far each mode lies from its place in ``other``; 0 or 1 where there are no features."""
        if self.points is None or other.points is None:
            return (self.rows != other.rows).astype(np.float64)
        difference = self.points.astype(np.float64) - other.points
        return np.asarray(np.sqrt(np.einsum("ld,ld->l", difference, difference)))


class ModeKernel(Protocol):
    """k(x_p, m_l) for a fixed set of n_samples rows."""

    @property
    def n_samples(self) -> int: ...  # noqa: D102

    @property
    def dtype(self) -> np.dtype[Any]: ...  # noqa: D102

    @property
    def self_similarity(self) -> float: ...  # noqa: D102

    @property
    def scale(self) -> float:
        """The distance that counts as one: modes that move by a small part of it have settled."""

    @property
    def exact_pairs(self) -> float:
        """Up to how many pairs of rows an exact density is cheap enough."""

    def modes_at(self, rows: npt.NDArray[np.int64]) -> Modes:
        """Modes that are the given rows."""

    def features(self, modes: Modes) -> Array | None:
        """The modes as samples, where samples have features."""

    def similarity(self, rows: slice, modes: Modes) -> Array:
        """a_pl of eq. (6) for a slice of rows."""

    def closeness(self, rows: slice, modes: Modes) -> Array:
        """What tells which modes are nearest to a slice of rows: larger is nearer, and -inf does not occur."""

    def nearest_mode(
        self, rows: npt.NDArray[np.int64], modes: Modes, among: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.int64]:
        """Index of the closest of the modes that ``among`` admits, row by row: for tied memberships."""

    def nearest_row(self, modes: Modes, cluster: int, candidates: npt.NDArray[np.int64]) -> int:
        """The candidate row closest to the mode of a cluster."""

    def density(
        self, candidates: npt.NDArray[np.int64], references: npt.NDArray[np.int64], weights: Array
    ) -> npt.NDArray[np.float64]:
        """``sum_p weights_p k(x_p, y)`` over the references p, for every candidate row y."""


@dataclass(frozen=True)
class GaussianKernel:
    """exp(-|x - y|^2 / (2 bandwidth^2)) on the rows of X, which are those that ask; modes answer."""

    X: Array
    bandwidth: float
    metric: Euclidean = EUCLIDEAN

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of X, hence of everything computed from it."""
        return np.dtype(self.X.dtype)

    @property
    def self_similarity(self) -> float:
        """k at distance 0, at which equal rows are but under an inner product."""
        return 1.0

    @property
    def scale(self) -> float:
        """The bandwidth."""
        return self.bandwidth

    @property
    def exact_pairs(self) -> float:
        """Each pair costs a distance."""
        return EXACT_PAIRS

    @property
    def gamma(self) -> float:
        """1 / (2 bandwidth^2)."""
        return 0.5 / self.bandwidth**2

    def modes_at(self, rows: npt.NDArray[np.int64]) -> Modes:
        """Modes that are the given rows of X."""
        points = np.ascontiguousarray(self.metric.answering(self.X[rows]))
        return Modes(rows=np.asarray(rows, dtype=np.int64), points=points)

    def points_of(self, features: Array) -> Array:
        """Samples that need not be among the rows, as points that modes may have."""
        rows = self.metric.asking(features.astype(self.dtype))
        return np.ascontiguousarray(self.metric.answering(rows))

    def features(self, modes: Modes) -> Array:
        """The modes as samples."""
        assert modes.points is not None  # a Gaussian's modes always have points
        return self.metric.features(modes.points)

    def similarity(self, rows: slice, modes: Modes) -> Array:
        """a_pl of eq. (6) for a slice of rows."""
        return np.exp(-self.squared_distances(self.X[rows], modes.points) * self.gamma).astype(self.dtype)

    def closeness(self, rows: slice, modes: Modes) -> Array:
        """Minus the squared distance: the kernel underflows long before."""
        return -self.squared_distances(self.X[rows], modes.points)

    def nearest_mode(
        self, rows: npt.NDArray[np.int64], modes: Modes, among: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.int64]:
        """Index of the closest mode: the kernel underflows long before the distance does."""
        squared = self.squared_distances(self.X[rows], modes.points)
        return np.where(among, squared, np.inf).argmin(axis=1)

    def nearest_row(self, modes: Modes, cluster: int, candidates: npt.NDArray[np.int64]) -> int:
        """The candidate row closest to the mode of a cluster."""
        assert modes.points is not None
        point = modes.points[cluster : cluster + 1]
        return int(candidates[self.squared_distances(self.X[candidates], point).argmin()])

    def density(
        self, candidates: npt.NDArray[np.int64], references: npt.NDArray[np.int64], weights: Array
    ) -> npt.NDArray[np.float64]:
        """Weighted kernel sums by blocked matrix products."""
        # The expanded square cancels badly far from the origin: move the origin into the cluster.
        Y = self.metric.answering(self.X[references])
        origin = Y.mean(axis=0, dtype=np.float64).astype(self.dtype)
        Y = Y - origin
        Y_norms = np.einsum("pd,pd->p", Y, Y)
        weights = np.asarray(weights, dtype=np.float64)
        sums = np.empty(len(candidates))
        step = max(1, BLOCK_ENTRIES // len(references))
        for start in range(0, len(candidates), step):
            C = self.X[candidates[start : start + step]] - origin
            squared = np.einsum("pd,pd->p", C, C)[:, None] + Y_norms - 2 * (C @ Y.T)
            np.maximum(squared, 0, out=squared)
            sums[start : start + step] = np.exp(squared * -self.gamma) @ weights
        return sums

    def squared_distances(self, rows: Array, points: Array | None) -> npt.NDArray[np.float64]:
        """|x - m|^2 from differences, one mode at a time, each row's sum independent of the others."""
        assert points is not None  # a Gaussian's modes always have points
        squared = np.empty((len(rows), len(points)))
        step = max(1, BLOCK_ENTRIES // max(1, rows.shape[1]))
        for start in range(0, len(rows), step):
            block = rows[start : start + step]
            for column, point in enumerate(points):
                difference = block - point
                squared[start : start + step, column] = np.einsum("pd,pd->p", difference, difference)
        return squared


@dataclass(frozen=True)
class GraphKernel:
    """The entries of a given affinity: the kernel is known only between neighbours, and 0 elsewhere.

    A row is as similar to itself as the closest pair of the graph: k(x, x) = max w.
    """

    affinity: Any

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.affinity.shape[0])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the affinity, hence of everything computed from it."""
        return np.dtype(self.affinity.dtype)

    @property
    def self_similarity(self) -> float:
        """k(x, x)."""
        return float(self.affinity.data.max(initial=0.0))

    @property
    def scale(self) -> float:
        """Any move is a move."""
        return 1.0

    @property
    def exact_pairs(self) -> float:
        """One pass over the edges gives all densities."""
        return float("inf")

    def modes_at(self, rows: npt.NDArray[np.int64]) -> Modes:
        """Modes that are the given rows."""
        return Modes(rows=np.asarray(rows, dtype=np.int64))

    def features(self, modes: Modes) -> None:
        """Nobody knows any."""

    def similarity(self, rows: slice, modes: Modes) -> Array:
        """a_pl of eq. (6) for a slice of rows: columns of the graph."""
        a = self.affinity[rows][:, modes.rows].toarray()
        own = np.arange(*rows.indices(self.n_samples))[:, None] == modes.rows
        a[own] = self.self_similarity
        return np.asarray(a)

    def closeness(self, rows: slice, modes: Modes) -> Array:
        """The similarity: the graph knows no distance beyond its edges."""
        return self.similarity(rows, modes)

    def nearest_mode(
        self, rows: npt.NDArray[np.int64], modes: Modes, among: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.int64]:
        """The first mode admitted: the graph knows no distance beyond its edges."""
        return among.argmax(axis=1)

    def nearest_row(self, modes: Modes, cluster: int, candidates: npt.NDArray[np.int64]) -> int:
        """The mode itself: on a graph every mode is a row."""
        return int(modes.rows[cluster])

    def density(
        self, candidates: npt.NDArray[np.int64], references: npt.NDArray[np.int64], weights: Array
    ) -> npt.NDArray[np.float64]:
        """Weighted sums over the edges into each candidate."""
        spread = np.zeros(self.n_samples)
        spread[references] = weights
        return np.asarray((spread @ self.affinity)[candidates] + self.self_similarity * spread[candidates])
