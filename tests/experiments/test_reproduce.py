"""The experiments on data small enough for a test."""

import json

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from slkmodes.experiments import __main__ as reproduce
from slkmodes.experiments import methods, optimisation, page
from slkmodes.experiments.methods import METHODS, QUICK, Task, run_quietly
from slkmodes.experiments.paper import COLUMNS, SMALL_COLUMNS, TABLE_1, TABLE_2, TABLE_3
from slkmodes.experiments.records import Records, read

X, Y = make_blobs(150, centers=3, n_features=4, random_state=0)


@pytest.fixture
def three_clouds(monkeypatch):
    """Every data set is three clouds, but for one that cannot be had."""

    def prepare(name, preparation=None):
        if name == "ytf":
            raise FileNotFoundError("YTF has to be provided")
        return X.astype(np.float32), Y

    monkeypatch.setattr(methods, "prepare", prepare)


@pytest.fixture
def task(three_clouds):
    return Task(COLUMNS["ORL"], QUICK)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "SpectralNet"])
def test_every_method_finds_three_clouds(task, method):
    outcome = run_quietly(method, task, 0)
    assert methods.clustering_accuracy(Y, outcome.labels) > 0.9
    assert outcome.seconds["solve"] > 0


def test_the_protocol_sees_a_tenth_of_the_labels_another_one_in_every_trial(task):
    known = [task.known(trial) for trial in (0, 1)]
    assert 5 <= np.count_nonzero(known[0] >= 0) <= 30
    assert (known[0] != known[1]).any()
    assert run_quietly("SLK-BO", task, 1).chosen["seed"] >= QUICK.n_seeds


def test_lk_refuses_what_is_too_large_for_it(task, monkeypatch):
    monkeypatch.setattr(methods, "LARGEST_OF_LK", 100)
    with pytest.raises(methods.TooLarge, match="up to 100 rows"):
        run_quietly("LK", task, 0)


def test_lk_and_slk_start_from_the_same_modes(task):
    found = optimisation.compare(task, 0, 0.5)
    assert found["LK"]["kkt_residual"] < optimisation.FAIR_RESIDUAL
    assert found["SLK-MS"]["objective"] == pytest.approx(found["LK"]["objective"], rel=0.05)  # clouds are easy
    assert found["LK"]["clusters_used"] == found["SLK-MS"]["clusters_used"] == 3


def quick(folder, *more):
    return reproduce.main(["--quick", "--trials", "1", "--output", str(folder), *more])


def test_a_run_goes_on_where_it_was_and_failures_stop_nothing(three_clouds, tmp_path, capsys, monkeypatch):
    arguments = ["--only", "table1", "table2", "--data", "YTF", "ORL", "--methods", "K-means", "NCUT"]
    assert quick(tmp_path, *arguments) == 0
    first = capsys.readouterr()
    assert "not run: YTF has to be provided" in first.err
    assert "| NCUT | not run | not run | **1.00 / 1.00**, 1 run | not run |" in first.out
    records = read(tmp_path / "quick" / "records.jsonl")
    assert sum("error" in record for record in records) == 3  # the description, and two methods
    assert {"versions", "commit", "machine", "python"} <= records[0].keys()

    def fail(task, trial):
        raise RuntimeError("boom")

    monkeypatch.setitem(METHODS, "SLK-BO", fail)
    assert quick(tmp_path, *arguments, "SLK-BO") == 1
    second = capsys.readouterr()
    assert "failed: RuntimeError: boom" in second.err
    assert "ORL, NCUT" not in second.err  # it has a record
    with (tmp_path / "quick" / "records.jsonl").open("a") as file:
        file.write('{"half a line')
    monkeypatch.setitem(METHODS, "SLK-BO", methods.defaults)
    assert quick(tmp_path, *arguments, "SLK-BO") == 0
    assert "| SLK-BO | not run | not run | **1.00 / 1.00**, 1 run | not run |" in capsys.readouterr().out
    kept = {record.get("method"): record for record in read(tmp_path / "quick" / "records.jsonl")}
    assert "acc" in kept["SLK-BO"]


def test_tables_say_what_was_not_run(three_clouds, tmp_path, capsys):
    assert quick(tmp_path, "--show") == 0
    text = capsys.readouterr().out
    assert "| SLK-BO | not run (0.77 / 0.80) |" in text
    assert (tmp_path / "quick" / "tables.md").read_text() == text.rstrip("\n") + "\n"


def test_a_page_has_the_tables_and_the_figures_there_are(three_clouds, tmp_path, capsys):
    (tmp_path / "quick").mkdir()
    for number in ("1-modes", "2-objectives"):
        (tmp_path / "quick" / f"figure-{number}.png").write_bytes(b"picture")
    assert quick(tmp_path, "--show", "--page", str(tmp_path / "docs" / "page.md")) == 0
    page_text = (tmp_path / "docs" / "page.md").read_text()
    assert page_text.startswith("# The paper, reproduced")
    assert "| SLK-BO | not run (0.77 / 0.80) |" in page_text
    assert "(images/figure-2-objectives.png)" in page_text
    assert "figure-1" not in page_text  # whose pictures are not ours to show
    assert "figure-3" not in page_text
    assert (tmp_path / "docs" / "images" / "figure-2-objectives.png").read_bytes() == b"picture"


def test_table_3_and_its_figure(three_clouds, tmp_path, capsys):
    assert quick(tmp_path, "--only", "table3", "--data", "ORL") == 0
    assert "| ORL | - |" in capsys.readouterr().out
    figure = reproduce.figures.objectives_by_weight(Records(tmp_path / "quick"))
    lines = {line.get_label(): line.get_xydata() for line in figure.axes[0].get_lines()}
    records = [r for r in Records(tmp_path / "quick") if r["method"] == "LK"]
    np.testing.assert_allclose(lines["LK"], [(r["weight"], r["objective"]) for r in records])
    reproduce.figures.save(figure, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5_000


def test_differences_are_ours_minus_the_papers():
    record = {"experiment": "table2", "method": "SLK-BO", "data": "MNIST", "nmi": 0.8, "acc": 0.75}
    assert "| MNIST | SLK-BO | 0.77 / 0.80 | 0.80 / 0.75 (+0.03 / -0.05) | not run |" in page.differences([record])


def test_times_leave_the_choice_of_a_weight_and_larger_machines_out():
    runs = [
        ("SLK-BO", 2, {"graph": 1.0, "choice": 100.0, "solve": 1.0}),
        ("SLK-BO", 16, {"graph": 0.1, "solve": 0.1}),
        ("K-means", 2, {"solve": 6.0}),
    ]
    records = [
        {"experiment": "table2", "method": method, "data": "MNIST", "seconds": seconds, "machine": {"cores": cores}}
        for method, cores, seconds in runs
    ]
    table = page.table_2_seconds(records, ["MNIST"])
    assert "| K-means | 6.0 (x 3.0; paper x 8.4) |" in table
    assert "| SLK-BO | 2.0 (x 1.0; paper x 1.0) |" in table


def test_the_numbers_of_the_paper_are_complete():
    titles = {column.paper for column in COLUMNS.values()} - {None}
    assert set(TABLE_2["SLK-BO"]) == set(TABLE_2["SLK-MS"]) == titles
    assert set(TABLE_2) == set(METHODS) - set(page.OURS_BESIDE)
    assert set(TABLE_1) <= set(SMALL_COLUMNS)
    assert set(TABLE_3) <= set(SMALL_COLUMNS)
    assert "NCUT" in TABLE_2
    assert "Reuters (code)" not in TABLE_2["NCUT"]


def test_a_record_is_one_line_of_json(tmp_path):
    records = Records(tmp_path)
    records.add({"experiment": "table2", "data": "a\nb", "method": "m", "trial": 0, "nmi": 1.0})
    (line,) = records.path.read_text().splitlines()
    assert json.loads(line)["data"] == "a\nb"
    assert Records(tmp_path).done({"experiment": "table2", "data": "a\nb", "method": "m", "trial": 0})


def test_half_a_pair_of_table_3_is_left_out():
    both = {"experiment": "table3", "data": "ORL", "weight": optimisation.TABLE_WEIGHT, "kkt_residual": 0.0}
    pair = [{**both, "method": m, "trial": 1, "objective": e} for m, e in (("LK", -1.0), ("SLK-MS", -2.0))]
    half = {**both, "method": "LK", "trial": 0, "objective": -9.0}
    assert "| ORL | - | -1.0 | -2.0 | 1 of 1 |" in page.table_3([half, *pair])
