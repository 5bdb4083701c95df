"""Kill -9 at any moment: the results are there as a whole, or not at all."""

import json
import random
import signal
import subprocess
import sys
import time

import pytest

from slkmodes import load_model
from tests.cli.conftest import lines

KILLS = 5
# Forks before it ever fits: every run is a process of its own, but imports cost nothing.
SERVER = """
import os, signal, sys, time
from slkmodes.cli import main
print("ready", flush=True)
for line in sys.stdin:
    kill_after, *arguments = line.split()
    pid = os.fork()
    if pid == 0:
        os._exit(main(arguments))
    if kill_after != "never":
        time.sleep(float(kill_after))
        os.kill(pid, signal.SIGKILL)  # its number is its own until it is waited for
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""
COMMAND = "fit points.csv -k 3 --jobs 1 --quiet --overwrite -o"


@pytest.fixture
def server(folder):
    (folder / "points.csv").write_text("\n".join(lines(300)))
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    yield process
    process.stdin.close()
    process.wait()
    process.stdout.close()


def run(server, place, kill_after="never"):
    """Fit, kill it after so many seconds if it still runs, and return its exit code."""
    print(kill_after, COMMAND, place, file=server.stdin, flush=True)
    return int(server.stdout.readline())


def check_whole(folder):
    summary = json.loads((folder / "summary.json").read_text())
    assert sorted(file.name for file in folder.iterdir()) == summary["files"]
    assert len(load_model(folder / "model.npz").labels_) == 300
    for name in ("labels.csv", "memberships.csv"):
        assert (folder / name).read_text().count("\n") == 301
    assert (folder / "report.html").read_text().rstrip().endswith("</html>")


def test_outputs_are_whole_or_absent(server, folder):
    start = time.perf_counter()
    assert run(server, "out") == 0
    whole = time.perf_counter() - start
    check_whole(folder / "out")
    rng = random.Random(0)
    for number in range(KILLS):
        place = f"out-{number % 2}"
        code = run(server, place, kill_after=rng.uniform(0.2, 1.0) * whole)
        assert code in (0, -signal.SIGKILL)
        if (folder / place).exists():
            check_whole(folder / place)
    assert run(server, "out-0") == run(server, "out-1") == 0
    assert sorted(file.name for file in folder.iterdir()) == ["out", "out-0", "out-1", "points.csv"]  # no leftovers
