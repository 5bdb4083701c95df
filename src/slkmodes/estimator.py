"""LaplacianKModes: the scikit-learn estimator. Parameters and checks; the arithmetic is elsewhere."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import logsumexp
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from slkmodes import out_of_sample
from slkmodes.affinity import SYMMETRIZERS, WEIGHTS, automatic_balance, sufficient_shift
from slkmodes.distances import METRICS
from slkmodes.engines import ENGINES, Engine, make_engine
from slkmodes.graph import Graph, graph_of_affinities, graph_of_features
from slkmodes.mode_updates import MODE_UPDATES
from slkmodes.neighbors import SEARCHES, TARGET_RECALL
from slkmodes.problem import Method, Problem
from slkmodes.restarts import FindStarts, Narrate, Run, best_run
from slkmodes.seeding import SEEDINGS, starts
from slkmodes.solution import State, Status
from slkmodes.solver import exemplars
from slkmodes.telling import Verbose, teller
from slkmodes.validation import (
    all_or_nothing,
    check_affinities,
    check_extent,
    check_features,
    check_flag,
    check_init,
    check_integer,
    check_option,
    check_reach,
    check_real,
    check_sizes,
    check_weights,
    count_threads,
    make_generator,
)
from slkmodes.weight_path import Schedule, schedule_of

Array = npt.NDArray[Any]

OWNER = "LaplacianKModes"
# New samples times clusters that are looked at together: 256 MiB of float64.
EXTENDED_NUMBERS = 1 << 25


def stacked(blocks: Iterable[Array], few: bool) -> Any:
    """Blocks of memberships as one array; as CSR, block by block, where most of them are 0."""
    if not few:
        return np.concatenate(list(blocks))
    return sparse.vstack([sparse.csr_array(block) for block in blocks], format="csr")


class LaplacianKModes(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Scalable Laplacian K-modes: exactly K clusters of any shape, and a data row that stands for each.

    Minimises a concave-convex relaxation of "every sample is similar to the mode of its cluster, and
    neighbours share their cluster" (Ziko, Granger and Ben Ayed, NeurIPS 2018). Each sweep updates all
    memberships independently from a sparse neighbour graph, so the cost per sweep is linear in the samples.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, K.
    laplacian_weight : "auto", float, or sequence of floats, default="auto"
        How much neighbours pull on a sample (the paper's lambda), against its similarity to the modes. "auto": a path
        of growing weights, each solved from where the one before ended, from the weight at which clusters of this
        graph can hold to the one at which samples are certain of their cluster and labels no longer change. A
        number: that weight alone, as in the paper, which searches 1 to 4 with 5 neighbours; 0 leaves plain K-modes. A
        sequence: these weights one after the other.
    balance : float or "auto", default="auto"
        How much equal cluster sizes are worth: weight of ``n_samples * sum_l pi_l log(pi_l)`` in the relaxed objective,
        with the mean memberships pi_l; 0 is the paper's model. Useful up to 10 or so: a strong balance moves slowly.
        "auto": 0.1, or 0 where the graph falls apart into many more pieces than clusters.
    n_neighbors : int, default=5
        Neighbours of each sample in the graph, the sample itself not counted.
    affinity : {"adaptive", "binary", "gaussian", "local", "shared", "precomputed"}, default="adaptive"
        Weight of an edge. "adaptive": a half for each of the ``n_neighbors`` nearest, and a half for each of the
        ``n_neighbors`` that are nearest relative to the local scale, of three times as many. The others: 1 as in the
        paper, the kernel of the mode term, a Gaussian as wide as the neighbourhoods of both ends, the share of
        neighbours both ends have in common, or the entries of X, a (sparse) matrix of non-negative affinities between
        all samples (high for similar samples: not distances).
    symmetrize : {"union", "mutual", "average", "none"}, default="average"
        What makes the graph symmetric: an edge where either sample names the other (the larger weight), only
        where both do (the smaller), half the sum of both, so that mutual neighbours count twice, or nothing
        (directed, as in the paper).
    diagonal_shift : float or "auto", default=0.0
        Added to the diagonal of the affinity (footnote to the paper's proposition 1). "auto" is the smallest
        shift for which no sweep can raise the relaxed objective, found from the graph; it needs a symmetric one. On
        the automatic path of weights the shift is raised where sweeps would swing to and fro.
    metric : {"euclidean", "cosine", "inner_product"}, default="euclidean"
        Distance between samples, for the graph and for the modes. "cosine": the Euclidean distance of samples scaled to
        unit length, in whose order their angles are; ``modes_`` are such samples. "inner_product": the larger the inner
        product of two samples, the nearer they are: the root of ``2 * (r**2 - x @ y)`` with r the length of the longest
        sample, which makes the kernel of the modes ``exp((x @ y - r**2) / bandwidth**2)``; long samples are near to
        many. Ignored for a precomputed affinity.
    neighbor_search : {"auto", "kd_tree", "brute", "nn_descent", "inverted_lists"}, default="auto"
        How neighbours are found. "auto": an exact tree up to 10 features, all pairs up to 10,000 samples, else
        approximate NN-descent (without the C++ kernels: inverted lists by faiss). ``neighbor_search_`` and
        ``neighbor_recall_`` tell what was done.
    recall : float, default=0.98
        Part of the true neighbours that an approximate search shall find, measured on a sample of the samples.
    bandwidth : float or "auto", default="auto"
        Width of the Gaussian kernel of the mode term. "auto": root mean squared distance to the neighbours.
    mode_update : {"argmax", "mean_shift", "density"}, default="argmax"
        New modes from the memberships. "argmax" (SLK-BO): the sample with the largest membership. "mean_shift"
        (SLK-MS): the local maximum of the members' kernel density; a point of the space. "density": the sample
        at which that density is highest.
    warm_memberships : bool, default=False
        Whether the sweeps after a mode update go on from the memberships so far or, as in the paper's
        Algorithm 1, begin anew from the similarity to the modes; from a first clustering
        (``init`` "auto" to "density_peaks") they always go on. With
        True, ``mode_update="density"``, ``diagonal_shift="auto"`` and ``empty_clusters="keep"`` the relaxed
        objective never rises, from the first sweep to the last.
    top_memberships : int or None, default=None
        How many memberships of each sample are kept, the largest; None: all. For clusters by the thousand: memory and
        time then grow with this number instead of ``n_clusters``, and ``memberships_`` is a CSR matrix. 16 loses
        little. Similarities to modes that are not among the nearest count as 0, so that mode updates, unlike sweeps,
        may raise the objective a little.
    init : {"auto", "graph", "smoothed_features", "density_peaks", "k-means++", "k-means", "random"} or array
        Where a run starts; "auto" by default. "graph": a first clustering from the edges alone; several segmentations
        of the graph are merged into K groups that describe it shortly and cut it little, then combined.
        "smoothed_features": k-means on features averaged over the graph. "density_peaks": around dense samples far from
        denser ones. "auto": the graph, unless it falls apart into many more pieces than clusters (density peaks), or
        the clusterings that were to be combined contradict each other (smoothed features). The others, the paper's
        k-means++ and the means that k-means reaches from there among them, are first modes: rules whose modes are
        samples start from the density modes of the samples nearest to each. An array gives them: K row numbers, or
        points of shape (K, n_features).
    n_init : int or "auto", default="auto"
        For "auto" and "graph" the number of clusterings that are combined into one start. For the others the number
        of runs: of those with the fewest empty clusters the one whose labels describe the graph best is kept, by the
        measure that the graph is merged by. "auto": 4, 4, 1, 1, 10, 10 and 10, in the order above.
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
        Threads; None and -1 mean all cores, or as many as OMP_NUM_THREADS says. The answer does not depend on it.
        As with scikit-learn's own OpenMP code, a process that was forked after a fit on several threads must not
        fit again: start it by spawn, or use joblib.
    random_state : int, RandomState or Generator instance, or None, default=None
        Decides the seeds. The same number gives the same answer.
    verbose : int or callable, default=0
        1 prints a line per stage and per mode update; a function is called with each line instead.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample, 0 to K - 1.
    memberships_ : ndarray or CSR array of shape (n_samples, n_clusters)
        Soft memberships; rows add up to 1. CSR with ``top_memberships``.
    modes_ : ndarray of shape (n_clusters, n_features), or None
        The mode of each cluster; None for a precomputed affinity.
    mode_indices_ : ndarray of shape (n_clusters,)
        The sample that is the mode; for "mean_shift" the member nearest to it.
    laplacian_weight_ : float
        The last weight, the one everything else belongs to.
    balance_ : float
        The balance used.
    path_ : tuple of PathPoint
        Per weight: ``weight``, ``certainty`` (mean of the largest membership), ``relaxed_objective``,
        ``normalized_cut``, ``changed`` (share of labels that differ from the weight before, or from the first
        clustering; NaN where there is none) and ``n_iter``.
    init_ : str
        How the run that was kept started; "given" for an array.
    agreement_ : float or None
        Mean adjusted Rand index between the clusterings that were combined; low where no clusters stand out.
    affinity_ : CSR array of shape (n_samples, n_samples)
        The graph.
    bandwidth_ : float or None
        Width of the kernel used; None for a precomputed affinity.
    diagonal_shift_ : float
        The shift used.
    relaxed_objective_, discrete_objective_ : float
        R of eq. (2) at the memberships and E of eq. (1) at the labels (see :mod:`slkmodes.objective`).
    history_ : tuple of Step
        Per mode update at the last weight: ``relaxed_objectives`` before each sweep, ``mode_shifts``,
        ``cluster_sizes`` and ``reseeded`` clusters, of the run that was kept.
    n_iter_ : int
        Mode updates at the last weight of the run that was kept.
    status_ : Status
        How that run ended.
    neighbor_search_, neighbor_recall_, engine_ : str, float, str
        What "auto" chose, and the part of the true neighbours found.
    timings_ : dict of str to float
        Seconds per stage; "index" is for what new samples need.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    A new sample x gets ``softmax(k(x, modes) + laplacian_weight_ * sum_q w(x, q) memberships_[q])`` over its
    ``n_neighbors`` nearest training samples q, with the weights of ``affinity``. A sample equal to a training
    sample has that sample's own neighbours, hence its fitted memberships: ``predict`` on the training data
    returns ``labels_``. (If several training samples are equal, one of them answers for all.) With
    ``affinity="precomputed"`` new samples are rows of affinities to the training samples, taken as they are: nobody
    knows which of them are training samples, so that promise holds for features only.

    Features should be on comparable scales (StandardScaler), or their directions be all that matters
    (``metric="cosine"``). Every sample gets a cluster: there is no noise label. X is kept; of many samples
    with few features (20,000 and 128) a copy is, in an order that suits the caches; with another metric than
    the Euclidean what it makes of X is.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from slkmodes import LaplacianKModes
    >>> X, _ = make_moons(200, noise=0.05, random_state=0)
    >>> model = LaplacianKModes(n_clusters=2, random_state=0).fit(X)
    >>> model.modes_.shape, model.memberships_.shape
    ((2, 2), (200, 2))
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        laplacian_weight: Any = "auto",
        balance: float | str = "auto",
        n_neighbors: int = 5,
        affinity: str = "adaptive",
        symmetrize: str = "average",
        diagonal_shift: float | str = 0.0,
        metric: str = "euclidean",
        neighbor_search: str = "auto",
        recall: float = TARGET_RECALL,
        bandwidth: float | str = "auto",
        mode_update: str = "argmax",
        warm_memberships: bool = False,
        top_memberships: int | None = None,
        init: Any = "auto",
        n_init: int | str = "auto",
        empty_clusters: str = "reseed",
        tol: float = 1e-6,
        max_iter: int = 50,
        max_sweeps: int = 1000,
        engine: str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: Verbose = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.laplacian_weight = laplacian_weight
        self.balance = balance
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.symmetrize = symmetrize
        self.diagonal_shift = diagonal_shift
        self.metric = metric
        self.neighbor_search = neighbor_search
        self.recall = recall
        self.bandwidth = bandwidth
        self.mode_update = mode_update
        self.warm_memberships = warm_memberships
        self.top_memberships = top_memberships
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
        timings: dict[str, float] = {}
        with all_or_nothing(self):
            self._fit_graph(self._graph_of(X, timings), timings)
            index = self._fitted.index
            if index is not None and not index.is_exact:
                with self._stage("index", timings):
                    index.get_ready(count_threads(OWNER, self.n_jobs))
        return self

    def fit_predict(self, X: Any, y: Any = None) -> npt.NDArray[np.int64]:
        """Cluster the rows of X and return their labels; what new samples need is prepared when there are some.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            As in :meth:`fit`.
        y : ignored
            For scikit-learn's sake.

        Returns
        -------
        ndarray of shape (n_samples,)
            ``labels_``.
        """
        timings: dict[str, float] = {}
        with all_or_nothing(self):
            self._fit_graph(self._graph_of(X, timings), timings)
        return self.labels_

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
        return np.concatenate([out_of_sample.labels(self._fitted, seen, rows) for rows, seen in self._extend(X)])

    def predict_proba(self, X: Any) -> Array:
        """Memberships of each row; see the notes of the class for the rule.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            As in :meth:`predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Rows add up to 1. CSR with ``top_memberships``.
        """
        check_is_fitted(self)
        blocks = (out_of_sample.memberships(self._fitted, seen) for _, seen in self._extend(X))
        return stacked(blocks, self._fitted.top_memberships is not None)

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
        X = self._check_new(X)
        engine = make_engine(self.engine_, count_threads(OWNER, self.n_jobs))
        return out_of_sample.similarity_to_modes(self._fitted, engine, X)

    def score(self, X: Any, y: Any = None) -> float:
        """How well the model holds the rows: minus their mean share of the bound (5) at its minimum.

        ``mean_p log sum_l exp(k(x_p, m_l) + laplacian_weight * b_pl)``; higher is better for the same parameters.
        It grows with ``laplacian_weight``, ``n_neighbors`` and ``n_clusters`` by itself: to choose between values of
        those, compare labels by :func:`slkmodes.normalized_cut` or a silhouette instead.

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
        return float(np.mean(np.concatenate([logsumexp(seen.logits, axis=1) for _, seen in self._extend(X)])))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fitted")

    @property
    def _repr_html_(self) -> Any:
        """What a notebook shows: scikit-learn's diagram or, once fitted, a small report."""
        diagram = super()._repr_html_  # there is no such attribute where scikit-learn is set to display text
        if not hasattr(self, "_fitted"):
            return diagram
        from slkmodes.report.notebook import summary_html

        return lambda: summary_html(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """The same: notebooks ask for this first, and scikit-learn's own would show the diagram."""
        shown = {"text/plain": repr(self)}
        if hasattr(self, "_repr_html_"):
            shown["text/html"] = self._repr_html_()
        return shown

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        precomputed = self.affinity == "precomputed"
        tags.input_tags.pairwise = precomputed
        tags.input_tags.sparse = precomputed
        tags.input_tags.positive_only = precomputed
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def affinity_(self) -> Any:
        """The graph, in the order of X."""
        if not hasattr(self, "_fitted"):
            raise AttributeError(f"This {OWNER} is not fitted yet: affinity_ is what a fit finds.")
        return self._fitted.order.restore_graph(self._fitted.problem.affinity)

    @property
    def _n_features_out(self) -> int:
        return int(self.memberships_.shape[1])

    def _graph_of(self, X: Any, timings: dict[str, float]) -> Graph:
        """Check parameters and data and build the graph: the part of a fit that other fits may share."""
        self._check_parameters()
        X = self._check_X(X)
        n_features = None if self.affinity == "precomputed" else X.shape[1]
        check_init(OWNER, self.init, SEEDINGS, self.n_clusters, X.shape[0], n_features)
        with self._stage("graph", timings):
            return self._build_graph(X, count_threads(OWNER, self.n_jobs))

    def _fit_graph(
        self,
        graph: Graph,
        timings: dict[str, float],
        narrate: Narrate | None = None,
        find_starts: FindStarts = starts,
    ) -> Self:
        """Everything after the graph."""
        method = self._check_parameters()
        engine = make_engine(self.engine, count_threads(OWNER, self.n_jobs), self._kept_memberships())
        rng = make_generator(self.random_state)
        n_features = None if graph.index is None else graph.index.n_features
        init = check_init(OWNER, self.init, SEEDINGS, self.n_clusters, graph.kernel.n_samples, n_features)
        if isinstance(init, np.ndarray) and init.ndim == 1:
            init = graph.order.working(init)
        schedule = schedule_of(check_weights(OWNER, "laplacian_weight", self.laplacian_weight))
        problem = self._pose_problem(graph, schedule, timings)
        with self._stage("solve", timings):
            told = narrate or self._narrate
            run = best_run(problem, method, engine, schedule, init, self.n_init, rng, told, self._say, find_starts)
        self._store(graph, run, engine, timings)
        return self

    def _check_parameters(self) -> Method:
        for name in ("n_clusters", "n_neighbors"):
            check_integer(OWNER, name, getattr(self, name))
        if self.n_init != "auto":
            check_integer(OWNER, "n_init", self.n_init)
        if self.top_memberships is not None:
            check_integer(OWNER, "top_memberships", self.top_memberships, minimum=2)
        if not callable(self.verbose):
            check_integer(OWNER, "verbose", int(self.verbose), minimum=0)
        check_weights(OWNER, "laplacian_weight", self.laplacian_weight)
        check_real(OWNER, "balance", self.balance, word="auto")
        check_real(OWNER, "diagonal_shift", self.diagonal_shift, word="auto")
        check_real(OWNER, "bandwidth", self.bandwidth, positive=True, word="auto")
        if not 0 < float(check_real(OWNER, "recall", self.recall)) <= 1:
            raise ValueError(f"recall of {OWNER} must be above 0 and at most 1; got {self.recall}.")
        check_option(OWNER, "affinity", self.affinity, [*WEIGHTS, "precomputed"])
        check_option(OWNER, "symmetrize", self.symmetrize, SYMMETRIZERS)
        check_option(OWNER, "metric", self.metric, METRICS)
        check_option(OWNER, "neighbor_search", self.neighbor_search, [*SEARCHES, "auto"])
        check_option(OWNER, "mode_update", self.mode_update, MODE_UPDATES)
        check_option(OWNER, "empty_clusters", self.empty_clusters, ["reseed", "keep"])
        check_option(OWNER, "engine", self.engine, [*ENGINES, "auto"])
        if self.affinity == "precomputed" and self.mode_update == "mean_shift":
            raise ValueError(
                f"mode_update='mean_shift' of {OWNER} needs features; with affinity='precomputed' use 'argmax' "
                "or 'density'."
            )
        if self.metric == "inner_product" and self.mode_update == "mean_shift":
            raise ValueError(
                f"mode_update='mean_shift' of {OWNER} needs a distance that means can be taken for; with "
                "metric='inner_product' use 'argmax' or 'density'."
            )
        clustering = isinstance(self.init, str) and self.init in ("auto", "graph")
        if self.affinity == "precomputed" and self._kept_memberships() is not None and not clustering:
            raise ValueError(
                f"top_memberships of {OWNER} with affinity='precomputed' needs init='auto' or 'graph': first modes are "
                f"similar to their neighbours alone, and all other samples would keep the same few; got {self.init!r}."
            )
        if self.diagonal_shift == "auto" and self.symmetrize == "none":
            raise ValueError(
                f"diagonal_shift='auto' of {OWNER} needs a symmetric affinity: set symmetrize to 'union', 'mutual' "
                "or 'average'."
            )
        return Method(
            mode_update=self.mode_update,
            warm_memberships=check_flag(OWNER, "warm_memberships", self.warm_memberships),
            reseed_empty=self.empty_clusters == "reseed",
            tol=float(check_real(OWNER, "tol", self.tol)),
            max_iter=check_integer(OWNER, "max_iter", self.max_iter),
            max_sweeps=check_integer(OWNER, "max_sweeps", self.max_sweeps),
        )

    def _kept_memberships(self) -> int | None:
        """How many memberships of each sample are kept; None: all."""
        kept = self.top_memberships
        return None if kept is None or kept >= self.n_clusters else int(kept)

    def _check_X(self, X: Any) -> Any:
        return self._check_affinities(X) if self.affinity == "precomputed" else self._check_features(X)

    def _check_features(self, X: Any) -> Array:
        if sparse.issparse(X):
            raise TypeError(
                f"Sparse data was passed to {OWNER}, which needs dense features: reduce them first (TruncatedSVD, "
                "say), or pass a sparse matrix of affinities with affinity='precomputed'."
            )
        X = check_features(OWNER, self, X, dtype=[np.float64, np.float32])
        check_sizes(OWNER, len(X), self.n_clusters, self.n_neighbors)
        return X

    def _check_affinities(self, X: Any) -> Any:
        X = validate_data(self, X, dtype=[np.float64, np.float32], accept_sparse="csr")
        check_sizes(OWNER, X.shape[0], self.n_clusters)
        return check_affinities(OWNER, X, square=True)

    def _build_graph(self, X: Any, n_threads: int) -> Graph:
        if self.affinity == "precomputed":
            graph = graph_of_affinities(X, self.symmetrize)
        else:
            bandwidth = self.bandwidth if self.bandwidth == "auto" else float(self.bandwidth)
            metric = METRICS[self.metric](OWNER, X)
            rows = metric.asking(X)
            check_extent(OWNER, rows)
            graph = graph_of_features(
                rows,
                self.n_neighbors,
                self.neighbor_search,
                self.affinity,
                self.symmetrize,
                bandwidth,
                n_threads,
                float(self.recall),
                self._say,
                metric,
            )
        width = "" if graph.bandwidth is None else f", bandwidth {graph.bandwidth:.4g}"
        self._say(
            f"neighbours: {graph.search}, recall {graph.recall:.3f}, {graph.affinity.nnz / X.shape[0]:.1f} edges per "
            f"sample{width}"
        )
        return graph

    def _pose_problem(self, graph: Graph, schedule: Schedule, timings: dict[str, float]) -> Problem:
        largest = schedule.largest(graph.affinity, self.n_clusters)
        automatic = isinstance(self.balance, str)
        balance = automatic_balance(graph.affinity, self.n_clusters) if automatic else float(self.balance)
        if self.diagonal_shift == "auto":
            with self._stage("shift", timings):
                everything = self._kept_memberships() is None
                # More than smaller weights need.
                shift = sufficient_shift(graph.affinity, largest, balance, all_memberships=everything)
        else:
            shift = float(self.diagonal_shift)
        check_reach(OWNER, largest, graph.affinity, shift, graph.kernel.dtype)
        return Problem(graph.kernel, graph.affinity, self.n_clusters, largest, shift, balance)

    def _store(self, graph: Graph, run: Run, engine: Engine, timings: dict[str, float]) -> None:
        """Set what the fit found, all of it at the end: a fit that fails leaves the model as it was."""
        problem, solution = run.problem, run.solution
        self.path_ = run.path
        self.laplacian_weight_ = problem.laplacian_weight
        self.balance_ = problem.balance
        self.init_ = run.seeds.name
        self.agreement_ = run.seeds.agreement
        self.labels_ = graph.order.restore(solution.labels)
        self.memberships_ = graph.order.restore(solution.memberships)
        self.mode_indices_ = graph.order.original(exemplars(problem, solution))
        self.modes_ = problem.kernel.features(solution.modes)
        self.bandwidth_ = graph.bandwidth
        self.diagonal_shift_ = problem.diagonal_shift
        self.relaxed_objective_ = solution.relaxed_objective
        self.discrete_objective_ = solution.discrete_objective
        self.history_ = solution.history
        self.n_iter_ = len(solution.history)
        self.status_ = solution.status
        self.neighbor_search_ = graph.search
        self.neighbor_recall_ = graph.recall
        self.engine_ = engine.name
        self.timings_ = timings
        self._fitted = out_of_sample.Fitted(
            problem,
            solution.modes,
            solution.memberships,
            solution.labels,
            graph.index,
            graph.neighbors,
            self.affinity,
            self.n_neighbors,
            graph.order,
            self._kept_memberships(),
        )
        if solution.status is not Status.CONVERGED:
            count = f" ({solution.n_empty} of {self.n_clusters})" if solution.n_empty else ""
            warnings.warn(f"{OWNER}{count}: {solution.status.value}", ConvergenceWarning, stacklevel=4)

    def _check_new(self, X: Any) -> Any:
        check_is_fitted(self)
        fitted = self._fitted
        if fitted.index is None:
            X = validate_data(self, X, reset=False, dtype=fitted.problem.kernel.dtype, accept_sparse="csr")
            return check_affinities(OWNER, X)
        return fitted.index.metric.asking(
            check_features(OWNER, self, X, reset=False, dtype=fitted.problem.kernel.dtype)
        )

    def _extend(self, X: Any) -> Iterator[tuple[Any, out_of_sample.Extension]]:
        """Blocks of new samples as the fitted model sees them: with every cluster, but not all at once."""
        X = self._check_new(X)
        n_threads = count_threads(OWNER, self.n_jobs)
        engine = make_engine(self.engine_, n_threads)
        step = max(1, EXTENDED_NUMBERS // self._fitted.problem.n_clusters)
        for start in range(0, X.shape[0], step):
            rows = X[start : start + step]
            yield rows, out_of_sample.extend(self._fitted, engine, rows, n_threads)

    def _narrate(self, run: int, weight: float, states: Iterator[State]) -> Iterator[State]:
        for iteration, state in enumerate(states, start=1):
            step = state.step
            self._say(
                f"run {run}, weight {weight:.3g}, mode update {iteration}: {len(step.relaxed_objectives)} sweeps, "
                f"R = {step.relaxed_objectives[-1]:.6g}, {np.count_nonzero(step.mode_shifts)} modes moved, "
                f"sizes {step.cluster_sizes.min()} to {step.cluster_sizes.max()}"
                + (f", {len(step.reseeded)} clusters reseeded" if step.reseeded else "")
            )
            yield state

    def _say(self, text: str) -> None:
        teller(OWNER, self.verbose)(text)

    @contextmanager
    def _stage(self, name: str, timings: dict[str, float]) -> Iterator[None]:
        self._say(f"{name} ...")
        start = time.perf_counter()
        yield
        timings[name] = time.perf_counter() - start
        self._say(f"{name}: {timings[name]:.2f} s")
