"""The NumPy engine with its hot verbs replaced by C++ kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import slkmodes._kernels as _kernels
from slkmodes.cache_lines import empty_on_lines
from slkmodes.edges import Edges, edges_of
from slkmodes.engines.balance import floor_of, logarithms, without_balance
from slkmodes.engines.numpy_engine import NumpyEngine
from slkmodes.engines.protocol import Groups, lean
from slkmodes.engines.tiles import TILE_ROWS, Tiles
from slkmodes.mode_kernels import GaussianKernel, Modes
from slkmodes.problem import Problem

Array = npt.NDArray[Any]

# Far below the top logit of any row, -log(n_clusters) or more: what padding columns get is lost in the rounding.
PADDING = -1e4

# A thread is worth waking for this many numbers of Z; fewer, and threads mostly wait for each other.
NUMBERS_PER_THREAD = 1 << 16


@dataclass(frozen=True, kw_only=True)
class PlacedProblem(Problem):
    """A problem with its edges and the padded number of columns."""

    edges: Edges
    width: int


class Sweeping(NamedTuple):
    """What a sweep leaves to the next one over the same problem: rows that cannot change need not be computed."""

    moved: npt.NDArray[np.uint8]  # which rows it changed
    row_objective: npt.NDArray[np.float64]
    of: tuple[object, float, float]  # the similarity, the weight and the shift


class Padded(NamedTuple):
    """Rows padded to whole vectors; memberships also carry each row's sum of z log z, and how they were made."""

    values: Array
    n_clusters: int
    negentropy: npt.NDArray[np.float64] | None = None
    made: object | Sweeping | None = None  # of a similarity: what no other has


class NativeEngine(NumpyEngine):
    """C++ kernels on ``n_threads`` threads; the number of threads changes no bit of the answer."""

    name = "native"

    def __init__(self, n_threads: int = 1, block_rows: int = 1024) -> None:
        super().__init__(n_threads, block_rows)

    def threads_for(self, numbers: int) -> int:
        """As many threads as there is work for."""
        return max(1, min(self.n_threads, numbers // NUMBERS_PER_THREAD))

    def place(self, problem: Problem) -> PlacedProblem:
        """Edges in the kernels' types; no copy where they already are."""
        edges = edges_of(problem.affinity, problem.kernel.dtype)
        return PlacedProblem(**vars(problem), edges=edges, width=padded_width(problem.n_clusters))

    def similarity(self, placed: PlacedProblem, modes: Modes) -> Padded:  # type: ignore[override]
        """a_pl = k(x_p, m_l), eq. (6)."""
        kernel, n_clusters = placed.kernel, placed.n_clusters
        if not isinstance(kernel, GaussianKernel):
            return self.hold(placed, super().similarity(placed, modes))
        values = empty_on_lines((placed.n_samples, placed.width), kernel.dtype)
        threads = self.threads_for(kernel.X.size * n_clusters // 16)
        _kernels.similarity(kernel.X, modes.points, kernel.gamma, PADDING, values, threads, self.block_rows)
        return Padded(values, n_clusters, made=object())

    def start(  # type: ignore[override]
        self, placed: PlacedProblem, similarity: Padded, labels: npt.NDArray[np.int64] | None = None
    ) -> Padded:
        """softmax(a_p), leaning to the labels if there are any: a sweep over a graph without edges."""
        if labels is not None:
            similarity = similarity._replace(values=similarity.values.copy())
            similarity.values[np.arange(len(labels)), labels] += lean(placed.n_clusters)
        zeros = Padded(np.zeros_like(similarity.values), similarity.n_clusters, np.zeros(placed.n_samples))
        no_edges = Edges(np.zeros(placed.n_samples + 1, np.int64), np.empty(0, np.int32), placed.edges.weights[:0])
        started, _ = self._sweep(no_edges, similarity, zeros, 0.0, 0.0, 0.0, similarity.values[:0, 0])
        return started._replace(made=None)  # by another problem

    def sweep(
        self, placed: PlacedProblem, similarity: Padded, memberships: Padded, spare: Padded | None = None
    ) -> tuple[Padded, float]:
        """Eq. (8) for every row, and eq. (2) at the memberships it started from, in one pass."""
        balance, plain = placed.balance, without_balance(placed)
        sizes = np.zeros(placed.width if balance else 0, dtype=memberships.values.dtype)
        if balance:
            sizes[: placed.n_clusters] = self._log_sizes(memberships)
        updated, objective = self._sweep(
            placed.edges, similarity, memberships, plain.laplacian_weight, placed.diagonal_shift, balance, sizes, spare
        )
        return updated, (1 + balance) * objective

    def _log_sizes(self, memberships: Padded) -> Array:
        """Logarithms of the mean memberships."""
        n_rows, width = memberships.values.shape
        sums = np.empty((-(-n_rows // TILE_ROWS), width))
        _kernels.sizes(memberships.values, TILE_ROWS, sums, self.threads_for(memberships.values.size))
        return logarithms(sums[:, : memberships.n_clusters].sum(axis=0) / n_rows, memberships.values.dtype)

    def _sweep(
        self,
        edges: Edges,
        similarity: Padded,
        memberships: Padded,
        laplacian_weight: float,
        diagonal_shift: float,
        balance: float,
        sizes: Array,
        spare: Padded | None = None,
    ) -> tuple[Padded, float]:
        n_rows = len(memberships.values)
        # Memory that the system has to find and clear costs as much as the sweep itself.
        updated = empty_on_lines(memberships.values.shape, memberships.values.dtype) if spare is None else spare.values
        negentropy = np.empty(n_rows) if spare is None else spare.negentropy
        of = similarity.made, laplacian_weight, diagonal_shift
        before = memberships.made
        if isinstance(before, Sweeping) and before.of == of and not balance:
            moved, row_objective = before.moved, before.row_objective
        else:
            moved, row_objective = None, np.empty(n_rows)
        new_moved = np.empty(n_rows, np.uint8)
        _kernels.sweep(
            *edges,
            similarity.values,
            memberships.values,
            memberships.negentropy,
            laplacian_weight,
            diagonal_shift,
            balance,
            floor_of(updated.dtype),
            sizes,
            moved,
            updated,
            negentropy,
            row_objective,
            new_moved,
            self.threads_for(updated.size),
            self.block_rows,
        )
        made = Sweeping(new_moved, row_objective, of)
        return Padded(updated, memberships.n_clusters, negentropy, made), float(row_objective.sum())

    def tile_sums(  # type: ignore[override]
        self, placed: PlacedProblem, groups: Groups, weights: Array, tiles: Tiles, points: Array
    ) -> tuple[Array, Array]:
        """Numerator and denominator of eq. (9), tile by tile."""
        kernel = placed.kernel
        assert isinstance(kernel, GaussianKernel)  # the estimator refuses other kernels
        sums, masses = np.empty((len(tiles.cluster), points.shape[1])), np.empty(len(tiles.cluster))
        threads = self.threads_for(kernel.X.size)
        _kernels.mean_shift(kernel.X, points, kernel.gamma, groups.order, weights, *tiles, sums, masses, threads)
        return sums, masses

    def density(  # type: ignore[override]
        self,
        placed: PlacedProblem,
        candidates: npt.NDArray[np.int64],
        references: npt.NDArray[np.int64],
        weights: Array,
    ) -> npt.NDArray[np.float64]:
        """Kernel sums at the candidate rows, each over the references in their order."""
        kernel = placed.kernel
        if not isinstance(kernel, GaussianKernel):
            return super().density(placed, candidates, references, weights)
        sums, weights = np.empty(len(candidates)), np.asarray(weights, dtype=np.float64)
        threads = self.threads_for(len(candidates) * len(references) * kernel.X.shape[1] // 16)
        answering = kernel.X
        if not kernel.metric.nearest_to_itself:  # other rows than those that ask
            answering, references = kernel.metric.answering(kernel.X[references]), np.arange(len(references))
        _kernels.density(kernel.X, candidates, answering, references, weights, kernel.gamma, sums, threads)
        return sums

    def hold(self, placed: PlacedProblem, similarity: Array) -> Padded:  # type: ignore[override]
        """The columns that are clusters, and padding."""
        values = empty_on_lines((placed.n_samples, placed.width), placed.kernel.dtype)
        values[:, placed.n_clusters :] = PADDING
        values[:, : placed.n_clusters] = similarity
        return Padded(values, placed.n_clusters, made=object())

    def chebyshev(self, matrix: Any, columns: Array, coefficients: Array, overwrite: bool = False) -> Array:
        """T_0 = 1, T_1 = x, T_k+1 = 2 x T_k - T_k-1, each row added up on its own."""
        edges, threads = edges_of(matrix, columns.dtype), self.threads_for(columns.size)
        initial, *others = coefficients.tolist()
        if not others:
            return columns * columns.dtype.type(initial)
        before, now, scale = None, np.ascontiguousarray(columns), 1.0
        total, following = np.empty_like(now), np.empty_like(now)
        for coefficient in others:
            _kernels.diffuse(*edges, scale, initial, coefficient, now, before, following, total, threads)
            free = before is not None or overwrite  # T_0 is the caller's
            before, now, scale = now, following, 2.0
            following = before if free else np.empty_like(now)
        return total

    def fetch(self, handle: Padded) -> Array:
        """The columns that are clusters, as a view."""
        return handle.values[:, : handle.n_clusters]


def padded_width(n_clusters: int) -> int:
    """Half a cache line of float32 for a few clusters, whole cache lines for more."""
    return 8 if n_clusters <= 8 else -(-n_clusters // 16) * 16
