import sys
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from slkmodes.datasets import Loaded, archives
from slkmodes.whole_files import whole_or_nothing


def test_what_is_written_is_read(tmp_path, six_rows):
    path = tmp_path / "a.npz"
    written = Loaded(six_rows.X, six_rows.y, ("zero", "one"), (1, 2))
    archives.write(path, written)
    found = archives.read(path)
    np.testing.assert_array_equal(found.X, written.X)
    np.testing.assert_array_equal(found.y, written.y)
    assert found.X.dtype == np.uint8
    assert found.y.dtype == np.int64
    assert found.target_names == ("zero", "one")
    assert found.image_shape == (1, 2)


def test_sparse_rows_stay_sparse(tmp_path):
    X = sparse.csr_array(np.array([[0, 3, 0], [1, 0, 2]], dtype=np.uint8))
    archives.write(tmp_path / "a.npz", Loaded(X, np.array([0, 1])))
    found = archives.read(tmp_path / "a.npz")
    assert isinstance(found.X, sparse.csr_array)
    np.testing.assert_array_equal(found.X.toarray(), X.toarray())


def test_narrow_column_numbers_are_read(tmp_path):
    """The published files store them in two bytes."""
    parts = {"X_data": np.array([5]), "X_indices": np.array([40_000], np.uint16), "X_indptr": np.array([0, 1])}
    np.savez(tmp_path / "a.npz", **parts, X_shape=np.array([1, 50_000]), y=np.array([0]))
    assert archives.read(tmp_path / "a.npz").X[0, 40_000] == 5


class Hostile:
    def __reduce__(self):
        return (sys.exit, ("a pickle was run",))


def test_a_pickled_object_is_refused_and_not_run(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.array([Hostile()], dtype=object), y=np.array([0]))
    with pytest.raises(ValueError, match=r"a\.npz does not hold a data set.*pickle"):
        archives.read(tmp_path / "a.npz")


def broken_columns(path):
    parts = {"X_data": np.ones(1), "X_indices": np.array([7]), "X_indptr": np.array([0, 1])}
    np.savez(path, **parts, X_shape=np.array([1, 2]), y=np.array([0]))


BROKEN = {
    "cut off": lambda path: (
        np.savez(path, X=np.ones((9, 9)), y=np.ones(9)),
        path.write_bytes(path.read_bytes()[:300]),
    ),
    "no archive": lambda path: path.write_bytes(b"<html>404</html>"),
    "empty": lambda path: path.touch(),
    "no y": lambda path: np.savez(path, X=np.ones((2, 2))),
    "text inside": lambda path: zipfile.ZipFile(path, "w").writestr("X", "none"),
    "columns that do not exist": broken_columns,
}


@pytest.mark.parametrize("breaking", BROKEN.values(), ids=BROKEN.keys())
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_broken_files_are_refused(tmp_path, breaking):
    path = tmp_path / "a.npz"
    breaking(path)
    with pytest.raises(ValueError, match=r"a\.npz does not hold a data set that can be read"):
        archives.read(path)


def test_a_single_array_is_no_archive(tmp_path):
    with (tmp_path / "a.npz").open("wb") as file:
        np.save(file, np.ones(3))
    with pytest.raises(ValueError, match=r"It is no \.npz archive"):
        archives.read(tmp_path / "a.npz")


def test_a_failed_write_leaves_nothing(tmp_path):
    def broken():
        with whole_or_nothing(tmp_path / "a.npz") as part:
            part.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_keeps_the_file_before(tmp_path, six_rows):
    archives.write(tmp_path / "a.npz", six_rows)
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        archives.write(tmp_path / "a.npz", Loaded(np.array([Hostile()], dtype=object), six_rows.y))
    np.testing.assert_array_equal(archives.read(tmp_path / "a.npz").X, six_rows.X)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("features", "labels"), [("X", "Y"), ("fea", "gnd"), ("data", "labels"), ("features", "label")]
)
def test_mat_files_of_users_are_read(tmp_path, six_rows, features, labels):
    savemat(tmp_path / "a.mat", {features: six_rows.X, labels: six_rows.y})
    found = archives.read(tmp_path / "a.mat")
    np.testing.assert_array_equal(found.X, six_rows.X)
    np.testing.assert_array_equal(found.y, six_rows.y)


def test_pictures_with_samples_last_and_colours_first(tmp_path):
    pictures = np.random.default_rng(0).integers(255, size=(7, 4, 5, 3), dtype=np.uint8)  # sample, row, column, colour
    flat = pictures.reshape(7, -1)
    for stored in (pictures, np.moveaxis(pictures, 0, -1), np.moveaxis(pictures, -1, 1)):
        savemat(tmp_path / "a.mat", {"data": stored, "labels": np.arange(7)})
        found = archives.read(tmp_path / "a.mat")
        np.testing.assert_array_equal(found.X, flat)
        assert found.image_shape == (4, 5, 3)


def test_mat_files_without_labels_are_refused(tmp_path):
    savemat(tmp_path / "a.mat", {"X": np.ones((2, 2))})
    with pytest.raises(ValueError, match="none y or Y or gnd"):
        archives.read(tmp_path / "a.mat")
    (tmp_path / "a.mat").write_bytes(b"no matlab" * 50)
    with pytest.raises(ValueError, match=r"a\.mat does not hold"):
        archives.read(tmp_path / "a.mat")


class FakeFile(dict):
    """As much of h5py.File as is needed: MATLAB 7.3 arrays, axes reversed."""

    def __init__(self, path, mode):
        super().__init__(X=np.arange(12).reshape(6, 2).T, Y=np.array([[0.0, 0, 1, 1, 1, 1]]), other=np.array("text"))

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        pass


def test_h5_files_of_matlab_are_turned(tmp_path, monkeypatch, six_rows):
    monkeypatch.setitem(sys.modules, "h5py", SimpleNamespace(File=FakeFile))
    found = archives.read(tmp_path / "a.h5")
    np.testing.assert_array_equal(found.X, six_rows.X)
    np.testing.assert_array_equal(found.y, six_rows.y)


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ImportError, match=r"a\.h5 needs h5py, .*pip install 'slkmodes\[data\]'"):
        archives.read(tmp_path / "a.h5")
