import numpy as np
import pytest

from slkmodes.datasets import DataSet, Loaded, sources, table

TINY = DataSet(
    name="tiny",
    title="Tiny (six rows)",
    n_samples=6,
    n_features=2,
    n_clusters=2,
    kind="table",
    origin="download",
    source="nowhere",
    licence="none",
    file="tiny.npz",
    class_sizes=(2, 4),
    value_range=(0, 11),
)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of its own for every test, and no data folder."""
    monkeypatch.delenv("SLKMODES_DATA", raising=False)
    monkeypatch.setenv("SLKMODES_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def data_folder(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("SLKMODES_DATA", str(folder))
    return folder


@pytest.fixture
def register(monkeypatch):
    """Enter a data set into the table for the time of a test, with a source if it is given."""

    def enter(data_set, source=None):
        monkeypatch.setitem(table.DATA_SETS, data_set.name, data_set)
        monkeypatch.setitem(table._BY_PLAIN_NAME, data_set.name, data_set)
        if source is not None:
            monkeypatch.setitem(sources.SOURCES, data_set.file, source)
        return data_set

    return enter


@pytest.fixture
def six_rows():
    return Loaded(np.arange(12, dtype=np.uint8).reshape(6, 2), np.array([0, 0, 1, 1, 1, 1]))
