"""What pictures read off a fitted model, whatever it was fitted on."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

Array = npt.NDArray[Any]


def cluster_sizes(model: Any) -> npt.NDArray[np.int64]:
    """Members of every cluster, those without any too."""
    check_is_fitted(model)
    return np.bincount(model.labels_, minlength=model.memberships_.shape[1])


def confidence(model: Any) -> Array:
    """The largest membership of every sample."""
    check_is_fitted(model)
    largest: Any = model.memberships_.max(axis=1)
    return np.asarray(largest.toarray().ravel() if sparse.issparse(model.memberships_) else largest)


def check_rows(owner: str, name: str, values: Any, model: Any) -> None:
    """Refuse anything that is not one row per training sample."""
    check_is_fitted(model)
    shape = getattr(values, "shape", None) or (len(values),)
    if shape[0] != len(model.labels_):
        raise ValueError(
            f"{name} of {owner} must hold the {len(model.labels_)} training samples in their order; got {shape[0]}."
        )


def check_names(owner: str, name: str, names: Any, n_columns: int) -> list[str]:
    """Names as strings, one per column."""
    if len(names) != n_columns:
        raise ValueError(f"{name} of {owner} must name all {n_columns} columns; got {len(names)} names.")
    return [str(word) for word in names]


def positions_of(owner: str, model: Any, layout: Any) -> Array:
    """Two coordinates per training sample: those given, or a layout of the graph."""
    check_is_fitted(model)
    if layout is None:
        from slkmodes.layout import layout_of_graph

        return layout_of_graph(model.affinity_)
    positions = np.asarray(layout, dtype=np.float64)
    allowed = (len(model.labels_), 2)
    if positions.shape != allowed:
        raise ValueError(
            f"layout of {owner} must have shape {allowed}, two coordinates per training sample; got {positions.shape}."
        )
    if not np.isfinite(positions).all():
        raise ValueError(f"layout of {owner} must be finite; got NaN or infinity.")
    return positions


def cluster_centers(positions: Array, labels: Array, n_clusters: int) -> npt.NDArray[np.float64]:
    """The position of the member nearest to the median of each cluster, so in it whatever its shape; NaN if empty."""
    centers = np.full((n_clusters, 2), np.nan)
    for cluster in range(n_clusters):
        own = positions[labels == cluster]
        if len(own):
            away = np.linalg.norm(own - np.median(own, axis=0), axis=1)
            centers[cluster] = own[np.argmin(away)]
    return centers
