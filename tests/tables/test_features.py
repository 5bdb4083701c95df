import numpy as np
import pytest

from slkmodes.tables import BadTable, Scaling, open_table, read_features, table
from slkmodes.tables.features import Survey

rng = np.random.default_rng(0)
ROWS = rng.normal(size=(50, 3)) * [1, 5, 9] + [0, 1e9, 3]


def write(tmp_path, rows, names="a,b,c"):
    path = tmp_path / "a.csv"
    np.savetxt(path, rows, delimiter=",", header=names, comments="", fmt="%.17g")
    return open_table(path)


@pytest.mark.parametrize("name", ["a.csv", "a.npy"])
def test_columns_to_mean_0_and_deviation_1(tmp_path, name, monkeypatch):
    """Computed before the numbers lose digits: a column around a milliard keeps its spread."""
    monkeypatch.setattr(table, "BLOCK_NUMBERS", 21)
    if name == "a.npy":
        np.save(tmp_path / name, ROWS)
        opened = open_table(tmp_path / name)
    else:
        opened = write(tmp_path, ROWS)
    X, scaling, _ = read_features(opened, opened.features, scale="standard")
    assert X.dtype == np.float32
    np.testing.assert_allclose(X, (ROWS - ROWS.mean(axis=0)) / ROWS.std(axis=0), atol=2e-6)
    again = Scaling.from_json(scaling.as_json(), 3)
    np.testing.assert_array_equal(np.concatenate([again(ROWS[i : i + 1]) for i in range(50)]), X)


def test_rows_to_length_1_and_as_they_are(tmp_path):
    opened = write(tmp_path, ROWS)
    unit = read_features(opened, ("a", "c"), scale="unit").X
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(read_features(opened, ("a", "c")).X, ROWS[:, [0, 2]].astype(np.float32))
    with pytest.raises(BadTable, match="--scale unit needs rows with a direction"):
        read_features(write(tmp_path, [[1, 2, 3], [0, 0, 0]]), ("a", "b", "c"), scale="unit")


def test_a_column_that_does_not_vary_stays_finite(tmp_path):
    opened = write(tmp_path, [[1, 0.1, 5], [2, 0.1, 6], [4, 0.1, 5]])
    X = read_features(opened, opened.features, scale="standard").X
    np.testing.assert_allclose(X[:, 1], 0, atol=1e-12)


def test_missing_and_infinite_values_are_counted(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b,c\n1,,3\n,,4\n5,6,7\n")
    with pytest.raises(
        BadTable,
        match=r"has missing values in a \(1 of 3\), b \(2 of 3\)\. .*--missing mean.*: --exclude a,b$",
    ):
        read_features(open_table(path), ("a", "b", "c"))
    path.write_text("a,b\n1,inf\n3,4\n")
    with pytest.raises(BadTable, match=r"has infinite values in b \(1 of 2\)\. .*--exclude b$"):
        read_features(open_table(path), ("a", "b"))


@pytest.mark.parametrize("scale", ["none", "standard"])
def test_gaps_are_filled_with_the_means_of_their_columns(tmp_path, scale, monkeypatch):
    monkeypatch.setattr(table, "BLOCK_NUMBERS", 21)  # seven rows at a time
    rows = ROWS.copy()
    rows[np.random.default_rng(0).random(rows.shape) < 0.2] = np.nan
    rows[:14, 0] = np.nan  # two blocks without a number
    np.save(tmp_path / "a.npy", rows)
    opened = open_table(tmp_path / "a.npy")
    found = read_features(opened, opened.features, scale=scale, missing="mean")
    expected = np.where(np.isnan(rows), np.nanmean(rows, axis=0), rows)
    if scale == "standard":
        expected = (expected - np.nanmean(rows, axis=0)) / np.nanstd(rows, axis=0)
    np.testing.assert_allclose(found.X, expected, rtol=1e-5, atol=1e-6)
    assert found.notes[0].startswith("Missing values became the mean of their column: x0 (")
    again = Scaling.from_json(found.scaling.as_json(), 3)
    np.testing.assert_array_equal(again(rows), found.X)


def test_a_column_without_any_number_has_no_mean(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[1.0, np.nan], [np.nan, np.nan]]))
    opened = open_table(tmp_path / "a.npy")
    with pytest.raises(BadTable, match=r"missing values in x1 \(2 of 2\)\. Fill them in, .*--exclude x1$"):
        read_features(opened, opened.features, missing="mean")


@pytest.mark.parametrize("scale", ["none", "standard", "unit"])
@pytest.mark.parametrize("name", ["a.csv", "a.npy"])
def test_numbers_that_are_too_large_are_told(tmp_path, name, scale, monkeypatch):
    monkeypatch.setattr(table, "BLOCK_NUMBERS", 21)  # seven rows at a time
    rows = ROWS.copy()
    rows[[17, 30], 1] = -1e300
    np.save(tmp_path / "a.npy", rows)
    opened = write(tmp_path, rows) if name == "a.csv" else open_table(tmp_path / "a.npy")
    column = opened.features[1]
    expected = rf"the column '{column}' holds -1e\+300 in row 17 \(rows count from 0\), .* Mend it, or drop the row"
    with pytest.raises(BadTable, match=expected):
        read_features(opened, opened.features, scale=scale)


def test_no_columns_or_rows(tmp_path):
    with pytest.raises(BadTable, match=r"no column is left to cluster\. Choose some with --columns"):
        read_features(write(tmp_path, ROWS), ())
    np.save(tmp_path / "a.npy", np.empty((0, 2)))
    opened = open_table(tmp_path / "a.npy")
    with pytest.raises(BadTable, match="holds no rows"):
        read_features(opened, opened.features)


def test_more_than_memory_is_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((2, 2)))
    opened = open_table(tmp_path / "a.npy")
    opened.n_rows = 10**12
    with pytest.raises(BadTable, match=r"1,000,000,000,000 rows of 2 columns need 7,450\.6 GiB, this machine has"):
        read_features(opened, opened.features)


def test_advice(tmp_path):
    opened = write(tmp_path, np.column_stack([np.arange(50), ROWS[:, 0], ROWS[:, 2] * 1000]), "id,b,c")
    notes = read_features(opened, ("id", "b", "c")).notes
    assert notes[0] == "The column 'id' just counts the rows. If it is a number of the row: --exclude id"
    assert notes[1].startswith("The column 'c' varies ")
    assert notes[1].endswith("--scale standard lets all columns count.")
    assert read_features(opened, ("b", "c"), scale="standard").notes == ()


def test_progress_is_told(tmp_path):
    ticks = []
    opened = write(tmp_path, ROWS)
    read_features(opened, opened.features, tick=ticks.append)
    assert sum(ticks) == 50
    assert abs(opened.expected_rows - 50) < 5
    np.save(tmp_path / "a.npy", ROWS)
    opened = open_table(tmp_path / "a.npy")
    read_features(opened, opened.features, tick=ticks.append)
    assert sum(ticks) == 50 + 2 * 50  # what is not kept is read twice


def test_a_survey_of_any_blocks():
    for cuts in ([10, 20], [1, 2, 3], [50], []):
        survey = Survey(3)
        for block in np.split(ROWS, cuts):
            survey.look_at(block)
        np.testing.assert_allclose(survey.center, ROWS.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(survey.spread, ROWS.std(axis=0), rtol=1e-9)
        assert survey.n_rows == 50


BAD_SCALINGS = [
    {"kind": "other", "center": [], "spread": []},
    {"kind": "standard", "center": [1.0], "spread": [1.0]},
    {"kind": "standard", "center": [1.0, 2.0], "spread": [1.0, 0.0]},
    {"kind": "unit", "center": [1.0, 2.0], "spread": [1.0, 1.0]},
]


@pytest.mark.parametrize("stored", BAD_SCALINGS)
def test_scalings_that_do_not_fit(stored):
    with pytest.raises(ValueError, match="scaling of the model"):
        Scaling.from_json(stored, 2)
