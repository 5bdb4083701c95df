"""LaplacianKModes: the scikit-learn estimator. Parameters and checks; the arithmetic is elsewhere."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from slkmodes import out_of_sample
from slkmodes.affinity import (
    SYMMETRIZERS,
    WEIGHTS,
    estimate_bandwidth,
    given_affinity,
    neighbor_affinity,
    sufficient_shift,
)
from slkmodes.engines import ENGINES, Engine, make_engine
from slkmodes.metrics import normalized_cut
from slkmodes.mode_kernels import GaussianKernel, GraphKernel, ModeKernel
from slkmodes.mode_updates import MODE_UPDATES
from slkmodes.neighbors import SEARCHES, NeighborIndex, choose_search
from slkmodes.problem import Method, Problem
from slkmodes.seeding import SEEDINGS, first_modes
from slkmodes.solution import Solution, State, Status
from slkmodes.solver import conclude, exemplars, iterate
from slkmodes.validation import (
    check_flag,
    check_init,
    check_integer,
    check_option,
    check_real,
    count_threads,
)

Array = npt.NDArray[Any]

OWNER = "LaplacianKModes"


class LaplacianKModes(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Scalable Laplacian K-modes: exactly K clusters of any shape, and a data row that stands for each.

    Minimises a concave-convex relaxation of "every sample is similar to the mode of its cluster, and
    neighbours share their cluster" (Ziko, Granger and Ben Ayed, NeurIPS 2018). Each sweep updates all
    memberships independently from a sparse neighbour graph, so the cost per sweep is linear in the samples.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, K.
    laplacian_weight : float, default=1.0
        How much neighbours pull on a sample (the paper's lambda), against its similarity to the modes. 0 leaves
        plain K-modes: every sample goes to the nearest mode. What matters is its product with the number of
        neighbours; the paper searches 1 to 4 with 5 neighbours.
    n_neighbors : int, default=5
        Neighbours of each sample in the graph, the sample itself not counted.
    affinity : {"binary", "gaussian", "precomputed"}, default="binary"
        Weight of an edge: 1 as in the paper, the kernel of the mode term, or the entries of X, a (sparse)
        matrix of non-negative affinities between all samples.
    symmetrize : {"union", "mutual", "average", "none"}, default="union"
        What makes the graph symmetric: an edge where either sample names the other (the larger weight), only
        where both do (the smaller), half the sum of both, or nothing (directed, as in the paper).
    diagonal_shift : float or "auto", default=0.0
        Added to the diagonal of the affinity (footnote to the paper's proposition 1). "auto" is the smallest
        shift for which no sweep can raise the relaxed objective, found from the graph; it needs a symmetric one.
    neighbor_search : {"auto", "kd_tree", "brute", "inverted_lists"}, default="auto"
        How neighbours are found. "auto": an exact tree up to 10 features, all pairs up to 10,000 samples, else
        approximate inverted lists by faiss, widened until a sample of samples finds 98 % of its neighbours.
        ``neighbor_search_`` and ``neighbor_recall_`` tell what was done.
    bandwidth : float or "auto", default="auto"
        Width of the Gaussian kernel of the mode term. "auto": root mean squared distance to the neighbours.
    mode_update : {"argmax", "mean_shift", "density"}, default="argmax"
        New modes from the memberships. "argmax" (SLK-BO): the sample with the largest membership. "mean_shift"
        (SLK-MS): the local maximum of the members' kernel density; a point of the space. "density": the sample
        at which that density is highest.
    warm_memberships : bool, default=False
        Whether the sweeps after a mode update go on from the memberships so far or, as in the paper's
        Algorithm 1, begin anew from the similarity to the modes. With True, ``mode_update="density"`` and
        ``diagonal_shift="auto"`` the relaxed objective never rises, from the first sweep to the last.
    init : {"k-means++", "random"}, array of K row numbers or array of shape (K, n_features), default="k-means++"
        First modes. Rules whose modes are samples start from the density modes of the seeds' assignment.
    n_init : int, default=1
        Runs from different seeds; of those with the fewest empty clusters the one with the lowest normalised cut of
        the graph is kept.
    empty_clusters : {"reseed", "keep"}, default="reseed"
        Whether a cluster that lost its last member is given a new mode, up to three times, or left alone.
    tol : float, default=1e-6
        The sweeps stop when the relaxed objective changes by less than this part of itself.
    max_iter : int, default=50
        Mode updates at most.
    max_sweeps : int, default=1000
        Sweeps between two mode updates at most.
    engine : {"auto", "native", "numpy"}, default="auto"
        Where the arithmetic happens. "auto": C++ where it could be built, else NumPy.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores. The answer does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Decides the seeds. The same number gives the same answer.
    verbose : int, default=0
        1 prints a line per stage and per mode update.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample, 0 to K - 1.
    memberships_ : ndarray of shape (n_samples, n_clusters)
        Soft memberships; rows add up to 1.
    modes_ : ndarray of shape (n_clusters, n_features), or None
        The mode of each cluster; None for a precomputed affinity.
    mode_indices_ : ndarray of shape (n_clusters,)
        The sample that is the mode; for "mean_shift" the member nearest to it.
    affinity_ : CSR array of shape (n_samples, n_samples)
        The graph.
    bandwidth_ : float or None
        Width of the kernel used; None for a precomputed affinity.
    diagonal_shift_ : float
        The shift used.
    relaxed_objective_, discrete_objective_ : float
        R of eq. (2) at the memberships and E of eq. (1) at the labels (see :mod:`slkmodes.objective`).
    history_ : tuple of Step
        Per mode update: ``relaxed_objectives`` before each sweep, ``mode_shifts``, ``cluster_sizes`` and
        ``reseeded`` clusters, of the run that was kept.
    n_iter_ : int
        Mode updates of the run that was kept.
    status_ : Status
        How that run ended.
    neighbor_search_, neighbor_recall_, engine_ : str, float, str
        What "auto" chose, and the part of the true neighbours found.
    timings_ : dict of str to float
        Seconds per stage.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    A new sample x gets ``softmax(k(x, modes) + laplacian_weight * sum_q w(x, q) memberships_[q])`` over its
    ``n_neighbors`` nearest training samples q, with the weights of ``affinity``. A sample equal to a training
    sample has that sample's own neighbours, hence its fitted memberships: ``predict`` on the training data
    returns ``labels_``. (If several training samples are equal, one of them answers for all.) With
    ``affinity="precomputed"`` new samples are rows of affinities to the training samples.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from slkmodes import LaplacianKModes
    >>> X, _ = make_moons(200, noise=0.05, random_state=0)
    >>> model = LaplacianKModes(n_clusters=2, n_init=5, random_state=0).fit(X)
    >>> model.modes_.shape, model.memberships_.shape
    ((2, 2), (200, 2))
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        laplacian_weight: float = 1.0,
        n_neighbors: int = 5,
        affinity: str = "binary",
        symmetrize: str = "union",
        diagonal_shift: float | str = 0.0,
        neighbor_search: str = "auto",
        bandwidth: float | str = "auto",
        mode_update: str = "argmax",
        warm_memberships: bool = False,
        init: Any = "k-means++",
        n_init: int = 1,
        empty_clusters: str = "reseed",
        tol: float = 1e-6,
        max_iter: int = 50,
        max_sweeps: int = 1000,
        engine: str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.laplacian_weight = laplacian_weight
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.symmetrize = symmetrize
        self.diagonal_shift = diagonal_shift
        self.neighbor_search = neighbor_search
        self.bandwidth = bandwidth
        self.mode_update = mode_update
        self.warm_memberships = warm_memberships
        self.init = init
        self.n_init = n_init
        self.empty_clusters = empty_clusters
        self.tol = tol
        self.max_iter = max_iter
        self.max_sweeps = max_sweeps
        self.engine = engine
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; or, with ``affinity="precomputed"``, affinities of shape (n_samples, n_samples), sparse or
            dense, non-negative. float32 is kept, everything else becomes float64.
        y : ignored
            For scikit-learn's sake.

        Returns
        -------
        LaplacianKModes
            The fitted estimator.
        """
        method = self._check_parameters()
        n_threads = count_threads(OWNER, self.n_jobs)
        engine = make_engine(self.engine, n_threads)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        self.timings_: dict[str, float] = {}
        precomputed = self.affinity == "precomputed"
        X = self._check_graph(X) if precomputed else self._check_features(X)
        init = check_init(
            OWNER,
            self.init,
            SEEDINGS,
            self.n_clusters,
            X.shape[0],
            None if precomputed else X.shape[1],
        )

        kernel = self._build_graph(X, n_threads)
        with self._stage("shift"):
            self.diagonal_shift_ = self._resolve_shift()
        problem = Problem(
            kernel,
            self.affinity_,
            self.n_clusters,
            float(self.laplacian_weight),
            self.diagonal_shift_,
        )
        with self._stage("solve"):
            solution = self._best_of_restarts(problem, method, engine, init, rng)
        self._store(problem, solution, engine)
        return self

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """Cluster of each row: the column of its largest membership.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples, or rows of affinities to the training samples for a precomputed affinity.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels, 0 to K - 1.
        """
        engine, X = self._prepare_new(X)
        extension = out_of_sample.extend(self._fitted, engine, X)
        labels = out_of_sample.memberships(self._fitted, extension).argmax(axis=1)
        known = extension.twin >= 0
        labels[known] = self.labels_[extension.twin[known]]
        return labels

    def predict_proba(self, X: Any) -> Array:
        """Memberships of each row; see the notes of the class for the rule.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            As in :meth:`predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Rows add up to 1.
        """
        engine, X = self._prepare_new(X)
        return out_of_sample.memberships(self._fitted, out_of_sample.extend(self._fitted, engine, X))

    def transform(self, X: Any) -> Array:
        """Similarity of each row to each mode, between 0 and 1 for features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            As in :meth:`predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            k(x, m_l).
        """
        engine, X = self._prepare_new(X)
        return out_of_sample.similarity_to_modes(self._fitted, engine, X)

    def score(self, X: Any, y: Any = None) -> float:
        """How well the model holds the rows: minus their mean share of the bound (5) at its minimum.

        ``mean_p log sum_l exp(k(x_p, m_l) + laplacian_weight * b_pl)``; higher is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            As in :meth:`predict`.
        y : ignored
            For scikit-learn's sake.

        Returns
        -------
        float
            The score.
        """
        engine, X = self._prepare_new(X)
        extension = out_of_sample.extend(self._fitted, engine, X)
        return float(np.mean(logsumexp(out_of_sample.logits(self._fitted, extension), axis=1)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        precomputed = self.affinity == "precomputed"
        tags.input_tags.pairwise = precomputed
        tags.input_tags.sparse = precomputed
        tags.input_tags.positive_only = precomputed
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.memberships_.shape[1])

    def _check_parameters(self) -> Method:
        for name in ("n_clusters", "n_neighbors", "n_init"):
            check_integer(OWNER, name, getattr(self, name))
        check_integer(OWNER, "verbose", int(self.verbose), minimum=0)
        check_real(OWNER, "laplacian_weight", self.laplacian_weight)
        check_real(OWNER, "diagonal_shift", self.diagonal_shift, word="auto")
        check_real(OWNER, "bandwidth", self.bandwidth, positive=True, word="auto")
        check_option(OWNER, "affinity", self.affinity, [*WEIGHTS, "precomputed"])
        check_option(OWNER, "symmetrize", self.symmetrize, SYMMETRIZERS)
        check_option(OWNER, "neighbor_search", self.neighbor_search, [*SEARCHES, "auto"])
        check_option(OWNER, "mode_update", self.mode_update, MODE_UPDATES)
        check_option(OWNER, "empty_clusters", self.empty_clusters, ["reseed", "keep"])
        check_option(OWNER, "engine", self.engine, [*ENGINES, "auto"])
        if self.affinity == "precomputed" and self.mode_update == "mean_shift":
            raise ValueError(
                f"mode_update='mean_shift' of {OWNER} needs features; with affinity='precomputed' use 'argmax' "
                "or 'density'."
            )
        return Method(
            mode_update=self.mode_update,
            warm_memberships=check_flag(OWNER, "warm_memberships", self.warm_memberships),
            reseed_empty=self.empty_clusters == "reseed",
            tol=float(check_real(OWNER, "tol", self.tol)),
            max_iter=check_integer(OWNER, "max_iter", self.max_iter),
            max_sweeps=check_integer(OWNER, "max_sweeps", self.max_sweeps),
        )

    def _check_features(self, X: Any) -> Array:
        X = validate_data(self, X, dtype=[np.float64, np.float32], order="C")
        self._check_enough_samples(len(X))
        if self.n_neighbors >= len(X):
            raise ValueError(
                f"n_neighbors={self.n_neighbors} of {OWNER} must be less than n_samples={len(X)}: a sample is not "
                "its own neighbour. Decrease n_neighbors."
            )
        return np.asarray(X)

    def _check_graph(self, X: Any) -> Any:
        X = validate_data(self, X, dtype=[np.float64, np.float32], accept_sparse="csr")
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                f"With affinity='precomputed' X must be square, affinities between all samples; got shape {X.shape}."
            )
        self._check_enough_samples(X.shape[0])
        return given_affinity(_check_non_negative(X), self.symmetrize)

    def _check_enough_samples(self, n_samples: int) -> None:
        if n_samples < self.n_clusters:
            raise ValueError(
                f"n_samples={n_samples} must be at least n_clusters={self.n_clusters}. Decrease n_clusters of {OWNER}."
            )

    def _build_graph(self, X: Any, n_threads: int) -> ModeKernel:
        """Set the graph and what is known of it; return the kernel of the mode term."""
        self._index: NeighborIndex | None = None
        if self.affinity == "precomputed":
            self.affinity_, self.bandwidth_ = X, None
            self.neighbor_search_, self.neighbor_recall_ = "precomputed", 1.0
            return GraphKernel(X)
        search = choose_search(*X.shape) if self.neighbor_search == "auto" else self.neighbor_search
        self._index = NeighborIndex(X, search, self.n_neighbors, n_threads)
        with self._stage("neighbors"):
            neighbors = self._index.graph()
        with self._stage("affinity"):
            auto = self.bandwidth == "auto"
            self.bandwidth_ = estimate_bandwidth(neighbors) if auto else float(self.bandwidth)
            self.affinity_ = neighbor_affinity(neighbors, self.affinity, self.symmetrize, self.bandwidth_)
        self.neighbor_search_, self.neighbor_recall_ = search, neighbors.recall
        self._say(
            f"graph: {search}, recall {neighbors.recall:.3f}, {self.affinity_.nnz / len(X):.1f} edges per sample, "
            f"bandwidth {self.bandwidth_:.4g}"
        )
        return GaussianKernel(X, self.bandwidth_)

    def _resolve_shift(self) -> float:
        if self.diagonal_shift != "auto":
            return float(self.diagonal_shift)
        if self.symmetrize == "none":
            raise ValueError(
                f"diagonal_shift='auto' of {OWNER} needs a symmetric affinity: set symmetrize to 'union', 'mutual' "
                "or 'average'."
            )
        return sufficient_shift(self.affinity_, float(self.laplacian_weight))

    def _best_of_restarts(
        self, problem: Problem, method: Method, engine: Engine, init: Any, rng: np.random.Generator
    ) -> Solution:
        placed = engine.place(problem)
        n_runs = self.n_init if isinstance(init, str) else 1  # given seeds give the same run again
        best: tuple[tuple[int, float], Solution] | None = None
        for run in range(1, n_runs + 1):
            seeds = first_modes(init, problem.kernel, problem.n_clusters, rng)
            states = iterate(problem, method, engine, placed, seeds, rng)
            solution = conclude(problem, engine, placed, self._narrate(run, states))
            # Fewer clusters always have the lower cut: a run that lost one may not win by it.
            n_empty = np.count_nonzero(solution.history[-1].cluster_sizes == 0)
            rank = (int(n_empty), normalized_cut(self.affinity_, solution.labels))
            if best is None or rank < best[0]:
                best = (rank, solution)
        assert best is not None  # n_init is at least 1
        return best[1]

    def _store(self, problem: Problem, solution: Solution, engine: Engine) -> None:
        self.labels_ = solution.labels
        self.memberships_ = solution.memberships
        self.mode_indices_ = exemplars(problem, solution)
        self.modes_ = solution.modes.points
        self.relaxed_objective_ = solution.relaxed_objective
        self.discrete_objective_ = solution.discrete_objective
        self.history_ = solution.history
        self.n_iter_ = len(solution.history)
        self.status_ = solution.status
        self.engine_ = engine.name
        self._fitted = out_of_sample.Fitted(problem, solution.modes, solution.memberships, self._index, self.affinity)
        if solution.status is not Status.CONVERGED:
            warnings.warn(f"{OWNER}: {solution.status.value}", ConvergenceWarning, stacklevel=3)

    def _prepare_new(self, X: Any) -> tuple[Engine, Any]:
        check_is_fitted(self)
        precomputed = self._fitted.index is None
        dtype = self._fitted.problem.kernel.dtype
        X = validate_data(
            self,
            X,
            reset=False,
            dtype=dtype,
            order="C",
            accept_sparse="csr" if precomputed else False,
        )
        engine = make_engine(self.engine_, count_threads(OWNER, self.n_jobs))
        return engine, _check_non_negative(X) if precomputed else np.asarray(X)

    def _narrate(self, run: int, states: Iterator[State]) -> Iterator[State]:
        for iteration, state in enumerate(states, start=1):
            step = state.step
            self._say(
                f"run {run}, mode update {iteration}: {len(step.relaxed_objectives)} sweeps, "
                f"R = {step.relaxed_objectives[-1]:.6g}, {np.count_nonzero(step.mode_shifts)} modes moved, "
                f"sizes {step.cluster_sizes.min()} to {step.cluster_sizes.max()}"
                + (f", {len(step.reseeded)} clusters reseeded" if step.reseeded else "")
            )
            yield state

    def _say(self, text: str) -> None:
        if self.verbose:
            print(f"[{OWNER}] {text}", flush=True)

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.timings_[name] = time.perf_counter() - start
        self._say(f"{name}: {self.timings_[name]:.2f} s")


def _check_non_negative(X: Any) -> Any:
    """A CSR array of affinities, each at least 0, with column numbers that exist."""
    from scipy import sparse

    X = sparse.csr_array(X)
    X.check_format(full_check=True)
    if X.nnz and X.data.min() < 0:
        raise ValueError(f"Negative values in X: affinities given to {OWNER} must be at least 0. Got {X.data.min()}.")
    return X
