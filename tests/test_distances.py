import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist

from slkmodes import LaplacianKModes, nn_descent
from slkmodes.distances import METRICS
from slkmodes.engines import native_available
from slkmodes.engines.native_engine import NativeEngine
from slkmodes.engines.numpy_engine import NumpyEngine
from slkmodes.exact_search import EqualRows, keys_of
from slkmodes.mode_kernels import GaussianKernel
from slkmodes.neighbors import SEARCHES, NeighborIndex
from slkmodes.nn_descent import DescentSearch
from slkmodes.problem import Problem
from slkmodes.seeding import reseed

NAMES = [name for name in SEARCHES if name != "nn_descent" or native_available()]


def samples(n_samples=1500, n_features=20, spread=0.3, dtype=np.float32):
    rng = np.random.default_rng(0)
    centers = 2 * rng.normal(size=(15, n_features))
    X = centers[rng.integers(15, size=n_samples)] + rng.normal(size=(n_samples, n_features))
    return (X * rng.lognormal(0, spread, size=(n_samples, 1))).astype(dtype)


@given(st.sampled_from(sorted(METRICS)), st.integers(0, 2**32 - 1), st.integers(2, 30), st.integers(1, 5))
def test_asking_and_answering_rows_are_as_far_apart_as_samples(name, seed, n_samples, n_features):
    X = np.random.default_rng(seed).normal(size=(n_samples, n_features))
    metric = METRICS[name]("test", X)
    asking = metric.asking(X)
    answering = metric.answering(asking)
    squared = cdist(asking, answering) ** 2
    products = X @ X.T
    if name == "inner_product":
        expected = 2 * (np.diag(products).max() - products)
    elif name == "cosine":
        lengths = np.linalg.norm(X, axis=1)
        expected = 2 - 2 * products / np.outer(lengths, lengths)
    else:
        expected = cdist(X, X) ** 2
    np.testing.assert_allclose(squared, expected, atol=1e-9 * max(1, np.abs(products).max()))
    lift = metric.lift(answering)
    if lift is not None:
        np.testing.assert_allclose(cdist(answering, answering) ** 2 + 2 * np.outer(lift, lift), squared, atol=1e-9)
    if name != "cosine":
        np.testing.assert_array_equal(metric.features(asking), X)
        np.testing.assert_array_equal(metric.features(answering), X)
    assert asking.shape[1] == n_features + metric.extra_columns


@pytest.mark.parametrize("n_features", [4, 20, 200])
@pytest.mark.parametrize("search", NAMES)
def test_every_search_finds_the_largest_inner_products(search, n_features):
    X = samples(n_features=n_features)
    metric = METRICS["inner_product"]("test", X)
    index = NeighborIndex(metric.asking(X), search, 8, metric=metric)
    one, two = index.graph(1), NeighborIndex(metric.asking(X), search, 8, metric=metric).graph(2)
    np.testing.assert_array_equal(one.indices, two.indices)
    np.testing.assert_array_equal(one.distances, two.distances)
    products = X.astype(float) @ X.T.astype(float)
    longest = np.diag(products).max()
    np.fill_diagonal(products, -np.inf)
    found = np.take_along_axis(products, one.indices, axis=1)
    assert not np.any(one.indices == np.arange(len(X))[:, None])
    least = np.sort(products, axis=1)[:, -8:-7]
    assert np.mean(found >= least - 1e-6 * longest) > (0.999 if SEARCHES[search].exact else 0.97)
    np.testing.assert_allclose(one.distances**2, 2 * (longest - found), rtol=1e-4, atol=1e-5 * longest)

    Q = samples(n_features=n_features)[::30] * np.float32(1.1)
    rows = index.query(metric.asking(Q), 2)[0]
    products = Q.astype(float) @ X.T.astype(float)
    found, least = np.take_along_axis(products, rows, axis=1), np.sort(products, axis=1)[:, -8:-7]
    assert np.mean(found >= least - 1e-6 * longest) > 0.95


@pytest.mark.parametrize("search", [name for name in NAMES if not SEARCHES[name].exact])
def test_recall_is_not_flattered_by_a_long_sample(search):
    X = samples(3000, 200)
    X[7] *= 60  # beside its length the others differ by less than distances are often compared to
    metric = METRICS["inner_product"]("test", X)
    built = NeighborIndex(metric.asking(X), search, 8, target=0.8, metric=metric)
    found = built.graph(1)
    products = X.astype(float) @ X.T.astype(float)
    np.fill_diagonal(products, -np.inf)
    least = np.sort(products, axis=1)[:, -8:-7]
    true = np.mean(np.take_along_axis(products, found.indices, axis=1) >= least)
    assert found.recall == pytest.approx(true, abs=0.03)
    assert true > 0.8


def test_a_sample_beside_which_inner_products_vanish_is_refused():
    X = samples(300, 20)
    X[7] *= 1000
    with pytest.raises(ValueError, match=r"times as long as half of them: .* lose their digits in float32"):
        LaplacianKModes(3, metric="inner_product").fit(X)
    LaplacianKModes(3, metric="inner_product", random_state=0).fit(X.astype(np.float64))
    METRICS["inner_product"]("test", np.zeros((3, 2)))


@pytest.mark.skipif(not native_available(), reason="NN-descent is C++")
def test_rounds_on_the_data_do_not_depend_on_threads_under_inner_products(monkeypatch):
    monkeypatch.setattr(nn_descent, "PAIR_ALONE", 0)  # never all pairs
    X = samples(3000, 200)
    metric = METRICS["inner_product"]("test", X)
    said = {n: [] for n in (1, 2, 4)}
    lists = [DescentSearch(metric.asking(X), 10, n, 1.0, said[n].append, metric).lists for n in said]
    assert said[1] == said[2] == said[4]
    for other in lists[1:]:
        np.testing.assert_array_equal(other.rows, lists[0].rows)
        np.testing.assert_array_equal(other.squared, lists[0].squared)
    assert np.all(np.diff(lists[0].squared, axis=1) >= 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("make_engine", [NumpyEngine, *([NativeEngine] if native_available() else [])])
def test_densities_are_between_samples(make_engine, dtype):
    X = samples(301, 7, dtype=dtype)
    metric = METRICS["inner_product"]("test", X)
    kernel = GaussianKernel(metric.asking(X), 12.0, metric)
    engine = make_engine(2)
    candidates, references = np.arange(0, 301, 7), np.arange(3, 298)
    weights = np.random.default_rng(0).random(len(references))
    placed = engine.place(Problem(kernel, sparse.csr_array((301, 301), dtype=dtype), 2, 1.0))
    products = X[candidates].astype(float) @ X[references].T.astype(float)
    expected = np.exp((products - metric.squared_length) / 144) @ weights
    np.testing.assert_allclose(engine.density(placed, candidates, references, weights), expected, rtol=1e-4)


def test_equal_rows_are_found_also_where_keys_collide(monkeypatch):
    X = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [5.0, 6.0]])
    for n_features in (1, 2):
        for dtype in (np.float32, np.float64):
            rows = np.ascontiguousarray(X[:, :n_features].astype(dtype))
            wanted = np.array([[5.0, 6.0], [1.0, 2.0], [9.0, 9.0]])[:, :n_features].astype(dtype)
            assert EqualRows(rows, 1).find(wanted, 1).tolist() == [3, 0, -1]
    assert EqualRows(X, 1).find(X[:0], 1).tolist() == []
    monkeypatch.setattr("slkmodes.exact_search.keys_of", lambda rows, n_threads: np.zeros(len(rows), dtype=np.uint64))
    assert EqualRows(X, 1).find(X[[1, 2]], 1).tolist() == [-1, 0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_small_whole_numbers_have_keys_of_their_own(dtype):
    X = np.unique(np.random.default_rng(0).integers(0, 2, size=(20_000, 51)), axis=0).astype(dtype)
    assert len(np.unique(keys_of(X, 2))) == len(X)
    np.testing.assert_array_equal(EqualRows(X, 1).find(X, 2), np.arange(len(X)))


@pytest.mark.skipif(not native_available(), reason="the C++ extension was not built")
@pytest.mark.parametrize("n_features", [1, 4, 5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_keys_are_those_of_numpy_also_of_some_of_the_columns(monkeypatch, dtype, n_features):
    X = samples(300, 7).astype(dtype)[:, :n_features]
    found = keys_of(X, 2)
    monkeypatch.setattr("slkmodes.exact_search.native_available", lambda: False)
    np.testing.assert_array_equal(found, keys_of(X, 1))


def test_a_row_is_not_drawn_again_that_is_not_the_nearest_to_itself():
    """All but three rows are modes: empty clusters get the others, though short rows are dissimilar to themselves."""
    X = samples(40, 5, spread=1.0)
    metric = METRICS["inner_product"]("test", X)
    kernel = GaussianKernel(metric.asking(X), 3.0, metric)
    modes = kernel.modes_at(np.concatenate([np.arange(37), [0, 0, 0]]))
    closest = kernel.similarity(slice(None), modes).max(axis=1)
    for seed in range(10):
        found = reseed(kernel, closest, modes, np.arange(37, 40), np.random.default_rng(seed))
        assert sorted(found.rows) == list(range(40))


@pytest.mark.skipif(not native_available(), reason="NN-descent is C++")
def test_a_row_that_a_walk_misses_is_known_all_the_same():
    X = samples(2000, 30)
    index = NeighborIndex(X, "nn_descent", 5)
    indices, distances = index.query(X, 2)
    missed = np.arange(0, 2000, 9)
    distances[missed] += 1
    np.testing.assert_array_equal(index.twins(X, (indices, distances), 2), np.arange(2000))
    assert np.all(index.twins(X + 1, (indices, distances + 1), 2) == -1)
