import numpy as np
import pytest

from slkmodes.engines import native_available
from slkmodes.walks import FEWEST_STEPS, HEADROOM, PLACES_ON_A_LINE, Grid, Walks

pytestmark = pytest.mark.skipif(not native_available(), reason="the C++ extension was not built")

FINE, COARSE = 1e9, 0.0


def walks_over_all(points, resolution, left_out=None):
    """Every row is linked to every other: a walk meets all of them."""
    n = len(points)
    links = np.array([[j for j in range(n) if j != i] for i in range(n)], dtype=np.int32)
    return Walks(points.copy(), left_out, links, np.arange(100, 100 + n, dtype=np.int32), resolution, 1)


@pytest.mark.parametrize("resolution", [FINE, COARSE])
@pytest.mark.parametrize("n_columns", [3, 16, 33, 128])
def test_what_is_met_is_kept_nearest_first_under_the_names_of_the_rows(n_columns, resolution):
    rng = np.random.default_rng(n_columns)
    points, goals = rng.normal(size=(2, 50, n_columns)).astype(np.float32)
    walks = walks_over_all(points, resolution)
    assert (walks.grid is None) == (resolution == COARSE)
    found, order = walks.towards(goals, 7, 2)
    assert np.array_equal(np.sort(order), np.arange(50))
    if walks.grid is not None:
        points, goals = walks.places.astype(np.int64), walks.grid(goals).astype(np.int64)
    squared = np.square(goals[:, None] - points[None]).sum(axis=2)
    np.testing.assert_array_equal(found - 100, np.argsort(squared, axis=1, kind="stable")[:, :7])


def test_a_row_that_is_absent_is_passed_over_and_too_few_are_no_row():
    points = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    found, _ = walks_over_all(points, FINE).towards(points, 8, 1, np.arange(6, dtype=np.int32))
    assert np.all((found == -1).sum(axis=1) == 3)
    assert not np.any(found == np.arange(100, 106)[:, None])


@pytest.mark.parametrize("n_columns", [1, 2, 16, 31, 32, 100, 128])
def test_sums_on_the_grid_do_not_overflow(n_columns):
    """The farthest corners: a sum that wrapped around would be the nearest."""
    corners = np.array([[1.0], [-1.0], [0.9]], dtype=np.float32) * np.ones(n_columns, dtype=np.float32)
    walks = walks_over_all(corners, FINE)
    assert walks.grid.holds(HEADROOM * corners).all()
    for goals in corners, HEADROOM * corners:
        found, _ = walks.towards(goals, 3, 1)
        assert found.tolist() == [[100, 102, 101], [101, 102, 100], [100 if goals[2, 0] > 1 else 102, *found[2, 1:]]]


@pytest.mark.parametrize("scale", [1.0, 1.9, 2.1, 5.0, 20.0])
def test_points_beyond_the_grid_find_the_same(scale):
    """Moved to its border, they would be nearest to others."""
    points, goals = np.random.default_rng(0).normal(size=(2, 300, 12)).astype(np.float32)
    goals *= np.float32(scale) * np.abs(points).max() / np.abs(goals).max()
    expected, _ = walks_over_all(points, COARSE).towards(goals, 5, 1)
    walks = walks_over_all(points, FINE)
    found, _ = walks.towards(goals, 5, 2)
    assert walks.grid.holds(goals).all() == (scale < HEADROOM)
    assert np.mean(found == expected) > 0.99


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_places_on_the_grid_are_as_far_apart_as_points(scale):
    points = np.random.default_rng(0).normal(size=(200, 40)).astype(np.float32) * np.float32(scale)
    grid = Grid(points)
    places = grid(points)
    assert places.shape[1] % PLACES_ON_A_LINE == 0
    assert np.abs(places).max() == round(grid.last / HEADROOM)
    np.testing.assert_array_less(np.abs(places[:, :40] * grid.step - points), 0.51 * grid.step)


@pytest.mark.parametrize("times", [0.99, 1.01])
def test_a_grid_has_to_be_fine_enough(times):
    points = np.eye(8, dtype=np.float32)
    walks = walks_over_all(points, times * FEWEST_STEPS * Grid(points).step)
    assert (walks.grid is not None) == (times > 1)
    assert walks_over_all(0 * points, 0.0).grid is None


@pytest.mark.parametrize("resolution", [FINE, COARSE])
def test_what_points_lack_makes_rows_farther(resolution):
    points = np.zeros((3, 16), dtype=np.float32)
    points[:, 0] = [1.0, 1.1, -2.0]
    found, _ = walks_over_all(points, resolution, np.float32([4.0, 0.0, 0.0])).towards(points.copy(), 3, 1)
    assert found[0].tolist() == [101, 100, 102]
