import numpy as np
import pytest
from scipy import sparse

from slkmodes.engines.numpy_engine import NumpyEngine
from slkmodes.segmentation import absorb, diffuse, keep_large, normalized_adjacency, segment, smoothed_columns
from tests.examples import graph_of, random_graph, rings

ENGINE = NumpyEngine()


def test_segments_are_connected_and_do_not_cross_rings():
    X, y = rings()
    W = graph_of(X)
    rng = np.random.default_rng(0)
    segments = segment(W, 2, smoothed_columns(ENGINE, W, 2, 1, rng)[0], rng)
    for number in range(segments.max() + 1):
        rows = np.flatnonzero(segments == number)
        assert len(set(y[rows])) == 1
        assert sparse.csgraph.connected_components(W[rows][:, rows])[0] == 1


def test_smoothing_makes_joined_rows_alike():
    X, _ = rings()
    W = graph_of(X)
    first, second = smoothed_columns(ENGINE, W, 2, 2, np.random.default_rng(0))
    assert not np.allclose(first, second)
    for columns in (first, second):
        directions = columns / np.linalg.norm(columns, axis=1, keepdims=True)
        edges = W.tocoo()
        far = np.random.default_rng(1).permutation(edges.col)
        joined = np.einsum("ed,ed->e", directions[edges.row], directions[edges.col])
        shuffled = np.einsum("ed,ed->e", directions[edges.row], directions[far])
        assert joined.mean() > 0.9
        assert abs(shuffled.mean()) < 0.5


@pytest.mark.parametrize("steps", [1, 2, 7, 60])
def test_diffusion_is_many_lazy_steps(steps):
    rng = np.random.default_rng(0)
    S = normalized_adjacency(random_graph(rng, 40))[0].astype(np.float64)
    columns = rng.normal(size=(40, 3))
    expected = columns
    for _ in range(steps):
        expected = (expected + S @ expected) / 2
    np.testing.assert_allclose(diffuse(ENGINE, S, columns, steps), expected, atol=3e-3 * np.abs(columns).max())


def test_normalized_adjacency_is_symmetric_in_single_precision_with_spectrum_up_to_one():
    W = random_graph(np.random.default_rng(3), 30).tolil()
    W[7] = W[:, 7] = 0  # a row without edges
    S, root = normalized_adjacency(sparse.csr_array(W))
    assert (S.dtype, root.dtype) == (np.float32, np.float32)
    values = np.linalg.eigvalsh(S.toarray())
    assert values[-1] == pytest.approx(1.0, abs=1e-5)
    assert values[0] >= -1 - 1e-5
    np.testing.assert_allclose(S @ root, root, rtol=1e-5)  # a constant is smooth


def test_loose_rows_join_the_segment_most_of_their_neighbours_have():
    path = sparse.csr_array(np.diag(np.ones(6), 1) + np.diag(np.ones(6), -1))
    assert absorb(path, np.array([0, -1, -1, -1, -1, 1, -1])).tolist()[::6] == [0, 1]
    assert absorb(path, np.array([0, -1, -1, -1, -1, 1, -1])).min() >= 0
    nobody = sparse.csr_array((3, 3))
    assert absorb(nobody, np.array([0, -1, 1])).tolist() == [0, 0, 1]


def test_small_parts_join_their_neighbours_but_enough_are_kept():
    path = sparse.csr_array(np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1))
    parts = np.array([7, 7, 7, 2, 4, 4])
    assert keep_large(path, parts, at_least=1, fewest_rows=2).tolist()[:3] == [0, 0, 0]
    assert keep_large(path, parts, at_least=1, fewest_rows=2).max() == 1
    assert keep_large(path, parts, at_least=3, fewest_rows=2).max() == 2
