"""A file of features: X, y, and how they came to be."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.whole_files import whole_or_nothing


def write_features(path: Path, X: npt.NDArray[Any], y: npt.NDArray[Any], **facts: Any) -> str:
    """Store rows, labels and scalar facts as .npz, whole or not at all; return the checksum of the file.

    Parameters
    ----------
    path : Path
        Where to; its folder is made if needed.
    X : array of shape (n_samples, n_features)
        Stored as float32.
    y : array of int of shape (n_samples,)
        Stored as int64.
    **facts : scalars
        What else to say, by name: a seed, seconds.

    Returns
    -------
    str
        The sha256 of the file, in hexadecimal digits.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     checksum = write_features(Path(folder) / "made.npz", np.eye(2), np.arange(2), seed=7)
    ...     with np.load(Path(folder) / "made.npz") as archive:
    ...         print(sorted(archive), int(archive["seed"]), len(checksum))
    ['X', 'seed', 'y'] 7 64
    """
    scalars = {name: np.asarray(value) for name, value in facts.items()}
    with whole_or_nothing(path) as part, part.open("wb") as file:
        np.savez(file, allow_pickle=False, X=X.astype(np.float32), y=y.astype(np.int64), **scalars)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
