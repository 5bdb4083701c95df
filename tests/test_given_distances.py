import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import kneighbors_graph

from slkmodes import LaplacianKModes
from slkmodes.affinity import SCALE_NEIGHBOR, at_least_tiny
from slkmodes.given_distances import adaptive_affinity
from slkmodes.validation import check_distances


def weights_by_hand(distances, n_neighbors):
    """The rule of the weights, list by list."""
    lists = []
    for row in range(distances.shape[0]):
        entries = slice(*distances.indptr[row : row + 2])
        lists.append(sorted(zip(distances.data[entries], distances.indices[entries], strict=True))[: 3 * n_neighbors])
    scales = [at_least_tiny(np.array([0.0, *(d for d, _ in found)]))[: SCALE_NEIGHBOR + 1][-1] for found in lists]
    weights = np.zeros(distances.shape)
    for row, found in enumerate(lists):
        relative = sorted(range(len(found)), key=lambda i: found[i][0] / np.sqrt(scales[row] * scales[found[i][1]]))
        for place in [*range(min(n_neighbors, len(found))), *relative[:n_neighbors]]:
            weights[row, found[place][1]] += 0.5
    return weights


def uneven(seed, dtype=np.float64):
    """Distances among 60 points, a third of them duplicates: lists of 0 to 20, in any order, zeros stored."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(60, 3)) * rng.lognormal(size=(60, 1))
    points[40:] = points[rng.integers(3, size=20)]
    between = np.linalg.norm(points[:, None] - points, axis=2).astype(dtype)
    lists = [rng.permutation(np.argsort(between[row])[1 : 1 + rng.integers(21)]) for row in range(60)]
    starts = np.cumsum([0, *map(len, lists)])
    columns = np.concatenate(lists)
    values = between[np.repeat(np.arange(60), np.diff(starts)), columns]
    return sparse.csr_array((values, columns, starts), shape=(60, 60))


def test_the_graph_is_the_estimators_own(blobs):
    X, _ = blobs
    model = LaplacianKModes(3, random_state=0).fit(X)
    given = adaptive_affinity(check_distances("X", "D", kneighbors_graph(X, 15, mode="distance")), 5)
    assert abs((given + given.T) / 2 - model.affinity_).max() == 0


@pytest.mark.parametrize("n_neighbors", [1, 4, 30])
@pytest.mark.parametrize("seed", range(5))
def test_lists_of_unequal_length(seed, n_neighbors):
    distances = check_distances("X", "D", uneven(seed))
    np.testing.assert_array_equal(
        adaptive_affinity(distances, n_neighbors).toarray(), weights_by_hand(distances, n_neighbors)
    )


def test_a_short_list_is_taken_as_a_whole():
    columns, starts = [1, 2, 3, 0, 1, 0], [0, 3, 4, 5, 6]
    distances = sparse.csr_array(([1.0, 2.0, 3.0, 1.0, 0.1, 3.0], columns, starts), shape=(4, 4))
    # Of the first list 1 and 2 are nearest, 1 and 3 relative to the scales 3, 1, 0.1 and 3; the others list one each.
    expected = [[0, 1, 0.5, 0.5], [1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]]
    assert adaptive_affinity(distances, 2).toarray().tolist() == expected


def test_zeros_that_are_stored_are_duplicates_and_the_diagonal_is_nobody():
    stored = sparse.csr_matrix(([0.0, 0.0, 3.0], ([0, 0, 1], [0, 1, 0])), shape=(2, 2))
    distances = check_distances("X", "D", stored)
    assert distances.toarray().tolist() == [[0, 0], [3, 0]]
    assert distances.nnz == 2
    assert adaptive_affinity(distances, 1).toarray().tolist() == [[0, 1], [1, 0]]


def test_every_entry_of_a_dense_matrix_is_a_distance():
    points = np.array([0.0, 0.0, 1.0, 3.0])
    distances = check_distances("X", "D", np.abs(points[:, None] - points))
    assert np.diff(distances.indptr).tolist() == [3, 3, 3, 3]
    assert adaptive_affinity(distances, 1).toarray()[:2].tolist() == [[0, 1, 0, 0], [1, 0, 0, 0]]


@pytest.mark.parametrize(("given", "kept"), [("float32", "float32"), ("float64", "float64"), ("int64", "float64")])
def test_the_type_of_the_distances_is_that_of_the_weights(given, kept):
    distances = check_distances("X", "D", uneven(0).astype(given))
    assert adaptive_affinity(distances, 5).dtype == kept


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
def test_what_is_no_distance(bad):
    with pytest.raises(ValueError, match=r"^D of X must hold distances, finite and at least 0\. Compute the neigh"):
        check_distances("X", "D", np.array([[0.0, bad], [1.0, 0.0]]))
