import pytest

from slkmodes.report.charts import Axis, LogarithmicAxis, bar_chart, line_chart
from slkmodes.report.numbers import MINUS, NOTHING, line_of_values, number, percent


def test_ticks_are_round_and_where_they_belong():
    ticks = Axis([0.0, 10.0], 100.0, 200.0).ticks()
    assert [(tick["at"], tick["text"]) for tick in ticks] == [(100.0, "0"), (150.0, "5"), (200.0, "10")]
    assert [tick["text"] for tick in Axis([-0.03, 0.05], 0, 1).ticks()] == [f"{MINUS}0.02", "0.00", "0.02", "0.04"]
    assert [tick["text"] for tick in Axis([1, 3], 0, 1, whole=True).ticks()] == ["1", "2", "3"]
    assert [tick["text"] for tick in Axis([0.5, 2.5], 0, 1, whole=True).ticks()] == ["1", "2"]


def test_one_tick_alone_is_no_scale():
    assert [tick["text"] for tick in Axis([5, 818], 0, 1).ticks()] == ["200", "400", "600", "800"]
    assert [tick["text"] for tick in Axis([0.001, 0.092], 0, 1).ticks()] == ["0.02", "0.04", "0.06", "0.08"]


def test_equal_values_lie_in_the_middle():
    assert Axis([7.0, 7.0], 0, 10).at(7.0) == 5.0
    assert Axis([], 0, 10).at(0.5) == 5.0


def test_a_count_of_one_is_seen_beside_thousands():
    axis = LogarithmicAxis([0.5, 30, 5000], 100.0, 0.0)
    assert axis.at(0) == 100.0
    assert axis.at(1) < 95
    assert axis.at(5000) == 0.0
    assert [tick["text"] for tick in axis.ticks()] == ["1", "10", "100", "1,000"]


def test_lines_leave_out_what_is_not_known():
    chart = line_chart([1.0, 2.0, 3.0], [None, 0.0, 1.0], marks=[2.0])
    assert chart["dots"] == [(180.0, 152.0), (310.0, 10.0)]
    assert chart["line"] == "180.0,152.0 310.0,10.0"
    assert chart["marks"] == [180.0]


def test_bars_stand_on_zero():
    chart = bar_chart([0, 1, 2], [1, 4])
    assert chart["bars"] == [{"x": 50.0, "width": 130.0, "y": 116.5}, {"x": 180.0, "width": 130.0, "y": 10.0}]


def test_there_is_no_half_cluster_under_the_bars():
    assert [tick["text"] for tick in bar_chart([0.5, 1.5, 2.5], [9, 4], whole=True)["x_ticks"]] == ["1", "2"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, NOTHING),
        (0, "0"),
        (-76160.4, f"{MINUS}76,160"),
        (12.0, "12"),
        (0.15917, "0.1592"),
        (2e-9, f"2e{MINUS}09"),
        (-2.5, f"{MINUS}2.5"),
    ],
)
def test_numbers(value, text):
    assert number(value) == text


def test_values_of_a_line_have_equal_decimals():
    assert line_of_values({"mean": 13.0, "values": [11.64, 12.0, None]}) == ["11.64", "12.00", NOTHING, "13.00"]
    assert line_of_values({"mean": 99.74, "values": [84.0, 118.0]}) == ["84", "118", "99.7"]
    assert line_of_values({"mean": 1.2432, "values": [2.1, 0.3, 2.0]}) == ["2.1", "0.3", "2.0", "1.24"]
    assert line_of_values({"mean": None, "values": ["Ghent", "Turin"]}) == ["Ghent", "Turin", ""]
    assert line_of_values({"mean": 0.0, "values": [-0.00001, 0.0, 1.5]})[:2] == ["0.000", "0"]
    assert percent(0.1234) == "12.3\N{NO-BREAK SPACE}%"
