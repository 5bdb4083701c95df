import json

from slkmodes.cli import main


def test_a_folder_knows_its_data(fitted, capsys):
    assert main(["report", "out"]) == 0
    assert "out/report.html" in capsys.readouterr().out
    html = (fitted / "out" / "report.html").read_text()
    assert "points.csv" in html
    assert "Oslo" in html  # the label that the fit was given


def test_a_model_and_its_data(fitted, tell):
    (fitted / "out" / "model.npz").rename(fitted / "model.npz")
    told = tell("report", "model.npz", "points.csv", "-o", "new/report.html")
    assert told["output"] == "new/report.html"
    assert "Oslo" not in (fitted / "new" / "report.html").read_text()
    tell("report", "model.npz", "points.csv", "--label", "city")
    assert "Oslo" in (fitted / "report.html").read_text()


def test_a_graph(folder, tell):
    assert main(["graph", "points.csv", "-o", "graph.npz", "--quiet"]) == 0
    fit = ["fit", "graph.npz", "-k", "3", "--affinity", "precomputed", "-o", "out", "--no-report", "--quiet"]
    assert main(fit) == 0
    tell("report", "out")
    assert (folder / "out" / "report.html").exists()


def test_errors(fitted, fail):
    assert fail("report", "nothing", "points.csv")[0] == 3
    code, message = fail("report", "points.csv")  # rows are no model
    assert (code, "points.csv is not a whole model of slkmodes" in message) == (3, True)
    (fitted / "b.csv").write_text("width,height\n1,2\n")
    code, message = fail("report", "out", "b.csv")
    assert (code, "b.csv has 1 rows, but the model was fitted on 60. Give the file" in message) == (3, True)
    before = (fitted / "points.csv").read_bytes()
    code, message = fail("report", "out", "-o", "points.csv")
    assert (code, "-o points.csv must end in .html." in message) == (2, True)
    (fitted / "link.html").symlink_to("points.csv")
    code, message = fail("report", "out", "-o", "link.html")
    assert (code, "link.html is or holds" in message and "points.csv, which is read" in message) == (2, True)
    assert (fitted / "points.csv").read_bytes() == before
    (fitted / "points.csv").unlink()
    code, message = fail("report", "out")
    assert (code, "points.csv does not exist" in message) == (3, True)
    (fitted / "out" / "summary.json").write_text("{")
    code, message = fail("report", "out")
    assert (code, "summary.json is not what slkmodes fit writes" in message) == (3, True)
    (fitted / "out" / "summary.json").write_text(json.dumps({"file": 3}))
    code, message = fail("report", "out")
    assert (code, "report needs the FILE of the rows that were fitted" in message) == (2, True)
