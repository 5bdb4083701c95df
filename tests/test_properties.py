"""What holds for every input: the mathematics of the paper as properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from slkmodes.affinity import sufficient_shift
from slkmodes.engines import make_engine, native_available
from slkmodes.engines.numpy_engine import NumpyEngine
from slkmodes.mode_kernels import GaussianKernel
from slkmodes.objective import discrete_objective, relaxed_objective
from slkmodes.problem import Method, Problem
from slkmodes.seeding import Seeds
from slkmodes.solver import solve
from tests.examples import random_graph, random_memberships

ENGINES = [NumpyEngine(), *([make_engine("native", 2)] if native_available() else [])]

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(6, 40)
clusters = st.integers(1, 5)
weights = st.floats(0.0, 20.0)
balances = st.one_of(st.just(0.0), st.floats(0.01, 10.0), st.floats(10.0, 1e3))
updates = st.sampled_from(["argmax", "mean_shift", "density"])
engines = st.sampled_from(ENGINES)
dtypes = st.sampled_from([np.float32, np.float64])


def make_problem(seed, n, n_clusters, weight, dtype=np.float64, symmetric=True, shift=None, balance=0.0):
    rng = np.random.default_rng(seed)
    X = np.ascontiguousarray((rng.normal(size=(n, 3)) * rng.uniform(0.2, 3)).astype(dtype))
    W = random_graph(rng, n, density=rng.uniform(0.05, 0.8), symmetric=symmetric, dtype=dtype)
    shift = sufficient_shift(W, weight, balance) if shift is None else shift
    return rng, Problem(GaussianKernel(X, 1.0), W, n_clusters, weight, shift, balance)


def solve_randomly(rng, problem, engine, **method):
    start = Seeds(problem.kernel.modes_at(rng.choice(problem.n_samples, problem.n_clusters, replace=False)))
    return solve(problem, Method(**{"max_sweeps": 60, "max_iter": 8, **method}), engine, start, rng)


@given(seeds, sizes, clusters, weights, updates, engines, dtypes, st.booleans())
def test_memberships_lie_on_the_simplex(seed, n, n_clusters, weight, update, engine, dtype, symmetric):
    rng, problem = make_problem(seed, n, n_clusters, weight, dtype, symmetric, shift=0.0)
    solution = solve_randomly(rng, problem, engine, mode_update=update)
    assert solution.memberships.dtype == dtype
    assert np.all(solution.memberships >= 0)
    np.testing.assert_allclose(solution.memberships.sum(axis=1), 1, rtol=1e-5)
    assert solution.labels.min() >= 0
    assert solution.labels.max() < n_clusters


@given(seeds, sizes, clusters, engines, dtypes)
def test_weight_zero_is_an_independent_softmax_and_plain_k_modes(seed, n, n_clusters, engine, dtype):
    rng, problem = make_problem(seed, n, n_clusters, 0.0, dtype)
    X = problem.kernel.X.astype(np.float64)
    solution = solve_randomly(rng, problem, engine, mode_update="density", max_iter=30)
    modes = X[solution.modes.rows]
    squared = ((X[:, None, :] - modes) ** 2).sum(axis=2)
    np.testing.assert_allclose(solution.memberships, softmax(np.exp(-squared / 2), axis=1), rtol=1e-4)
    clear = np.diff(np.sort(squared, axis=1)[:, :2], axis=1).ravel() > 1e-3 if n_clusters > 1 else slice(None)
    near = np.exp(-squared.min(axis=1) / 2) > 1e-4  # beyond, a difference in kernels is lost in the softmax
    decided = clear & near if n_clusters > 1 else near
    np.testing.assert_array_equal(solution.labels[decided], squared.argmin(axis=1)[decided])


def assert_no_sweep_raises(engine, rng, problem):
    """From any memberships, at any similarity."""
    shape = problem.n_samples, problem.n_clusters
    a, Z = rng.random(shape), random_memberships(rng, *shape, sharpness=rng.uniform(0, 8))
    placed = engine.place(problem)
    similarity, memberships = engine.hold(placed, a), engine.start(placed, engine.hold(placed, np.log(Z)))
    constants = problem.laplacian_weight, problem.diagonal_shift, problem.balance
    rounding = 1e-12 * problem.n_samples * (1 + problem.balance)
    value = relaxed_objective(a, problem.affinity, engine.fetch(memberships), *constants)
    for _ in range(15):
        memberships, before = engine.sweep(placed, similarity, memberships)
        assert before == pytest.approx(value, rel=1e-9, abs=rounding)
        after = relaxed_objective(a, problem.affinity, engine.fetch(memberships), *constants)
        assert after <= value + 1e-9 * abs(value) + rounding
        value = after


@given(seeds, sizes, clusters, st.floats(0.01, 20.0), engines)
def test_no_sweep_raises_the_relaxed_objective(seed, n, n_clusters, weight, engine):
    """On a symmetric affinity with the sufficient shift."""
    assert_no_sweep_raises(engine, *make_problem(seed, n, n_clusters, weight))


@given(seeds, sizes, clusters, st.floats(0.01, 20.0), balances, engines)
def test_no_sweep_raises_it_with_a_balance(seed, n, n_clusters, weight, balance, engine):
    """A balance asks for a smaller shift, not for a larger one."""
    assert_no_sweep_raises(engine, *make_problem(seed, n, n_clusters, weight, balance=balance))


@given(seeds, sizes, clusters, st.floats(0.01, 20.0), balances, engines)
def test_algorithm_1_with_density_modes_never_raises_the_relaxed_objective(
    seed, n, n_clusters, weight, balance, engine
):
    """Sweeps and mode updates alike, when the memberships go on from where they were."""
    rng, problem = make_problem(seed, n, n_clusters, weight, balance=balance)
    method = {"mode_update": "density", "warm_memberships": True, "reseed_empty": False, "max_iter": 12}
    solution = solve_randomly(rng, problem, engine, **method)
    trace = [value for step in solution.history for value in step.relaxed_objectives]
    trace.append(solution.relaxed_objective)
    rises = np.diff(trace)
    assert np.all(rises <= 1e-9 * (1 + np.abs(trace[:-1])))


@given(seeds, sizes, clusters, weights, st.sampled_from(["argmax", "density"]), engines)
def test_row_modes_are_rows_of_X_and_members_of_their_cluster(seed, n, n_clusters, weight, update, engine):
    rng, problem = make_problem(seed, n, n_clusters, weight, shift=0.0)
    solution = solve_randomly(rng, problem, engine, mode_update=update, reseed_empty=False)
    np.testing.assert_array_equal(solution.modes.points, problem.kernel.X[solution.modes.rows])
    alive = np.unique(solution.labels)
    if update == "argmax":
        np.testing.assert_array_equal(solution.labels[solution.modes.rows[alive]], alive)


@given(seeds, sizes, clusters, weights, updates, engines, dtypes, st.booleans())
def test_objectives_of_the_solution_are_the_definitions(seed, n, n_clusters, weight, update, engine, dtype, symmetric):
    rng, problem = make_problem(seed, n, n_clusters, weight, dtype, symmetric, shift=0.5)
    solution = solve_randomly(rng, problem, engine, mode_update=update)
    points = solution.modes.points.astype(np.float64)
    squared = ((problem.kernel.X.astype(np.float64)[:, None, :] - points) ** 2).sum(axis=2)
    a = np.exp(-squared / 2)
    close = {"rel": 1e-4, "abs": 1e-3} if dtype == np.float32 else {"rel": 1e-9}
    relaxed = relaxed_objective(a, problem.affinity, solution.memberships, weight, 0.5)
    assert solution.relaxed_objective == pytest.approx(relaxed, **close)
    assert solution.discrete_objective == pytest.approx(
        discrete_objective(a, problem.affinity, solution.labels, weight), **close
    )


@given(seeds, sizes, clusters, st.floats(0.0, 3.0), updates, engines)
def test_permuting_rows_permutes_the_answer(seed, n, n_clusters, weight, update, engine):
    rng, problem = make_problem(seed, n, n_clusters, weight, shift=0.0)
    start = rng.choice(n, n_clusters, replace=False)
    order = rng.permutation(n)
    X, W = problem.kernel.X, problem.affinity.toarray()
    shuffled = Problem(
        GaussianKernel(np.ascontiguousarray(X[order]), 1.0),
        type(problem.affinity)(W[np.ix_(order, order)]),
        n_clusters,
        weight,
    )
    method = Method(mode_update=update, max_sweeps=20, max_iter=3, tol=0.0, reseed_empty=False)
    plain = solve(problem, method, engine, Seeds(problem.kernel.modes_at(start)), rng)
    place = np.argsort(order)
    other = solve(shuffled, method, engine, Seeds(shuffled.kernel.modes_at(place[start])), rng)
    np.testing.assert_allclose(other.memberships, plain.memberships[order], rtol=1e-6, atol=1e-9)
    gap = np.diff(np.sort(plain.memberships, axis=1)[:, -2:], axis=1) if n_clusters > 1 else np.ones((n, 1))
    decided = gap.ravel() > 1e-6
    np.testing.assert_array_equal(other.labels[decided[order]], plain.labels[order][decided[order]])


@given(seeds, sizes, st.floats(0.05, 20.0), st.floats(0.0, 5.0))
def test_sufficient_shift_suffices_and_is_near_the_smallest(seed, n, weight, balance):
    W = random_graph(np.random.default_rng(seed), n)
    smallest = np.linalg.eigvalsh(W.toarray())[0] if W.nnz else 0.0
    needed = max(0.0, -smallest - 2 * (1 + balance) / weight)
    shift = sufficient_shift(W, weight, balance)
    assert shift >= needed - 1e-9
    assert shift <= needed + 0.01 * W.sum(axis=1).max() + 1e-9
