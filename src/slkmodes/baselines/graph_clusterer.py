"""What all baselines share: parameters of the graph, checks, and the order of rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from slkmodes.affinity import SYMMETRIZERS, WEIGHTS
from slkmodes.graph import Graph, graph_of_affinities, graph_of_features
from slkmodes.validation import (
    all_or_nothing,
    check_affinities,
    check_extent,
    check_features,
    check_integer,
    check_option,
    check_real,
    check_sizes,
    count_threads,
    make_generator,
)


class GraphClusterer(ClusterMixin, BaseEstimator):
    """A clustering of a neighbour graph: ``fit`` builds the graph, ``fit_graph`` takes one that others share.

    A subclass stores its parameters in ``__init__``: ``n_clusters``, ``n_neighbors``, ``affinity``, ``symmetrize``,
    ``bandwidth``, ``n_jobs`` and ``random_state`` among them. It offers ``_cluster``, checks its own parameters
    in ``_check_parameters``, and says in ``needs_features`` whether edges alone are enough for it.
    """

    needs_features = False

    def fit(self, X: Any, y: Any = None) -> Self:
        """Build the graph of the rows of X, or take X for it with ``affinity="precomputed"``, and cluster it."""
        self._check_parameters()
        with all_or_nothing(self):
            return self.fit_graph(self._graph_of(X))

    def fit_graph(self, graph: Graph) -> Self:
        """Cluster a graph that is there already, whose parameters then count instead of the ones given here."""
        self._check_parameters()
        if self.needs_features and not graph.has_means:
            source = "affinities alone" if graph.bandwidth is None else "inner products"
            raise ValueError(f"{self._owner} needs features with means; this graph was made from {source}.")
        check_sizes(self._owner, graph.kernel.n_samples, self._least_clusters)
        self.labels_ = graph.order.restore(self._cluster(graph, make_generator(self.random_state)))
        return self

    def _cluster(self, graph: Graph, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Labels of the rows of the graph, in its working order; sets whatever else the method finds."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        check_integer(self._owner, "n_clusters", self._least_clusters)
        check_integer(self._owner, "n_neighbors", self.n_neighbors)
        check_real(self._owner, "bandwidth", self.bandwidth, positive=True, word="auto")
        given = [] if self.needs_features else ["precomputed"]
        check_option(self._owner, "affinity", self.affinity, [*WEIGHTS, *given])
        check_option(self._owner, "symmetrize", self.symmetrize, SYMMETRIZERS)

    @property
    def _least_clusters(self) -> int:
        """The clusters asked for; a subclass that finds their number itself has no such parameter and says 1."""
        return self.n_clusters

    @property
    def _owner(self) -> str:
        return type(self).__name__

    def _graph_of(self, X: Any) -> Graph:
        types = [np.float64, np.float32]
        if self.affinity == "precomputed":
            X = validate_data(self, X, dtype=types, accept_sparse="csr")
            return graph_of_affinities(check_affinities(self._owner, X, square=True), self.symmetrize)
        if sparse.issparse(X):
            raise TypeError(f"Sparse data was passed to {self._owner}, which needs dense features: reduce them first.")
        X = check_features(self._owner, self, X, dtype=types)
        check_sizes(self._owner, len(X), self._least_clusters, self.n_neighbors)
        check_extent(self._owner, X)
        threads = count_threads(self._owner, self.n_jobs)
        return graph_of_features(X, self.n_neighbors, "auto", self.affinity, self.symmetrize, self.bandwidth, threads)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        precomputed = self.affinity == "precomputed"
        tags.input_tags.pairwise = precomputed
        tags.input_tags.sparse = precomputed
        tags.input_tags.positive_only = precomputed
        return tags
