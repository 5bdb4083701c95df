"""NCUT: spectral clustering of the neighbour graph by the K-way normalised cut (Shi and Malik 2000)."""

from __future__ import annotations

import heapq
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from slkmodes.baselines.discretisation import discretise
from slkmodes.baselines.graph_clusterer import GraphClusterer
from slkmodes.baselines.leading_eigenvectors import Eigenpairs, largest_residual, leading_eigenvectors
from slkmodes.engines import make_engine
from slkmodes.graph import Graph
from slkmodes.labelled_graph import connected_parts
from slkmodes.metrics import normalized_cut
from slkmodes.validation import check_integer, check_real, count_threads

Array = npt.NDArray[Any]
Labels = npt.NDArray[np.int64]


class NormalizedCut(GraphClusterer):
    """Clusters of the graph that few edges leave, relative to those at them (NCUT).

    Relaxes the K-way normalised cut to the K leading eigenvectors of ``D^-1/2 W D^-1/2`` (Shi and Malik, PAMI 2000)
    and rounds them to the nearest partition under rotations (Yu and Shi, ICCV 2003), several times, of which the
    partition with the smallest normalised cut is kept.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, K.
    n_init : int, default=10
        Rotations to start the rounding from.
    tol : float, default=1e-6
        Largest residual ``|M v - value v|`` of an eigenvector of length one.
    max_rounds : int, default=100
        Rounds of the eigensolver at most, up to 200 products with the matrix each.
    n_neighbors : int, default=5
        Neighbours of each sample in the graph, the sample itself not counted.
    affinity, symmetrize : str, default="adaptive" and "average"
        Edges of the graph, as in :class:`slkmodes.LaplacianKModes`. A directed graph is read as the average of both
        directions.
    bandwidth : float or "auto", default="auto"
        Width of the kernel for ``affinity="gaussian"``.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores. The answer does not depend on it.
    random_state : int, RandomState or Generator instance, or None, default=None
        Decides the start of the eigensolver and the rotations.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample; samples without edges are in the largest.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        ``D^-1/2`` times the eigenvectors: the minimiser of the relaxed problem; 0 for samples without edges.
    eigenvalues_ : ndarray of shape (n_clusters,)
        From the largest, 1, down. K minus their sum is a lower bound of every normalised cut into K clusters.
    residual_ : float
        The largest residual of an eigenvector.
    normalized_cut_ : float
        :func:`slkmodes.normalized_cut` of the labels.

    Notes
    -----
    A graph of K or more connected parts can be cut for nothing, in many ways if there are more than K. The largest
    parts then found clusters of their own and each of the others joins the smallest so far.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from slkmodes.baselines import NormalizedCut
    >>> X, y = make_circles(400, factor=0.4, noise=0.03, random_state=0)
    >>> model = NormalizedCut(n_clusters=2, random_state=0).fit(X)
    >>> model.embedding_.shape, model.residual_ < 1e-6
    ((400, 2), True)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 10,
        tol: float = 1e-6,
        max_rounds: int = 100,
        n_neighbors: int = 5,
        affinity: str = "adaptive",
        symmetrize: str = "average",
        bandwidth: float | str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.tol = tol
        self.max_rounds = max_rounds
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.symmetrize = symmetrize
        self.bandwidth = bandwidth
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_integer(self._owner, "n_init", self.n_init)
        check_integer(self._owner, "max_rounds", self.max_rounds)
        check_real(self._owner, "tol", self.tol, positive=True)

    def _cluster(self, graph: Graph, rng: np.random.Generator) -> Labels:
        matrix, degree = normalized_adjacency(graph.affinity)
        with threadpool_limits(1, user_api="blas"):  # whose rounding depends on the number of threads
            pairs = self._eigenpairs(graph.affinity, matrix, degree, rng)
            embedding = pairs.vectors * inverse_root(degree)[:, None]
            partitions = (partition(embedding, degree > 0, rng) for _ in range(self.n_init))
            labels = min(partitions, key=lambda labels: rank(graph.affinity, labels))
        self.embedding_ = graph.order.restore(embedding)
        self.eigenvalues_ = pairs.values
        self.residual_ = pairs.residual
        self.normalized_cut_ = normalized_cut(graph.affinity, labels)
        if pairs.residual > self.tol:
            warnings.warn(
                f"{self._owner}: the residual of an eigenvector is {pairs.residual:.1e} after max_rounds="
                f"{self.max_rounds}, above tol={self.tol:.1e}. Increase max_rounds or tol.",
                ConvergenceWarning,
                stacklevel=4,  # whoever called fit
            )
        return labels

    def _eigenpairs(self, affinity: Any, matrix: Any, degree: Array, rng: np.random.Generator) -> Eigenpairs:
        parts = connected_parts(affinity)
        volumes = np.bincount(parts, weights=degree)
        if np.count_nonzero(volumes) >= self.n_clusters:
            return whole_parts(matrix, degree, pack(volumes, self.n_clusters)[parts], self.n_clusters)
        engine = make_engine("auto", count_threads(self._owner, self.n_jobs))
        return leading_eigenvectors(engine, matrix, self.n_clusters, self.tol, self.max_rounds, rng)


def normalized_adjacency(affinity: Any) -> tuple[Any, Array]:
    """D^-1/2 W D^-1/2 of the symmetric part of the affinity, and the degrees; rows without edges are 0."""
    W = sparse.csr_array(affinity, dtype=np.float64)
    W = (W + W.T) * 0.5
    degree = np.asarray(W.sum(axis=1))
    scale = sparse.diags_array(inverse_root(degree))
    return sparse.csr_array(scale @ W @ scale), degree


def inverse_root(degree: Array) -> Array:
    """degree^-1/2, or 0 where there are no edges."""
    return np.divide(1.0, np.sqrt(degree), out=np.zeros_like(degree), where=degree > 0)


def pack(volumes: Array, n_groups: int) -> Labels:
    """Group the parts of a graph: from the largest down, each joins the group that is smallest so far."""
    groups = np.zeros(len(volumes), dtype=np.int64)
    filled = [(0.0, group) for group in range(n_groups)]
    for part in np.argsort(-volumes, kind="stable").tolist():
        volume, groups[part] = filled[0]
        heapq.heapreplace(filled, (volume + float(volumes[part]), int(groups[part])))
    return groups


def whole_parts(matrix: Any, degree: Array, groups: Labels, n_groups: int) -> Eigenpairs:
    """Eigenvectors of the eigenvalue 1, each a group of connected parts."""
    vectors = np.sqrt(degree)[:, None] * np.eye(n_groups)[groups]
    vectors /= np.linalg.norm(vectors, axis=0)
    values = np.ones(n_groups)
    return Eigenpairs(values, vectors, largest_residual(matrix @ vectors, vectors, values))


def partition(embedding: Array, edged: npt.NDArray[np.bool_], rng: np.random.Generator) -> Labels:
    """The embedding rounded; rows without edges, which cost nothing anywhere, join the cluster of the most rows."""
    labels = discretise(embedding, rng)
    labels[~edged] = np.bincount(labels[edged], minlength=1).argmax()
    return labels


def rank(affinity: Any, labels: Labels) -> tuple[int, float]:
    """What makes a partition good: all clusters used, then a small normalised cut."""
    return -len(np.unique(labels)), normalized_cut(affinity, labels)
