"""From data as they are published to rows one would cluster; a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

N_TOPICS = 100
N_COMPONENTS = 50


def as_it_is(X: Any) -> Any:
    """Raw values."""
    return X


def unit_rows(X: Any) -> Any:
    """Rows of unit length."""
    from sklearn.preprocessing import normalize

    return normalize(X.astype(np.float32))


def standardised(X: Any) -> Any:
    """Columns of mean 0 and variance 1."""
    from sklearn.preprocessing import StandardScaler

    return StandardScaler().fit_transform(X.astype(np.float32))


def documents(counts: Any) -> Any:
    """TF-IDF of counts of words, then as ``weighted_documents``."""
    from sklearn.feature_extraction.text import TfidfTransformer

    return weighted_documents(TfidfTransformer(sublinear_tf=True).fit_transform(counts.astype(np.float64)))


def weighted_documents(weights: Any) -> Any:
    """100 components of a truncated SVD of TF-IDF weights, rows of unit length."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    return normalize(TruncatedSVD(N_TOPICS, random_state=0).fit_transform(weights))


def cells(counts: Any) -> Any:
    """Counts per ten thousand of a cell, their logarithms, 50 principal components."""
    from sklearn.decomposition import PCA

    counts = counts.astype(np.float64)
    shares = counts.multiply(1e4 / np.maximum(counts.sum(axis=1), 1)[:, None])
    return PCA(N_COMPONENTS, random_state=0).fit_transform(np.log1p(shares.toarray()))


PREPARATIONS: dict[str, Callable[[Any], Any]] = {
    "as_it_is": as_it_is,
    "unit_rows": unit_rows,
    "standardised": standardised,
    "documents": documents,
    "weighted_documents": weighted_documents,
    "cells": cells,
}
