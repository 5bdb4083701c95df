import csv
import io

import numpy as np
import pytest

from slkmodes import LaplacianKModes, load_model, save_model
from slkmodes.cli import main
from slkmodes.tables import table
from tests.cli.conftest import lines


def test_training_rows_get_their_labels(fitted, capsys, monkeypatch):
    monkeypatch.setattr(table, "BLOCK_NUMBERS", 70)  # several blocks
    assert main(["predict", "out", "points.csv"]) == 0
    model = load_model("out/model.npz")
    printed = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [int(line["row"]) for line in printed] == list(range(60))
    assert [int(line["label"]) for line in printed] == model.labels_.tolist()
    np.testing.assert_allclose(
        [float(line["confidence"]) for line in printed], model.memberships_.max(axis=1), atol=1e-6
    )


@pytest.mark.parametrize("scale", ["standard", "unit"])
def test_rows_are_scaled_as_they_were(folder, tell, scale):
    (folder / "points.csv").write_text("\n".join(lines()).replace(",0", ",1").replace("-", ""))
    fit = ["fit", "points.csv", "-k", "3", "-o", "out", "--scale", scale, "--no-report", "--quiet"]
    assert main(fit) == 0
    told = tell("predict", "out/model.npz", "points.csv")
    assert told["rows"]["label"] == load_model("out/model.npz").labels_.tolist()


@pytest.mark.parametrize("scale", ["none", "standard"])
def test_empty_cells_are_filled_as_they_were(folder, tell, fail, scale):
    rows = lines()
    rows[5] = "," + rows[5].split(",", 1)[1]
    (folder / "gaps.csv").write_text("\n".join(rows))
    told = tell("fit", "gaps.csv", "-k", "3", "-o", "out", "--missing", "mean", "--scale", scale)
    assert told["missing"] == "mean"
    assert tell("predict", "out", "gaps.csv")["rows"]["label"] == load_model("out/model.npz").labels_.tolist()
    assert main(["report", "out", "--quiet"]) == 0
    assert main(["fit", "points.csv", "-k", "3", "-o", "whole", "--no-report", "--quiet"]) == 0
    assert "a model fitted with --missing mean fills empty cells" in fail("predict", "whole", "gaps.csv")[1]


def test_columns_are_found_by_name(fitted, tell):
    (fitted / "b.csv").write_text("height,extra,width\n8,x,0\n0,y,0\n0,z,8\n")
    told = tell("predict", "out", "b.csv")
    expected = load_model("out/model.npz").predict(np.array([[0, 8], [0, 0], [8, 0]], dtype=np.float32))
    assert told["rows"]["label"] == expected.tolist()
    assert told["cluster_sizes"] == [1, 1, 1]


def test_to_a_file(fitted, capsys):
    assert main(["predict", "out", "points.csv", "-o", "new.csv", "--memberships"]) == 0
    assert "new.csv" in capsys.readouterr().out
    with open("new.csv") as file:
        memberships = [[float(line[f"cluster_{i}"]) for i in range(3)] for line in csv.DictReader(file)]
    np.testing.assert_allclose(memberships, load_model("out/model.npz").memberships_, atol=1e-6)


def test_few_memberships(folder, tell):
    fit = ["fit", "points.csv", "-k", "3", "-o", "out", "--top-memberships", "2", "--no-report", "--quiet"]
    assert main(fit) == 0
    rows = tell("predict", "out", "points.csv", "--memberships")["rows"]
    assert set(rows) == {"row", "cluster", "membership"}
    assert np.bincount(rows["row"]).max() == 2


def test_a_given_graph(folder, tell):
    assert main(["graph", "points.csv", "-o", "graph.npz", "--quiet"]) == 0
    fit = ["fit", "graph.npz", "-k", "3", "--affinity", "precomputed", "-o", "out", "--no-report", "--quiet"]
    assert main(fit) == 0
    assert sum(tell("predict", "out", "graph.npz")["cluster_sizes"]) == 60


def test_a_model_of_the_library(folder, tell):
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = LaplacianKModes(2, random_state=0).fit(X)
    save_model(model, "model.npz")
    np.save("new.npy", X)
    assert tell("predict", "model.npz", "new.npy")["rows"]["label"] == model.labels_.tolist()


def test_errors(fitted, fail, monkeypatch):
    monkeypatch.setattr(table, "BLOCK_NUMBERS", 2)  # a row at a time
    (fitted / "b.csv").write_text("width,depth\n1,2\n")
    (fitted / "c.csv").write_text("width,height\n1,2\n3,\n")
    (fitted / "d.csv").write_text("width,height\n1,tall\n")
    (fitted / "e.csv").write_text("width,height\n1,2\n3,1e300\n")
    (fitted / "bad.npz").write_bytes(b"PK nonsense")
    cases = {
        ("out", "b.csv"): (3, "b.csv has no column 'height', which the model names. It has width, depth."),
        ("out", "c.csv"): (3, "c.csv: row 1 (rows count from 0) has no finite number in 'height'. Fill it in"),
        ("out", "d.csv"): (3, "d.csv: the columns height hold no numbers, but the model needs them"),
        ("out", "e.csv"): (3, "e.csv: the column 'height' holds 1e+300 in row 1 (rows count from 0)"),
        ("nothing.npz", "points.csv"): (3, "nothing.npz does not exist. Give a model that slkmodes fit"),
        ("bad.npz", "points.csv"): (3, "bad.npz is not a whole model of slkmodes"),
        ("out", "points.csv", "--quiet"): (2, "With --quiet say where to write: -o TABLE."),
        ("out", "points.csv", "-o", "new.txt"): (2, "-o new.txt must end in .csv or .parquet"),
        ("out", "lost.csv", "-o", "points.csv"): (3, "lost.csv does not exist"),
        ("out", "points.csv", "-o", "points.csv"): (2, "-o points.csv is or holds points.csv, which is read."),
    }
    for arguments, (code, message) in cases.items():
        if arguments[1] in ("c.csv", "e.csv"):
            arguments = (*arguments, "-o", "new.csv")
        found = fail("predict", *arguments)
        assert (found[0], message in found[1]) == (code, True), found
    assert not (fitted / "new.csv").exists()


def test_notes_that_do_not_fit_the_model(fitted, fail):
    model = load_model("out/model.npz")
    save_model(model, "one.npz", notes={"columns": ["width"]})
    code, message = fail("predict", "one.npz", "points.csv")
    assert (code, "one.npz names 1 columns, but its model has 2. Fit again." in message) == (3, True)
    save_model(model, "two.npz", notes={"columns": ["width", "height"], "scaling": {"kind": "magic"}})
    code, message = fail("predict", "two.npz", "points.csv")
    assert (code, "scaling of the model must be one of" in message) == (3, True)
