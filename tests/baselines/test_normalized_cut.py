from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import SpectralClustering
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from slkmodes import adjusted_rand_index, normalized_cut
from slkmodes.baselines import NormalizedCut
from slkmodes.baselines.normalized_cut import pack, rank
from slkmodes.graph import graph_of_features
from slkmodes.ordering import RowOrder
from tests.examples import graph_of, random_graph, rings


@parametrize_with_checks([NormalizedCut()])
def test_scikit_learn_check(estimator, check):
    check(estimator)


def cut_into(n_clusters, **parameters):
    return NormalizedCut(n_clusters, affinity="precomputed", random_state=0, **parameters)


def connected_graph(seed, n):
    rng = np.random.default_rng(seed)
    while connected_components(graph := random_graph(rng, n, density=6 / n))[0] > 1:
        pass
    return graph


def blocks(*sizes):
    return sparse.block_diag([np.ones((size, size)) - np.eye(size) for size in sizes], format="csr")


def test_a_path_of_four_by_hand():
    """D^-1/2 W D^-1/2 of the path has the eigenvalues 1, 1/2, -1/2, -1; the middle edge is the best to cut."""
    path = sparse.csr_array(np.eye(4, k=1) + np.eye(4, k=-1))
    model = cut_into(2).fit(path)
    np.testing.assert_allclose(model.eigenvalues_, [1.0, 0.5])
    assert adjusted_rand_index([0, 0, 1, 1], model.labels_) == 1.0
    assert model.normalized_cut_ == pytest.approx(2 / 3)
    assert model.residual_ < 1e-14


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_clusters", [2, 3])
def test_between_the_bound_and_little_above_the_best_of_all_cuts(seed, n_clusters):
    graph = connected_graph(seed, 8)
    labellings = ([0, *others] for others in product(range(n_clusters), repeat=7))
    cuts = [normalized_cut(graph, y) for y in labellings if len(set(y)) == n_clusters]
    model = cut_into(n_clusters).fit(graph)
    assert n_clusters - model.eigenvalues_.sum() <= min(cuts) + 1e-12
    assert min(cuts) - 1e-12 <= model.normalized_cut_ <= 1.25 * min(cuts)


def cuts_of_both(graph, seed):
    """Our normalised cut into five, and scikit-learn's, which rounds once."""
    peer = SpectralClustering(5, affinity="precomputed", assign_labels="discretize", random_state=seed)
    labels = peer.fit_predict(graph.toarray())
    return cut_into(5).fit(graph).normalized_cut_, normalized_cut(graph, labels)


@pytest.mark.parametrize("seed", range(5))
def test_scikit_learn_cuts_planted_clusters_no_better(seed):
    ours, theirs = cuts_of_both(connected_graph(seed, 120) + 0.3 * blocks(10, 20, 25, 30, 35), seed)
    assert ours <= theirs + 1e-9


def test_scikit_learn_cuts_graphs_without_clusters_no_better_on_average():
    """Such eigenvectors are far from any partition, so that a single rounding may be lucky."""
    cuts = np.array([cuts_of_both(connected_graph(seed, 120), seed) for seed in range(12)])
    assert cuts[:, 0].mean() < cuts[:, 1].mean()


def test_large_and_small_graphs_take_different_solvers_to_the_same_cut():
    X, _ = rings(600)
    graph = graph_of(X, 12)
    model = cut_into(4).fit(graph)
    scaled = graph.toarray() / np.sqrt(np.outer(graph.sum(axis=1), graph.sum(axis=0)))
    np.testing.assert_allclose(model.eigenvalues_, np.linalg.eigvalsh(scaled)[::-1][:4], atol=1e-10)
    assert model.residual_ <= model.tol


def test_the_embedding_minimises_the_relaxed_cut():
    """Z'DZ = I, and K - tr(Z'WZ) is K less the eigenvalues."""
    graph = connected_graph(0, 50)
    model = cut_into(4).fit(graph)
    Z, degree = model.embedding_, graph.sum(axis=1)
    np.testing.assert_allclose(Z.T @ (degree[:, None] * Z), np.eye(4), atol=1e-10)
    assert np.trace(Z.T @ (graph @ Z)) == pytest.approx(model.eigenvalues_.sum())


def test_as_many_parts_as_clusters_are_the_clusters():
    graph, y = blocks(30, 200, 90, 5), np.repeat(np.arange(4), [30, 200, 90, 5])
    shuffle = np.random.default_rng(0).permutation(len(y))
    model = cut_into(4).fit(graph[shuffle][:, shuffle])
    assert adjusted_rand_index(y[shuffle], model.labels_) == 1.0
    assert model.normalized_cut_ == 0.0


def test_more_parts_than_clusters_stay_whole_and_are_spread_evenly():
    sizes = [40, 30, 20, 12, 10, 8, 4]
    model = cut_into(3).fit(blocks(*sizes))
    parts = np.repeat(np.arange(7), sizes)
    assert all(len(np.unique(model.labels_[parts == part])) == 1 for part in range(7))
    assert len(np.unique(model.labels_[parts < 3])) == 3
    assert model.normalized_cut_ == 0.0
    assert pack(np.array([1.0, 5.0, 3.0, 2.0]), 2).tolist() == [0, 0, 1, 1]


def test_fewer_parts_than_clusters_are_cut_further():
    bridge = sparse.lil_array(blocks(20, 20, 20))
    bridge[0, 20] = bridge[20, 0] = 1
    model = cut_into(3).fit(bridge.tocsr())
    assert adjusted_rand_index(np.repeat(np.arange(3), 20), model.labels_) == 1.0


def test_rows_without_edges_join_the_largest_cluster():
    graph = sparse.block_diag([np.zeros((3, 3)), blocks(10, 20), np.zeros((2, 2))], format="csr")
    alone = [0, 1, 2, 33, 34]
    for seed in range(8):  # clusters are numbered by chance
        model = cut_into(2).set_params(random_state=seed).fit(graph)
        assert np.all(model.labels_[alone] == model.labels_[20])
        assert model.labels_[5] != model.labels_[20]
        np.testing.assert_array_equal(model.embedding_[alone], 0.0)
    assert cut_into(2).fit(sparse.csr_array((5, 5))).labels_.tolist() == [0] * 5


def test_a_directed_graph_is_the_average_of_both_directions():
    graph = random_graph(np.random.default_rng(5), 60, density=0.1, symmetric=False)
    one, both = (cut_into(3, symmetrize=how).fit(graph) for how in ("none", "average"))
    np.testing.assert_allclose(one.eigenvalues_, both.eigenvalues_)
    np.testing.assert_array_equal(one.labels_, both.labels_)


def test_everything_is_in_the_order_of_the_samples():
    X, _ = rings(300)
    graph = graph_of_features(X, 10, "auto", "binary", "average", "auto", 1)
    numbers = np.random.default_rng(0).permutation(300).astype(np.int32)
    affinity = graph.affinity[numbers][:, numbers]
    plain = NormalizedCut(4, random_state=0).fit_graph(graph)
    shuffled = NormalizedCut(4, random_state=0).fit_graph(replace(graph, affinity=affinity, order=RowOrder(numbers)))
    assert adjusted_rand_index(plain.labels_, shuffled.labels_) == 1.0
    gram = plain.embedding_ @ plain.embedding_.T  # eigenvectors are known up to signs
    np.testing.assert_allclose(shuffled.embedding_ @ shuffled.embedding_.T, gram, atol=1e-6)


def test_neither_threads_nor_a_second_run_change_the_answer():
    X = np.random.default_rng(6).normal(size=(8200, 16))  # enough for two threads
    graph = graph_of_features(X, 5, "auto", "binary", "average", "auto", 1)
    first, *others = (
        NormalizedCut(6, tol=1e-3, n_init=2, n_jobs=jobs, random_state=3).fit_graph(graph) for jobs in (1, 1, 2)
    )
    for other in others:
        np.testing.assert_array_equal(first.labels_, other.labels_)
        np.testing.assert_array_equal(first.embedding_, other.embedding_)


def test_more_rotations_never_cut_worse():
    graph = random_graph(np.random.default_rng(7), 150, density=0.04)
    cuts = [cut_into(8, n_init=n_init).fit(graph).normalized_cut_ for n_init in (1, 3, 30)]
    assert cuts == sorted(cuts, reverse=True)
    assert cuts[0] > cuts[-1]


def test_a_cluster_left_empty_is_no_way_to_cut_less():
    graph = blocks(5)
    assert normalized_cut(graph, [0, 0, 0, 0, 0]) < normalized_cut(graph, [0, 0, 0, 1, 1])
    assert rank(graph, [0, 0, 0, 0, 0]) > rank(graph, [0, 0, 0, 1, 1])


def test_a_warning_tells_when_the_eigenvectors_are_not_there_yet():
    graph = random_graph(np.random.default_rng(8), 400, density=0.02)
    with pytest.warns(ConvergenceWarning, match=r"residual of an eigenvector is .* after max_rounds=1, above tol"):
        model = cut_into(3, max_rounds=1).fit(graph)
    assert model.residual_ > model.tol


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_init": 0}, ValueError, "n_init of NormalizedCut must be at least 1, got 0"),
        ({"max_rounds": 2.5}, TypeError, "max_rounds of NormalizedCut must be an int"),
        ({"tol": 0.0}, ValueError, "tol of NormalizedCut must be a positive finite number"),
        ({"n_clusters": 9}, ValueError, "n_samples=8 must be at least n_clusters=9"),
    ],
)
def test_errors_say_what_is_wrong(parameters, error, message):
    with pytest.raises(error, match=message):
        NormalizedCut(**({"n_clusters": 2} | parameters), affinity="precomputed").fit(blocks(4, 4))
