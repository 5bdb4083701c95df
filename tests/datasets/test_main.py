import json
import subprocess
import sys

import pytest

from slkmodes.datasets import DATA_SETS, archives
from slkmodes.datasets.__main__ import main
from tests.datasets.conftest import TINY


def test_the_list_says_where_or_what_to_do(capsys, data_folder):
    (data_folder / "mnist.npz").touch()
    main([])
    lines = {line[2:].split()[0]: line for line in capsys.readouterr().out.splitlines() if line}
    assert set(DATA_SETS) <= set(lines)
    for name in ("mnist", "mnist_small", "mnist_unit_rows"):
        assert lines[name].endswith(str(data_folder / "mnist.npz"))
    assert lines["mnist_code"].startswith("* ")
    assert lines["mnist_code"].endswith("-> python -m slkmodes.experiments.features mnist_code")
    assert lines["usps"].startswith("  usps")
    assert lines["usps"].endswith("-> slkmodes datasets fetch usps")
    assert lines["digits"].endswith("  scikit-learn")


def test_the_list_for_programs(capsys):
    main(["--json"])
    entries = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert set(entries) == set(DATA_SETS)
    assert entries["mnist"]["n_samples"] == 70_000
    assert entries["mnist"]["found"] is None
    assert entries["mnist"]["to_do"] == "slkmodes datasets fetch mnist"
    assert entries["digits"]["to_do"] is None


def test_fetch_prints_the_file(register, six_rows, cache, capsys):
    register(TINY, lambda folder: six_rows)
    main(["fetch", "tiny"])
    assert capsys.readouterr().out == f"{cache / 'tiny.npz'}\n"
    assert archives.read(cache / "tiny.npz").X.shape == (6, 2)


@pytest.mark.parametrize(
    ("name", "message"), [("nothing", "name of load must be one of"), ("mnist_gan", "features mnist_gan")]
)
def test_fetch_fails_in_one_line(name, message):
    with pytest.raises(SystemExit, match=f"slkmodes datasets: .*{message}"):
        main(["fetch", name])


def test_it_runs_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "slkmodes.datasets", "--help"], capture_output=True, text=True, check=True
    )
    assert "usage: slkmodes datasets" in done.stdout
