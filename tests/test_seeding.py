import numpy as np
import pytest

from slkmodes.mode_kernels import GaussianKernel, GraphKernel, Modes
from slkmodes.seeding import SEEDINGS, draw_far_row, first_modes, reseed
from tests.examples import random_graph


@pytest.fixture(params=["features", "graph"])
def kernel(request):
    rng = np.random.default_rng(0)
    if request.param == "graph":
        return GraphKernel(random_graph(rng, 30))
    return GaussianKernel(rng.normal(size=(30, 2)), 1.0)


@pytest.mark.parametrize("name", SEEDINGS)
def test_seeds_are_different_rows_and_repeatable(name, kernel):
    first, again, other = (first_modes(name, kernel, 6, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert len(set(first.rows.tolist())) == 6
    np.testing.assert_array_equal(first.rows, again.rows)
    assert first.rows.tolist() != other.rows.tolist()


def test_k_means_plus_plus_spreads_its_seeds():
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0, 0.0], [100.0, 0.0], [0.0, 100.0]], 20, axis=0) + rng.normal(size=(60, 2))
    for seed in range(5):
        rows = first_modes("k-means++", GaussianKernel(X, 1.0), 3, np.random.default_rng(seed)).rows
        assert sorted(rows // 20) == [0, 1, 2]


def test_rows_and_points_are_taken_as_given():
    X = np.arange(10.0)[:, None]
    kernel = GaussianKernel(X, 1.0)
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(first_modes(np.array([4, 2]), kernel, 2, rng).points, [[4.0], [2.0]])
    given = first_modes(np.array([[0.5], [7.5]]), kernel, 2, rng)
    assert given.rows.tolist() == [-1, -1]
    np.testing.assert_array_equal(given.points, [[0.5], [7.5]])


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
