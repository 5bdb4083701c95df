import pickle

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from slkmodes import exact_search, inverted_lists, neighbors
from slkmodes import search as module
from slkmodes.engines import native_available
from slkmodes.neighbors import NeighborIndex, choose_search
from slkmodes.search import drop_self, rank_candidates
from tests.examples import recall_against

SEARCHES = [name for name in neighbors.SEARCHES if name != "nn_descent" or native_available()]
APPROXIMATE = [name for name in SEARCHES if name in ("nn_descent", "inverted_lists")]


def brute(X, k):
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    return np.sort(D, axis=1)[:, :k]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("search", ["kd_tree", "brute"])
def test_exact_searches_find_the_nearest_others(search, dtype):
    X = np.random.default_rng(0).normal(size=(300, 6)).astype(dtype)
    found = NeighborIndex(X, search, 7).graph(2)
    np.testing.assert_allclose(found.distances, brute(X, 7), rtol=1e-5)
    assert found.distances.dtype == dtype
    assert found.recall == 1.0
    assert not np.any(found.indices == np.arange(300)[:, None])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [12, 200])
@pytest.mark.parametrize("search", APPROXIMATE)
def test_approximate_searches_find_what_they_say_they_find(search, n_features, dtype):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(20, n_features))[rng.integers(20, size=3000)] * 2).astype(dtype)
    X += rng.normal(size=X.shape).astype(dtype)
    found = NeighborIndex(X, search, 6).graph(2)
    truth = brute(X, 6)
    assert found.recall >= neighbors.TARGET_RECALL
    assert recall_against(found.distances, truth) == pytest.approx(found.recall, abs=0.03)
    assert not np.any(found.indices == np.arange(3000)[:, None])
    rows = np.arange(0, 3000, 97)
    expected = np.linalg.norm(X[found.indices[rows]].astype(float) - X[rows, None], axis=2)
    np.testing.assert_allclose(found.distances[rows], expected, rtol=1e-4)


@pytest.mark.parametrize("search", SEARCHES)
def test_far_from_the_origin_neighbours_are_still_told_apart(search):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1200, 12)) * 0.01 + np.where(rng.random((1200, 1)) < 0.5, 1e3, -1e3)
    found = NeighborIndex(X, search, 5).graph(1)
    assert recall_against(found.distances, brute(X, 5)) > 0.95


@pytest.mark.parametrize("search", SEARCHES)
def test_a_duplicate_is_a_neighbour_and_the_row_itself_never(search):
    """More copies of a row than neighbours: every neighbour is a copy, at distance exactly 0."""
    X = np.repeat(np.random.default_rng(0).normal(size=(100, 12)), 20, axis=0).astype(np.float32)
    found = NeighborIndex(X, search, 5).graph(2)
    assert np.all(found.distances == 0)
    assert np.all(found.indices // 20 == (np.arange(2000) // 20)[:, None])
    assert not np.any(found.indices == np.arange(2000)[:, None])


@pytest.mark.parametrize("search", SEARCHES)
def test_the_number_of_threads_changes_nothing(search):
    """Integers, so that distances tie."""
    X = np.random.default_rng(0).integers(0, 4, size=(1500, 12)).astype(np.float32)
    one, two, four = (NeighborIndex(X, search, 6).graph(n) for n in (1, 2, 4))
    for other in (two, four):
        np.testing.assert_array_equal(other.indices, one.indices)
        np.testing.assert_array_equal(other.distances, one.distances)


@pytest.mark.parametrize("search", ["kd_tree", "brute"])
def test_rows_are_looked_up_some_at_a_time_and_told(search, monkeypatch):
    X = np.random.default_rng(0).normal(size=(250, 4)).repeat(2, axis=0)  # copies are not the row itself
    whole, said = NeighborIndex(X, search, 4).graph(1, said_nothing), []
    monkeypatch.setattr(module, "ROWS_AT_A_TIME", 201)
    found = NeighborIndex(X, search, 4).graph(1, said.append)
    np.testing.assert_array_equal(found.indices, whole.indices)
    np.testing.assert_array_equal(found.distances, whole.distances)
    assert said == [f"neighbours of rows: {done} of 500" for done in (0, 201, 402)]


def said_nothing(text):
    pytest.fail(f"one block needs no telling: {text}")


@pytest.mark.parametrize("search", ["kd_tree", "brute"])
def test_ties_come_in_the_order_of_the_rows(search):
    X = np.random.default_rng(0).integers(0, 3, size=(400, 3)).astype(np.float64)
    found = NeighborIndex(X, search, 8).graph(2)
    for row in range(400):
        pairs = list(zip(found.distances[row], found.indices[row], strict=True))
        assert pairs == sorted(pairs)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_pairs_choose_ties_by_row_number(dtype):
    """0/1 data: whole crowds at the same distance, and of each crowd the first rows."""
    if not native_available():
        pytest.skip("only the C++ search promises which of many ties it finds")
    X = np.random.default_rng(0).integers(0, 2, size=(500, 7)).astype(dtype)
    squared = ((X[:, None] - X) ** 2).sum(axis=2)
    np.fill_diagonal(squared, -1)
    expected = np.argsort(squared, axis=1, kind="stable")[:, 1:6]
    np.testing.assert_array_equal(NeighborIndex(X, "brute", 5).graph(3).indices, expected)


def test_a_crowd_of_copies_costs_no_more_than_other_rows():
    """20,000 copies of one row, which no tree can split: comparing all with all would be 4e8 pairs."""
    X = np.zeros((20_300, 3))
    X[:300] = np.random.default_rng(0).normal(size=(300, 3))
    search = exact_search.TreeSearch(X, 5, 1)
    assert search.tree.n == 301
    indices, distances = drop_self(*search.query(X, 6, 1))
    assert np.all(distances[300:] == 0)
    assert np.all(indices[300:] >= 300)
    np.testing.assert_allclose(distances[:300], np.sort(cdist(X[:300], X[:310]), axis=1)[:, 1:6])


def test_fewer_different_rows_than_neighbours_in_a_tree():
    X = np.repeat([[0.0], [5.0]], 4, axis=0)
    indices, distances = exact_search.TreeSearch(X, 6, 1).query(X[[0, 7]], 6, 1)
    assert indices.tolist() == [[0, 1, 2, 3, 4, 5], [4, 5, 6, 7, 0, 1]]
    assert distances.tolist() == [[0, 0, 0, 0, 5, 5]] * 2


def test_equal_rows_are_grouped_even_where_their_keys_collide(monkeypatch):
    X = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [5.0, 6.0]])
    for factors in (None, np.zeros(2, dtype=np.uint64)):
        if factors is not None:  # every row has the key 0

            class Fixed:
                def integers(self, *_, **__):
                    return np.array([2**63] * 2, dtype=np.uint64)

            monkeypatch.setattr(np.random, "default_rng", lambda seed: Fixed())
        first, group = exact_search.group_equal_rows(X, 2)
        assert group[0] == group[2]
        assert len(set(group.tolist())) == 3
        np.testing.assert_array_equal(X[first[group]], X)


def test_widening_is_bounded():
    """Isotropic noise, where principal components tell nothing: recall is reported, memory is not spent."""
    X = np.random.default_rng(0).normal(size=(2000, 300)).astype(np.float32)
    index = NeighborIndex(X, "inverted_lists", 5)
    assert index.built(1).n_spare <= inverted_lists.MOST_SPARE_CANDIDATES
    assert 0 < index.built(1).recall <= 1


def test_auto_looks_at_the_shape():
    assert choose_search(3_000_000, 4) == "kd_tree"
    assert choose_search(5_000, 784) == "brute"
    assert choose_search(70_000, 784) == ("nn_descent" if native_available() else "inverted_lists")


def test_low_recall_is_said(monkeypatch):
    monkeypatch.setattr(exact_search.BruteSearch, "recall", 0.5)
    X = np.random.default_rng(0).normal(size=(50, 12))
    with pytest.warns(UserWarning, match=r"found 50.0% .* neighbor_search='brute'"):
        NeighborIndex(X, "brute", 5).graph(1)


def test_too_few_rows_in_the_lists_are_made_up_for():
    """A list holds some 35 rows, fewer than asked for."""
    X = np.random.default_rng(0).normal(size=(1200, 12))
    index = NeighborIndex(X, "inverted_lists", 60)
    index.built(1).index.nprobe = 1
    indices, distances = index.query(X[:50], 1)
    assert indices.min() >= 0
    assert np.all(np.isfinite(distances))


def test_drop_self_removes_the_row_or_the_farthest():
    indices, distances = drop_self(np.array([[0, 1, 2], [2, 0, 3]]), np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]]))
    assert indices.tolist() == [[1, 2], [2, 0]]
    assert distances.tolist() == [[1.0, 2.0], [0.0, 0.0]]


def test_candidates_are_ranked_by_distance_then_by_row():
    X = np.array([[0.0], [2.0], [-2.0], [1.0]])
    indices, distances = rank_candidates(X, np.zeros((1, 1)), np.array([[2, 1, -1, 3]], dtype=np.int32), 3, 1)
    assert indices.tolist() == [[3, 1, 2]]
    assert distances.tolist() == [[1.0, 2.0, 2.0]]


def test_an_index_is_pickled_without_what_it_built():
    X = np.random.default_rng(0).normal(size=(60, 3))
    index = NeighborIndex(X, "kd_tree", 4)
    before = index.query(X, 1)
    again = pickle.loads(pickle.dumps(index))  # noqa: S301
    assert again._built is None
    np.testing.assert_array_equal(again.query(X, 1)[0], before[0])
