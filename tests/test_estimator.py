import inspect
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from slkmodes import LaplacianKModes, Status, clustering_accuracy
from slkmodes.baselines import KModes
from slkmodes.contraction import description_cost
from slkmodes.engines import native_available
from slkmodes.objective import discrete_objective, relaxed_objective


def fit(X, **parameters):
    return LaplacianKModes(**{"n_clusters": 3, "random_state": 0, **parameters}).fit(X)


def test_separate_blobs_are_found(blobs):
    X, y = blobs
    model = fit(X)
    assert clustering_accuracy(y, model.labels_) == 1.0
    assert model.status_ is Status.CONVERGED


def test_moons_are_found_where_k_means_fails():
    X, y = make_moons(400, noise=0.05, random_state=0)
    model = LaplacianKModes(2, n_init=5, random_state=0).fit(X)
    assert clustering_accuracy(y, model.labels_) > 0.98


@pytest.mark.parametrize("mode_update", ["argmax", "mean_shift", "density"])
def test_attributes_have_the_promised_shapes(blobs, mode_update):
    X, _ = blobs
    model = fit(X, mode_update=mode_update)
    assert model.labels_.shape == (90,)
    assert model.memberships_.shape == (90, 3)
    assert model.modes_.shape == (3, 2)
    assert model.affinity_.shape == (90, 90)
    assert sparse.issparse(model.affinity_)
    np.testing.assert_array_equal(model.labels_[model.mode_indices_], np.arange(3))
    if mode_update != "mean_shift":
        np.testing.assert_array_equal(model.modes_, X[model.mode_indices_])
    assert model.n_iter_ == len(model.history_)
    assert model.bandwidth_ > 0
    assert (model.neighbor_search_, model.neighbor_recall_) == ("kd_tree", 1.0)
    assert set(model.timings_) == {"graph", "solve"}
    assert model.n_features_in_ == 2


def test_objectives_are_the_definitions(blobs):
    X, _ = blobs
    model = fit(X, diagonal_shift=0.5, laplacian_weight=0.3, balance=0.7)
    a = model.transform(X)
    assert model.relaxed_objective_ == pytest.approx(
        relaxed_objective(a, model.affinity_, model.memberships_, 0.3, 0.5, 0.7)
    )
    assert model.discrete_objective_ == pytest.approx(discrete_objective(a, model.affinity_, model.labels_, 0.3))


def test_transform_is_the_gaussian_of_the_distance(blobs):
    X, _ = blobs
    model = fit(X)
    squared = ((X[:, None] - model.modes_) ** 2).sum(axis=2)
    np.testing.assert_allclose(model.transform(X), np.exp(-squared / (2 * model.bandwidth_**2)), atol=1e-12)


def test_bandwidth_may_be_given(blobs):
    assert fit(blobs[0], bandwidth=2.5).bandwidth_ == 2.5


def test_weight_zero_is_plain_k_modes(blobs):
    """Every sample goes to the nearest mode, also where the kernel has underflown."""
    X, _ = blobs
    model = fit(X * 100, laplacian_weight=0, bandwidth=1.0)
    squared = ((X[:, None] * 100 - model.modes_) ** 2).sum(axis=2)
    np.testing.assert_array_equal(model.labels_, squared.argmin(axis=1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("engine", ["numpy", "auto"])
def test_the_type_of_X_is_kept(blobs, dtype, engine):
    model = fit(blobs[0].astype(dtype), engine=engine, mode_update="mean_shift")
    for array in (model.memberships_, model.modes_, model.affinity_, model.transform(blobs[0])):
        assert array.dtype == dtype
    assert model.predict_proba(blobs[0]).dtype == dtype


def test_integers_become_float64(blobs):
    assert fit(np.round(blobs[0] * 10).astype(np.int32)).memberships_.dtype == np.float64


def test_the_same_random_state_gives_the_same_answer_for_any_number_of_threads():
    X = np.random.default_rng(0).integers(0, 5, size=(800, 16)).astype(np.float32)
    parameters = {"n_clusters": 6, "n_init": 3, "mode_update": "mean_shift", "max_iter": 5, "random_state": 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        one, two, four = (LaplacianKModes(**parameters, n_jobs=n).fit(X) for n in (1, 2, 4))
    for other in (two, four):
        np.testing.assert_array_equal(other.memberships_, one.memberships_)
        np.testing.assert_array_equal(other.modes_, one.modes_)
        assert other.relaxed_objective_ == one.relaxed_objective_


def test_restarts_keep_what_describes_the_graph_best():
    X = np.random.default_rng(0).uniform(size=(300, 2))
    common = {"n_clusters": 4, "init": "k-means++", "random_state": 0}
    one, ten = (LaplacianKModes(**common, n_init=n_init).fit(X) for n_init in (1, 10))
    assert description_cost(ten.affinity_, ten.labels_) <= description_cost(one.affinity_, one.labels_)


def test_a_run_that_lost_a_cluster_does_not_win_by_it(blobs):
    """Two clouds cut into three cost edges; into two, none."""
    X = blobs[0][:60]
    parameters = {"n_clusters": 3, "laplacian_weight": 0.8, "init": "random", "empty_clusters": "keep", "balance": 0}
    single = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for seed in range(10):
            single.append(LaplacianKModes(**parameters, n_init=1, random_state=seed).fit(X).status_)
        best = LaplacianKModes(**parameters, n_init=20, random_state=0).fit(X)
    assert Status.EMPTY_CLUSTERS in single
    assert best.status_ is not Status.EMPTY_CLUSTERS


@pytest.mark.parametrize("init", ["k-means++", "random", np.array([0, 30, 60]), [1, 31, 61]])
def test_every_kind_of_seed(blobs, init):
    X, y = blobs
    model = fit(X, init=init, n_init=5)
    assert model.labels_.shape == y.shape
    if not isinstance(init, str):
        np.testing.assert_array_equal(model.labels_, y)


def test_seeds_given_as_points_keep_their_order(blobs):
    X, y = blobs
    model = fit(X, init=np.array([[0.0, 8.0], [0.0, 0.0], [8.0, 0.0]]))
    np.testing.assert_array_equal(model.labels_, np.array([1, 2, 0])[y])


@pytest.mark.parametrize("affinity", ["adaptive", "binary", "gaussian", "local", "shared"])
@pytest.mark.parametrize("symmetrize", ["union", "mutual", "average", "none"])
def test_every_graph(blobs, affinity, symmetrize):
    X, y = blobs
    model = fit(X, affinity=affinity, symmetrize=symmetrize, n_neighbors=10, init=[0, 30, 60])
    assert clustering_accuracy(y, model.labels_) == 1.0


def test_the_sufficient_shift_is_found_and_recorded(blobs):
    model = fit(blobs[0], diagonal_shift="auto", mode_update="density", warm_memberships=True, tol=1e-9)
    smallest = np.linalg.eigvalsh(model.affinity_.toarray())[0]
    assert model.diagonal_shift_ >= -smallest - 2
    trace = [value for step in model.history_ for value in step.relaxed_objectives] + [model.relaxed_objective_]
    assert np.all(np.diff(trace) <= 1e-9 * np.abs(trace[0]))


def test_history_is_what_the_papers_figures_plot(blobs):
    model = fit(blobs[0], mode_update="mean_shift")
    step = model.history_[0]
    assert len(step.relaxed_objectives) >= 2
    assert step.mode_shifts.shape == (3,)
    assert step.cluster_sizes.sum() == 90


# --- new samples ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mode_update", ["argmax", "mean_shift", "density"])
@pytest.mark.parametrize("symmetrize", ["union", "none"])
def test_predicting_the_training_data_returns_the_fit(mode_update, symmetrize):
    X = np.random.default_rng(0).normal(size=(400, 5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = fit(X, n_clusters=5, mode_update=mode_update, symmetrize=symmetrize, laplacian_weight=0.6)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.predict_proba(X), model.memberships_)
    shuffled = np.random.default_rng(1).permutation(400)
    np.testing.assert_array_equal(model.predict(X[shuffled]), model.labels_[shuffled])


def test_new_samples_far_from_everything_go_to_the_nearest_mode():
    """Without neighbours' pull and with an underflown kernel the memberships tie; the distance decides, as in fit."""
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0, 0.0], [900.0, 0.0], [0.0, 900.0]], 20, axis=0) + rng.normal(size=(60, 2))
    model = fit(X, laplacian_weight=0, bandwidth=1.0, init=[0, 20, 40])
    new = np.array([[300.0, 900.0], [800.0, 300.0], [10.0, 700.0], [100.0, 90.0]])
    assert model.predict(new).tolist() == [2, 1, 2, 0]


def test_a_new_sample_follows_the_stated_rule(blobs):
    X, _ = blobs
    model = fit(X, laplacian_weight=0.4, affinity="gaussian")
    new = np.array([[1.0, 2.0], [4.0, 4.0]])
    distances = np.linalg.norm(new[:, None] - X, axis=2)
    logits = np.exp(-((new[:, None] - model.modes_) ** 2).sum(axis=2) / (2 * model.bandwidth_**2))
    for row in range(2):
        nearest = np.argsort(distances[row])[:5]
        weights = np.exp(-(distances[row, nearest] ** 2) / (2 * model.bandwidth_**2))
        logits[row] += 0.4 * weights @ model.memberships_[nearest]
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(new), expected)
    np.testing.assert_array_equal(model.predict(new), expected.argmax(axis=1))
    assert model.score(new) == pytest.approx(np.log(np.exp(logits).sum(axis=1)).mean())


def test_the_score_of_the_training_data_uses_the_graph_itself(blobs):
    X, _ = blobs
    model = fit(X, laplacian_weight=0.4, diagonal_shift=0.3)
    logits = model.transform(X) + 0.4 * (model.affinity_ @ model.memberships_ + 0.3 * model.memberships_)
    assert model.score(X) == pytest.approx(np.log(np.exp(logits).sum(axis=1)).mean())


def test_new_samples_join_the_cloud_they_fall_in(blobs):
    X, y = blobs
    model = fit(X)
    new = X + np.random.default_rng(5).normal(scale=0.2, size=X.shape)
    np.testing.assert_array_equal(model.predict(new), model.labels_)
    del y


# --- scikit-learn's world --------------------------------------------------------------------------


def test_clone_and_pickle(blobs):
    X, _ = blobs
    model = fit(X, n_neighbors=7, init=np.array([0, 30, 60]))
    assert clone(model).get_params()["n_neighbors"] == 7
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    np.testing.assert_array_equal(again.predict(X + 0.01), model.predict(X + 0.01))
    assert again.status_ is Status.CONVERGED


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_in_and_out(blobs, frame):
    X, _ = blobs
    table = frame({"height": X[:, 0], "weight": X[:, 1]})
    model = LaplacianKModes(3, random_state=0)
    model.set_output(transform="pandas" if frame is pd.DataFrame else "polars").fit(table)
    assert list(model.feature_names_in_) == ["height", "weight"]
    out = model.transform(table)
    assert isinstance(out, frame)
    assert list(out.columns) == list(model.get_feature_names_out()) == [f"laplaciankmodes{i}" for i in range(3)]
    np.testing.assert_array_equal(model.predict(table), model.labels_)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[["weight", "height"]])


def test_pipelines_and_searches(blobs):
    X, y = blobs
    labels = make_pipeline(StandardScaler(), LaplacianKModes(3, random_state=0)).fit_predict(X)
    assert clustering_accuracy(y, labels) == 1.0
    grid = {"bandwidth": [0.01, 1.0]}  # too narrow a kernel sees nobody near a mode
    search = GridSearchCV(LaplacianKModes(3, random_state=0), grid, cv=KFold(3, shuffle=True, random_state=0)).fit(X)
    assert search.best_params_ == {"bandwidth": 1.0}


def test_not_fitted_yet(blobs):
    for method in ("predict", "predict_proba", "transform", "score"):
        with pytest.raises(NotFittedError):
            getattr(LaplacianKModes(3), method)(blobs[0])


def test_a_fit_that_fails_leaves_the_model_as_it_was(blobs):
    X, _ = blobs
    model = LaplacianKModes(3, random_state=0)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((20, 2), np.nan))
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.fit(X)
    before = {name: id(value) for name, value in vars(model).items() if name.endswith("_")}
    model.set_params(laplacian_weight=1e308)
    with pytest.raises(ValueError, match="overflows"):
        model.fit(X[:50])
    assert {name: id(value) for name, value in vars(model).items() if name.endswith("_")} == before


@pytest.mark.parametrize("make", [LaplacianKModes, KModes])
@pytest.mark.parametrize(
    "bad", [np.full((50, 3), np.nan), np.full((50, 3), np.inf), np.full((50, 3), 1e200), np.ones((2, 3))]
)
def test_a_fit_that_fails_forgets_the_columns_that_it_saw(blobs, make, bad):
    X, _ = blobs
    model = make(3, random_state=0)
    with pytest.raises(ValueError, match=r"NaN|infinity|overflow|n_samples"):
        model.fit(bad)
    assert not hasattr(model, "n_features_in_")
    labels = model.fit(X).labels_
    with pytest.raises(ValueError, match=r"NaN|infinity|overflow|n_samples"):
        model.fit(bad)
    np.testing.assert_array_equal(model.predict(X), labels)


def test_a_generator_is_a_random_state(blobs):
    first, again = (fit(blobs[0], random_state=np.random.default_rng(7)).labels_ for _ in range(2))
    np.testing.assert_array_equal(first, again)


def test_verbose_tells_what_happens(blobs, capsys):
    fit(blobs[0], verbose=1, n_init=2, init="k-means++")
    said = capsys.readouterr().out
    for word in ("graph:", "neighbours: kd_tree", "run 2, weight", "mode update 1", "solve:"):
        assert word in said
    fit(blobs[0])
    assert capsys.readouterr().out == ""


def test_every_parameter_and_attribute_is_documented(blobs):
    text = inspect.getdoc(LaplacianKModes)
    for name in LaplacianKModes().get_params():
        assert f"\n{name} : " in text, name
    fitted = [name for name in vars(fit(blobs[0])) if name.endswith("_") and not name.startswith("_")]
    for name in fitted:
        assert name in text, name


# --- a given graph -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode_update", ["argmax", "density"])
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array, np.asarray])
def test_a_precomputed_affinity(blobs, mode_update, form):
    X, y = blobs
    W = fit(X, n_neighbors=10).affinity_
    given = form(W.toarray())
    model = fit(given, affinity="precomputed", mode_update=mode_update, init=[0, 30, 60])
    np.testing.assert_array_equal(model.labels_, y)
    np.testing.assert_array_equal(model.labels_[model.mode_indices_], np.arange(3))
    assert model.modes_ is None
    assert model.bandwidth_ is None
    assert model.neighbor_search_ == "precomputed"
    np.testing.assert_array_equal(model.predict(given), model.labels_)
    assert model.transform(given).shape == (90, 3)


def test_a_precomputed_graph_is_seeded_by_name_too(blobs):
    X, y = blobs
    W = fit(X, n_neighbors=10).affinity_
    scores = []
    for init in ("k-means++", "random"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = fit(W, affinity="precomputed", init=init, n_init=10)
        scores.append(clustering_accuracy(y, model.labels_))
    assert min(scores) == 1.0


def test_new_rows_of_a_precomputed_affinity(blobs):
    X, y = blobs
    W = fit(X, n_neighbors=10).affinity_
    model = fit(W, affinity="precomputed", init=[0, 30, 60])
    new = sparse.csr_array(np.eye(90)[[3, 33, 63]])  # each like one known sample
    assert model.predict(new).tolist() == [0, 1, 2]
    del y


def test_unit_scaling_of_zero_rows():
    """A row of zeros stays zero under unit scaling; it is clustered like any other."""
    rng = np.random.default_rng(0)
    X = np.abs(rng.normal(size=(60, 4)))
    X[:8] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = make_pipeline(Normalizer(), LaplacianKModes(2, random_state=0)).fit(X)
    assert np.all(np.isfinite(model[-1].memberships_))
    assert len(set(model[-1].labels_[:8])) == 1


@pytest.mark.parametrize("balance", [0.0, "auto"])
def test_very_unequal_blobs_are_told_apart(balance):
    rng = np.random.default_rng(0)
    sizes = (1500, 40, 12)  # and apart: see the next test for clouds that nearly touch
    y = np.repeat([0, 1, 2], sizes)
    X = np.array([[0.0, 0.0], [12.0, 0.0], [0.0, 12.0]])[y] + rng.normal(size=(len(y), 2))
    model = LaplacianKModes(3, balance=balance, random_state=0).fit(X)
    assert clustering_accuracy(y, model.labels_) > 0.99


def test_a_small_cloud_beside_a_large_one_is_left_alone():
    X, y = make_blobs([2000, 60], centers=np.array([[0.0, 0.0], [8.0, 8.0]]), random_state=0)
    assert clustering_accuracy(y, LaplacianKModes(2, random_state=0).fit(X).labels_) > 0.99


def test_no_cluster_dies_on_the_automatic_path_where_a_smaller_weight_keeps_it():
    X = np.random.default_rng(0).standard_normal((30, 2000))
    model = LaplacianKModes(3, random_state=0).fit(X)
    assert model.status_ is Status.CONVERGED
    assert len(set(model.labels_)) == 3


def test_balance_evens_sizes_out():
    X = np.random.default_rng(0).normal(size=(400, 2))
    spread = []
    for balance in (0.0, 0.3, 3.0):
        models = [
            LaplacianKModes(4, init="k-means++", n_init=1, balance=balance, random_state=seed).fit(X)
            for seed in range(4)
        ]
        assert {model.balance_ for model in models} == {balance}
        spread.append(np.mean([np.ptp(np.bincount(model.labels_, minlength=4)) for model in models]))
    assert spread[0] > 1.3 * spread[1] > 1.3**2 * spread[2]


def test_a_sequence_of_weights_is_a_path_and_a_number_is_its_one_point(blobs):
    X, _ = blobs
    model = LaplacianKModes(3, laplacian_weight=[0.2, 0.5, 1.0], random_state=0).fit(X)
    assert [point.weight for point in model.path_] == [0.2, 0.5, 1.0]
    assert model.laplacian_weight_ == 1.0
    assert len(LaplacianKModes(3, laplacian_weight=0.7, random_state=0).fit(X).path_) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cosine_sees_directions_only(dtype):
    rng = np.random.default_rng(0)
    centers = np.eye(3)
    y = rng.integers(3, size=300)
    X = ((centers[y] + 0.05 * rng.normal(size=(300, 3))) * rng.uniform(1e-3, 1e3, size=(300, 1))).astype(dtype)
    model = LaplacianKModes(3, metric="cosine", random_state=0).fit(X)
    assert clustering_accuracy(y, model.labels_) == 1.0
    np.testing.assert_allclose(np.linalg.norm(model.modes_, axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.predict(X[:50] * dtype(7)), model.labels_[:50])
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    np.testing.assert_array_equal(LaplacianKModes(3, random_state=0).fit(unit).labels_, model.labels_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("mode_update", ["argmax", "density"])
def test_inner_products_make_long_samples_near(mode_update, dtype):
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=300)
    X = ((np.eye(3)[y] + 0.05 * rng.normal(size=(300, 3))) * rng.uniform(1, 4, size=(300, 1))).astype(dtype)
    model = LaplacianKModes(3, metric="inner_product", mode_update=mode_update, random_state=0).fit(X)
    assert clustering_accuracy(y, model.labels_) == 1.0
    np.testing.assert_array_equal(model.modes_, X[model.mode_indices_])
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.predict(X[:50] * dtype(7)), model.labels_[:50])  # longer than any sample
    products, longest = X.astype(float) @ model.modes_.T.astype(float), np.square(X.astype(float)).sum(axis=1).max()
    kernel = np.exp((products - longest) / model.bandwidth_**2)
    np.testing.assert_allclose(model.transform(X), kernel, rtol=1e-4)
    if mode_update == "density":  # who is similar to most is long
        lengths = np.linalg.norm(X, axis=1)
        assert all(lengths[mode] > np.median(lengths[y == y[mode]]) for mode in model.mode_indices_)


def test_inner_products_have_no_means_to_shift():
    with pytest.raises(ValueError, match="with metric='inner_product' use 'argmax' or 'density'"):
        LaplacianKModes(2, metric="inner_product", mode_update="mean_shift").fit(np.eye(5))


def test_points_given_as_init_are_seen_as_samples_are():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=300)
    X = (np.eye(3)[y] + 0.05 * rng.normal(size=(300, 3))) * rng.uniform(1, 4, size=(300, 1))
    for metric in ("euclidean", "cosine", "inner_product"):
        model = LaplacianKModes(3, metric=metric, init=2 * np.eye(3), random_state=0).fit(X)
        np.testing.assert_array_equal(model.labels_, y)


def test_cosine_of_a_row_of_zeros_is_refused():
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[[4, 9]] = 0
    with pytest.raises(ValueError, match=r"row 4 is all zeros, and 1 more are\. Leave them out"):
        LaplacianKModes(2, metric="cosine").fit(X)
    model = LaplacianKModes(2, metric="cosine", random_state=0).fit(X + 1)
    with pytest.raises(ValueError, match=r"row 0 is all zeros\. Leave"):
        model.predict(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="metric of LaplacianKModes must be one of"):
        LaplacianKModes(2, metric="manhattan").fit(X)


@pytest.mark.parametrize("method", ["fit", "fit_predict"])
def test_a_warning_names_the_line_that_fitted(blobs, method):
    model = LaplacianKModes(3, max_iter=1, laplacian_weight=1.0, init=[0, 1, 2], random_state=0)
    with pytest.warns(ConvergenceWarning) as caught:
        getattr(model, method)(blobs[0])
    assert caught[0].filename == __file__


@pytest.mark.parametrize("search", ["nn_descent", "brute"] if native_available() else ["brute"])
def test_several_threads_may_predict_at_once(search):
    """Also the first time, when what new samples need is prepared."""
    X, _ = make_blobs(3000, 12, centers=4, random_state=0)
    model = LaplacianKModes(4, neighbor_search=search, random_state=0)
    model.fit_predict(X[:2000])
    assert "index" not in model.timings_
    with ThreadPoolExecutor(8) as pool:
        several = list(pool.map(lambda _: model.predict(X), range(8)))
    model.fit(X[:2000])
    assert ("index" in model.timings_) == (search == "nn_descent")
    for labels in several:
        np.testing.assert_array_equal(labels, model.predict(X))
