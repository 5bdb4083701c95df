"""A model that was saved predicts as before; a file that lies is refused before anything is computed."""

import json
import zipfile
from collections import deque
from contextlib import suppress
from fractions import Fraction
from io import BytesIO

import numpy as np
import pandas
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

from slkmodes import LaplacianKModes, load_model, neighbors, ordering, save_model
from slkmodes.affinity import WEIGHTS
from slkmodes.engines import native_available
from slkmodes.model_files import read_notes

native = pytest.mark.skipif(not native_available(), reason="the C++ extension was not built")


def rows(n_features=2, n_samples=120, dtype=np.float64):
    X, _ = make_blobs(n_samples, n_features=n_features, centers=4, random_state=0)
    return X.astype(dtype)


def fitted(X, **parameters):
    defaults = {"n_clusters": 4, "random_state": 0, "init": "k-means++", "n_init": 1}
    return LaplacianKModes(**{**defaults, **parameters}).fit(X)


def check_equal(model, path, X, new):
    """The model, and the same from its file, agree in every number."""
    save_model(model, path)
    again = load_model(path)
    for name in vars(model):
        if name.endswith("_") and name not in ("affinity_", "history_", "path_", "memberships_", "feature_names_in_"):
            np.testing.assert_array_equal(getattr(again, name), getattr(model, name), err_msg=name)
    assert repr(again.path_) == repr(model.path_)
    assert repr(again.history_) == repr(model.history_)
    assert (again.affinity_ != model.affinity_).nnz == 0
    assert type(again.memberships_) is type(model.memberships_)
    for rows_of in (X, new):
        np.testing.assert_array_equal(again.predict(rows_of), model.predict(rows_of))
        np.testing.assert_array_equal(again.transform(rows_of), model.transform(rows_of))
        assert again.score(rows_of) == model.score(rows_of)
        shares, before = again.predict_proba(rows_of), model.predict_proba(rows_of)
        assert abs(shares - before).max() == 0
    np.testing.assert_array_equal(again.predict(X), model.labels_)
    return again


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"metric": "cosine"},
        {"metric": "inner_product", "init": rows()[:4], "mode_update": "density"},
        {"mode_update": "mean_shift"},
        {"mode_update": "density", "diagonal_shift": "auto", "n_jobs": 1},
        {"neighbor_search": "inverted_lists"},
        {"engine": "numpy", "laplacian_weight": (1.0, 2.0), "n_neighbors": np.int64(4)},
        {"laplacian_weight": range(1, 4), "balance": Fraction(1, 8), "warm_memberships": np.bool_(True)},
        {"laplacian_weight": deque([np.float32(1.5), Fraction(5, 2)]), "tol": np.longdouble(1e-5)},
        {"init": np.array([0, 5, 9, 20]), "bandwidth": 2.0},
        {"top_memberships": 2},
        *({"affinity": weights, "n_neighbors": 9} for weights in sorted(WEIGHTS)),
    ],
    ids=str,
)
def test_predictions_are_those_of_before(tmp_path, parameters):
    X = rows()
    again = check_equal(fitted(X, **parameters), tmp_path / "model.npz", X, rows(n_samples=30) + 0.3)
    for name, value in parameters.items():
        np.testing.assert_array_equal(getattr(again, name), value)


def test_all_pairs(tmp_path):
    X = rows(n_features=12)
    model = fitted(X)
    assert model.neighbor_search_ == "brute"
    check_equal(model, tmp_path / "model.npz", X, X + 0.1)


@native
def test_nn_descent_on_reordered_float32_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(neighbors, "BRUTE_ROWS", 100)
    monkeypatch.setattr(ordering, "ORDERED_ROWS", 100)
    X = rows(n_features=12, n_samples=500, dtype=np.float32)
    model = fitted(X, top_memberships=3)
    assert model.neighbor_search_ == "nn_descent"
    assert model._fitted.order.numbers is not None
    assert sparse.issparse(check_equal(model, tmp_path / "model.npz", X, X[:50] + 0.1).memberships_)


def test_a_given_graph(tmp_path):
    graph = fitted(rows()).affinity_
    check_equal(fitted(graph, affinity="precomputed"), tmp_path / "model.npz", graph, graph[:20])


def test_a_loaded_model_can_be_saved_and_fitted_again(tmp_path):
    X = rows()
    model = fitted(X)
    save_model(model, tmp_path / "one.npz")
    check_equal(load_model(tmp_path / "one.npz"), tmp_path / "two.npz", X, X + 0.2)
    np.testing.assert_array_equal(load_model(tmp_path / "two.npz").fit(X).labels_, model.labels_)


def test_names_of_features_and_notes(tmp_path):
    X = pandas.DataFrame(rows(), columns=["width", "<script>"])
    save_model(fitted(X), tmp_path / "model.npz", notes={"columns": ["width", "<script>"]})
    assert list(load_model(tmp_path / "model.npz").feature_names_in_) == ["width", "<script>"]
    assert read_notes(tmp_path / "model.npz") == {"columns": ["width", "<script>"]}


def test_generators_and_functions_are_left_out(tmp_path):
    said = []
    model = fitted(rows(), random_state=np.random.default_rng(0), verbose=said.append)
    assert any(line.startswith("graph: ") for line in said)
    save_model(model, tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    assert (again.random_state, again.verbose) == (None, 0)


def test_only_fitted_models_are_saved(tmp_path):
    with pytest.raises(NotFittedError):
        save_model(LaplacianKModes(), tmp_path / "model.npz")
    assert not list(tmp_path.iterdir())


def test_numpy_shows_the_arrays(tmp_path):
    X = rows()
    save_model(fitted(X), tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz", allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["X"], X)


def test_without_kernels_numpy_serves(tmp_path, monkeypatch):
    X = rows()
    model = fitted(X)
    save_model(model, tmp_path / "model.npz")
    monkeypatch.setattr("slkmodes.model_files.files.native_available", lambda: False)
    again = load_model(tmp_path / "model.npz")
    assert again.engine_ == "numpy"
    np.testing.assert_array_equal(again.predict(X), model.labels_)


# Files that lie.


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The members of good files, by kind of model."""
    folder = tmp_path_factory.mktemp("saved")
    X = rows(n_samples=60)
    models = {
        "features": fitted(X),
        "top": fitted(X, top_memberships=2),
        "shared": fitted(X, affinity="shared"),
        "graph": fitted(fitted(X).affinity_, affinity="precomputed"),
    }
    members = {}
    for kind, model in models.items():
        save_model(model, folder / f"{kind}.npz")
        with zipfile.ZipFile(folder / f"{kind}.npz") as archive:
            members[kind] = {name: archive.read(name) for name in archive.namelist()}
    return members


def write(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def changed_array(members, name, change):
    path = f"{name}.npy"
    array = np.load(BytesIO(members[path]))
    stream = BytesIO()
    np.save(stream, change(array))
    return {**members, path: stream.getvalue()}


def put(value, *place):
    def change(array):
        array = array.copy()
        array[place] = value
        return array

    return change


ARRAYS = {
    "column that does not exist": ("features", "affinity_indices", put(60, 0), "less than|must be <"),
    "negative column": ("features", "affinity_indices", put(-1, 0), "non-negative|greater than|must be >="),
    "columns as floats": ("features", "affinity_indices", lambda a: a.astype(float), "affinity_indices does not fit"),
    "rows that run backwards": ("features", "affinity_indptr", put(10**6, 5), "affinity_indptr does not cut"),
    "rows that begin late": ("features", "affinity_indptr", put(1, 0), "affinity_indptr does not cut"),
    "rows that end late": ("features", "affinity_indptr", put(10**6, -1), "affinity_indptr does not cut"),
    "too few rows": ("features", "affinity_indptr", lambda a: a[:-1], "affinity_indptr does not fit"),
    "negative weight": ("features", "affinity_data", put(-1, 0), "at least 0"),
    "infinite weight": ("graph", "affinity_data", put(np.inf, 0), "affinity_data holds NaN or infinity"),
    "column of the given graph": ("graph", "affinity_indices", put(60, 3), "less than|must be <"),
    "column named twice": ("features", "affinity_indices", lambda a: np.full_like(a, 3), "twice, or not in order"),
    "label too large": ("features", "labels", put(4, 3), "labels holds numbers outside 0 to 3"),
    "labels too many": ("features", "labels", lambda a: np.append(a, a), "labels does not fit"),
    "mode far away": ("features", "mode_rows", put(10**9, 0), "mode_rows holds numbers outside -1 to 59"),
    "mode no row of a graph": ("graph", "mode_rows", put(-1, 0), "mode_rows holds numbers outside 0 to 59"),
    "mode index negative": ("features", "mode_indices", put(-1, 0), "mode_indices holds numbers outside"),
    "modes of other width": ("features", "mode_points", lambda a: a[:, :1], "mode_points does not fit"),
    "modes of other type": ("features", "mode_points", lambda a: a.astype(np.float32), "must be float64, got float32"),
    "NaN mode": ("features", "mode_points", put(np.nan, 0, 0), "mode_points holds NaN"),
    "NaN row": ("features", "X", put(np.nan, 0, 0), "X holds NaN or infinity"),
    "X of other width": ("features", "X", lambda a: a[:, :1], "X must have 2 columns"),
    "X of fewer rows": ("features", "X", lambda a: a[:30], "does not fit"),
    "X of other type": ("features", "X", lambda a: a.astype(np.float32), "must be float32, got float64"),
    "X of half floats": ("features", "X", lambda a: a.astype(np.float16), "must be float32 or float64"),
    "X huge": ("features", "X", lambda a: a * 1e200, "squared distances overflow"),
    "shares too large": ("features", "memberships", lambda a: a + 1, "add up to one"),
    "shares negative": ("features", "memberships", lambda a: a * 3 - 0.5, "add up to one"),
    "top column": ("top", "memberships_indices", put(4, 0), "less than|must be <"),
    "top rows": ("top", "memberships_indptr", put(99, 1), "memberships_indptr does not cut"),
    "scales missing": ("features", "neighbor_scale", lambda a: a[:5], "neighbor_scale does not fit"),
    "negative scale": ("features", "neighbor_scale", lambda a: -a, "neighbor_scale holds distances below 0"),
    "neighbour far away": ("shared", "neighbor_indices", put(60, 0, 0), "neighbor_indices holds numbers outside 0"),
    "objects": ("features", "labels", lambda a: a.astype("U8"), "plain numbers"),
}  # fmt: skip


@pytest.mark.parametrize("case", ARRAYS)
def test_arrays_that_lie(tmp_path, saved, case):
    kind, name, change, message = ARRAYS[case]
    write(tmp_path / "bad.npz", changed_array(saved[kind], name, change))
    with pytest.raises(ValueError, match=rf"bad\.npz is not a whole model of slkmodes: .*({message})"):
        load_model(tmp_path / "bad.npz")


def test_a_row_order_that_lies(tmp_path, saved):
    order = changed_array({**saved["features"], "row_order.npy": saved["features"]["labels.npy"]}, "row_order",
                          lambda a: np.zeros(60, np.int32))  # fmt: skip
    write(tmp_path / "bad.npz", order)
    with pytest.raises(ValueError, match="row_order names a row twice"):
        load_model(tmp_path / "bad.npz")


def changed_header(members, change):
    header = json.loads(members["header.json"])
    change(header)
    return {**members, "header.json": json.dumps(header)}


def set_parameter(name, value):
    return lambda header: header["parameters"].update({name: value})


def set_result(name, value):
    return lambda header: header["results"].update({name: value})


HEADERS = {
    "another format": (lambda h: h.update(format="other"), "its format must be 'slkmodes model', got 'other'"),
    "a later version": (lambda h: h.update(format_version=2), "version is 2, this slkmodes reads 1"),
    "no results": (lambda h: h.pop("results"), "it lacks 'results'"),
    "a list of results": (lambda h: h.update(results=[]), "list indices"),
    "unknown parameter": (set_parameter("__class__", 1), "parameters __class__ are not known"),
    "bad parameter": (set_parameter("n_neighbors", -3), "n_neighbors of LaplacianKModes must be at least 1"),
    "no threads": (set_parameter("n_jobs", 0), "n_jobs of the model must be None or an int other than 0"),
    "more clusters": (set_parameter("n_clusters", 7), "7 clusters"),
    "more clusters than rows": (set_parameter("n_clusters", 10**9), "clusters"),
    "more neighbours than rows": (set_parameter("n_neighbors", 60), "n_neighbors=60"),
    "a missing array of seeds": (set_parameter("init", None), "it lacks 'init'"),
    "other memberships": (set_parameter("top_memberships", 2), "memberships_data is missing"),
    "no bandwidth": (lambda h: h.update(bandwidth_=0), "bandwidth_ of the model must be a positive"),
    "NaN bandwidth": (lambda h: h.update(bandwidth_=float("nan")), "holds NaN, which is no number"),
    "a weight that is text": (set_result("laplacian_weight_", "1"), "laplacian_weight_ must be a number, got '1'"),
    "a negative weight": (set_result("laplacian_weight_", -1), "laplacian_weight_ of the model must be"),
    "another search": (set_result("neighbor_search_", "os.system"), "neighbor_search_ of the model must be one of"),
    "another engine": (set_result("engine_", "os"), "engine_ of the model must be one of"),
    "a search that is a number": (set_result("neighbor_search_", 3), "neighbor_search_ must be a word, got 3"),
    "another ending": (set_result("status_", "FINE"), "it lacks 'FINE'"),
    "a path of words": (set_result("path_", [["a"]]), "could not convert"),
    "a history of other clusters": (
        lambda h: h["results"]["history_"][0].update(cluster_sizes=[1]),
        "history does not tell of 4 clusters",
    ),
    "a history that is not told": (
        lambda h: h["results"]["history_"][0].update(mode_shifts=[None] * 4),
        "history does not tell of 4 clusters",
    ),
    "names for other columns": (lambda h: h.update(feature_names_in_=["a"]), "feature_names_in_ must be 2 words"),
    "nothing": (lambda h: h.clear(), "its format must be"),
}


@pytest.mark.parametrize("case", HEADERS)
def test_headers_that_lie(tmp_path, saved, case):
    change, message = HEADERS[case]
    write(tmp_path / "bad.npz", changed_header(saved["features"], change))
    with pytest.raises(ValueError, match=rf"bad\.npz is not a whole model of slkmodes: .*{message}"):
        load_model(tmp_path / "bad.npz")


def huge_claim(members):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (9000000000, 9000), }"
    header += b" " * (117 - len(header)) + b"\n"
    return {**members, "X.npy": b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"1234"}


MEMBERS = {
    "an array left out": (lambda m: {k: v for k, v in m.items() if k != "labels.npy"}, "its array labels is missing"),
    "no header": (lambda m: {k: v for k, v in m.items() if k != "header.json"}, "header.json"),
    "a header that is a list": (lambda m: {**m, "header.json": "[]"}, "must be an object, got a list"),
    "a header that is deep": (lambda m: {**m, "header.json": "[" * 10**6}, "recursion|Expecting"),
    "a header that is no text": (lambda m: {**m, "header.json": b"\xff\xfe\x00"}, "model"),
    "an array larger than the file": (huge_claim, "is not all there"),
    "an array cut off": (lambda m: {**m, "X.npy": m["X.npy"][:-8]}, "is not all there"),
    "an array that is none": (lambda m: {**m, "X.npy": b"no"}, "model"),
    "columns first": (
        lambda m: changed_array(m, "X", np.asfortranarray),
        "must hold plain numbers row by row",
    ),
}


@pytest.mark.parametrize("case", MEMBERS)
def test_members_that_lie(tmp_path, saved, case):
    change, message = MEMBERS[case]
    write(tmp_path / "bad.npz", change(saved["features"]))
    with pytest.raises(ValueError, match=rf"(?s)bad\.npz is not a whole model of slkmodes: .*({message})"):
        load_model(tmp_path / "bad.npz")


def test_compressed_members_are_refused(tmp_path, saved):
    """What is not compressed cannot be larger than the file."""
    write(tmp_path / "bad.npz", saved["features"], zipfile.ZIP_DEFLATED)
    with pytest.raises(ValueError, match=r"header\.json is compressed"):
        load_model(tmp_path / "bad.npz")
    with pytest.raises(ValueError, match=r"bad\.npz is not a whole model .*header\.json is compressed"):
        read_notes(tmp_path / "bad.npz")


def test_cut_or_damaged_files_are_refused(tmp_path, saved):
    write(tmp_path / "good.npz", saved["features"])
    good = (tmp_path / "good.npz").read_bytes()
    rng = np.random.default_rng(0)
    for length in [0, 1, 30, *rng.integers(31, len(good), size=20)]:
        (tmp_path / "bad.npz").write_bytes(good[:length])
        with pytest.raises(ValueError, match="is not a whole model of slkmodes"):
            load_model(tmp_path / "bad.npz")
    begin = good.index(b"\x93NUMPY") + 400  # in the first array
    (tmp_path / "bad.npz").write_bytes(good[:begin] + bytes([good[begin] ^ 1]) + good[begin + 1 :])
    with pytest.raises(ValueError, match="CRC"):
        load_model(tmp_path / "bad.npz")


def test_any_byte_changed_is_a_clear_error_or_a_model(tmp_path, saved):
    """Never a crash, another exception or a read out of bounds, whatever a file holds."""
    write(tmp_path / "good.npz", saved["top"])
    good = bytearray((tmp_path / "good.npz").read_bytes())
    rng = np.random.default_rng(1)
    X = rows(n_samples=60)
    for _ in range(150):
        bad = good.copy()
        for place in rng.integers(len(bad), size=3):
            bad[place] = rng.integers(256)
        (tmp_path / "bad.npz").write_bytes(bad)
        with suppress(ValueError):
            assert load_model(tmp_path / "bad.npz").predict(X).max() < 4
