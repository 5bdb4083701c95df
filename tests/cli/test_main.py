import json
import os
import subprocess
import sys

import pytest

from slkmodes import __version__
from slkmodes.cli import main
from slkmodes.cli.delegated import DELEGATED
from slkmodes.cli.exit_codes import MEANINGS
from slkmodes.cli.main import COMMANDS


def run(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "slkmodes", *arguments], capture_output=True, text=True, **options)


def test_help_tells_commands_and_exit_codes(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    for name in (*COMMANDS, *DELEGATED, "completion"):
        assert f"    {name}" in printed
    for code, meaning in MEANINGS.items():
        assert f"{code:>5}  {meaning}" in printed


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command(capsys, name):
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert f"usage: slkmodes {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "usage: slkmodes"),
        (["cluster"], "slkmodes: argument COMMAND: invalid choice: 'cluster'"),
        (["fit"], "slkmodes fit: the following arguments are required: FILE. See slkmodes fit --help"),
        (["fit", "a.csv"], "Say how many clusters: -k K. To have a number suggested: slkmodes suggest-k a.csv"),
        (["fit", "a.csv", "-k", "2", "--col", "x"], "slkmodes fit: unrecognized arguments: --col x"),
        (
            ["fit", "a.csv", "--sclae=unit"],
            "slkmodes fit: unrecognized arguments: --sclae=unit; --scale may be meant. See",
        ),
        (["fit", "a.csv", "b.csv"], "slkmodes fit: unrecognized arguments: b.csv. See slkmodes fit --help"),
    ],
)
def test_usage(fail, arguments, message):
    code, printed = fail(*arguments)
    assert (code, message in printed) == (2, True)


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"slkmodes {__version__}\n"


def test_as_a_module(folder):
    done = run("fit", "points.csv", "-k", "3", "--no-report", "--json", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "note: Columns without numbers are left out: city, name.\n")
    assert json.loads(done.stdout)["n_clusters"] == 3


def test_a_reader_that_has_seen_enough(fitted):
    """As ``| head``: no error, no traceback."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "slkmodes", "predict", "out", "points.csv"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, cwd=fitted)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


# Commands that live elsewhere.


def test_datasets(capsys):
    assert main(["datasets", "--json"]) == 0
    assert "mnist" in {entry["name"] for entry in json.loads(capsys.readouterr().out)}


def test_demo_and_reproduce_get_their_arguments(monkeypatch):
    seen = []
    monkeypatch.setattr("slkmodes.demo.main", lambda arguments: seen.append(arguments))
    assert main(["demo", "--output", "x"]) == 0
    experiments = pytest.importorskip("slkmodes.experiments.__main__")
    monkeypatch.setattr(experiments, "main", lambda arguments: seen.append(arguments) or 7)
    assert main(["reproduce", "--quick"]) == 7
    assert seen == [["--output", "x"], ["--quick"]]


def test_bench(folder, capsys):
    assert main(["bench"]) == 2
    assert "the benchmarks are in the source tree, not in the installed package" in capsys.readouterr().err
    assert main(["bench", "nothing"]) == 2
    assert "'nothing' is none of speed, scaling" in capsys.readouterr().err
    assert main(["bench", "--help"]) == 0
    assert "usage: slkmodes bench [speed|scaling]" in capsys.readouterr().out
    (folder / "benchmarks").mkdir()
    (folder / "benchmarks" / "scaling.py").write_text("import sys; sys.exit(len(sys.argv))")
    assert main(["bench", "scaling", "--quick"]) == 2


def test_a_command_that_fails_elsewhere(capsys, monkeypatch):
    def broken(arguments):
        raise OSError("no space left")

    monkeypatch.setattr("slkmodes.datasets.__main__.main", broken)
    assert main(["datasets"]) == 1
    assert capsys.readouterr().err == "slkmodes datasets: no space left\n"
