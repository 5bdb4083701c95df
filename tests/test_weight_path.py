import numpy as np
import pytest
from scipy import sparse

from slkmodes.engines import make_engine
from slkmodes.mode_kernels import GaussianKernel
from slkmodes.problem import Method, Problem
from slkmodes.seeding import Seeds
from slkmodes.solution import Status
from slkmodes.solver import solve
from slkmodes.weight_path import (
    CERTAIN,
    FEW_CHANGES,
    LAST_WEIGHT,
    AutomaticWeights,
    GivenWeights,
    follow,
    transition_weight,
)
from tests.examples import graph_of, rings

ENGINES = pytest.mark.parametrize("engine", ["numpy", "auto"])


def path_from(seeds, schedule, engine="numpy", problem=None, **method):
    X, _ = rings(200)
    problem = problem or Problem(GaussianKernel(X, 0.3), graph_of(X), 2, 0.0)
    engine = make_engine(engine, 1)
    rng = np.random.default_rng(0)
    return follow(
        problem, Method(**method), engine, engine.place(problem), schedule, seeds, rng, lambda weight, states: states
    )


def modes_of_rings():
    X, _ = rings(200)
    return Seeds(GaussianKernel(X, 0.3).modes_at(np.array([0, 1])))


@ENGINES
def test_one_given_weight_is_the_cold_run(engine):
    X, _ = rings(200)
    problem = Problem(GaussianKernel(X, 0.3), graph_of(X), 2, 1.3)
    end = path_from(modes_of_rings(), GivenWeights((1.3,)), engine)
    cold = solve(problem, Method(), make_engine(engine, 1), modes_of_rings(), np.random.default_rng(0))
    np.testing.assert_array_equal(end.solution.memberships, cold.memberships)
    assert [point.weight for point in end.points] == [1.3]
    assert end.problem.laplacian_weight == 1.3


@ENGINES
def test_the_automatic_path_grows_and_ends_certain_and_unchanged(engine):
    end = path_from(modes_of_rings(), AutomaticWeights(), engine)
    weights = [point.weight for point in end.points]
    assert weights == sorted(weights)
    assert len(weights) > 1
    last = end.points[-1]
    assert last.certainty >= CERTAIN
    assert last.changed <= FEW_CHANGES
    assert end.solution.status is Status.CONVERGED
    assert np.isnan(end.points[0].changed)  # nothing to compare with


def test_a_path_that_never_settles_ends_at_the_last_weight():
    schedule = AutomaticWeights()
    X, _ = rings(100)
    problem = Problem(GaussianKernel(X, 1.0), graph_of(X), 2, 0.0)
    weight, points = schedule.first(problem, modes_of_rings()), 0
    end = path_from(modes_of_rings(), GivenWeights((1.0,))).points[-1]
    while weight is not None:
        assert weight <= schedule.largest(problem.affinity, 2)
        points += 1
        reached = weight
        weight = schedule.after(end._replace(weight=weight, changed=0.5, certainty=0.6))
    assert reached >= LAST_WEIGHT * transition_weight(problem.affinity, 2)
    assert points > 10  # many changes make for small steps


def test_steps_follow_the_changes():
    schedule = AutomaticWeights()
    X, _ = rings(100)
    schedule.first(Problem(GaussianKernel(X, 1.0), graph_of(X), 2, 0.0), modes_of_rings())
    point = path_from(modes_of_rings(), GivenWeights((1.0,))).points[-1]._replace(weight=0.1, certainty=0.5)
    small = schedule.after(point._replace(changed=0.2))
    large = schedule.after(point._replace(changed=0.0))
    assert 0.1 < small < large


@pytest.mark.parametrize(
    ("n_clusters", "expected"), [(1, 0.5), (2, 0.5), (3, 4 * np.log(2) / 4), (10, 18 / 32 * np.log(9))]
)
def test_transition_weight(n_clusters, expected):
    ring = sparse.csr_array(
        np.roll(np.eye(8), 1, 0) + np.roll(np.eye(8), -1, 0) + np.roll(np.eye(8), 2, 0) + np.roll(np.eye(8), -2, 0)
    )
    assert transition_weight(ring, n_clusters) == pytest.approx(expected)
    assert transition_weight(sparse.csr_array((3, 3)), n_clusters) == 1.0


@pytest.mark.parametrize("weight_in_transitions", [0.9, 1.1])
def test_uniform_memberships_melt_below_the_transition_and_hold_above(weight_in_transitions):
    """A clustering of a regular graph into K parts without any mode term."""
    K, n = 6, 240
    block = np.kron(np.eye(K), np.ones((n // K, n // K))) - np.eye(n)
    W = sparse.csr_array(block / (n // K - 1))  # degree 1, no edge between the parts
    weight = weight_in_transitions * transition_weight(W, K)
    Z = 0.9 * np.kron(np.eye(K), np.ones((n // K, 1))) + 0.1 / K
    for _ in range(2000):
        logits = weight * (W @ Z)
        Z = np.exp(logits - logits.max(axis=1, keepdims=True))
        Z /= Z.sum(axis=1, keepdims=True)
    hard = Z.max(axis=1).mean()
    free_energy = np.sum(Z * np.log(Z)) - weight / 2 * np.sum(Z * (W @ Z))
    uniform = n * (-np.log(K) - weight / (2 * K))
    assert (hard > 0.5 and free_energy < uniform) if weight_in_transitions > 1 else free_energy >= uniform - 1e-9


def test_swings_are_calmed_on_the_automatic_path_only():
    rng = np.random.default_rng(0)
    n = 40
    W = sparse.csr_array(np.kron([[0, 1], [1, 0]], np.ones((n // 2, n // 2))))  # bipartite: rows copy the other side
    X = rng.normal(size=(n, 1))
    problem = Problem(GaussianKernel(X, 1.0), W, 2, 0.0)
    seeds = Seeds(None, np.repeat([0, 1], n // 2))
    given = path_from(seeds, GivenWeights((2.0,)), problem=problem)
    assert given.solution.status is Status.OSCILLATED
    calmed = path_from(seeds, AutomaticWeights(), problem=problem)
    assert calmed.solution.status is not Status.OSCILLATED
    assert calmed.problem.diagonal_shift > 0


def test_a_path_never_ends_with_more_empty_clusters_than_it_began_with():
    engine, died = make_engine("auto", 1), 0
    for seed in range(6):
        X = np.random.default_rng(seed).random((80, 2))
        problem = Problem(GaussianKernel(X, 0.1), graph_of(X), 20, 0.0)
        seeds = Seeds(problem.kernel.modes_at(np.random.default_rng(seed).choice(80, 20, replace=False)))
        tried = []

        def watch(weight, states, tried=tried):
            for state in states:
                yield state
            tried.append((weight, np.count_nonzero(state.step.cluster_sizes == 0)))

        method = Method(reseed_empty=False)
        end = follow(
            problem, method, engine, engine.place(problem), AutomaticWeights(), seeds, np.random.default_rng(0), watch
        )
        empty = dict(tried)
        assert end.solution.n_empty == empty[end.problem.laplacian_weight] <= empty[end.points[0].weight]
        died += max(empty.values()) > end.solution.n_empty
    assert died  # at some weight, at least once, clusters were lost and the path stepped back
