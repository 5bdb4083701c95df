"""Memberships of which every row keeps only its largest few: for clusters by the thousand.

Everything here is n x m numbers instead of n x K. A z-update looks at the clusters that the row, one of its neighbours
or one of its nearest modes has, and keeps the m of them with the largest logits. That is the exact minimiser of the
bound (5) among memberships with at most m such entries, the old ones among them: R still never rises where the
paper promises it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import xlogy

from slkmodes.engines.balance import floor_of, logarithms
from slkmodes.engines.numpy_engine import NumpyEngine, softmax
from slkmodes.engines.protocol import Groups, lean
from slkmodes.mode_kernels import Modes
from slkmodes.problem import Problem

Array = npt.NDArray[Any]

# Numbers of a dense block of rows and all clusters, where one is needed.
BLOCK_NUMBERS = 1 << 24
# Rows that are looked up at a time, for the caches.
ROWS_AT_A_TIME = 1 << 14


class Top(NamedTuple):
    """Some entries of every row, the largest first; a slot without one has cluster -1 and value 0."""

    clusters: npt.NDArray[np.int32]
    values: Array
    n_clusters: int

    def matrix(self) -> Any:
        """The same as a CSR matrix, entries that are 0 included."""
        filled = self.clusters >= 0
        starts = np.concatenate([[0], np.cumsum(np.count_nonzero(filled, axis=1))])
        shape = (len(self.clusters), self.n_clusters)
        matrix = sparse.csr_array((self.values[filled], self.clusters[filled], starts), shape=shape)
        matrix.sort_indices()
        return matrix

    def at(self, rows: Array, clusters: Array) -> Array:
        """Entries by row and cluster; 0 where there is none."""
        entries = np.empty(len(rows), dtype=self.values.dtype)
        for start in range(0, len(rows), ROWS_AT_A_TIME):
            some = slice(start, start + ROWS_AT_A_TIME)
            hit = self.clusters[rows[some]] == clusters[some, None]
            entries[some] = np.where(hit, self.values[rows[some]], 0).sum(axis=1)
        return entries


def keep_largest(scores: Array, n_kept: int) -> npt.NDArray[np.int32]:
    """Columns of the largest scores of each row, the largest first, the first of equal ones; -1 for a score of -inf."""
    columns = np.argsort(-scores, axis=1, kind="stable")[:, :n_kept]
    nothing = np.take_along_axis(scores, columns, axis=1) == -np.inf
    return np.where(nothing, -1, columns).astype(np.int32)


class TopNumpyEngine(NumpyEngine):
    """The specification of sweeps with the largest ``n_kept`` memberships of each row."""

    def __init__(self, n_kept: int, n_threads: int = 1, block_rows: int | None = None) -> None:
        super().__init__(n_threads, block_rows or 1024)
        self.n_kept = n_kept

    def similarity(self, placed: Problem, modes: Modes) -> Top:  # type: ignore[override]
        """a_pl = k(x_p, m_l) of the modes nearest to each row; 0 for all others."""
        clusters, values = [], []
        for rows in self.blocks(placed.n_samples):
            clusters.append(keep_largest(placed.kernel.closeness(rows, modes), self.n_kept))
            values.append(np.take_along_axis(placed.kernel.similarity(rows, modes), clusters[-1], axis=1))
        return Top(np.concatenate(clusters), np.concatenate(values), placed.n_clusters)

    def start(self, placed: Problem, similarity: Top, labels: npt.NDArray[np.int64] | None = None) -> Top:  # type: ignore[override]
        """softmax over the nearest modes, leaning to the labels if there are any."""
        clusters, logits = similarity.clusters.copy(), similarity.values.copy()
        if labels is not None:
            absent = np.flatnonzero(~(clusters == labels[:, None]).any(axis=1))
            clusters[absent, -1], logits[absent, -1] = labels[absent], 0
            logits[clusters == labels[:, None]] += lean(self.n_kept)
        order = np.argsort(-logits, axis=1, kind="stable")
        clusters, logits = (np.take_along_axis(array, order, axis=1) for array in (clusters, logits))
        return Top(clusters, softmax(logits), similarity.n_clusters)

    def sweep(self, placed: Any, similarity: Top, memberships: Top, spare: Any = None) -> tuple[Top, float]:
        """Eq. (8) among the candidates of every row, and eq. (2) at the memberships it started from."""
        a, Z, sizes = similarity.matrix(), memberships.matrix(), self.log_sizes(memberships)
        dtype, balance = memberships.values.dtype, placed.balance
        weight, shift = (dtype.type(x) for x in (placed.laplacian_weight, placed.diagonal_shift))
        clusters, values = np.empty_like(memberships.clusters), np.empty_like(memberships.values)
        row_objective = np.empty(len(values))
        for rows in self.blocks(len(values)):
            W, z, similar = placed.affinity[rows], Z[rows].toarray(), a[rows].toarray()
            candidate = (present(W) @ present(Z) + present(Z[rows]) + present(a[rows])).toarray() > 0
            pull = (W @ Z).toarray() + shift * z
            if balance:
                similar = similar + dtype.type(balance) * (np.log(np.maximum(z, floor_of(dtype))) - sizes)
            reward = z * (similar + weight / 2 * pull)
            row_objective[rows] = np.sum((1 + balance) * xlogy(z, z) - reward, axis=1, dtype=np.float64)
            logits = np.where(candidate, (similar + weight * pull) / dtype.type(1 + balance), -np.inf)
            clusters[rows] = keep_largest(logits, self.n_kept)
            values[rows] = softmax(np.sort(logits, axis=1)[:, ::-1][:, : self.n_kept])
        return Top(clusters, values, memberships.n_clusters), float(row_objective.sum())

    def log_sizes(self, memberships: Top) -> Array:
        """Logarithms of the mean memberships; all 0 matters to no sweep without balance."""
        clusters, values = memberships.clusters, memberships.values
        sums = np.zeros(memberships.n_clusters + 1)
        for start in range(0, len(values), ROWS_AT_A_TIME):
            rows = slice(start, start + ROWS_AT_A_TIME)  # no entry is one of a cluster before the first
            sums += np.bincount(clusters[rows].ravel() + 1, values[rows].ravel(), len(sums))
        return logarithms(sums[1:] / len(values), values.dtype)

    def labels(self, placed: Problem, memberships: Top, modes: Modes) -> npt.NDArray[np.int64]:
        """Cluster of the largest membership; ties go to the nearest mode."""
        values, labels = memberships.values, memberships.clusters[:, 0].astype(np.int64)
        tied = np.flatnonzero(values[:, 1] == values[:, 0])
        step = max(1, BLOCK_NUMBERS // memberships.n_clusters)
        for start in range(0, len(tied), step):
            rows = tied[start : start + step]
            among = np.zeros((len(rows), memberships.n_clusters), dtype=bool)
            row, slot = np.nonzero(values[rows] == values[rows, :1])
            among[row, memberships.clusters[rows[row], slot]] = True
            labels[rows] = placed.kernel.nearest_mode(rows, modes, among)
        return labels

    def best_rows(self, placed: Problem, similarity: Top, memberships: Top, groups: Groups) -> npt.NDArray[np.int64]:
        """Eq. (11) among the members of each cluster; what is tied is told apart by its logit."""
        owner = groups.owners()
        z = self.own_memberships(memberships, groups)
        filled = groups.starts[:-1][np.diff(groups.starts) > 0]
        tied = np.flatnonzero(z == np.repeat(np.maximum.reduceat(z, filled), np.diff([*filled, len(z)])))
        rows, clusters = groups.order[tied], owner[tied]
        edges = placed.affinity[rows].tocoo()
        joined = edges.data * memberships.at(edges.col, clusters[edges.row])
        pull = np.bincount(edges.row, joined, len(rows)) + placed.diagonal_shift * memberships.at(rows, clusters)
        logit = similarity.at(rows, clusters) + placed.laplacian_weight * pull
        order = np.lexsort((rows, -logit, clusters))
        best = np.full(len(groups.starts) - 1, -1)
        found, first = np.unique(clusters[order], return_index=True)
        best[found] = rows[order][first]
        return best

    def own_memberships(self, memberships: Top, groups: Groups) -> npt.NDArray[np.float64]:
        """z_pl of every row in the cluster that owns it, in the order of the groups."""
        owner = groups.owners()
        return memberships.at(groups.order, owner).astype(np.float64)

    def largest(self, handle: Top) -> Array:
        """The largest entry of every row."""
        return handle.values.max(axis=1)

    def fetch(self, handle: Top) -> Any:
        """A CSR matrix."""
        return handle.matrix()


def present(matrix: Any) -> Any:
    """1 where the matrix has an entry, be it 0."""
    return sparse.csr_array((np.ones(matrix.nnz, np.float32), matrix.indices, matrix.indptr), shape=matrix.shape)
