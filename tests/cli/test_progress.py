import io

import pytest

from slkmodes.cli import main
from slkmodes.cli import progress as module
from slkmodes.cli.progress import Progress, clock, duration
from slkmodes.cli.screen import Screen
from tests.cli.conftest import lines


@pytest.fixture
def at(monkeypatch):
    """Sets the clock."""
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])

    def set_clock(seconds):
        now[0] = 100.0 + seconds

    return set_clock


def test_time_left(at):
    progress = Progress(io.StringIO(), shown=False)
    with progress.stage("reading", 200):
        assert progress.line() == "reading  0:00  [              ]  0%"
        at(30)
        progress.advance(50)
        assert progress.line() == "reading  0:30  [###           ]  25%, about 90 s left"
        progress.advance(200)  # the total was an estimate
        assert progress.line() == "reading  0:30"


def test_what_counts_is_understood_while_it_counts(at):
    progress = Progress(io.StringIO(), shown=False)
    with progress.stage("fitting"):
        at(8)
        progress.say("graph: 3.20 s")
        assert progress.line() == "fitting  0:08  graph: 3.20 s"
        progress.say("clustering 0 of 1,000")
        assert progress.line() == "fitting  0:08  [              ]  clustering 0 of 1,000"
        at(18)
        progress.say("clustering 500 of 1,000, at ease")  # 8 seconds of 18 were something else
        assert progress.line() == "fitting  0:18  [#######       ]  clustering 500 of 1,000, about 10 s left, at ease"
        progress.say("recall 0.98 of the entries")
        assert progress.line() == "fitting  0:18  recall 0.98 of the entries"


def test_the_time_left_runs_down_until_a_step_is_late(at):
    progress = Progress(io.StringIO(), shown=False)
    with progress.stage("a"):
        progress.say("0 of 3")
        at(10)
        progress.say("1 of 3")
        for seconds, left in ((10, 20), (14, 16), (20, 10), (50, 10)):
            at(seconds)
            assert progress.line().endswith(f"1 of 3, about {left} s left")
        progress.say("2 of 3")
        assert progress.line().endswith("2 of 3, about 25 s left")
        at(100)  # nobody knows
        assert progress.line().endswith("2 of 3")


def test_a_count_is_measured_from_where_it_begins(at):
    progress = Progress(io.StringIO(), shown=False)
    with progress.stage("a"):
        at(60)
        progress.say("2 of 4")
        assert progress.line().endswith("2 of 4")
        at(65)
        progress.say("3 of 4")
        assert progress.line().endswith("3 of 4, about 5 s left")
        progress.say("0 of 4")  # once more
        at(65.9)
        progress.say("1 of 4")
        assert progress.line().endswith("1 of 4")  # too little time to tell a pace
        at(67)
        progress.say("2 of 4")
        assert progress.line().endswith("2 of 4, about 2 s left")
        progress.say("3 of 5")
        assert progress.line().endswith("3 of 5")
        progress.say("0 of 0")
        assert progress.line().endswith("0 of 0")


def test_a_terminal_sees_one_line_that_is_cleared(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(module, "INTERVAL", 0.01)
    monkeypatch.setenv("COLUMNS", "20")
    progress = Progress(stream, shown=True)
    with progress.stage("a"):
        progress.say("x" * 50)
        while stream.getvalue().count("\r") < 3:
            pass
    shown = stream.getvalue().split("\r\x1b[K")
    assert "\n" not in stream.getvalue()
    assert max(map(len, shown)) == 19
    assert shown[-1] == ""


def test_nothing_where_nobody_looks():
    stream = io.StringIO()
    progress = Progress(stream, shown=False)
    with progress.stage("a", 10):
        progress.advance(5)
        progress.say("b")
    assert stream.getvalue() == ""


@pytest.mark.parametrize(
    ("quiet", "terminal", "shown"), [(False, True, True), (True, True, False), (False, False, False)]
)
def test_only_on_a_terminal(monkeypatch, quiet, terminal, shown):
    stream = io.StringIO()
    stream.isatty = lambda: terminal
    monkeypatch.setattr("sys.stderr", stream)
    with Screen(as_json=False, quiet=quiet).progress.stage("a"):
        pass
    assert bool(stream.getvalue()) == shown


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0:00"), (59.6, "1:00"), (3599, "59:59"), (3661, "1:01:01")])
def test_clock(seconds, text):
    assert clock(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(1.4, "1 s"), (99, "99 s"), (130, "2 min"), (5400, "90 min"), (9000, "2.5 h")]
)
def test_duration(seconds, text):
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        (["fit", "points.csv", "-k", "3", "--no-report"], ["fitting", "first clustering: 0 of 4", "mode update 1"]),
        (["suggest-k", "points.csv", "--max", "4"], ["k = 5, 0 of 5", "k = 1, 1 of 5", "k = 3, 4 of 5"]),
    ],
)
def test_commands_tell_how_far_they_are(folder, monkeypatch, arguments, texts):
    (folder / "points.csv").write_text("\n".join(lines(spread=3)))
    stream = io.StringIO()
    stream.isatty = lambda: True
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("COLUMNS", "200")
    assert main(arguments) == 0
    for text in texts:
        assert text in stream.getvalue()


def test_a_narrow_terminal_shows_the_time_left_rather_than_a_bar(at, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    stream = io.StringIO()
    progress = Progress(stream, shown=True)
    with progress.stage("fitting"):
        progress.say("neighbours of rows: 0 of 3,000,000")
        at(20)
        progress.say("neighbours of rows: 1,500,000 of 3,000,000")
    assert "fitting  0:20  neighbours of rows: 1,500,000 of 3,000,000, about 20 s left" in stream.getvalue()
