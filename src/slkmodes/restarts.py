"""Several runs from different starts, and the choice between them without labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from slkmodes.contraction import description_cost
from slkmodes.engines.protocol import Engine
from slkmodes.problem import Method, Problem
from slkmodes.seeding import Seeds, starts
from slkmodes.solution import Solution, State
from slkmodes.telling import Say, keep_quiet
from slkmodes.weight_path import PathPoint, Schedule, follow

Narrate = Callable[[int, float, Iterator[State]], Iterator[State]]
FindStarts = Callable[[Any, int | str, Engine, Problem, np.random.Generator, Say], Iterator[Seeds]]


class Run(NamedTuple):
    """A finished run: where it started, its path, and its end."""

    seeds: Seeds
    path: tuple[PathPoint, ...]
    problem: Problem  # at the last weight
    solution: Solution


class FoundOnce:
    """The one start of a run, for more runs with the same seed: neither weights nor modes play a part in it."""

    def __init__(self) -> None:
        self.found: tuple[Seeds, Any] | None = None

    def __call__(
        self, init: Any, n_init: int | str, engine: Engine, problem: Problem, rng: np.random.Generator, say: Say
    ) -> Iterator[Seeds]:
        """As :func:`slkmodes.seeding.starts`, which leaves the generator in the same state."""
        if self.found is None:
            (seeds,) = starts(init, n_init, engine, problem, rng, say)
            self.found = seeds, rng.bit_generator.state
        seeds, rng.bit_generator.state = self.found
        yield seeds


def best_run(
    problem: Problem,
    method: Method,
    engine: Engine,
    schedule: Schedule,
    init: Any,
    n_init: int | str,
    rng: np.random.Generator,
    narrate: Narrate,
    say: Say = keep_quiet,
    find_starts: FindStarts = starts,
) -> Run:
    """Solve from every start and keep the run that describes the graph best, of those with the fewest empty clusters.

    Fewer clusters always cut less: a run that lost one may not win by it.
    """
    placed = engine.place(problem)
    best: tuple[tuple[int, float], Run] | None = None
    for number, seeds in enumerate(find_starts(init, n_init, engine, problem, rng, say), start=1):
        end = follow(problem, method, engine, placed, schedule, seeds, rng, partial(narrate, number))
        rank = (end.solution.n_empty, description_cost(problem.affinity, end.solution.labels, engine.n_threads))
        if best is None or rank < best[0]:
            best = (rank, Run(seeds, end.points, end.problem, end.solution))
    assert best is not None  # there is at least one start
    return best[1]
