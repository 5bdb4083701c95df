import numpy as np
import pytest

from slkmodes.tables import open_table, write_table

BLOCKS = [
    {"row": np.arange(2), "share": np.array([0.1, 1 / 3], np.float32), "word": ["a,b", 'say "x"']},
    {"row": np.arange(2, 3), "share": np.array([1.0], np.float32), "word": [None]},
]


def test_csv(tmp_path):
    write_table(tmp_path / "a.csv", BLOCKS)
    assert (tmp_path / "a.csv").read_text() == 'row,share,word\n0,0.1,"a,b"\n1,0.333333,"say ""x"""\n2,1.0,\n'


def test_parquet_keeps_all_digits(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    write_table(tmp_path / "a.parquet", BLOCKS)
    found = parquet.read_table(tmp_path / "a.parquet").to_pydict()
    assert found["word"] == ["a,b", 'say "x"', None]
    assert found["share"][1] == np.float32(1 / 3)
    assert open_table(tmp_path / "a.parquet").features == ("row", "share")


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_whole_or_nothing(tmp_path, name):
    def broken():
        yield BLOCKS[0]
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        write_table(tmp_path / name, broken())
    assert not list(tmp_path.iterdir())


def test_another_ending(tmp_path):
    with pytest.raises(ValueError, match=r"path of write_table must end in \.csv or \.parquet, got 'a\.xls'"):
        write_table(tmp_path / "a.xls", BLOCKS)
