"""What every neighbour search offers, and the arithmetic that searches share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.distances import EUCLIDEAN, Euclidean
from slkmodes.engines import native_available
from slkmodes.telling import Say, keep_quiet

Array = npt.NDArray[Any]
Found = tuple[npt.NDArray[np.int64], Array]  # indices and distances, both (n_queries, k)

# Rows whose true neighbours are found to measure the recall of an approximate search.
RECALL_SAMPLE = 256

# Numbers of a block in memory at a time: 32 MiB of float32.
BLOCK_ENTRIES = 1 << 23
# Rows of a graph that are looked up at a time, so that there is something to tell.
ROWS_AT_A_TIME = 1 << 16


class Search(ABC):
    """Rows prepared for searching. Answers come by distance, then by row number, whatever the number of threads."""

    exact = False  # whether it finds all of the true neighbours, whatever the rows
    recall: float  # part of the true neighbours it finds

    def __init__(
        self,
        X: Array,
        n_neighbors: int,
        n_threads: int,
        target: float = 1.0,
        say: Say = keep_quiet,
        metric: Euclidean = EUCLIDEAN,
    ) -> None:
        """Prepare for lists of about ``n_neighbors`` rows that hold the ``target`` part of the true ones.

        X, like all that is asked about later, holds the rows that ask; ``self.X`` are those that answer.
        """
        self.asking, self.X, self.metric = X, metric.answering(X), metric
        self.n_threads, self.target, self.say = n_threads, target, say
        self._prepare(min(n_neighbors, len(X) - 1))

    @abstractmethod
    def _prepare(self, n_neighbors: int) -> None:
        """Everything that can be done before the first query."""

    def get_ready(self, n_threads: int) -> None:  # noqa: B027, most searches are
        """Do what the first query would do otherwise."""

    @abstractmethod
    def query(self, Q: Array, k: int, n_threads: int) -> Found:
        """The k rows of X nearest to each row of Q."""

    def graph(self, X: Array, k: int, n_threads: int, say: Say = keep_quiet) -> Found:
        """The k rows nearest to each row of X itself among the others; duplicates are neighbours at distance 0."""
        indices, distances = np.empty((len(X), k), dtype=np.int64), np.empty((len(X), k), dtype=X.dtype)
        for start in range(0, len(X), ROWS_AT_A_TIME):
            if len(X) > ROWS_AT_A_TIME:
                say(f"neighbours of rows: {start:,} of {len(X):,}")
            rows = slice(start, min(start + ROWS_AT_A_TIME, len(X)))
            found = self.query(X[rows], k + 1, n_threads)
            indices[rows], distances[rows] = drop_self(*found, np.arange(rows.start, rows.stop))
        return indices, distances


def drop_self(indices: npt.NDArray[np.int64], distances: Array, rows: npt.NDArray[np.int64] | None = None) -> Found:
    """Remove every row from its own list; the farthest goes where duplicates crowded the row itself out."""
    own = indices == (np.arange(len(indices)) if rows is None else rows)[:, None]
    own[~own.any(axis=1), -1] = True
    shape = (len(indices), indices.shape[1] - 1)
    return indices[~own].reshape(shape), distances[~own].reshape(shape)


def rank_candidates(
    X: Array, Q: Array, candidates: npt.NDArray[np.int32], k: int, n_threads: int, order: Array | None = None
) -> Found:
    """The best k candidates of every query by exact distance, then row number; -1 is no candidate.

    ``order`` is the order in which queries are best taken, near ones one after the other.
    """
    if native_available():
        from slkmodes import _kernels

        indices = np.empty((len(Q), k), dtype=np.int32)
        squared = np.empty((len(Q), k), dtype=X.dtype)
        _kernels.rank(X, np.ascontiguousarray(Q), candidates, order, indices, squared, n_threads)
    else:
        squared = squared_distances(X, Q, candidates)
        ranked = np.lexsort((candidates, squared), axis=1)[:, :k]
        indices, squared = (np.take_along_axis(values, ranked, axis=1) for values in (candidates, squared))
    return indices.astype(np.int64), np.sqrt(squared)


def squared_distances(X: Array, Q: Array, candidates: npt.NDArray[np.int32]) -> Array:
    """Squared distance of every query to each of its candidates; infinity for -1."""
    squared = np.empty(candidates.shape, dtype=X.dtype)
    step = max(1, BLOCK_ENTRIES // (candidates.shape[1] * max(1, X.shape[1])))
    for start in range(0, len(Q), step):
        block = slice(start, start + step)
        difference = X[candidates[block]] - Q[block, None, :]
        squared[block] = np.einsum("qcd,qcd->qc", difference, difference)
    squared[candidates < 0] = np.inf
    return squared


def parts_found(distances: Array, truth: Array) -> npt.NDArray[np.float64]:
    """For every row the part of the neighbours that are as near as the true k-th, both measured by the same function.

    Distances, not rows, so that ties count.
    """
    return np.asarray(np.mean(distances <= truth[:, -1:], axis=1))


def recall_of(distances: Array, truth: Array) -> float:
    """The same for all rows."""
    return float(parts_found(distances, truth).mean())
