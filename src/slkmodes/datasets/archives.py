"""Data sets in files: ours are .npz without pickles; files that a user brings may be .mat or .h5 as well."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from slkmodes.datasets.records import Loaded
from slkmodes.optional import optional
from slkmodes.whole_files import whole_or_nothing

Array = npt.NDArray[Any]

SUFFIXES = (".npz", ".mat", ".h5")
FEATURE_NAMES = ("X", "fea", "data", "features")
LABEL_NAMES = ("y", "Y", "gnd", "labels", "label")
CLASS_NAMES = ("target_names", "class_names", "label_names", "airport_codes")
CSR_PARTS = ("X_data", "X_indices", "X_indptr", "X_shape")

# What the many readers raise where a file is not of its format.
UNREADABLE = (ValueError, TypeError, LookupError, EOFError, zipfile.BadZipFile, tarfile.TarError, zlib.error)


def read(path: Path) -> Loaded:
    """The data set in a file; nothing in it is ever run.

    An .npz holds X and y, or the four parts of a CSR matrix and y. In a .mat or .h5 the features may also be called
    fea, data or features, the labels Y, gnd, label or labels; samples may come first or last, and pictures may have
    three or four axes.
    """
    try:
        return READERS[path.suffix](path)
    except UNREADABLE as reason:
        raise ValueError(
            f"{path} does not hold a data set that can be read: {reason} It needs plain numbers, X with a row per "
            "sample and y with their classes. Remove it, or put a whole copy there."
        ) from reason


def write(path: Path, loaded: Loaded) -> None:
    """Store a data set: whole, or not at all."""
    arrays: dict[str, Array] = {"y": loaded.y}
    if isinstance(loaded.X, sparse.csr_array):
        parts = loaded.X.data, loaded.X.indices, loaded.X.indptr, np.array(loaded.X.shape)
        arrays.update(zip(CSR_PARTS, parts, strict=True))
    else:
        arrays["X"] = loaded.X
    if loaded.target_names is not None:
        arrays["target_names"] = np.array(loaded.target_names)
    if loaded.image_shape is not None:
        arrays["image_shape"] = np.array(loaded.image_shape)
    with whole_or_nothing(path) as part, part.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def read_npz(path: Path) -> Loaded:
    """Arrays X (or the parts of a CSR matrix) and y; names of classes and the shape of images where there are."""
    opened = np.load(path, allow_pickle=False)
    if not isinstance(opened, np.lib.npyio.NpzFile):
        raise ValueError("It is no .npz archive.")
    with opened as archive:
        X = _csr(*(archive[part] for part in CSR_PARTS)) if CSR_PARTS[0] in archive else archive["X"]
        names = next((archive[name] for name in CLASS_NAMES if name in archive), None)
        image_shape = archive.get("image_shape")
        return Loaded(
            X,
            archive["y"].astype(np.int64),
            None if names is None else tuple(map(str, names)),
            None if image_shape is None else tuple(map(int, image_shape)),
        )


def _csr(data: Array, indices: Array, indptr: Array, shape: Array) -> sparse.csr_array:
    X = sparse.csr_array((data, indices.astype(np.int32), indptr), shape=tuple(shape))
    X.check_format(full_check=True)
    return X


def read_mat(path: Path) -> Loaded:
    """A MATLAB file of any version."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        return arrange(loadmat(path, appendmat=False))
    except NotImplementedError:  # version 7.3 is HDF5
        return read_h5(path)
    except MatReadError as reason:
        raise ValueError(f"{reason}.") from reason


def read_h5(path: Path) -> Loaded:
    """An HDF5 file, of MATLAB or not."""
    h5py = optional("h5py", path.name, "data")
    with h5py.File(path, "r") as file:
        return arrange({name: file[name][()] for name in file if name in FEATURE_NAMES + LABEL_NAMES})


def arrange(arrays: Mapping[str, Any]) -> Loaded:
    """A row per sample, whatever names and order of axes the file has; channels of pictures last."""
    X = next((np.asarray(arrays[name]) for name in FEATURE_NAMES if name in arrays), None)
    y = next((np.ravel(arrays[name]).astype(np.int64) for name in LABEL_NAMES if name in arrays), None)
    if X is None or y is None:
        raise ValueError(f"No array is named {' or '.join(FEATURE_NAMES)}, or none {' or '.join(LABEL_NAMES)}.")
    if X.ndim < 2:
        raise ValueError(f"Features must have a row per sample, got shape {X.shape}.")
    if X.shape[0] != len(y) and X.shape[-1] == len(y):
        X = np.moveaxis(X, -1, 0)  # samples come last in MATLAB's pictures, and where HDF5 reverses MATLAB's axes
    if X.ndim == 4 and X.shape[1] == 3:
        X = np.moveaxis(X, 1, -1)
    return Loaded(X.reshape(len(X), -1), y, image_shape=X.shape[1:] if X.ndim > 2 else None)


READERS = dict(zip(SUFFIXES, (read_npz, read_mat, read_h5), strict=True))
