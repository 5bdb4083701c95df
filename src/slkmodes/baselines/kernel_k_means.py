"""Weighted kernel K-means: K-means in the space of a kernel, which may be a graph; its objective is then a cut."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.cluster import kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from threadpoolctl import threadpool_limits

from slkmodes.affinity import smallest_eigenvalue_bound
from slkmodes.baselines.graph_clusterer import GraphClusterer
from slkmodes.graph import Graph
from slkmodes.mode_kernels import GaussianKernel
from slkmodes.segmentation import absorb
from slkmodes.validation import check_integer, check_option

Array = npt.NDArray[Any]
Labels = npt.NDArray[np.int64]

# A dense kernel of more rows than this fills 800 MB of float64.
MOST_DENSE_ROWS = 10_000


class KernelKMeans(GraphClusterer):
    """Weighted kernel K-means (Dhillon, Guan and Kulis 2004), on features or on a graph.

    Minimises ``sum_p w_p |phi(x_p) - c_(label_p)|^2``, where ``c_l`` is the weighted mean of its members, by assigning
    all samples to their nearest centre again and again; distances need only the kernel. On a graph, with
    degrees for weights, the objective is the normalised cut less the number of clusters.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, K.
    kernel : {"auto", "gaussian", "graph", "linear"}, default="auto"
        "gaussian": of all pairs of samples, up to 10,000 samples. "graph": the sparse affinity. "linear": the inner
        product, which makes it K-means, also up to 10,000 samples. "auto": Gaussian up to that number, the graph
        beyond, for affinities that were given, and for inner products.
    weights : {"auto", "degree", "uniform"}, default="auto"
        "degree": weights are the row sums of the kernel, which is divided by them on both sides: normalised cut.
        "uniform": every sample counts one; on a graph, ratio association. "auto": degrees on a graph, else uniform.
    n_init : int, default=10
        Runs, of which the one with the lowest objective is kept.
    max_iter : int, default=300
        Assignments of all samples at most, in each stage of a run: on a graph there are three (see the notes).
    n_neighbors : int, default=5
        Neighbours of each sample in the graph; "auto" takes the bandwidth from their distances.
    affinity : {"adaptive", "binary", "gaussian", "local", "shared", "precomputed"}, default="adaptive"
        Weight of an edge, as in :class:`slkmodes.LaplacianKModes`.
    symmetrize : {"union", "mutual", "average", "none"}, default="average"
        What makes the graph symmetric; a directed one is read as the average of both directions.
    bandwidth : float or "auto", default="auto"
        Width of the Gaussian kernel. "auto": root mean squared distance to the neighbours.
    n_jobs : int or None, default=None
        Threads of the neighbour search. The answer does not depend on it.
    random_state : int, RandomState or Generator instance, or None, default=None
        Decides the first clusters: of features around k-means++ seeds, on a graph grown from random samples.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample.
    objective_ : float
        What is minimised, without the shift of a graph's diagonal, which adds the same to all clusterings.
    kernel_, weights_ : str
        What "auto" chose.
    diagonal_shift_ : float
        The shift that makes a graph positive semi-definite; 0 for the other kernels.
    bandwidth_ : float or None
        Width of the Gaussian; None for affinities that were given.
    n_iter_ : int
        Assignments in the run that was kept.

    Notes
    -----
    A graph has no diagonal, hence negative eigenvalues, and an assignment of all samples at once can raise the
    objective. Enough on the diagonal prevents that, but also holds samples where they are. So a run has three stages,
    with none of the sufficient shift, a half and all of it, and a stage ends where its next assignment would not lower
    the objective.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from slkmodes.baselines import KernelKMeans
    >>> X, y = make_blobs(200, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    >>> model = KernelKMeans(n_clusters=3, random_state=0).fit(X)
    >>> len(set(zip(y, model.labels_, strict=True)))  # each cloud has a cluster of its own
    3
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: str = "auto",
        weights: str = "auto",
        n_init: int = 10,
        max_iter: int = 300,
        n_neighbors: int = 5,
        affinity: str = "adaptive",
        symmetrize: str = "average",
        bandwidth: float | str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.weights = weights
        self.n_init = n_init
        self.max_iter = max_iter
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.symmetrize = symmetrize
        self.bandwidth = bandwidth
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_option(self._owner, "kernel", self.kernel, [*KERNELS, "auto"])
        check_option(self._owner, "weights", self.weights, ["auto", "degree", "uniform"])
        check_integer(self._owner, "n_init", self.n_init)
        check_integer(self._owner, "max_iter", self.max_iter)
        if self.kernel == "linear" and self.weights == "degree":
            raise ValueError(
                f"weights='degree' of {self._owner} needs a kernel that is nowhere negative, as 'linear' may be: set "
                "weights to 'uniform' or kernel to 'gaussian' or 'graph'."
            )

    def _cluster(self, graph: Graph, rng: np.random.Generator) -> Labels:
        name = self._choose_kernel(graph)
        weights = ("degree" if name == "graph" else "uniform") if self.weights == "auto" else self.weights
        with threadpool_limits(1, user_api="blas"):  # whose rounding depends on the number of threads
            kernel = weigh(KERNELS[name].matrix(graph), weights)
            starts = (KERNELS[name].start(graph, self.n_clusters, rng) for _ in range(self.n_init))
            runs = (descend(kernel, start, self.n_clusters, self.max_iter) for start in starts)
            best = min(runs, key=lambda run: run.clustering.objective)
        self.objective_ = best.clustering.objective
        self.kernel_ = name
        self.weights_ = weights
        self.diagonal_shift_ = kernel.shifts[-1]
        self.bandwidth_ = graph.bandwidth
        self.n_iter_ = best.n_iter
        if not best.settled:
            warnings.warn(
                f"{self._owner}: labels still change after {self.max_iter} assignments. Increase max_iter.",
                ConvergenceWarning,
                stacklevel=4,  # whoever called fit
            )
        return best.clustering.labels

    def _choose_kernel(self, graph: Graph) -> str:
        """The kernel asked for, if it can be had."""
        n_samples = graph.kernel.n_samples
        if self.kernel == "auto":
            return "gaussian" if graph.has_means and n_samples <= MOST_DENSE_ROWS else "graph"
        if self.kernel != "graph" and not graph.has_means:
            raise ValueError(
                f"kernel={self.kernel!r} of {self._owner} needs features with means; for affinities and "
                "inner products use 'graph'."
            )
        if self.kernel != "graph" and n_samples > MOST_DENSE_ROWS:
            raise ValueError(
                f"kernel={self.kernel!r} of {self._owner} is for at most {MOST_DENSE_ROWS} samples, all pairs of which "
                f"it holds in memory; got {n_samples}. Use kernel='graph'."
            )
        return self.kernel


class KernelChoice(NamedTuple):
    """A kernel by name: its matrix, and a first clustering that suits it."""

    matrix: Callable[[Graph], Any]
    start: Callable[[Graph, int, np.random.Generator], Labels]


def gaussian_matrix(graph: Graph) -> Array:
    """Kernel values of all pairs."""
    assert isinstance(graph.kernel, GaussianKernel)
    return np.asarray(rbf_kernel(centered_features(graph), gamma=graph.kernel.gamma))


def linear_matrix(graph: Graph) -> Array:
    """Inner products of all pairs."""
    return np.asarray(linear_kernel(centered_features(graph)))


def graph_matrix(graph: Graph) -> Any:
    """The symmetric part of the affinity."""
    W = sparse.csr_array(graph.affinity, dtype=np.float64)
    return sparse.csr_array((W + W.T) * 0.5)


def centered_features(graph: Graph) -> Array:
    """X around its mean: distances stay, and lose fewer digits."""
    assert isinstance(graph.kernel, GaussianKernel)
    X = graph.kernel.X
    return X - X.mean(axis=0, dtype=np.float64).astype(X.dtype)


def nearest_seeds(graph: Graph, n_clusters: int, rng: np.random.Generator) -> Labels:
    """The nearest of k-means++ seeds: near in space is near in the kernel, also where the kernel is all but 0."""
    X = centered_features(graph)
    seeds, _ = kmeans_plusplus(X, n_clusters, random_state=int(rng.integers(2**31 - 1)))
    return pairwise_distances_argmin(X, seeds).astype(np.int64)


def grown_seeds(graph: Graph, n_clusters: int, rng: np.random.Generator) -> Labels:
    """Random rows grown along the edges: beyond its neighbours a graph cannot say which seed is nearest."""
    labels, joined = np.full(graph.kernel.n_samples, -1), np.flatnonzero(np.diff(graph.affinity.indptr))
    candidates = joined if len(joined) >= n_clusters else np.arange(len(labels))
    labels[rng.choice(candidates, n_clusters, replace=False)] = np.arange(n_clusters)
    return absorb(graph.affinity, labels)


KERNELS = {
    "gaussian": KernelChoice(gaussian_matrix, nearest_seeds),
    "graph": KernelChoice(graph_matrix, grown_seeds),
    "linear": KernelChoice(linear_matrix, nearest_seeds),
}


class WeightedKernel(NamedTuple):
    """K and w. A shift s stands for ``K + s diag(1 / w)``: it adds the same number to the objective of any labels."""

    matrix: Any  # K, symmetric, dense or CSR
    weights: Array  # w, 0 for rows without edges
    shifts: tuple[float, ...]  # one for each stage; with the last the kernel is positive semi-definite


class Clustering(NamedTuple):
    """Labels, and what distances to the weighted means of the clusters are made of."""

    labels: Labels
    pull: Array  # n x K: sum of w_q K_pq over the members q of a cluster
    inside: Array  # sum of w_p w_q K_pq over all pairs of members
    mass: Array  # sum of w_p over the members
    objective: float


class Run(NamedTuple):
    """Where a run ended."""

    clustering: Clustering
    n_iter: int
    settled: bool


def weigh(matrix: Any, weights: str) -> WeightedKernel:
    """Kernel and weights; "degree" divides the matrix by its row sums, on both sides and in place."""
    n_samples = matrix.shape[0]
    degrees = matrix.sum(axis=1) if weights == "degree" else np.ones(n_samples, dtype=matrix.dtype)
    inverse = np.divide(1.0, degrees, out=np.zeros_like(degrees), where=degrees > 0)
    if isinstance(matrix, np.ndarray):
        matrix *= inverse[:, None]
        matrix *= inverse
        return WeightedKernel(matrix, degrees, shifts=(0.0,))
    root = sparse.diags_array(np.sqrt(inverse))
    normalized = root @ matrix @ root
    shift = max(0.0, -smallest_eigenvalue_bound(normalized)) if matrix.nnz else 0.0
    return WeightedKernel(sparse.csr_array(root @ normalized @ root), degrees, shifts=(0.0, shift / 2, shift))


def descend(kernel: WeightedKernel, labels: Labels, n_clusters: int, max_iter: int) -> Run:
    """Assign rows to their nearest centres while that lowers the objective, shift after shift."""
    now, n_iter = evaluate(kernel, fill_empty(labels, kernel.weights, n_clusters), n_clusters), 0
    for shift in kernel.shifts:
        for _ in range(max_iter):
            after = evaluate(kernel, assign(kernel, now, shift), n_clusters)
            n_iter += 1
            settled = after.objective >= now.objective
            if settled:
                break
            now = after
    return Run(now, n_iter, settled)


def evaluate(kernel: WeightedKernel, labels: Labels, n_clusters: int) -> Clustering:
    """The objective ``sum_p w_p K_pp - sum_l inside_l / mass_l``, and its parts; an empty cluster adds nothing."""
    matrix, weights, _ = kernel
    everyone = np.arange(len(labels))
    shares = np.zeros((len(labels), n_clusters), dtype=matrix.dtype)
    shares[everyone, labels] = weights
    pull = matrix @ shares
    inside = np.bincount(labels, weights * pull[everyone, labels], minlength=n_clusters)
    mass = np.bincount(labels, weights, minlength=n_clusters)
    kept = np.divide(inside, mass, out=np.zeros(n_clusters), where=mass > 0)
    return Clustering(labels, pull, inside, mass, float(weights @ matrix.diagonal() - kept.sum()))


def assign(kernel: WeightedKernel, now: Clustering, shift: float) -> Labels:
    """Every row to the nearest centre: ``|phi_p - c_l|^2 = K_pp - 2 pull_pl / mass_l + inside_l / mass_l^2``."""
    own = np.arange(len(now.labels)), now.labels
    pull = now.pull.copy()
    pull[own] += shift
    mass = np.where(now.mass > 0, now.mass, 1.0)
    squared = (now.inside / mass + shift - 2 * pull) / mass
    squared[:, now.mass == 0] = np.finfo(squared.dtype).max  # nothing is near a cluster whose rows weigh nothing
    labels = squared.argmin(axis=1)
    costs = kernel.weights * (kernel.matrix.diagonal() + squared.min(axis=1))
    costs[kernel.weights == 0] = -np.inf
    return fill_empty(labels, costs, len(now.mass))


def fill_empty(labels: Labels, costs: Array, n_clusters: int) -> Labels:
    """Give each empty cluster the row that costs most where it is, unless it is alone there: that lowers the sum."""
    labels, sizes = labels.copy(), np.bincount(labels, minlength=n_clusters)
    for cluster in np.flatnonzero(sizes == 0):
        crowd = np.flatnonzero(sizes[labels] > 1)
        row = crowd[costs[crowd].argmax()]
        sizes[labels[row]] -= 1
        sizes[cluster] = 1
        labels[row] = cluster
    return labels
