"""X -> the k nearest other rows of every row: a table of search methods.

A search is built once on the rows of X and then queried, by X itself for the graph and by new rows in
``predict``.
"""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.distances import EUCLIDEAN, Euclidean
from slkmodes.engines import native_available
from slkmodes.exact_search import BruteSearch, EqualRows, TreeSearch
from slkmodes.inverted_lists import InvertedListSearch
from slkmodes.nn_descent import DescentSearch
from slkmodes.search import Array, Found, Search
from slkmodes.telling import Say, keep_quiet

# "auto": a tree up to this many features, all pairs up to this many rows, else an approximate search.
TREE_FEATURES = 10
BRUTE_ROWS = 10_000
# Part of the true neighbours that an approximate search shall find.
TARGET_RECALL = 0.98


@dataclass(frozen=True)
class Neighbors:
    """The neighbours of every row, nearest first, the row itself never among them."""

    indices: npt.NDArray[np.int64]
    distances: Array
    recall: float = 1.0  # part of the true neighbours found, measured on a sample; 1 for exact methods


SEARCHES: dict[str, type[Search]] = {
    "kd_tree": TreeSearch,
    "brute": BruteSearch,
    "nn_descent": DescentSearch,
    "inverted_lists": InvertedListSearch,
}


def choose_search(n_samples: int, n_features: int) -> str:
    """What "auto" means for data of this shape."""
    if n_features <= TREE_FEATURES:
        return "kd_tree"
    if n_samples <= BRUTE_ROWS:
        return "brute"
    return "nn_descent" if native_available() else "inverted_lists"


class NeighborIndex:
    """A search that is built when it is first asked, and not pickled."""

    def __init__(
        self,
        X: Array,
        search: str,
        n_neighbors: int,
        target: float = TARGET_RECALL,
        metric: Euclidean = EUCLIDEAN,
    ) -> None:
        self.X, self.search, self.n_neighbors, self.target, self.metric = X, search, n_neighbors, target, metric
        self._built: Search | None = None
        self._equal: EqualRows | None = None
        self._lock = threading.Lock()

    @property
    def n_features(self) -> int:
        """Of the samples."""
        return int(self.X.shape[1]) - self.metric.extra_columns

    def built(self, n_threads: int, say: Say = keep_quiet) -> Search:
        """The search itself."""
        if self._built is None:
            self._built = SEARCHES[self.search](self.X, self.n_neighbors, n_threads, self.target, say, self.metric)
        return self._built

    @property
    def is_exact(self) -> bool:
        """Whether the search finds every row itself, and needs no more than itself for that."""
        return self.metric.nearest_to_itself and SEARCHES[self.search].exact

    def get_ready(self, n_threads: int) -> Search:
        """The search, with all that it needs for new rows. Several threads may ask."""
        with self._lock:
            search = self.built(n_threads)
            search.get_ready(n_threads)
            if self._equal is None and not self.is_exact:  # an approximate search may miss the row itself
                self._equal = EqualRows(self.metric.features(self.X), n_threads)
        return search

    def query(self, Q: Array, n_threads: int) -> Found:
        """The rows of X nearest to each row of Q, as many as the index is for."""
        return self.get_ready(n_threads).query(Q, self.n_neighbors, n_threads)

    def twins(self, Q: Array, found: Found, n_threads: int) -> npt.NDArray[np.int64]:
        """The row of X that each row of Q equals, -1 for none; ``found`` are its neighbours."""
        indices, distances = found
        rows = np.where((distances[:, 0] == 0) & self.metric.nearest_to_itself, indices[:, 0], -1)
        self.get_ready(n_threads)
        if self._equal is None:
            return rows
        return np.where(rows < 0, self._equal.find(self.metric.features(Q), n_threads), rows)

    def graph(self, n_threads: int, say: Say = keep_quiet) -> Neighbors:
        """The neighbours of every row of X among the others; duplicates are neighbours at distance 0."""
        search = self.built(n_threads, say)
        found = search.graph(self.X, self.n_neighbors, n_threads, say)
        if search.recall < self.target:
            warnings.warn(
                f"The approximate neighbour search found {search.recall:.1%} of the true neighbours of a sample of "
                "rows. Pass neighbor_search='brute' for exact neighbours.",
                stacklevel=2,
            )
        return Neighbors(*found, search.recall)

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in vars(self).items() if name != "_lock"}
        return {**kept, "_built": None, "_equal": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.Lock())
