"""Largest memberships only: against all of them, engine against engine, and what the paper promises."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import make_blobs

from slkmodes import LaplacianKModes, adjusted_rand_index
from slkmodes.affinity import sufficient_shift
from slkmodes.engines import ENGINES, make_engine, native_available, top_memberships
from slkmodes.engines.numpy_engine import NumpyEngine
from slkmodes.engines.top_memberships import Top, keep_largest
from slkmodes.mode_kernels import GraphKernel
from slkmodes.objective import relaxed_objective
from slkmodes.problem import Problem
from tests.engines.test_contract import TOLERANCE, run_all_verbs
from tests.examples import random_problem

N = 211
NAMES = [name for name in sorted(ENGINES) if name != "native" or native_available()]


def top_engine(name, n_kept, n_threads=2, block_rows=None):
    engine = make_engine(name, n_threads, n_kept)
    engine.block_rows = block_rows or engine.block_rows
    engine.threads_for = lambda numbers: n_threads
    return engine


def run(engine, problem):
    """All verbs; matrices as arrays."""
    fetch = engine.fetch
    engine.fetch = lambda handle: fetch(handle).toarray()
    return run_all_verbs(engine, problem)


def problem_of(dtype=np.float64, **changes):
    problem = random_problem(3, n=N, n_clusters=17, dtype=dtype)
    return replace(problem, **changes)


@pytest.mark.parametrize("balance", [0.0, 0.4])
@pytest.mark.parametrize("name", NAMES)
def test_keeping_all_of_them_is_the_plain_sweep(name, balance):
    problem = problem_of(balance=balance, diagonal_shift=0.3)
    expected, found = run_all_verbs(NumpyEngine(), problem), run(top_engine(name, 17), problem)
    for verb, value in expected.items():
        np.testing.assert_allclose(found[verb], value, rtol=1e-9, atol=1e-11, err_msg=verb)


@pytest.mark.skipif(not native_available(), reason="the C++ extension was not built")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("balance", [0.0, 0.4])
@pytest.mark.parametrize("n_kept", [2, 5])
def test_the_kernels_equal_the_specification(n_kept, balance, dtype):
    problem = problem_of(dtype, balance=balance, diagonal_shift=0.3)
    expected, found = run(top_engine("numpy", n_kept), problem), run(top_engine("native", n_kept), problem)
    for verb, value in expected.items():
        assert found[verb].dtype == value.dtype, verb
        np.testing.assert_allclose(found[verb], value, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype], err_msg=verb)


@pytest.mark.skipif(not native_available(), reason="the C++ extension was not built")
@pytest.mark.parametrize("laplacian_weight", [1.0, 20.0, 300.0])
def test_what_the_kernels_keep_is_never_below_the_normal_numbers(laplacian_weight):
    engine = top_engine("native", 5)
    problem = problem_of(np.float32, laplacian_weight=laplacian_weight)
    placed = engine.place(problem)
    similarity = engine.similarity(placed, problem.kernel.modes_at(np.arange(17)))
    Z = engine.start(placed, similarity)
    for _ in range(20):
        Z, _ = engine.sweep(placed, similarity, Z)
        assert Z.values[Z.values != 0].min() >= np.finfo(np.float32).tiny
    far = replace(problem, kernel=replace(problem.kernel, X=problem.kernel.X * 10))
    values = engine.similarity(engine.place(far), far.kernel.modes_at(np.arange(17))).values
    assert 0 < values[values != 0].min() < 1e-30
    assert values[values != 0].min() >= np.finfo(np.float32).tiny


@pytest.mark.skipif(not native_available(), reason="the C++ extension was not built")
def test_the_kernels_equal_the_specification_on_a_given_graph():
    features = random_problem(5, n=N)
    problem = Problem(GraphKernel(features.affinity), features.affinity, 9, 0.7)
    expected, found = run(top_engine("numpy", 3), problem), run(top_engine("native", 3), problem)
    for verb, value in expected.items():
        np.testing.assert_allclose(found[verb], value, rtol=1e-11, atol=1e-11, err_msg=verb)


@pytest.mark.parametrize("name", NAMES)
def test_blocks_and_threads_change_no_bit(name):
    problem = problem_of(np.float32, balance=0.2)
    whole = run(top_engine(name, 4, n_threads=1, block_rows=N), problem)
    for n_threads, block_rows in ((1, 1), (2, 13), (4, 7)):
        cut = run(top_engine(name, 4, n_threads, block_rows), problem)
        for verb in whole:
            np.testing.assert_array_equal(cut[verb], whole[verb], err_msg=verb)


@pytest.mark.parametrize("rows_at_a_time", [1, 13, N])
def test_sizes_and_entries_are_found_block_by_block(rows_at_a_time, monkeypatch):
    monkeypatch.setattr(top_memberships, "ROWS_AT_A_TIME", rows_at_a_time)
    rng = np.random.default_rng(0)
    Z = Top(keep_largest(rng.random((N, 6)), 3), rng.random((N, 3)), 6)
    Z.clusters[::5, 2], Z.values[::5, 2] = -1, 0  # a slot without an entry
    dense = Z.matrix().toarray()
    np.testing.assert_allclose(top_engine("numpy", 3).log_sizes(Z), np.log(dense.mean(axis=0)))
    rows, clusters = rng.integers(N, size=400), rng.integers(6, size=400)
    np.testing.assert_array_equal(Z.at(rows, clusters), dense[rows, clusters])


@example(2, 0.25, 2, 0.0, "numpy")  # the shift that suffices for all memberships is too small for two
@given(
    st.integers(0, 2**32 - 1),
    st.floats(0, 20),
    st.integers(2, 6),
    st.sampled_from([0.0, 0.1, 3.0]),
    st.sampled_from(NAMES),
)
def test_no_sweep_raises_the_objective(seed, weight, n_kept, balance, name):
    problem = random_problem(seed, n=30, n_clusters=8, laplacian_weight=weight)
    shift = sufficient_shift(problem.affinity, weight, balance, all_memberships=False)
    problem = replace(problem, balance=balance, diagonal_shift=shift)
    engine = make_engine(name, 1, n_kept)
    placed = engine.place(problem)
    similarity = engine.similarity(placed, problem.kernel.modes_at(np.arange(8)))
    labels = np.random.default_rng(seed).integers(8, size=30)
    Z, value = engine.start(placed, similarity, labels), np.inf
    for _ in range(12):
        before = engine.fetch(Z).toarray()
        Z, objective = engine.sweep(placed, similarity, Z)
        a = engine.fetch(similarity).toarray()
        assert objective == pytest.approx(
            relaxed_objective(a, problem.affinity, before, weight, shift, balance), rel=1e-9, abs=1e-9
        )
        assert objective <= value + 1e-9 * (1 + abs(objective))
        assert np.count_nonzero(before, axis=1).max() <= n_kept
        np.testing.assert_allclose(before.sum(axis=1), 1, rtol=1e-12)
        value = objective


@pytest.mark.parametrize("name", NAMES)
def test_rows_far_from_every_mode_keep_the_nearest(name):
    """Where the kernel underflows the distance still tells which modes are near."""
    problem = random_problem(8, n=30, d=1, n_clusters=3, dtype=np.float32)
    problem.kernel.X[:] = np.linspace(0, 6000, 30)[:, None]
    modes = problem.kernel.modes_at(np.array([28, 0, 15]))
    engine = make_engine(name, 1, 2)
    placed = engine.place(problem)
    Z = engine.start(placed, engine.similarity(placed, modes))
    assert engine.labels(placed, Z, modes).tolist() == [1] * 8 + [2] * 14 + [0] * 8


def test_largest_scores_first_and_the_first_of_equal_ones():
    scores = np.array([[1.0, 3.0, 3.0, 2.0], [-np.inf, 0.0, -np.inf, -np.inf]])
    assert keep_largest(scores, 3).tolist() == [[1, 2, 3], [1, -1, -1]]


X, Y = make_blobs(600, centers=12, n_features=4, cluster_std=1.5, random_state=0)


@pytest.mark.parametrize("update", ["argmax", "mean_shift", "density"])
def test_a_fit_keeps_so_many_and_predicts_itself(update):
    model = LaplacianKModes(12, top_memberships=3, mode_update=update, random_state=0).fit(X)
    Z = model.memberships_
    assert sparse.issparse(Z)
    assert Z.shape == (600, 12)
    assert np.diff(Z.indptr).max() <= 3
    np.testing.assert_allclose(Z.sum(axis=1), 1)
    full = LaplacianKModes(12, mode_update=update, random_state=0).fit(X)
    assert adjusted_rand_index(full.labels_, model.labels_) > 0.95
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert abs(model.predict_proba(X) - Z).max() < 1e-12
    new = model.predict_proba(X + 0.01)
    np.testing.assert_allclose(new.sum(axis=1), 1)
    assert np.diff(new.indptr).max() <= 3
    assert np.isfinite(model.score(X))
    assert model.transform(X).shape == (600, 12)


def test_as_many_as_there_are_clusters_is_all_of_them():
    few, all_of_them = (LaplacianKModes(12, top_memberships=m, random_state=0).fit(X) for m in (12, None))
    np.testing.assert_array_equal(few.memberships_, all_of_them.memberships_)


def test_rows_that_were_put_in_order_come_back_in_theirs(monkeypatch):
    if not native_available():
        pytest.skip("only the C++ kernels put rows in order")
    monkeypatch.setattr("slkmodes.ordering.ORDERED_ROWS", 100)
    model = LaplacianKModes(12, top_memberships=3, random_state=0).fit(X)
    np.testing.assert_array_equal(model.memberships_.toarray().argmax(axis=1), model.labels_)
    assert adjusted_rand_index(Y, model.labels_) > 0.8


def test_new_rows_are_seen_in_blocks(monkeypatch):
    model = LaplacianKModes(12, top_memberships=3, random_state=0).fit(X)
    expected = model.predict(X + 0.1), model.predict_proba(X + 0.1).toarray(), model.score(X + 0.1)
    monkeypatch.setattr("slkmodes.estimator.EXTENDED_NUMBERS", 12 * 7)
    np.testing.assert_array_equal(model.predict(X + 0.1), expected[0])
    np.testing.assert_array_equal(model.predict_proba(X + 0.1).toarray(), expected[1])
    assert model.score(X + 0.1) == expected[2]


@pytest.mark.parametrize("value", [1, 0, 2.5, "all"])
def test_too_few_are_refused(value):
    with pytest.raises((ValueError, TypeError), match="top_memberships of LaplacianKModes"):
        LaplacianKModes(12, top_memberships=value).fit(X)


@pytest.mark.parametrize("init", ["k-means++", "random", np.arange(12)])
def test_first_modes_on_a_given_graph_are_refused(init):
    graph = LaplacianKModes(12, random_state=0).fit(X).affinity_
    model = LaplacianKModes(12, top_memberships=3, affinity="precomputed", init=init)
    with pytest.raises(ValueError, match="needs init='auto' or 'graph'"):
        model.fit(graph)
    fitted = LaplacianKModes(12, top_memberships=3, affinity="precomputed", random_state=0).fit(graph)
    assert adjusted_rand_index(Y, fitted.labels_) > 0.8
