"""How many clusters, without labels; and the paper's choice of weight and seed, with some."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from slkmodes.affinity import falls_apart
from slkmodes.contraction import description_cost, graph_groups
from slkmodes.engines import make_engine
from slkmodes.estimator import LaplacianKModes
from slkmodes.metrics import clustering_accuracy
from slkmodes.solution import State
from slkmodes.validation import check_integer, count_threads, make_generator

__all__ = ["ClusterCounts", "Trial", "Tuning", "choose_n_clusters", "tune"]

Array = npt.NDArray[Any]

# Numbers of clusters with this part of the best score are as good.
AS_GOOD = 0.97
# The paper's range of weights, in steps that a warm start follows easily.
WEIGHTS_TO_TRY = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0)


@dataclass(frozen=True)
class ClusterCounts:
    """What :func:`choose_n_clusters` found; see :func:`slkmodes.plots.plot_cluster_counts`."""

    n_clusters: int  # the suggestion: the smallest of those as good
    as_good: tuple[int, ...]  # all with nearly the best score
    candidates: tuple[int, ...]
    information: tuple[float, ...]  # per candidate: what the clusters tell about the graph (minus the description cost)
    agreements: tuple[float, ...]  # per candidate: how far runs from different random numbers agree

    @property
    def scores(self) -> tuple[float, ...]:
        """What is told, times how surely it is found."""
        return tuple(float(i * a) for i, a in zip(self.information, self.agreements, strict=True))


def choose_n_clusters(
    X: Any, candidates: Iterable[int] = range(2, 21), *, model: LaplacianKModes | None = None, n_runs: int = 6
) -> ClusterCounts:
    """Suggest a number of clusters from the graph alone.

    For every candidate the graph is clustered as ``init="graph"`` does. Few clusters tell little about where a random
    walk on the graph goes next, too many cut the edges that it takes, and clusters that are not there come out
    differently in every run: what counts is the product of information and agreement. Of the numbers with nearly the
    largest the smallest is suggested.

    Parameters
    ----------
    X : array-like
        As in :meth:`LaplacianKModes.fit`.
    candidates : iterable of int, default=range(2, 21)
        Numbers of clusters to compare.
    model : LaplacianKModes, optional
        Unfitted: its parameters say how the graph is built; ``n_clusters`` is ignored.
    n_runs : int, default=6
        Clusterings combined per candidate.

    Returns
    -------
    ClusterCounts
        ``n_clusters``, the suggestion, and ``as_good``, every number that nothing speaks against: with more than one,
        the data do not decide.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from slkmodes import LaplacianKModes, choose_n_clusters
    >>> X, _ = make_blobs(300, centers=5, cluster_std=0.4, random_state=3)
    >>> choose_n_clusters(X, range(2, 9), model=LaplacianKModes(random_state=0)).n_clusters
    5
    """
    counts = tuple(sorted({check_integer("choose_n_clusters", "Every candidate", int(count)) for count in candidates}))
    if not counts:
        raise ValueError("candidates of choose_n_clusters is empty: name at least one number of clusters.")
    check_integer("choose_n_clusters", "n_runs", n_runs)
    model = clone(model or LaplacianKModes()).set_params(n_clusters=counts[-1], init="auto")
    affinity = model._graph_of(X, {}).affinity
    engine = make_engine(model.engine, count_threads("choose_n_clusters", model.n_jobs))
    if falls_apart(affinity, counts[-1]):
        warnings.warn(
            f"The graph falls apart into many more than {counts[-1]} pieces: its edges cannot tell how many clusters "
            "there are. Increase n_neighbors, or scale the features.",
            UserWarning,
            stacklevel=2,
        )
    information, agreements = [], []
    for count in counts:
        groups = graph_groups(engine, affinity, count, n_runs, make_generator(model.random_state))
        information.append(-description_cost(affinity, groups.labels))
        agreements.append(groups.agreement)
    scores = np.multiply(information, agreements)
    as_good = tuple(count for count, score in zip(counts, scores, strict=True) if score >= AS_GOOD * scores.max())
    return ClusterCounts(as_good[0], as_good, counts, tuple(information), tuple(agreements))


class Trial(NamedTuple):
    """One weight and seed, and the accuracy on the labelled samples."""

    laplacian_weight: float
    seed: int
    accuracy: float


@dataclass(frozen=True)
class Tuning:
    """What :func:`tune` found."""

    model: LaplacianKModes  # fitted with the best weight and seed
    best: Trial
    trials: tuple[Trial, ...]


def tune(
    X: Any,
    y_validation: Any,
    *,
    model: LaplacianKModes,
    weights: Sequence[float] = WEIGHTS_TO_TRY,
    n_seeds: int = 10,
    warm: bool = True,
) -> Tuning:
    """Choose weight and seed by the accuracy on labelled samples: the paper's protocol (section 4.2).

    The graph is built once. The paper labels 10 % of the samples and runs every weight cold; from warm starts a run
    over all weights costs little more than one.

    Parameters
    ----------
    X : array-like
        As in :meth:`LaplacianKModes.fit`.
    y_validation : array-like of int, shape (n_samples,)
        Class of every sample, or -1 where it is not known: those samples play no part in the choice.
    model : LaplacianKModes
        Unfitted; ``laplacian_weight``, ``n_init`` and ``random_state`` are set here. The paper starts from
        ``init="k-means++"``.
    weights : sequence of floats, default=1 to 4
        Laplacian weights to try, in growing order.
    n_seeds : int, default=10
        Values of ``random_state`` to try, from 0.
    warm : bool, default=True
        Whether each weight goes on from the memberships of the one before, or all begin anew.

    Returns
    -------
    Tuning
        The fitted ``model``, the ``best`` trial, and all ``trials``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from slkmodes import LaplacianKModes, tune
    >>> X, y = load_digits(return_X_y=True)
    >>> known = np.where(np.random.default_rng(0).random(len(y)) < 0.1, y, -1)
    >>> tuning = tune(X, known, model=LaplacianKModes(10, init="k-means++"), weights=[1.0, 1.5], n_seeds=2)
    >>> len(tuning.trials)
    4
    """
    check_integer("tune", "n_seeds", n_seeds)
    weights = [float(weight) for weight in weights]
    y = np.asarray(y_validation)
    graph = clone(model)._graph_of(X, {})
    if y.shape != (graph.kernel.n_samples,):
        raise ValueError(
            f"y_validation needs a class or -1 for each of {graph.kernel.n_samples} samples; got {y.shape}."
        )
    known = np.flatnonzero(y != -1)
    if not len(known):
        raise ValueError("y_validation holds no class: every entry is -1.")
    paths = [weights] if warm else [[weight] for weight in weights]
    trials: list[Trial] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # poor weights are what is being ruled out
        for seed in range(n_seeds):
            for path in paths:
                found: dict[float, Array] = {}
                candidate = clone(model).set_params(laplacian_weight=path, n_init=1, random_state=seed)
                candidate._fit_graph(graph, {}, collect_labels(found))
                trials += [Trial(w, seed, clustering_accuracy(y[known], found[w][known])) for w in path]
    best = max(trials, key=lambda trial: trial.accuracy)
    path = weights[: weights.index(best.laplacian_weight) + 1] if warm else [best.laplacian_weight]
    tuned = clone(model).set_params(laplacian_weight=path, n_init=1, random_state=best.seed)
    return Tuning(tuned.fit(X), best, tuple(trials))


def collect_labels(found: dict[float, Array]) -> Any:
    """Keep the last labels of every weight of a path as it is followed."""

    def watch(run: int, weight: float, states: Iterator[State]) -> Iterator[State]:
        for state in states:
            found[weight] = state.labels
            yield state

    return watch
