"""Largest memberships in C++."""

from __future__ import annotations

from typing import Any

import numpy as np

import slkmodes._kernels as _kernels
from slkmodes.cache_lines import empty_on_lines
from slkmodes.engines.balance import floor_of
from slkmodes.engines.native_engine import NativeEngine, PlacedProblem
from slkmodes.engines.top_memberships import Top, TopNumpyEngine
from slkmodes.mode_kernels import GaussianKernel, Modes


class TopNativeEngine(TopNumpyEngine, NativeEngine):  # type: ignore[misc]
    """What :class:`TopNumpyEngine` specifies, with the verbs that take time replaced by C++ kernels."""

    def similarity(self, placed: PlacedProblem, modes: Modes) -> Top:  # type: ignore[override]
        """a_pl = k(x_p, m_l) of the modes nearest to each row."""
        kernel = placed.kernel
        if not isinstance(kernel, GaussianKernel):
            return super().similarity(placed, modes)
        shape = kernel.n_samples, self.n_kept
        clusters, squared = np.empty(shape, np.int64), np.empty(shape, kernel.dtype)
        threads = self.threads_for(kernel.X.size * placed.n_clusters // 16)
        _kernels.nearest(modes.points, kernel.X, clusters, squared, threads)
        similar = np.exp(-squared * kernel.dtype.type(kernel.gamma))
        similar[similar < np.finfo(similar.dtype).tiny] = 0  # sweeps would be slowed down
        return Top(clusters.astype(np.int32), similar, placed.n_clusters)

    def sweep(self, placed: Any, similarity: Any, memberships: Any, spare: Any = None) -> tuple[Any, float]:
        """Eq. (8) among the candidates of every row, and eq. (2) at the memberships it started from."""
        shape = memberships.values.shape  # rows that lie on cache lines are fetched from memory at once
        clusters, values = empty_on_lines(shape, np.int32), empty_on_lines(shape, memberships.values.dtype)
        row_objective = np.empty(len(values))
        _kernels.sweep_top(
            *placed.edges,
            similarity.clusters,
            similarity.values,
            memberships.clusters,
            memberships.values,
            placed.laplacian_weight,
            placed.diagonal_shift,
            placed.balance,
            floor_of(values.dtype),
            self.log_sizes(memberships),
            clusters,
            values,
            row_objective,
            self.threads_for(values.size),
            self.block_rows,
        )
        return Top(clusters, values, memberships.n_clusters), float(row_objective.sum())
