import numpy as np
import pytest
from scipy import sparse

from slkmodes.baselines.leading_eigenvectors import DENSE_ROWS, filter_coefficients, leading_eigenvectors, next_filter
from slkmodes.baselines.normalized_cut import normalized_adjacency
from tests.examples import random_graph


def solve(engine, affinity, n_vectors, tol=1e-8, max_rounds=100, seed=0):
    matrix, _ = normalized_adjacency(affinity)
    return matrix, leading_eigenvectors(engine, matrix, n_vectors, tol, max_rounds, np.random.default_rng(seed))


def assert_leading(matrix, pairs, n_vectors, tol=1e-8):
    expected = np.linalg.eigvalsh(matrix.toarray())[::-1][:n_vectors]
    np.testing.assert_allclose(pairs.values, expected, atol=1e-12)
    np.testing.assert_allclose(pairs.vectors.T @ pairs.vectors, np.eye(n_vectors), atol=1e-12)
    residuals = np.linalg.norm(matrix @ pairs.vectors - pairs.vectors * pairs.values, axis=0)
    assert residuals.max() <= tol
    assert pairs.residual == pytest.approx(residuals.max(), abs=1e-14)


@pytest.mark.parametrize("n", [40, DENSE_ROWS + 150])
@pytest.mark.parametrize("n_vectors", [1, 4, 11])
def test_the_values_are_those_of_lapack(engine, n, n_vectors):
    matrix, pairs = solve(engine, random_graph(np.random.default_rng(n), n, density=6 / n), n_vectors)
    assert_leading(matrix, pairs, n_vectors)


def test_repeated_values_are_found_as_often_as_they_occur(engine):
    """Six copies of one graph: every eigenvalue six times, the first K of them in two groups."""
    part = random_graph(np.random.default_rng(1), 70, density=0.1)
    matrix, pairs = solve(engine, sparse.block_diag([part] * 6, format="csr"), 10)
    assert_leading(matrix, pairs, 10)
    np.testing.assert_allclose(pairs.values[:6], 1.0, atol=1e-12)
    np.testing.assert_allclose(pairs.values[6:], pairs.values[6], atol=1e-12)


def test_values_that_all_equal_each_other(engine):
    """A complete graph: 1 once, then -1 / (n - 1) over and over."""
    n = DENSE_ROWS + 44
    matrix, pairs = solve(engine, sparse.csr_array(np.ones((n, n)) - np.eye(n)), 5)
    assert_leading(matrix, pairs, 5)


def test_rows_without_edges_are_no_obstacle(engine):
    n = DENSE_ROWS + 100
    graph = sparse.block_diag([random_graph(np.random.default_rng(2), n, density=8 / n), np.zeros((40, 40))], "csr")
    matrix, pairs = solve(engine, graph, 4)
    assert_leading(matrix, pairs, 4)
    assert np.abs(pairs.vectors[n:]).max() < 1e-7


def test_a_limit_of_rounds_shows_in_the_residual(engine):
    graph = random_graph(np.random.default_rng(3), 400, density=0.02)
    residuals = [solve(engine, graph, 4, tol=1e-10, max_rounds=rounds)[1].residual for rounds in (1, 2, 100)]
    assert residuals[0] > residuals[1] > 1e-10 >= residuals[2]


@pytest.mark.parametrize("edge", [-0.5, 0.0, 0.9])
def test_a_filter_is_small_below_its_edge_and_one_at_one(edge):
    degree = 12
    series = np.polynomial.Chebyshev(filter_coefficients(edge, degree))
    assert series(1.0) == pytest.approx(1.0)
    below, above = np.linspace(-1, edge, 500), np.linspace(edge, 1, 500)
    # No polynomial of this degree is smaller there: it reaches its bound at both ends.
    bound = 1 / np.cosh(degree * np.arccosh((3 - edge) / (1 + edge)))
    assert np.abs(series(below)).max() == pytest.approx(bound)
    assert np.all(np.diff(series(above)) > 0)


def test_a_filter_has_the_degree_that_the_residual_needs():
    values = np.array([1.0, 0.99, 0.9])
    edge, degree = next_filter(values, 2, excess=100.0)
    series = np.polynomial.Chebyshev(filter_coefficients(edge, degree))
    assert edge == 0.9
    assert series(0.99) / np.abs(series(np.linspace(-1, 0.9, 100))).max() >= 100
    assert next_filter(values, 2, excess=1e6)[1] > degree
