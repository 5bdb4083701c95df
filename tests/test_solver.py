from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from slkmodes.affinity import neighbor_affinity, sufficient_shift
from slkmodes.engines.numpy_engine import NumpyEngine
from slkmodes.mode_kernels import GaussianKernel
from slkmodes.neighbors import NeighborIndex
from slkmodes.problem import Method, Problem
from slkmodes.seeding import Seeds
from slkmodes.solution import Status
from slkmodes.solver import RESEED_ROUNDS, exemplars, iterate, solve
from tests.examples import random_problem, six_points


def run(problem, rows, engine=None, **method):
    seeds = Seeds(problem.kernel.modes_at(np.array(rows)))
    return solve(problem, Method(**method), engine or NumpyEngine(), seeds, np.random.default_rng(0))


def test_states_come_one_per_outer_iteration_and_the_last_has_the_status(engine):
    problem = random_problem(0)
    placed = engine.place(problem)
    seeds = Seeds(problem.kernel.modes_at(np.arange(4)))
    states = list(iterate(problem, Method(), engine, placed, seeds, np.random.default_rng(0)))
    assert all(state.status is None for state in states[:-1])
    assert states[-1].status is not None


def test_sweep_limit_is_reported(engine):
    solution = run(six_points(), [0, 3], engine, max_sweeps=2, tol=0.0)
    assert solution.status is Status.SWEEP_LIMIT
    assert len(solution.history[0].relaxed_objectives) == 2


def test_iteration_limit_is_reported_and_the_modes_belong_to_the_memberships(engine):
    problem = random_problem(11, n=60, laplacian_weight=3.0)
    full = run(problem, [0, 1, 2, 3], engine, mode_update="density")
    assert len(full.history) > 1
    short = run(problem, [0, 1, 2, 3], engine, mode_update="density", max_iter=1)
    assert short.status in (Status.ITERATION_LIMIT, Status.EMPTY_CLUSTERS)
    alive = np.unique(short.labels)
    np.testing.assert_array_equal(short.labels[short.modes.rows[alive]], alive)


def test_modes_that_return_end_the_run(monkeypatch):
    """Two modes that swap for ever: the third set has been seen."""
    from slkmodes import mode_updates, solver

    problem = six_points()
    there, back = (problem.kernel.modes_at(np.array(rows)) for rows in ([0, 3], [2, 5]))

    def swap(engine, assignment):
        return back if assignment.modes.rows[0] == 0 else there

    table = {"swap": mode_updates.ModeUpdate(mode_updates.seeds_themselves, swap)}
    monkeypatch.setattr(solver, "MODE_UPDATES", table)
    solution = run(problem, [0, 3], mode_update="swap")
    assert solution.status is Status.CYCLED
    assert len(solution.history) == 2
    warm = run(problem, [0, 3], mode_update="swap", warm_memberships=True, max_iter=7)
    assert warm.status is Status.ITERATION_LIMIT


def two_triangles(*, duplicates=False):
    """Two far groups of three joined rows, three clusters; of duplicates only two clusters can be told apart."""
    X = np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]])
    W = sparse.csr_array(np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3)))
    return Problem(GaussianKernel(np.floor(X) if duplicates else X, 1.0), W, 3, 5.0, sufficient_shift(W, 5.0))


def test_swinging_memberships_are_reported_and_the_shift_stops_them(engine):
    """A triangle shared by two clusters: at this weight its rows exchange their memberships for ever."""
    swinging = replace(two_triangles(), diagonal_shift=0.0)
    solution = run(swinging, [0, 1, 3], engine)
    assert solution.status is Status.OSCILLATED
    assert len(solution.history[-1].relaxed_objectives) < 100
    assert run(two_triangles(), [0, 1, 3], engine).status is Status.CONVERGED


def test_a_cluster_that_cannot_live_is_reseeded_then_reported(engine):
    solution = run(two_triangles(duplicates=True), [0, 1, 3], engine)
    assert solution.status is Status.EMPTY_CLUSTERS
    assert sum(bool(step.reseeded) for step in solution.history) == RESEED_ROUNDS
    assert set(solution.labels.tolist()) < {0, 1, 2}


def test_a_dead_cluster_may_be_left_alone(engine):
    solution = run(two_triangles(duplicates=True), [0, 1, 3], engine, reseed_empty=False)
    assert solution.status is Status.EMPTY_CLUSTERS
    assert not any(step.reseeded for step in solution.history)


@pytest.mark.parametrize("warm", [False, True])
def test_reseeding_saves_a_cluster_that_started_in_the_wrong_place(engine, warm):
    """Two joined cliques and both seeds in the first: the weaker seed dies and is reborn in the second."""
    X = np.array([[0.0], [0.1], [0.2], [0.25], [0.3], [9.0], [9.1], [9.2], [9.3], [9.4]])
    W = np.kron(np.eye(2), np.ones((5, 5)) - np.eye(5))
    W[4, 5] = W[5, 4] = 1
    problem = Problem(GaussianKernel(X, 1.0), sparse.csr_array(W), 2, 5.0)
    method = {"mode_update": "mean_shift", "warm_memberships": warm}
    assert run(problem, [2, 0], engine, **method, reseed_empty=False).status is Status.EMPTY_CLUSTERS
    solution = run(problem, [2, 0], engine, **method)
    assert solution.history[0].reseeded == (1,)
    assert solution.status is Status.CONVERGED
    assert solution.labels.tolist() == [0] * 5 + [1] * 5


def test_warm_memberships_take_fewer_sweeps(engine):
    X = np.random.default_rng(0).normal(size=(200, 2))
    graph = neighbor_affinity(NeighborIndex(X, "kd_tree", 6).graph(1), "binary", "union", 6, 1.0)
    problem = Problem(GaussianKernel(X, 0.5), graph, 3, 0.5)
    last_sweeps = {}
    for warm in (False, True):
        solution = run(problem, [0, 1, 2], engine, mode_update="mean_shift", warm_memberships=warm)
        last_sweeps[warm] = len(solution.history[-1].relaxed_objectives)
    assert last_sweeps[True] < last_sweeps[False] / 2


def test_a_clustering_as_seeds_is_not_forgotten(engine):
    """A path of ten rows with a far kernel: only the labels of the seeds know where to cut it."""
    X = np.arange(10.0)[:, None] * 100
    W = sparse.csr_array(np.diag(np.ones(9), 1) + np.diag(np.ones(9), -1))
    problem = Problem(GaussianKernel(X, 1.0), W, 2, 3.0, sufficient_shift(W, 3.0))
    labels = np.array([0] * 3 + [1] * 7)
    solution = solve(problem, Method(), engine, Seeds(None, labels), np.random.default_rng(0))
    np.testing.assert_array_equal(solution.labels, labels)


def test_a_cluster_lost_from_a_clustering_is_planted_anew(engine):
    """One row of a clique cannot hold out against the others, its new place can."""
    W = np.kron(np.eye(2), np.ones((6, 6)) - np.eye(6))
    W[5, 6] = W[6, 5] = 0.1
    X = np.concatenate([np.arange(6.0) / 10, 50 + np.arange(6.0) / 10])[:, None]
    problem = Problem(GaussianKernel(X, 1.0), sparse.csr_array(W), 2, 3.0)
    labels = np.zeros(12, dtype=np.int64)
    labels[0] = 1
    found = []
    for seed in range(8):
        solution = solve(problem, Method(), engine, Seeds(None, labels), np.random.default_rng(seed))
        assert solution.history[0].reseeded == (1,)
        found.append(sorted(np.bincount(solution.labels, minlength=2).tolist()) == [6, 6])
    assert any(found)


def test_exemplar_of_a_mean_shift_mode_is_the_nearest_member():
    problem = six_points()
    solution = run(problem, [0, 3], mode_update="mean_shift")
    assert exemplars(problem, solution).tolist() == [1, 4]


def test_exemplars_of_row_modes_are_the_modes():
    problem = six_points()
    assert exemplars(problem, run(problem, [0, 3])).tolist() == [1, 4]


def test_every_status_tells_what_to_do():
    for status in Status:
        assert status.value.endswith(".")
        if status is not Status.CONVERGED:
            assert any(word in status.value for word in ("Increase", "Decrease", "Set"))


@pytest.mark.parametrize("update", ["argmax", "density", "mean_shift"])
def test_one_cluster_holds_everyone(engine, update):
    problem = random_problem(0, n_clusters=1)
    solution = run(problem, [3], engine, mode_update=update)
    assert solution.status is Status.CONVERGED
    np.testing.assert_array_equal(solution.memberships, 1)
