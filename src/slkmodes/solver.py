"""Algorithm 1: the only loop in the library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.engines.protocol import Engine
from slkmodes.mode_kernels import Modes
from slkmodes.mode_updates import MODE_UPDATES, Assignment, group_by_label, nearest_members
from slkmodes.objective import discrete_objective
from slkmodes.problem import Method, Problem
from slkmodes.seeding import Seeds, plant, reseed
from slkmodes.solution import Solution, State, Status, Step

# The modes have settled when none moves by more than this part of the kernel's scale.
MODE_TOLERANCE = 1e-3
# R must stand still for so many sweeps: on a directed graph it may rise and fall, and stand still where it turns.
SETTLED_SWEEPS = 3
# A cluster that died this often will not live at this weight.
RESEED_ROUNDS = 3


def solve(problem: Problem, method: Method, engine: Engine, seeds: Seeds, rng: np.random.Generator) -> Solution:
    """Run Algorithm 1 from the given seeds to its end."""
    placed = engine.place(problem)
    return conclude(problem, engine, placed, *drain(iterate(problem, method, engine, placed, seeds, rng)))


def iterate(
    problem: Problem,
    method: Method,
    engine: Engine,
    placed: Any,
    start: Seeds | State,
    rng: np.random.Generator,
) -> Iterator[State]:
    """Yield one State per outer iteration, from seeds or from where another problem's run ended; the last has a Status.

    Seeds that are a clustering lend their labels to the first memberships, which then go on from update to update:
    begun anew from the modes alone, as Algorithm 1 does, the clustering would be forgotten.
    """
    rule = MODE_UPDATES[method.mode_update]
    if isinstance(start, State):
        modes, memberships = start.modes, start.memberships
    else:
        modes, memberships = rule.starting_modes(engine, problem, placed, start), None
    start_labels = start.labels
    warm = method.warm_memberships or start_labels is not None
    reseeds_left = RESEED_ROUNDS if method.reseed_empty else 0
    visited = {tuple(modes.rows)}

    for iteration in range(1, method.max_iter + 1):
        similarity = engine.similarity(placed, modes)
        if memberships is None or not warm:
            memberships = engine.start(placed, similarity, start_labels)
        memberships, objectives, ended = _update_memberships(method, engine, placed, similarity, memberships)
        labels = engine.labels(placed, memberships, modes)
        groups = group_by_label(labels, problem.n_clusters)
        new_modes = rule.update(engine, Assignment(problem, placed, similarity, memberships, groups, modes))

        sizes = np.diff(groups.starts)
        dead = np.flatnonzero(sizes == 0)
        revive = len(dead) > 0 and reseeds_left > 0 and iteration < method.max_iter
        if revive:
            reseeds_left -= 1
            closest = engine.largest(engine.similarity(placed, new_modes))
            new_modes = reseed(problem.kernel, closest, new_modes, dead, rng)

        shifts = new_modes.moved_from(modes)
        step = Step(objectives, shifts, sizes, tuple(dead.tolist()) if revive else ())
        modes = new_modes
        status = None if revive else _status(problem, method, iteration, step, ended, modes, None if warm else visited)
        yield State(modes, memberships, labels, step, status)
        if status is not None:
            return
        if revive:
            memberships = None  # a new mode cannot grow from memberships in which it is dead
            if start_labels is not None:
                start_labels = plant(problem.affinity, labels, modes, dead)


def drain(states: Iterable[State]) -> tuple[State, tuple[Step, ...]]:
    """The last state, and the steps on the way there."""
    history = []
    for state in states:
        history.append(state.step)
    return state, tuple(history)  # iterate() yields at least one


def conclude(problem: Problem, engine: Engine, placed: Any, state: State, history: tuple[Step, ...]) -> Solution:
    """Evaluate the last state at the modes it ended with."""
    assert state.status is not None  # iterate() ends with one
    similarity = engine.similarity(placed, state.modes)
    _, relaxed = engine.sweep(placed, similarity, state.memberships)
    memberships = engine.fetch(state.memberships)
    return Solution(
        modes=state.modes,
        memberships=np.array(memberships, order="C") if isinstance(memberships, np.ndarray) else memberships,
        labels=state.labels,
        relaxed_objective=relaxed,
        discrete_objective=discrete_objective(
            engine.fetch(similarity), problem.affinity, state.labels, problem.laplacian_weight
        ),
        status=state.status,
        history=history,
    )


def _update_memberships(
    method: Method, engine: Engine, placed: Any, similarity: Any, memberships: Any
) -> tuple[Any, tuple[float, ...], Status]:
    """Sweep until R stops falling: the inner loop. Returns Z, R before each sweep, and how it ended."""
    objectives: list[float] = []
    spare = None  # the first memberships are the caller's; from the third sweep on two places take turns
    for number in range(method.max_sweeps):
        before = memberships
        memberships, objective = engine.sweep(placed, similarity, before, spare)
        spare = before if number else None
        objectives.append(objective)
        if _repeats(objectives, 1, method.tol):
            return memberships, tuple(objectives), Status.CONVERGED
        if _repeats(objectives, 2, method.tol):
            return memberships, tuple(objectives), Status.OSCILLATED
    return memberships, tuple(objectives), Status.SWEEP_LIMIT


def _repeats(objectives: list[float], period: int, tol: float) -> bool:
    """Whether each of the last values of R is, to the tolerance, what it was ``period`` sweeps before."""
    if len(objectives) < SETTLED_SWEEPS + period:
        return False
    now, then = np.array(objectives[-SETTLED_SWEEPS:]), np.array(objectives[-SETTLED_SWEEPS - period : -period])
    return bool(np.all(np.abs(now - then) <= tol * np.abs(now)))


def _status(
    problem: Problem,
    method: Method,
    iteration: int,
    step: Step,
    ended: Status,
    modes: Modes,
    visited: set[tuple[int, ...]] | None,
) -> Status | None:
    """How the run ends here, or None if it goes on; remembers where the modes have been.

    ``ended`` is how the last sweeps did: what counts once the modes have settled. ``visited`` is None where the
    memberships go on from update to update: only after a cold start do the modes alone decide what follows.
    """
    rows = tuple(modes.rows)
    if np.all(step.mode_shifts <= MODE_TOLERANCE * problem.kernel.scale):
        status = ended
    elif visited is not None and min(rows) >= 0 and rows in visited:
        status = Status.CYCLED
    elif iteration == method.max_iter:
        status = Status.ITERATION_LIMIT
    else:
        if visited is not None:
            visited.add(rows)
        return None
    return Status.EMPTY_CLUSTERS if np.any(step.cluster_sizes == 0) else status


def exemplars(problem: Problem, solution: Solution) -> npt.NDArray[np.int64]:
    """The row that stands for each cluster: the mode, or the member nearest to it where it is no row."""
    modes = solution.modes
    if modes.rows.min(initial=0) >= 0:
        return modes.rows.copy()
    return np.where(modes.rows >= 0, modes.rows, nearest_members(problem.kernel, modes, solution.labels))
