import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from slkmodes.baselines import GaussianMeanShift, gaussian_mean_shift
from slkmodes.baselines.gaussian_mean_shift import climb, mean_shift, merge
from slkmodes.graph import graph_of_affinities, graph_of_features
from slkmodes.metrics import adjusted_rand_index
from slkmodes.mode_kernels import GaussianKernel


# One of the checks allows ten steps only; that they are too few is said by a warning, which is not what is checked.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([GaussianMeanShift()])
def test_scikit_learn_check(estimator, check):
    check(estimator)


def one_step(X, bandwidth, point):
    """Mean shift written out, and the density it started at."""
    total, mass = np.zeros(X.shape[1]), 0.0
    for x in X:
        pull = np.exp(-((x - point) @ (x - point)) / (2 * bandwidth**2))
        total, mass = total + pull * x, mass + pull
    return total / mass, mass


def test_two_points_by_hand():
    """Far apart each is a mode; within two bandwidths they meet in the middle."""
    X = np.array([[0.0, 0.0], [4.0, 0.0]])
    apart = GaussianMeanShift(bandwidth=0.5, n_neighbors=1).fit(X)
    assert apart.n_clusters_ == 2
    together = GaussianMeanShift(bandwidth=2.5, n_neighbors=1).fit(X)
    np.testing.assert_allclose(together.modes_, [[2.0, 0.0]], atol=1e-2)
    assert together.labels_.tolist() == [0, 0]


def test_every_row_climbs_to_where_a_naive_loop_takes_it():
    X = np.random.default_rng(1).normal(size=(25, 2))
    model = GaussianMeanShift(bandwidth=0.4, tol=1e-6, max_iter=5000).fit(X)
    for x, label in zip(X, model.labels_, strict=True):
        for _ in range(300):
            x, _ = one_step(X, 0.4, x)
        np.testing.assert_allclose(model.modes_[label], x, atol=1e-3)
    assert 2 < model.n_clusters_ < 25
    gaps = np.linalg.norm(model.modes_[:, None] - model.modes_, axis=2)
    assert gaps[np.triu_indices_from(gaps, 1)].min() >= 0.04


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("points", "rows"), [(1, 1), (7, 11), (256, 8192)])
def test_a_step_is_the_naive_step_whatever_the_blocks(monkeypatch, dtype, points, rows):
    monkeypatch.setattr(gaussian_mean_shift, "POINTS_PER_BLOCK", points)
    monkeypatch.setattr(gaussian_mean_shift, "ROWS_PER_BLOCK", rows)
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(dtype)
    means, densities = mean_shift(GaussianKernel(X, 0.7), X[:15] + dtype(0.1), n_threads=2)
    expected = [one_step(X.astype(float), 0.7, x + 0.1) for x in X[:15].astype(float)]
    assert means.dtype == dtype
    np.testing.assert_allclose(means, [mean for mean, _ in expected], atol=1e-6)
    np.testing.assert_allclose(densities, [density for _, density in expected], rtol=1e-5)


def test_modes_are_maxima_of_the_density():
    """They stand still, the gradient vanishes, and no direction leads up."""
    rng = np.random.default_rng(0)
    X, bandwidth = rng.standard_t(5, size=(300, 2)), 0.5
    model = GaussianMeanShift(bandwidth=bandwidth, tol=1e-7, max_iter=5000).fit(X)
    for mode in model.modes_:
        mean, density = one_step(X, bandwidth, mode)
        np.testing.assert_allclose(mean, mode, atol=1e-6)
        pull = np.exp(-((X - mode) ** 2).sum(axis=1) / (2 * bandwidth**2))
        gradient = pull @ (X - mode) / bandwidth**2
        assert np.abs(gradient).max() < 1e-4 * density
        for direction in rng.normal(size=(20, 2)):
            assert one_step(X, bandwidth, mode + 1e-2 * direction)[1] < density


def test_no_step_lowers_the_density():
    X = np.random.default_rng(0).normal(size=(200, 2))
    kernel, points, before = GaussianKernel(X, 0.3), X, np.ones(200)
    for _ in range(20):
        points, densities = mean_shift(kernel, points, n_threads=1)
        assert np.all(densities >= before - 1e-9)
        before = densities


def test_separate_clouds_are_recovered(blobs):
    X, y = blobs
    model = GaussianMeanShift(bandwidth=1.2).fit(X)
    assert model.n_clusters_ == len(model.modes_) == 3
    assert adjusted_rand_index(y, model.labels_) == 1.0
    assert model.n_seeds_ == 90
    assert model.bandwidth_ == 1.2
    for cluster, mode in enumerate(model.modes_):
        members = np.flatnonzero(model.labels_ == cluster)
        assert model.mode_indices_[cluster] == members[((X[members] - mode) ** 2).sum(axis=1).argmin()]


def test_a_row_belongs_to_the_mode_it_climbs_to_not_to_the_nearest():
    """The tail of an exponential falls off all the way, past the middle between its mode and the next."""
    tail = -1.5 * np.log(1 - np.linspace(0, 1, 200, endpoint=False)[:, None])
    tail = tail[tail[:, 0] < 4.5]
    model = GaussianMeanShift(bandwidth=0.5).fit(np.concatenate([tail, np.full((20, 1), 7.0)]))
    assert model.n_clusters_ == 2
    assert np.abs(tail[-1] - model.modes_[0]) > np.abs(tail[-1] - model.modes_[1])
    assert model.labels_[len(tail) - 1] == 0


def test_the_unit_of_length_does_not_matter(blobs):
    X, _ = blobs
    small, large = GaussianMeanShift(bandwidth=0.5).fit(X), GaussianMeanShift(bandwidth=512.0).fit(X * 1024)
    assert small.n_iter_ == large.n_iter_
    np.testing.assert_allclose(small.modes_ * 1024, large.modes_)


def test_far_from_the_origin_nothing_changes(blobs):
    X, _ = blobs
    here, there = GaussianMeanShift(bandwidth=0.8).fit(X), GaussianMeanShift(bandwidth=0.8).fit(X + 1e8)
    np.testing.assert_array_equal(here.labels_, there.labels_)
    np.testing.assert_allclose(there.modes_ - 1e8, here.modes_, atol=1e-3)


def test_rows_that_do_not_climb_join_the_nearest_mode(blobs):
    X, y = blobs
    model = GaussianMeanShift(bandwidth=1.2, n_seeds=12, random_state=0).fit(X)
    assert model.n_seeds_ == 12
    nearest = ((X[:, None] - model.modes_) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(model.labels_, nearest)
    assert adjusted_rand_index(y, model.labels_) == 1.0


def test_of_many_rows_a_part_climbs(monkeypatch, blobs):
    monkeypatch.setattr(gaussian_mean_shift, "MOST_SEEDS", 20)
    assert GaussianMeanShift(bandwidth=1.2).fit(blobs[0]).n_seeds_ == 20
    assert GaussianMeanShift(bandwidth=1.2, n_seeds=30).fit(blobs[0]).n_seeds_ == 30
    assert GaussianMeanShift(bandwidth=1.2, n_seeds=300).fit(blobs[0]).n_seeds_ == 90


def test_end_points_merge_along_chains_and_the_densest_is_the_mode():
    ends = np.array([[5.0], [0.0], [0.08], [0.16], [9.0]])
    modes, labels = merge(ends, densities=np.array([2.0, 3.0, 4.0, 3.5, 8.0]), radius=0.1)
    assert labels.tolist() == [2, 1, 1, 1, 0]
    assert modes.tolist() == [[9.0], [0.08], [5.0]]


def test_threads_do_not_change_the_answer():
    X = np.random.default_rng(0).normal(size=(700, 5))
    kernel = GaussianKernel(X, 0.9)
    one, three = (climb(kernel, X, 1e-3, 5, n_threads) for n_threads in (1, 3))
    np.testing.assert_array_equal(one[0], three[0])


def test_seeds_that_still_move_are_said(blobs):
    with pytest.warns(ConvergenceWarning, match=r"GaussianMeanShift: .* after 2 steps. Increase max_iter or tol"):
        model = GaussianMeanShift(max_iter=2).fit(blobs[0])
    assert model.n_iter_ == 2


def test_rows_that_were_reordered_keep_their_numbers():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=21_000)
    X = y[:, None] * 20.0 + rng.normal(size=(21_000, 2))
    graph = graph_of_features(X, 5, "auto", "binary", "union", 2.0, 1)
    assert graph.order.numbers is not None
    model = GaussianMeanShift(n_seeds=20, random_state=0).fit_graph(graph)
    assert adjusted_rand_index(y, model.labels_) == 1.0
    assert model.labels_[model.mode_indices_].tolist() == [0, 1, 2]
    np.testing.assert_allclose(X[model.mode_indices_], model.modes_, atol=0.2)


def test_features_are_needed():
    with pytest.raises(ValueError, match=r"affinity of GaussianMeanShift must be one of .* got 'precomputed'"):
        GaussianMeanShift(affinity="precomputed").fit(np.eye(10))
    with pytest.raises(
        ValueError,
        match="GaussianMeanShift needs features with means; this graph was made from affinities",
    ):
        GaussianMeanShift().fit_graph(graph_of_affinities(np.ones((10, 10)), "none"))


def test_wrong_parameters_are_named(blobs):
    with pytest.raises(ValueError, match="n_seeds of GaussianMeanShift must be at least 2, got 1"):
        GaussianMeanShift(n_seeds=1).fit(blobs[0])
    with pytest.raises(ValueError, match="max_iter of GaussianMeanShift must be at least 1, got 0"):
        GaussianMeanShift(max_iter=0).fit(blobs[0])
    with pytest.raises(ValueError, match="tol of GaussianMeanShift must be a non-negative finite number, got -1"):
        GaussianMeanShift(tol=-1).fit(blobs[0])
