import json
import platform
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from slkmodes import LaplacianKModes, Status, normalized_cut
from slkmodes.report import collect
from slkmodes.report.clusters import nearest_on_graph
from slkmodes.report.course import convergence
from slkmodes.report.doubt import Doubt
from slkmodes.solution import Step


def is_plain(value):
    if isinstance(value, dict):
        return all(type(key) is str and is_plain(part) for key, part in value.items())
    if type(value) is list:
        return all(map(is_plain, value))
    return value is None or type(value) in (str, int, float, bool)


def test_overview_is_what_the_model_says(blobs, model):
    told = collect(model, layout=blobs[0], labels=blobs[1])
    overview = told["overview"]
    assert (overview["n_samples"], overview["n_features"], overview["n_clusters"], overview["n_empty"]) == (90, 2, 3, 0)
    assert (overview["status"], overview["status_sentence"]) == ("CONVERGED", Status.CONVERGED.value)
    assert overview["normalized_cut"] == pytest.approx(normalized_cut(model.affinity_, model.labels_))
    assert overview["relaxed_objective"] == model.relaxed_objective_
    assert overview["discrete_objective"] == model.discrete_objective_
    assert overview["agreement"] == model.agreement_
    assert overview["engine"] == model.engine_
    assert overview["seconds"] == model.timings_
    assert overview["mean_confidence"] == pytest.approx(model.memberships_.max(axis=1).mean())
    assert told["title"] == "90 samples in 3 clusters"
    assert told["versions"]["Python"] == platform.python_version()
    assert told["scores"]["accuracy"] == 1.0
    changed = {parameter["name"]: parameter["value"] for parameter in told["parameters"] if parameter["changed"]}
    assert changed == {"n_clusters": "3", "random_state": "0"}
    assert len(told["parameters"]) == len(model.get_params())


def test_every_cluster_has_its_mode_and_the_nearest_members(blobs, model):
    X, y = blobs
    for record in collect(model, layout=X, labels=y, label_names=["a", "b", "c"])["clusters"]:
        members = np.flatnonzero(model.labels_ == record["cluster"])
        assert (record["size"], record["share"]) == (30, pytest.approx(1 / 3))
        assert record["mode"] == model.mode_indices_[record["cluster"]]
        away = np.linalg.norm(X[members] - X[record["mode"]], axis=1)
        assert record["nearest"] == members[np.argsort(away)][1:7].tolist()
        own = model.memberships_[members, record["cluster"]]
        assert record["confidence"] == pytest.approx(own.mean())
        assert (record["label"], record["label_share"]) == ("abc"[y[record["mode"]]], 1.0)


def test_rows_of_a_table_are_compared(blobs, model):
    """What is shown need not be what was clustered: here another table with the same rows."""
    shown = np.column_stack([np.arange(90.0), np.zeros(90)])
    told = collect(model, shown, feature_names=["number", "nothing"], layout=blobs[0])
    assert told["kind"] == "table"
    record = told["clusters"][0]
    assert record["comparison"][0] == {"name": "number", "mean": 44.5, "values": [record["mode"], *record["nearest"]]}
    assert told["samples"]["89"]["features"][0][:2] == ["number", 89.0]
    assert len(told["samples"]) == 90


def test_the_map_holds_every_sample(blobs, model):
    X, y = blobs
    points = collect(model, layout=X, labels=y)["map"]
    assert points["rows"] == list(range(90))
    assert points["clusters"] == model.labels_.tolist()
    assert points["classes"] == y.tolist()
    extent = np.ptp(X, axis=0).max()
    back = np.column_stack([points["x"], points["y"]]) / 65535 * extent + X.min(axis=0)
    np.testing.assert_allclose(back, X, atol=extent / 65535)
    largest = model.memberships_.max(axis=1)
    np.testing.assert_allclose(np.array(points["confidences"]) / 255, largest, atol=0.5 / 255 + 1e-9)


def test_of_more_samples_a_choice_is_shown(blobs, model):
    told = collect(model, layout=blobs[0], max_points=40, random_state=1)
    rows = told["map"]["rows"]
    assert rows == sorted(set(rows))
    assert len(rows) == 40
    assert {record["mode"] for record in told["clusters"]} <= set(rows)
    assert {row for record in told["clusters"] for row in record["nearest"]} <= set(rows)
    again = collect(model, layout=blobs[0], max_points=40, random_state=1)
    assert again == told
    assert collect(model, layout=blobs[0], max_points=40, random_state=2)["map"]["rows"] != rows


def test_the_layout_of_the_graph_is_the_default(model):
    from slkmodes.layout import layout_of_graph

    points = collect(model, random_state=3)["map"]
    positions = layout_of_graph(model.affinity_, random_state=3)
    given = collect(model, layout=positions)["map"]
    assert (points["x"], points["y"]) == (given["x"], given["y"])


def test_path_and_course(blobs):
    model = LaplacianKModes(3, laplacian_weight=[0.5, 1.0, 1.5], random_state=0).fit(blobs[0])
    told = collect(model, layout=blobs[0])
    assert [point["weight"] for point in told["path"]] == [0.5, 1.0, 1.5]
    assert [point["certainty"] for point in told["path"]] == [point.certainty for point in model.path_]
    course = told["convergence"]
    objectives = [value for step in model.history_ for value in step.relaxed_objectives]
    assert course["n_sweeps"] == len(objectives)
    assert course["relaxed_objectives"] == objectives
    assert course["sweeps"] == list(range(1, len(objectives) + 1))
    assert course["updates"][-1] == len(objectives)
    assert course["largest_shifts"] == [step.mode_shifts.max() for step in model.history_]


def test_sweeps_are_counted_over_mode_updates():
    first = Step((5.0, 3.0, 2.0), np.array([0.0, 1.5]), np.array([1, 1]), reseeded=(1,))
    second = Step((2.5, float("-inf")), np.zeros(2), np.array([1, 1]), reseeded=())
    assert convergence(SimpleNamespace(history_=(first, second))) == {
        "n_sweeps": 5,
        "sweeps": [1, 2, 3, 4, 5],
        "relaxed_objectives": [5.0, 3.0, 2.0, 2.5, None],
        "updates": [3, 5],
        "largest_shifts": [1.5, 0.0],
        "modes_moved": [1, 0],
        "reseeded": [1, 0],
    }


def test_long_courses_are_thinned_out():
    step = Step(tuple(map(float, range(5000))), np.zeros(1), np.ones(1), reseeded=())
    course = convergence(SimpleNamespace(history_=(step,)))
    assert course["n_sweeps"] == 5000
    assert 400 < len(course["sweeps"]) <= 500
    assert (course["sweeps"][0], course["sweeps"][-1]) == (1, 5000)
    assert course["relaxed_objectives"] == [sweep - 1.0 for sweep in course["sweeps"]]


def test_a_text_of_nothing_is_said_to_be_none(blobs, model):
    told = collect(model, texts=["\n "] * 90, layout=blobs[0])
    assert {about["text"] for about in told["samples"].values()} == {"(no text)"}


def test_texts(blobs, model):
    texts = [f"  sample {row} \n" + "word " * row for row in range(89)] + ["x" * 1000]
    told = collect(model, texts=texts, layout=blobs[0])
    assert told["kind"] == "text"
    assert told["samples"]["1"] == {"text": "sample 1 word"}
    assert told["samples"]["89"]["text"] == "x" * 399 + "…"


def test_images_from_flat_rows_of_the_model(blobs, model):
    told = collect(model, image_shape=(1, 2), layout=blobs[0])
    assert told["kind"] == "images"
    assert all(about["image"].startswith("data:image/png;base64,") for about in told["samples"].values())
    assert collect(model, blobs[0], kind="table", image_shape=(1, 2), layout=blobs[0])["kind"] == "table"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"n_clusters": 1},
        {"top_memberships": 2, "n_clusters": 8},
        {"mode_update": "mean_shift"},
        {"laplacian_weight": 3.0, "empty_clusters": "keep", "init": "random", "n_clusters": 12, "n_init": 1},
        {"laplacian_weight": 0.0, "init": np.array([1, 40, 70])},
    ],
    ids=["plain", "one", "top", "mean shift", "empty", "plain k-modes"],
)
def test_what_is_collected_is_plain(blobs, parameters):
    model = LaplacianKModes(**{"n_clusters": 3, "random_state": 0, **parameters}).fit(blobs[0])
    labels = np.where(np.arange(90) % 2, blobs[1].astype(float), np.nan)
    told = collect(model, labels=labels, layout=blobs[0])
    assert is_plain(told)
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert sum(record["size"] for record in told["clusters"]) == 90
    assert len(told["clusters"]) == model.n_clusters


def test_a_model_of_a_graph_shows_neighbours(given_graph):
    model = LaplacianKModes(2, affinity="precomputed", random_state=0).fit(given_graph)
    told = collect(model)
    assert told["kind"] == "graph"
    assert told["overview"]["n_features"] is None
    assert told["samples"]["2"] == {"neighbors": [[0, 1.0], [1, 1.0], [3, 0.5]]}
    assert told["samples"]["6"] == {"neighbors": []}
    assert is_plain(told)


def test_members_on_a_graph_by_edge_then_by_membership():
    doubt = Doubt(np.array([1.0, 0.6, 0.9, 0.95]), np.full(4, -1), np.zeros(4))
    affinity = sparse.csr_array(np.array([[0, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0.0]]))
    assert nearest_on_graph(np.array([0]), affinity, doubt, [np.arange(4)])[0].tolist() == [2, 1, 3]


def test_rows_are_those_of_the_data_also_where_the_fit_reorders_them():
    X = np.random.default_rng(0).normal(size=(20_000, 2)) + np.repeat([[0], [9]], 10_000, axis=0)
    model = LaplacianKModes(2, laplacian_weight=1.0, init=X[[0, -1]], random_state=0).fit(X)
    told = collect(model, layout=X, max_points=100)
    assert model._fitted.order.numbers is not None
    for record in told["clusters"]:
        for place, row in enumerate([record["mode"], *record["nearest"]]):
            shown = {line["name"]: line["values"][place] for line in record["comparison"]}
            np.testing.assert_allclose([shown["feature 0"], shown["feature 1"]], X[row], rtol=1e-3)


def test_many_clusters_are_cut_to_the_largest(monkeypatch, blobs):
    monkeypatch.setattr("slkmodes.report.clusters.MOST_CLUSTERS", 2)
    model = LaplacianKModes(5, random_state=0).fit(blobs[0])
    records = collect(model, layout=blobs[0])["clusters"]
    shown = [record for record in records if record["shown"]]
    assert len(shown) == 2
    assert min(record["size"] for record in shown) >= max(r["size"] for r in records if not r["shown"])
    assert all(record["mode"] is not None and record["size"] > 0 for record in records)
    assert all(record["nearest"] == [] for record in records if not record["shown"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "sounds"}, "kind of slkmodes.report.collect must be one of .*; got 'sounds'"),
        ({"kind": "text"}, "needs texts"),
        ({"texts": ["one"]}, "texts of .* must hold the 90 training samples in their order; got 1"),
        ({"X": np.zeros((3, 2))}, "X of .* must hold the 90 training samples in their order; got 3"),
        ({"kind": "images"}, r"has shape \(2,\): pass image_shape"),
        ({"image_shape": (3, 3)}, r"must have as many pixels as an image has; got \(3, 3\) for 2 pixels"),
        ({"images": np.zeros((90, 2, 2, 2))}, "pass image_shape"),
        ({"layout": np.zeros((90, 3))}, r"must be finite and of shape \(90, 2\); got shape \(90, 3\)"),
        ({"layout": np.full((90, 2), np.nan)}, "with NaN or infinity"),
        ({"max_points": 0}, "max_points of .* must be"),
        ({"feature_names": ["a"]}, "must name the 2 columns of X; got 1"),
    ],
)
def test_what_is_wrong_is_said(blobs, model, options, message):
    with pytest.raises(ValueError, match=message):
        collect(model, **{"layout": blobs[0], **options})


def test_a_string_is_not_texts(model):
    with pytest.raises(TypeError, match="sequence of strings, one per sample; got one string"):
        collect(model, texts="x" * 90)


def test_a_model_has_to_be_fitted():
    with pytest.raises(NotFittedError):
        collect(LaplacianKModes(3))
