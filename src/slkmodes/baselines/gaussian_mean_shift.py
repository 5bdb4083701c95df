"""Gaussian mean shift: samples climb the kernel density of all samples; those that meet are a cluster."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.cluster import AgglomerativeClustering
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils import gen_batches
from threadpoolctl import threadpool_limits

from slkmodes.baselines.graph_clusterer import GraphClusterer
from slkmodes.graph import Graph
from slkmodes.mode_kernels import GaussianKernel, Modes
from slkmodes.mode_updates import nearest_members
from slkmodes.validation import check_integer, check_real, count_threads

Array = npt.NDArray[Any]
Labels = npt.NDArray[np.int64]

# All samples climb up to this number; of more, a random part of this size.
MOST_SEEDS = 2000
# End points closer than this part of the bandwidth are the same mode.
MERGE_RADIUS = 0.1
# Kernel values in memory at a time, by each thread: 16 MiB of float64.
POINTS_PER_BLOCK, ROWS_PER_BLOCK = 256, 8192


class GaussianMeanShift(GraphClusterer):
    """Mean shift with a Gaussian kernel (Cheng 1995; Comaniciu and Meer 2002): as many clusters as density modes.

    Every seed y moves to ``sum_p k(x_p, y) x_p / sum_p k(x_p, y)``, over all samples, until it stands still: at a
    mode of the kernel density. Seeds that end at the same mode are one cluster. There is no number of clusters to
    choose: the bandwidth decides it, and a narrow one leaves most samples on hills of their own.

    Parameters
    ----------
    bandwidth : float or "auto", default="auto"
        Width of the kernel. "auto": root mean squared distance to the ``n_neighbors`` nearest neighbours, which may
        leave many modes of few features (increase ``n_neighbors``) and a single one of many (give a number).
    n_seeds : int or None, default=None
        Samples that climb, drawn at random; the others join the nearest mode. None: all samples, or 2,000 of more.
        The time is proportional to ``n_seeds * n_samples``.
    max_iter : int, default=500
        Steps at most.
    tol : float, default=1e-4
        A seed stands still when it moves by no more than this part of the bandwidth.
    n_neighbors : int, default=5
        Neighbours whose distances "auto" takes the bandwidth from.
    affinity, symmetrize : str, default="adaptive" and "average"
        Edges of the graph, as in :class:`slkmodes.LaplacianKModes`; mean shift itself looks at no edge.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores. The answer does not depend on it.
    random_state : int, RandomState or Generator instance, or None, default=None
        Decides the seeds, where not all samples are.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The mode that each seed climbed to, or that is nearest to the sample; clusters are numbered by falling density.
    modes_ : ndarray of shape (n_clusters_, n_features)
        Where the density has maxima.
    mode_indices_ : ndarray of shape (n_clusters_,)
        The member nearest to each mode.
    n_clusters_ : int
        The number of modes.
    n_seeds_ : int
        How many samples climbed.
    bandwidth_ : float
        Width of the kernel.
    n_iter_ : int
        Steps of the slowest seed.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from slkmodes.baselines import GaussianMeanShift
    >>> X, _ = make_blobs(200, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    >>> GaussianMeanShift(bandwidth=1.0).fit(X).n_clusters_
    3
    """

    needs_features = True

    def __init__(
        self,
        bandwidth: float | str = "auto",
        *,
        n_seeds: int | None = None,
        max_iter: int = 500,
        tol: float = 1e-4,
        n_neighbors: int = 5,
        affinity: str = "adaptive",
        symmetrize: str = "average",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.n_seeds = n_seeds
        self.max_iter = max_iter
        self.tol = tol
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.symmetrize = symmetrize
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def _least_clusters(self) -> int:
        """How many there are is found."""
        return 1

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.n_seeds is not None:
            check_integer(self._owner, "n_seeds", self.n_seeds, minimum=2)
        check_integer(self._owner, "max_iter", self.max_iter)
        check_real(self._owner, "tol", self.tol)

    def _cluster(self, graph: Graph, rng: np.random.Generator) -> Labels:
        kernel = graph.kernel
        assert isinstance(kernel, GaussianKernel)  # the base class refuses graphs without features
        n_threads = count_threads(self._owner, self.n_jobs)
        n_seeds = min(self.n_seeds or MOST_SEEDS, kernel.n_samples)
        seeds = np.sort(rng.choice(kernel.n_samples, n_seeds, replace=False))
        with threadpool_limits(1, user_api="blas"):  # whose rounding depends on the number of threads
            ends, densities, n_iter, settled = climb(kernel, kernel.X[seeds], self.tol, self.max_iter, n_threads)
            modes, seed_labels = merge(ends, densities, MERGE_RADIUS * kernel.bandwidth)
            labels = pairwise_distances_argmin(kernel.X, modes)
        labels[seeds] = seed_labels
        self.modes_ = modes
        exemplars = nearest_members(kernel, Modes(np.full(len(modes), -1), modes), labels)
        self.mode_indices_ = graph.order.original(exemplars)
        self.n_clusters_ = len(modes)
        self.n_seeds_ = n_seeds
        self.bandwidth_ = kernel.bandwidth
        self.n_iter_ = n_iter
        if not settled:
            warnings.warn(
                f"{self._owner}: seeds still move after {self.max_iter} steps. Increase max_iter or tol.",
                ConvergenceWarning,
                stacklevel=4,  # whoever called fit
            )
        return labels


def climb(
    kernel: GaussianKernel, points: Array, tol: float, max_iter: int, n_threads: int
) -> tuple[Array, Array, int, bool]:
    """Where mean shift takes the points, the density there, in how many steps, and whether all stand still."""
    points, moving, n_iter = points.copy(), np.arange(len(points)), 0
    while len(moving) and n_iter < max_iter:
        n_iter += 1
        shifted, _ = mean_shift(kernel, points[moving], n_threads)
        moved = np.linalg.norm(shifted - points[moving], axis=1)
        points[moving] = shifted
        moving = moving[moved > tol * kernel.bandwidth]
    _, densities = mean_shift(kernel, points, n_threads)
    return points, densities, n_iter, not len(moving)


def mean_shift(kernel: GaussianKernel, points: Array, n_threads: int) -> tuple[Array, Array]:
    """One step of every point: the mean of all rows under the kernel around it, and the kernel's sum."""
    # The expanded square cancels badly far from the origin: move the origin among the rows.
    origin = kernel.X.mean(axis=0, dtype=np.float64).astype(kernel.dtype)

    def shift(block: slice) -> tuple[Array, Array]:
        around = points[block] - origin
        sums, mass = np.zeros(around.shape), np.zeros(len(around))
        for rows in gen_batches(kernel.n_samples, ROWS_PER_BLOCK):
            X = kernel.X[rows] - origin
            pull = rbf_kernel(around, X, gamma=kernel.gamma)
            sums += pull @ X
            mass += pull.sum(axis=1)
        # Never divided by 0: a point that climbs from a row keeps at least the row's own 1.
        return (sums / mass[:, None] + origin).astype(kernel.dtype), mass

    with ThreadPoolExecutor(n_threads) as pool:
        means, masses = zip(*pool.map(shift, gen_batches(len(points), POINTS_PER_BLOCK)), strict=True)
    return np.concatenate(means), np.concatenate(masses)


def merge(ends: Array, densities: Array, radius: float) -> tuple[Array, Labels]:
    """Modes by falling density, and the mode of every end point: connected parts of those within the radius."""
    linked = AgglomerativeClustering(n_clusters=None, linkage="single", distance_threshold=radius).fit(ends)
    by_density = np.argsort(-densities, kind="stable")
    parts, tops = np.unique(linked.labels_[by_density], return_index=True)
    ranks = np.empty(len(parts), dtype=np.int64)
    ranks[np.argsort(tops)] = np.arange(len(parts))
    return ends[by_density[np.sort(tops)]], ranks[linked.labels_]
