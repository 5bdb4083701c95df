import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from slkmodes.baselines import KModes, k_modes
from slkmodes.baselines.k_modes import Landscape, State, start_from_means
from slkmodes.distances import METRICS
from slkmodes.graph import graph_of_affinities, graph_of_features
from slkmodes.mode_kernels import GaussianKernel
from tests.examples import six_points


# Eight clusters of twenty samples: that some stay empty is said by a warning, which is not what is checked here.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([KModes()])
def test_scikit_learn_check(estimator, check):
    check(estimator)


def squared_distances(X, points):
    return ((X[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)


def test_six_points_by_hand():
    """The modes are the middles, by symmetry; a middle is worth 1, its two neighbours a half each."""
    kernel = six_points().kernel
    model = KModes(n_clusters=2, bandwidth=kernel.bandwidth, n_neighbors=2, random_state=0).fit(kernel.X)
    assert sorted(model.mode_indices_.tolist()) == [1, 4]
    np.testing.assert_allclose(np.sort(model.modes_[:, 0]), [1, 11], atol=1e-3)
    assert model.objective_ == pytest.approx(4.0)
    assert model.labels_.tolist() in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])


def test_labels_modes_and_objective_are_what_they_are_defined_to_be():
    X = np.random.default_rng(3).standard_t(4, size=(400, 3))
    model = KModes(n_clusters=5, bandwidth=0.8, random_state=0).fit(X)
    squared = squared_distances(X, model.modes_)
    np.testing.assert_array_equal(model.labels_, squared.argmin(axis=1))
    assert model.objective_ == pytest.approx(np.exp(-squared.min(axis=1) / (2 * 0.8**2)).sum())
    assert model.bandwidth_ == 0.8
    for cluster, mode in enumerate(model.modes_):
        members = X[model.labels_ == cluster]
        pull = np.exp(-((members - mode) ** 2).sum(axis=1) / (2 * 0.8**2))
        np.testing.assert_allclose(pull @ members / pull.sum(), mode, atol=2e-3)
        nearest = np.flatnonzero(model.labels_ == cluster)[((members - mode) ** 2).sum(axis=1).argmin()]
        assert model.mode_indices_[cluster] == nearest


def test_a_wide_kernel_has_means_for_modes(blobs):
    X, y = blobs
    model = KModes(n_clusters=3, bandwidth=1e4, n_init=5, random_state=0).fit(X)
    means = np.array([X[y == cluster].mean(axis=0) for cluster in range(3)])
    np.testing.assert_allclose(model.modes_[np.argsort(model.modes_ @ [1, 2])], means, atol=1e-5)


def test_a_narrow_kernel_has_rows_for_modes(blobs):
    X, _ = blobs
    model = KModes(n_clusters=3, bandwidth=0.02, n_bandwidths=30, random_state=0).fit(X)
    np.testing.assert_allclose(model.modes_, X[model.mode_indices_], atol=0.01)


@pytest.fixture
def bandwidths_passed(monkeypatch):
    """Every bandwidth at which modes and labels alternate, as they come."""
    passed = []

    class Watched(Landscape):
        def alternate(self, *args):
            passed.append(self.kernel.bandwidth)
            return super().alternate(*args)

    monkeypatch.setattr(k_modes, "Landscape", Watched)
    return passed


def test_the_bandwidth_falls_evenly_from_means_to_the_target(blobs, bandwidths_passed):
    X, y = blobs
    KModes(n_clusters=3, bandwidth=0.5, n_bandwidths=6, n_init=5, random_state=0).fit(X)
    spread = np.sqrt(np.mean([((X[y == c] - X[y == c].mean(axis=0)) ** 2).sum(axis=1) for c in range(3)]))
    np.testing.assert_allclose(bandwidths_passed, 3 * spread * (0.5 / (3 * spread)) ** (np.arange(1, 7) / 6))
    assert bandwidths_passed[-1] == 0.5


def test_the_bandwidth_never_rises(blobs, bandwidths_passed):
    KModes(n_clusters=3, bandwidth=100.0, n_bandwidths=4, random_state=0).fit(blobs[0])
    assert bandwidths_passed == [100.0] * 4


def test_the_engines_start_from_the_same_means(engine, blobs):
    X, _ = blobs
    state = start_from_means(engine, X, 3, 5, np.random.default_rng(0))
    for cluster, point in enumerate(state.modes.points):
        np.testing.assert_allclose(point, X[state.labels == cluster].mean(axis=0))


def test_the_objective_never_falls_at_a_bandwidth(engine):
    rng = np.random.default_rng(0)
    landscape = Landscape(engine, GaussianKernel(rng.normal(size=(300, 2)), 0.4), 6)
    state = landscape.assign(landscape.kernel.modes_at(np.arange(6)))
    objectives = [state.objective]
    for _ in range(10):
        state, n_iter, _ = landscape.alternate(state, max_iter=1, tol=0.0)
        assert n_iter == 1
        objectives.append(state.objective)
    assert np.diff(objectives).min() >= -1e-9
    assert objectives[-1] > objectives[0] + 1


def test_an_empty_cluster_gets_a_row_far_from_all_modes(engine, blobs):
    X, y = blobs
    landscape = Landscape(engine, GaussianKernel(X, 1.0), 3)
    modes = landscape.kernel.modes_at(np.array([0, 30, 30]))
    revived = landscape.revive(State(modes, np.minimum(y, 1)), np.random.default_rng(0))
    assert np.bincount(revived.labels, minlength=3).min() > 0
    assert y[revived.modes.rows[2]] == 2
    np.testing.assert_array_equal(revived.modes.points[:2], modes.points[:2])


def test_fewer_different_rows_than_clusters_are_said():
    X = np.repeat([[0.0], [5.0]], 10, axis=0)
    with pytest.warns(ConvergenceWarning, match=r"KModes: 1 of 3 clusters have no member. Decrease n_clusters"):
        model = KModes(n_clusters=3, bandwidth=1.0, random_state=0).fit(X)
    assert len(set(model.labels_)) == 2


def test_modes_that_still_move_are_said():
    X = np.random.default_rng(0).normal(size=(200, 2))
    with pytest.warns(ConvergenceWarning, match=r"KModes: .* after 1 alternations. Increase max_iter or tol"):
        model = KModes(n_clusters=6, max_iter=1, n_bandwidths=2, tol=0.0, random_state=0).fit(X)
    assert model.n_iter_ == 2


def test_predict_knows_the_training_rows_and_far_ones(blobs):
    X, _ = blobs
    model = KModes(n_clusters=3, bandwidth=1.0, n_init=5, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    far = X * 100  # every kernel value is 0 there
    np.testing.assert_array_equal(model.predict(far), squared_distances(far, model.modes_).argmin(axis=1))


def test_predict_refuses_other_columns_and_numbers_too_large(blobs):
    graph = graph_of_features(blobs[0], 5, "auto", "binary", "union", 1.0, 1)
    model = KModes(n_clusters=3, n_init=5, random_state=0).fit_graph(graph)
    with pytest.raises(ValueError, match="X has 3 features, but KModes is expecting 2"):
        model.predict(np.ones((4, 3)))
    with pytest.raises(ValueError, match=r"squared distances overflow float64. Scale X before KModes"):
        model.predict([[1e200, 0.0]])


def test_threads_do_not_change_the_answer():
    X = np.random.default_rng(0).normal(size=(9000, 4)).astype(np.float32)
    one, two = (KModes(n_clusters=4, n_jobs=n, n_bandwidths=3, random_state=0).fit(X) for n in (1, 2))
    np.testing.assert_array_equal(one.modes_, two.modes_)
    np.testing.assert_array_equal(one.labels_, two.labels_)


def test_rows_that_were_reordered_keep_their_numbers():
    rng = np.random.default_rng(0)
    X = rng.integers(3, size=(21_000, 1)) * 20.0 + rng.normal(size=(21_000, 2))
    graph = graph_of_features(X, 5, "auto", "binary", "union", 1.0, 1)
    assert graph.order.numbers is not None
    model = KModes(n_clusters=3, n_init=5, n_bandwidths=2, random_state=0).fit_graph(graph)
    assert model.labels_[model.mode_indices_].tolist() == [0, 1, 2]
    np.testing.assert_allclose(X[model.mode_indices_], model.modes_, atol=0.2)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_features_are_needed(blobs):
    with pytest.raises(ValueError, match=r"affinity of KModes must be one of .* got 'precomputed'"):
        KModes(affinity="precomputed").fit(np.eye(10))
    with pytest.raises(ValueError, match="KModes needs features with means; this graph was made from affinities alone"):
        KModes().fit_graph(graph_of_affinities(np.ones((10, 10)), "none"))
    metric = METRICS["inner_product"]("test", blobs[0])
    graph = graph_of_features(metric.asking(blobs[0]), 5, "auto", "binary", "union", 1.0, 1, metric=metric)
    with pytest.raises(ValueError, match="KModes needs features with means; this graph was made from inner products"):
        KModes().fit_graph(graph)


@pytest.mark.parametrize("name", ["n_init", "n_bandwidths", "max_iter"])
def test_counts_are_positive(name, blobs):
    with pytest.raises(ValueError, match=f"{name} of KModes must be at least 1, got 0"):
        KModes(**{name: 0}).fit(blobs[0])
    with pytest.raises(ValueError, match="tol of KModes must be a non-negative finite number, got -1"):
        KModes(tol=-1).fit(blobs[0])
