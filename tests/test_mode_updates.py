import numpy as np
import pytest
from scipy.sparse import random as random_sparse

from slkmodes import mode_updates
from slkmodes.engines.numpy_engine import NumpyEngine
from slkmodes.mode_kernels import GaussianKernel, GraphKernel
from slkmodes.mode_updates import Assignment, densest_member, density_of_seeds, group_by_label
from slkmodes.problem import Problem
from slkmodes.seeding import Seeds
from tests.examples import random_graph, random_memberships, random_problem


def assignment_of(problem, engine):
    """What three sweeps at a high weight leave behind."""
    placed = engine.place(problem)
    modes = problem.kernel.modes_at(np.arange(problem.n_clusters))
    similarity = engine.similarity(placed, modes)
    Z = engine.start(placed, similarity)
    for _ in range(3):
        Z, _ = engine.sweep(placed, similarity, Z)
    labels = engine.labels(placed, Z, modes)
    return Assignment(problem, placed, similarity, Z, group_by_label(labels, problem.n_clusters), modes)


def test_groups_hold_every_row_once_in_order():
    groups = group_by_label(np.array([2, 0, 2, 0]), 4)
    assert [groups.members(cluster).tolist() for cluster in range(4)] == [[1, 3], [], [0, 2], []]


def test_density_takes_the_member_of_highest_weighted_density(engine):
    assignment = assignment_of(random_problem(0), engine)
    Z, X = engine.fetch(assignment.memberships), assignment.problem.kernel.X
    kernel = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / (2 * 1.5**2))
    modes = mode_updates.density(engine, assignment)
    for cluster in range(4):
        members = assignment.groups.members(cluster)
        scores = kernel @ Z[:, cluster]
        candidates = np.append(members, assignment.modes.rows[cluster])
        if len(members):
            assert scores[modes.rows[cluster]] == pytest.approx(scores[candidates].max())


def test_a_denser_mode_is_kept_even_if_it_is_no_member(engine):
    """Its cluster lost it, but no member is as dense: giving it up would raise R."""
    X = np.array([[0.0], [0.1], [-0.1], [0.4], [-0.4]])
    problem = Problem(GaussianKernel(X, 0.3), random_graph(np.random.default_rng(0), 5), 2, 1.0)
    placed = engine.place(problem)
    modes = problem.kernel.modes_at(np.array([0, 4]))
    similarity = engine.similarity(placed, modes)
    groups = group_by_label(np.array([1, 1, 1, 0, 0]), 2)
    assignment = Assignment(problem, placed, similarity, engine.start(placed, similarity), groups, modes)
    assert mode_updates.density(engine, assignment).rows[0] == 0


def test_mean_shift_ends_where_eq_9_stands_still(engine):
    assignment = assignment_of(random_problem(1), engine)
    points = mode_updates.mean_shift(engine, assignment).points
    Z, X = engine.fetch(assignment.memberships), assignment.problem.kernel.X
    for cluster, point in enumerate(points):
        members = assignment.groups.members(cluster)
        if len(members):
            pull = Z[members, cluster] * np.exp(-((X[members] - point) ** 2).sum(axis=1) / (2 * 1.5**2))
            np.testing.assert_allclose(pull @ X[members] / pull.sum(), point, atol=1e-3)


def test_a_cluster_without_members_keeps_its_mode(engine):
    assignment = assignment_of(random_problem(2), engine)
    nobody = group_by_label(np.zeros(40, dtype=np.int64), 4)
    assignment = assignment._replace(groups=nobody)
    for update in (mode_updates.argmax, mode_updates.density, mode_updates.mean_shift):
        modes = update(engine, assignment)
        np.testing.assert_array_equal(modes.points[1:], assignment.modes.points[1:])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_elimination_loses_next_to_nothing(dtype):
    """On a large cluster the chosen row is as dense as the densest, within one in a thousand."""
    rng = np.random.default_rng(0)
    for dimension in (2, 20):
        X = np.ascontiguousarray(rng.standard_t(5, size=(4000, dimension)).astype(dtype))
        kernel = GaussianKernel(X, dimension**0.5 / 2)
        problem = Problem(kernel, random_graph(rng, 10), 1, 1.0)
        members = np.arange(4000)
        ones = np.ones(4000, dtype=dtype)
        exact = kernel.density(members, members, ones)
        assert kernel.exact_pairs < 4000 * 4000
        chosen = densest_member(NumpyEngine(), problem, problem, members, members, ones)
        assert exact[chosen] >= 0.999 * exact.max()


def test_elimination_looks_at_far_fewer_pairs():
    X = np.random.default_rng(0).normal(size=(6000, 3))
    problem = Problem(GaussianKernel(X, 0.5), None, 1, 1.0)
    pairs = []

    class Counting(NumpyEngine):
        def density(self, placed, candidates, references, weights):
            pairs.append(len(candidates) * len(references))
            return super().density(placed, candidates, references, weights)

    members = np.arange(6000)
    densest_member(Counting(), problem, problem, members, members, np.ones(6000))
    assert sum(pairs) < 6000 * 6000 / 5


def test_the_old_mode_stays_unless_another_is_denser():
    problem = Problem(GaussianKernel(np.array([[0.0], [1.0], [5.0]]), 1.0), None, 1, 1.0)
    pair = np.array([0, 1])
    for keep in (0, 1):
        assert densest_member(NumpyEngine(), problem, problem, pair, pair, np.ones(3), keep=keep) == keep
    assert densest_member(NumpyEngine(), problem, problem, pair, pair, np.ones(3), keep=2) == 0


def test_starting_modes_are_the_densest_rows_of_the_seeds_clusters(engine):
    X = np.array([[-5.0], [0.9], [1.0], [1.1], [9.0], [9.1], [9.2], [14.0]])
    problem = Problem(GaussianKernel(X, 0.5), random_graph(np.random.default_rng(0), 8), 2, 1.0)
    start = density_of_seeds(engine, problem, engine.place(problem), Seeds(problem.kernel.modes_at(np.array([0, 7]))))
    assert start.rows.tolist() == [2, 5]


@pytest.mark.parametrize("update", ["argmax", "mean_shift", "density"])
def test_a_clustering_starts_from_its_density_modes(engine, update):
    X = np.array([[0.0], [0.9], [1.0], [1.1], [9.0], [9.1], [9.2], [4.0]])
    problem = Problem(GaussianKernel(X, 0.3), random_graph(np.random.default_rng(0), 8), 2, 1.0)
    seeds = Seeds(modes=None, labels=np.array([0, 0, 0, 0, 1, 1, 1, 1]))
    start = mode_updates.MODE_UPDATES[update].starting_modes(engine, problem, engine.place(problem), seeds)
    assert start.rows.tolist() == [2, 5]


def test_on_a_graph_the_seeds_start_themselves(engine):
    W = random_graph(np.random.default_rng(0), 20)
    problem = Problem(GraphKernel(W), W, 2, 1.0)
    start = density_of_seeds(engine, problem, engine.place(problem), Seeds(problem.kernel.modes_at(np.array([3, 8]))))
    assert start.rows.tolist() == [3, 8]


@pytest.mark.parametrize("symmetric", [True, False])
def test_density_on_a_graph_sums_the_similarities_to_each_row(symmetric):
    rng = np.random.default_rng(0)
    W = random_graph(rng, 15, symmetric=symmetric)
    kernel, everyone = GraphKernel(W), np.arange(15)
    weights = random_memberships(rng, 15, 2)[:, 0]
    similarity = kernel.similarity(slice(None), kernel.modes_at(everyone))
    np.testing.assert_allclose(kernel.density(everyone, everyone, weights), weights @ similarity)


def test_density_on_a_graph_is_exact_at_any_size():
    rng = np.random.default_rng(0)
    n = 3000
    W = random_sparse(n, n, density=0.003, format="csr", random_state=0)
    W = (W + W.T).tocsr()
    problem = Problem(GraphKernel(W), W, 1, 1.0)
    everyone, weights = np.arange(n), rng.random(n)
    sums = problem.kernel.density(everyone, everyone, weights)
    assert densest_member(NumpyEngine(), problem, problem, everyone, everyone, weights) == sums.argmax()


def test_a_large_cluster_never_swaps_its_mode_for_one_less_dense_over_all_rows():
    """Members and references differ: the finalists win over the members, the old mode over everyone."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(3000, 1)), rng.normal(size=(6000, 1)) * 0.1 + 2.0])
    problem = Problem(GaussianKernel(X, 0.5), None, 1, 1.0)
    members, everyone, ones = np.arange(3000), np.arange(9000), np.ones(9000)
    outsider = 3000 + int(np.argmin(np.abs(X[3000:] - 2.0)))
    assert densest_member(NumpyEngine(), problem, problem, members, everyone, ones, keep=outsider) == outsider
    sums = problem.kernel.density(np.array([0, 1]), everyone, ones)
    weak = int(np.argmin(sums))
    winner = densest_member(NumpyEngine(), problem, problem, members, everyone, ones, keep=weak)
    assert problem.kernel.density(np.array([winner]), everyone, ones) >= sums[weak]
