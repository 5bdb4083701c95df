import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.special import xlogy
from threadpoolctl import threadpool_limits

from slkmodes import clustering_accuracy, contraction, normalized_cut
from slkmodes.agglomeration import CUT_PRICE
from slkmodes.contraction import (
    ContractedGraph,
    description_cost,
    graph_groups,
    majority,
    overlay,
    settle,
)
from slkmodes.engines import native_available
from slkmodes.engines.numpy_engine import NumpyEngine
from tests.examples import graph_of, rings

ENGINE = NumpyEngine()


def test_two_rings_are_told_apart():
    X, y = rings()
    for seed in range(3):
        groups = graph_groups(ENGINE, graph_of(X), 2, 3, np.random.default_rng(seed))
        assert clustering_accuracy(y, groups.labels) == 1.0
        assert groups.agreement == pytest.approx(1.0)


def small_graph(n=8, seed=0):
    """Nodes as their own segments, so that every merge can be tried."""
    rng = np.random.default_rng(seed)
    W = rng.random((n, n)) * (rng.random((n, n)) < 0.6)
    W = np.triu(W, 1) + np.triu(W, 1).T
    return sparse.csr_array(W), ContractedGraph(sparse.csr_array(W), np.arange(n))


def objective(W, labels):
    """The map equation and the price of the cut, written down anew."""
    M = np.zeros((labels.max() + 1,) * 2)
    edges = W.tocoo()
    np.add.at(M, (labels[edges.row], labels[edges.col]), edges.data / W.sum())
    p, q = M.sum(axis=1), M.sum(axis=1) - np.diag(M)
    length = xlogy(q.sum(), q.sum()) - 2 * xlogy(q, q).sum() + xlogy(p + q, p + q).sum()
    return length + CUT_PRICE * normalized_cut(W, labels)


@pytest.mark.parametrize("seed", range(5))
def test_merging_finds_the_best_of_all_labellings(seed):
    W, contracted = small_graph(seed=seed)
    every = (np.array(labels) for labels in itertools.product(range(3), repeat=8) if len(set(labels)) == 3)
    best = min(objective(W, labels) for labels in every)
    labels = contracted.merge(3, np.random.default_rng(0))
    assert objective(W, labels) == pytest.approx(best)


def test_the_cost_of_a_clustering_is_the_objective():
    W = small_graph(n=20, seed=2)[0]
    labels = np.arange(20) % 4
    assert description_cost(W, labels) == pytest.approx(objective(W, labels))
    assert description_cost(W, labels + 10) == pytest.approx(objective(W, labels))


def test_improving_never_worsens_and_returns_the_objective():
    W, contracted = small_graph(n=20, seed=7)
    start = np.arange(20) % 4
    labels, value = contracted.improve(start, 4)
    assert value == pytest.approx(objective(W, labels))
    assert value <= objective(W, start)


def test_agglomeration_merges_the_cheapest_pair_each_time():
    W, contracted = small_graph(n=10, seed=4)
    labels = np.arange(10)
    while len(set(labels)) > 4:
        pairs = itertools.combinations(sorted(set(labels)), 2)
        merges = [np.unique(np.where(labels == b, a, labels), return_inverse=True)[1] for a, b in pairs]
        labels = min(merges, key=lambda merged: objective(W, merged))
    assert objective(W, contracted.agglomerate(4)) == pytest.approx(objective(W, labels))


@pytest.mark.skipif(not native_available(), reason="the C++ extension was not built")
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("n", "n_groups"), [(2, 1), (9, 9), (30, 4), (80, 12)])
def test_the_kernels_merge_and_move_as_numpy_does(monkeypatch, n, n_groups, seed):
    _, contracted = small_graph(n, seed)
    start = np.random.default_rng(seed).permutation(np.arange(n) % n_groups)
    merged, (improved, cost) = contracted.agglomerate(n_groups), contracted.improve(start, n_groups)
    monkeypatch.setattr(contraction, "native_available", lambda: False)
    np.testing.assert_array_equal(contracted.agglomerate(n_groups), merged)
    expected, expected_cost = contracted.improve(start, n_groups)
    np.testing.assert_array_equal(improved, expected)
    assert cost == pytest.approx(expected_cost)


@pytest.mark.skipif(not native_available(), reason="the C++ extension was not built")
@pytest.mark.parametrize(
    ("n_groups", "labels", "message"),
    [(5, [0, 1, 2, 3], "for every group"), (0, [0, 0, 0, 0], "for every group"), (2, [0, 1, 2, 0], "name groups")],
)
def test_kernels_refuse_groups_that_cannot_be(n_groups, labels, message):
    from slkmodes import _kernels

    with pytest.raises(ValueError, match=message):
        _kernels.improve(np.ones((4, 4)), np.ones(4), n_groups, 0.7, np.array(labels))
    with pytest.raises(ValueError, match="differ in length"):
        _kernels.agglomerate(np.ones((4, 4)), np.ones(4), 2, 0.7, np.zeros(5, np.int64))


def test_an_overlay_is_no_worse_than_the_best_of_its_runs():
    rng = np.random.default_rng(0)
    W = graph_of(rng.normal(size=(400, 3)))
    runs = [settle(W, rng.integers(5, size=400)) for _ in range(4)]
    combined = overlay(W, runs, 5, rng)
    assert len(set(combined)) == 5
    assert description_cost(W, combined) <= min(description_cost(W, run) for run in runs) + 1e-9


def test_exactly_as_many_connected_parts_as_groups_are_the_groups():
    W = sparse.block_diag([np.ones((size, size)) - np.eye(size) for size in (200, 9, 4)], format="csr")
    groups = graph_groups(ENGINE, sparse.csr_array(W), 3, 4, np.random.default_rng(0))
    assert sorted(np.bincount(groups.labels)) == [4, 9, 200]
    assert groups.agreement == 1.0


def test_runs_that_agree_are_returned():
    X, y = rings()
    np.testing.assert_array_equal(overlay(graph_of(X), [y, y, y], 2, np.random.default_rng(0)), y)


def test_rows_join_most_of_their_neighbours_but_never_empty_a_group():
    path = sparse.csr_array(np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1))
    assert settle(path, np.array([0, 0, 1, 0, 0, 1])).tolist().count(1) >= 1
    square = sparse.csr_array(np.ones((4, 4)) - np.eye(4))
    assert settle(square, np.array([0, 0, 0, 1])).tolist() == [0, 0, 0, 1]


def test_the_majority_of_a_segment():
    assert majority(np.array([0, 0, 0, 1, 1]), np.array([2, 2, 0, 1, 1]), 3).tolist() == [2, 1]


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
            answers.append(graph_groups(ENGINE, W, 4, 2, np.random.default_rng(0)).labels)
    np.testing.assert_array_equal(answers[1], answers[0])
    np.testing.assert_array_equal(answers[2], answers[0])


@pytest.mark.parametrize("n_clusters", [1, 3, 7])
def test_tiny_graphs(n_clusters):
    W = graph_of(np.random.default_rng(0).normal(size=(7, 2)), k=2)
    labels = graph_groups(ENGINE, W, n_clusters, 2, np.random.default_rng(0)).labels
    assert labels.shape == (7,)
    assert labels.min() >= 0
    assert labels.max() < n_clusters
