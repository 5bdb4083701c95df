import numpy as np
import pytest
from scipy.sparse import csr_array

from slkmodes import LaplacianKModes
from slkmodes.affinity import falls_apart
from slkmodes.engines.numpy_engine import NumpyEngine
from slkmodes.mode_kernels import GaussianKernel, GraphKernel, Modes
from slkmodes.problem import Problem
from slkmodes.seeding import SEEDINGS, draw_far_row, plant, reseed, starts
from tests.examples import graph_of, random_graph, rings

ENGINE = NumpyEngine()


def first_seeds(init, problem, rng):
    return next(starts(init, "auto", ENGINE, problem, rng))


@pytest.fixture(params=["features", "graph"])
def kernel(request):
    rng = np.random.default_rng(0)
    if request.param == "graph":
        return GraphKernel(random_graph(rng, 30))
    return GaussianKernel(rng.normal(size=(30, 2)), 1.0)


def problem_of(kernel, n_clusters):
    return Problem(kernel, random_graph(np.random.default_rng(1), kernel.n_samples), n_clusters, 1.0)


@pytest.mark.parametrize("name", ["k-means++", "random"])
def test_seeds_are_different_rows_and_repeatable(name, kernel):
    problem = problem_of(kernel, 6)
    first, again, other = (first_seeds(name, problem, np.random.default_rng(seed)).modes for seed in (1, 1, 2))
    assert len(set(first.rows.tolist())) == 6
    np.testing.assert_array_equal(first.rows, again.rows)
    assert first.rows.tolist() != other.rows.tolist()


def test_means_are_those_of_k_means_and_repeatable():
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 40, axis=0) + rng.normal(size=(120, 2))
    problem = Problem(GaussianKernel(X, 1.0), graph_of(X), 3, 1.0)
    seeds, again = (first_seeds("k-means", problem, np.random.default_rng(1)) for _ in range(2))
    expected = X.reshape(3, 40, 2).mean(axis=1)
    nearest = np.abs(seeds.modes.points[:, None] - expected).sum(axis=2).argmin(axis=1)
    assert sorted(nearest) == [0, 1, 2]
    np.testing.assert_allclose(seeds.modes.points, expected[nearest])
    np.testing.assert_array_equal(seeds.modes.points, again.modes.points)
    with pytest.raises(ValueError, match="init='k-means' needs features"):
        first_seeds("k-means", problem_of(GraphKernel(random_graph(rng, 30)), 3), rng)


def test_graph_seeds_are_a_clustering_and_repeatable(kernel):
    problem = problem_of(kernel, 4)
    first, again = (first_seeds("graph", problem, np.random.default_rng(3)) for _ in range(2))
    assert first.modes is None
    assert set(first.labels.tolist()) == {0, 1, 2, 3}
    np.testing.assert_array_equal(first.labels, again.labels)


def test_graph_seeds_fall_back_where_the_edges_tell_too_little():
    kernel = GaussianKernel(np.random.default_rng(0).normal(size=(6, 2)), 1.0)
    seeds = first_seeds("graph", Problem(kernel, csr_array((6, 6)), 3, 1.0), np.random.default_rng(0))
    assert len(set(seeds.modes.rows.tolist())) == 3


@pytest.mark.parametrize("init", ["graph", "smoothed_features", "density_peaks"])
def test_clusterings_tell_blobs_apart(init):
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 40, axis=0) + rng.normal(size=(120, 2))
    seeds = first_seeds(init, Problem(GaussianKernel(X, 1.0), graph_of(X), 3, 1.0), rng)
    assert seeds.name == init
    assert [len(set(seeds.labels[start : start + 40])) for start in (0, 40, 80)] == [1, 1, 1]
    assert len(set(seeds.labels)) == 3


@pytest.mark.parametrize("init", ["smoothed_features", "density_peaks"])
def test_what_needs_features_says_so(init):
    W = random_graph(np.random.default_rng(0), 30)
    with pytest.raises(ValueError, match=r"needs features; with affinity='precomputed' use 'graph'"):
        first_seeds(init, Problem(GraphKernel(W), W, 3, 1.0), np.random.default_rng(0))


def test_auto_takes_the_graph_where_its_clusterings_agree():
    X, _ = rings()
    seeds = first_seeds("auto", Problem(GaussianKernel(X, 0.1), graph_of(X), 2, 1.0), np.random.default_rng(0))
    assert (seeds.name, seeds.agreement) == ("graph", pytest.approx(1.0))


def test_auto_takes_density_peaks_where_the_graph_falls_apart():
    rng = np.random.default_rng(0)
    crumbs = rng.uniform(0, 1000, size=(60, 2)).repeat(8, axis=0) + rng.normal(scale=0.01, size=(480, 2))
    W = graph_of(crumbs, k=3)
    assert falls_apart(W, 4)
    assert not falls_apart(W, 60)
    seeds = first_seeds("auto", Problem(GaussianKernel(crumbs, 1.0), W, 4, 1.0), rng)
    assert seeds.name == "density_peaks"
    assert first_seeds("auto", Problem(GraphKernel(W), W, 4, 1.0), rng).name == "graph"


def test_auto_takes_smoothed_features_where_clusterings_of_the_graph_contradict_each_other():
    X = np.random.default_rng(0).normal(size=(600, 10))  # no clusters at all
    seeds = first_seeds("auto", Problem(GaussianKernel(X, 1.0), graph_of(X), 8, 1.0), np.random.default_rng(0))
    assert seeds.name == "smoothed_features"
    assert seeds.agreement < 0.62


def test_too_few_different_rows_to_smooth_fall_back():
    X = np.repeat([[0.0], [1.0]], 10, axis=0)
    problem = Problem(GaussianKernel(X, 1.0), graph_of(X, k=2), 3, 1.0)
    assert first_seeds("smoothed_features", problem, np.random.default_rng(0)).name == "k-means++"


@pytest.mark.parametrize("init", SEEDINGS)
def test_as_many_starts_as_runs_unless_runs_are_combined(init):
    X, _ = rings(90)
    problem = Problem(GaussianKernel(X, 1.0), graph_of(X), 2, 1.0)
    combined = init in ("auto", "graph", "density_peaks")
    assert len(list(starts(init, 3, ENGINE, problem, np.random.default_rng(0)))) == (1 if combined else 3)


def test_k_means_plus_plus_spreads_its_seeds():
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0, 0.0], [100.0, 0.0], [0.0, 100.0]], 20, axis=0) + rng.normal(size=(60, 2))
    for seed in range(5):
        seeds = first_seeds("k-means++", problem_of(GaussianKernel(X, 1.0), 3), np.random.default_rng(seed))
        assert sorted(seeds.modes.rows // 20) == [0, 1, 2]


def test_rows_and_points_are_taken_as_given():
    problem = problem_of(GaussianKernel(np.arange(10.0)[:, None], 1.0), 2)
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(first_seeds(np.array([4, 2]), problem, rng).modes.points, [[4.0], [2.0]])
    given = first_seeds(np.array([[0.5], [7.5]]), problem, rng).modes
    assert given.rows.tolist() == [-1, -1]
    np.testing.assert_array_equal(given.points, [[0.5], [7.5]])


def test_planting_gives_a_cluster_its_mode_and_the_neighbours():
    path = csr_array(np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1))
    labels = np.zeros(6, dtype=np.int64)
    planted = plant(path, labels, Modes(np.array([0, 4])), np.array([1]))
    assert planted.tolist() == [0, 0, 0, 1, 1, 1]
    assert labels.tolist() == [0] * 6


def test_a_dead_cluster_is_reborn_far_from_the_living(kernel):
    modes = kernel.modes_at(np.array([0, 1, 2]))
    closest = kernel.similarity(slice(None), modes).max(axis=1)
    reborn = reseed(kernel, closest, modes, np.array([1]), np.random.default_rng(0))
    assert reborn.rows[[0, 2]].tolist() == [0, 2]
    assert reborn.rows[1] not in (0, 1, 2)
    assert modes.rows.tolist() == [0, 1, 2]
    if reborn.points is not None:
        np.testing.assert_array_equal(reborn.points, kernel.X[reborn.rows])


def test_drawing_from_rows_that_all_equal_a_mode_still_ends():
    kernel = GaussianKernel(np.zeros((5, 1)), 1.0)
    row = draw_far_row(kernel, np.ones(5), np.random.default_rng(0))
    assert 0 <= row < 5


def test_modes_know_how_far_they_moved():
    old = Modes(np.array([0, 1]), np.array([[0.0, 0.0], [1.0, 1.0]]))
    new = Modes(np.array([5, 1]), np.array([[3.0, 4.0], [1.0, 1.0]]))
    assert new.moved_from(old).tolist() == [5.0, 0.0]
    assert Modes(np.array([5, 1])).moved_from(Modes(np.array([0, 1]))).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("scale", [1e120, 1e-100])
def test_smoothed_features_of_any_scale(scale):
    X = np.random.default_rng(0).normal(size=(200, 12)) * scale
    assert LaplacianKModes(3, init="smoothed_features", random_state=0).fit(X).init_ == "smoothed_features"
