"""LK: Laplacian K-modes by a convex relaxation of the assignment (Wang and Carreira-Perpinan, arXiv 1406.3895)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from slkmodes.baselines.convex_assignment import Assignment, LaplacianTerm, solve
from slkmodes.baselines.graph_clusterer import GraphClusterer
from slkmodes.engines import make_engine
from slkmodes.engines.numpy_engine import NumpyEngine, hard_labels
from slkmodes.engines.protocol import Groups
from slkmodes.graph import Graph
from slkmodes.mode_kernels import GaussianKernel, Modes
from slkmodes.mode_updates import MEAN_SHIFT_STEPS, MEAN_SHIFT_TOLERANCE, nearest_members
from slkmodes.objective import discrete_objective
from slkmodes.problem import Problem
from slkmodes.seeding import starts
from slkmodes.validation import check_init, check_integer, check_reach, check_real, count_threads

Array = npt.NDArray[Any]
Labels = npt.NDArray[np.int64]

INITS = ("k-means++", "random")


class Ending(Enum):
    """How a fit ended; the value is the sentence a user reads."""

    CONVERGED = "The objective stopped falling."
    ITERATION_LIMIT = "The objective was still falling after max_iter mode updates. Increase max_iter or tol."
    INNER_LIMIT = "The last memberships were not optimal to tol after max_inner steps. Increase max_inner or tol."
    EMPTY_CLUSTERS = "Some clusters have no member. Decrease laplacian_weight or n_clusters, or give another init."

    def __str__(self) -> str:
        return self.value


class ConvexLaplacianKModes(GraphClusterer):
    """Laplacian K-modes with memberships relaxed to the simplex, a convex problem for fixed modes (LK).

    Minimises ``-sum_pl z_pl k(x_p, m_l) + (laplacian_weight / 2) sum_pairs w_pq |z_p - z_q|^2`` in turn over the
    memberships, to their optimum by accelerated projected gradients, and over the modes, by mean shift of all samples
    weighted by their memberships. At hard memberships it is E of :func:`slkmodes.objective.discrete_objective`: the
    weight means what it means in :class:`slkmodes.LaplacianKModes`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, K.
    laplacian_weight : float, default=0.1
        How much neighbours pull on a sample (lambda), against its similarity to the modes. 0 leaves K-modes; under
        a large weight clusters die.
    init : {"k-means++", "random"} or array, default="k-means++"
        First modes: by name, K row numbers, or points of shape (K, n_features).
    max_iter : int, default=50
        Mode updates at most.
    max_inner : int, default=5000
        Steps to the optimal memberships at most, for each set of modes.
    tol : float, default=1e-6
        KKT residual of the memberships, and the part of itself by which the objective has to fall for another mode
        update.
    n_neighbors : int, default=5
        Neighbours of each sample in the graph, the sample itself not counted.
    affinity, symmetrize : str, default="adaptive" and "average"
        Edges of the graph, as in :class:`slkmodes.LaplacianKModes`.
    bandwidth : float or "auto", default="auto"
        Width of the Gaussian kernel. "auto": root mean squared distance to the neighbours.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores. The answer does not depend on it.
    random_state : int, RandomState or Generator instance, or None, default=None
        Decides the first modes.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The largest membership; of equal ones, that of the nearest mode.
    memberships_ : ndarray of shape (n_samples, n_clusters)
        Z; rows on the simplex.
    modes_ : ndarray of shape (n_clusters, n_features)
        The modes.
    mode_indices_ : ndarray of shape (n_clusters,)
        The member nearest to each mode.
    relaxed_objective_ : float
        The minimum found.
    discrete_objective_ : float
        E of eq. (1) at the labels and modes.
    kkt_residual_ : float
        ``|Z - P(Z - gradient)| / |Z|`` with P the projection onto the simplex: 0 where Z is optimal for the modes.
    history_ : tuple of float
        The relaxed objective for the first modes and after every mode update; it rises by rounding at most.
    n_iter_ : int
        Mode updates.
    status_ : Ending
        How the fit ended.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from slkmodes.baselines import ConvexLaplacianKModes
    >>> X, _ = make_blobs(200, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    >>> model = ConvexLaplacianKModes(n_clusters=3, laplacian_weight=0.5, random_state=0).fit(X)
    >>> model.memberships_.shape, model.kkt_residual_ < 1e-6, str(model.status_)
    ((200, 3), True, 'The objective stopped falling.')
    """

    needs_features = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        laplacian_weight: float = 0.1,
        init: Any = "k-means++",
        max_iter: int = 50,
        max_inner: int = 5000,
        tol: float = 1e-6,
        n_neighbors: int = 5,
        affinity: str = "adaptive",
        symmetrize: str = "average",
        bandwidth: float | str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.laplacian_weight = laplacian_weight
        self.init = init
        self.max_iter = max_iter
        self.max_inner = max_inner
        self.tol = tol
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.symmetrize = symmetrize
        self.bandwidth = bandwidth
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_integer(self._owner, "max_iter", self.max_iter)
        check_integer(self._owner, "max_inner", self.max_inner)
        check_real(self._owner, "laplacian_weight", self.laplacian_weight)
        check_real(self._owner, "tol", self.tol, positive=True)

    def _cluster(self, graph: Graph, rng: np.random.Generator) -> Labels:
        problem = Problem(graph.kernel, graph.affinity, self.n_clusters, float(self.laplacian_weight))
        check_reach(self._owner, problem.laplacian_weight, problem.affinity, 0.0, np.float64)
        engine = make_engine("auto", count_threads(self._owner, self.n_jobs))
        assert isinstance(engine, NumpyEngine)  # all are, so far: they can hold memberships found elsewhere
        with threadpool_limits(1, user_api="blas"):  # whose rounding depends on the number of threads
            modes = self._first_modes(graph, problem, engine, rng)
            history = []
            for state in alternate(problem, engine, modes, self.tol, self.max_iter, self.max_inner):
                history.append(state.objective)
        self.history_ = tuple(history)
        self._store(graph, problem, state)
        return state.labels

    def _first_modes(self, graph: Graph, problem: Problem, engine: NumpyEngine, rng: np.random.Generator) -> Modes:
        assert isinstance(graph.kernel, GaussianKernel)  # the base class refuses graphs without features
        init = check_init(self._owner, self.init, INITS, self.n_clusters, *graph.kernel.X.shape)
        if isinstance(init, np.ndarray) and init.ndim == 1:
            init = graph.order.working(init)
        modes = next(starts(init, 1, engine, problem, rng)).modes
        assert modes is not None  # none of these seedings is a clustering
        return modes

    def _store(self, graph: Graph, problem: Problem, end: State) -> None:
        similarity, labels = end.assignment.similarity, end.labels
        self.memberships_ = graph.order.restore(end.memberships)
        self.modes_ = end.modes.points
        self.mode_indices_ = graph.order.original(nearest_members(problem.kernel, end.modes, labels))
        self.relaxed_objective_ = end.objective
        self.discrete_objective_ = discrete_objective(similarity, graph.affinity, labels, problem.laplacian_weight)
        self.kkt_residual_ = end.assignment.kkt_residual(end.memberships)
        self.n_iter_ = len(self.history_) - 1
        self.status_ = self._ending(len(np.unique(labels)))
        if self.status_ is not Ending.CONVERGED:
            warnings.warn(f"{self._owner}: {self.status_}", ConvergenceWarning, stacklevel=5)  # whoever called fit

    def _ending(self, n_used: int) -> Ending:
        if n_used < self.n_clusters:
            return Ending.EMPTY_CLUSTERS
        if self.kkt_residual_ > self.tol:
            return Ending.INNER_LIMIT
        return Ending.CONVERGED if settled(self.history_, self.tol) else Ending.ITERATION_LIMIT


class State(NamedTuple):
    """Modes, the memberships that are best for them, and the value of both."""

    modes: Modes
    assignment: Assignment
    memberships: Array
    labels: Labels
    objective: float


def alternate(
    problem: Problem, engine: NumpyEngine, modes: Modes, tol: float, max_iter: int, max_inner: int
) -> Iterator[State]:
    """Memberships and modes in turn, from given modes until the objective stops falling."""
    placed = engine.place(problem)
    term = LaplacianTerm.of(problem.affinity, problem.laplacian_weight)
    Z, objectives = None, []
    for _ in range(max_iter + 1):
        assignment = Assignment(term, engine.fetch(engine.similarity(placed, modes)).astype(np.float64))
        if Z is None or problem.laplacian_weight == 0:  # without a Laplacian term the nearest mode is the optimum
            Z = np.eye(problem.n_clusters)[hard_labels(assignment.similarity, problem.kernel, modes)]
        Z = solve(assignment, Z, tol, max_inner)
        objectives.append(assignment.objective(Z))
        yield State(modes, assignment, Z, hard_labels(Z, problem.kernel, modes), objectives[-1])
        if settled(objectives, tol):
            return
        modes = shift_modes(problem, engine, placed, Z, modes)


def settled(objectives: Sequence[float], tol: float) -> bool:
    """Whether the last mode update lowered the objective too little for another."""
    return len(objectives) > 1 and objectives[-2] - objectives[-1] <= tol * abs(objectives[-1])


def shift_modes(problem: Problem, engine: NumpyEngine, placed: Any, Z: Array, modes: Modes) -> Modes:
    """Mean shift over all samples that have a share in the cluster, so that the objective cannot rise."""
    assert modes.points is not None
    clusters, rows = divmod(np.flatnonzero(Z.T), len(Z))
    groups = Groups(rows, np.searchsorted(clusters, np.arange(problem.n_clusters + 1)))
    tolerance = MEAN_SHIFT_TOLERANCE * problem.kernel.scale
    points = engine.mean_shift(placed, engine.hold(placed, Z), groups, modes.points, tolerance, MEAN_SHIFT_STEPS)
    return Modes(np.full(problem.n_clusters, -1), points)
