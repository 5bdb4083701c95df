"""New modes from the memberships: a table of rules, section 3.1 of the paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from slkmodes.engines.protocol import Engine, Groups
from slkmodes.mode_kernels import ModeKernel, Modes
from slkmodes.problem import Problem
from slkmodes.seeding import Seeds

Array = npt.NDArray[Any]

# Mean shift has converged when no mode moves by more than this part of the bandwidth.
MEAN_SHIFT_TOLERANCE = 1e-4
MEAN_SHIFT_STEPS = 500

# Where an exact density costs too much, candidates are eliminated in rounds: the best eighth survives, seen against
# four times more rows.
FIRST_REFERENCES = 96
SURVIVING_PART = 8
MORE_REFERENCES = 4
FINALISTS = 32
# Densities closer than this are equal: float32 cannot tell them apart, and two members always tie.
TIE = 1e-6


class Assignment(NamedTuple):
    """What the z-updates left behind: the input of every rule."""

    problem: Problem
    placed: Any
    similarity: Any
    memberships: Any
    groups: Groups
    modes: Modes


def group_by_label(labels: npt.NDArray[np.int64], n_clusters: int) -> Groups:
    """Sort rows by label, each cluster's rows in their own order."""
    counts = np.bincount(labels, minlength=n_clusters)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Groups(np.argsort(labels, kind="stable"), starts)


def nearest_members(kernel: ModeKernel, modes: Modes, labels: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The member nearest to each mode; the nearest row where a cluster has no member."""
    groups, everyone = group_by_label(labels, len(modes.rows)), np.arange(kernel.n_samples)
    members = [groups.members(cluster) for cluster in range(len(modes.rows))]
    rows = [kernel.nearest_row(modes, c, own if len(own) else everyone) for c, own in enumerate(members)]
    return np.array(rows, dtype=np.int64)


def argmax(engine: Engine, assignment: Assignment) -> Modes:
    """SLK-BO, eq. (11): the row with the largest membership, a byproduct of the z-updates.

    Among the members of the cluster, so that a mode always belongs to its own; eq. (11) looks at all rows.
    """
    problem, placed, similarity, memberships, groups, modes = assignment
    rows = engine.best_rows(placed, similarity, memberships, groups)
    return _replace_rows(problem, modes, rows)


def mean_shift(engine: Engine, assignment: Assignment) -> Modes:
    """SLK-MS, eq. (9) to convergence: the mode is a point of the space, not a row.

    The sum runs over the members of the cluster (the rows labelled so), weighted by their memberships.
    Rows of other clusters are left out: at small weights Z is almost uniform, and with every row in every
    sum all modes would climb the same hill.
    """
    problem, placed, _, memberships, groups, modes = assignment
    assert modes.points is not None  # the estimator refuses kernels without features
    tolerance = MEAN_SHIFT_TOLERANCE * problem.kernel.scale
    points = engine.mean_shift(placed, memberships, groups, modes.points, tolerance, MEAN_SHIFT_STEPS)
    return Modes(rows=np.full(problem.n_clusters, -1), points=points)


def density(engine: Engine, assignment: Assignment) -> Modes:
    """The definition in eq. (1): the member at which the kernel density of the cluster is highest.

    The density is weighted by the memberships, as R needs: exact over all rows for small clusters, so that
    no mode update can raise R; by elimination over the members for large ones (:func:`densest_member`). A
    mode is given up only for one of higher density.
    """
    problem, placed, _, memberships, groups, modes = assignment
    Z: Any = engine.fetch(memberships)
    Z = Z if isinstance(Z, np.ndarray) else Z.tocsc()
    rows = np.full(problem.n_clusters, -1)
    for cluster in range(problem.n_clusters):
        members = groups.members(cluster)
        if len(members):
            z = Z[:, cluster] if isinstance(Z, np.ndarray) else Z[:, [cluster]].toarray()[:, 0]
            keep = int(modes.rows[cluster])
            rows[cluster] = densest_member(engine, problem, placed, members, np.flatnonzero(z), z, keep)
    return _replace_rows(problem, modes, rows)


def seeds_themselves(engine: Engine, problem: Problem, placed: Any, seeds: Seeds) -> Modes:
    """Start Algorithm 1 from the seeds as they are; a clustering has its density modes."""
    return seeds.modes or density_of_seeds(engine, problem, placed, seeds)


def density_of_seeds(engine: Engine, problem: Problem, placed: Any, seeds: Seeds) -> Modes:
    """Start from the density modes of the seeds' hard assignment, every member counting one (section 4.2).

    On a graph seeds that are rows start themselves: beyond their neighbours it cannot say which of them is nearest.
    """
    if seeds.labels is not None:
        labels, keep = seeds.labels, np.full(problem.n_clusters, -1)
    else:
        assert seeds.modes is not None  # seeds are one or the other
        if seeds.modes.points is None:
            return seeds.modes
        memberships = engine.start(placed, engine.similarity(placed, seeds.modes))
        labels, keep = engine.labels(placed, memberships, seeds.modes), seeds.modes.rows
    groups = group_by_label(labels, problem.n_clusters)
    everyone, ones = np.arange(problem.n_samples), np.ones(problem.n_samples, dtype=np.float32)
    rows = np.empty(problem.n_clusters, dtype=np.int64)
    for cluster in range(problem.n_clusters):
        members = groups.members(cluster)
        if len(members):
            rows[cluster] = densest_member(engine, problem, placed, members, members, ones, int(keep[cluster]))
        else:
            assert seeds.modes is not None  # a clustering has no empty clusters
            rows[cluster] = problem.kernel.nearest_row(seeds.modes, cluster, everyone)
    return problem.kernel.modes_at(rows)


class ModeUpdate(NamedTuple):
    """A rule: where its first modes come from, and how it makes new ones."""

    starting_modes: Callable[[Engine, Problem, Any, Seeds], Modes]
    update: Callable[[Engine, Assignment], Modes]


MODE_UPDATES = {
    "argmax": ModeUpdate(density_of_seeds, argmax),
    "mean_shift": ModeUpdate(seeds_themselves, mean_shift),
    "density": ModeUpdate(density_of_seeds, density),
}


def densest_member(
    engine: Engine,
    problem: Problem,
    placed: Any,
    members: npt.NDArray[np.int64],
    references: npt.NDArray[np.int64],
    weights: Array,
    keep: int = -1,
) -> int:
    """The member with the highest ``sum_p weights_p k(x_p, y)`` over the references; ``keep`` wins ties.

    Exact while it is cheap. Beyond, candidates are eliminated in rounds, each against an evenly spaced sample of the
    members that grows as the field shrinks, and the finalists are compared over all members: about n_l * log(n_l)
    kernel values. ``benchmarks/density_error.py`` measures what that loses. ``keep`` and the winner are always
    compared over all references, so that the sum cannot fall.
    """
    if len(members) * len(references) > problem.kernel.exact_pairs:
        finalists = _eliminate(engine, placed, members, weights)
        sums = engine.density(placed, finalists, members, weights[members])
        members = finalists[[np.argmax(sums)]]
    if keep >= 0:
        members = np.concatenate([[keep], members[members != keep]])
    if len(members) == 1:
        return int(members[0])
    sums = engine.density(placed, members, references, weights[references])
    best = int(np.argmax(sums))
    if keep >= 0 and sums[0] >= sums[best] * (1 - TIE):
        best = 0
    return int(members[best])


def _eliminate(engine: Engine, placed: Any, members: npt.NDArray[np.int64], weights: Array) -> npt.NDArray[np.int64]:
    """Successive elimination down to a few candidates, in the order of ``members``."""
    candidates, n_references = members, FIRST_REFERENCES
    while len(candidates) > FINALISTS and n_references < len(members):
        sample = members[np.linspace(0, len(members) - 1, n_references).astype(np.int64)]
        sums = engine.density(placed, candidates, sample, weights[sample])
        n_kept = max(FINALISTS, len(candidates) // SURVIVING_PART)
        candidates = np.sort(candidates[np.argpartition(-sums, n_kept - 1)[:n_kept]])
        n_references *= MORE_REFERENCES
    return candidates


def _replace_rows(problem: Problem, modes: Modes, rows: npt.NDArray[np.int64]) -> Modes:
    """Modes at the given rows; where the row is -1 (a cluster without members) the old mode stays."""
    found = rows >= 0
    if modes.points is None:
        return Modes(rows=np.where(found, rows, modes.rows))
    points = modes.points.copy()
    points[found] = problem.kernel.modes_at(rows[found]).points
    return Modes(rows=np.where(found, rows, modes.rows), points=points)
