"""Exact searches: a tree for few features, all pairs for few rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.engines import native_available
from slkmodes.search import BLOCK_ENTRIES, Array, Found, Search, drop_self, rank_candidates

# Neighbours asked of scikit-learn beyond the k wanted, as it rounds otherwise.
SPARE_CANDIDATES = 8
# Entries for each row in a table of keys, so that it is right of most rows that are not there.
SPARSE = 16


class TreeSearch(Search):
    """Exact search in a KD-tree: the fastest in a few dimensions.

    The tree holds different rows only: it cannot split copies of one row, and would compare each with all.
    """

    exact, recall = True, 1.0

    def _prepare(self, n_neighbors: int) -> None:
        from scipy.spatial import cKDTree

        first, group = group_equal_rows(self.X, self.n_threads)
        rows = self.X[first]
        self.order = np.argsort(group, kind="stable")  # rows of X, copies side by side
        self.counts = np.bincount(group)
        self.starts = np.cumsum(self.counts) - self.counts
        # Splitting boxes in the middle, with larger leaves, halves the time against the median splits.
        self.tree = cKDTree(rows, leafsize=32, balanced_tree=False)

    def query(self, Q: Array, k: int, n_threads: int) -> Found:
        """The k rows of X nearest to each row of Q."""
        found: Any = self.tree.query(Q, k=np.arange(1, min(k, self.tree.n) + 1), workers=n_threads)
        distances, groups = found
        indices, distances = self._copies(groups, distances, k)
        ranked = np.lexsort((indices, distances), axis=1)
        return (
            np.take_along_axis(indices, ranked, axis=1),
            np.take_along_axis(distances, ranked, axis=1).astype(self.X.dtype),
        )

    def _copies(self, groups: Array, distances: Array, k: int) -> Found:
        """The first k rows of the groups found, all copies of the nearest before any of the next."""
        shape = (len(groups), k)
        rows, apart = np.empty(shape, dtype=np.int64), np.empty(shape)
        counts = self.counts[groups]
        alone = np.zeros(len(groups), dtype=bool)
        if groups.shape[1] >= k:
            alone = np.all(counts[:, :k] == 1, axis=1)
            rows[alone] = self.order[self.starts[groups[alone, :k]]]
            apart[alone] = distances[alone, :k]
        several = np.flatnonzero(~alone)
        groups, distances, ends = groups[several], distances[several], np.cumsum(counts[several], axis=1)
        queries = np.arange(len(several))
        for place in range(k):
            slot = np.count_nonzero(ends <= place, axis=1)
            group = groups[queries, slot]
            nth = place - (ends[queries, slot] - self.counts[group])
            rows[several, place] = self.order[self.starts[group] + nth]
            apart[several, place] = distances[queries, slot]
        return rows, apart


class BruteSearch(Search):
    """Exact search over all pairs, block by block."""

    exact, recall = True, 1.0

    def _prepare(self, n_neighbors: int) -> None:
        """Nothing: all rows are compared."""

    def query(self, Q: Array, k: int, n_threads: int) -> Found:
        """The k rows of X nearest to each row of Q."""
        if native_available():
            from slkmodes import _kernels

            indices = np.empty((len(Q), k), dtype=np.int64)
            squared = np.empty((len(Q), k), dtype=self.X.dtype)
            _kernels.nearest(self.X, np.ascontiguousarray(Q), indices, squared, n_threads)
            return indices, np.sqrt(squared)
        from sklearn.neighbors import NearestNeighbors

        n_candidates = min(k + SPARE_CANDIDATES, len(self.X))
        search = NearestNeighbors(n_neighbors=n_candidates, algorithm="brute").fit(self.X)
        candidates = search.kneighbors(Q, return_distance=False).astype(np.int32)
        return rank_candidates(self.X, Q, candidates, k, n_threads)


def true_neighbors(X: Array, Q: Array, k: int, n_threads: int, own: npt.NDArray[np.int64]) -> Found:
    """The k rows of X nearest to each row of Q but its own, measured as :func:`rank_candidates` does."""
    rows, _ = drop_self(*BruteSearch(X, k, n_threads).query(Q, k + 1, n_threads), own)
    return rank_candidates(X, Q, rows.astype(np.int32), k, n_threads)


def complete(X: Array, Q: Array, found: Found, k: int, n_threads: int) -> Found:
    """Compare with all rows what an approximate search found fewer than k rows for."""
    indices, distances = found
    short = np.flatnonzero(indices[:, -1] < 0)
    if len(short):
        indices[short], distances[short] = BruteSearch(X, k, n_threads).query(Q[short], k, n_threads)
    return indices, distances


def group_equal_rows(X: Array, n_threads: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The first row of every group of equal rows, and the group of every row, by sorting one key per row."""
    _, first, group = np.unique(keys_of(X, n_threads), return_index=True, return_inverse=True)
    if not np.array_equal(X[first[group]], X):  # two different rows with one key
        _, first, group = np.unique(X, axis=0, return_index=True, return_inverse=True)
    return first, group


def keys_of(X: Array, n_threads: int) -> npt.NDArray[np.uint64]:
    """A number for every row: equal rows have the same, others most likely another."""
    whole = X.itemsize * X.shape[1] % 8 == 0  # two float32 at a time
    words = np.ascontiguousarray(X).view(np.uint64 if whole else f"u{X.itemsize}")
    odd = np.random.default_rng(0).integers(2**63, size=words.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    keys = np.empty(len(X), dtype=np.uint64)
    if native_available():
        from slkmodes import _kernels

        _kernels.keys(words, odd, keys, n_threads)
        return keys
    step = max(1, BLOCK_ENTRIES // max(1, words.shape[1]))
    for start in range(0, len(X), step):
        block = words[start : start + step].astype(np.uint64)
        block ^= block >> np.uint64(32)  # whole numbers differ in the high bits only, which a product loses
        np.einsum("ij,j->i", block, odd, out=keys[start : start + step])
    return keys


class EqualRows:
    """Rows of X by their keys; of different rows with one key only the first can be found."""

    def __init__(self, X: Array, n_threads: int) -> None:
        self.X = X
        keys = keys_of(X, n_threads)
        self.order = np.argsort(keys, kind="stable")
        self.keys = keys[self.order]
        # What most rows of others are told from, without a search: a table of leading bits that a few keys have.
        self.shift = np.uint64(64 - max(1, (SPARSE * len(X)).bit_length()))
        self.begins = np.zeros(2 ** (64 - int(self.shift)), dtype=bool)
        self.begins[keys >> self.shift] = True

    def find(self, Q: Array, n_threads: int) -> npt.NDArray[np.int64]:
        """For every row of Q the first row of X that equals it to the bit, or -1."""
        keys = keys_of(Q, n_threads)
        rows = np.full(len(Q), -1)
        maybe = np.flatnonzero(self.begins[keys >> self.shift])
        places = np.searchsorted(self.keys, keys[maybe]).clip(max=len(self.keys) - 1)
        same = self.keys[places] == keys[maybe]
        alike, theirs = maybe[same], self.order[places[same]]
        equal = (self.X[theirs] == Q[alike]).all(axis=1)
        rows[alike[equal]] = theirs[equal]
        return rows
