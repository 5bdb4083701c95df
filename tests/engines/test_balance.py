from dataclasses import replace

import numpy as np
import pytest
from scipy.special import softmax

from slkmodes.engines.balance import balanced_similarity, without_balance
from slkmodes.objective import relaxed_objective
from tests.examples import random_memberships, random_problem, six_points

# Two paths, both nearer to the first mode: on its own, each of them wants to be in cluster 0.
UNEVEN = np.array([[1.0, 0.2], [1.0, 0.2], [1.0, 0.2], [0.7, 0.6], [0.7, 0.6], [0.7, 0.6]])
STRENGTHS = [0.1, 1.0, 10.0, 1e3, 1e6]


def logarithm(Z):
    """Logits whose softmax is Z; where Z is 0, low enough to vanish."""
    return np.log(Z, out=np.full_like(Z, -1e3), where=Z > 0)


def sweeps(engine, problem, a, n_sweeps, Z=None):
    """Memberships on the host after some sweeps, begun at Z or at the softmax of a."""
    placed = engine.place(problem)
    similarity = engine.hold(placed, a)
    handle = engine.start(placed, similarity if Z is None else engine.hold(placed, logarithm(Z)))
    for _ in range(n_sweeps):
        handle, objective = engine.sweep(placed, similarity, handle)
        assert np.isfinite(objective)
    return np.array(engine.fetch(handle))


def assert_on_the_simplex(Z):
    assert np.all(np.isfinite(Z))
    assert np.all(Z >= 0)
    np.testing.assert_allclose(Z.sum(axis=1), 1, rtol=1e-6)


def test_one_sweep_is_the_closed_form(engine):
    problem = replace(random_problem(1, n=20, diagonal_shift=0.5), balance=1.7)
    rng = np.random.default_rng(1)
    a, Z = rng.random((20, 4)), random_memberships(rng, 20, 4)
    logits = a + 0.7 * (problem.affinity @ Z + 0.5 * Z) - 1.7 * np.log(Z.mean(axis=0))
    powers = np.exp(logits / 2.7) * Z ** (1.7 / 2.7)
    expected = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(sweeps(engine, problem, a, 1, Z), expected, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_balanced_sweep_is_a_plain_sweep_of_another_problem(engine, dtype):
    problem = replace(random_problem(2, dtype=dtype), balance=0.7)
    placed, plain = engine.place(problem), engine.place(without_balance(problem))
    similarity = engine.similarity(placed, problem.kernel.modes_at(np.arange(4)))
    Z = engine.start(placed, similarity)
    swept, objective = engine.sweep(placed, similarity, Z)
    lifted = engine.hold(plain, balanced_similarity(engine.fetch(similarity), engine.fetch(Z), 0.7))
    expected, plain_objective = engine.sweep(plain, lifted, Z)
    np.testing.assert_allclose(engine.fetch(swept), engine.fetch(expected), rtol=1e-4 if dtype == np.float32 else 1e-10)
    assert objective == pytest.approx(1.7 * plain_objective, rel=1e-5)


def test_no_balance_takes_no_detour(engine, monkeypatch):
    monkeypatch.setattr("slkmodes.engines.numpy_engine.balanced_similarity", None)
    assert_on_the_simplex(sweeps(engine, six_points(), UNEVEN, 2))


def test_balance_keeps_a_cluster_that_is_lost_without(engine):
    problem = six_points(laplacian_weight=4.0)
    lost = sweeps(engine, problem, UNEVEN, 100)
    kept = sweeps(engine, replace(problem, balance=1.0), UNEVEN, 100)
    assert lost.argmax(axis=1).tolist() == [0] * 6
    assert lost.mean(axis=0)[1] < 0.05
    assert kept.argmax(axis=1).tolist() == [0, 0, 0, 1, 1, 1]
    np.testing.assert_allclose(kept.mean(axis=0), 0.5, atol=0.01)


@pytest.mark.parametrize("balance", STRENGTHS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_strength_leaves_the_simplex_or_loses_the_sizes(engine, dtype, balance):
    problem = replace(random_problem(7, n=50, laplacian_weight=0.1, dtype=dtype), balance=balance)
    a = np.random.default_rng(7).random((50, 4)).astype(dtype)
    a[:, 0] += 1
    Z = sweeps(engine, problem, a, 60)
    assert_on_the_simplex(Z)
    plain = sweeps(engine, replace(problem, balance=0.0), a, 60)
    assert Z.mean(axis=0).max() < plain.mean(axis=0).max()
    if balance >= 10:
        np.testing.assert_allclose(Z.mean(axis=0), 0.25, atol=0.05)


@pytest.mark.parametrize("balance", STRENGTHS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_empty_cluster_gives_numbers_and_comes_back(engine, dtype, balance):
    problem = replace(random_problem(8, n=30, laplacian_weight=0.05, dtype=dtype), balance=balance)
    a, Z = np.zeros((30, 4), dtype), np.full((30, 4), 1 / 3, dtype)
    Z[:, 2] = 0
    once, settled = sweeps(engine, problem, a, 1, Z), sweeps(engine, problem, a, 40, Z)
    assert_on_the_simplex(once)
    assert_on_the_simplex(settled)
    assert np.all(once[:, 2] > 0.1)
    np.testing.assert_allclose(settled, 0.25, atol=1e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_zeros_have_finite_similarities(dtype):
    Z = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], dtype)
    changed = balanced_similarity(np.zeros((2, 3), dtype), Z, 1e6)
    assert changed.dtype == dtype
    assert np.all(np.isfinite(changed))
    np.testing.assert_allclose(changed[:, 2], 0, atol=1e-6)  # as small as its size: neither favoured nor barred
    assert np.all(Z[:, 2] == 0)


def test_hard_memberships_stay_on_the_simplex(engine):
    problem = replace(random_problem(9, n=40, laplacian_weight=1e3, dtype=np.float32), balance=5.0)
    a = np.zeros((40, 4), np.float32)
    assert_on_the_simplex(sweeps(engine, problem, a, 30, np.eye(4, dtype=np.float32)[np.arange(40) % 3]))


def test_the_changed_problem_has_the_same_graph():
    problem = replace(random_problem(3), balance=4.0)
    plain = without_balance(problem)
    assert plain.balance == 0
    assert plain.laplacian_weight == pytest.approx(0.7 / 5)
    assert plain.affinity is problem.affinity


def test_without_the_divergence_the_update_can_raise_the_objective(engine):
    """Why z_old stands in the update: the slope of the balance alone sends everything to the smallest cluster."""
    problem = six_points(laplacian_weight=0.0)
    a, Z = np.zeros((6, 2)), np.full((6, 2), [0.6, 0.4])
    bolted_on = softmax(a - 10.0 * np.log(Z.mean(axis=0)), axis=1)
    update = sweeps(engine, replace(problem, balance=10.0), a, 1, Z)
    before, bolted, after = (
        relaxed_objective(a, problem.affinity, memberships, 0.0, balance=10.0) for memberships in (Z, bolted_on, update)
    )
    assert bolted > before
    assert after < before
