"""K-modes: every row goes to its nearest mode, every mode climbs the density of its rows (no Laplacian term)."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from slkmodes.baselines.graph_clusterer import GraphClusterer
from slkmodes.centers import kmeans_cells
from slkmodes.engines import Engine, make_engine
from slkmodes.engines.numpy_engine import hard_labels
from slkmodes.graph import Graph
from slkmodes.mode_kernels import GaussianKernel, Modes
from slkmodes.mode_updates import MEAN_SHIFT_STEPS, MEAN_SHIFT_TOLERANCE, group_by_label, nearest_members
from slkmodes.problem import Problem
from slkmodes.seeding import reseed
from slkmodes.validation import check_features, check_integer, check_real, count_threads

Array = npt.NDArray[Any]
Labels = npt.NDArray[np.int64]

# The first bandwidth in units of the distance of rows to their means: wide enough for modes to be nearly means.
FIRST_BANDWIDTH = 3.0
# Alternations at bandwidths that are only passed: the modes need to follow, not to settle.
ON_THE_WAY = 5


class KModes(GraphClusterer):
    """K-modes by mean shift, from K-means down to the bandwidth (Carreira-Perpinan and Wang, arXiv 1304.6478).

    Maximises ``sum_p k(x_p, m_(label_p))`` over labels and modes, with a Gaussian k. At an infinite bandwidth that is
    K-means, which is where the path starts; the bandwidth then falls in even ratios to the one asked for, and at
    each of them rows are assigned to their nearest mode and modes climb to a maximum of their members' density in
    turn, from where they were.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, K.
    n_init : int, default=1
        Runs of K-means, the best of which starts the path.
    n_bandwidths : int, default=10
        Bandwidths on the path, the last being the one asked for.
    max_iter : int, default=100
        Alternations at most at the last bandwidth, and at most 5 at each before it.
    tol : float, default=1e-3
        The modes have settled when none moves by more than this part of the bandwidth.
    n_neighbors : int, default=5
        Neighbours whose distances "auto" takes the bandwidth from.
    affinity, symmetrize : str, default="adaptive" and "average"
        Edges of the graph, as in :class:`slkmodes.LaplacianKModes`; K-modes itself looks at no edge.
    bandwidth : float or "auto", default="auto"
        Width of the kernel. "auto": root mean squared distance to the neighbours.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores. The answer does not depend on it.
    random_state : int, RandomState or Generator instance, or None, default=None
        Decides the starts of K-means, and new modes for clusters without rows.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The mode nearest to each sample.
    modes_ : ndarray of shape (n_clusters, n_features)
        Maxima of the clusters' kernel densities.
    mode_indices_ : ndarray of shape (n_clusters,)
        The member nearest to each mode.
    bandwidth_ : float
        Width of the kernel at the end of the path.
    objective_ : float
        Sum of the kernel values between samples and their modes at that bandwidth; higher is better.
    n_iter_ : int
        Alternations, over all bandwidths.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from slkmodes.baselines import KModes
    >>> X, _ = make_blobs(200, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    >>> model = KModes(n_clusters=3, bandwidth=1.0, random_state=0).fit(X)
    >>> model.modes_.shape, model.mode_indices_.shape
    ((3, 2), (3,))
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    needs_features = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 1,
        n_bandwidths: int = 10,
        max_iter: int = 100,
        tol: float = 1e-3,
        n_neighbors: int = 5,
        affinity: str = "adaptive",
        symmetrize: str = "average",
        bandwidth: float | str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.n_bandwidths = n_bandwidths
        self.max_iter = max_iter
        self.tol = tol
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.symmetrize = symmetrize
        self.bandwidth = bandwidth
        self.n_jobs = n_jobs
        self.random_state = random_state

    def predict(self, X: Any) -> Labels:
        """The mode nearest to each row of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels, 0 to K - 1.
        """
        check_is_fitted(self)
        X = check_features(self._owner, self, X, reset=False, dtype=self.modes_.dtype)
        engine = make_engine("auto", count_threads(self._owner, self.n_jobs))
        modes = Modes(np.full(len(self.modes_), -1), self.modes_)
        return Landscape(engine, GaussianKernel(X, self.bandwidth_), len(self.modes_)).assign(modes).labels

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name in ("n_init", "n_bandwidths", "max_iter"):
            check_integer(self._owner, name, getattr(self, name))
        check_real(self._owner, "tol", self.tol)

    def _cluster(self, graph: Graph, rng: np.random.Generator) -> Labels:
        kernel = graph.kernel
        assert isinstance(kernel, GaussianKernel)  # the base class refuses graphs without features
        engine = make_engine("auto", count_threads(self._owner, self.n_jobs))
        state = start_from_means(engine, kernel.X, self.n_clusters, self.n_init, rng)
        widest = max(kernel.bandwidth, FIRST_BANDWIDTH * distance_to_modes(kernel, state))
        total = 0
        for bandwidth in np.geomspace(widest, kernel.bandwidth, self.n_bandwidths + 1)[1:].tolist():
            landscape = Landscape(engine, GaussianKernel(kernel.X, bandwidth), self.n_clusters)
            limit = self.max_iter if bandwidth == kernel.bandwidth else min(ON_THE_WAY, self.max_iter)
            state, n_iter, settled = landscape.alternate(landscape.revive(state, rng), limit, self.tol)
            total += n_iter
        self.modes_ = np.asarray(state.modes.points)
        self.mode_indices_ = graph.order.original(nearest_members(kernel, state.modes, state.labels))
        self.bandwidth_ = kernel.bandwidth
        self.objective_ = state.objective
        self.n_iter_ = total
        self.n_features_in_ = kernel.X.shape[1]  # a graph that was given has not been through validate_data
        self._warn(settled, self.n_clusters - len(np.unique(state.labels)))
        return state.labels

    def _warn(self, settled: bool, n_empty: int) -> None:
        if n_empty:
            what = f"{n_empty} of {self.n_clusters} clusters have no member. Decrease n_clusters."
        elif not settled:
            what = f"the modes still move after {self.max_iter} alternations. Increase max_iter or tol."
        else:
            return
        warnings.warn(f"{self._owner}: {what}", ConvergenceWarning, stacklevel=5)  # whoever called fit


class State(NamedTuple):
    """Modes, and the rows assigned to them."""

    modes: Modes
    labels: Labels
    objective: float = math.nan


@dataclass(frozen=True)
class Landscape:
    """The rows at one bandwidth: what clusters divide among themselves and modes climb on."""

    engine: Engine
    kernel: GaussianKernel
    n_clusters: int

    @cached_property
    def placed(self) -> Any:
        """A problem without edges."""
        edgeless = sparse.csr_array((self.kernel.n_samples, self.kernel.n_samples), dtype=self.kernel.dtype)
        return self.engine.place(Problem(self.kernel, edgeless, self.n_clusters, laplacian_weight=0.0))

    @cached_property
    def equal_memberships(self) -> Any:
        """Every row counts the same to mean shift, which sees ratios only: softmax over K times the same mode."""
        same = self.kernel.modes_at(np.zeros(self.n_clusters, dtype=np.int64))
        return self.engine.start(self.placed, self.engine.similarity(self.placed, same))

    def climb(self, state: State, max_steps: int = MEAN_SHIFT_STEPS) -> Modes:
        """Mean shift of every mode over the rows assigned to it; without rows a mode stays."""
        assert state.modes.points is not None
        groups = group_by_label(state.labels, self.n_clusters)
        tolerance = MEAN_SHIFT_TOLERANCE * self.kernel.bandwidth
        points = self.engine.mean_shift(
            self.placed, self.equal_memberships, groups, state.modes.points, tolerance, max_steps
        )
        return Modes(np.full(self.n_clusters, -1), points)

    def assign(self, modes: Modes) -> State:
        """Every row to its nearest mode."""
        similarity = self.engine.fetch(self.engine.similarity(self.placed, modes))
        labels = hard_labels(similarity, self.kernel, modes)  # by distance, where the kernel cannot tell
        own = np.take_along_axis(similarity, labels[:, None], axis=1)
        return State(modes, labels, float(own.sum(dtype=np.float64)))

    def revive(self, state: State, rng: np.random.Generator) -> State:
        """Move the modes of clusters without rows to rows far from all modes."""
        empty = np.flatnonzero(np.bincount(state.labels, minlength=self.n_clusters) == 0)
        if not len(empty):
            return state
        closest = self.engine.fetch(self.engine.similarity(self.placed, state.modes)).max(axis=1)
        return self.assign(reseed(self.kernel, closest, state.modes, empty, rng))

    def alternate(self, state: State, max_iter: int, tol: float) -> tuple[State, int, bool]:
        """Modes and labels in turn, neither of which lowers the objective; how often, and whether they settled."""
        for n_iter in range(1, max_iter + 1):
            before, state = state, self.assign(self.climb(state))
            if np.all(state.modes.moved_from(before.modes) <= tol * self.kernel.bandwidth):
                return state, n_iter, True
        return state, max_iter, False


def start_from_means(engine: Engine, X: Array, n_clusters: int, n_init: int, rng: np.random.Generator) -> State:
    """K-means and its means, which are the modes at an infinite bandwidth."""
    labels = kmeans_cells(X, n_clusters, rng, n_rows=len(X), n_init=n_init)
    flat = GaussianKernel(X, math.inf)
    anywhere = State(flat.modes_at(np.arange(n_clusters)), labels)
    return State(Landscape(engine, flat, n_clusters).climb(anywhere, max_steps=1), labels)


def distance_to_modes(kernel: GaussianKernel, state: State) -> float:
    """Root mean squared distance of the rows to their modes."""
    assert state.modes.points is not None
    groups = group_by_label(state.labels, len(state.modes.points))
    total = 0.0
    for cluster, point in enumerate(state.modes.points):
        total += float(kernel.squared_distances(kernel.X[groups.members(cluster)], point[None]).sum())
    return math.sqrt(total / kernel.n_samples)
