import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs, make_circles, make_moons

from slkmodes import LaplacianKModes, choose_n_clusters, clustering_accuracy, normalized_cut, tune
from slkmodes.contraction import description_cost, graph_groups
from slkmodes.engines.numpy_engine import NumpyEngine
from slkmodes.model_choice import kinks_of
from slkmodes.plots import plot_cluster_counts
from slkmodes.validation import make_generator

ENGINE = NumpyEngine()


@pytest.mark.parametrize("n_blobs", [3, 6])
def test_the_number_of_blobs_is_suggested(n_blobs):
    centers = 10 * np.column_stack([np.cos(np.arange(n_blobs)), np.sin(np.arange(n_blobs))])  # all apart
    X, _ = make_blobs(60 * n_blobs, centers=centers, random_state=1)
    counts = choose_n_clusters(X, range(2, 10), model=LaplacianKModes(random_state=0))
    assert counts.n_clusters == n_blobs
    assert counts.n_clusters == counts.as_good[0]
    assert counts.candidates == tuple(range(2, 10))


def test_scores_are_those_of_the_clusterings_and_ties_are_told():
    X = np.random.default_rng(0).normal(size=(300, 2))
    counts = choose_n_clusters(X, [7, 4, 5, 6, 5], model=LaplacianKModes(random_state=3), n_runs=2)
    W = LaplacianKModes(4, random_state=3).fit(X).affinity_
    assert counts.candidates == (4, 5, 6, 7)
    for i, count in enumerate(counts.candidates):
        groups = graph_groups(ENGINE, W, count, 2, make_generator(3))
        assert counts.information[i] == pytest.approx(-description_cost(W, groups.labels))
        assert counts.agreements[i] == pytest.approx(groups.agreement)
        assert counts.scores[i] == pytest.approx(
            counts.information[i] * groups.agreement**4 * counts.kinks[i] ** (1 / 3)
        )
        assert (counts.scores[i] >= 0.88 * max(counts.scores)) == (count in counts.as_good)


def test_it_tells_how_far_it_is(capsys):
    X = np.random.default_rng(0).normal(size=(80, 2))
    said = []
    choose_n_clusters(X, [2, 3], n_runs=2, verbose=said.append)
    counted = [
        "k = 4, 0 of 4",
        "k = 1, 1 of 4",
        "k = 3, 2 of 4",
        "k = 2, 3 of 4",
    ]  # a kink needs one more on both sides
    assert [line for line in said if line.startswith("k = ")] == counted
    assert said[0] == "graph ..."
    assert capsys.readouterr().out == ""
    choose_n_clusters(X, [2, 3], n_runs=2, model=LaplacianKModes(verbose=1))
    assert "[choose_n_clusters] k = 4, 0 of 4\n" in capsys.readouterr().out
    choose_n_clusters(X, [2, 3], n_runs=2, model=LaplacianKModes(verbose=1), verbose=0)
    assert capsys.readouterr().out == ""


def test_kinks_are_ratios_of_slopes_of_the_lower_hull():
    # 4 clusters are cut less than 2 or 3: merged, they are better than what was found there. 5 lies above the line.
    cuts = np.array([0.0, 0.2, 0.1, 0.06, 0.5, 0.66])
    before, after = 0.02 + 0.002, 0.3 + 0.002
    assert kinks_of(np.arange(1, 7), cuts) == pytest.approx((1, 1, 1, after / before, 1, 1))
    assert kinks_of(np.array([1, 4, 6]), np.array([0.0, 0.06, 0.66])) == pytest.approx((1, after / before, 1))
    assert kinks_of(np.array([1]), np.array([0.0])) == (1,)


@pytest.mark.parametrize("name", ["moons", "circles", "aniso", "unequal"])
def test_shapes_and_sizes_do_not_matter(name):
    if name == "moons":
        X, y = make_moons(600, noise=0.05, random_state=0)
    elif name == "circles":
        X, y = make_circles(600, noise=0.05, factor=0.4, random_state=0)
    elif name == "aniso":
        X, y = make_blobs(1500, random_state=170)  # of 900, one random state in four finds another number
        X = X @ np.array([[0.6, -0.6], [-0.4, 0.8]])
    else:
        X, y = make_blobs([800, 100, 30], centers=np.array([[0, 0], [12, 0], [0, 12]]), random_state=0)
    counts = choose_n_clusters(X, range(1, 9), model=LaplacianKModes(random_state=0))
    assert counts.n_clusters == len(set(y))
    assert counts.stands_out


def test_digits_are_about_ten():
    counts = choose_n_clusters(load_digits().data, range(4, 19), model=LaplacianKModes(random_state=0))
    assert 10 <= counts.n_clusters <= 14
    assert plot_cluster_counts(counts).axes[0].get_title().startswith(f"{counts.n_clusters} clusters suggested")


def test_a_graph_in_pieces_says_so():
    rng = np.random.default_rng(0)
    crumbs = rng.uniform(0, 1000, size=(60, 2)).repeat(8, axis=0) + rng.normal(scale=0.01, size=(480, 2))
    with pytest.warns(UserWarning, match="falls apart into many more than 4 pieces.*Increase n_neighbors"):
        choose_n_clusters(crumbs, [3, 4], n_runs=2)


@pytest.mark.parametrize("n", [300, 3000])
def test_two_clouds_are_two_however_many_samples(n):
    X, _ = make_blobs(n, centers=[[0, 0], [10, 10]], random_state=0)
    assert choose_n_clusters(X, range(1, 11), model=LaplacianKModes(random_state=0)).n_clusters == 2


@pytest.mark.parametrize("n_features", [2, 10])
def test_one_cloud_is_one_cluster(n_features):
    X = np.random.default_rng(0).normal(size=(1000, n_features))
    counts = choose_n_clusters(X, range(1, 7), model=LaplacianKModes(random_state=0))
    assert counts.n_clusters == counts.as_good[0] == 1
    assert not counts.stands_out
    assert plot_cluster_counts(counts).axes[0].get_title().endswith(": no number stands out")
    assert choose_n_clusters(X, [3, 4], model=LaplacianKModes(random_state=0)).n_clusters in (3, 4)


def test_copies_of_one_row_are_no_reason_to_fail():
    assert choose_n_clusters(np.ones((40, 2)), [2, 3, 4], model=LaplacianKModes(random_state=0)).n_clusters in (2, 3, 4)


@pytest.mark.parametrize(
    ("candidates", "error"),
    [([], ValueError), ([0, 2], ValueError), ([2, 99], ValueError), ([2.5], TypeError), ("23", TypeError)],
)
def test_candidates_that_make_no_sense(candidates, error):
    with pytest.raises(error):
        choose_n_clusters(np.random.default_rng(0).normal(size=(50, 2)), candidates)


def labelled(y, share=0.2):
    return np.where(np.random.default_rng(0).random(len(y)) < share, y, -1)


@pytest.mark.parametrize("warm", [True, False])
def test_tuning_takes_the_best_on_the_labelled_samples(warm):
    X, y = load_digits(return_X_y=True)
    X, y = X[:600], y[:600]
    known = labelled(y)
    model = LaplacianKModes(10, init="k-means++", balance=0)
    tuning = tune(X, known, model=model, weights=[0.5, 1.0, 1.5], n_seeds=3, warm=warm)
    assert len(tuning.trials) == 9
    assert tuning.best.accuracy == max(trial.accuracy for trial in tuning.trials)
    fitted = tuning.model
    assert fitted.laplacian_weight_ == tuning.best.laplacian_weight
    assert clustering_accuracy(y[known >= 0], fitted.labels_[known >= 0]) == pytest.approx(tuning.best.accuracy)
    assert not hasattr(model, "labels_")
    assert normalized_cut(fitted.affinity_, fitted.labels_) < 5


@pytest.mark.parametrize(("init", "n_init"), [("k-means++", 1), ("k-means", 1), ("auto", "auto")])
def test_a_cold_trial_is_a_plain_fit(init, n_init):
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    tuning = tune(X, y, model=LaplacianKModes(10, init=init), weights=[0.7, 1.2], n_seeds=2, warm=False)
    for trial in tuning.trials:
        plain = LaplacianKModes(
            10, init=init, n_init=n_init, laplacian_weight=trial.laplacian_weight, random_state=trial.seed
        ).fit(X)
        assert clustering_accuracy(y, plain.labels_) == trial.accuracy


@pytest.mark.parametrize("diagonal_shift", [0.0, "auto"])
def test_the_tuned_model_is_the_best_trial(diagonal_shift):
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], y[:400]
    model = LaplacianKModes(10, diagonal_shift=diagonal_shift)
    tuning = tune(X, y, model=model, weights=[0.5, 1.0, 4.0], n_seeds=1)
    assert clustering_accuracy(y, tuning.model.labels_) == tuning.best.accuracy
    assert tuning.model.n_features_in_ == 64


@pytest.mark.parametrize("unknown", [-1, np.nan, None, "-1"])
def test_unknown_classes_come_in_many_ways(unknown):
    X, y = make_blobs(60, centers=2, random_state=0)
    some = np.array([unknown if i % 2 else label for i, label in enumerate(y.tolist())], dtype=object)
    tuning = tune(X, some, model=LaplacianKModes(2), weights=[1.0], n_seeds=1)
    assert tuning.best.accuracy == clustering_accuracy(y[::2], tuning.model.labels_[::2])


def test_a_minus_one_that_wrapped_around_is_noticed():
    wrapped = np.array([0, 1, 255] * 10, dtype=np.uint8)
    with pytest.raises(ValueError, match="is uint8, in which -1 turns into 255: give it a signed type"):
        tune(np.random.default_rng(0).normal(size=(30, 2)), wrapped, model=LaplacianKModes(2))


def test_the_automatic_path_is_not_tuned():
    with pytest.raises(ValueError, match="weights of tune must be numbers"):
        tune(np.zeros((10, 2)), np.zeros(10), model=LaplacianKModes(2), weights="auto")


@pytest.mark.parametrize("y", [np.full(40, -1), np.zeros(39, dtype=int)])
def test_labels_that_cannot_choose(y):
    X = np.random.default_rng(0).normal(size=(40, 2))
    with pytest.raises(ValueError, match="y_validation"):
        tune(X, y, model=LaplacianKModes(2))
