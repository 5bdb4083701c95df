"""A path of increasing Laplacian weights, each solved from where the one before ended, until the answer stays.

Below some weight the memberships melt to uniform, far above it they freeze into whatever they started from. In between
clusters form, and what has formed hardly changes when the weight grows on: so no label is needed to choose the weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import log
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from slkmodes.engines.protocol import Engine
from slkmodes.metrics import cut_of_groups
from slkmodes.problem import Method, Problem
from slkmodes.seeding import Seeds
from slkmodes.solution import Solution, State, Status, Step
from slkmodes.solver import conclude, drain, iterate

# Where a path starts, in transition weights: first modes must be free to move, a first clustering must not melt.
START_OF_MODES = 0.5
START_OF_LABELS = 2.0
# It ends when samples are this certain of their clusters and few labels changed, or at this many transition weights.
CERTAIN = 0.95
FEW_CHANGES = 0.005
LAST_WEIGHT = 4.0
# The next weight is this much larger; the root of that after many changes, its square after few.
FIRST_RATIO, SMALLEST_RATIO, LARGEST_RATIO = 1.25, 1.05, 1.6
MANY_CHANGES = 0.05
SMALLEST_DEGREE = 1e-30
# Where clusters die at the first weight, start over with this part of it, so many times at most.
RETREAT, MOST_RETREATS = 0.6, 5
# Sweeps that swing are calmed by a diagonal shift: this one first, then twice as much.
FIRST_SHIFT = 0.5

Watch = Callable[[float, Iterator[State]], Iterator[State]]


class PathPoint(NamedTuple):
    """One weight of the path and what was found there; ``path_`` of the estimator is a tuple of them."""

    weight: float
    certainty: float  # mean of the largest membership
    relaxed_objective: float  # R before the last sweep
    normalized_cut: float
    changed: float  # share of labels that differ from the weight before; NaN where there was none
    n_iter: int  # mode updates


class PathEnd(NamedTuple):
    """The solution at the last weight, the problem it solves, and the way there."""

    solution: Solution
    problem: Problem
    points: tuple[PathPoint, ...]


class Schedule(Protocol):
    """Which weights to take."""

    adapts: bool  # whether to raise the shift where sweeps swing, and to step back where clusters die

    def first(self, problem: Problem, seeds: Seeds) -> float:
        """The weight to start with."""

    def after(self, point: PathPoint) -> float | None:
        """The weight after this one, or None at the end."""

    def largest(self, affinity: Any, n_clusters: int) -> float:
        """No weight of the path is larger."""


@dataclass
class GivenWeights:
    """These weights in this order; a single one is the paper's cold run."""

    weights: tuple[float, ...]
    adapts = False

    def first(self, problem: Problem, seeds: Seeds) -> float:
        """The first of them."""
        self._rest = iter(self.weights[1:])
        return self.weights[0]

    def after(self, point: PathPoint) -> float | None:
        """The next of them."""
        return next(self._rest, None)

    def largest(self, affinity: Any, n_clusters: int) -> float:
        """The largest of them."""
        return max(self.weights)


class AutomaticWeights:
    """From the transition on, in steps that follow the changes, until the labels stay and are certain."""

    adapts = True

    def first(self, problem: Problem, seeds: Seeds) -> float:
        """Below the transition for first modes, above it for a first clustering."""
        self._transition = transition_weight(problem.affinity, problem.n_clusters)
        self._ratio = FIRST_RATIO
        return self._transition * (START_OF_MODES if seeds.labels is None else START_OF_LABELS)

    def after(self, point: PathPoint) -> float | None:
        """A larger one, unless the answer has settled."""
        settled = point.certainty >= CERTAIN and point.changed <= FEW_CHANGES
        if settled or point.weight >= LAST_WEIGHT * self._transition:
            return None
        if point.changed > MANY_CHANGES:
            self._ratio = max(self._ratio**0.5, SMALLEST_RATIO)
        elif point.changed <= FEW_CHANGES:
            self._ratio = min(self._ratio**2, LARGEST_RATIO)
        return point.weight * self._ratio

    def largest(self, affinity: Any, n_clusters: int) -> float:
        """The last step goes at most this far beyond the last weight but one."""
        return LAST_WEIGHT * LARGEST_RATIO * transition_weight(affinity, n_clusters)


def schedule_of(weights: tuple[float, ...] | None) -> Schedule:
    """The given weights one after the other, or the automatic path."""
    return AutomaticWeights() if weights is None else GivenWeights(weights)


def transition_weight(affinity: Any, n_clusters: int) -> float:
    """The weight at which neighbours begin to decide: where K clusters and no clusters are worth the same.

    The sweeps are the mean-field equations of a Potts model with K states; on a graph of degree d its ordered
    state and its uniform one have the same free energy at ``2 (K - 1) log(K - 1) / ((K - 2) d)`` (Wu, Reviews of Modern
    Physics 1982), with the limit ``2 / d`` for two clusters.
    """
    degrees = np.asarray(affinity.sum(axis=1))
    if not degrees.any():
        return 1.0
    degree = max(float(np.median(degrees[degrees > 0])), SMALLEST_DEGREE)  # one heavy edge shall not decide
    states = max(n_clusters, 2)
    return 2 / degree if states == 2 else 2 * (states - 1) * log(states - 1) / ((states - 2) * degree)


class Stage(NamedTuple):
    """Where the run at one weight ended."""

    problem: Problem
    placed: Any
    state: State
    history: tuple[Step, ...]

    @property
    def n_empty(self) -> int:
        """Clusters without a member."""
        return int(np.count_nonzero(self.state.step.cluster_sizes == 0))

    def point(self, engine: Engine, labels_before: npt.NDArray[np.int64] | None) -> PathPoint:
        """What the path keeps of it."""
        return PathPoint(
            self.problem.laplacian_weight,
            certainty=float(engine.largest(self.state.memberships).mean(dtype=np.float64)),
            relaxed_objective=self.state.step.relaxed_objectives[-1],
            normalized_cut=cut_of_groups(self.problem.affinity, self.state.labels, engine.n_threads),
            changed=float("nan") if labels_before is None else float(np.mean(labels_before != self.state.labels)),
            n_iter=len(self.history),
        )


def follow(
    problem: Problem,
    method: Method,
    engine: Engine,
    placed: Any,
    schedule: Schedule,
    seeds: Seeds,
    rng: np.random.Generator,
    watch: Watch,
) -> PathEnd:
    """Solve at every weight of the schedule, each from the end of the one before.

    A schedule that adapts calms sweeps that swing to and fro by a diagonal shift, starts over at a smaller weight where
    clusters die at the first, and ends before a weight at which more of them do.
    """
    start: Seeds | State = seeds
    stage: Stage | None = None
    points: list[PathPoint] = []
    retreats = 0
    weight: float | None = schedule.first(problem, seeds)
    while weight is not None:
        problem = replace(problem, laplacian_weight=weight)
        placed = engine.reweigh(placed, weight, problem.diagonal_shift)
        reached = Stage(problem, placed, *drain(watch(weight, iterate(problem, method, engine, placed, start, rng))))
        if schedule.adapts and reached.state.status is Status.OSCILLATED:
            problem = replace(problem, diagonal_shift=max(2 * problem.diagonal_shift, FIRST_SHIFT))
            start = reached.state
            continue
        if schedule.adapts and reached.n_empty > (stage.n_empty if stage else 0):
            if stage is not None:
                break
            if retreats < MOST_RETREATS:
                retreats, weight, start = retreats + 1, weight * RETREAT, seeds
                continue
        points.append(reached.point(engine, stage.state.labels if stage else seeds.labels))
        stage, start, weight = reached, reached.state, schedule.after(points[-1])
    assert stage is not None  # a schedule has a first weight
    return PathEnd(
        conclude(stage.problem, engine, stage.placed, stage.state, stage.history), stage.problem, tuple(points)
    )
