"""Whether the graph is one to trust: how it was found, how dense it is, whether it falls apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.labelled_graph import connected_parts

MOST_BINS = 30
LARGEST_PARTS = 5


def graph_health(model: Any, affinity: Any) -> dict[str, Any]:
    """Numbers about the graph of a fitted model."""
    edges = np.diff(affinity.indptr)
    parts = np.sort(np.bincount(connected_parts(affinity)))[::-1]
    return {
        "neighbor_search": model.neighbor_search_,
        "neighbor_recall": float(model.neighbor_recall_),
        "n_neighbors": None if model._fitted.index is None else int(model._fitted.n_neighbors),
        "bandwidth": None if model.bandwidth_ is None else float(model.bandwidth_),
        "n_edges": int(affinity.nnz),
        "edges_per_sample": {
            "mean": float(edges.mean()),
            "least": int(edges.min()),
            "median": float(np.median(edges)),
            "most": int(edges.max()),
        },
        "edge_histogram": _histogram_of_counts(edges),
        "n_components": len(parts),
        "largest_components": parts[:LARGEST_PARTS].tolist(),
        "n_isolated": int(np.count_nonzero(parts == 1)),
        "mutual_share": mutual_share(model._fitted),
        "inside_share": inside_share(affinity, model.labels_),
    }


def mutual_share(fitted: Any) -> float | None:
    """Share of the nearest neighbours that name each other; None where the graph was given."""
    if fitted.neighbors is None:
        return None
    nearest = fitted.neighbors.indices[:, : fitted.n_neighbors].astype(np.int64)
    n_samples = len(nearest)
    source, target = np.repeat(np.arange(n_samples), nearest.shape[1]), nearest.ravel()
    named, named_back = source * n_samples + target, target * n_samples + source
    return float(np.isin(named, named_back, assume_unique=True).mean())


def inside_share(affinity: Any, labels: npt.NDArray[np.int64]) -> float | None:
    """Share of the edges' weight that joins samples of one cluster; None without edges."""
    source = np.repeat(labels, np.diff(affinity.indptr))
    inside = affinity.data.sum(where=source == labels[affinity.indices], dtype=np.float64)
    whole = affinity.data.sum(dtype=np.float64)
    return float(inside / whole) if whole > 0 else None


def _histogram_of_counts(counts: npt.NDArray[Any]) -> dict[str, Any]:
    """Bins of whole numbers, equally wide."""
    low, high = int(counts.min()), int(counts.max())
    width = -(-(high - low + 1) // MOST_BINS)
    edges = np.arange(low, high + width + 1, width)
    return {"edges": edges.tolist(), "counts": np.histogram(counts, bins=edges)[0].tolist()}
