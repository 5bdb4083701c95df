import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
from sklearn.datasets import load_digits

from slkmodes import LaplacianKModes, layout
from slkmodes.layout import attraction, draw_graph, layout_of_graph, repulsion
from tests.examples import graph_of, random_graph


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return LaplacianKModes(10, random_state=0, n_jobs=1).fit(X).affinity_, y


def in_the_square(positions, n):
    return (
        positions.shape == (n, 2)
        and positions.dtype == np.float32
        and positions.min() >= 0
        and positions.max() <= 1
        and np.isclose(np.ptp(positions, axis=0).max(), 1 if n > 1 else 0, atol=1e-6)
    )


def accuracy_of_neighbors(positions, y):
    """How often most of the ten nearest have the same label."""
    votes = y[cKDTree(positions).query(positions, 11)[1][:, 1:]]
    return np.mean([np.bincount(row).argmax() == label for row, label in zip(votes, y, strict=True)])


def test_digits_lie_among_their_like(digits):
    affinity, y = digits
    positions = layout_of_graph(affinity)
    assert in_the_square(positions, len(y))
    assert accuracy_of_neighbors(positions, y) > 0.97


def test_joined_vertices_are_nearer_than_others(digits):
    affinity, _ = digits
    positions = layout_of_graph(affinity)
    edges = affinity.tocoo()
    others = np.random.default_rng(0).integers(len(positions), size=(2, 10_000))
    joined = np.linalg.norm(positions[edges.row] - positions[edges.col], axis=1)
    random = np.linalg.norm(positions[others[0]] - positions[others[1]], axis=1)
    assert np.median(joined) < np.median(random) / 20


def test_the_same_seed_gives_the_same_layout_whatever_the_threads(digits, monkeypatch):
    affinity, _ = digits
    positions = layout_of_graph(affinity, random_state=3, n_iter=30)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    np.testing.assert_array_equal(layout_of_graph(affinity, random_state=3, n_iter=30), positions)
    assert not np.array_equal(layout_of_graph(affinity, random_state=4, n_iter=30), positions)


def test_the_size_of_the_weights_and_the_diagonal_do_not_matter():
    W = random_graph(np.random.default_rng(0), 40, 0.1)
    expected = layout_of_graph(W, n_iter=20)
    np.testing.assert_allclose(layout_of_graph(W * 8 + sparse.eye_array(40), n_iter=20), expected, atol=1e-5)
    np.testing.assert_allclose(layout_of_graph(W * 1e308, n_iter=20), expected, atol=1e-5)


@pytest.mark.parametrize(("cell", "error"), [(layout.CELL, 0.1), (layout.CELL / 8, 0.002)])
def test_repulsion_is_that_of_all_pairs(monkeypatch, cell, error):
    monkeypatch.setattr(layout, "CELL", cell)
    y = (np.random.default_rng(0).normal(size=(300, 2)) @ [4, 4j]).astype(np.complex64)
    apart = y[:, None] - y[None, :]
    closeness = 1 / (1 + np.abs(apart) ** 2)
    expected = len(y) * (apart * closeness**2).sum(axis=1) / closeness.sum()
    assert np.abs(repulsion(y) - expected).mean() < error * np.abs(expected).mean()


def test_attraction_is_that_of_the_edges():
    y = np.array([0, 3, 3 + 4j, 0.1], dtype=np.complex64)
    W = sparse.csr_array(np.array([[0, 2.0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0]], dtype=np.float32))
    pulled = attraction(y, W.data, W.indices, W.indptr)
    np.testing.assert_allclose(pulled, [2 * 3 / 10, 4j / 17, 0, -0.1 / 1.01 / 2], rtol=2e-3)


def test_no_vertex_pushes_itself():
    for place in (0, 0.3 + 0.1j):
        np.testing.assert_allclose(repulsion(np.full(3, place, dtype=np.complex64)), 0, atol=1e-6)


def test_parts_that_no_edge_joins_lie_side_by_side():
    rng = np.random.default_rng(0)
    parts = [graph_of(rng.normal(size=(150, 3))) for _ in range(4)]
    W = sparse.block_diag([*parts, *[np.ones((2, 2))] * 10, sparse.csr_array((10, 10))], format="csr")
    positions = layout_of_graph(W)
    assert in_the_square(positions, 630)
    part = connected_components(W)[1]
    nearest = cKDTree(positions).query(positions, 2)[1][:, 1]
    alone = np.bincount(part)[part] == 1
    assert np.mean(part[nearest] == part, where=~alone) > 0.99
    # Every large part has a region of its own: few vertices of others in the middle of it.
    for number in range(4):
        own = positions[part == number]
        middle = np.linalg.norm(positions - np.median(own, axis=0), axis=1)
        inside = middle < np.quantile(middle[part == number], 0.5)
        assert np.mean(part[inside] == number) > 0.9


@pytest.mark.parametrize("n", [1, 2, 3, 200])
def test_without_edges(n):
    positions = layout_of_graph(sparse.csr_array((n, n)))
    assert in_the_square(positions, n)
    assert len(np.unique(positions, axis=0)) == n


@pytest.mark.parametrize("n", [1, 2, 3, 4, 60])
def test_where_all_are_joined(n):
    """Nothing collapses: no edge is a hundred times as long as another."""
    positions = layout_of_graph(np.ones((n, n)))
    assert in_the_square(positions, n)
    apart = np.linalg.norm(positions[:, None] - positions, axis=2)[~np.eye(n, dtype=bool)]
    assert n == 1 or apart.max() < 100 * apart.min()


def test_weights_of_any_size_and_a_hub():
    rng = np.random.default_rng(0)
    W = random_graph(rng, 50, 0.1).toarray() * np.exp(rng.normal(size=(50, 1)) * 250)
    assert in_the_square(layout_of_graph(W), 50)
    hub = np.zeros((400, 400))
    hub[0, 1:] = 1  # more edges than it may choose, but all others choose it
    positions = layout_of_graph(hub)
    assert in_the_square(positions, 400)
    assert np.linalg.norm(positions[0] - 0.5) < 0.2


def test_large_graphs_are_drawn_by_groups(digits, monkeypatch):
    affinity, y = digits
    n = len(y)
    W = sparse.block_diag([affinity, np.ones((3, 3)), sparse.csr_array((40, 40))], format="csr")
    drawn = []
    monkeypatch.setattr(layout, "MOST_VERTICES", 1000)
    monkeypatch.setattr(layout, "N_GROUPS", 500)
    monkeypatch.setattr(
        layout, "draw_graph", lambda weights, *rest: drawn.append(weights) or draw_graph(weights, *rest)
    )
    positions = layout_of_graph(W)
    assert in_the_square(positions, n + 43)
    np.testing.assert_array_equal(layout_of_graph(W), positions)
    assert [weights.shape for weights in drawn] == [(500, 500)] * 2
    assert accuracy_of_neighbors(positions[:n], y) > 0.9
    # What no group is in lies beside the rest, not on top of it.
    assert np.median(cKDTree(positions[:n]).query(positions[-40:])[0]) > 0.03


@pytest.mark.parametrize(
    ("affinity", "said"),
    [
        (np.ones((2, 3)), r"must be square with at least one row; got shape \(2, 3\)"),
        (-np.ones((3, 3)), "finite numbers of at least 0.*got values from -1.0 to -1.0"),
        (np.array([[0, np.nan], [1, 0]]), "finite numbers of at least 0"),
    ],
)
def test_what_is_no_graph(affinity, said):
    with pytest.raises(ValueError, match=f"affinity of layout_of_graph must.*{said}|{said}"):
        layout_of_graph(affinity)


def test_the_number_of_steps_is_checked():
    with pytest.raises(ValueError, match="n_iter of layout_of_graph must be at least 0, got -1"):
        layout_of_graph(np.ones((3, 3)), n_iter=-1)
