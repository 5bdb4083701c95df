from dataclasses import replace

import numpy as np
import pytest
from sklearn.cluster import kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from slkmodes import LaplacianKModes
from slkmodes.baselines import ConvexLaplacianKModes
from slkmodes.baselines.convex_laplacian_k_modes import Ending
from slkmodes.graph import Graph, graph_of_affinities, graph_of_features
from slkmodes.mode_kernels import GaussianKernel, Modes
from slkmodes.mode_updates import nearest_members
from slkmodes.objective import discrete_objective
from slkmodes.ordering import RowOrder
from slkmodes.validation import make_generator
from tests.examples import random_graph, six_points


# Eight clusters of twenty samples: that some stay empty is said by a warning, which is not what is checked here.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([ConvexLaplacianKModes()])
def test_scikit_learn_check(estimator, check):
    check(estimator)


def cloud(seed=0, n=300):
    """Four clouds that overlap a little."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) + 4.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[rng.integers(4, size=n)]


def similarity(X, modes, bandwidth):
    squared = ((X[:, None] - modes[None]) ** 2).sum(axis=2)
    return np.exp(-squared / (2 * bandwidth**2))


def test_six_points_by_hand():
    """No edge need be cut: the middles are modes, worth 1, and two neighbours of each a half."""
    problem = six_points(laplacian_weight=2.0)
    graph = Graph(problem.affinity, problem.kernel, problem.kernel.bandwidth, "given", 1.0, None)
    model = ConvexLaplacianKModes(2, laplacian_weight=2.0, init=[0, 5]).fit_graph(graph)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert model.mode_indices_.tolist() == [1, 4]
    np.testing.assert_allclose(model.modes_[:, 0], [1, 11], atol=1e-3)
    np.testing.assert_allclose(model.memberships_, np.eye(2)[model.labels_], atol=1e-6)
    assert model.relaxed_objective_ == pytest.approx(-4.0, abs=1e-5)
    assert model.discrete_objective_ == pytest.approx(-4.0, abs=1e-5)
    assert model.status_ is Ending.CONVERGED


@pytest.mark.parametrize("weight", [0.05, 0.3, 1.0])
def test_what_a_fit_says_of_itself(weight):
    X = cloud()
    graph = graph_of_features(X, 5, "auto", "binary", "union", "auto", 1)
    model = ConvexLaplacianKModes(4, laplacian_weight=weight, random_state=0).fit_graph(graph)
    Z, a = model.memberships_, similarity(X, model.modes_, graph.bandwidth)
    W = graph.affinity.toarray()
    differences = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    expected = weight / 4 * np.sum(W * differences) - np.sum(Z * a)  # every pair occurs twice
    assert model.relaxed_objective_ == pytest.approx(expected, rel=1e-10)
    assert model.discrete_objective_ == pytest.approx(discrete_objective(a, graph.affinity, model.labels_, weight))
    assert model.relaxed_objective_ <= model.discrete_objective_ + 1e-6
    np.testing.assert_array_equal(model.labels_, Z.argmax(axis=1))
    assert np.all(Z >= 0)
    np.testing.assert_allclose(Z.sum(axis=1), 1.0, atol=1e-12)
    for cluster, row in enumerate(model.mode_indices_):
        members = np.flatnonzero(model.labels_ == cluster)
        assert row == members[np.argmax(a[members, cluster])]
    assert model.kkt_residual_ <= 1e-6
    assert model.status_ is Ending.CONVERGED
    assert len(model.history_) == model.n_iter_ + 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("weight", [0.0, 0.1, 1.0, 10.0])
def test_the_objective_never_rises(weight):
    model = ConvexLaplacianKModes(6, laplacian_weight=weight, tol=1e-8, random_state=1).fit(cloud(1, n=200))
    assert len(model.history_) > 3
    assert np.diff(model.history_).max() <= 1e-8 * abs(model.relaxed_objective_)
    assert model.history_[-1] < model.history_[0] - 1.0
    assert model.history_[-1] == model.relaxed_objective_


def test_modes_are_where_the_weighted_density_is_flat():
    X = cloud(2)
    graph = graph_of_features(X, 5, "auto", "binary", "union", 1.0, 1)
    model = ConvexLaplacianKModes(4, laplacian_weight=0.3, tol=1e-10, random_state=0).fit_graph(graph)
    pull = model.memberships_ * similarity(X, model.modes_, 1.0)
    means = (pull.T @ X) / pull.sum(axis=0)[:, None]
    np.testing.assert_allclose(model.modes_, means, atol=1e-3)


def test_without_neighbours_every_sample_goes_to_its_nearest_mode():
    X = np.concatenate([cloud(3), [[900.0, 0.0]]])  # so far out that every kernel value is 0
    model = ConvexLaplacianKModes(4, laplacian_weight=0.0, bandwidth=0.7, random_state=0).fit(X)
    nearest = ((X[:, None] - model.modes_[None]) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(model.labels_, nearest)
    np.testing.assert_array_equal(model.memberships_, np.eye(4)[nearest])
    assert model.relaxed_objective_ == pytest.approx(model.discrete_objective_)
    assert model.kkt_residual_ <= 1e-6


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_large_weights_share_the_memberships_among_neighbours():
    X = cloud(4)
    spread = []
    for weight in (0.01, 1.0, 100.0):
        model = ConvexLaplacianKModes(2, laplacian_weight=weight, init=X[:2], n_neighbors=10).fit(X)
        spread.append(model.memberships_.std(axis=0).max())
    assert spread[0] > spread[1] > spread[2]


def test_the_same_seeds_for_both_methods():
    """A random_state draws the same k-means++ rows here and in LaplacianKModes; rows and points are taken alike."""
    X = cloud(5)
    _, rows = kmeans_plusplus(X, 4, random_state=int(make_generator(7).integers(2**31 - 1)))
    ours = {"laplacian_weight": 0.1, "random_state": 7}
    theirs = {"mode_update": "mean_shift", "balance": 0.0, "n_init": 1, **ours}
    for method, settings in ((ConvexLaplacianKModes, ours), (LaplacianKModes, theirs)):
        drawn, by_row, by_point = (method(4, init=init, **settings).fit(X) for init in ("k-means++", rows, X[rows]))
        np.testing.assert_array_equal(drawn.memberships_, by_row.memberships_)
        np.testing.assert_array_equal(drawn.memberships_, by_point.memberships_)


def test_everything_is_in_the_order_of_the_samples():
    X = cloud(6)
    graph = graph_of_features(X, 5, "auto", "binary", "average", "auto", 1)
    numbers = np.random.default_rng(0).permutation(len(X)).astype(np.int32)
    kernel = GaussianKernel(np.ascontiguousarray(X[numbers]), graph.bandwidth)
    affinity = graph.affinity[numbers][:, numbers]
    shuffled = replace(graph, affinity=affinity, kernel=kernel, order=RowOrder(numbers))
    models = [ConvexLaplacianKModes(3, laplacian_weight=0.2, init=[5, 6, 7]).fit_graph(g) for g in (graph, shuffled)]
    np.testing.assert_array_equal(models[0].labels_, models[1].labels_)
    np.testing.assert_array_equal(models[0].mode_indices_, models[1].mode_indices_)
    np.testing.assert_allclose(models[0].memberships_, models[1].memberships_, atol=1e-4)


def test_neither_threads_nor_a_second_run_change_the_answer():
    X = np.random.default_rng(7).normal(size=(8000, 16))
    graph = graph_of_features(X, 5, "auto", "binary", "average", "auto", 1)
    settings = {"laplacian_weight": 0.05, "tol": 1e-3, "random_state": 0}
    first, *others = (ConvexLaplacianKModes(4, n_jobs=jobs, **settings).fit_graph(graph) for jobs in (1, 1, 2))
    for other in others:
        np.testing.assert_array_equal(first.memberships_, other.memberships_)
        np.testing.assert_array_equal(first.modes_, other.modes_)


def test_exemplars_are_members_where_there_are_any():
    problem = six_points()
    modes = Modes(np.array([-1, -1]), np.array([[1.2], [10.1]]))
    assert nearest_members(problem.kernel, modes, np.array([1, 1, 0, 0, 1, 1])).tolist() == [2, 4]
    assert nearest_members(problem.kernel, modes, np.zeros(6, dtype=int)).tolist() == [1, 3]


@pytest.mark.parametrize(
    ("parameters", "ending"),
    [
        ({"max_iter": 1, "tol": 1e-12}, Ending.ITERATION_LIMIT),
        ({"max_inner": 1}, Ending.INNER_LIMIT),
        ({"init": [0, 1, 2, 3], "max_iter": 1}, Ending.EMPTY_CLUSTERS),
    ],
)
def test_an_unfinished_fit_warns_and_says_what_to_do(parameters, ending):
    X = cloud(8)
    X[:4] = X[0]  # modes there cannot be told apart
    model = ConvexLaplacianKModes(**({"n_clusters": 4, "random_state": 0} | parameters))
    with pytest.warns(ConvergenceWarning, match=f"ConvexLaplacianKModes: {ending}"):
        model.fit(X)
    assert model.status_ is ending
    assert model.n_iter_ <= model.max_iter


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"laplacian_weight": -1.0}, ValueError, "laplacian_weight of ConvexLaplacianKModes must be a non-negative"),
        ({"laplacian_weight": 1e308}, ValueError, "laplacian_weight of 1e[+]308 .* overflows"),
        ({"max_inner": 0}, ValueError, "max_inner of ConvexLaplacianKModes must be at least 1, got 0"),
        ({"max_iter": "many"}, TypeError, "max_iter of ConvexLaplacianKModes must be an int"),
        ({"tol": 0}, ValueError, "tol of ConvexLaplacianKModes must be a positive"),
        ({"init": "graph"}, ValueError, "init of ConvexLaplacianKModes must be one of 'k-means[+][+]', 'random'"),
        ({"init": [1, 2]}, ValueError, "init of ConvexLaplacianKModes must be .* 4 row numbers"),
        ({"affinity": "precomputed"}, ValueError, "affinity of ConvexLaplacianKModes must be one of"),
    ],
)
def test_errors_say_what_is_wrong(parameters, error, message):
    with pytest.raises(error, match=message):
        ConvexLaplacianKModes(**({"n_clusters": 4} | parameters)).fit(cloud())


def test_a_graph_without_features_is_refused():
    graph = graph_of_affinities(random_graph(np.random.default_rng(0), 20), "average")
    with pytest.raises(ValueError, match="ConvexLaplacianKModes needs features"):
        ConvexLaplacianKModes(2).fit_graph(graph)
