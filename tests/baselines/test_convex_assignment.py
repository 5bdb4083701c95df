import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from slkmodes.baselines.convex_assignment import Assignment, LaplacianTerm, solve
from slkmodes.objective import discrete_objective
from tests.examples import random_graph, random_memberships


def random_assignment(seed, n=30, n_clusters=4, weight=0.7, symmetric=True):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n, density=4 / n, symmetric=symmetric)
    return graph, Assignment(LaplacianTerm.of(graph, weight), rng.random((n, n_clusters)))


def start(assignment):
    return np.eye(assignment.similarity.shape[1])[assignment.similarity.argmax(axis=1)]


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("weight", [0.0, 0.3, 5.0])
def test_hard_memberships_are_worth_the_discrete_objective(symmetric, weight):
    graph, assignment = random_assignment(0, weight=weight, symmetric=symmetric)
    for seed in range(5):
        labels = np.random.default_rng(seed).integers(4, size=30)
        expected = discrete_objective(assignment.similarity, graph, labels, weight)
        assert assignment.objective(np.eye(4)[labels]) == pytest.approx(expected, rel=1e-12)


def test_soft_memberships_are_worth_their_distances_over_the_pairs():
    graph, assignment = random_assignment(1)
    Z = random_memberships(np.random.default_rng(2), 30, 4)
    W = graph.toarray()
    distances = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    pairs = np.triu_indices(30, k=1)
    expected = 0.7 / 2 * np.sum(W[pairs] * distances[pairs]) - np.sum(Z * assignment.similarity)
    assert assignment.objective(Z) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("symmetric", [True, False])
def test_the_gradient_is_the_slope_of_the_objective(symmetric):
    _, assignment = random_assignment(3, symmetric=symmetric)
    rng = np.random.default_rng(4)
    Z, step = random_memberships(rng, 30, 4), 1e-5 * rng.normal(size=(30, 4))
    slope = assignment.objective(Z + step) - assignment.objective(Z - step)  # exact for a quadratic
    assert np.sum(2 * step * assignment.gradient(Z)) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("n", [20, 80])
def test_curvature_bounds_the_laplacian_and_is_no_larger_than_it_must(n):
    _, assignment = random_assignment(5, n=n)
    laplacian, curvature = assignment.term.matrix.toarray(), assignment.term.curvature[:, 0]
    lowest = np.linalg.eigvalsh(np.diag(curvature) - laplacian)[0]
    assert lowest >= -1e-12
    assert np.linalg.eigvalsh(np.diag(0.99 * curvature) - laplacian)[0] < 0
    np.testing.assert_allclose(laplacian.sum(axis=1), 0, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weight", [0.1, 2.0])
def test_a_general_solver_finds_the_same_minimum(seed, weight):
    _, assignment = random_assignment(seed, n=7, n_clusters=3, weight=weight)
    simplex = {"type": "eq", "fun": lambda z: z.reshape(7, 3).sum(axis=1) - 1}
    found = minimize(
        lambda z: assignment.objective(z.reshape(7, 3)),
        np.full(21, 1 / 3),
        jac=lambda z: assignment.gradient(z.reshape(7, 3)).ravel(),
        bounds=[(0, 1)] * 21,
        constraints=simplex,
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    Z = solve(assignment, start(assignment), tol=1e-10, max_steps=100_000)
    assert assignment.objective(Z) == pytest.approx(found.fun, abs=1e-8)
    assert assignment.objective(Z) <= found.fun + 1e-10


@pytest.mark.parametrize("weight", [1e-6, 0.1, 2.0, 100.0])
def test_the_minimum_is_reached_from_anywhere(weight):
    _, assignment = random_assignment(6, n=200, weight=weight)
    ends = [start(assignment), np.full((200, 4), 0.25)]
    ends = [solve(assignment, Z, tol=1e-9, max_steps=100_000) for Z in ends]
    for Z in ends:
        assert assignment.kkt_residual(Z) <= 1e-9
        assert np.all(Z >= 0)
        np.testing.assert_allclose(Z.sum(axis=1), 1.0, atol=1e-12)
    values = [assignment.objective(Z) for Z in ends]
    assert values[0] == pytest.approx(values[1], abs=1e-7)


def test_two_joined_rows_by_hand():
    """z = (1 - t, t) and its mirror image cost w * (1 - 2 t)^2 - 2 (1 - t) with w = 2: least at t = 3/8."""
    graph = sparse.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    assignment = Assignment(LaplacianTerm.of(graph, 2.0), np.eye(2))
    # From there the gradient leads to the other corner of each simplex.
    assert assignment.kkt_residual(np.eye(2)) == pytest.approx(2**0.5)
    Z = solve(assignment, np.eye(2), tol=1e-12, max_steps=1000)
    np.testing.assert_allclose(Z, [[0.625, 0.375], [0.375, 0.625]], atol=1e-10)


def test_rows_without_edges_go_to_their_nearest_mode():
    similarity = np.random.default_rng(7).random((40, 3))
    assignment = Assignment(LaplacianTerm.of(sparse.csr_array((40, 40)), 1.0), similarity)
    Z = solve(assignment, np.full((40, 3), 1 / 3), tol=1e-12, max_steps=10)
    np.testing.assert_array_equal(Z, np.eye(3)[similarity.argmax(axis=1)])


def test_momentum_pays():
    _, assignment = random_assignment(8, n=300, weight=50.0)
    Z = solve(assignment, start(assignment), tol=1e-7, max_steps=1000)
    assert assignment.kkt_residual(Z) <= 1e-7
    plain = start(assignment)
    for _ in range(2000):
        plain = solve(assignment, plain, tol=1e-7, max_steps=1)
    assert assignment.kkt_residual(plain) > 1e-6


def test_momentum_that_leads_uphill_is_given_up():
    """Kept up, it swings around the minimum for 600 steps."""
    _, assignment = random_assignment(8, n=100, weight=0.5)
    Z = solve(assignment, start(assignment), tol=1e-7, max_steps=200)
    assert assignment.kkt_residual(Z) <= 1e-7
