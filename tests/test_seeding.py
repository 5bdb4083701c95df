import numpy as np
import pytest
from scipy.sparse import csr_array

from slkmodes.mode_kernels import GaussianKernel, GraphKernel, Modes
from slkmodes.problem import Problem
from slkmodes.seeding import AUTO_RUNS, SEEDINGS, draw_far_row, first_seeds, plant, reseed
from tests.examples import random_graph


@pytest.fixture(params=["features", "graph"])
def kernel(request):
    rng = np.random.default_rng(0)
    if request.param == "graph":
        return GraphKernel(random_graph(rng, 30))
    return GaussianKernel(rng.normal(size=(30, 2)), 1.0)


def problem_of(kernel, n_clusters):
    return Problem(kernel, random_graph(np.random.default_rng(1), kernel.n_samples), n_clusters, 1.0)


@pytest.mark.parametrize("name", ["k-means++", "random"])
def test_seeds_are_different_rows_and_repeatable(name, kernel):
    problem = problem_of(kernel, 6)
    first, again, other = (first_seeds(name, problem, np.random.default_rng(seed)).modes for seed in (1, 1, 2))
    assert len(set(first.rows.tolist())) == 6
    np.testing.assert_array_equal(first.rows, again.rows)
    assert first.rows.tolist() != other.rows.tolist()


def test_graph_seeds_are_a_clustering_and_repeatable(kernel):
    problem = problem_of(kernel, 4)
    first, again = (first_seeds("graph", problem, np.random.default_rng(3)) for _ in range(2))
    assert first.modes is None
    assert set(first.labels.tolist()) == {0, 1, 2, 3}
    np.testing.assert_array_equal(first.labels, again.labels)


def test_graph_seeds_fall_back_where_the_edges_tell_too_little():
    kernel = GaussianKernel(np.random.default_rng(0).normal(size=(6, 2)), 1.0)
    seeds = first_seeds("graph", Problem(kernel, csr_array((6, 6)), 3, 1.0), np.random.default_rng(0))
    assert len(set(seeds.modes.rows.tolist())) == 3


def test_every_seeding_knows_how_many_runs_it_is_worth():
    assert set(AUTO_RUNS) == set(SEEDINGS)


def test_k_means_plus_plus_spreads_its_seeds():
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0, 0.0], [100.0, 0.0], [0.0, 100.0]], 20, axis=0) + rng.normal(size=(60, 2))
    for seed in range(5):
        seeds = first_seeds("k-means++", problem_of(GaussianKernel(X, 1.0), 3), np.random.default_rng(seed))
        assert sorted(seeds.modes.rows // 20) == [0, 1, 2]


def test_rows_and_points_are_taken_as_given():
    problem = problem_of(GaussianKernel(np.arange(10.0)[:, None], 1.0), 2)
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(first_seeds(np.array([4, 2]), problem, rng).modes.points, [[4.0], [2.0]])
    given = first_seeds(np.array([[0.5], [7.5]]), problem, rng).modes
    assert given.rows.tolist() == [-1, -1]
    np.testing.assert_array_equal(given.points, [[0.5], [7.5]])


def test_planting_gives_a_cluster_its_mode_and_the_neighbours():
    path = csr_array(np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1))
    labels = np.zeros(6, dtype=np.int64)
    planted = plant(path, labels, Modes(np.array([0, 4])), np.array([1]))
    assert planted.tolist() == [0, 0, 0, 1, 1, 1]
    assert labels.tolist() == [0] * 6


def test_a_dead_cluster_is_reborn_far_from_the_living(kernel):
    modes = kernel.modes_at(np.array([0, 1, 2]))
    closest = kernel.similarity(slice(None), modes).max(axis=1)
    reborn = reseed(kernel, closest, modes, np.array([1]), np.random.default_rng(0))
    assert reborn.rows[[0, 2]].tolist() == [0, 2]
    assert reborn.rows[1] not in (0, 1, 2)
    assert modes.rows.tolist() == [0, 1, 2]
    if reborn.points is not None:
        np.testing.assert_array_equal(reborn.points, kernel.X[reborn.rows])


def test_drawing_from_rows_that_all_equal_a_mode_still_ends():
    kernel = GaussianKernel(np.zeros((5, 1)), 1.0)
    row = draw_far_row(kernel, np.ones(5), np.random.default_rng(0))
    assert 0 <= row < 5


def test_modes_know_how_far_they_moved():
    old = Modes(np.array([0, 1]), np.array([[0.0, 0.0], [1.0, 1.0]]))
    new = Modes(np.array([5, 1]), np.array([[3.0, 4.0], [1.0, 1.0]]))
    assert new.moved_from(old).tolist() == [5.0, 0.0]
    assert Modes(np.array([5, 1])).moved_from(Modes(np.array([0, 1]))).tolist() == [1.0, 0.0]
