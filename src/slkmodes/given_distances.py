"""Distances that somebody else found, to few or all others -> the weights of the default graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from slkmodes.affinity import neighbor_affinity, reach_of
from slkmodes.neighbors import Neighbors


def adaptive_affinity(distances: Any, n_neighbors: int) -> Any:
    """The directed graph of ``affinity="adaptive"``: CSR, n x n, from CSR of distances to others, those of 0 stored."""
    n_samples = distances.shape[0]
    neighbors = listed_neighbors(distances, reach_of("adaptive", n_neighbors, n_samples))
    # The bandwidth is for other weights; the last row and column are those of the phantom.
    return neighbor_affinity(neighbors, "adaptive", "none", n_neighbors, bandwidth=1.0)[:n_samples, :n_samples]


def listed_neighbors(distances: Any, reach: int) -> Neighbors:
    """The nearest others that each row lists, at most ``reach`` of them; of equally near ones the earlier first.

    Lists that are shorter than others go on with a phantom, a sample that is added at the end: as far away as the
    last that is listed, and all its own neighbours at distance 0. Nothing is farther relative to the scales of both
    ends, so weights choose the phantom last.
    """
    n_samples = distances.shape[0]
    rows = np.repeat(np.arange(n_samples), np.diff(distances.indptr))
    nearest_first = np.lexsort((distances.indices, distances.data, rows))
    places = np.arange(len(rows)) - distances.indptr[rows]
    kept = places < reach
    listed = rows[kept], places[kept]

    shape = n_samples + 1, min(reach, int(np.diff(distances.indptr).max()))
    indices = np.full(shape, n_samples)
    indices[listed] = distances.indices[nearest_first[kept]]
    known = np.zeros(shape, dtype=distances.dtype)
    known[listed] = distances.data[nearest_first[kept]]
    return Neighbors(indices, np.maximum.accumulate(known, axis=1))
