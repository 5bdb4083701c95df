import numpy as np
import pytest

from slkmodes.density_peaks import density_peak_groups, squared_edge_lengths
from slkmodes.mode_kernels import GaussianKernel
from tests.examples import graph_of


def by_definition(X, W, bandwidth, n_clusters):
    """Density peaks over all pairs."""
    distance = np.linalg.norm(X[:, None] - X[None], axis=2)
    edges = W.toarray() > 0
    density = np.where(edges, np.exp(-0.5 * (distance / bandwidth) ** 2), 0).sum(axis=1) / edges.sum(axis=1)
    order = np.argsort(-density, kind="stable")
    uphill, far = np.zeros(len(X), dtype=int), np.full(len(X), np.inf)
    for place, row in enumerate(order[1:], start=1):
        near = [q for q in order[:place] if edges[row, q]] or list(order[:place])
        uphill[row] = min(near, key=lambda q: distance[row, q])
        far[row] = distance[row, uphill[row]]
    peaks = np.argsort(-density * far, kind="stable")[:n_clusters]
    labels = np.full(len(X), -1)
    labels[peaks] = np.arange(n_clusters)
    for row in order:
        if labels[row] < 0:
            labels[row] = labels[uphill[row]]
    return labels


@pytest.mark.parametrize("seed", range(4))
def test_groups_are_those_of_the_definition(seed):
    X = np.random.default_rng(seed).normal(size=(150, 2)) * [3.0, 1.0]
    W = graph_of(X)
    np.testing.assert_array_equal(density_peak_groups(GaussianKernel(X, 0.5), W, 5), by_definition(X, W, 0.5, 5))


def test_blocks_of_peaks_change_nothing(monkeypatch):
    X = np.random.default_rng(1).normal(size=(300, 2))
    W = graph_of(X, k=2)
    whole = density_peak_groups(GaussianKernel(X, 0.3), W, 6)
    monkeypatch.setattr("slkmodes.density_peaks.BLOCK_ENTRIES", 7)
    np.testing.assert_array_equal(density_peak_groups(GaussianKernel(X, 0.3), W, 6), whole)


def test_edge_lengths():
    X = np.random.default_rng(0).normal(size=(20, 3))
    W = graph_of(X, k=3)
    edges = W.tocoo()
    np.testing.assert_allclose(squared_edge_lengths(X, X, W), ((X[edges.row] - X[edges.col]) ** 2).sum(axis=1))


def test_as_many_groups_as_rows_and_equal_rows():
    X = np.repeat(np.arange(4.0)[:, None], 3, axis=0)
    labels = density_peak_groups(GaussianKernel(X, 1.0), graph_of(X, k=2), 4)
    assert set(labels.tolist()) == {0, 1, 2, 3}
