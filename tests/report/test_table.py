import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from slkmodes.report.table import Table

# Means 3 and 10, standard deviations 2 and 0; the third column lacks a value, without which mean and deviation are 2.
X = np.array([[1.0, 10.0, 0.0], [5.0, 10.0, np.nan], [3.0 - 8**0.5, 10.0, 4.0], [3.0 + 8**0.5, 10.0, 2.0]])


def test_a_row_is_told_by_what_is_peculiar_about_it():
    table = Table(X, ["a", "b", "c"])
    spread = (6**0.5, 0.0, (8 / 3) ** 0.5)
    np.testing.assert_allclose(table.mean, [3, 10, 2])
    np.testing.assert_allclose(table.spread, spread)
    assert table.peculiarities(0) == [["c", 0.0, -1.225], ["a", 1.0, -0.8165], ["b", 10.0, 0.0]]
    assert table.peculiarities(1)[1:] == [["b", 10.0, 0.0], ["c", None, None]]


def test_rows_are_compared_in_the_columns_that_tell_them_from_all():
    """Alone, the first row stands out by b; together, both do by a."""
    table = Table(np.array([[4.0, 9.0], [4.0, -9.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]), ["a", "b"])
    assert table.compare([0])[0]["name"] == "b"
    assert table.compare([0, 1]) == [
        {"name": "a", "mean": 1.333, "values": [4.0, 4.0]},
        {"name": "b", "mean": 0.0, "values": [9.0, -9.0]},
    ]


def test_or_from_one_other_row():
    table = Table([[0.0, 0.0, 9.0], [0.0, 5.0, 9.0], [9.0, 0.0, 9.0], [9.0, 5.0, 9.0]])
    assert table.compare([0, 2], other=2)[0]["name"] == "feature 0"
    assert table.compare([0, 1], other=1)[0]["name"] == "feature 1"


def test_wide_tables_are_cut_short():
    values = np.zeros((3, 50))
    values[0, 40:], values[1, 40:] = 2, np.arange(10) / 10
    assert [name for name, _, _ in Table(values).peculiarities(0)] == [f"feature {i}" for i in range(40, 48)]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_bring_names_and_words(frame):
    table = Table(frame({"city": ["Ghent", "Turin"], "age": [20, 40], "x" * 90: [0.5, 0.5]}))
    told = table.peculiarities(1)
    assert told[0] == ["age", 40.0, 1.0]
    assert told[1][0] == "x" * 59 + "…"
    assert told[-1] == ["city", "Turin", None]
    assert table.compare([0, 1])[-1] == {"name": "city", "mean": None, "values": ["Ghent", "Turin"]}


def test_columns_of_a_sparse_matrix_share_one_spread():
    """A word that occurs once shall not stand out for that: the larger weight does."""
    counts = sparse.csr_array(np.array([[4.0, 1.0, 0.0], [0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 0.0, 2.0]]))
    table = Table(counts, ["often", "once", "other"])
    variances = np.var(counts.toarray(), axis=0)
    np.testing.assert_allclose(table.spread, np.sqrt(variances.mean()))
    told = table.peculiarities(0)
    assert [name for name, _, _ in told] == ["often", "once"]  # only the entries it has
    assert told[0][2] == pytest.approx((4 - 2) / np.sqrt(variances.mean()), rel=1e-3)
    assert [line["name"] for line in table.compare([0, 1], other=1)] == ["often", "once", "other"]


def test_names_have_to_fit():
    with pytest.raises(ValueError, match="must name the 3 columns of X; got 2"):
        Table(X, ["a", "b"])
