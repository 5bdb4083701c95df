import json

import numpy as np
import pytest

from slkmodes.cli import main

CENTERS = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]])
CITIES = np.array(["Rome", "Oslo", "<script>"])


def lines(n_rows=60, seed=0, spread=1):
    """Three clouds, a word that tells which, and the row that is repeated in ``name``."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % 3
    X = CENTERS[y] + rng.normal(size=(n_rows, 2)) * spread
    rows = [f"{a:.6f},{b:.6f},{CITIES[c]},row {i}" for i, ((a, b), c) in enumerate(zip(X, y, strict=True))]
    return ["width,height,city,name", *rows]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with a table of 60 rows."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "points.csv").write_text("\n".join(lines()) + "\n")
    return tmp_path


@pytest.fixture
def fitted(folder):
    """The current folder, with a fit in ``out``."""
    assert main(["fit", "points.csv", "-k", "3", "-o", "out", "--label", "city", "--no-report", "--quiet"]) == 0
    return folder


@pytest.fixture
def tell(capsys):
    """Run a command that succeeds and return the object that ``--json`` prints."""

    def run(*arguments):
        assert main([*arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def fail(capsys):
    """Run a command that fails and return its exit code and message; nothing else may be printed."""

    def run(*arguments):
        try:
            code = main(list(arguments))
        except SystemExit as ended:
            code = ended.code
        printed = capsys.readouterr()
        assert printed.out == ""
        return code, printed.err

    return run
