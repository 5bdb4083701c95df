from itertools import product

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from slkmodes.baselines import KernelKMeans, kernel_k_means
from slkmodes.baselines.kernel_k_means import WeightedKernel, assign, descend, evaluate, fill_empty, weigh
from slkmodes.distances import METRICS
from slkmodes.graph import graph_of_affinities, graph_of_features
from slkmodes.metrics import adjusted_rand_index, normalized_cut

KERNELS = [
    ("gaussian", "uniform"),
    ("gaussian", "degree"),
    ("graph", "uniform"),
    ("graph", "degree"),
    ("linear", "auto"),
]


@parametrize_with_checks([KernelKMeans(), KernelKMeans(kernel="graph")])
def test_scikit_learn_check(estimator, check):
    check(estimator)


def random_graph(seed, n=30, density=0.2):
    W = sparse.random_array((n, n), density=density, rng=np.random.default_rng(seed))
    return sparse.csr_array(W + W.T - 2 * sparse.diags_array(W.diagonal()))


def sum_of_squares(phi, weights, labels):
    """The objective written out in a feature space."""
    total = 0.0
    for cluster in np.unique(labels):
        inside = labels == cluster
        center = np.average(phi[inside], axis=0, weights=weights[inside])
        total += weights[inside] @ ((phi[inside] - center) ** 2).sum(axis=1)
    return total


@pytest.mark.parametrize("seed", range(5))
def test_the_linear_kernel_is_lloyd_from_the_same_labels(seed):
    rng = np.random.default_rng(seed)
    X, weights, labels = rng.normal(size=(120, 3)), rng.uniform(0.5, 2, size=120), rng.integers(4, size=120)
    means = [np.average(X[labels == c], axis=0, weights=weights[labels == c]) for c in range(4)]
    lloyd = KMeans(4, init=np.array(means), n_init=1, tol=0).fit(X, sample_weight=weights)
    run = descend(WeightedKernel(X @ X.T, weights, shifts=(0.0,)), labels, 4, 300)
    np.testing.assert_array_equal(run.clustering.labels, lloyd.labels_)
    assert run.clustering.objective == pytest.approx(lloyd.inertia_)
    assert run.settled


def test_a_linear_kernel_finds_the_clouds_that_k_means_finds(blobs):
    X, y = blobs
    model = KernelKMeans(n_clusters=3, kernel="linear", random_state=0).fit(X + 1e6)
    assert adjusted_rand_index(y, model.labels_) == 1.0
    assert model.objective_ == pytest.approx(KMeans(3, n_init=5, random_state=0).fit(X).inertia_, rel=1e-6)


@pytest.mark.parametrize(("kernel", "weights"), KERNELS)
def test_the_best_of_all_clusterings_is_reached_and_never_passed(kernel, weights):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        graph = graph_of_features(rng.normal(size=(8, 2)), 3, "auto", "binary", "union", "auto", 1)
        model = KernelKMeans(2, kernel=kernel, weights=weights, n_init=40, random_state=0).fit_graph(graph)
        weighted = weigh(kernel_k_means.KERNELS[kernel].matrix(graph), model.weights_)
        everything = (np.array((0, *rest)) for rest in product([0, 1], repeat=7) if any(rest))
        optimum = min(evaluate(weighted, labels, 2).objective for labels in everything)
        anywhere = [descend(weighted, rng.integers(2, size=8), 2, 300).clustering.objective for _ in range(40)]
        assert min(*anywhere, model.objective_) == pytest.approx(optimum)


def test_objective_and_assignment_are_those_of_the_feature_space():
    rng = np.random.default_rng(0)
    phi, weights, labels = rng.normal(size=(40, 6)), rng.uniform(0.5, 2, size=40), rng.integers(3, size=40)
    kernel = WeightedKernel(phi @ phi.T, weights, shifts=(0.0,))
    now = evaluate(kernel, labels, 3)
    assert now.objective == pytest.approx(sum_of_squares(phi, weights, labels))
    centers = [np.average(phi[labels == c], axis=0, weights=weights[labels == c]) for c in range(3)]
    squared = ((phi[:, None] - np.array(centers)) ** 2).sum(axis=2)
    np.testing.assert_array_equal(assign(kernel, now, 0.0), squared.argmin(axis=1))


def test_a_shift_is_that_of_the_diagonal():
    """It moves the objective of every clustering by the same, and assigns as the shifted kernel does."""
    kernel = weigh(random_graph(0), "degree")
    dense, shift = kernel.matrix.toarray(), 0.7
    shifted = WeightedKernel(dense + np.diag(shift / kernel.weights), kernel.weights, shifts=(0.0,))
    rng = np.random.default_rng(0)
    for _ in range(5):
        labels = np.append(rng.integers(3, size=27), [0, 1, 2])
        now, then = evaluate(kernel, labels, 3), evaluate(shifted, labels, 3)
        assert then.objective - now.objective == pytest.approx(shift * (30 - 3))
        np.testing.assert_array_equal(assign(kernel, now, shift), assign(shifted, then, 0.0))


@pytest.mark.parametrize("weights", ["degree", "uniform"])
@pytest.mark.parametrize("seed", range(5))
def test_no_assignment_raises_the_objective_under_the_full_shift(weights, seed):
    rng = np.random.default_rng(seed)
    graph = graph_of_features(rng.normal(size=(300, 2)), 5, "auto", "binary", "none", "auto", 1)
    kernel = weigh(kernel_k_means.graph_matrix(graph), weights)
    grown = kernel_k_means.grown_seeds(graph, 6, rng)
    labels = np.where(rng.random(300) < 0.5, grown, rng.integers(6, size=300))
    objectives = []
    for _ in range(10):
        now = evaluate(kernel, labels, 6)
        objectives.append(now.objective)
        labels = assign(kernel, now, kernel.shifts[-1])
    assert np.diff(objectives).max() <= 1e-9
    assert objectives[-1] < objectives[0]


@pytest.mark.parametrize("weights", ["degree", "uniform"])
def test_the_full_shift_is_just_enough(weights):
    W = random_graph(1)
    normalized = W.toarray()
    if weights == "degree":
        roots = np.sqrt(normalized.sum(axis=1))
        normalized = normalized / roots[:, None] / roots
    smallest = np.linalg.eigvalsh(normalized)[0]
    none, half, full = weigh(W, weights).shifts
    assert none == 0
    assert half == full / 2
    assert full == pytest.approx(-smallest, rel=1e-2)


def test_an_assignment_that_raises_the_objective_is_not_made():
    """Both ends of an edge that is cut change sides at once, and again: only a shift gets them together."""
    edges = sparse.csr_array(np.array([[0, 3, 1, 0], [3, 0, 0, 1], [1, 0, 0, 3], [0, 1, 3, 0]], dtype=float))
    kernel, crossed = weigh(edges, "uniform"), np.array([0, 1, 0, 1])
    now = evaluate(kernel, crossed, 2)
    np.testing.assert_array_equal(assign(kernel, now, 0.0), 1 - crossed)
    run = descend(kernel, crossed, 2, 300)
    assert run.settled
    assert run.n_iter < 10
    assert run.clustering.objective <= now.objective


def test_stages_get_further_than_the_full_shift_alone():
    X = np.random.default_rng(0).normal(size=(400, 2))
    graph = graph_of_features(X, 5, "auto", "binary", "union", "auto", 1)
    kernel = weigh(kernel_k_means.graph_matrix(graph), "degree")
    start = kernel_k_means.grown_seeds(graph, 5, np.random.default_rng(0))
    alone = descend(kernel._replace(shifts=kernel.shifts[-1:]), start, 5, 300)
    assert descend(kernel, start, 5, 300).clustering.objective < alone.clustering.objective - 0.05


def test_on_a_graph_the_objective_is_the_normalised_cut(blobs):
    graph = graph_of_features(blobs[0], 5, "auto", "gaussian", "none", "auto", 1)
    model = KernelKMeans(4, kernel="graph", random_state=0).fit_graph(graph)
    assert model.weights_ == "degree"
    assert model.objective_ + 4 == pytest.approx(normalized_cut(graph.affinity, model.labels_))


def test_a_graph_tells_rings_apart():
    X, y = make_circles(400, factor=0.4, noise=0.03, random_state=0)
    model = KernelKMeans(2, kernel="graph", random_state=0).fit(X)
    assert adjusted_rand_index(y, model.labels_) == 1.0


def test_more_runs_are_never_worse():
    X = np.random.default_rng(0).normal(size=(200, 2))
    one, many = (KernelKMeans(6, n_init=n, random_state=0).fit(X).objective_ for n in (1, 10))
    assert many < one


def test_an_empty_cluster_gets_the_costliest_row_that_is_not_alone():
    costs = np.array([1.0, 3.0, 2.0, 9.0])
    assert fill_empty(np.array([0, 0, 0, 2]), costs, 4).tolist() == [0, 1, 3, 2]


def test_empty_clusters_are_filled(blobs):
    X, y = blobs
    run = descend(WeightedKernel(X @ X.T, np.ones(90), shifts=(0.0,)), np.zeros(90, dtype=np.int64), 3, 300)
    assert adjusted_rand_index(y, run.clustering.labels) == 1.0


@pytest.mark.parametrize("kernel", ["gaussian", "graph", "linear"])
def test_equal_rows_are_split_somehow(kernel):
    labels = KernelKMeans(3, kernel=kernel, random_state=0).fit(np.ones((12, 2))).labels_
    assert set(labels) == {0, 1, 2}


def test_rows_without_edges_do_no_harm():
    W = random_graph(3, n=20).toarray()
    W[5] = W[:, 5] = 0
    model = KernelKMeans(3, affinity="precomputed", random_state=0).fit(W)
    assert model.objective_ + 3 == pytest.approx(normalized_cut(W, model.labels_))


def test_a_cluster_of_rows_without_edges_attracts_nobody():
    """Both of them leave it; a row that has edges starts it anew."""
    pairs = sparse.csr_array(np.kron(np.diag([1.0, 1.0, 1.0, 0.0]), [[0.0, 1.0], [1.0, 0.0]]))
    kernel = weigh(pairs, "degree")
    labels = assign(kernel, evaluate(kernel, np.array([0, 0, 0, 0, 2, 2, 1, 0]), 3), kernel.shifts[-1])
    assert 1 not in labels[6:]
    assert 1 in labels[:6]


def test_no_seed_is_a_row_without_edges():
    W = np.zeros((50, 50))
    W[:4, :4] = 1 - np.eye(4)
    graph = graph_of_affinities(W, "none")
    for seed in range(5):
        labels = kernel_k_means.grown_seeds(graph, 4, np.random.default_rng(seed))
        assert set(labels[:4]) == {0, 1, 2, 3}


def test_a_graph_without_edges_is_split_somehow():
    edgeless = KernelKMeans(3, affinity="precomputed", random_state=0).fit(np.zeros((40, 40)))
    assert edgeless.objective_ == 0
    assert set(edgeless.labels_) == {0, 1, 2}


def test_auto_is_dense_for_few_rows_with_features(blobs, monkeypatch):
    X, _ = blobs
    few = KernelKMeans(3, random_state=0).fit(X)
    assert (few.kernel_, few.weights_, few.diagonal_shift_) == ("gaussian", "uniform", 0.0)
    monkeypatch.setattr(kernel_k_means, "MOST_DENSE_ROWS", 89)
    many = KernelKMeans(3, random_state=0).fit(X)
    assert (many.kernel_, many.weights_) == ("graph", "degree")
    assert many.diagonal_shift_ > 0
    given = KernelKMeans(3, affinity="precomputed").fit(np.ones((10, 10)))
    assert (given.kernel_, given.bandwidth_) == ("graph", None)
    for kernel in ("gaussian", "linear"):
        with pytest.raises(ValueError, match=rf"kernel='{kernel}' .* at most 89 samples.*got 90. Use kernel='graph'"):
            KernelKMeans(3, kernel=kernel).fit(X)


def test_a_graph_of_inner_products_is_taken_as_a_graph(blobs):
    X, _ = blobs
    metric = METRICS["inner_product"]("test", X)
    graph = graph_of_features(metric.asking(X), 5, "auto", "binary", "union", 1.0, 1, metric=metric)
    assert KernelKMeans(3).fit_graph(graph).kernel_ == "graph"
    with pytest.raises(ValueError, match="kernel='linear' of KernelKMeans needs features with means"):
        KernelKMeans(3, kernel="linear").fit_graph(graph)


def test_labels_that_still_change_are_said():
    X = np.random.default_rng(0).normal(size=(300, 2))
    with pytest.warns(ConvergenceWarning, match="KernelKMeans: labels still change after 1 assignments. Increase max"):
        KernelKMeans(5, kernel="linear", n_init=1, max_iter=1, random_state=0).fit(X)


def test_rows_that_were_reordered_keep_their_numbers():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=21_000)
    graph = graph_of_features(y[:, None] * 20.0 + rng.normal(size=(21_000, 2)), 5, "auto", "binary", "union", 1.0, 1)
    assert graph.order.numbers is not None
    model = KernelKMeans(3, n_init=8, random_state=0).fit_graph(graph)
    assert adjusted_rand_index(y, model.labels_) == 1.0


def test_wrong_parameters_are_named(blobs):
    X, _ = blobs
    with pytest.raises(ValueError, match="weights='degree' of KernelKMeans needs a kernel that is nowhere negative"):
        KernelKMeans(kernel="linear", weights="degree").fit(X)
    with pytest.raises(ValueError, match="kernel='gaussian' of KernelKMeans needs features with means"):
        KernelKMeans(kernel="gaussian", affinity="precomputed").fit(np.ones((20, 20)))
    with pytest.raises(ValueError, match=r"kernel of KernelKMeans must be one of .*'graph'.*; got 'rbf'"):
        KernelKMeans(kernel="rbf").fit(X)
    with pytest.raises(ValueError, match=r"weights of KernelKMeans must be one of .*'degree'.*; got 'volume'"):
        KernelKMeans(weights="volume").fit(X)
    for name in ("n_init", "max_iter"):
        with pytest.raises(ValueError, match=f"{name} of KernelKMeans must be at least 1, got 0"):
            KernelKMeans(**{name: 0}).fit(X)
