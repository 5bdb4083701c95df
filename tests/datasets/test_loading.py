from dataclasses import replace
from zipfile import BadZipFile

import numpy as np
import pytest
from scipy import sparse

from slkmodes.datasets import DATA_SETS, Loaded, archives, fetch, load, loading, prepare
from slkmodes.datasets.checks import check_facts
from tests.datasets.conftest import TINY


def test_digits_need_no_file():
    digits = load("digits")
    assert digits.X.shape == (1797, 64)
    assert digits.image_shape == (8, 8)
    assert digits.y.dtype == np.int64


def test_a_source_is_asked_once(register, six_rows, cache, capsys):
    asked = []

    def source(folder):
        (folder / "raw").touch()
        asked.append(folder)
        return six_rows

    register(TINY, source)
    for _ in range(2):
        np.testing.assert_array_equal(load("tiny").X, six_rows.X)
    assert len(asked) == 1
    assert [path.name for path in cache.iterdir()] == ["tiny.npz"]
    assert "Tiny (six rows) is fetched" in capsys.readouterr().err


def test_a_wrong_answer_of_a_source_is_not_kept(register, six_rows, cache):
    register(TINY, lambda folder: replace(six_rows, X=six_rows.X[:5], y=six_rows.y[:5]))
    with pytest.raises(ValueError, match=r"This is not Tiny.*must be of shape \(6, 2\), got \(5, 2\)"):
        load("tiny")
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("failure", [OSError, ValueError, BadZipFile])
def test_no_network_or_nonsense_says_what_to_do(register, cache, failure):
    def source(folder):
        raise failure("no route to host")

    register(TINY, source)
    with pytest.raises(
        OSError, match=r"could not be fetched: no route to host\nTry again later, or put tiny\.npz"
    ) as error:
        load("tiny")
    assert str(cache) in str(error.value)
    assert list(cache.iterdir()) == []


def test_a_file_of_another_data_set_is_refused(register, six_rows, cache):
    register(TINY)
    archives.write(cache / "tiny.npz", replace(six_rows, X=six_rows.X[:, :1]))
    with pytest.raises(ValueError, match=r"This is not Tiny.*got \(6, 1\)"):
        load("tiny")


def test_the_data_folder_is_checked(register, six_rows, data_folder):
    register(replace(TINY, sha256="0" * 64))
    archives.write(data_folder / "tiny.npz", six_rows)
    with pytest.raises(ValueError, match="is not the published"):
        load("tiny")


@pytest.mark.parametrize("name", ["mnist_code", "mnist_gan", "labelme8_gist", "reuters_code"])
def test_learned_features_name_the_command(name):
    with pytest.raises(FileNotFoundError, match=rf"To get it: python -m slkmodes\.experiments\.features {name}\."):
        load(name)


def test_learned_features_are_found_in_the_cache(cache):
    rng = np.random.default_rng(0)
    sizes = [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958]
    archives.write(
        cache / "mnist_code.npz",
        Loaded(rng.normal(size=(70_000, 10)).astype(np.float32), np.repeat(np.arange(10), sizes)),
    )
    X, y = prepare("MNIST (code)")
    assert X.shape == (70_000, 10)
    assert len(y) == 70_000


def test_files_of_users_name_what_they_must_hold():
    with pytest.raises(FileNotFoundError, match=r"put one of ytf\.npz, ytf\.mat, ytf\.h5 into .*\(10036, 9075\)"):
        load("YTF")
    with pytest.raises(FileNotFoundError, match="digits has no file"):
        fetch("digits")


def test_unlabelled_samples_are_minus_one(register, six_rows):
    register(replace(TINY, unlabelled=0, n_clusters=1, class_sizes=(4, 4)), lambda folder: six_rows)
    np.testing.assert_array_equal(load("tiny").y, [-1, -1, 1, 1, 1, 1])


def test_small_mnist_is_200_of_every_digit_and_always_the_same(monkeypatch):
    y = np.arange(5000) % 10
    whole = Loaded(np.arange(5000)[:, None], y)
    monkeypatch.setattr(loading, "load", lambda name: whole)
    small = loading.small_mnist()
    np.testing.assert_array_equal(np.bincount(small.y), np.full(10, 200))
    np.testing.assert_array_equal(small.y, y[small.X[:, 0]])
    assert np.all(np.diff(small.X[:, 0]) > 0)
    np.testing.assert_array_equal(small.X, loading.small_mnist().X)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"X": np.ones(6)}, "X must be a matrix of numbers"),
        ({"X": np.full((6, 2), "a")}, "X must be a matrix of numbers"),
        ({"y": np.zeros(5, int)}, "X must be a matrix of numbers and y a label per row"),
        ({"X": np.ones((6, 3))}, r"must be of shape \(6, 2\), got \(6, 3\)"),
        ({"y": np.zeros(6, int)}, "y must have 2 classes, got 1"),
        ({"y": np.array([0, 0, 0, 1, 1, 1])}, r"must have \(2, 4\) rows, got \(3, 3\)"),
        ({"X": np.full((6, 2), np.nan)}, "X must be finite"),
        ({"X": np.full((6, 2), np.inf)}, "X must be finite"),
        ({"X": np.zeros((6, 2))}, "must range from 0 to 11, got 0.0 to 0.0"),
    ],
)
def test_what_is_not_the_data_set_is_refused(six_rows, changes, message):
    with pytest.raises(ValueError, match=f"This is not Tiny.*{message}"):
        check_facts(TINY, replace(six_rows, **changes))


def test_prepared_rows_are_float32_in_a_row(register):
    X = sparse.csr_array(np.array([[3, 4], [0, 2], [1, 0]]))
    data_set = replace(TINY, n_samples=3, class_sizes=(1, 2), value_range=None)
    register(data_set, lambda folder: Loaded(X, np.array([0, 1, 1])))
    for preparation, expected in (
        ("as_it_is", [[3, 4], [0, 2], [1, 0]]),
        ("unit_rows", [[0.6, 0.8], [0, 1], [1, 0]]),
    ):
        rows, y = prepare("tiny", preparation)
        np.testing.assert_allclose(rows, expected)
        assert rows.dtype == np.float32
        assert rows.flags.c_contiguous
        assert y.dtype == np.int64


def test_the_table_says_how_to_prepare(register, six_rows):
    register(replace(TINY, preparation="standardised"), lambda folder: six_rows)
    rows, _ = prepare("tiny")
    np.testing.assert_allclose(rows.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(rows.std(axis=0), 1, atol=1e-6)


def test_an_unknown_preparation_is_refused():
    with pytest.raises(ValueError, match="preparation of prepare must be one of 'as_it_is', 'cells'"):
        prepare("digits", "none")


def test_every_name_of_the_table_can_be_asked_for():
    assert set(loading.MADE_HERE) == {name for name, d in DATA_SETS.items() if d.file is None}
