"""Data sets for the benchmarks, from the folder that SLKMODES_DATA names, prepared the way a user would."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler, normalize

Pair = tuple[np.ndarray, np.ndarray]


def load(name: str) -> tuple[Any, np.ndarray]:
    """X (dense or CSR) and y of ``<name>.npz``."""
    folder = os.environ.get("SLKMODES_DATA")
    path = Path(folder or ".") / f"{name}.npz"
    if folder is None or not path.exists():
        raise SystemExit(f"Set SLKMODES_DATA to a folder that holds {name}.npz (arrays X and y); looked for {path}.")
    with np.load(path, allow_pickle=False) as archive:
        if "X" in archive:
            return archive["X"], archive["y"]
        parts = archive["X_data"], archive["X_indices"].astype(np.int32), archive["X_indptr"]
        return sparse.csr_matrix(parts, shape=tuple(archive["X_shape"])), archive["y"]


def digits() -> Pair:
    from sklearn.datasets import load_digits

    return load_digits(return_X_y=True)


def as_it_is(name: str) -> Callable[[], Pair]:
    return lambda: load(name)


def unit_rows(name: str) -> Callable[[], Pair]:
    def prepared() -> Pair:
        X, y = load(name)
        return normalize(X.astype(np.float32)), y

    return prepared


def standardised(name: str) -> Callable[[], Pair]:
    def prepared() -> Pair:
        X, y = load(name)
        return StandardScaler().fit_transform(X.astype(np.float32)), y

    return prepared


def documents(name: str) -> Callable[[], Pair]:
    """TF-IDF, 100 components of a truncated SVD, rows of unit length."""

    def prepared() -> Pair:
        counts, y = load(name)
        tfidf = TfidfTransformer(sublinear_tf=True).fit_transform(counts.astype(np.float64))
        return normalize(TruncatedSVD(100, random_state=0).fit_transform(tfidf)), y

    return prepared


def cells(name: str) -> Callable[[], Pair]:
    """Counts per ten thousand, their logarithms, 50 principal components."""

    def prepared() -> Pair:
        counts, y = load(name)
        counts = counts.astype(np.float64)
        shares = counts.multiply(1e4 / np.maximum(counts.sum(axis=1), 1)).tocsr()
        return PCA(50, random_state=0).fit_transform(np.log1p(shares.toarray())), y

    return prepared


DATA_SETS: dict[str, Callable[[], Pair]] = {
    "digits": digits,
    "COIL-20": as_it_is("coil20"),
    "LabelMe CNN": as_it_is("labelme8_effnetlite0"),
    "worm neurons": cells("worm_neuron_scrna"),
    "Reuters-21578": documents("reuters21578"),
    "USPS": as_it_is("usps"),
    "20 newsgroups": documents("news20"),
    "Shuttle": standardised("shuttle"),
    "MNIST": as_it_is("mnist"),
    "MNIST, unit rows": unit_rows("mnist"),
    "Fashion-MNIST": as_it_is("fashion_mnist"),
}


def prepare(name: str) -> Pair:
    """X as float32 and y of a data set of the table."""
    X, y = DATA_SETS[name]()
    return np.ascontiguousarray(X, dtype=np.float32), y
