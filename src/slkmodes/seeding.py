"""Where a run starts: a table of seedings, and new modes for clusters that died."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from slkmodes.affinity import falls_apart
from slkmodes.centers import fit_kmeans, kmeans_cells
from slkmodes.contraction import graph_groups
from slkmodes.density_peaks import density_peak_groups
from slkmodes.engines.protocol import Engine
from slkmodes.metrics import cut_of_groups
from slkmodes.mode_kernels import GaussianKernel, ModeKernel, Modes
from slkmodes.problem import Problem
from slkmodes.segmentation import diffuse, normalized_adjacency
from slkmodes.telling import Say, keep_quiet

Array = npt.NDArray[Any]
Rows = npt.NDArray[np.int64]


# Runs on the graph that agree less than this (mean adjusted Rand index) and whose clusters are left by more of their
# edges than this (mean share) have not found its clusters.
LEAST_AGREEMENT = 0.7
MOST_CUT = 0.06
# Smoothing of the features: principal components kept, and steps of diffusion along the edges.
SMOOTHED_COMPONENTS = 50
SMOOTHING_STEPS = 10
KMEANS_RUNS, KMEANS_ROWS = 10, 50_000


class Seeds(NamedTuple):
    """Where a run starts: first modes, or a first clustering whose modes are yet to be found."""

    modes: Modes | None
    labels: Rows | None = None
    name: str = "given"
    agreement: float | None = None  # of the runs that the clustering was combined from


def auto_seeds(engine: Engine, problem: Problem, rng: np.random.Generator, n_runs: int, say: Say) -> Seeds:
    """A clustering of the graph, unless the graph falls apart or its clusterings contradict each other."""
    with_features = isinstance(problem.kernel, GaussianKernel)
    if with_features and falls_apart(problem.affinity, problem.n_clusters):
        return density_peaks(engine, problem, rng, n_runs, say)
    seeds = graph_seeds(engine, problem, rng, max(n_runs, 2), say)  # one alone cannot be contradicted
    if with_features and contradictory(problem, seeds):
        smoothed = smoothed_features(engine, problem, rng, n_runs, say)
        return seeds if smoothed.labels is None else smoothed._replace(agreement=seeds.agreement)
    return seeds


def contradictory(problem: Problem, seeds: Seeds) -> bool:
    """Whether the clusterings of the graph disagree, and not for lack of edges to cut."""
    if seeds.labels is None or seeds.agreement is None or seeds.agreement >= LEAST_AGREEMENT:
        return False
    return cut_of_groups(problem.affinity, seeds.labels) > MOST_CUT * problem.n_clusters


def graph_seeds(engine: Engine, problem: Problem, rng: np.random.Generator, n_runs: int, say: Say) -> Seeds:
    """A first clustering from the edges alone (:mod:`slkmodes.contraction`).

    Where there are no edges, or they tell fewer groups apart than clusters are wanted, k-means++ seeds.
    """
    if problem.affinity.nnz:
        groups = graph_groups(engine, problem.affinity, problem.n_clusters, n_runs, rng, say)
        if len(np.unique(groups.labels)) == problem.n_clusters:
            return Seeds(None, groups.labels, "graph", groups.agreement)
    return kmeans_plus_plus(engine, problem, rng, n_runs, say)


def smoothed_features(engine: Engine, problem: Problem, rng: np.random.Generator, n_runs: int, say: Say) -> Seeds:
    """K-means on features that were averaged over the graph: neighbours move together, clusters contract.

    Where fewer different points than clusters are left, k-means++ seeds.
    """
    from sklearn.decomposition import PCA

    X = features_of(problem, "smoothed_features")
    X = X / max(float(np.abs(X).max()), np.finfo(X.dtype).tiny)  # float32 holds less than float64
    if X.shape[1] > SMOOTHED_COMPONENTS < len(X):
        X = PCA(SMOOTHED_COMPONENTS, svd_solver="covariance_eigh").fit_transform(X)
    else:
        X = X - X.mean(axis=0)
    adjacency, root = normalized_adjacency(problem.affinity)
    # D^-1/2 f(S) D^1/2 = f(D^-1 W): plain averages over the neighbours.
    smooth = diffuse(engine, adjacency, X.astype(np.float32) * root[:, None], SMOOTHING_STEPS) / root[:, None]
    labels = kmeans_cells(smooth, problem.n_clusters, rng, n_rows=KMEANS_ROWS, n_init=KMEANS_RUNS)
    if len(np.unique(labels)) < problem.n_clusters:
        return kmeans_plus_plus(engine, problem, rng, n_runs, say)
    return Seeds(None, labels, "smoothed_features")


def density_peaks(engine: Engine, problem: Problem, rng: np.random.Generator, n_runs: int, say: Say) -> Seeds:
    """Clusters around dense rows far from denser ones (:mod:`slkmodes.density_peaks`); no chance in it."""
    features_of(problem, "density_peaks")
    assert isinstance(problem.kernel, GaussianKernel)
    labels = density_peak_groups(problem.kernel, problem.affinity, problem.n_clusters)
    return Seeds(None, labels, "density_peaks")


def features_of(problem: Problem, init: str) -> Array:
    """X, or an error where only a graph was given."""
    if not isinstance(problem.kernel, GaussianKernel):
        raise ValueError(
            f"init={init!r} needs features; with affinity='precomputed' use 'graph', 'k-means++' or 'random'."
        )
    return problem.kernel.X


def kmeans_plus_plus(engine: Engine, problem: Problem, rng: np.random.Generator, n_runs: int, say: Say) -> Seeds:
    """K-means++ seeds (section 4.2): rows drawn by their squared distance to the seeds so far.

    On features the distance is that of the rows that ask, and scikit-learn draws. On a graph it is the kernel's own,
    |phi(x) - phi(y)|^2 = 2 k(x, x) - 2 k(x, y).
    """
    kernel, n_clusters = problem.kernel, problem.n_clusters
    if isinstance(kernel, GaussianKernel):
        from sklearn.cluster import kmeans_plusplus  # slow to import

        _, rows = kmeans_plusplus(kernel.X, n_clusters, random_state=int(rng.integers(2**31 - 1)))
        return Seeds(kernel.modes_at(np.asarray(rows)), name="k-means++")
    modes = kernel.modes_at(np.repeat(rng.integers(kernel.n_samples, size=1), n_clusters))
    closest = kernel.similarity(slice(None), kernel.modes_at(modes.rows[:1]))[:, 0]
    return Seeds(reseed(kernel, closest, modes, np.arange(1, n_clusters), rng), name="k-means++")


def kmeans_means(engine: Engine, problem: Problem, rng: np.random.Generator, n_runs: int, say: Say) -> Seeds:
    """The means that k-means reaches from k-means++ seeds."""
    X = features_of(problem, "k-means")
    means = fit_kmeans(X, problem.n_clusters, rng, n_rows=KMEANS_ROWS, init="k-means++", n_init=1).cluster_centers_
    assert isinstance(problem.kernel, GaussianKernel)  # it has features
    points = problem.kernel.metric.answering(np.ascontiguousarray(means, X.dtype))
    return Seeds(Modes(np.full(problem.n_clusters, -1), points), name="k-means")


def random_rows(engine: Engine, problem: Problem, rng: np.random.Generator, n_runs: int, say: Say) -> Seeds:
    """Different rows, each as likely as any other."""
    rows = rng.choice(problem.n_samples, size=problem.n_clusters, replace=False)
    return Seeds(problem.kernel.modes_at(rows), name="random")


class Seeding(NamedTuple):
    """A way to start, and what several runs of it are good for."""

    seeds: Callable[[Engine, Problem, np.random.Generator, int, Say], Seeds]  # the number: how many runs to combine
    combines: bool  # into one start; otherwise every run is solved and the best kept
    runs: int  # how many are worth their time


SEEDINGS = {
    "auto": Seeding(auto_seeds, combines=True, runs=4),
    "graph": Seeding(graph_seeds, combines=True, runs=4),
    "smoothed_features": Seeding(smoothed_features, combines=False, runs=1),
    "density_peaks": Seeding(density_peaks, combines=True, runs=1),  # without chance: once is enough
    "k-means++": Seeding(kmeans_plus_plus, combines=False, runs=10),
    "k-means": Seeding(kmeans_means, combines=False, runs=10),
    "random": Seeding(random_rows, combines=False, runs=10),
}


def starts(
    init: str | Array,
    n_init: int | str,
    engine: Engine,
    problem: Problem,
    rng: np.random.Generator,
    say: Say = keep_quiet,
) -> Iterator[Seeds]:
    """One start for every run: by name, at given row numbers (1-d), or at given points (2-d)."""
    if not isinstance(init, str):  # the same again would give the same run again
        yield given_seeds(init, problem)
        return
    seeding = SEEDINGS[init]
    runs = seeding.runs if isinstance(n_init, str) else n_init
    for _ in range(1 if seeding.combines else runs):
        with threadpool_limits(1, user_api="blas"):  # whose rounding depends on the number of threads
            seeds = seeding.seeds(engine, problem, rng, runs if seeding.combines else 1, say)
        yield seeds


def given_seeds(init: Array, problem: Problem) -> Seeds:
    """Modes at row numbers, or at points."""
    if init.ndim == 1:
        return Seeds(problem.kernel.modes_at(init))
    assert isinstance(problem.kernel, GaussianKernel)  # only features have points
    return Seeds(Modes(rows=np.full(problem.n_clusters, -1), points=problem.kernel.points_of(init)))


def plant(affinity: Any, labels: Rows, modes: Modes, clusters: Rows) -> Rows:
    """Labels in which each of the clusters owns its mode and the mode's neighbours."""
    labels = labels.copy()
    for cluster in clusters:
        row = modes.rows[cluster]
        labels[affinity.indices[affinity.indptr[row] : affinity.indptr[row + 1]]] = cluster
        labels[row] = cluster
    return labels


def reseed(kernel: ModeKernel, closest: Array, modes: Modes, empty: Rows, rng: np.random.Generator) -> Modes:
    """Give the empty clusters a row each that is unlike every mode; ``closest`` is max_l a_pl."""
    rows, points = modes.rows.copy(), None if modes.points is None else modes.points.copy()
    closest = closest.copy()
    for cluster in empty:
        closest[rows[rows >= 0]] = kernel.self_similarity  # no row twice, even where it is not the nearest to itself
        fresh = kernel.modes_at(np.array([draw_far_row(kernel, closest, rng)]))
        rows[cluster] = fresh.rows[0]
        if points is not None and fresh.points is not None:
            points[cluster] = fresh.points[0]
        closest = np.maximum(closest, kernel.similarity(slice(None), fresh)[:, 0])
    return Modes(rows, points)


def draw_far_row(kernel: ModeKernel, closest: Array, rng: np.random.Generator) -> int:
    """Draw a row by its squared distance, in the kernel's space, to the closest mode.

    That distance is bounded: an outlier is no likelier than any other row far from all modes.
    """
    distance = np.maximum(kernel.self_similarity - closest.astype(np.float64), 0.0)
    total = distance.sum()
    if total == 0.0:  # every row equals a mode
        return int(rng.integers(kernel.n_samples))
    return int(np.searchsorted(np.cumsum(distance), rng.random() * total, side="right").clip(max=len(distance) - 1))
