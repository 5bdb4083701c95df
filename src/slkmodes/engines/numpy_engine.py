"""The specification: every verb of the protocol in a few lines of NumPy, slow and obviously right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from slkmodes.engines.balance import balanced_similarity, without_balance
from slkmodes.engines.protocol import Groups, lean
from slkmodes.engines.tiles import Tiles, tile, weighted_means
from slkmodes.mode_kernels import GaussianKernel, ModeKernel, Modes
from slkmodes.problem import Problem

Array = npt.NDArray[Any]


class NumpyEngine:
    """NumPy and SciPy on the host."""

    name = "numpy"

    def __init__(self, n_threads: int = 1, block_rows: int = 8192) -> None:
        self.n_threads = n_threads  # for engines built on this one: NumPy decides for itself
        self.block_rows = block_rows

    def blocks(self, n_rows: int) -> Iterator[slice]:
        """Cut the rows into blocks; no result depends on where."""
        for start in range(0, n_rows, self.block_rows):
            yield slice(start, min(start + self.block_rows, n_rows))

    def place(self, problem: Problem) -> Any:
        """Host memory is where everything already is."""
        return problem

    def reweigh(self, placed: Any, laplacian_weight: float, diagonal_shift: float) -> Any:
        """The same data under another weight and shift."""
        return replace(placed, laplacian_weight=laplacian_weight, diagonal_shift=diagonal_shift)

    def similarity(self, placed: Problem, modes: Modes) -> Array:
        """a_pl = k(x_p, m_l), eq. (6)."""
        return np.concatenate([placed.kernel.similarity(rows, modes) for rows in self.blocks(placed.n_samples)])

    def start(self, placed: Problem, similarity: Array, labels: npt.NDArray[np.int64] | None = None) -> Array:
        """softmax(a_p), leaning to the labels if there are any."""
        if labels is not None:
            similarity = similarity.copy()
            similarity[np.arange(len(labels)), labels] += lean(placed.n_clusters)
        return softmax(similarity)

    def sweep(self, placed: Any, similarity: Any, memberships: Any, spare: Any = None) -> tuple[Any, float]:
        """The z-update, and R of the memberships it started from; with a balance, by way of another problem."""
        if placed.balance == 0:
            return self._plain_sweep(placed, similarity, memberships)
        a, Z = self.fetch(similarity), self.fetch(memberships)
        balanced = self.hold(placed, balanced_similarity(a, Z, placed.balance))
        updated, objective = self._plain_sweep(without_balance(placed), balanced, memberships)
        return updated, (1 + placed.balance) * objective

    def _plain_sweep(self, placed: Problem, similarity: Array, memberships: Array) -> tuple[Array, float]:
        """Eq. (8) for every row, and the row's share of eq. (2) at the memberships it started from."""
        weight, shift = (memberships.dtype.type(x) for x in (placed.laplacian_weight, placed.diagonal_shift))
        updated = np.empty_like(memberships)
        row_objective = np.empty(len(memberships))
        for rows in self.blocks(len(memberships)):
            a, z = similarity[rows], memberships[rows]
            b = placed.affinity[rows] @ memberships + shift * z
            reward = z * (a + weight / 2 * b)
            row_objective[rows] = np.sum(xlogy(z, z) - reward, axis=1, dtype=np.float64)
            updated[rows] = softmax(a + weight * b)
        return updated, float(row_objective.sum())

    def labels(self, placed: Problem, memberships: Any, modes: Modes) -> npt.NDArray[np.int64]:
        """Column of the largest membership; ties go to the nearest mode."""
        return hard_labels(self.fetch(memberships), placed.kernel, modes)

    def best_rows(self, placed: Problem, similarity: Any, memberships: Any, groups: Groups) -> npt.NDArray[np.int64]:
        """Eq. (11) among the members of each cluster."""
        a, Z = self.fetch(similarity), self.fetch(memberships)
        best = np.full(len(groups.starts) - 1, -1)
        for cluster in range(len(best)):
            members = groups.members(cluster)
            if not len(members):
                continue
            z = Z[members, cluster]
            tied = members[z == z.max()]
            b = placed.affinity[tied] @ Z[:, cluster] + placed.diagonal_shift * Z[tied, cluster]
            best[cluster] = tied[np.argmax(a[tied, cluster] + placed.laplacian_weight * b)]
        return best

    def mean_shift(
        self, placed: Problem, memberships: Any, groups: Groups, points: Array, tolerance: float, max_steps: int
    ) -> Array:
        """Eq. (9) to convergence; a mode that no member is near enough to pull stays where it is."""
        tiles = tile(groups)
        weights = self.own_memberships(memberships, groups)
        for _ in range(max_steps):
            sums, masses = self.tile_sums(placed, groups, weights, tiles, points)
            before, points = points, weighted_means(tiles, sums, masses, points)
            if np.abs(points.astype(np.float64) - before).max(initial=0.0) <= tolerance:
                break
        return points

    def tile_sums(
        self, placed: Problem, groups: Groups, weights: Array, tiles: Tiles, points: Array
    ) -> tuple[Array, Array]:
        """Numerator and denominator of eq. (9), tile by tile."""
        kernel = placed.kernel
        assert isinstance(kernel, GaussianKernel)  # the estimator refuses other kernels
        sums, masses = np.empty((len(tiles.cluster), points.shape[1])), np.empty(len(tiles.cluster))
        for t, cluster in enumerate(tiles.cluster):
            span = slice(tiles.starts[t], tiles.starts[t + 1])
            X = kernel.X[groups.order[span]]
            squared = kernel.squared_distances(X, points[cluster : cluster + 1])[:, 0]
            pull = weights[span] * np.exp(-squared * kernel.gamma)
            sums[t], masses[t] = np.einsum("p,pd->d", pull, X), pull.sum()
        return sums, masses

    def density(
        self,
        placed: Problem,
        candidates: npt.NDArray[np.int64],
        references: npt.NDArray[np.int64],
        weights: Array,
    ) -> npt.NDArray[np.float64]:
        """Kernel sums at the candidate rows."""
        return placed.kernel.density(candidates, references, weights)

    def hold(self, placed: Problem, similarity: Array) -> Any:
        """A similarity as this engine holds it: the reverse of fetch."""
        return similarity

    def chebyshev(self, matrix: Any, columns: Array, coefficients: Array, overwrite: bool = False) -> Array:
        """T_0 = 1, T_1 = x, T_k+1 = 2 x T_k - T_k-1."""
        before, now = columns, matrix @ columns
        total = columns.dtype.type(coefficients[0]) * before
        for coefficient in coefficients[1:]:
            total += columns.dtype.type(coefficient) * now
            before, now = now, 2 * (matrix @ now) - before
        return np.asarray(total)

    def largest(self, handle: Any) -> Array:
        """The largest entry of every row."""
        return self.fetch(handle).max(axis=1)

    def fetch(self, handle: Any) -> Array:
        """Nothing to fetch: the handle is the array."""
        return np.asarray(handle)

    def own_memberships(self, memberships: Any, groups: Groups) -> npt.NDArray[np.float64]:
        """z_pl of every row in the cluster that owns it, in the order of the groups."""
        owner = groups.owners()
        return self.fetch(memberships)[groups.order, owner].astype(np.float64)


def softmax(logits: Array) -> Array:
    """Rows on the simplex, the largest logit subtracted first."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def hard_labels(Z: Array, kernel: ModeKernel, modes: Modes) -> npt.NDArray[np.int64]:
    """Column of the largest membership; ties go to the nearest mode of the kernel's rows."""
    labels = Z.argmax(axis=1)
    top = np.take_along_axis(Z, labels[:, None], axis=1)
    equal = top == Z
    if np.count_nonzero(equal) > len(Z):
        tied = np.flatnonzero(np.count_nonzero(equal, axis=1) > 1)
        labels[tied] = kernel.nearest_mode(tied, modes, among=Z[tied] == top[tied])
    return labels
