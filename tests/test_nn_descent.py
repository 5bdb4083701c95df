import numpy as np
import pytest
from scipy.spatial.distance import cdist

from slkmodes import LaplacianKModes, nn_descent, walks
from slkmodes.engines import native_available
from slkmodes.neighbors import NeighborIndex
from slkmodes.nn_descent import DescentSearch
from slkmodes.ordering import inverse
from slkmodes.projection import Projection
from tests.examples import recall_against

pytestmark = pytest.mark.skipif(not native_available(), reason="NN-descent is C++")


def clouds(n_samples, n_features, seed=0, dtype=np.float32):
    rng = np.random.default_rng(seed)
    centers = 2 * rng.normal(size=(20, n_features))
    return (centers[rng.integers(20, size=n_samples)] + rng.normal(size=(n_samples, n_features))).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n_features", "scale"), [(20, 1.0), (300, 1.0), (300, 1e-3), (20, 1e6)])
def test_lists_are_improved_until_the_target_is_met(n_features, scale, dtype):
    """300 features: the first lists come from 128 components, further rounds from the data itself."""
    X = (clouds(3000, n_features, dtype=dtype) * scale).astype(dtype)
    said = []
    search = DescentSearch(X, 8, 2, 0.995, said.append)
    distances = search.graph(X, 8, 2)[1]
    truth = np.sort(cdist(X, X), axis=1)[:, 1:9]
    assert search.recall >= 0.995
    assert recall_against(distances, truth) > 0.99
    assert (sum("recall" in text for text in said) > 1) == (n_features == 300)


def test_lists_hold_the_best_of_all_that_was_offered():
    """Distances of the lists are those of the rows they name, ascending, no row twice, none its own neighbour."""
    X = clouds(2000, 40)
    search = DescentSearch(X, 10, 2, 0.9)
    rows, squared = search.lists.rows, search.lists.squared
    assert np.all(np.diff(squared, axis=1) >= 0)
    for row in range(0, 2000, 111):
        assert len(set(rows[row])) == rows.shape[1]
        assert row not in rows[row]
        expected = np.square(search.points[rows[row]] - search.points[row]).sum(axis=1)
        np.testing.assert_allclose(squared[row], expected, rtol=1e-4)


@pytest.mark.parametrize("n_features", [40, 200])
def test_new_rows_find_their_neighbours(n_features):
    X, Q = clouds(6000, n_features), clouds(200, n_features, seed=0)[::-1] + np.float32(0.01)
    index = NeighborIndex(X, "nn_descent", 10)
    one, two = index.query(Q, 1), index.query(Q, 2)
    np.testing.assert_array_equal(one[0], two[0])
    assert recall_against(one[1], np.sort(cdist(Q, X), axis=1)[:, :10]) > 0.96
    np.testing.assert_allclose(one[1][:, 0], np.linalg.norm(X[one[0][:, 0]] - Q, axis=1), rtol=1e-4)


@pytest.mark.parametrize("n_samples", [3, 17, 129, 500])
def test_few_rows_are_no_reason_to_fail(n_samples):
    X = clouds(n_samples, 12)
    k = min(60, n_samples - 1)
    found = NeighborIndex(X, "nn_descent", k).graph(2)
    assert recall_against(found.distances, np.sort(cdist(X, X), axis=1)[:, 1 : k + 1]) > 0.97
    assert NeighborIndex(X, "nn_descent", k).query(X[:2], 1)[0][:, 0].tolist() == [0, 1]


def test_rows_that_met_too_few_others_are_compared_with_all(monkeypatch):
    X = clouds(400, 12)
    search = DescentSearch(X, 5, 1, 0.5)
    search.lists.rows[:50] = -1
    indices, distances = search.graph(X, 5, 1)
    assert indices.min() >= 0
    assert not np.any(indices == np.arange(400)[:, None])
    np.testing.assert_allclose(
        distances[search.numbers[:50]], np.sort(cdist(X, X), axis=1)[search.numbers[:50], 1:6], rtol=1e-3
    )


def test_a_fit_with_new_samples():
    X = clouds(3000, 30)
    model = LaplacianKModes(20, neighbor_search="nn_descent", random_state=0).fit(X)
    assert model.neighbor_search_ == "nn_descent"
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert np.mean(model.predict(X + np.float32(1e-3)) == model.labels_) > 0.99


def test_where_neighbours_of_neighbours_are_none_more_cells_are_visited():
    """Noise of 60 dimensions: rounds end at two thirds of the neighbours, as any NN-descent does."""
    X = np.random.default_rng(0).normal(size=(4000, 60)).astype(np.float32)
    said = []
    found = NeighborIndex(X, "nn_descent", 10).graph(2, said.append)
    assert found.recall >= 0.98
    assert recall_against(found.distances, np.sort(cdist(X, X), axis=1)[:, 1:11]) > 0.97
    assert sum("cells" in text for text in said) > 1


@pytest.mark.parametrize(
    ("pair_alone", "said_last"), [(nn_descent.PAIR_ALONE, "all pairs of rows"), (0, "recall 1.0000")]
)
def test_where_the_components_say_little_all_pairs_are_compared_if_that_takes_less_time(
    pair_alone, said_last, monkeypatch
):
    monkeypatch.setattr(nn_descent, "PAIR_ALONE", pair_alone)
    X = np.random.default_rng(0).normal(size=(3000, 200)).astype(np.float32)
    said = []
    index = NeighborIndex(X, "nn_descent", 10)
    found = index.graph(2, said.append)
    assert said[-1].endswith(said_last)
    assert found.recall == 1.0
    exact = NeighborIndex(X, "brute", 10)
    assert np.mean(found.indices == exact.graph(2).indices) > 0.999
    if pair_alone:
        np.testing.assert_array_equal(index.query(X[:50] + 0.1, 2)[0], exact.query(X[:50] + 0.1, 2)[0])


@pytest.mark.parametrize(("beyond", "width"), [(1e-3, 16), (0.6, 32), (1.0, 48)])
def test_lists_are_wide_where_neighbours_are_in_another_order_on_the_components(beyond, width):
    """Of 400 columns the first twenty matter most; the lists are just as wide as the target needs."""
    spread = np.where(np.arange(400) < 20, 5.0, beyond)
    X = (np.random.default_rng(0).normal(size=(8000, 400)) * spread).astype(np.float32)
    search = DescentSearch(X, 12, 2, 0.9)
    assert search.recall >= 0.9
    assert search.lists.rows.shape[1] == width
    points = search.points[search.places]
    on_components = np.argsort(cdist(points[search.sample], points), axis=1)
    held = [
        np.mean(
            [np.isin(near, order[: wide + 1]).mean() for near, order in zip(search.near, on_components, strict=True)]
        )
        for wide in (width - 16, width)
    ]
    assert held[0] < 0.95 <= held[1]


def test_cells_are_visited_while_that_helps():
    """Before any neighbours of neighbours are compared."""
    X = clouds(20_000, 10, seed=1) @ np.random.default_rng(1).normal(size=(10, 60)).astype(np.float32)
    said = []
    assert DescentSearch(X, 10, 2, 0.99, said.append).recall >= 0.99
    stages = [text for text in said if "recall" not in text]
    assert len(stages) > 1
    assert stages == [f"neighbours: {number} of 78 cells" for number in (3, 5, 7)][: len(stages)]


@pytest.mark.parametrize("near", [6, 300])
def test_the_truth_of_the_sample_is_exact(monkeypatch, near):
    """Also where so few are near on the components that nobody can be sure of most."""
    monkeypatch.setattr(nn_descent, "NEAR_ON_COMPONENTS", near)
    X = clouds(3000, 300)
    search = DescentSearch(X, 5, 2, 0.5)
    np.testing.assert_allclose(search.truth, np.sort(cdist(X[search.sample], X), axis=1)[:, 1:6], rtol=1e-4)
    distances = np.linalg.norm(X[search.near].astype(float) - X[search.sample, None], axis=2)
    np.testing.assert_allclose(distances, search.truth, rtol=1e-4)


def test_a_crowd_of_equal_rows_among_others():
    """Its cell is cut up; every row of it finds copies of itself, and the others are found as ever."""
    X = clouds(9000, 12)
    X[1000:] = X[0]
    found = NeighborIndex(X, "nn_descent", 8).graph(2)
    assert np.all(found.distances[1000:] == 0)
    truth = np.sort(cdist(X[1:1000], X), axis=1)[:, 1:9]
    assert recall_against(found.distances[1:1000], truth) > 0.97


@pytest.mark.parametrize("recall", [0, 1.5, "much"])
def test_a_recall_that_makes_no_sense(recall):
    with pytest.raises((ValueError, TypeError), match="recall of LaplacianKModes"):
        LaplacianKModes(2, recall=recall).fit(np.random.default_rng(0).normal(size=(30, 3)))


def test_without_kernels_it_says_what_to_use(monkeypatch):
    monkeypatch.setattr(nn_descent, "native_available", lambda: False)
    with pytest.raises(ImportError, match="Use 'inverted_lists'"):
        NeighborIndex(clouds(50, 12), "nn_descent", 5).graph(1)


def test_projected_distances_are_lower_bounds_and_the_best_of_their_width():
    X = clouds(500, 60)
    projection = Projection(X, 20)
    Y = projection(X, 2)
    assert Y.shape == (500, 32)
    assert np.all(Y[:, 20:] == 0)
    full = cdist(X, X) * float(projection.scale)
    assert np.all(cdist(Y, Y) <= full * (1 + 1e-4) + 1e-5)
    variance = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    np.testing.assert_allclose(Y.var(axis=0, ddof=1)[:20] / float(projection.scale) ** 2, variance[:20], rtol=1e-2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n_rows", "n_features", "n_components"), [(1, 3, 3), (53, 300, 100), (100, 257, 20)])
def test_the_kernel_projects_as_numpy_does(monkeypatch, n_rows, n_features, n_components, dtype):
    X = (1000 + np.random.default_rng(0).normal(size=(n_rows, n_features))).astype(dtype)
    X[0, 0] = 1e30  # is cut off
    projection = Projection(X[1:] if n_rows > 1 else np.zeros_like(X), n_components)
    one, two = projection(X, 1), projection(X, 2)
    monkeypatch.setattr("slkmodes.projection.native_available", lambda: False)
    expected = projection(X, 1)
    np.testing.assert_array_equal(one, two)
    np.testing.assert_allclose(one, expected, rtol=1e-5, atol=1e-5)


def test_walks_are_judged_by_rows_that_are_left_out():
    """Rows of the sample are walked to as if they were new, or they would find themselves and thereby the others."""
    X = clouds(6000, 40)
    search = NeighborIndex(X, "nn_descent", 10).built(2)
    search.query(X[:1], 10, 2)
    places = inverse(search.numbers)[search.sample]
    indices, distances = search._walk(search.walks, X[search.sample], 10, round(10 * search.breadth), 2, places)
    assert not np.any(indices == search.sample[:, None])
    assert recall_against(distances, search.truth) >= search.target


@pytest.mark.parametrize("scale", [1.5, 5.0, 20.0])
def test_new_rows_far_from_all_find_their_neighbours(scale):
    """On a grid that ends where the rows do half of them would be missed, and no sample of the rows could tell."""
    X = clouds(20_000, 40)
    index = NeighborIndex(X, "nn_descent", 10)
    Q = X.mean(axis=0) + np.float32(scale) * (X[:500] - X.mean(axis=0))
    truth = NeighborIndex(X, "brute", 10).query(Q, 2)[1]
    assert recall_against(index.query(Q, 2)[1], truth) > 0.9
    assert index.built(2).walks.grid is not None


@pytest.mark.parametrize("target", [0.3, 0.8, 0.9])
def test_walks_keep_no_fewer_rows_than_are_wanted(target):
    index = NeighborIndex(clouds(6000, 40), "nn_descent", 20, target)
    assert index.get_ready(2).breadth >= 1


def test_who_is_interrupted_while_walks_are_prepared_starts_again(monkeypatch):
    X = clouds(6000, 40)
    expected = NeighborIndex(X, "nn_descent", 10).query(X, 2)
    index = NeighborIndex(X, "nn_descent", 10)
    index.built(2)
    with monkeypatch.context() as patched:
        patched.setattr(DescentSearch, "_walk", lambda *args: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            index.query(X, 2)
    for found, wanted in zip(index.query(X, 2), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_new_rows_find_their_way_into_every_part():
    """Far blobs: the lists of one never name a row of another, and there are more of them than landmarks."""
    rng = np.random.default_rng(0)
    centers = 100 * rng.normal(size=(400, 20))
    X = (np.repeat(centers, 25, axis=0) + 0.1 * rng.normal(size=(10_000, 20))).astype(np.float32)
    found, distances = NeighborIndex(X, "nn_descent", 8).query(X[::10], 2)
    assert np.mean(found[:, 0] == np.arange(0, 10_000, 10)) > 0.999
    assert distances.max() < 3


def test_a_part_smaller_than_the_list_is_left():
    rng = np.random.default_rng(0)
    X = (np.repeat(100 * rng.normal(size=(40, 20)), 15, axis=0) + 0.1 * rng.normal(size=(600, 20))).astype(np.float32)
    found, distances = NeighborIndex(X, "nn_descent", 30).query(X + np.float32(0.01), 2)
    assert found.min() >= 0
    truth = np.sort(cdist(X + np.float32(0.01), X), axis=1)[:, :30]
    np.testing.assert_allclose(distances[:, :15], truth[:, :15], rtol=1e-3)
    assert recall_against(distances, truth) > 0.95


def test_walks_that_lose_their_way_are_given_up(monkeypatch):
    monkeypatch.setattr(walks, "MOST_LANDMARKS", 1)
    monkeypatch.setattr(walks, "N_LANDMARKS", 3)
    rng = np.random.default_rng(0)
    X = (np.repeat(100 * rng.normal(size=(40, 20)), 30, axis=0) + 0.1 * rng.normal(size=(1200, 20))).astype(np.float32)
    index = NeighborIndex(X, "nn_descent", 8)
    found, _ = index.query(X, 2)
    assert index.built(2).walks_fail
    np.testing.assert_array_equal(found[:, 0], np.arange(1200))


@pytest.mark.filterwarnings("ignore:The approximate neighbour search")  # float32 cannot tell all of them apart
@pytest.mark.parametrize("scale", [1e60, 1e-60])
def test_rows_far_outside_the_sample_are_no_crash(monkeypatch, scale):
    monkeypatch.setattr("slkmodes.projection.SAMPLE_ROWS", 50)
    X = np.random.default_rng(0).normal(size=(3000, 12))
    X[::30] *= scale
    found = NeighborIndex(X, "nn_descent", 5, 0.5).graph(2)
    assert np.all(np.isfinite(found.distances))
    assert found.indices.min() >= 0


@pytest.mark.filterwarnings("ignore:The approximate neighbour search")
@pytest.mark.parametrize("scale", [1e60, 1e-60])
@pytest.mark.parametrize("n_features", [12, 140])
def test_new_rows_far_outside_the_sample_are_no_crash(monkeypatch, scale, n_features):
    monkeypatch.setattr("slkmodes.projection.SAMPLE_ROWS", 50)
    X = np.random.default_rng(0).normal(size=(3000, n_features))
    X[::30] *= scale
    found, distances = NeighborIndex(X, "nn_descent", 5, 0.5).query(X, 2)
    assert np.all(np.isfinite(distances))
    assert found.min() >= 0


@pytest.mark.parametrize("pair_alone", [0, nn_descent.PAIR_ALONE])
def test_rounds_do_not_depend_on_threads(pair_alone, monkeypatch):
    monkeypatch.setattr(nn_descent, "PAIR_ALONE", pair_alone)
    X = clouds(5000, 150)
    said = {n: [] for n in (1, 2, 4)}
    lists = [DescentSearch(X, 10, n, 0.999, said[n].append).lists for n in said]
    assert said[1] == said[2] == said[4]
    for other in lists[1:]:
        np.testing.assert_array_equal(other.rows, lists[0].rows)
        np.testing.assert_array_equal(other.squared, lists[0].squared)
