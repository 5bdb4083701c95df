"""Approximate search by NN-descent: neighbours of neighbours are likely neighbours (Dong, Moses and Li, WWW 2011).

Rows are compared on their leading principal components, which fit into the caches. Each row's cell, and the next ones,
give the first lists, as long as a sample of rows says they have to be; in the end these are ranked by the distances of
the data itself. While the sample finds too few of its true neighbours, lists are improved: neighbours are compared with
each other, then by the distances of the data, the components ruling out most pairs, and at last rows visit more cells.
What a list holds is the best of all it was offered, so neither the order of the offers nor the number of threads
matters.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from slkmodes.cache_lines import empty_on_lines
from slkmodes.cells import Cells, cells_of
from slkmodes.engines import native_available
from slkmodes.exact_search import BruteSearch, complete, true_neighbors
from slkmodes.ordering import inverse
from slkmodes.projection import FARTHEST, LANES, fit_projection
from slkmodes.search import (
    BLOCK_ENTRIES,
    RECALL_SAMPLE,
    Array,
    Found,
    Search,
    drop_self,
    parts_found,
    rank_candidates,
    recall_of,
)
from slkmodes.telling import Say, keep_quiet
from slkmodes.walks import Walks

# How the kernels mark an entry that came in; 1 marks one that has been there, but was not looked at.
NEW = 2
# Principal components compared.
N_COMPONENTS = 128
# The nearest cells of a row: how many it looks at first, so many more at a time up to a limit while they help, and how
# many in the end where the recall falls short.
FIRST_CELLS, CELLS_AT_A_TIME, NEXT_CELLS, MOST_CELLS = 3, 2, 7, 128
# They help where they bring this part of what the sample does not find.
LEAST_HELP = 0.25
# Lists are wider than the neighbours wanted, up to so many times, as neighbours are in another order on the components:
# so wide that at most this part of what may be missing is for that. Where this is not enough, twice as wide.
WIDEST, WIDE, PART_BEYOND_LISTS = 4, 2, 0.5
# Entries of a list that are compared with each other in a round, of each kind (fresh or not, listed or listing): a part
# of the neighbours wanted, less where they are compared on components, within limits.
CANDIDATES, CANDIDATES_ON_COMPONENTS = 1.1, 0.8
FEWEST_CANDIDATES, MOST_CANDIDATES = 12, 48
# Rounds end when one changes a smaller part of all entries.
FEW_UPDATES = 0.03
MOST_ROUNDS = 12
# Where the components alone do not find enough, the data are first taken to stretch the distances of the points as they
# do for all but this part of the true neighbours; later nothing is ruled out that might be one, but for rounding.
LEAST_STRETCHED = 0.02
NO_STRETCH = 1 - 1e-5  # a lower bound, also after rounding
# By this part of both rows' distances from the centre, on the components, that of their points may be wrong.
ROUNDING = 8 * float(np.finfo(np.float32).eps)
# By the distances of the data a pair by itself takes about so many times as long as one among all pairs.
PAIR_ALONE = 10
# Rows that are near on the components, among which the true neighbours of the sample are looked for first.
NEAR_ON_COMPONENTS = 256
# A walk towards a new row keeps as many rows as a sample needs to find enough, up to a limit; at most this part more.
MOST_KEPT, NOT_MORE = 512, 1 / 16
# It goes by links to and from each row, for every neighbour wanted so many of both kinds; with fewer, it would have to
# keep more rows, and take longer.
LINKS, FEWEST_LINKS, MOST_LINKS = 1.6, 12, 48
# Walks that find so much less than they should are given up.
LEAST_LOSS = 0.05


class DescentSearch(Search):
    """Lists of near rows, improved until a sample finds the target part of its true neighbours."""

    def _prepare(self, n_neighbors: int) -> None:
        if not native_available():
            raise ImportError(
                "neighbor_search='nn_descent' needs the C++ kernels, which were not built. Use 'inverted_lists'."
            )
        X, n_threads, self.k = self.X, self.n_threads, n_neighbors
        self.reduced = X.shape[1] > N_COMPONENTS
        part = CANDIDATES_ON_COMPONENTS if self.reduced else CANDIDATES
        self.n_candidates = int(np.clip(part * self.k, FEWEST_CANDIDATES, MOST_CANDIDATES))
        self.projection = fit_projection(X, N_COMPONENTS)
        self.unit = float(self.projection.scale) ** 2  # from squared distances of the data to those of the points
        points = self.projection(X, n_threads)
        asking = points if self.asking is X else self.projection(self.asking, n_threads)
        cells = cells_of(points, asking, NEXT_CELLS, n_threads)
        self.numbers = cells.numbers  # near rows get near places: they meet in the caches
        self.places = inverse(self.numbers)
        self.points = points.take(self.numbers, axis=0, out=empty_on_lines(points.shape, points.dtype), mode="clip")
        self.rounding = np.float32(ROUNDING) * np.sqrt(np.einsum("ij,ij->i", self.points, self.points))
        asking = self.points if asking is points else asking[self.numbers]
        del points  # as large as what it was reordered into
        lift = self.metric.lift(X)
        self.lift = None if lift is None else (lift[self.numbers] * self.projection.scale).astype(np.float32)
        self.sample = np.sort(np.random.default_rng(0).choice(len(X), min(RECALL_SAMPLE, len(X)), replace=False))
        width = self._find_truth(asking)
        self.lists = Lists(len(X), width)
        self._fill(cells)
        self.compares_all = False
        self._improve_until_found(cells, asking)
        self.walks: Walks | None = None
        self.breadth, self.walks_fail = 1.0, self.compares_all

    def graph(self, X: Array, k: int, n_threads: int, say: Say = keep_quiet) -> Found:
        """The lists themselves, ranked."""
        if self.compares_all:
            return super().graph(X, k, n_threads, say)
        candidates = self._rows_at(self.lists.rows[self.places])
        indices, distances = rank_candidates(self.X, X, candidates, k, n_threads, self.numbers)
        short = np.flatnonzero(indices[:, -1] < 0)  # fewer rows met than wanted
        if len(short):
            exact = BruteSearch(self.X, k, n_threads).query(X[short], k + 1, n_threads)
            indices[short], distances[short] = drop_self(*exact, short)
        return indices, distances

    def get_ready(self, n_threads: int) -> None:
        """Prepare the walks."""
        if self.walks is None and not self.walks_fail:
            self._prepare_walks(n_threads)

    def query(self, Q: Array, k: int, n_threads: int) -> Found:
        """Walk over the lists towards each row of Q, and rank what was met."""
        self.get_ready(n_threads)
        if self.walks is None:
            return BruteSearch(self.X, k, n_threads).query(Q, k, n_threads)
        n_kept = min(math.ceil(self.breadth * k), len(self.X))
        step = max(1, BLOCK_ENTRIES // max(N_COMPONENTS, n_kept))  # points and what is found for them
        blocks = [self._walk(self.walks, Q[i : i + step], k, n_kept, n_threads) for i in range(0, max(1, len(Q)), step)]
        indices, distances = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        return complete(self.X, Q, (indices, distances), k, n_threads)

    def _prepare_walks(self, n_threads: int) -> None:
        """Settle how many rows to keep, so that a sample of the rows finds enough of its neighbours as if it were new.

        Where that takes too many, walks lose their way: queries are then compared with all rows.
        """
        apart = self.truth[:, -1][self.truth[:, -1] > 0]
        resolution = float(apart.min() * self.projection.scale) if len(apart) else 0.0
        links = self._links_between_rows(n_threads)
        left_out = self._left_out(n_threads) if self.reduced else None
        walks = Walks(self.points, left_out, links, self.numbers, resolution, n_threads)
        samples, absent = self.asking[self.sample], self.places[self.sample]

        def recall_with(n_kept: int) -> float:
            return recall_of(self._walk(walks, samples, self.k, n_kept, n_threads, absent)[1], self.truth)

        most = min(max(MOST_KEPT, self.k), len(self.X))
        too_few, kept = self.k - 1, self.k
        while (recall := recall_with(kept)) < self.target and kept < most:
            too_few, kept = kept, min(2 * kept, most)
        while kept - too_few > max(1, NOT_MORE * kept):
            middle = (too_few + kept) // 2
            if recall_with(middle) < self.target:
                too_few = middle
            else:
                kept = middle
        self.breadth, self.walks_fail = kept / self.k, recall < self.target - LEAST_LOSS
        self.walks = None if self.walks_fail else walks  # at last: who is interrupted before starts again

    def _left_out(self, n_threads: int) -> Array:
        """The squared length that every point lacks, without the last component."""
        to_center = np.zeros((len(self.X), 1), dtype=np.int32)
        lengths = rank_candidates(self.projection.center[None, :], self.X, to_center, 1, n_threads)[1][self.numbers, 0]
        kept = self.points[:, :-1]
        squared = np.square(np.minimum(lengths * self.projection.scale, FARTHEST), dtype=np.float32)
        return np.maximum(squared - np.einsum("ij,ij->i", kept, kept), 0)

    def _walk(
        self,
        walks: Walks,
        Q: Array,
        k: int,
        n_kept: int,
        n_threads: int,
        absent: npt.NDArray[np.int32] | None = None,
    ) -> Found:
        candidates, order = walks.towards(self.projection(Q, n_threads), n_kept, n_threads, absent)
        return rank_candidates(self.X, Q, candidates, k, n_threads, order)

    def _fill(self, cells: Cells) -> None:
        """The first lists: the nearest rows of the same cell."""
        from slkmodes import _kernels

        _kernels.cells(self.points, self.lift, cells.starts, *self.lists.arrays, self.n_threads)

    def _visit(self, cells: Cells, asking: Array, ranks: range, *, stretch: float | None = None) -> None:
        """Compare every row with those of the cells that are its nearest ones of these ranks."""
        for meetings in cells.visits(asking, ranks, self.n_threads):
            self._join(meetings, stretch, apart=True)
        self.say(f"neighbours: {min(ranks.stop, len(cells.centers)):,} of {len(cells.centers):,} cells")

    def _improve_until_found(self, cells: Cells, asking: Array) -> None:
        """Go on until the sample finds enough of its true neighbours.

        Rows visit more cells and then neighbours of neighbours are compared while that helps, then distances are those
        of the data, then every row visits twice as many cells, unless comparing it with all takes less time.
        """
        self._visit(cells, asking, range(FIRST_CELLS))
        enough, seen, missing = self._finds_enough(), FIRST_CELLS, 1.0
        while not enough and seen < NEXT_CELLS and 1 - self.recall <= (1 - LEAST_HELP) * missing:
            missing = 1 - self.recall
            self._visit(cells, asking, range(seen, seen + CELLS_AT_A_TIME))
            enough, seen = self._finds_enough(), seen + CELLS_AT_A_TIME
        changed, number = 1.0, 0
        while not enough and changed >= FEW_UPDATES and number < MOST_ROUNDS:
            changed = self._round(number)
            enough, number = self._finds_enough(), number + 1
        if not enough and self.reduced:
            self._measure_in_the_data()
            self._round(number, stretch=self._stretch())
            enough = self._finds_enough()
        stretch, most = None, 2 * seen
        if not enough and self.reduced:  # what the components ruled out so far is looked at again
            stretch, seen = NO_STRETCH, 0
            self._join(cells.at_home(), stretch)
        rows_per_cell = len(self.X) / len(cells.centers)
        while not enough and seen < min(MOST_CELLS, len(cells.centers)):
            most = min(most, MOST_CELLS)
            if stretch is not None and PAIR_ALONE * (most - seen) * rows_per_cell > len(self.X):
                self.compares_all, self.recall = True, 1.0
                self.say("neighbours: all pairs of rows")
                return
            self._visit(cells, asking, range(seen, most), stretch=stretch)
            enough, seen, most = self._finds_enough(), most, 2 * most

    def _find_truth(self, asking: Array) -> int:
        """The true neighbours of the sample; returns how long lists have to be to hold enough of such.

        Where many are near on the components, nobody else is nearer than these are far.
        """
        rows, samples, n_threads = self.sample, self.asking[self.sample], self.n_threads
        if not self.reduced or len(self.X) <= NEAR_ON_COMPONENTS:
            self.near, self.truth = true_neighbors(self.X, samples, self.k, n_threads, rows)
            return padded(WIDE * self.k if self.reduced else self.k)
        on_components = BruteSearch(self.points, NEAR_ON_COMPONENTS, n_threads)
        near, apart = on_components.query(asking[self.places[rows]], NEAR_ON_COMPONENTS, n_threads)
        ranked = rank_candidates(self.X, samples, self._rows_at(near), self.k + 1, n_threads)
        self.near, self.truth = drop_self(*ranked, rows)
        # An other's own rounding grows with its distance, within NO_STRETCH, from that of the row.
        others_at_least = NO_STRETCH * apart[:, -1] - 2 * self.rounding[self.places[rows]]
        unsure = np.flatnonzero(others_at_least <= self.truth[:, -1].astype(np.float64) * float(self.projection.scale))
        if len(unsure):
            exact = true_neighbors(self.X, samples[unsure], self.k, n_threads, rows[unsure])
            self.near[unsure], self.truth[unsure] = exact
        # At place 0 is mostly the row itself.
        are_near = self._rows_at(near)[:, None, :] == self.near[:, :, None]
        places = np.where(are_near.any(axis=2), are_near.argmax(axis=2), NEAR_ON_COMPONENTS)
        enough = 1 - PART_BEYOND_LISTS * (1 - self.target)
        widths = range(padded(self.k), padded(WIDEST * self.k) + 1, LANES)
        return next((width for width in widths if np.mean(places <= width) >= enough), padded(WIDE * self.k))

    def _finds_enough(self) -> bool:
        """Whether the sample finds so many of its true neighbours that all rows will, but for the standard error."""
        candidates = self._rows_at(self.lists.rows[self.places[self.sample]])
        found = rank_candidates(self.X, self.asking[self.sample], candidates, self.k, self.n_threads)[1]
        parts = parts_found(found, self.truth)
        self.recall = float(parts.mean())
        self.say(f"neighbours: recall {self.recall:.4f}")
        return self.recall - float(parts.std()) / math.sqrt(len(parts)) >= self.target

    def _round(self, number: int, *, stretch: float | None = None) -> float:
        """Compare the neighbours of every row with each other; return the part of the entries that changed.

        With a ``stretch`` by the distances of the data, which are taken to be so many times those of the points.
        """
        members, n_fresh, n_members = self.lists.groups(number, self.n_candidates, self.n_threads)
        starts = np.arange(len(members), dtype=np.int64) * members.shape[1]
        self.lists.forget_what_is_new()
        self._join((starts, members.ravel(), n_fresh, n_members), stretch)
        changed = self.lists.part_new()
        self.say(f"neighbours: round {number + 1}, {changed:.2%} of the entries changed")
        return changed

    def _join(
        self, groups: tuple[Array, Array, Array, Array], stretch: float | None = None, *, apart: bool = False
    ) -> None:
        from slkmodes import _kernels

        data, reach = None, self.lists.squared[:0, 0]
        if stretch is not None:
            # An other's own rounding grows with its distance, within NO_STRETCH, from that of the row.
            farthest = np.sqrt(self.lists.squared[:, -1] / np.float32(stretch * NO_STRETCH))
            data, reach = self.X, np.square(farthest + 2 * self.rounding)
        given = self.points, data, self.unit, self.rounding, self.lift, reach, self.numbers
        _kernels.join(*given, *groups, apart, *self.lists.arrays, self.n_threads)

    def _stretch(self) -> float:
        """How many times the squared distances of the points those of the data are, for nearly all true neighbours."""
        here, there = self.places[self.sample][:, None], self.places[self.near]
        differences = self.points[here] - self.points[there]
        on_points = self._lifted(np.einsum("ijk,ijk->ij", differences, differences), here, there)
        apart = on_points > 0
        stretches = self.truth[apart].astype(np.float64) ** 2 * self.unit / on_points[apart]
        return max(NO_STRETCH, float(np.quantile(stretches, LEAST_STRETCHED))) if apart.any() else NO_STRETCH

    def _measure_in_the_data(self) -> None:
        """From distances on the components to those of all features, rows outside the data's own k left out."""
        from slkmodes import _kernels

        n_rows, width = len(self.X), padded(self.k)
        indices = np.empty((n_rows, width), dtype=np.int32)
        squared = np.empty((n_rows, width), dtype=self.X.dtype)
        candidates = self._rows_at(self.lists.rows[self.places])
        _kernels.rank(self.X, self.asking, candidates, self.numbers, indices, squared, self.n_threads)
        if self.lift is not None:  # as the kernel measures: between rows that answer, to the bit
            _kernels.rank(self.X, self.X, indices.copy(), self.numbers, indices, squared, self.n_threads)
        indices, squared = indices[self.numbers], squared[self.numbers]
        rows = np.where(indices < 0, np.int32(-1), self.places[indices])
        measured = (squared.astype(np.float64) * self.unit).astype(np.float32)
        measured = self._lifted(measured, np.arange(n_rows)[:, None], rows)
        # By distance, equal ones in the order of their rows, in the numbers used here.
        mixed = np.flatnonzero((measured[:, 1:] <= measured[:, :-1]).any(axis=1))
        order = np.lexsort((rows[mixed], measured[mixed]), axis=1)
        for entries in rows, measured:
            entries[mixed] = np.take_along_axis(entries[mixed], order, axis=1)
        self.lists.rows, self.lists.squared = rows, measured
        self.lists.fresh = np.ones(rows.shape, dtype=np.uint8)

    def _lifted(self, squared: Array, here: Array, there: Array) -> Array:
        """Squared distances between places from those of their points, as the kernels do it."""
        if self.lift is None:
            return squared
        lift = self.lift.astype(np.float64)
        return (squared + 2 * lift[here] * lift[there]).astype(np.float32)

    def _rows_at(self, places: Array) -> npt.NDArray[np.int32]:
        """What X calls these places; -1 stays."""
        return np.where(places < 0, np.int32(-1), self.numbers[places])

    def _links_between_rows(self, n_threads: int) -> npt.NDArray[np.int32]:
        """For every row some that it lists and some that list it."""
        most = int(np.clip(LINKS * self.k, FEWEST_LINKS, MOST_LINKS))
        self.lists.fresh[:] = 1
        members, _, n_members = self.lists.groups(0, most, n_threads)
        members = members[:, : 2 * most]
        return np.where(np.arange(members.shape[1]) < n_members[:, None], members, np.int32(-1))


class Lists:
    """For every row the nearest rows met so far; see ``kernels/lists.hpp``."""

    def __init__(self, n_rows: int, width: int) -> None:
        self.rows = empty_on_lines((n_rows, width), np.int32)
        self.squared = empty_on_lines((n_rows, width), np.float32)
        self.rows[:], self.squared[:] = -1, np.inf
        self.fresh = np.zeros((n_rows, width), dtype=np.uint8)

    @property
    def arrays(self) -> tuple[Array, Array, Array]:
        """As the kernels want them."""
        return self.rows, self.squared, self.fresh

    def forget_what_is_new(self) -> None:
        """From here on entries count as new."""
        np.minimum(self.fresh, 1, out=self.fresh)

    def part_new(self) -> float:
        """Part of the entries that came in and stayed; how many came in for a while would depend on their order."""
        return np.count_nonzero(self.fresh == NEW) / self.fresh.size

    def groups(self, seed: int, most: int, n_threads: int) -> tuple[Array, Array, Array]:
        """For every row the rows to compare with each other, how many of them are fresh, and how many there are."""
        from slkmodes import _kernels

        members = np.empty((len(self.rows), 4 * most), dtype=np.int32)
        n_fresh, n_members = np.empty((2, len(self.rows)), dtype=np.int32)
        _kernels.candidates(most, seed, *self.arrays, members, n_fresh, n_members, n_threads)
        return members, n_fresh, n_members


def padded(count: int) -> int:
    """The next multiple of what a vector holds."""
    return -(-count // LANES) * LANES
