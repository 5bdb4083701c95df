"""Whatever comes in: a clear error or a right answer, never a hang, a crash, a silent NaN or a changed input."""

import re
import warnings
from contextlib import nullcontext

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from slkmodes import LaplacianKModes, Status
from slkmodes.validation import ROWS_LOOKED_AT, check_extent

rng = np.random.default_rng(0)
GOOD = rng.normal(size=(40, 3))


def fit(X, **parameters):
    return LaplacianKModes(**{"n_clusters": 3, "random_state": 0, **parameters}).fit(X)


def quietly(X, **parameters):
    """Fit where a cluster may stay empty, and check what must hold all the same."""
    before = np.array(X, copy=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = fit(X, **parameters)
    np.testing.assert_array_equal(np.asarray(X), before)
    assert np.all(np.isfinite(model.memberships_))
    assert np.isfinite(model.relaxed_objective_)
    assert np.isfinite(model.discrete_objective_)
    assert model.labels_.min() >= 0
    assert model.labels_.max() < model.n_clusters
    np.testing.assert_array_equal(model.predict(np.asarray(X)), model.labels_)
    return model


def with_value(value):
    X = GOOD.copy()
    X[3, 1] = value
    return X


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (with_value(np.nan), "NaN"),
        (with_value(np.inf), "infinity"),
        (np.array([["a", "b"]] * 20), "could not convert string to float|dtype"),
        (GOOD[:, 0], "Expected 2D array"),
        (GOOD[None], "Found array with dim 3"),
        (np.empty((0, 3)), "0 sample"),
        (np.empty((40, 0)), "0 feature"),
        (GOOD[:2], r"n_samples=2 must be at least n_clusters=3"),
        (GOOD[:5], r"n_neighbors=5 of LaplacianKModes must be less than n_samples=5"),
        (sparse.csr_array(GOOD), "[Ss]parse"),
        (GOOD + 1j, "Complex data"),
        ([[1.0, 2.0], [3.0]], "inhomogeneous|sequence"),
    ],
    ids=["nan", "inf", "text", "1-d", "3-d", "no rows", "no columns", "few rows", "few neighbours", "sparse", "complex",
         "ragged"],
)  # fmt: skip
def test_data_that_cannot_be_clustered(X, message):
    with pytest.raises((ValueError, TypeError), match=message):
        fit(X)


BAD_PARAMETERS = [
    ({"n_clusters": 0}, ValueError, "n_clusters of LaplacianKModes must be at least 1, got 0"),
    ({"n_clusters": 2.5}, TypeError, "n_clusters of LaplacianKModes must be an int"),
    ({"n_clusters": True}, TypeError, "n_clusters"),
    ({"n_neighbors": 0}, ValueError, "n_neighbors of LaplacianKModes must be at least 1"),
    ({"laplacian_weight": -1}, ValueError, "laplacian_weight of LaplacianKModes must be a non-negative finite number"),
    ({"laplacian_weight": float("nan")}, ValueError, "laplacian_weight .* got nan"),
    ({"laplacian_weight": float("inf")}, ValueError, "laplacian_weight .* got inf"),
    ({"laplacian_weight": "high"}, ValueError, "laplacian_weight .* got 'high'"),
    ({"laplacian_weight": None}, TypeError, "laplacian_weight .* got None"),
    ({"bandwidth": 0}, ValueError, "bandwidth .* positive finite number or 'auto', got 0"),
    ({"bandwidth": 1e-200}, ValueError, "bandwidth"),
    ({"bandwidth": 1e200}, ValueError, "bandwidth"),
    ({"bandwidth": "wide"}, ValueError, "bandwidth"),
    ({"laplacian_weight": 1e308}, ValueError, "overflows float64. Decrease laplacian_weight"),
    ({"diagonal_shift": -0.1}, ValueError, "diagonal_shift .* or 'auto'"),
    ({"diagonal_shift": "auto", "symmetrize": "none"}, ValueError, "needs a symmetric affinity"),
    (
        {"affinity": "cosine"},
        ValueError,
        "affinity .* one of 'adaptive', 'binary', 'gaussian', 'local', 'precomputed', 'shared'; got 'cosine'",
    ),
    ({"symmetrize": True}, ValueError, "symmetrize"),
    ({"laplacian_weight": "some"}, ValueError, "laplacian_weight of LaplacianKModes must be .* or 'auto', got 'some'"),
    ({"laplacian_weight": []}, TypeError, "must be 'auto', a number, or a sequence of numbers"),
    ({"laplacian_weight": [1.0, -1.0]}, ValueError, "Every laplacian_weight"),
    ({"laplacian_weight": {1.0}}, TypeError, "a sequence of numbers"),
    ({"balance": -0.1}, ValueError, "balance"),
    ({"balance": np.inf}, ValueError, "balance"),
    ({"neighbor_search": "flann"}, ValueError, "neighbor_search"),
    ({"mode_update": "mean-shift"}, ValueError, "mode_update .* 'argmax', 'density', 'mean_shift'"),
    ({"warm_memberships": "yes"}, TypeError, "warm_memberships .* True or False"),
    ({"empty_clusters": "drop"}, ValueError, "empty_clusters"),
    ({"n_init": 0}, ValueError, "n_init"),
    ({"tol": -1e-3}, ValueError, "tol"),
    ({"max_iter": 0}, ValueError, "max_iter"),
    ({"max_sweeps": 0}, ValueError, "max_sweeps"),
    ({"engine": "cuda"}, ValueError, "engine"),
    ({"n_jobs": 0}, ValueError, "n_jobs .* other than 0"),
    ({"init": "kmeans"}, ValueError, "init .* 'k-means\\+\\+', 'random'"),
    ({"init": [0, 1]}, ValueError, "3 row numbers or an array of shape \\(3, 3\\); got an array of shape \\(2,\\)"),
    ({"init": [0, 1, 40]}, ValueError, "outside 0 to 39"),
    ({"init": [0, 1, -1]}, ValueError, "outside 0 to 39"),
    ({"init": [0, 1, 1]}, ValueError, "names a row twice"),
    ({"init": np.full((3, 3), np.nan)}, ValueError, "NaN or infinity"),
    ({"init": np.zeros((3, 2))}, ValueError, "shape \\(3, 3\\)"),
    ({"init": None}, ValueError, "init"),
    ({"random_state": "seed"}, ValueError, "cannot be used to seed"),
]


@pytest.mark.parametrize(("parameters", "error", "message"), BAD_PARAMETERS, ids=lambda value: None)
def test_parameters_that_make_no_sense(parameters, error, message):
    with pytest.raises(error, match=message):
        fit(GOOD, **parameters)


@pytest.mark.parametrize(
    ("W", "message"),
    [
        (np.ones((4, 5)), "must be square"),
        (-np.ones((9, 9)), "Negative values"),
        (np.full((9, 9), np.nan), "NaN"),
        (np.full((9, 9), 1e306), "sum to 8.1e\\+307: their sums overflow float64. Divide them by the largest"),
        (np.full((9, 9), 1e308), "sum to inf"),
        (np.full((9, 9), 2e36, dtype=np.float32), "overflow float32"),
        (np.ones((2, 2)), "n_samples=2 must be at least n_clusters=3"),
    ],
)
def test_affinities_that_make_no_sense(W, message):
    with pytest.raises(ValueError, match=message):
        fit(W, affinity="precomputed")


def test_an_affinity_with_column_numbers_that_do_not_exist():
    W = sparse.csr_array(np.ones((9, 9)))
    W.indices = W.indices.copy()
    W.indices[3] = 10**6
    with pytest.raises(ValueError, match=re.compile("index|indices|column", re.IGNORECASE)):
        fit(W, affinity="precomputed")


def test_mean_shift_needs_features():
    with pytest.raises(ValueError, match="needs features"):
        fit(np.ones((9, 9)), affinity="precomputed", mode_update="mean_shift")


def test_an_affinity_without_edges_is_no_crash():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = fit(sparse.csr_array((9, 9)), affinity="precomputed", diagonal_shift="auto")
    assert np.all(np.isfinite(model.memberships_))


UPDATES = pytest.mark.parametrize("mode_update", ["argmax", "mean_shift", "density"])


@UPDATES
@pytest.mark.parametrize("init", ["graph", "k-means++"])
def test_all_rows_equal(mode_update, init):
    said = r"\(\d of 3\): Some clusters ended without a member.*Decrease laplacian_weight, n_neighbors"
    with pytest.warns(ConvergenceWarning, match=said):
        model = fit(np.ones((20, 2)), mode_update=mode_update, init=init, laplacian_weight=1.5)
    assert model.status_ is Status.EMPTY_CLUSTERS
    assert model.bandwidth_ == 1.0
    assert np.all(np.isfinite(model.memberships_))
    if init == "k-means++":  # from the features: nothing tells the rows apart
        assert len(set(model.labels_)) == 1


@UPDATES
def test_constant_columns(mode_update):
    quietly(np.column_stack([GOOD, np.full(40, 7.0)]), mode_update=mode_update)


@UPDATES
def test_duplicate_rows(mode_update):
    X = np.repeat(GOOD[:10], 4, axis=0)
    model = quietly(X, mode_update=mode_update, n_neighbors=6)
    assert all(len(set(group)) == 1 for group in model.labels_.reshape(10, 4))


@UPDATES
def test_one_feature(mode_update):
    quietly(GOOD[:, :1], mode_update=mode_update)


@UPDATES
def test_one_cluster(mode_update):
    model = quietly(GOOD, n_clusters=1, mode_update=mode_update)
    np.testing.assert_array_equal(model.memberships_, 1)


def test_as_many_clusters_as_rows():
    model = quietly(GOOD[:8], n_clusters=8, n_neighbors=2, laplacian_weight=0, bandwidth=0.1)
    assert len(model.mode_indices_) == 8


@pytest.mark.parametrize(
    ("dtype", "scale"),
    [(np.float64, s) for s in (1e-140, 1e-30, 1e30, 1e150)] + [(np.float32, 1e-12), (np.float32, 1e17)],
)
@pytest.mark.parametrize("search", ["kd_tree", "brute", "inverted_lists"])
@pytest.mark.parametrize("engine", ["numpy", "auto"])
def test_small_and_large_values(dtype, scale, search, engine):
    model = quietly((GOOD * scale).astype(dtype), neighbor_search=search, engine=engine)
    assert model.bandwidth_ == pytest.approx(fit_bandwidth(GOOD) * scale, rel=0.05)


@pytest.mark.parametrize("search", ["kd_tree", "brute", "inverted_lists"])
@pytest.mark.parametrize(("dtype", "value"), [(np.float64, 1e200), (np.float64, 1e154), (np.float32, 1e19)])
def test_values_whose_squares_overflow(search, dtype, value):
    X = GOOD.astype(dtype)
    X[7] = value
    with pytest.raises(ValueError, match=r"squared distances overflow float\d+\. Scale X"):
        fit(X, neighbor_search=search)
    model = fit(GOOD.astype(dtype), laplacian_weight=0.3)
    with pytest.raises(ValueError, match="overflow"):
        model.predict(X)


def test_new_samples_may_be_as_close_to_each_other_as_they_like():
    model = fit(GOOD, laplacian_weight=0.3)
    assert len(set(model.predict(np.array([[0.0, 0.0, 0.0], [1e-200, 0.0, 0.0]])))) == 1


@pytest.mark.parametrize(
    ("spread", "said"), [(1.0, nullcontext()), (1e-160, pytest.raises(ValueError, match="vanish"))]
)
def test_values_that_vary_late(spread, said):
    X = np.zeros((ROWS_LOOKED_AT + 30, 3))
    X[-30:] = spread * np.random.default_rng(0).random((30, 3))
    with said:
        check_extent("X", X)


def test_values_whose_squares_vanish():
    with pytest.raises(ValueError, match="squared distances vanish in float64"):
        fit(GOOD * 1e-160)


def test_rows_far_from_the_origin():
    model = quietly(GOOD + 1e6, laplacian_weight=0.3)
    assert model.bandwidth_ == pytest.approx(fit_bandwidth(GOOD), rel=1e-6)


def fit_bandwidth(X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit(X, laplacian_weight=0.3).bandwidth_


def test_integers_read_only_strided_and_fortran_arrays():
    expected = quietly(GOOD).labels_
    read_only = GOOD.copy()
    read_only.setflags(write=False)
    strided = np.repeat(GOOD, 2, axis=0)[::2]
    reversed_twice = GOOD[::-1].copy()[::-1]
    for X in (read_only, strided, reversed_twice, np.asfortranarray(GOOD)):
        np.testing.assert_array_equal(quietly(X).labels_, expected)
    quietly((GOOD * 10).astype(np.int16))
    quietly(GOOD > 0)


def test_memory_maps(tmp_path):
    path = tmp_path / "X.npy"
    np.save(path, GOOD)
    X = np.load(path, mmap_mode="r")
    np.testing.assert_array_equal(quietly(X).labels_, quietly(GOOD).labels_)


def test_more_threads_than_any_machine_has():
    quietly(GOOD, n_jobs=2**40)


def test_an_enormous_weight_stays_finite():
    quietly(GOOD, laplacian_weight=1e12)
    quietly(GOOD.astype(np.float32), laplacian_weight=1e12)


def test_new_data_is_checked_too():
    model = fit(GOOD, laplacian_weight=0.3)
    with pytest.raises(ValueError, match="expecting 3 features"):
        model.predict(GOOD[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        model.predict_proba(with_value(np.nan))
    with pytest.raises(ValueError, match="Expected 2D"):
        model.transform(GOOD[0])
    assert model.predict(GOOD[:1]).shape == (1,)
