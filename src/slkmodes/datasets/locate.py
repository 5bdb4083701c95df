"""Where data sets are kept: the folder that SLKMODES_DATA names, then the cache."""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path

from slkmodes.datasets.archives import SUFFIXES
from slkmodes.datasets.records import DataSet


def data_folder() -> Path | None:
    """The folder that SLKMODES_DATA names, None where it is not set."""
    named = os.environ.get("SLKMODES_DATA")
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise FileNotFoundError(f"SLKMODES_DATA must name a folder with data sets, got {named!r}, which is none.")
    return folder


def cache_folder() -> Path:
    """The folder that downloads and learned features are kept in.

    SLKMODES_CACHE names it; otherwise it is ``slkmodes`` in XDG_CACHE_HOME or ``~/.cache``.

    Returns
    -------
    Path
        It need not exist yet.

    Examples
    --------
    >>> (cache_folder() / "mnist_code.npz").name
    'mnist_code.npz'
    """
    named = os.environ.get("SLKMODES_CACHE")
    if named:
        return Path(named).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "slkmodes"


def locate(data_set: DataSet) -> Path | None:
    """The file of a data set.

    Parameters
    ----------
    data_set : DataSet
        An entry of ``DATA_SETS``.

    Returns
    -------
    Path or None
        In the data folder, else in the cache; None where it is in neither, or has no file.

    Examples
    --------
    >>> from slkmodes.datasets import DATA_SETS
    >>> locate(DATA_SETS["digits"]) is None
    True
    """
    if data_set.file is None:
        return None
    stem = Path(data_set.file)
    names = [stem.with_suffix(suffix) for suffix in SUFFIXES] if data_set.origin == "provided" else [stem]
    folders = [folder for folder in (data_folder(), cache_folder()) if folder]
    return next((folder / name for folder in folders for name in names if (folder / name).is_file()), None)


def check_copy(data_set: DataSet, path: Path) -> None:
    """Refuse a file of the data folder that is not the published copy; what is in the cache was made here."""
    if data_set.sha256 is None or path.parent != data_folder():
        return
    found = sha256_of(path, path.stat().st_mtime_ns)
    if found != data_set.sha256:
        raise ValueError(
            f"{path} is not the published {path.name}: its sha256 must be {data_set.sha256}, got {found}. Copy it "
            f"again; a file of your own making belongs into the cache, {cache_folder()}."
        )


@functools.cache
def sha256_of(path: Path, changed: int) -> str:
    """The checksum of a file, once per process as long as the file does not change."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def what_to_do(data_set: DataSet) -> str:
    """How to get a data set that was not found."""
    stem = Path(data_set.file or "").stem
    files = ", ".join(stem + suffix for suffix in SUFFIXES)
    folder = data_folder() or cache_folder()
    return {
        "bundled": "it comes with scikit-learn",
        "derived": "it is made from MNIST: slkmodes datasets fetch mnist",
        "download": f"slkmodes datasets fetch {data_set.name}",
        "learned": f"python -m slkmodes.experiments.features {data_set.name}",
        "provided": f"put one of {files} into {folder}, with an array X (or fea, data, features) "
        f"of shape ({data_set.n_samples}, {data_set.n_features}) and an array y (or Y, gnd, label, labels)",
    }[data_set.origin]
