"""X -> everything that is known before the first seed: neighbours, affinity, bandwidth, kernel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from slkmodes.affinity import estimate_bandwidth, given_affinity, neighbor_affinity, reach_of
from slkmodes.distances import EUCLIDEAN, Euclidean
from slkmodes.mode_kernels import GaussianKernel, GraphKernel, ModeKernel
from slkmodes.neighbors import TARGET_RECALL, NeighborIndex, Neighbors, choose_search
from slkmodes.ordering import RowOrder, near_rows_together
from slkmodes.telling import Say, keep_quiet


@dataclass(frozen=True)
class Graph:
    """The graph of the Laplacian term, the kernel of the mode term, and how they came to be."""

    affinity: Any  # scipy CSR
    kernel: ModeKernel
    bandwidth: float | None  # None: the affinity was given
    search: str
    recall: float
    index: NeighborIndex | None
    neighbors: Neighbors | None = None
    order: RowOrder = field(default_factory=RowOrder)  # of the rows here, and in all that is made from them

    @property
    def has_means(self) -> bool:
        """Whether means can be taken of its rows: neither of affinities nor under inner products."""
        return isinstance(self.kernel, GaussianKernel) and not self.kernel.metric.extra_columns


def graph_of_features(
    X: Any,
    n_neighbors: int,
    search: str,
    weights: str,
    symmetrize: str,
    bandwidth: float | str,
    n_threads: int,
    recall: float = TARGET_RECALL,
    say: Say = keep_quiet,
    metric: Euclidean = EUCLIDEAN,
) -> Graph:
    """Find the neighbours of the rows that ask for them, and weigh these; "auto" is resolved here."""
    order = near_rows_together(X, n_threads)
    X = order.arrange(X)
    reach = reach_of(weights, n_neighbors, len(X))
    n_features = X.shape[1] - metric.extra_columns
    index = NeighborIndex(X, choose_search(len(X), n_features) if search == "auto" else search, reach, recall, metric)
    neighbors = index.graph(n_threads, say)
    width = estimate_bandwidth(neighbors, n_neighbors) if isinstance(bandwidth, str) else bandwidth
    affinity = neighbor_affinity(neighbors, weights, symmetrize, n_neighbors, width)
    kernel = GaussianKernel(np.asarray(X), width, metric)
    return Graph(affinity, kernel, width, index.search, neighbors.recall, index, neighbors, order)


def graph_of_affinities(X: Any, symmetrize: str) -> Graph:
    """Take the affinities as they are given, but for their diagonal."""
    affinity = given_affinity(X, symmetrize)
    return Graph(affinity, GraphKernel(affinity), None, "precomputed", 1.0, None)
