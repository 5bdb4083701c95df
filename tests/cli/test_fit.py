import csv
import json
import sys

import numpy as np
import pytest
from scipy import sparse

from slkmodes import LaplacianKModes, load_model
from slkmodes.cli import main
from slkmodes.model_files import read_notes
from tests.cli.conftest import lines


def read_csv(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_all_results(folder, capsys):
    assert main(["fit", "points.csv", "-k", "3", "-o", "out", "--label", "city", "--exclude", "name"]) == 0
    out = folder / "out"
    names = ["labels.csv", "memberships.csv", "model.npz", "modes.csv", "report.html", "summary.json"]
    assert sorted(file.name for file in out.iterdir()) == names
    model = load_model(out / "model.npz")
    labels = read_csv(out / "labels.csv")
    assert [int(line["row"]) for line in labels] == list(range(60))
    assert [int(line["label"]) for line in labels] == model.labels_.tolist()
    modes = [int(line["row"]) for line in labels if line["is_mode"] == "True"]
    assert modes == sorted(model.mode_indices_)
    confidence = [float(line["confidence"]) for line in labels]
    np.testing.assert_allclose(confidence, model.memberships_.max(axis=1), atol=1e-6)
    memberships = [[float(line[f"cluster_{i}"]) for i in range(3)] for line in read_csv(out / "memberships.csv")]
    np.testing.assert_allclose(memberships, model.memberships_, atol=1e-6)
    printed = capsys.readouterr()
    assert "60 rows, 2 columns of points.csv" in printed.out
    assert "accuracy 1.000, NMI 1.000, ARI 1.000 on 60 labelled rows" in printed.out
    assert str(out.relative_to(folder) / "report.html") in printed.out
    assert "note: " not in printed.err


def test_modes_are_whole_rows_of_the_file(fitted):
    rows = [line.split(",") for line in lines()[1:]]
    for mode in read_csv(fitted / "out" / "modes.csv"):
        width, height, city, name = rows[int(mode["row"])]
        assert (float(mode["width"]), float(mode["height"])) == (float(width), float(height))
        assert (mode["city"], mode["name"], mode["size"]) == (city, name, "20")


def test_the_same_as_the_library(fitted):
    X = np.array([[float(v) for v in line.split(",")[:2]] for line in lines()[1:]], dtype=np.float32)
    expected = LaplacianKModes(3, random_state=0).fit(X).labels_
    np.testing.assert_array_equal(load_model(fitted / "out" / "model.npz").labels_, expected)


def test_for_programs(folder, tell):
    told = tell("fit", "points.csv", "-k", "3", "--label", "city", "--no-report", "--no-memberships")
    assert told["n_samples"] == 60
    assert told["columns"] == ["width", "height"]
    assert told["cluster_sizes"] == [20, 20, 20]
    assert told["scores"]["accuracy"] == 1.0
    assert told["output"] == "points-clusters"
    assert told["files"] == ["labels.csv", "model.npz", "modes.csv", "summary.json"]
    assert told["notes"] == ["Columns without numbers are left out: name."]
    assert told == json.loads((folder / "points-clusters" / "summary.json").read_text())


def test_quiet_says_nothing(folder, capsys):
    assert main(["fit", "points.csv", "-k", "3", "--no-report", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_labels_and_words_are_not_clustered(folder, tell):
    (folder / "a.csv").write_text(
        "x,y,known\n" + "".join(f"{i % 2 * 9 + i / 99},{i / 99},{i % 2}\n" for i in range(40))
    )
    told = tell("fit", "a.csv", "-k", "2", "--label", "known", "--no-report")
    assert told["columns"] == ["x", "y"]
    assert told["scores"]["accuracy"] == 1.0
    told = tell("fit", "a.csv", "-k", "2", "--columns", "known, x", "--no-report", "-o", "b")
    assert told["columns"] == ["known", "x"]


def test_names_that_are_empty_or_hold_commas(folder, tell, fail):
    """Pandas writes the numbers of rows under no name."""
    lines = [f"{i},{i % 2 * 9 + i / 99},{i / 99},{'uv'[i % 2]}\n" for i in range(40)]
    (folder / "a.csv").write_text(',"x, cm",y,"kind, of"\n' + "".join(lines))
    told = tell("fit", "a.csv", "-k", "2", "--no-report")
    assert told["notes"][1].endswith("""just counts the rows. If it is a number of the row: --exclude '""'""")
    assert told["notes"][0] == 'Columns without numbers are left out: "kind, of".'
    for exclude in ("", '""', '"", "kind, of"'):
        told = tell("fit", "a.csv", "-k", "2", "--exclude", exclude, "--no-report", "--overwrite")
        assert told["columns"] == ["x, cm", "y"]
    told = tell("fit", "a.csv", "-k", "2", "--columns", 'y,"x, cm"', "--no-report", "-o", "b")
    assert told["columns"] == ["y", "x, cm"]
    assert tell("fit", "a.csv", "-k", "2", "--label", "", "--no-report", "-o", "c")["columns"] == ["x, cm", "y"]
    assert 'It has "", "x, cm", y, "kind, of".' in fail("fit", "a.csv", "-k", "2", "--exclude", "z", "-o", "d")[1]


def test_labels_that_are_not_all_known(folder, tell):
    text = lines()
    (folder / "a.csv").write_text("\n".join([text[0], *(line.replace("Oslo", "") for line in text[1:])]))
    assert tell("fit", "a.csv", "-k", "3", "--label", "city", "--no-report")["scores"]["n_labelled"] == 40


def test_parquet_in_parquet_out(folder, tell):
    parquet = pytest.importorskip("pyarrow.parquet")
    from pyarrow import csv as arrow_csv

    parquet.write_table(arrow_csv.read_csv("points.csv"), "points.parquet")
    told = tell("fit", "points.parquet", "-k", "3", "--scale", "standard", "--no-report")
    assert told["files"] == ["labels.parquet", "memberships.parquet", "model.npz", "modes.parquet", "summary.json"]
    labels = parquet.read_table("points-clusters/labels.parquet")
    assert labels.column_names == ["row", "label", "confidence", "is_mode"]
    assert labels["label"].to_pylist() == load_model("points-clusters/model.npz").labels_.tolist()
    told = tell("fit", "points.parquet", "-k", "3", "--format", "csv", "--no-report", "-o", "b")
    assert "labels.csv" in told["files"]


def test_few_memberships_are_a_line_each(folder):
    assert main(["fit", "points.csv", "-k", "3", "--top-memberships", "2", "-o", "out", "--no-report", "--quiet"]) == 0
    lines_of = read_csv(folder / "out" / "memberships.csv")
    expected = load_model(folder / "out" / "model.npz").memberships_.tocoo()
    assert set(lines_of[0]) == {"row", "cluster", "membership"}
    assert [int(line["cluster"]) for line in lines_of] == expected.col.tolist()


def test_a_graph_that_was_saved(folder, tell):
    assert main(["graph", "points.csv", "-o", "graph.npz", "--quiet"]) == 0
    told = tell("fit", "graph.npz", "-k", "3", "--affinity", "precomputed", "-o", "out")
    assert sorted(told["cluster_sizes"]) == [20, 20, 20]
    assert set(read_csv(folder / "out" / "modes.csv")[0]) == {"cluster", "row", "size"}


def test_names_that_are_ours_too(folder):
    (folder / "a.csv").write_text("row,size\n" + "".join(f"{i % 2 * 9 + i / 99},{i / 99}\n" for i in range(40)))
    assert main(["fit", "a.csv", "-k", "2", "-o", "out", "--no-report", "--quiet"]) == 0
    assert list(read_csv(folder / "out" / "modes.csv")[0]) == ["cluster", "row", "size", "row_in_file", "size_in_file"]
    (folder / "b.csv").write_text("row,row_in_file\n" + "".join(f"{i % 2 * 9 + i / 99},{i / 99}\n" for i in range(40)))
    assert main(["fit", "b.csv", "-k", "2", "-o", "b", "--no-report", "--quiet"]) == 0
    mode = read_csv(folder / "b" / "modes.csv")[0]
    assert list(mode) == ["cluster", "row", "size", "row_in_file_", "row_in_file"]
    row = int(mode["row"])
    assert (float(mode["row_in_file_"]), float(mode["row_in_file"])) == (row % 2 * 9 + row / 99, row / 99)


def test_pictures_and_texts_reach_the_report(folder, tell, monkeypatch):
    from slkmodes import report

    seen = {}
    monkeypatch.setattr(report, "write_report", lambda model, path, X, **more: seen.update(more, X=X) or path.touch())
    told = tell("fit", "points.csv", "-k", "3", "--text", "name", "--label", "city", "--image-shape", "1x2",
                "--scale", "standard")  # fmt: skip
    assert "report.html" in told["files"]
    assert seen["texts"][:2] == ["row 0", "row 1"]
    assert seen["labels"][:3] == ["Rome", "Oslo", "<script>"]
    assert seen["image_shape"] == (1, 2)
    assert seen["feature_names"] == ["width", "height"]
    assert seen["title"] == "points.csv"
    np.testing.assert_allclose(seen["X"][0], [float(v) for v in lines()[1].split(",")[:2]], rtol=1e-6)  # not scaled
    np.savez(folder / "b.npz", X=np.random.default_rng(0).random((30, 2, 2)))
    tell("fit", "b.npz", "-k", "2")
    assert seen["image_shape"] == (2, 2)


def test_the_report_escapes_what_it_shows(folder):
    assert main(["fit", "points.csv", "-k", "3", "-o", "out", "--label", "city", "--quiet"]) == 0
    html = (folder / "out" / "report.html").read_text()
    assert "Oslo" in html
    assert "<script>" not in html.replace("<script>'use strict'", "").replace("<script>\n'use strict'", "")


def test_the_model_knows_how_its_rows_were_read(folder):
    assert main(["fit", "points.csv", "-k", "3", "-o", "out", "--scale", "standard", "--no-report", "--quiet"]) == 0
    notes = read_notes(folder / "out" / "model.npz")
    assert notes["columns"] == ["width", "height"]
    assert notes["scaling"]["kind"] == "standard"


ERRORS = {
    "no file": (["nothing.csv"], 3, r"slkmodes fit: nothing.csv does not exist. Give a file with a row per sample"),
    "no such column": (["points.csv", "--columns", "widht"], 3, "has no column 'widht', which --columns names. It has "
                                                               "width, height, city, name."),
    "no such label": (["points.csv", "--label", "town"], 3, "has no column 'town', which --label or --text names"),
    "a word as a feature": (["points.csv", "--columns", "width,city"], 3, "the columns city hold no numbers. Leave"),
    "nothing left": (["points.csv", "--exclude", "width,height"], 3, "has no column of numbers to cluster, only width"),
    "both": (["points.csv", "--columns", "width", "--exclude", "city"], 2, "Say --columns or --exclude, not both."),
    "too many clusters": (["points.csv", "-k", "61"], 3, "-k 61 is more than the 60 rows of points.csv"),
    "too many neighbours": (["points.csv", "--neighbors", "60"], 3, "n_neighbors=60 of LaplacianKModes must be less"),
    "no clusters": (["points.csv", "-k", "0"], 2, "-k/--n-clusters: must be a whole number of at least 1, got '0'"),
    "one membership": (["points.csv", "--top-memberships", "1"], 2, "must be a whole number of at least 2, got '1'"),
    "no threads": (["points.csv", "--jobs", "0"], 2, "must be a whole number other than 0, got '0'"),
    "no shape": (["points.csv", "--image-shape", "28"], 2, "must be height x width, as 28x28 or 32x32x3, got '28'"),
    "another shape": (["points.csv", "--image-shape", "3x3"], 3, "3x3 has 9 pixels, but a row has 2 numbers"),
    "no names": (["points.csv", "--columns", ","], 2, "must be names of columns between commas, as width,length"),
    "an open quotation mark": (["points.csv", "--columns", 'a,"b'], 2, "must be names of columns between commas"),
    "two lines": (["points.csv", "--columns", "a\nb"], 2, "must be names of columns between commas"),
    "another scale": (["points.csv", "--scale", "log"], 2, "invalid choice: 'log'"),
    "a table as a graph": (["points.csv", "--affinity", "precomputed"], 3, "holds a table, not a graph"),
    "columns of a graph": (["points.csv", "--affinity", "precomputed", "--scale", "unit"], 2, "FILE is a graph: leave"),
    "an array of a table": (["points.csv", "--array", "X"], 3, "Leave --array out"),
    "a file as the folder": (["points.csv", "-o", "points.csv"], 2, "points.csv must be a folder, but it is a file"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_errors(folder, fail, case):
    arguments, code, message = ERRORS[case]
    given = arguments if "-k" in arguments else [*arguments, "-k", "3"]
    assert fail("fit", *given)[0] == code
    assert message in fail("fit", *given)[1]
    assert [file.name for file in folder.iterdir()] == ["points.csv"]


def test_missing_values_are_counted(folder, fail):
    (folder / "a.csv").write_text("x,y\n1,\n2,3\n,4\n")
    code, message = fail("fit", "a.csv", "-k", "2")
    assert code == 3
    assert (
        "a.csv has missing values in x (1 of 3), y (1 of 3). Put in the mean of each column (--missing mean)" in message
    )
    assert "--exclude x,y" in message


def test_earlier_results_are_not_lost(fitted, fail, tell):
    before = (fitted / "out" / "labels.csv").read_bytes()
    code, message = fail("fit", "points.csv", "-k", "2", "-o", "out")
    assert (code, "holds the results of an earlier run. Choose another, or say --overwrite" in message) == (2, True)
    assert (fitted / "out" / "labels.csv").read_bytes() == before
    told = tell("fit", "points.csv", "-k", "2", "-o", "out", "--overwrite", "--no-report")
    assert told["n_clusters"] == 2
    assert load_model(fitted / "out" / "model.npz").n_clusters == 2
    code, message = fail("fit", "out/memberships.csv", "-k", "2", "-o", "out", "--overwrite")
    assert (code, "-o out is or holds out/memberships.csv, which is read. Choose another." in message) == (2, True)
    (fitted / "out" / "mine.txt").touch()
    code, message = fail("fit", "points.csv", "-k", "2", "-o", "out", "--overwrite")
    assert (code, "holds other files (mine.txt). Choose another." in message) == (2, True)
    assert sorted(file.name for file in fitted.iterdir()) == ["out", "points.csv"]


def test_a_folder_that_cannot_be_written(folder, fail, monkeypatch):
    def refuse(*args, **options):
        raise PermissionError(13, "Permission denied", "out")

    monkeypatch.setattr("slkmodes.cli.whole_folder.Path.mkdir", refuse)
    code, message = fail("fit", "points.csv", "-k", "3", "-o", "out")
    assert (code, "Permission denied" in message) == (1, True)


def test_missing_packages_are_found_before_the_long_work(folder, fail, tell, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr(LaplacianKModes, "fit_predict", lambda self, X: pytest.fail("too late"))
    code, message = fail("fit", "points.csv", "-k", "3", "--report")
    assert (code, "report.html needs jinja2, which is not installed: pip install 'slkmodes[report]'" in message) == (
        4,
        True,
    )
    code, message = fail("fit", "points.csv", "-k", "3", "--format", "parquet")
    assert (code, "needs pyarrow, which is not installed: pip install 'slkmodes[tables]'" in message) == (4, True)
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    told = tell("fit", "points.csv", "-k", "3")
    assert told["notes"][-1].startswith("There will be no report: report.html needs jinja2")
    assert "report.html" not in told["files"]


def test_interrupted(folder, fail, monkeypatch):
    def interrupt(self, X):
        raise KeyboardInterrupt

    monkeypatch.setattr(LaplacianKModes, "fit_predict", interrupt)
    code, message = fail("fit", "points.csv", "-k", "3", "-o", "out", "--quiet")
    assert (code, message) == (130, "slkmodes: interrupted; nothing half-written is left.\n")
    assert [file.name for file in folder.iterdir()] == ["points.csv"]


def test_no_memory(folder, fail, monkeypatch):
    def too_much(self, X):
        raise MemoryError

    monkeypatch.setattr(LaplacianKModes, "fit_predict", too_much)
    code, message = fail("fit", "points.csv", "-k", "3", "--quiet")
    assert (code, "there is not enough memory. Choose fewer --columns" in message) == (1, True)
    assert [file.name for file in folder.iterdir()] == ["points.csv"]


def test_warnings_become_notes(folder, tell):
    text = "x,y\n" + "1,1\n" * 30
    (folder / "a.csv").write_text(text)
    assert any(
        "clusters ended without a member" in note for note in tell("fit", "a.csv", "-k", "3", "--no-report")["notes"]
    )


def test_every_format_can_be_fitted(folder, tell):
    X = np.array([[float(v) for v in line.split(",")[:2]] for line in lines()[1:]])
    np.save("a.npy", X)
    np.savez("b.npz", X=X, y=np.arange(60) % 3)
    sparse.save_npz("c.npz", sparse.csr_array(X))
    for name, more in {"a.npy": [], "b.npz": ["--label", "y"], "c.npz": []}.items():
        told = tell("fit", name, "-k", "3", "-o", f"out-{name}", "--no-report", *more)
        assert sorted(told["cluster_sizes"]) == [20, 20, 20]
        assert (told["scores"] is not None) == bool(more)


def test_of_many_clusters_the_largest_are_told(folder, capsys):
    assert main(["fit", "points.csv", "-k", "21", "--no-report"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("  clusters"))
    assert line.split()[1:6] == ["21,", "the", "20", "largest", "of"]
    assert line.count(",") == 20
