"""Seeds from the graph alone: cut it into many small segments, then merge segments until K groups are left.

A graph of ten thousand rows has too many labellings to search. Its segments, a few for every cluster wanted, have few
enough: on the contracted graph the best merge is found by greedy agglomeration and local search in well under a
second, almost whatever the random numbers were.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

Array = npt.NDArray[Any]
Labels = npt.NDArray[np.int64]

# Segments per cluster, at least and at most: merging looks at all pairs of them.
SEGMENTS_PER_CLUSTER = 8
FEWEST_SEGMENTS = 40
MOST_SEGMENTS = 512
ROWS_PER_SEGMENT = 4

# Columns and steps of the smoothing that places joined rows side by side.
EXTRA_COLUMNS = 6
MOST_COLUMNS = 128
SMOOTHING_STEPS = 60
STEPS_BETWEEN_QR = 20
KMEANS_ROWS = 10_000

# What equal sizes are worth against the normalised cut, which alone would rather cut off a few far rows than part two
# large neighbours.
BALANCE = 0.8
# Changes of mind about the best merge before it is taken.
PERTURBATIONS = 50
LEANING_STEPS = 30


def graph_groups(affinity: Any, n_clusters: int, rng: np.random.Generator) -> Labels:
    """A label from 0 to ``n_clusters - 1`` for every row, from the edges alone."""
    segments = segment(affinity, n_clusters, rng)
    if segments.max() < n_clusters:  # nothing to merge
        return segments
    return ContractedGraph(affinity, segments).merge(n_clusters, rng)[segments]


def segment(affinity: Any, n_clusters: int, rng: np.random.Generator) -> Labels:
    """Small groups of well joined rows: the connected parts of :func:`cells_of_directions`."""
    cells = cells_of_directions(affinity, n_clusters, rng)
    edges = affinity.tocoo()
    inside = cells[edges.row] == cells[edges.col]
    joined = sparse.csr_array((edges.data[inside], (edges.row[inside], edges.col[inside])), shape=affinity.shape)
    parts = connected_components(joined, directed=False)[1]
    sizes = np.bincount(parts)
    kept = np.argsort(-sizes, kind="stable")[:MOST_SEGMENTS]
    kept = kept[sizes[kept] >= min(ROWS_PER_SEGMENT, sizes[kept[min(n_clusters, len(kept)) - 1]])]
    number = np.full(len(sizes), -1)
    number[kept] = np.arange(len(kept))
    return absorb(affinity, number[parts])


def absorb(affinity: Any, segments: Labels) -> Labels:
    """Give rows without a segment (-1) the one most of their neighbours have, from its border inwards.

    Rows that no edge joins to any segment go to the first, the largest.
    """
    segments = segments.copy()
    n_segments = int(segments.max()) + 1
    while len(loose := np.flatnonzero(segments < 0)):
        placed = np.flatnonzero(segments >= 0)
        shape = (len(segments), n_segments)
        votes = affinity[loose] @ sparse.csr_array((np.ones(len(placed)), (placed, segments[placed])), shape=shape)
        reached = np.diff(votes.indptr) > 0
        if not reached.any():
            segments[loose] = 0
            break
        segments[loose[reached]] = np.asarray(votes.argmax(axis=1)).ravel()[reached]
    return segments


def cells_of_directions(affinity: Any, n_clusters: int, rng: np.random.Generator) -> Labels:
    """Cells of k-means over the directions of smoothed random columns, in which joined rows point the same way."""
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    n_samples = affinity.shape[0]
    wanted = max(SEGMENTS_PER_CLUSTER * n_clusters, FEWEST_SEGMENTS)
    n_cells = max(n_clusters, min(wanted, n_samples // ROWS_PER_SEGMENT, MOST_SEGMENTS))
    columns = smoothed_columns(affinity, min(n_clusters + EXTRA_COLUMNS, MOST_COLUMNS, n_samples), rng)
    norms = np.linalg.norm(columns, axis=1, keepdims=True)
    directions = columns / np.maximum(norms, np.finfo(columns.dtype).tiny)
    sample = rng.choice(n_samples, min(n_samples, KMEANS_ROWS), replace=False)
    kmeans = KMeans(n_cells, n_init=1, max_iter=30, random_state=int(rng.integers(2**31 - 1)))
    with threadpool_limits(1, user_api="openmp"):  # its sums depend on the number of threads
        kmeans.fit(directions[sample])
        return kmeans.predict(directions).astype(np.int64)


def smoothed_columns(affinity: Any, n_columns: int, rng: np.random.Generator) -> Array:
    """Random columns after many lazy steps of diffusion: what is left varies slowly along the edges."""
    W = sparse.csr_array(affinity, dtype=np.float32)
    W = (W + W.T) / np.float32(2)
    root = np.sqrt(np.maximum(W.sum(axis=1), np.finfo(np.float32).tiny))
    scale = sparse.diags_array((1 / root).astype(np.float32))
    diffusion = sparse.csr_array(scale @ W @ scale)
    columns = rng.standard_normal((W.shape[0], n_columns), dtype=np.float32)
    for step in range(1, SMOOTHING_STEPS + 1):
        columns = (columns + diffusion @ columns) / np.float32(2)
        if step % STEPS_BETWEEN_QR == 0:  # or all columns become the slowest one
            columns = np.linalg.qr(columns)[0]
    return columns


class ContractedGraph:
    """Segments as nodes; merges maximise kept weight / volume plus the entropy of the sizes.

    For groups l that is ``sum_l inside_l / volume_l - BALANCE * sum_l share_l log share_l``: minus the normalised cut,
    up to a constant, plus what balance is worth.
    """

    def __init__(self, affinity: Any, segments: Labels) -> None:
        self.sizes = np.bincount(segments).astype(np.float64)
        n_samples, n_segments = len(segments), len(self.sizes)
        member = sparse.csr_array((np.ones(n_samples), (np.arange(n_samples), segments)), shape=(n_samples, n_segments))
        weights = (member.T @ affinity @ member).toarray()
        self.weights = (weights + weights.T) / 2
        self.volumes = self.weights.sum(axis=1)

    def worth(self, inside: Array, volume: Array, size: Array) -> Array:
        """What a group adds to the objective; nothing for a group without rows."""
        share = np.maximum(size, 1e-9) / self.sizes.sum()
        return inside / np.maximum(volume, 1e-12) - BALANCE * share * np.log(share)

    def merge(self, n_groups: int, rng: np.random.Generator) -> Labels:
        """The best labels of the segments found: agglomerate, improve, then perturb and improve again."""
        best, highest = self.improve(self.agglomerate(n_groups), n_groups)
        for _ in range(PERTURBATIONS if n_groups > 1 else 0):
            labels, value = self.improve(self.perturb(best, n_groups, rng), n_groups)
            if value > highest + 1e-12 and len(np.unique(labels)) == n_groups:
                best, highest = labels, value
        return best

    def agglomerate(self, n_groups: int) -> Labels:
        """Merge the pair of groups that gains most, until ``n_groups`` are left."""
        between, volume, size = self.weights.copy(), self.volumes.copy(), self.sizes.copy()
        labels = np.arange(len(size))
        alive = np.arange(len(size))
        while len(alive) > n_groups:
            W, v, s = between[np.ix_(alive, alive)], volume[alive], size[alive]
            inside = np.diag(W)
            apart = self.worth(inside, v, s)
            joined = self.worth(np.add.outer(inside, inside) + 2 * W, np.add.outer(v, v), np.add.outer(s, s))
            gain = joined - np.add.outer(apart, apart)
            np.fill_diagonal(gain, -np.inf)
            a, b = (int(alive[i]) for i in np.unravel_index(np.argmax(gain), gain.shape))
            between[a] += between[b]
            between[:, a] += between[:, b]
            volume[a] += volume[b]
            size[a] += size[b]
            labels[labels == b] = a
            alive = alive[alive != b]
        return np.unique(labels, return_inverse=True)[1]

    def improve(self, labels: Labels, n_groups: int) -> tuple[Labels, float]:
        """Move one segment at a time to where it gains most, until no move gains; no group is emptied."""
        labels = labels.copy()
        own = np.diag(self.weights)
        rows = np.arange(len(labels))
        while True:
            member = np.eye(n_groups)[labels]
            ties, volume, size = self.weights @ member, self.volumes @ member, self.sizes @ member
            inside = np.einsum("il,il->l", member, ties)
            now = self.worth(inside, volume, size)
            without = self.worth(
                inside[labels] - 2 * ties[rows, labels] + own, volume[labels] - self.volumes, size[labels] - self.sizes
            )
            joined = self.worth(
                inside + 2 * ties + own[:, None], volume + self.volumes[:, None], size + self.sizes[:, None]
            )
            gain = (without - now[labels])[:, None] + joined - now
            gain[rows, labels] = -np.inf
            gain[np.bincount(labels, minlength=n_groups)[labels] == 1] = -np.inf
            mover, target = np.unravel_index(np.argmax(gain), gain.shape)
            if not gain[mover, target] > 1e-10:
                return labels, float(now.sum())
            labels[mover] = target

    def perturb(self, labels: Labels, n_groups: int, rng: np.random.Generator) -> Labels:
        """Merge two groups at random and split one in two around two of its segments."""
        labels = labels.copy()
        kept, freed = rng.choice(n_groups, 2, replace=False)
        labels[labels == freed] = kept
        members = np.flatnonzero(labels == labels[rng.integers(len(labels))])
        if len(members) > 1:
            poles = rng.choice(len(members), 2, replace=False)
            labels[members[self.leaning(members, poles) > 0]] = freed
        return labels

    def leaning(self, members: Labels, poles: Labels) -> Array:
        """Which of two members each member is nearer to, from -1 to 1: the harmonic function between them."""
        walk = self.weights[np.ix_(members, members)]
        walk = walk / np.maximum(walk.sum(axis=1, keepdims=True), 1e-12)
        potential = np.zeros(len(members))
        for _ in range(LEANING_STEPS):
            potential = walk @ potential
            potential[poles] = -1.0, 1.0
        return potential
