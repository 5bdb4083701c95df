from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from slkmodes.datasets import DATA_SETS, cache_folder, locate
from slkmodes.datasets.locate import check_copy, what_to_do
from tests.datasets.conftest import TINY


def test_the_data_folder_comes_before_the_cache(cache, data_folder):
    assert locate(TINY) is None
    cache.mkdir()
    (cache / "tiny.npz").touch()
    assert locate(TINY) == cache / "tiny.npz"
    (data_folder / "tiny.npz").touch()
    assert locate(TINY) == data_folder / "tiny.npz"


def test_the_cache_is_where_the_system_keeps_caches(monkeypatch, tmp_path):
    monkeypatch.delenv("SLKMODES_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "slkmodes"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "slkmodes"


def test_a_data_folder_that_does_not_exist_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv("SLKMODES_DATA", str(tmp_path / "none"))
    with pytest.raises(FileNotFoundError, match="SLKMODES_DATA must name a folder"):
        locate(TINY)


def test_only_files_of_users_may_be_of_other_formats(data_folder):
    (data_folder / "tiny.mat").touch()
    assert locate(TINY) is None
    assert locate(replace(TINY, origin="provided")) == data_folder / "tiny.mat"


def test_a_copy_is_compared_with_the_published_one(data_folder):
    path = data_folder / "tiny.npz"
    path.write_bytes(b"as published")
    published = replace(TINY, sha256=sha256(b"as published").hexdigest())
    check_copy(published, path)
    path.write_bytes(b"as publisheD")
    with pytest.raises(ValueError, match=r"tiny\.npz is not the published tiny\.npz.*got [0-9a-f]{64}.*Copy it again"):
        check_copy(published, path)


def test_files_in_the_cache_need_not_be_copies(cache):
    cache.mkdir()
    (cache / "tiny.npz").write_bytes(b"made here")
    check_copy(replace(TINY, sha256="0" * 64), cache / "tiny.npz")


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("mnist", "slkmodes datasets fetch mnist"),
        ("mnist_small", "fetch mnist"),
        ("mnist_code", "python -m slkmodes.experiments.features mnist_code"),
        ("labelme8_gist", "python -m slkmodes.experiments.features labelme8_gist"),
        ("ytf", "put one of ytf.npz, ytf.mat, ytf.h5 into"),
        ("digits", "scikit-learn"),
    ],
)
def test_advice_says_what_to_do(name, advice):
    assert advice in what_to_do(DATA_SETS[name])
