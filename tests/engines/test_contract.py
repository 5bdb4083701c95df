"""Every engine against the specification, at block sizes that cut the rows awkwardly, on every thread count."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from slkmodes.engines import ENGINES, make_engine, native_available
from slkmodes.engines.numpy_engine import NumpyEngine
from slkmodes.mode_kernels import GraphKernel
from slkmodes.mode_updates import group_by_label
from slkmodes.objective import relaxed_objective
from slkmodes.problem import Problem
from tests.examples import random_problem

N = 211
OTHERS = [name for name in sorted(ENGINES) if name != "numpy"]
TOLERANCE = {np.float32: 2e-5, np.float64: 1e-11}


def engine_of(name, n_threads=2, block_rows=None):
    if name == "native" and not native_available():
        pytest.skip("the C++ extension was not built")
    engine = make_engine(name, n_threads)
    if block_rows is not None:
        engine.block_rows = block_rows
    engine.threads_for = lambda numbers: n_threads  # also where there is too little work for so many
    return engine


def run_all_verbs(engine, problem, n_sweeps=4):
    """Everything the engine can be asked, as arrays on the host."""
    placed = engine.place(problem)
    modes = problem.kernel.modes_at(np.arange(problem.n_clusters) * 5)
    similarity = engine.similarity(placed, modes)
    Z = engine.start(placed, similarity)
    answers = {"similarity": engine.fetch(similarity), "start": engine.fetch(Z)}
    objectives = []
    for _ in range(n_sweeps):
        Z, objective = engine.sweep(placed, similarity, Z)
        objectives.append(objective)
    labels = engine.labels(placed, Z, modes)
    groups = group_by_label(labels, problem.n_clusters)
    matrix = problem.affinity / abs(problem.affinity).sum(axis=1).max()
    columns = np.random.default_rng(0).normal(size=(problem.n_samples, 5)).astype(problem.kernel.dtype)
    answers |= {
        "memberships": engine.fetch(Z),
        "objectives": np.array(objectives),
        "labels": labels,
        "best_rows": engine.best_rows(placed, similarity, Z, groups),
        "density": engine.density(placed, np.arange(7), np.arange(3, 90), np.ones(87)),
        "chebyshev": engine.chebyshev(matrix, columns, np.array([0.5, 0.3, -0.2, 0.1])),
    }
    if modes.points is not None:
        answers["mean_shift"] = engine.mean_shift(placed, Z, groups, modes.points, 0.0, 3)
    return {name: np.array(value) for name, value in answers.items()}


def graph_problem(dtype):
    features = random_problem(5, n=N, dtype=dtype)
    return Problem(GraphKernel(features.affinity), features.affinity, 4, 0.7)


PROBLEMS = {
    "features": lambda dtype: random_problem(0, n=N, dtype=dtype),
    "shifted": lambda dtype: random_problem(1, n=N, diagonal_shift=1.5, dtype=dtype),
    "one cluster": lambda dtype: random_problem(2, n=N, n_clusters=1, dtype=dtype),
    "8 clusters": lambda dtype: random_problem(2, n=N, n_clusters=8, dtype=dtype),
    "10 clusters": lambda dtype: random_problem(2, n=N, n_clusters=10, dtype=dtype),
    "17 clusters": lambda dtype: random_problem(3, n=N, n_clusters=17, dtype=dtype),
    "41 clusters": lambda dtype: random_problem(4, n=N, n_clusters=41, dtype=dtype),
    "100 features": lambda dtype: random_problem(6, n=N, d=100, dtype=dtype),
    "graph": graph_problem,
    "balanced": lambda dtype: replace(random_problem(11, n=N, n_clusters=10, dtype=dtype), balance=2.5),
    "balanced graph": lambda dtype: replace(graph_problem(dtype), balance=0.3, diagonal_shift=0.5),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("name", OTHERS)
def test_equals_the_specification(name, problem, dtype):
    problem = PROBLEMS[problem](dtype)
    expected = run_all_verbs(NumpyEngine(), problem)
    got = run_all_verbs(engine_of(name), problem)
    for verb, value in expected.items():
        assert got[verb].dtype == value.dtype, verb
        np.testing.assert_allclose(got[verb], value, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype], err_msg=verb)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("problem", ["10 clusters", "balanced"])
@pytest.mark.parametrize("name", sorted(ENGINES))
def test_block_size_changes_no_bit(name, problem, dtype):
    problem = PROBLEMS[problem](dtype)
    whole = run_all_verbs(engine_of(name, block_rows=N), problem)
    for block_rows in (1, 13):
        cut = run_all_verbs(engine_of(name, block_rows=block_rows), problem)
        for verb in whole:
            np.testing.assert_array_equal(cut[verb], whole[verb], err_msg=verb)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("problem", ["10 clusters", "balanced"])
@pytest.mark.parametrize("name", OTHERS)
def test_thread_count_changes_no_bit(name, problem, dtype):
    problem = PROBLEMS[problem](dtype)
    one = run_all_verbs(engine_of(name, n_threads=1, block_rows=7), problem)
    for n_threads in (2, 4):
        several = run_all_verbs(engine_of(name, n_threads=n_threads, block_rows=7), problem)
        for verb in one:
            np.testing.assert_array_equal(several[verb], one[verb], err_msg=verb)


@pytest.mark.skipif(not native_available(), reason="the C++ extension was not built")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_clusters", [4, 10, 41])
def test_rows_that_cannot_change_are_skipped_and_no_bit_differs(n_clusters, dtype):
    problem = random_problem(12, n=N, n_clusters=n_clusters, laplacian_weight=2.0, diagonal_shift=0.5, dtype=dtype)
    sparse_graph = problem.affinity.multiply(np.random.default_rng(0).random((N, N)) < 0.1).tocsr()
    problem = replace(problem, affinity=csr_array(sparse_graph))
    engine = engine_of("native")
    placed = engine.place(problem)
    modes = problem.kernel.modes_at(np.arange(n_clusters))
    similarity = engine.similarity(placed, modes)
    skipping = fresh = engine.start(placed, similarity)
    still, spare = [], None
    for number in range(80):
        before = skipping
        skipping, objective = engine.sweep(placed, similarity, before, spare)
        spare = before if number else None
        fresh, expected = engine.sweep(placed, similarity, fresh._replace(made=None))
        np.testing.assert_array_equal(engine.fetch(skipping), engine.fetch(fresh))
        np.testing.assert_array_equal(skipping.negentropy, fresh.negentropy)
        assert objective == expected
        still.append(np.count_nonzero(skipping.made.moved == 0))
    assert max(still) > N // 2  # there was something to skip
    other = engine.similarity(placed, problem.kernel.modes_at(np.arange(n_clusters) + 3))
    for placed_again, seen in ((placed, other), (engine.reweigh(placed, 0.7, 0.5), similarity)):
        found, expected = (engine.sweep(placed_again, seen, Z)[0] for Z in (skipping, skipping._replace(made=None)))
        np.testing.assert_array_equal(engine.fetch(found), engine.fetch(expected))


@pytest.mark.skipif(not native_available(), reason="the C++ extension was not built")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("laplacian_weight", [1.0, 20.0, 300.0])
def test_memberships_are_never_below_the_normal_numbers_which_some_machines_add_up_slowly(laplacian_weight, dtype):
    engine = engine_of("native")
    problem = random_problem(13, n=N, n_clusters=10, laplacian_weight=laplacian_weight, dtype=dtype)
    placed = engine.place(problem)
    similarity = engine.similarity(placed, problem.kernel.modes_at(np.arange(10)))
    Z = engine.start(placed, similarity)
    for _ in range(20):
        positive = Z.values[Z.values != 0]
        assert positive.min() >= np.finfo(dtype).tiny
        assert not Z.values[:, 10:].any()  # padding
        Z, _ = engine.sweep(placed, similarity, Z)


def test_mean_shift_over_several_tiles_changes_no_bit_by_threads(monkeypatch):
    monkeypatch.setattr("slkmodes.engines.tiles.TILE_ROWS", 16)
    problem = PROBLEMS["100 features"](np.float32)
    spec = run_all_verbs(NumpyEngine(), problem)["mean_shift"]
    answers = [run_all_verbs(engine_of("native", n_threads), problem)["mean_shift"] for n_threads in (1, 2, 4)]
    np.testing.assert_allclose(answers[0], spec, rtol=2e-5, atol=2e-5)
    np.testing.assert_array_equal(answers[1], answers[0])
    np.testing.assert_array_equal(answers[2], answers[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("balance", [0.0, 0.5, 1e3])
def test_objective_of_a_sweep_is_the_definition(engine, balance, dtype):
    problem = replace(PROBLEMS["shifted"](dtype), balance=balance)
    placed = engine.place(problem)
    similarity = engine.similarity(placed, problem.kernel.modes_at(np.arange(4)))
    Z = engine.start(placed, similarity)
    for _ in range(3):
        before = np.array(engine.fetch(Z))
        Z, objective = engine.sweep(placed, similarity, Z)
        expected = relaxed_objective(engine.fetch(similarity), problem.affinity, before, 0.7, 1.5, balance)
        assert objective == pytest.approx(expected, rel=TOLERANCE[dtype])


def test_extreme_logits_stay_on_the_simplex(engine):
    problem = random_problem(7, n=50, laplacian_weight=1e4, dtype=np.float32)
    placed = engine.place(problem)
    similarity = engine.similarity(placed, problem.kernel.modes_at(np.arange(4)))
    Z = engine.start(placed, similarity)
    for _ in range(5):
        Z, objective = engine.sweep(placed, similarity, Z)
        assert np.isfinite(objective)
    values = engine.fetch(Z)
    assert np.all(np.isfinite(values))
    assert np.all(values >= 0)
    np.testing.assert_allclose(values.sum(axis=1), 1, rtol=1e-6)


def test_tied_memberships_go_to_the_nearest_mode(engine):
    """Far from every mode the kernel underflows and Z is uniform; the distance still tells."""
    problem = random_problem(8, n=30, d=1, n_clusters=2, dtype=np.float32)
    problem.kernel.X[:] = np.linspace(0, 3000, 30)[:, None]
    modes = problem.kernel.modes_at(np.array([29, 0]))
    placed = engine.place(problem)
    Z = engine.start(placed, engine.similarity(placed, modes))
    assert engine.labels(placed, Z, modes).tolist() == [1] * 15 + [0] * 15


def test_equal_memberships_are_told_apart_by_their_logits(engine):
    """Saturated float32 memberships tie at 1; the best connected of them is the mode."""
    problem = random_problem(9, n=60, n_clusters=2, laplacian_weight=50.0, dtype=np.float32)
    placed = engine.place(problem)
    modes = problem.kernel.modes_at(np.array([0, 1]))
    similarity = engine.similarity(placed, modes)
    Z = engine.start(placed, similarity)
    for _ in range(20):
        Z, _ = engine.sweep(placed, similarity, Z)
    values = engine.fetch(Z)
    groups = group_by_label(engine.labels(placed, Z, modes), 2)
    best = engine.best_rows(placed, similarity, Z, groups)
    logits = engine.fetch(similarity) + 50.0 * (problem.affinity @ values)
    tied_somewhere = False
    for cluster in range(2):
        members = groups.members(cluster)
        if len(members) == 0:
            assert best[cluster] == -1
            continue
        tied = members[values[members, cluster] == values[members, cluster].max()]
        tied_somewhere |= len(tied) > 1
        assert best[cluster] == tied[np.argmax(logits[tied, cluster])]
    assert tied_somewhere


@pytest.mark.parametrize("name", sorted(ENGINES))
@pytest.mark.parametrize("n_terms", [1, 2, 6])
def test_chebyshev_series(name, n_terms):
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(30, 30))
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 25)
    columns, coefficients = rng.normal(size=(30, 3)), rng.normal(size=n_terms)
    series = np.polynomial.chebyshev.chebval(values, coefficients)
    before = columns.copy()
    found = engine_of(name).chebyshev(csr_array((vectors * values) @ vectors.T), columns, coefficients)
    np.testing.assert_allclose(found, (vectors * series) @ vectors.T @ columns, atol=1e-10)
    np.testing.assert_array_equal(columns, before)
    again = engine_of(name).chebyshev(csr_array((vectors * values) @ vectors.T), columns, coefficients, overwrite=True)
    np.testing.assert_array_equal(again, found)


def test_spare_memory_changes_nothing_but_itself(engine):
    problem = random_problem(5)
    placed = engine.place(problem)
    similarity = engine.similarity(placed, problem.kernel.modes_at(np.arange(4)))
    first = engine.start(placed, similarity)
    second, _ = engine.sweep(placed, similarity, first)
    kept = np.array(engine.fetch(first))
    third, objective = engine.sweep(placed, similarity, second)
    expected = np.array(engine.fetch(third))
    again, same = engine.sweep(placed, similarity, second, third)
    np.testing.assert_array_equal(engine.fetch(again), expected)
    np.testing.assert_array_equal(engine.fetch(first), kept)
    assert same == objective
