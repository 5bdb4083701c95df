"""What edges say about labels of the rows: votes of neighbours, weights of and between groups, connected parts.

The C++ kernels and NumPy add up the same numbers in the same order: the answers are the same to the bit.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from slkmodes.edges import edges_of
from slkmodes.engines import native_available

Array = npt.NDArray[Any]
Labels = npt.NDArray[np.int64]

# Weights are added up in so many tiles of the rows, whatever the number of threads; in fewer where groups are as many
# as rows of a tile.
MOST_TILES = 16


def vote(affinity: Any, labels: Labels, stay: float, n_threads: int = 1) -> Labels:
    """For every row the label with the most weight among its neighbours, the lowest of equal ones.

    Neighbours without a label (-1) have no vote; the row's own label has ``stay`` more. A row for which nobody
    votes keeps its own.
    """
    n_groups = int(labels.max()) + 1
    if native_available():
        from slkmodes import _kernels

        elected = np.empty_like(labels)
        _kernels.vote(*edges_of(affinity), labels, n_groups, stay, elected, n_threads)
        return elected
    labelled = np.flatnonzero(labels >= 0)
    shape = (len(labels), n_groups)
    member = sparse.csr_array((np.ones(len(labelled)), (labelled, labels[labelled])), shape=shape)
    votes = sparse.csr_array(affinity.astype(np.float64) @ member + stay * member)
    elected = labels.copy()
    elected[np.diff(votes.indptr) > 0] = columns_of_maxima(votes)
    return elected


def columns_of_maxima(matrix: Any) -> Labels:
    """For every row of a CSR matrix that has entries the column of the largest, the first of equal ones."""
    matrix.sort_indices()
    lengths = np.diff(matrix.indptr)
    filled = np.flatnonzero(lengths)
    highest = np.maximum.reduceat(matrix.data, matrix.indptr[filled])
    hits = np.flatnonzero(matrix.data == np.repeat(highest, lengths[filled]))
    row_of_hit = np.repeat(filled, lengths[filled])[hits]
    return matrix.indices[hits[np.flatnonzero(np.diff(row_of_hit, prepend=-1))]].astype(np.int64)


class GroupWeights(NamedTuple):
    """What each group has of the edges, a directed one read as half an edge each way: twice their weight in all."""

    inside: npt.NDArray[np.float64]
    volume: npt.NDArray[np.float64]  # with those that leave it


def group_weights(affinity: Any, labels: Labels, n_groups: int, n_threads: int = 1) -> GroupWeights:
    """In one pass over the edges, however many groups there are."""
    bounds = tiles_of(len(labels), n_groups)
    sums = np.zeros((len(bounds) - 1, 3, n_groups))
    if native_available():
        from slkmodes import _kernels

        _kernels.group_weights(*edges_of(affinity), labels, bounds, sums, n_threads)
    else:
        for tile, (begin, end) in enumerate(pairwise(bounds)):
            edges = affinity[begin:end].tocoo()
            source, target = labels[begin:end][edges.row], labels[edges.col]
            inside = np.where(source == target, edges.data, 0)
            for own, (groups, weights) in zip(
                sums[tile], [(source, edges.data), (target, edges.data), (source, inside)], strict=True
            ):
                own[:] = np.bincount(groups, weights, n_groups)
    leaving, entering, inside = sum_of_tiles(sums)
    return GroupWeights(2 * inside, leaving + entering)


def weights_between(affinity: Any, labels: Labels, n_threads: int = 1) -> npt.NDArray[np.float64]:
    """The mean weight of the edges there and back, between groups and inside each: an array, for a few groups."""
    n_groups = int(labels.max()) + 1
    bounds = tiles_of(len(labels), n_groups)
    sums = np.zeros((len(bounds) - 1, n_groups, n_groups))
    if native_available():
        from slkmodes import _kernels

        _kernels.weights_between(*edges_of(affinity), labels, bounds, sums, n_threads)
    else:
        for tile, (begin, end) in enumerate(pairwise(bounds)):
            edges = affinity[begin:end].tocoo()
            pairs = labels[begin:end][edges.row] * n_groups + labels[edges.col]
            sums[tile] = np.bincount(pairs, edges.data, n_groups**2).reshape(n_groups, n_groups)
    directed = sum_of_tiles(sums)
    return (directed + directed.T) / 2


def tiles_of(n_rows: int, n_groups: int) -> Labels:
    """Where each tile begins and the last ends."""
    return np.linspace(0, n_rows, int(np.clip(n_rows // max(n_groups, 1), 1, MOST_TILES)) + 1).astype(np.int64)


def sum_of_tiles(sums: Array) -> Array:
    """Always in the same order."""
    total = sums[0]
    for tile_sums in sums[1:]:
        total += tile_sums
    return total


def sparse_weights_between(affinity: Any, labels: Labels, n_groups: int) -> Any:
    """The same as a CSR matrix, for any number of groups."""
    edges = affinity.tocoo()
    ends = labels[edges.row], labels[edges.col]
    directed = sparse.csr_array((edges.data.astype(np.float64), ends), shape=(n_groups, n_groups))
    return sparse.csr_array((directed + directed.T) / 2)


def connected_parts(affinity: Any, labels: Labels | None = None) -> Labels:
    """The part of every row, numbered by their first rows, when edges join those of equal labels only, or all."""
    if labels is None:
        labels = np.zeros(affinity.shape[0], dtype=np.int64)
    if native_available():
        from slkmodes import _kernels

        parts = np.empty_like(labels)
        row_starts, columns, _ = edges_of(affinity)
        _kernels.parts(row_starts, columns, labels, parts)
        return parts
    edges = affinity.tocoo()
    inside = labels[edges.row] == labels[edges.col]
    joined = sparse.csr_array((edges.data[inside], (edges.row[inside], edges.col[inside])), shape=affinity.shape)
    return connected_components(joined, directed=False)[1].astype(np.int64)
