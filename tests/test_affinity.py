import numpy as np
import pytest
from scipy import sparse

from slkmodes.affinity import (
    AUTO_BALANCE,
    SYMMETRIZERS,
    WEIGHTS,
    automatic_balance,
    estimate_bandwidth,
    given_affinity,
    neighbor_affinity,
    reach_of,
    smallest,
    smallest_eigenvalue_bound,
    sufficient_shift,
)
from slkmodes.neighbors import NeighborIndex, Neighbors
from tests.examples import random_graph

# 0 - 1 - 3 - 10 on a line: each point's two nearest others
LINE = Neighbors(
    indices=np.array([[1, 2], [0, 2], [1, 0], [2, 1]]),
    distances=np.array([[1.0, 3.0], [1.0, 2.0], [2.0, 3.0], [7.0, 9.0]]),
)


def test_bandwidth_is_the_papers_mean_of_squared_distances():
    assert estimate_bandwidth(LINE, 2) ** 2 == pytest.approx((1 + 9 + 1 + 4 + 4 + 9 + 49 + 81) / 8)


def test_bandwidth_of_duplicates_alone_is_one():
    assert estimate_bandwidth(Neighbors(LINE.indices, np.zeros((4, 2))), 2) == 1.0


def test_bandwidth_counts_the_nearest_only():
    assert estimate_bandwidth(LINE, 1) ** 2 == pytest.approx((1 + 1 + 4 + 49) / 4)


EXPECTED_BINARY = {
    "none": [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], [0, 1, 1, 0]],
    "union": [[0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 0]],
    "mutual": [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]],
    "average": [[0, 1, 1, 0], [1, 0, 1, 0.5], [1, 1, 0, 0.5], [0, 0.5, 0.5, 0]],
}


@pytest.mark.parametrize("symmetrize", EXPECTED_BINARY)
def test_binary_graphs(symmetrize):
    W = neighbor_affinity(LINE, "binary", symmetrize, 2, 1.0)
    np.testing.assert_array_equal(W.toarray(), EXPECTED_BINARY[symmetrize])


def test_gaussian_weights_are_the_kernel():
    W = neighbor_affinity(LINE, "gaussian", "none", 2, 2.0).toarray()
    assert W[0, 2] == pytest.approx(np.exp(-9 / 8))
    assert W[3, 1] == pytest.approx(np.exp(-81 / 8))


def test_gaussian_weights_never_drop_an_edge():
    far = Neighbors(LINE.indices, (LINE.distances * 1e4).astype(np.float32))
    W = neighbor_affinity(far, "gaussian", "none", 2, 1.0)
    assert W.nnz == 8
    assert W.dtype == np.float32
    assert W.data.min() > 0


def test_local_weights_are_relative_to_both_neighbourhoods():
    W = neighbor_affinity(LINE, "local", "none", 2, 99.0).toarray()
    assert W[0, 1] == pytest.approx(np.exp(-0.5 / (3 * 2)))
    assert W[3, 2] == pytest.approx(np.exp(-0.5 * 49 / (9 * 3)))
    scaled = Neighbors(LINE.indices, LINE.distances * 1e3)
    np.testing.assert_allclose(neighbor_affinity(scaled, "local", "none", 2, 1.0).toarray(), W)


def test_local_weights_of_duplicates_are_finite():
    same = Neighbors(LINE.indices, np.zeros((4, 2), dtype=np.float32))
    assert set(neighbor_affinity(same, "local", "none", 2, 1.0).data) == {1.0}


def test_adaptive_weights_count_near_and_relatively_near():
    # Row 0's neighbours lie at 1, 1.1 and 1.2, but around row 2 everything is far apart, around row 1 close together.
    neighbors = Neighbors(
        indices=np.array([[1, 2, 3], [3, 0, 2], [0, 3, 1], [1, 0, 2]]),
        distances=np.array([[1.0, 1.1, 1.2], [0.1, 0.2, 0.3], [4.0, 5.0, 6.0], [1.0, 2.0, 4.0]]),
    )
    W = neighbor_affinity(neighbors, "adaptive", "none", 1, 1.0).toarray()
    # scales: 1.2, 0.3, 6, 4; relative to them row 0 sees 1, 2, 3 at 1.67, 0.41, 0.55
    np.testing.assert_array_equal(W[0], [0, 0.5, 0.5, 0])
    assert np.all(W.sum(axis=1) == 1)
    scaled = Neighbors(neighbors.indices, neighbors.distances * 1e3)
    np.testing.assert_array_equal(neighbor_affinity(scaled, "adaptive", "none", 1, 1.0).toarray(), W)


@pytest.mark.parametrize("count", [1, 3, 7, 9])
def test_of_equal_ones_the_first_are_the_smallest(count):
    values = np.random.default_rng(0).integers(0, 4, size=(200, 7)).astype(np.float32)
    expected = np.zeros(values.shape, dtype=bool)
    np.put_along_axis(expected, np.argsort(values, axis=1, kind="stable")[:, :count], True, axis=1)
    np.testing.assert_array_equal(smallest(values, count), expected)


def test_adaptive_weights_of_duplicates_are_binary():
    same = Neighbors(np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]), np.zeros((4, 3), dtype=np.float32))
    W = neighbor_affinity(same, "adaptive", "none", 1, 1.0)
    np.testing.assert_array_equal(W.toarray(), [[0, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]])


@pytest.mark.parametrize(("weights", "reach"), [("binary", 5), ("adaptive", 15)])
def test_how_many_neighbours_have_to_be_found(weights, reach):
    assert reach_of(weights, 5, 1000) == reach
    assert reach_of(weights, 5, 8) == min(reach, 7)


def test_shared_weights_are_the_part_of_neighbours_in_common():
    W = neighbor_affinity(LINE, "shared", "none", 2, 1.0).toarray()
    # 0, 1 and 2 have the neighbourhood {0, 1, 2}; 3 has {1, 2, 3}
    np.testing.assert_allclose(W, [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], [0, 0.5, 0.5, 0]])


@pytest.mark.parametrize("weights", WEIGHTS)
def test_new_rows_are_weighed_like_old_ones(weights):
    found = Neighbors(np.array([[1, 2]]), np.array([[0.5, 1.5]]))
    values = WEIGHTS[weights](found, LINE, 2, 2.0)
    assert values.shape == (1, 2)
    assert np.all((values > 0) & (values <= 1))
    if weights == "shared":  # {1, 2} against {0, 1, 2}
        np.testing.assert_allclose(values, 2 / 3)


@pytest.mark.parametrize("symmetrize", SYMMETRIZERS)
def test_graphs_of_data_with_duplicates_have_no_diagonal(symmetrize):
    X = np.repeat(np.random.default_rng(0).normal(size=(10, 2)), 4, axis=0)
    W = neighbor_affinity(NeighborIndex(X, "kd_tree", 5).graph(1), "binary", symmetrize, 5, 1.0)
    assert np.all(W.diagonal() == 0)
    if symmetrize != "none":
        assert abs(W - W.T).max() == 0
    out_degree = np.diff(neighbor_affinity(NeighborIndex(X, "kd_tree", 5).graph(1), "binary", "none", 5, 1.0).indptr)
    assert np.all(out_degree == 5)


def test_a_given_graph_loses_its_diagonal_and_stays_as_it_was():
    given = sparse.csr_array(np.array([[5.0, 1.0, 0.0], [0.0, 5.0, 2.0], [0.0, 4.0, 0.0]]))
    before = given.copy()
    W = given_affinity(given, "average").toarray()
    np.testing.assert_array_equal(W, [[0, 0.5, 0], [0.5, 0, 3], [0, 3, 0]])
    assert abs(given - before).max() == 0


@pytest.mark.parametrize("n", [5, 200])
def test_eigenvalue_bound_is_below_and_close(n):
    W = random_graph(np.random.default_rng(n), n, density=0.2)
    smallest = np.linalg.eigvalsh(W.toarray())[0]
    bound = smallest_eigenvalue_bound(W)
    assert smallest - 0.01 * W.sum(axis=1).max() <= bound <= smallest


def test_no_shift_without_need():
    W = random_graph(np.random.default_rng(0), 50)
    assert sufficient_shift(W, 0.0) == 0.0
    assert sufficient_shift(W, 1e-3) == 0.0
    assert sufficient_shift(sparse.csr_array((50, 50)), 1.0) == 0.0


def test_the_automatic_balance_is_none_where_the_graph_falls_apart():
    crumbs = sparse.csr_array(np.kron(np.eye(30), np.ones((4, 4)) - np.eye(4)))
    assert automatic_balance(crumbs, 2) == 0.0
    assert automatic_balance(crumbs, 30) == AUTO_BALANCE
