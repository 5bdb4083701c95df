"""Whether what was loaded is the data set that the table describes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from slkmodes.datasets.records import DataSet, Loaded


def check_facts(data_set: DataSet, loaded: Loaded) -> None:
    """Refuse a data set whose shape, classes or values are not the ones it is known to have."""
    differences = list(_differences(data_set, loaded))
    if differences:
        raise ValueError(f"This is not {data_set.title} ({data_set.source}): {'; '.join(differences)}.")


def _differences(data_set: DataSet, loaded: Loaded) -> Iterator[str]:
    X, y = loaded.X, loaded.y
    if X.ndim != 2 or X.dtype.kind not in "biuf" or y.shape != X.shape[:1]:
        yield f"X must be a matrix of numbers and y a label per row, got shapes {X.shape} and {y.shape}, type {X.dtype}"
        return
    columns = data_set.n_features if data_set.fixed_columns else X.shape[1]
    if X.shape != (data_set.n_samples, columns):
        yield f"X must be of shape {(data_set.n_samples, columns)}, got {X.shape}"
    classes = y if data_set.unlabelled is None else y[y != data_set.unlabelled]
    sizes = np.unique(classes, return_counts=True)[1]
    if len(sizes) != data_set.n_clusters:
        yield f"y must have {data_set.n_clusters} classes, got {len(sizes)}"
    elif data_set.class_sizes not in (None, found := (int(sizes.min()), int(sizes.max()))):
        yield f"its smallest and largest class must have {data_set.class_sizes} rows, got {found}"
    values = X.data if isinstance(X, sparse.csr_array) else X
    low, high = (values.min(), values.max()) if values.size else (np.nan, np.nan)  # NaN where there is one
    if not (np.isfinite(low) and np.isfinite(high)):
        yield "X must be finite"
    elif data_set.value_range is not None and not np.allclose((low, high), data_set.value_range, rtol=1e-6, atol=1e-6):
        yield f"its values must range from {data_set.value_range[0]} to {data_set.value_range[1]}, got {low} to {high}"
