import numpy as np
import pytest
from scipy import sparse

from slkmodes.objective import discrete_objective, relaxed_objective
from tests.examples import random_graph, random_memberships


def brute_discrete(a, W, Z, weight):
    """Eq. (1) term by term, every pair {p, q} once; a directed edge is half a pair."""
    n, value = len(Z), -np.sum(Z * a)
    for p in range(n):
        for q in range(p + 1, n):
            value += weight / 2 * (W[p, q] + W[q, p]) / 2 * np.sum((Z[p] - Z[q]) ** 2)
    return value


def brute_relaxed(a, W, Z, weight):
    """Eq. (2) term by term, every pair once."""
    n, value = len(Z), np.sum(Z * np.log(Z)) - np.sum(Z * a)
    for p in range(n):
        for q in range(p + 1, n):
            value -= weight * (W[p, q] + W[q, p]) / 2 * np.dot(Z[p], Z[q])
    return value


@pytest.mark.parametrize("symmetric", [True, False])
def test_objectives_equal_their_sums_over_pairs(symmetric):
    rng = np.random.default_rng(1)
    W = random_graph(rng, 12, symmetric=symmetric)
    a, Z = rng.random((12, 3)), random_memberships(rng, 12, 3)
    labels = rng.integers(3, size=12)
    dense = W.toarray()
    assert discrete_objective(a, W, labels, 0.8) == pytest.approx(brute_discrete(a, dense, np.eye(3)[labels], 0.8))
    assert relaxed_objective(a, W, Z, 0.8) == pytest.approx(brute_relaxed(a, dense, Z, 0.8))


def test_they_differ_by_a_constant_over_hard_memberships():
    """The relaxation is tight at the corners of the simplex (after eq. 2)."""
    rng = np.random.default_rng(2)
    W, a = random_graph(rng, 10), rng.random((10, 3))
    gaps = []
    for _ in range(5):
        labels = rng.integers(3, size=10)
        hard = np.eye(3)[labels]
        gaps.append(discrete_objective(a, W, labels, 1.3) - relaxed_objective(a, W, hard, 1.3))
    np.testing.assert_allclose(gaps, 1.3 * W.sum() / 2)


def test_diagonal_shift_adds_its_square_norm():
    rng = np.random.default_rng(3)
    W, a, Z = random_graph(rng, 8), rng.random((8, 2)), random_memberships(rng, 8, 2)
    plain, shifted = (relaxed_objective(a, W, Z, 0.5, shift) for shift in (0.0, 2.0))
    assert shifted - plain == pytest.approx(-0.5 * 2.0 / 2 * np.sum(Z**2))


def test_balance_adds_the_negative_entropy_of_the_sizes():
    rng = np.random.default_rng(4)
    W, a = random_graph(rng, 8), rng.random((8, 2))
    even, empty = np.full((8, 2), 0.5), np.tile([1.0, 0.0], (8, 1))
    for Z, entropy in ((even, np.log(2)), (empty, 0.0)):
        plain, balanced = (relaxed_objective(a, W, Z, 0.5, balance=balance) for balance in (0.0, 3.0))
        assert balanced - plain == pytest.approx(-3.0 * 8 * entropy)


def test_counting_pairs_twice_would_let_the_update_raise_the_objective():
    """Why every pair counts once: with a psd affinity, eq. (8) raises the other reading of eq. (2)."""
    W = sparse.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    shift, weight = 1.0, 1.0  # W + I has eigenvalues 0 and 2
    a = np.array([[0.1, 0.0], [0.1, 0.0]])
    Z = np.array([[0.9, 0.1], [0.9, 0.1]])
    logits = a + weight * (W @ Z + shift * Z)
    new = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)

    def twice(Z):
        once = relaxed_objective(a, W, Z, weight, shift)
        return once - 0.5 * weight * np.sum(Z * (W @ Z + shift * Z))

    assert relaxed_objective(a, W, new, weight, shift) < relaxed_objective(a, W, Z, weight, shift)
    assert twice(new) > twice(Z)
