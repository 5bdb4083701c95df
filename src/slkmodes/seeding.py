"""Where a run starts: a table of seedings, and new modes for clusters that died."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from slkmodes.contraction import graph_groups
from slkmodes.mode_kernels import GaussianKernel, ModeKernel, Modes
from slkmodes.problem import Problem

Array = npt.NDArray[Any]
Rows = npt.NDArray[np.int64]


class Seeds(NamedTuple):
    """Where a run starts: first modes, or a first clustering whose modes are yet to be found."""

    modes: Modes | None
    labels: Rows | None = None


def graph_seeds(problem: Problem, rng: np.random.Generator) -> Seeds:
    """A first clustering from the edges alone (:mod:`slkmodes.contraction`).

    Where there are no edges, or they tell fewer groups apart than clusters are wanted, k-means++ seeds.
    """
    if problem.affinity.nnz:
        labels = graph_groups(problem.affinity, problem.n_clusters, rng)
        if len(np.unique(labels)) == problem.n_clusters:
            return Seeds(modes=None, labels=labels)
    return kmeans_plus_plus(problem, rng)


def kmeans_plus_plus(problem: Problem, rng: np.random.Generator) -> Seeds:
    """K-means++ seeds (section 4.2): rows drawn by their squared distance to the seeds so far.

    On features the distance is Euclidean and scikit-learn draws. On a graph it is the kernel's own,
    |phi(x) - phi(y)|^2 = 2 k(x, x) - 2 k(x, y).
    """
    kernel, n_clusters = problem.kernel, problem.n_clusters
    if isinstance(kernel, GaussianKernel):
        from sklearn.cluster import kmeans_plusplus  # slow to import

        _, rows = kmeans_plusplus(kernel.X, n_clusters, random_state=int(rng.integers(2**31 - 1)))
        return Seeds(kernel.modes_at(np.asarray(rows)))
    modes = kernel.modes_at(np.repeat(rng.integers(kernel.n_samples, size=1), n_clusters))
    closest = kernel.similarity(slice(None), kernel.modes_at(modes.rows[:1]))[:, 0]
    return Seeds(reseed(kernel, closest, modes, np.arange(1, n_clusters), rng))


def random_rows(problem: Problem, rng: np.random.Generator) -> Seeds:
    """Different rows, each as likely as any other."""
    return Seeds(problem.kernel.modes_at(rng.choice(problem.n_samples, size=problem.n_clusters, replace=False)))


SEEDINGS: dict[str, Callable[[Problem, np.random.Generator], Seeds]] = {
    "graph": graph_seeds,
    "k-means++": kmeans_plus_plus,
    "random": random_rows,
}
# How many runs are worth their time: chance decides little in the first, much in the others.
AUTO_RUNS = {"graph": 1, "k-means++": 10, "random": 10}


def first_seeds(init: str | Array, problem: Problem, rng: np.random.Generator) -> Seeds:
    """Seeds by name, at given row numbers (1-d), or at given points (2-d)."""
    if isinstance(init, str):
        return SEEDINGS[init](problem, rng)
    if init.ndim == 1:
        return Seeds(problem.kernel.modes_at(init))
    return Seeds(Modes(rows=np.full(problem.n_clusters, -1), points=init.astype(problem.kernel.dtype)))


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
    for cluster in empty:
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
