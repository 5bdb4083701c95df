import pytest

from slkmodes.validation import MOST_THREADS, count_threads


def test_threads_are_counted_as_joblib_counts_jobs(monkeypatch):
    monkeypatch.setattr("slkmodes.validation.cpu_count", lambda: 8)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    counts = {n: count_threads("X", n) for n in (None, -1, -2, -20, 3, 10**6)}
    assert counts == {None: 8, -1: 8, -2: 7, -20: 1, 3: 3, 10**6: MOST_THREADS}


@pytest.mark.parametrize(("limit", "expected"), [("2", 2), ("64", 8), ("", 8), ("4,2", 8)])
def test_the_environment_lowers_the_cores(monkeypatch, limit, expected):
    monkeypatch.setattr("slkmodes.validation.cpu_count", lambda: 8)
    monkeypatch.setenv("OMP_NUM_THREADS", limit)
    assert count_threads("X", None) == expected
