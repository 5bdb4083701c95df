"""Distances -> weights: the sparse graph of the Laplacian term, and the bandwidth of the mode term."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from slkmodes.labelled_graph import connected_parts
from slkmodes.neighbors import Neighbors

Array = npt.NDArray[Any]

# A graph whose largest connected parts, so many per cluster, hold fewer rows than this cannot tell which parts belong
# together.
PARTS_PER_CLUSTER = 4
LEAST_HELD = 0.8
# How many times n_neighbors are looked at where the weights choose among them.
REACH = {"adaptive": 3}
# The neighbour whose distance is the scale of a row, as in self-tuning spectral clustering.
SCALE_NEIGHBOR = 7
# Little enough to leave small clusters alone, enough to keep soft ones alive.
AUTO_BALANCE = 0.1


def reach_of(weights: str, n_neighbors: int, n_samples: int) -> int:
    """How many neighbours have to be found for ``n_neighbors`` of these weights."""
    return min(REACH.get(weights, 1) * n_neighbors, n_samples - 1)


def estimate_bandwidth(neighbors: Neighbors, n_neighbors: int) -> float:
    """sigma of section 4.2: the root mean squared distance to the neighbours; 1 where all are duplicates."""
    squared = float(np.mean(np.square(neighbors.distances[:, :n_neighbors], dtype=np.float64)))
    return squared**0.5 if squared > 0 else 1.0


def adaptive_weights(found: Neighbors, among: Neighbors, n_neighbors: int, bandwidth: float) -> Array:
    """A half for the nearest by distance, a half for the nearest by distance relative to the scales of both ends.

    The first kind of edge prefers dense regions, the second (Zelnik-Manor and Perona, NIPS 2004) crosses into them
    less: what both name weighs 1.
    """
    relative = found.distances / np.sqrt(scale_of(found)[:, None] * scale_of(among)[found.indices])
    half = relative.dtype.type(0.5)
    return half * (np.arange(relative.shape[1]) < n_neighbors) + half * smallest(relative, n_neighbors)


def smallest(values: Array, count: int) -> npt.NDArray[np.bool_]:
    """Which are the smallest ``count`` of every row; of equal ones the first."""
    count = min(count, values.shape[1])
    chosen = values <= np.partition(values, count - 1, axis=1)[:, count - 1, None]
    tied = np.flatnonzero(np.count_nonzero(chosen, axis=1) > count)
    chosen[tied] = False
    chosen[tied[:, None], np.argsort(values[tied], axis=1, kind="stable")[:, :count]] = True
    return np.asarray(chosen)


def scale_of(neighbors: Neighbors) -> Array:
    """How far apart rows lie around each row; never 0."""
    place = min(SCALE_NEIGHBOR, neighbors.distances.shape[1]) - 1
    return at_least_tiny(neighbors.distances[:, place])


def binary_weights(found: Neighbors, among: Neighbors, n_neighbors: int, bandwidth: float) -> Array:
    """1 for every neighbour, as in the paper."""
    return np.ones_like(found.distances)


def gaussian_weights(found: Neighbors, among: Neighbors, n_neighbors: int, bandwidth: float) -> Array:
    """The kernel of the mode term."""
    return bell(found.distances / found.distances.dtype.type(bandwidth))


def local_weights(found: Neighbors, among: Neighbors, n_neighbors: int, bandwidth: float) -> Array:
    """A Gaussian as wide as the neighbourhoods of both ends (Zelnik-Manor and Perona, NIPS 2004)."""
    reach, own = at_least_tiny(among.distances[:, -1]), at_least_tiny(found.distances[:, -1:])
    return bell(found.distances / np.sqrt(own * reach[found.indices]))


def shared_weights(found: Neighbors, among: Neighbors, n_neighbors: int, bandwidth: float) -> Array:
    """Share of the neighbours that both ends have in common, each end its own neighbour (Jarvis and Patrick 1973)."""
    theirs = np.column_stack([np.arange(len(among.indices)), among.indices])
    ours = theirs if found is among else found.indices
    weights = np.empty_like(found.distances)
    for place in range(found.indices.shape[1]):
        other = theirs[found.indices[:, place]]
        common = np.count_nonzero(ours[:, :, None] == other[:, None, :], axis=(1, 2))
        weights[:, place] = common / (ours.shape[1] + other.shape[1] - common)
    return weights


def at_least_tiny(distances: Array) -> Array:
    """Distances that can be divided by, also two of them multiplied."""
    return np.maximum(distances, np.finfo(distances.dtype).tiny ** 0.25)


def bell(ratio: Array) -> Array:
    """``exp(-ratio^2 / 2)``; at least the smallest normal number, so that an edge stays an edge."""
    return np.maximum(np.exp(-0.5 * np.square(ratio)), np.finfo(ratio.dtype).tiny)


# Neighbours found, the neighbours of the samples they were found among, n_neighbors and the bandwidth -> a weight for
# each; 0 is no edge.
WEIGHTS: dict[str, Callable[[Neighbors, Neighbors, int, float], Array]] = {
    "adaptive": adaptive_weights,
    "binary": binary_weights,
    "gaussian": gaussian_weights,
    "local": local_weights,
    "shared": shared_weights,
}

SYMMETRIZERS: dict[str, Callable[[Any], Any]] = {
    "none": lambda W: W,
    "union": lambda W: W.maximum(W.T),
    "mutual": lambda W: W.minimum(W.T),
    "average": lambda W: (W + W.T) * W.dtype.type(0.5),
}


def neighbor_affinity(neighbors: Neighbors, weights: str, symmetrize: str, n_neighbors: int, bandwidth: float) -> Any:
    """The graph of the neighbours: CSR, n x n, sorted columns, no diagonal."""
    n_samples = len(neighbors.indices)
    values = WEIGHTS[weights](neighbors, neighbors, n_neighbors, bandwidth)
    edges = values != 0
    starts = np.concatenate([[0], np.cumsum(np.count_nonzero(edges, axis=1))])
    numbers = np.int32 if 2 * starts[-1] <= np.iinfo(np.int32).max else np.int64  # twice: both directions
    columns = neighbors.indices[edges].astype(numbers)
    directed = sparse.csr_array((values[edges], columns, starts.astype(numbers)), shape=(n_samples, n_samples))
    return _finish(directed, symmetrize)


def given_affinity(matrix: Any, symmetrize: str) -> Any:
    """A precomputed graph, checked by the caller: its diagonal is dropped, its duplicates are added up."""
    graph = sparse.csr_array(matrix, copy=True)
    graph.sum_duplicates()
    graph.setdiag(0)
    return _finish(graph, symmetrize)


def _finish(directed: Any, symmetrize: str) -> Any:
    directed.sort_indices()
    graph = sparse.csr_array(SYMMETRIZERS[symmetrize](directed))
    graph.eliminate_zeros()
    graph.sort_indices()
    return graph


def sufficient_shift(
    affinity: Any, laplacian_weight: float, balance: float = 0.0, *, all_memberships: bool = True
) -> float:
    """The smallest diagonal shift under which no sweep can raise R, for a symmetric affinity.

    The paper's footnote asks for K + shift * I to be positive semi-definite. Less is enough. A sweep from Z to
    Z' changes R by ``-KL(Z || Z') - (lambda / 2) tr(D'(K + shift I)D)`` with D = Z' - Z, and by Pinsker's
    inequality ``KL >= |D_p|_1^2 / 2 >= |D_p|_2^2`` row by row (rows of D add up to 0). So R cannot rise once
    ``lambda * (smallest eigenvalue of K + shift) >= -2``: the shift is ``-eigenvalue - 2 / lambda``, or 0. With a
    balance, ``1 + balance`` divergences are lost in a sweep, and 2 becomes ``2 * (1 + balance)``. Where rows keep only
    their largest memberships, which may be others after a sweep, no divergence is lost for sure, and 2 becomes 0.
    """
    if laplacian_weight == 0 or affinity.nnz == 0:
        return 0.0
    lost = 2.0 * (1.0 + balance) if all_memberships else 0.0
    return max(0.0, -smallest_eigenvalue_bound(affinity) - lost / laplacian_weight)


def smallest_eigenvalue_bound(affinity: Any) -> float:
    """The smallest eigenvalue, estimated from below to about 1e-3 of the largest degree.

    Lanczos finds it from a random start, and the norm of the residual and that part of the degree are taken off as a
    margin; Gershgorin's discs (minus the largest degree) bound it from below whatever happens.
    """
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    gershgorin = -float(np.abs(affinity).sum(axis=1).max())
    n_samples = affinity.shape[0]
    if n_samples <= 32:
        return max(gershgorin, float(np.linalg.eigvalsh(affinity.toarray().astype(np.float64))[0]) - 1e-12)
    graph = affinity.astype(np.float64)
    start = np.random.default_rng(0).standard_normal(n_samples)
    try:
        values, vectors = eigsh(graph, k=1, which="SA", v0=start, tol=1e-4, maxiter=5000)
    except ArpackNoConvergence:
        return gershgorin
    residual = float(np.linalg.norm(graph @ vectors[:, 0] - values[0] * vectors[:, 0]))
    margin = residual + 1e-3 * abs(gershgorin)
    return max(gershgorin, float(values[0]) - margin)


def falls_apart(affinity: Any, n_clusters: int) -> bool:
    """Whether many rows lie outside the largest connected parts."""
    sizes = np.sort(np.bincount(connected_parts(affinity)))
    return bool(sizes[-PARTS_PER_CLUSTER * n_clusters :].sum() < LEAST_HELD * affinity.shape[0])


def automatic_balance(affinity: Any, n_clusters: int) -> float:
    """None where the graph falls apart: sizes are then for the distances to tell."""
    return 0.0 if falls_apart(affinity, n_clusters) else AUTO_BALANCE
