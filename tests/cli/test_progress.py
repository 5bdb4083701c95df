import io

import pytest

from slkmodes.cli import progress as module
from slkmodes.cli.progress import Progress, clock
from slkmodes.cli.screen import Screen


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
        assert progress.line() == "reading  0:00"
        at(30)
        progress.advance(50)
        assert progress.line() == "reading  25%  0:30  1:30 left"
        progress.advance(200)  # the total was an estimate
        assert progress.line() == "reading  0:30"


def test_what_counts_is_understood(at):
    progress = Progress(io.StringIO(), shown=False)
    with progress.stage("fitting"):
        at(8)
        progress.say("graph: 3.20 s")
        assert progress.line() == "fitting  0:08  graph: 3.20 s"
        progress.say("clustering 2 of 4")
        assert progress.line() == "fitting  50%  0:08  0:08 left  clustering 2 of 4"


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
