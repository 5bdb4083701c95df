"""Clusters around density peaks: dense samples that are far from every denser one (Rodriguez and Laio, Science 2014).

Here the graph does most of the work: a sample's density is the mean of the kernel over its edges, and its next denser
sample is a neighbour unless it is a local peak; only local peaks are compared with all samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.mode_kernels import BLOCK_ENTRIES, GaussianKernel

Array = npt.NDArray[Any]
Labels = npt.NDArray[np.int64]


def density_peak_groups(kernel: GaussianKernel, affinity: Any, n_clusters: int) -> Labels:
    """The K samples with the largest density * distance to the next denser sample; the others follow uphill."""
    answering = kernel.metric.answering(kernel.X)
    squared = squared_edge_lengths(kernel.X, answering, affinity)
    rows = np.repeat(np.arange(kernel.n_samples), np.diff(affinity.indptr))
    total = np.bincount(rows, weights=np.exp(-squared * kernel.gamma), minlength=kernel.n_samples)
    density = total / np.maximum(np.diff(affinity.indptr), 1)  # the mean: a sum would mostly count the edges
    order = np.argsort(-density, kind="stable")  # equal densities: the earlier row counts as the denser
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))

    uphill, distance = nearest_denser_neighbor(affinity, squared, rank)
    peaks = np.flatnonzero(uphill < 0)
    uphill[peaks], distance[peaks] = nearest_denser(kernel.X, answering, order, rank, peaks)

    distance[order[0]] = 0.0  # nothing is denser
    prominence = density * distance
    prominence[order[0]] = np.inf
    labels = np.full(kernel.n_samples, -1)
    labels[np.argsort(-prominence, kind="stable")[:n_clusters]] = np.arange(n_clusters)
    for row in order.tolist():  # whatever is denser has its label already
        if labels[row] < 0:
            labels[row] = labels[uphill[row]]
    return labels


def squared_edge_lengths(X: Array, answering: Array, affinity: Any) -> npt.NDArray[np.float64]:
    """Squared distance along every edge, in the order of the CSR arrays."""
    rows = np.repeat(np.arange(len(X)), np.diff(affinity.indptr))
    squared = np.empty(len(rows))
    step = max(1, BLOCK_ENTRIES // X.shape[1])
    for start in range(0, len(rows), step):
        edges = slice(start, start + step)
        difference = X[rows[edges]] - answering[affinity.indices[edges]]
        squared[edges] = np.einsum("ed,ed->e", difference, difference, dtype=np.float64)
    return squared


def nearest_denser_neighbor(affinity: Any, squared: Array, rank: Labels) -> tuple[Labels, npt.NDArray[np.float64]]:
    """The closest neighbour that is denser and its distance; -1 and infinity for local peaks."""
    rows = np.repeat(np.arange(len(rank)), np.diff(affinity.indptr))
    denser = np.flatnonzero(rank[affinity.indices] < rank[rows])
    nearest_last = denser[np.lexsort((affinity.indices[denser], squared[denser], rows[denser]))[::-1]]
    uphill, distance = np.full(len(rank), -1), np.full(len(rank), np.inf)
    uphill[rows[nearest_last]] = affinity.indices[nearest_last]  # of equal targets the last assignment stays
    distance[rows[nearest_last]] = np.sqrt(squared[nearest_last])
    return uphill, distance


def nearest_denser(
    X: Array, answering: Array, order: Labels, rank: Labels, peaks: Labels
) -> tuple[Labels, npt.NDArray[np.float64]]:
    """The closest of all denser samples for each of the peaks, in blocks of peaks of like density."""
    origin = X.mean(axis=0)  # the expanded square cancels badly far from the origin
    denser = answering[order] - origin
    norms = np.einsum("pd,pd->p", denser, denser)
    uphill, distance = np.full(len(peaks), -1), np.full(len(peaks), np.inf)
    left = np.argsort(rank[peaks], kind="stable")[1:]  # the densest of all is a peak, and has none
    while len(left):
        n_denser = int(rank[peaks[left[-1]]])
        left, block = np.split(left, [-max(1, BLOCK_ENTRIES // n_denser)])
        ranks = rank[peaks[block]]
        rows = X[peaks[block]] - origin
        squared = np.einsum("pd,pd->p", rows, rows)[:, None] + norms[:n_denser] - 2 * (rows @ denser[:n_denser].T)
        squared[np.arange(n_denser) >= ranks[:, None]] = np.inf
        nearest = squared.argmin(axis=1)
        uphill[block] = order[nearest]
        distance[block] = np.sqrt(np.maximum(squared[np.arange(len(block)), nearest], 0.0))
    return uphill, distance
