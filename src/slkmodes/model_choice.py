"""How many clusters, without labels; and the paper's choice of weight and seed, with some."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from slkmodes.affinity import falls_apart
from slkmodes.contraction import description_cost, graph_groups
from slkmodes.engines import make_engine
from slkmodes.estimator import LaplacianKModes
from slkmodes.metrics import clustering_accuracy, cut_of_groups
from slkmodes.restarts import FoundOnce
from slkmodes.seeding import SEEDINGS
from slkmodes.solution import State
from slkmodes.telling import Verbose, teller
from slkmodes.validation import check_integer, check_weights, count_threads, make_generator

__all__ = ["ClusterCounts", "Trial", "Tuning", "choose_n_clusters", "tune"]

Array = npt.NDArray[Any]

# Scores that fall short of the best by no more than this part of it are as good.
AS_GOOD = 0.12
# Information counts times agreement to this power: cuts that come out differently each time tell nothing.
CAUTION = 4
# It counts more where the next cluster costs much more cut than the last one did: the ratio to this power, small costs
# being taken for noise.
KINK, NOISE = 1 / 3, 0.002
# A number less sure than this does not stand out.
LEAST_SURE = 0.5
# The paper's range of weights, in steps that a warm start follows easily.
WEIGHTS_TO_TRY = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0)


@dataclass(frozen=True)
class ClusterCounts:
    """What :func:`choose_n_clusters` found; see :func:`slkmodes.plots.plot_cluster_counts`."""

    n_clusters: int  # the suggestion
    as_good: tuple[int, ...]  # all with nearly the best score, the suggestion among them
    stands_out: bool  # False: no number does, the data may well be one cloud
    candidates: tuple[int, ...]
    information: tuple[float, ...]  # per candidate: what the clusters tell about the graph (minus the description cost)
    agreements: tuple[float, ...]  # per candidate: how far runs from different random numbers agree
    kinks: tuple[float, ...]  # per candidate: cut that the next cluster costs, over what the last one cost

    @property
    def sureness(self) -> tuple[float, ...]:
        """Per candidate: how surely it is found, more where one more cluster would cost much."""
        return tuple(max(a, 0.0) ** CAUTION * k**KINK for a, k in zip(self.agreements, self.kinks, strict=True))

    @property
    def scores(self) -> tuple[float, ...]:
        """What is told, times how surely."""
        return tuple(i * s if i > 0 else i for i, s in zip(self.information, self.sureness, strict=True))


def choose_n_clusters(
    X: Any,
    candidates: Iterable[int] = range(1, 21),
    *,
    model: LaplacianKModes | None = None,
    n_runs: int = 6,
    verbose: Verbose | None = None,
) -> ClusterCounts:
    """Suggest a number of clusters from the graph alone.

    For every candidate the graph is clustered as ``init="graph"`` does, and three things are multiplied: how much the
    clusters tell about where a random walk on the graph goes next, how far runs agree (to the fourth power: clusters
    that are not there come out differently every time), and how much more cut the next cluster would cost than the
    last one did (to the power 1/3). It is a suggestion: data often have clusters within clusters, and the classes
    somebody has in mind are not always the clusters there are.

    Parameters
    ----------
    X : array-like
        As in :meth:`LaplacianKModes.fit`.
    candidates : iterable of int, default=range(1, 21)
        Numbers of clusters to compare.
    model : LaplacianKModes, optional
        Unfitted: its parameters say how the graph is built; ``n_clusters`` is ignored.
    n_runs : int, default=6
        Clusterings combined per candidate.
    verbose : int or callable, optional
        1 prints a line per candidate, and those of the graph; a function is called with each line instead. By default
        as the model says.

    Returns
    -------
    ClusterCounts
        ``n_clusters``, the suggestion; ``as_good``, every number that nothing speaks against: with more than one, the
        data do not decide; ``stands_out``, False where no number does: 1 is then suggested if it is a candidate.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from slkmodes import LaplacianKModes, choose_n_clusters
    >>> X, _ = make_blobs(300, centers=5, cluster_std=0.4, random_state=3)
    >>> choose_n_clusters(X, range(2, 9), model=LaplacianKModes(random_state=0)).n_clusters
    5
    """
    counts = tuple(sorted({check_integer("choose_n_clusters", "Every candidate", count) for count in candidates}))
    if not counts:
        raise ValueError("candidates of choose_n_clusters is empty: name at least one number of clusters.")
    check_integer("choose_n_clusters", "n_runs", n_runs, minimum=2)
    model = clone(model or LaplacianKModes()).set_params(n_clusters=counts[-1], init="auto")
    model.set_params(verbose=model.verbose if verbose is None else verbose)
    say = teller("choose_n_clusters", model.verbose)
    affinity = model._graph_of(X, {}).affinity
    engine = make_engine(model.engine, count_threads("choose_n_clusters", model.n_jobs))
    if falls_apart(affinity, counts[-1]):
        warnings.warn(
            f"The graph falls apart into many more than {counts[-1]} pieces: its edges cannot tell how many clusters "
            "there are. Increase n_neighbors, or scale the features.",
            UserWarning,
            stacklevel=2,
        )
    around = sorted({1, *counts, min(counts[-1] + 1, affinity.shape[0])})  # a kink needs numbers on both sides
    told, cut = {}, {}
    # From both ends in turn: many clusters take longer than few, and every two of these about as long as the next two.
    in_turn = [count for pair in zip(reversed(around), around, strict=True) for count in pair][: len(around)]
    for done, count in enumerate(in_turn):
        say(f"k = {count}, {done} of {len(in_turn)}")
        groups = graph_groups(engine, affinity, count, n_runs, make_generator(model.random_state))
        agreement = float(count == 1) if groups.agreement is None else groups.agreement
        told[count] = -description_cost(affinity, groups.labels, engine.n_threads), agreement
        cut[count] = cut_of_groups(affinity, groups.labels, engine.n_threads)
    kink = dict(zip(around, kinks_of(np.array(around), np.array([cut[count] for count in around])), strict=True))
    information, agreements = zip(*(told[count] for count in counts), strict=True)
    return suggestion(counts, information, agreements, tuple(kink[count] for count in counts))


def suggestion(
    counts: tuple[int, ...], information: tuple[float, ...], agreements: tuple[float, ...], kinks: tuple[float, ...]
) -> ClusterCounts:
    """Weigh what is known about every count: of those as good as the best, the surest is suggested."""
    found = ClusterCounts(0, (), False, counts, information, agreements, kinks)
    scores, sureness = np.array(found.scores), np.array(found.sureness)
    as_good = np.flatnonzero(scores >= scores.max() - AS_GOOD * abs(scores.max()))
    surest = as_good[np.argmax(sureness[as_good])]
    if scores[surest] > 0 and sureness[surest] >= LEAST_SURE:
        return replace(found, n_clusters=counts[surest], as_good=tuple(counts[i] for i in as_good), stands_out=True)
    if counts[0] == 1:
        surest, as_good = 0, np.union1d(0, as_good)
    return replace(found, n_clusters=counts[surest], as_good=tuple(counts[i] for i in as_good))


def kinks_of(counts: Array, cuts: Array) -> tuple[float, ...]:
    """How the cost of clusters changes at every count: the slope of the cut after it over the slope before.

    Merging clusters never raises the normalised cut, so the lowest cut of a larger count bounds those of smaller ones;
    and slopes are taken of the lower convex hull, or the luck of single runs would make kinks.
    """
    cuts = np.minimum.accumulate(cuts[::-1])[::-1]
    corners: list[int] = []
    for i in range(len(counts)):
        while len(corners) > 1 and slope(counts, cuts, *corners[-2:]) >= slope(counts, cuts, corners[-1], i):
            corners.pop()
        corners.append(i)
    slopes = np.diff(np.interp(counts, counts[corners], cuts[corners])) / np.diff(counts)
    ratios = (slopes[1:] + NOISE) / (slopes[:-1] + NOISE)
    return (1.0, *(float(ratio) for ratio in ratios), 1.0)[: len(counts)]


def slope(x: Array, y: Array, a: int, b: int) -> float:
    """Of the line through two of the points."""
    return float((y[b] - y[a]) / (x[b] - x[a]))


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
    first_seed: int = 0,
    warm: bool = True,
) -> Tuning:
    """Choose weight and seed by the accuracy on labelled samples: the paper's protocol (section 4.2).

    The graph is built once. The paper labels 10 % of the samples and runs every weight cold; from warm starts a run
    over all weights costs little more than one.

    Parameters
    ----------
    X : array-like
        As in :meth:`LaplacianKModes.fit`.
    y_validation : array-like of shape (n_samples,)
        Class of every sample, or -1 (or NaN, or None) where it is not known: those play no part in the choice.
    model : LaplacianKModes
        Unfitted; ``laplacian_weight`` and ``random_state`` are set here, and ``n_init=1`` where runs are not combined.
        The paper starts from
        ``init="k-means++"``.
    weights : sequence of floats, default=1 to 4
        Laplacian weights to try, in growing order.
    n_seeds, first_seed : int, default=10 and 0
        How many values of ``random_state`` to try, and the first of them.
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
    check_integer("tune", "first_seed", first_seed, minimum=0)
    tried = check_weights("tune", "weights", weights)
    if tried is None:
        raise ValueError("weights of tune must be numbers: the automatic path of LaplacianKModes needs no tuning.")
    graph = clone(model)._graph_of(X, {})
    y = np.asarray(y_validation)
    if y.shape != (graph.kernel.n_samples,):
        raise ValueError(
            f"y_validation needs a class or -1 for each of {graph.kernel.n_samples} samples; got {y.shape}."
        )
    known = known_rows(y)
    classes = np.unique(y[known].astype(str), return_inverse=True)[1]
    paths = [tried] if warm else [(weight,) for weight in tried]
    combines = isinstance(model.init, str) and SEEDINGS[model.init].combines
    common = {} if combines else {"n_init": 1}  # every seed is a trial of its own
    trials: list[Trial] = []
    best: tuple[Trial, LaplacianKModes] | None = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # poor weights are what is being ruled out
        for seed in range(first_seed, first_seed + n_seeds):
            find_starts = FoundOnce()
            for path in paths:
                found: dict[float, Array] = {}
                candidate = clone(model).set_params(laplacian_weight=path, random_state=seed, **common)
                candidate._fit_graph(graph, {}, collect_labels(found), find_starts)
                for weight in path:
                    trial = Trial(weight, seed, clustering_accuracy(classes, graph.order.restore(found[weight])[known]))
                    trials.append(trial)
                    if best is None or trial.accuracy > best[0].accuracy:
                        best = trial, candidate
    assert best is not None  # there is at least one seed and one weight
    chosen, candidate = best
    path = candidate.laplacian_weight[: candidate.laplacian_weight.index(chosen.laplacian_weight) + 1]
    # The shift of the trial: an automatic one would be smaller for a shorter path.
    tuned = clone(candidate).set_params(laplacian_weight=path, diagonal_shift=candidate.diagonal_shift_)
    tuned._check_X(X)  # what scikit-learn keeps about the features
    return Tuning(tuned._fit_graph(graph, {}), chosen, tuple(trials))


def known_rows(y: Array) -> npt.NDArray[np.int64]:
    """Samples whose class is known: neither -1, nor NaN or None."""
    if y.dtype.kind == "u" and len(y) and y.max() == np.iinfo(y.dtype).max:
        raise ValueError(f"y_validation is {y.dtype}, in which -1 turns into {y.max()}: give it a signed type.")
    unknown = np.array([value is None or value != value or value in (-1, "-1") for value in y.tolist()])
    if unknown.all():
        raise ValueError("y_validation holds no class: every entry is -1.")
    return np.flatnonzero(~unknown)


def collect_labels(found: dict[float, Array]) -> Any:
    """Keep the last labels of every weight of a path as it is followed."""

    def watch(run: int, weight: float, states: Iterator[State]) -> Iterator[State]:
        for state in states:
            found[weight] = state.labels
            yield state

    return watch
