"""Centres of rows by k-means, and the nearest of them: the same for any number of threads.

Where any centres will do that are spread like the rows, a few steps on our own kernels; where they are a clustering,
scikit-learn's k-means.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from slkmodes.exact_search import BruteSearch
from slkmodes.search import BLOCK_ENTRIES

Array = npt.NDArray[Any]
Rows = npt.NDArray[np.int32]
Labels = npt.NDArray[np.int64]

# Steps after which centres of cells have settled well enough.
MOST_MOVES = 30


def cells_around(points: Array, n_cells: int, n_rows: int, rng: np.random.Generator, n_threads: int) -> Labels:
    """The cell of every point: that of the nearest of ``n_cells`` centres, found from ``n_rows`` of the points."""
    sample = points[rng.choice(len(points), min(len(points), max(n_rows, n_cells)), replace=False)]
    centers = move_centers(sample, sample[:n_cells], MOST_MOVES, n_threads)
    return nearest_centers(points, centers, 1, n_threads)[:, 0].astype(np.int64)


def move_centers(sample: Array, centers: Array, moves: int, n_threads: int) -> Array:
    """Centres after so many steps of k-means at most; one that no row is near stays where it is."""
    own: Rows | None = None
    for _ in range(moves):
        before, own = own, nearest_centers(sample, centers, 1, n_threads)
        if before is not None and np.array_equal(own, before):
            break
        counts = np.bincount(own[:, 0], minlength=len(centers))[:, None]
        sums = listing(own, np.ones_like(own, dtype=bool), len(centers)).T @ sample
        centers = np.where(counts > 0, sums / np.maximum(counts, 1), centers).astype(np.float32)
    return centers


def nearest_centers(leading: Array, centers: Array, count: int, n_threads: int) -> Rows:
    """The nearest few centres of every row, nearest first."""
    count = min(count, len(centers))
    search, nearest = BruteSearch(centers, count, n_threads), np.empty((len(leading), count), dtype=np.int32)
    step = max(1, BLOCK_ENTRIES // max(count, leading.shape[1]))
    for start in range(0, len(leading), step):
        rows = slice(start, start + step)
        nearest[rows] = search.query(leading[rows], count, n_threads)[0]
    return nearest


def listing(cells: Array, counts: Array, n_cells: int) -> Any:
    """CSR, rows x cells: 1 where a row lists a cell and it counts."""
    starts = np.concatenate([[0], np.cumsum(np.count_nonzero(counts, axis=1))])
    listed = cells[counts]
    return sparse.csr_array((np.ones(len(listed), dtype=np.float32), listed, starts), shape=(len(cells), n_cells))


def kmeans_cells(
    points: Array, n_cells: int, rng: np.random.Generator, *, n_rows: int, init: str = "k-means++", n_init: int = 1
) -> Labels:
    """The cell of every row, by k-means on ``n_rows`` of them."""
    from threadpoolctl import threadpool_limits

    kmeans = fit_kmeans(points, n_cells, rng, n_rows=n_rows, init=init, n_init=n_init)
    with threadpool_limits(1, user_api="openmp"):
        return kmeans.predict(points).astype(np.int64)


def fit_kmeans(points: Array, n_cells: int, rng: np.random.Generator, *, n_rows: int, init: str, n_init: int) -> Any:
    """scikit-learn's k-means on ``n_rows`` of the points."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    sample = rng.choice(len(points), min(len(points), n_rows), replace=False)
    kmeans = KMeans(n_cells, init=init, n_init=n_init, max_iter=30, random_state=int(rng.integers(2**31 - 1)))
    with threadpool_limits(1, user_api="openmp"), warnings.catch_warnings():  # its sums depend on the number of threads
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different points than cells: fewer cells
        return kmeans.fit(points[sample])
