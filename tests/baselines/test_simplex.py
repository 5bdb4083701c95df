import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.optimize import minimize

from slkmodes.baselines.simplex import project_rows


def test_by_hand():
    rows = np.array([[0.2, 0.3, 0.5], [3.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.9, 0.5, -7.0], [-3.0, -3.0, -3.5]])
    expected = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0], [1 / 3] * 3, [0.7, 0.3, 0.0], [0.5, 0.5, 0.0]])
    np.testing.assert_allclose(project_rows(rows), expected, atol=1e-15)


@pytest.mark.parametrize("seed", range(4))
def test_a_general_solver_finds_the_same_point(seed):
    row = np.random.default_rng(seed).normal(size=6)
    simplex = {"type": "eq", "fun": lambda z: z.sum() - 1}
    found = minimize(
        lambda z: np.sum((z - row) ** 2), np.full(6, 1 / 6), bounds=[(0, 1)] * 6, constraints=simplex, tol=1e-14
    )
    np.testing.assert_allclose(project_rows(row[None])[0], found.x, atol=1e-6)


@given(arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=9), elements=st.floats(-1e6, 1e6)))
def test_nearest_point_of_the_simplex(rows):
    """Z is the projection of V exactly where V - Z is largest, and equal, on the entries above 0."""
    Z = project_rows(rows)
    assert np.all(Z >= 0)
    np.testing.assert_allclose(Z.sum(axis=1), 1.0, atol=1e-12)
    pull = rows - Z
    kept = np.where(Z > 0, pull, -np.inf)
    assert np.all(pull <= kept.max(axis=1, keepdims=True) + 1e-8)
    assert np.all(np.where(Z > 0, pull, np.inf) >= kept.max(axis=1, keepdims=True) - 1e-8)


def test_large_entries_keep_the_precision_of_small_differences():
    """As in a step that is long because the weight of the neighbours is small."""
    rows = 2.0**50 + np.array([[0.5, 0.25, -1.0]])
    np.testing.assert_array_equal(project_rows(rows), [[0.625, 0.375, 0.0]])
