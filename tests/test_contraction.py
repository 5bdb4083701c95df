import itertools

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_limits

from slkmodes import clustering_accuracy, normalized_cut
from slkmodes.affinity import neighbor_affinity
from slkmodes.contraction import (
    BALANCE,
    ContractedGraph,
    absorb,
    graph_groups,
    segment,
    smoothed_columns,
)
from slkmodes.neighbors import NeighborIndex


def graph_of(X, k=5):
    return neighbor_affinity(NeighborIndex(X, "kd_tree", k).graph(1), "binary", "union", 1.0)


def rings(n=600):
    rng = np.random.default_rng(0)
    angle, y = rng.uniform(0, 2 * np.pi, n), np.arange(n) % 2
    X = (1 + y)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(scale=0.04, size=(n, 2))
    return X, y


def test_two_rings_are_told_apart():
    X, y = rings()
    for seed in range(3):
        labels = graph_groups(graph_of(X), 2, np.random.default_rng(seed))
        assert clustering_accuracy(y, labels) == 1.0


def test_segments_are_connected_and_do_not_cross_rings():
    X, y = rings()
    W = graph_of(X)
    segments = segment(W, 2, np.random.default_rng(0))
    for number in range(segments.max() + 1):
        rows = np.flatnonzero(segments == number)
        assert len(set(y[rows])) == 1
        assert sparse.csgraph.connected_components(W[rows][:, rows])[0] == 1


def test_smoothing_makes_joined_rows_alike():
    X, _ = rings()
    W = graph_of(X)
    columns = smoothed_columns(W, 6, np.random.default_rng(0))
    directions = columns / np.linalg.norm(columns, axis=1, keepdims=True)
    edges = W.tocoo()
    joined = np.einsum("ed,ed->e", directions[edges.row], directions[edges.col])
    shuffled = np.einsum("ed,ed->e", directions[edges.row], directions[np.random.default_rng(1).permutation(edges.col)])
    assert joined.mean() > 0.9
    assert abs(shuffled.mean()) < 0.5


def test_loose_rows_join_the_segment_most_of_their_neighbours_have():
    path = sparse.csr_array(np.diag(np.ones(6), 1) + np.diag(np.ones(6), -1))
    assert absorb(path, np.array([0, -1, -1, -1, -1, 1, -1])).tolist()[::6] == [0, 1]
    assert absorb(path, np.array([0, -1, -1, -1, -1, 1, -1])).min() >= 0
    nobody = sparse.csr_array((3, 3))
    assert absorb(nobody, np.array([0, -1, 1])).tolist() == [0, 0, 1]


def small_graph(n=8, seed=0):
    """Nodes as their own segments, so that every merge can be tried."""
    rng = np.random.default_rng(seed)
    W = rng.random((n, n)) * (rng.random((n, n)) < 0.6)
    W = np.triu(W, 1) + np.triu(W, 1).T
    return sparse.csr_array(W), ContractedGraph(sparse.csr_array(W), np.arange(n))


def objective(W, labels, n_groups):
    share = np.bincount(labels, minlength=n_groups) / len(labels)
    return n_groups - normalized_cut(W, labels) - BALANCE * np.sum(share * np.log(share))


@pytest.mark.parametrize("seed", range(5))
def test_merging_finds_the_best_of_all_labellings(seed):
    W, contracted = small_graph(seed=seed)
    every = (np.array(labels) for labels in itertools.product(range(3), repeat=8) if len(set(labels)) == 3)
    best = max(objective(W, labels, 3) for labels in every)
    labels = contracted.merge(3, np.random.default_rng(0))
    assert objective(W, labels, 3) == pytest.approx(best)


def test_improving_never_worsens_and_returns_the_objective():
    W, contracted = small_graph(n=20, seed=7)
    start = np.arange(20) % 4
    labels, value = contracted.improve(start, 4)
    assert value == pytest.approx(objective(W, labels, 4))
    assert value >= objective(W, start, 4)


def test_agglomeration_and_perturbation_keep_the_number_of_groups():
    _, contracted = small_graph(n=20, seed=3)
    labels = contracted.agglomerate(5)
    assert set(labels.tolist()) == set(range(5))
    rng = np.random.default_rng(0)
    for _ in range(20):
        assert contracted.perturb(labels, 5, rng).max() < 5


def test_the_number_of_threads_changes_nothing():
    W = graph_of(np.random.default_rng(0).normal(size=(3000, 3)))
    answers = []
    for n_threads in (1, 2, 4):
        with threadpool_limits(n_threads):
            answers.append(graph_groups(W, 4, np.random.default_rng(0)))
    np.testing.assert_array_equal(answers[1], answers[0])
    np.testing.assert_array_equal(answers[2], answers[0])


@pytest.mark.parametrize("n_clusters", [1, 3, 7])
def test_tiny_graphs(n_clusters):
    labels = graph_groups(
        graph_of(np.random.default_rng(0).normal(size=(7, 2)), k=2), n_clusters, np.random.default_rng(0)
    )
    assert labels.shape == (7,)
    assert labels.min() >= 0
    assert labels.max() < n_clusters
