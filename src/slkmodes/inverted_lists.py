"""Approximate search by faiss: what serves where the C++ kernels could not be built."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from slkmodes.exact_search import complete, true_neighbors
from slkmodes.projection import Projection
from slkmodes.search import (
    BLOCK_ENTRIES,
    RECALL_SAMPLE,
    Array,
    Found,
    Search,
    drop_self,
    rank_candidates,
    recall_of,
)

N_COMPONENTS = 64

# Candidates fetched beyond the k wanted, before they are ranked by their exact distance.
SPARE_CANDIDATES = 8
MOST_SPARE_CANDIDATES = 256


class InvertedListSearch(Search):
    """Approximate search by faiss: principal components, inverted lists, then exact distances.

    More lists are searched, or more candidates ranked, until the target recall is met on a sample of the rows.
    """

    def _prepare(self, n_neighbors: int) -> None:
        import faiss

        X, n_threads = self.X, self.n_threads
        rng = np.random.default_rng(0)
        n_lists = int(np.sqrt(len(X)))
        sample = X[np.sort(rng.choice(len(X), min(len(X), 64 * n_lists), replace=False))]
        self.projection = Projection(sample, N_COMPONENTS)
        reduced = self.projection(X, n_threads)
        self.index = faiss.IndexIVFFlat(faiss.IndexFlatL2(reduced.shape[1]), reduced.shape[1], n_lists)
        self.index.cp.min_points_per_centroid = 1  # or faiss prints a warning of its own about small data
        with faiss_threads(1):  # faster on so few rows, and the rounding cannot depend on threads
            self.index.train(self.projection(sample, n_threads))
        with faiss_threads(n_threads):
            self.index.add(reduced)
        self.index.nprobe = 8
        self.n_spare = SPARE_CANDIDATES
        self.recall = self._widen_until_found(n_neighbors, rng)

    def query(self, Q: Array, k: int, n_threads: int) -> Found:
        """The k rows of X nearest to each row of Q, nearly all of them."""
        n_candidates = min(2 * k + self.n_spare, len(self.X))
        step = max(1, BLOCK_ENTRIES // n_candidates)
        blocks = [self._query_block(Q[i : i + step], k, n_candidates, n_threads) for i in range(0, len(Q), step)]
        indices, distances = zip(*blocks, strict=True)
        return np.concatenate(indices), np.concatenate(distances)

    def _query_block(self, Q: Array, k: int, n_candidates: int, n_threads: int) -> Found:
        with faiss_threads(n_threads):
            _, candidates = self.index.search(self.projection(Q, n_threads), n_candidates)
        candidates = candidates.astype(np.int32)
        return complete(self.X, Q, rank_candidates(self.X, Q, candidates, k, n_threads), k, n_threads)

    def _widen_until_found(self, n_neighbors: int, rng: np.random.Generator) -> float:
        """Double what helps more, lists or candidates, until the target recall is met; return the recall."""
        rows = rng.choice(len(self.X), min(RECALL_SAMPLE, len(self.X)), replace=False)
        sample, n_threads = self.asking[rows], self.n_threads
        k = n_neighbors + 1  # a row finds itself without effort: it does not count
        truth = true_neighbors(self.X, sample, n_neighbors, n_threads, rows)[1]

        def recall_with(nprobe: int, n_spare: int) -> float:
            self.index.nprobe, self.n_spare = nprobe, n_spare
            return recall_of(drop_self(*self.query(sample, k, n_threads), rows)[1], truth)

        most = (self.index.nlist, MOST_SPARE_CANDIDATES)
        best = (self.index.nprobe, self.n_spare)
        recall = recall_with(*best)
        while recall < self.target and best != most:
            wider = {(min(2 * best[0], most[0]), best[1]), (best[0], min(2 * best[1], most[1]))} - {best}
            recall, best = max((recall_with(*setting), setting) for setting in wider)
        self.index.nprobe, self.n_spare = best
        return recall


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
