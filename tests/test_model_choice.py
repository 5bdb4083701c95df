import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs

from slkmodes import LaplacianKModes, choose_n_clusters, clustering_accuracy, normalized_cut, tune
from slkmodes.contraction import description_cost, graph_groups
from slkmodes.engines.numpy_engine import NumpyEngine
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
    for count, told, score in zip(counts.candidates, counts.information, counts.scores, strict=True):
        groups = graph_groups(ENGINE, W, count, 2, make_generator(3))
        assert told == pytest.approx(-description_cost(W, groups.labels))
        assert score == pytest.approx(told * groups.agreement**4)
        assert (score >= min(0.94 * max(counts.scores), max(counts.scores) - 0.02)) == (count in counts.as_good)


def test_digits_are_about_ten():
    counts = choose_n_clusters(load_digits().data, range(4, 19), model=LaplacianKModes(random_state=0))
    assert 10 <= counts.n_clusters <= 14
    assert len(counts.as_good) > 1
    assert plot_cluster_counts(counts).axes[0].get_title().startswith(f"{counts.n_clusters} clusters suggested (")


def test_a_graph_in_pieces_says_so():
    rng = np.random.default_rng(0)
    crumbs = rng.uniform(0, 1000, size=(60, 2)).repeat(8, axis=0) + rng.normal(scale=0.01, size=(480, 2))
    with pytest.warns(UserWarning, match="falls apart into many more than 4 pieces.*Increase n_neighbors"):
        choose_n_clusters(crumbs, [3, 4], n_runs=2)


@pytest.mark.parametrize("n", [300, 3000])
def test_two_clouds_are_two_however_many_samples(n):
    X, _ = make_blobs(n, centers=[[0, 0], [10, 10]], random_state=0)
    assert choose_n_clusters(X, range(1, 11), model=LaplacianKModes(random_state=0)).n_clusters == 2


def test_where_nothing_is_told_one_cluster_is_suggested():
    X = np.random.default_rng(0).normal(size=(300, 10))
    assert choose_n_clusters(X, range(1, 6), model=LaplacianKModes(random_state=0)).n_clusters == 1
    same = choose_n_clusters(np.ones((40, 2)), [2, 3, 4], model=LaplacianKModes(random_state=0))
    assert same.n_clusters in (2, 3, 4)


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


def test_a_cold_trial_is_a_plain_fit():
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    tuning = tune(X, y, model=LaplacianKModes(10, init="k-means++"), weights=[0.7, 1.2], n_seeds=2, warm=False)
    for trial in tuning.trials:
        plain = LaplacianKModes(
            10, init="k-means++", n_init=1, laplacian_weight=trial.laplacian_weight, random_state=trial.seed
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
