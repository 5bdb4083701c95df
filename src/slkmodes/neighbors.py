"""X -> the k nearest other rows of every row: a table of search methods.

A search is built once on the rows of X and then queried, by X itself for the graph and by new rows in
``predict``. Answers are ordered by distance, then by row number, and do not depend on the number of threads.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from slkmodes.engines import native_available

Array = npt.NDArray[Any]
Found = tuple[npt.NDArray[np.int64], Array]  # indices and distances, both (n_queries, k)

# "auto": a tree up to this many features, all pairs up to this many rows, inverted lists beyond.
TREE_FEATURES = 10
BRUTE_ROWS = 10_000

# Candidates fetched beyond the k wanted, before they are ranked by their exact distance.
SPARE_CANDIDATES = 8

# An approximate search widens until a sample of queries finds this part of its true neighbours.
TARGET_RECALL = 0.98
RECALL_SAMPLE = 256
MOST_SPARE_CANDIDATES = 256

# Numbers of a block in memory at a time: 32 MiB of float32.
BLOCK_ENTRIES = 1 << 23


@dataclass(frozen=True)
class Neighbors:
    """The neighbours of every row, nearest first, the row itself never among them."""

    indices: npt.NDArray[np.int64]
    distances: Array
    recall: float = 1.0  # part of the true neighbours found, measured on a sample; 1 for exact methods


class Search(Protocol):
    """Rows prepared for searching."""

    recall: float  # part of the true neighbours it finds

    def __init__(self, X: Array, n_neighbors: int, n_threads: int) -> None:
        """Prepare for lists of about ``n_neighbors`` rows."""

    def query(self, Q: Array, k: int, n_threads: int) -> Found:
        """The k rows of X nearest to each row of Q."""


class TreeSearch:
    """Exact search in a KD-tree: the fastest in a few dimensions.

    The tree holds different rows only: it cannot split copies of one row, and would compare each with all.
    """

    recall = 1.0

    def __init__(self, X: Array, n_neighbors: int, n_threads: int) -> None:
        from scipy.spatial import cKDTree

        first, group = group_equal_rows(X)
        rows = X[first]
        self.order = np.argsort(group, kind="stable")  # rows of X, copies side by side
        self.counts = np.bincount(group)
        self.starts = np.cumsum(self.counts) - self.counts
        # Splitting boxes in the middle, with larger leaves, halves the time against the median splits.
        self.tree = cKDTree(rows, leafsize=32, balanced_tree=False)
        self.dtype = X.dtype

    def query(self, Q: Array, k: int, n_threads: int) -> Found:
        """The k rows of X nearest to each row of Q."""
        n_groups = min(k + SPARE_CANDIDATES, self.tree.n)
        found: Any = self.tree.query(Q, k=np.arange(1, n_groups + 1), workers=n_threads)
        distances, groups = found
        indices, distances = self._copies(groups, distances, k)
        ranked = np.lexsort((indices, distances), axis=1)
        return (
            np.take_along_axis(indices, ranked, axis=1),
            np.take_along_axis(distances, ranked, axis=1).astype(self.dtype),
        )

    def _copies(self, groups: Array, distances: Array, k: int) -> Found:
        """The first k rows of the groups found, all copies of the nearest before any of the next."""
        ends = np.cumsum(self.counts[groups], axis=1)
        shape = (len(groups), k)
        rows, apart = np.empty(shape, dtype=np.int64), np.empty(shape)
        queries = np.arange(len(groups))
        for place in range(k):
            slot = np.count_nonzero(ends <= place, axis=1)
            group = groups[queries, slot]
            nth = place - (ends[queries, slot] - self.counts[group])
            rows[:, place] = self.order[self.starts[group] + nth]
            apart[:, place] = distances[queries, slot]
        return rows, apart


class BruteSearch:
    """Exact search over all pairs, block by block."""

    recall = 1.0

    def __init__(self, X: Array, n_neighbors: int, n_threads: int) -> None:
        self.X = X

    def query(self, Q: Array, k: int, n_threads: int) -> Found:
        """The k rows of X nearest to each row of Q."""
        if native_available():
            from slkmodes import _kernels

            indices = np.empty((len(Q), k), dtype=np.int64)
            squared = np.empty((len(Q), k), dtype=self.X.dtype)
            _kernels.nearest(self.X, Q, indices, squared, n_threads)
            return indices, np.sqrt(squared)
        from sklearn.neighbors import NearestNeighbors

        n_candidates = min(k + SPARE_CANDIDATES, len(self.X))
        search = NearestNeighbors(n_neighbors=n_candidates, algorithm="brute").fit(self.X)
        return rank_candidates(self.X, Q, search.kneighbors(Q, return_distance=False), k, n_threads)


class InvertedListSearch:
    """Approximate search by faiss: principal components, inverted lists, then exact distances.

    More lists are searched, or more candidates ranked, until the target recall is met on a sample of the rows.
    """

    N_COMPONENTS = 64

    def __init__(self, X: Array, n_neighbors: int, n_threads: int) -> None:
        import faiss

        self.X = X
        rng = np.random.default_rng(0)
        n_lists = int(np.sqrt(len(X)))
        sample = X[np.sort(rng.choice(len(X), min(len(X), 64 * n_lists), replace=False))]
        self.center = sample.mean(axis=0, dtype=np.float64).astype(X.dtype)
        spread = float(np.abs(sample - self.center).max())
        self.scale = X.dtype.type(1.0 / spread if spread > 0 else 1.0)  # float32 overflows where float64 does not
        self.components = self._principal_components(sample)
        reduced = self._reduce(X)
        self.index = faiss.IndexIVFFlat(faiss.IndexFlatL2(reduced.shape[1]), reduced.shape[1], n_lists)
        self.index.cp.min_points_per_centroid = 1  # or faiss prints a warning of its own about small data
        with faiss_threads(1):  # faster on so few rows, and the rounding cannot depend on threads
            self.index.train(self._reduce(sample))
        with faiss_threads(n_threads):
            self.index.add(reduced)
        self.index.nprobe = 8
        self.n_spare = SPARE_CANDIDATES
        self.recall = self._widen_until_found(n_neighbors, n_threads, rng)

    def query(self, Q: Array, k: int, n_threads: int) -> Found:
        """The k rows of X nearest to each row of Q, nearly all of them."""
        n_candidates = min(2 * k + self.n_spare, len(self.X))
        step = max(1, BLOCK_ENTRIES // n_candidates)
        blocks = [self._query_block(Q[i : i + step], k, n_candidates, n_threads) for i in range(0, len(Q), step)]
        indices, distances = zip(*blocks, strict=True)
        return np.concatenate(indices), np.concatenate(distances)

    def _query_block(self, Q: Array, k: int, n_candidates: int, n_threads: int) -> Found:
        with faiss_threads(n_threads):
            _, candidates = self.index.search(self._reduce(Q), n_candidates)
        indices, distances = rank_candidates(self.X, Q, candidates, k, n_threads)
        short = np.flatnonzero(candidates[:, k - 1] < 0)  # too few rows in the lists searched
        if len(short):
            exact = BruteSearch(self.X, k, n_threads)
            indices[short], distances[short] = exact.query(Q[short], k, n_threads)
        return indices, distances

    def _widen_until_found(self, n_neighbors: int, n_threads: int, rng: np.random.Generator) -> float:
        """Double what helps more, lists or candidates, until the target recall is met; return the recall."""
        sample = self.X[rng.choice(len(self.X), min(RECALL_SAMPLE, len(self.X)), replace=False)]
        k = n_neighbors + 1  # a row finds itself without effort: the first does not count
        truth = BruteSearch(self.X, k, n_threads).query(sample, k, n_threads)[1][:, 1:]

        def recall_with(nprobe: int, n_spare: int) -> float:
            self.index.nprobe, self.n_spare = nprobe, n_spare
            return recall_of(self.query(sample, k, n_threads)[1][:, 1:], truth)

        most = (self.index.nlist, MOST_SPARE_CANDIDATES)
        best = (self.index.nprobe, self.n_spare)
        recall = recall_with(*best)
        while recall < TARGET_RECALL and best != most:
            wider = {(min(2 * best[0], most[0]), best[1]), (best[0], min(2 * best[1], most[1]))} - {best}
            recall, best = max((recall_with(*setting), setting) for setting in wider)
        self.index.nprobe, self.n_spare = best
        return recall

    def _principal_components(self, sample: Array) -> Array | None:
        if sample.shape[1] <= self.N_COMPONENTS:
            return None
        Y = (sample - self.center) * self.scale
        _, vectors = np.linalg.eigh(Y.T @ Y)
        return np.ascontiguousarray(vectors[:, -self.N_COMPONENTS :].astype(np.float32))

    def _reduce(self, rows: Array) -> npt.NDArray[np.float32]:
        width = rows.shape[1] if self.components is None else self.N_COMPONENTS
        reduced = np.empty((len(rows), width), dtype=np.float32)
        step = max(1, BLOCK_ENTRIES // rows.shape[1])
        for start in range(0, len(rows), step):
            block = ((rows[start : start + step] - self.center) * self.scale).astype(np.float32)
            reduced[start : start + step] = block if self.components is None else block @ self.components
        return reduced


SEARCHES: dict[str, type[Search]] = {
    "kd_tree": TreeSearch,
    "brute": BruteSearch,
    "inverted_lists": InvertedListSearch,
}


def choose_search(n_samples: int, n_features: int) -> str:
    """What "auto" means for data of this shape."""
    if n_features <= TREE_FEATURES:
        return "kd_tree"
    return "brute" if n_samples <= BRUTE_ROWS else "inverted_lists"


class NeighborIndex:
    """A search that is built when it is first asked, and not pickled."""

    def __init__(self, X: Array, search: str, n_neighbors: int) -> None:
        self.X, self.search, self.n_neighbors = X, search, n_neighbors
        self._built: Search | None = None

    def built(self, n_threads: int) -> Search:
        """The search itself."""
        if self._built is None:
            self._built = SEARCHES[self.search](self.X, self.n_neighbors, n_threads)
        return self._built

    def query(self, Q: Array, n_threads: int) -> Found:
        """The rows of X nearest to each row of Q, as many as the index is for."""
        return self.built(n_threads).query(Q, self.n_neighbors, n_threads)

    def graph(self, n_threads: int) -> Neighbors:
        """The neighbours of every row of X among the others; duplicates are neighbours at distance 0."""
        search = self.built(n_threads)
        found = drop_self(*search.query(self.X, self.n_neighbors + 1, n_threads))
        if search.recall < TARGET_RECALL:
            warnings.warn(
                f"The approximate neighbour search found {search.recall:.1%} of the true neighbours of a sample of "
                "rows. Pass neighbor_search='brute' for exact neighbours.",
                stacklevel=2,
            )
        return Neighbors(*found, search.recall)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_built": None}


def group_equal_rows(X: Array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The first row of every group of equal rows, and the group of every row, by sorting one key per row."""
    bits = X.view(f"u{X.itemsize}").astype(np.uint64)
    factors = np.random.default_rng(0).integers(2**63, size=X.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    _, first, group = np.unique((bits * factors).sum(axis=1), return_index=True, return_inverse=True)
    if not np.array_equal(X[first[group]], X):  # two different rows with one key
        _, first, group = np.unique(X, axis=0, return_index=True, return_inverse=True)
    return first, group


def drop_self(indices: npt.NDArray[np.int64], distances: Array) -> Found:
    """Remove every row from its own list; the farthest goes where duplicates crowded the row itself out."""
    own = indices == np.arange(len(indices))[:, None]
    own[~own.any(axis=1), -1] = True
    shape = (len(indices), indices.shape[1] - 1)
    return indices[~own].reshape(shape), distances[~own].reshape(shape)


def rank_candidates(X: Array, Q: Array, candidates: npt.NDArray[np.int64], k: int, n_threads: int) -> Found:
    """The best k candidates of every query by exact distance, then row number; -1 is no candidate."""
    squared = squared_distances(X, Q, candidates, n_threads)
    order = np.lexsort((candidates, squared), axis=1)[:, :k]
    return np.take_along_axis(candidates, order, axis=1), np.sqrt(np.take_along_axis(squared, order, axis=1))


def squared_distances(X: Array, Q: Array, candidates: npt.NDArray[np.int64], n_threads: int) -> Array:
    """Squared distance of every query to each of its candidates; infinity for -1."""
    squared = np.empty(candidates.shape, dtype=X.dtype)
    if native_available():
        from slkmodes import _kernels

        _kernels.distances(X, np.ascontiguousarray(Q), np.ascontiguousarray(candidates), squared, n_threads)
        return squared
    step = max(1, BLOCK_ENTRIES // (candidates.shape[1] * max(1, X.shape[1])))
    for start in range(0, len(Q), step):
        block = slice(start, start + step)
        difference = X[candidates[block]] - Q[block, None, :]
        squared[block] = np.einsum("qcd,qcd->qc", difference, difference)
    squared[candidates < 0] = np.inf
    return squared


def recall_of(distances: Array, truth: Array) -> float:
    """Part of the neighbours that are as near as the true k-th; distances, not rows, so that ties count."""
    farthest = truth[:, -1:] * (1 + 1e-5)
    return float(np.mean(distances <= farthest))


@contextmanager
def faiss_threads(n_threads: int) -> Iterator[None]:
    """Run faiss on so many threads; its setting is global, so put it back."""
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(n_threads)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
