"""Rows in cells: each with its nearest centre, so that most neighbours of a row are in its cell or in the next ones.

The cells cut across clusters: they are places to look for neighbours, not groups that mean anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from slkmodes.centers import listing, move_centers, nearest_centers
from slkmodes.ordering import LEADING_COMPONENTS, tree_order
from slkmodes.search import BLOCK_ENTRIES

Array = npt.NDArray[Any]
Rows = npt.NDArray[np.int32]
Starts = npt.NDArray[np.int64]

# Rows of a cell in the mean: some, or this part of the root of all, so that neither finding the cell of a row nor
# searching it costs much more than the other.
FEWEST_ROWS = 256
ROWS_PER_ROOT = 0.5
# Cells that are larger than the others by this factor, crowds of equal rows say, are cut up.
LARGEST_CELL = 4
# Centres are the means of some rows each, moved a few times.
ROWS_PER_CENTER = 24
MOVES = 4
# Guests of a cell that are looked at together.
GUESTS_AT_A_TIME = 1024


class Meetings(NamedTuple):
    """Groups of rows to compare: the rows of a cell with some of its guests."""

    starts: Starts  # where in ``members`` each group begins
    members: Rows
    n_own: npt.NDArray[np.int32]  # how many of a group, the first ones, are the cell's
    n_members: npt.NDArray[np.int32]


class Cells(NamedTuple):
    """Rows in the order of their cells, near cells one after the other."""

    numbers: Rows  # the row at each place
    starts: Starts  # cell c holds the places from starts[c] to starts[c + 1]
    centers: Array
    pieces: Starts  # centre i is that of the cells from pieces[i] to pieces[i + 1]; several where there was a crowd
    nearest: Rows  # a few centres for every place

    def at_home(self) -> Meetings:
        """The rows of every cell among themselves."""
        sizes = np.diff(self.starts).astype(np.int32)
        return Meetings(self.starts[:-1], np.arange(len(self.numbers), dtype=np.int32), sizes, sizes)

    def visits(self, asking: Array, ranks: range, n_threads: int) -> Iterator[Meetings]:
        """The rows at all places as guests of the cells that are nearest to their points, of these ranks.

        So many rows at a time that memory is bounded.
        """
        step = max(1, BLOCK_ENTRIES // ranks.stop)
        for start in range(0, len(asking), step):
            nearest = self.nearest[start : start + step]
            if ranks.stop > nearest.shape[1]:
                rows = leading_columns(asking)[start : start + step]
                nearest = nearest_centers(rows, self.centers, ranks.stop, n_threads)
            visited = nearest[:, ranks.start : ranks.stop]
            places = np.arange(start, start + len(visited))[:, None]
            share = (places + ranks.start) % np.diff(self.pieces)[visited]  # pieces share guests
            visits = self.pieces[visited] + share
            at_home = (self.starts[visits] <= places) & (places < self.starts[visits + 1])
            guest_starts, guests = sorted_by_cell(visits, ~at_home, len(self.starts) - 1)
            yield meet(self.starts, guest_starts, start + guests)


def cells_of(points: Array, asking: Array, n_nearest: int, n_threads: int) -> Cells:
    """Cells of the rows of ``points``, whose leading columns matter most; the same for any number of threads.

    ``asking`` are the points from which rows look for near ones: mostly the same.
    """
    rows_per_cell = max(FEWEST_ROWS, ROWS_PER_ROOT * math.sqrt(len(points)))
    leading = leading_columns(points)
    centers = fit_centers(leading, max(1, round(len(points) / rows_per_cell)), n_threads)
    centers = centers[tree_order(centers, 1)]
    nearest = nearest_centers(leading_columns(asking), centers, n_nearest, n_threads)
    own = nearest[:, :1] if asking is points else nearest_centers(leading, centers, 1, n_threads)
    starts, numbers = sorted_by_cell(own, np.ones_like(own, dtype=bool), len(centers))
    starts, pieces = cut_up(leading, numbers, starts, round(LARGEST_CELL * rows_per_cell))
    return Cells(numbers, starts, centers, pieces, nearest[numbers])


def leading_columns(points: Array) -> Array:
    """What tells which centres are near."""
    return points[:, :LEADING_COMPONENTS]


def fit_centers(leading: Array, n_centers: int, n_threads: int) -> Array:
    """A few steps of k-means on a sample of the rows."""
    rng = np.random.default_rng(0)
    some = rng.choice(len(leading), min(len(leading), ROWS_PER_CENTER * n_centers), replace=False)
    sample = np.ascontiguousarray(leading[np.sort(some)])
    first = sample[np.sort(rng.choice(len(sample), n_centers, replace=False))]
    return move_centers(sample, first, MOVES, n_threads)


def sorted_by_cell(cells: Array, counts: Array, n_cells: int) -> tuple[Starts, Rows]:
    """Where each cell begins, and the rows that list it, in their order."""
    by_cell = listing(cells, counts, n_cells).tocsc()
    return by_cell.indptr.astype(np.int64), by_cell.indices.astype(np.int32)


def cut_up(leading: Array, numbers: Rows, starts: Starts, most: int) -> tuple[Starts, Starts]:
    """Put near rows of larger cells together, in place; where the pieces begin, and which are the first of a cell."""
    sizes, pieces = [0], [0]
    for begin, end in pairwise(starts):
        sizes += leaf_sizes(int(end - begin), most)
        pieces.append(len(sizes) - 1)
        if end - begin > most:
            rows = numbers[begin:end]
            numbers[begin:end] = rows[tree_order(leading[rows], most)]
    return np.cumsum(sizes), np.array(pieces)


def leaf_sizes(n_rows: int, most: int) -> list[int]:
    """Sizes of the leaves when rows are halved until they are few enough, from left to right."""
    if n_rows <= most:
        return [n_rows]
    half = n_rows // 2
    left = leaf_sizes(half, most)
    return left + (left if n_rows == 2 * half else leaf_sizes(n_rows - half, most))


def meet(starts: Starts, guest_starts: Starts, guests: Rows) -> Meetings:
    """Each cell's rows with its guests, so many of these at a time."""
    members: list[Rows] = []
    n_own, n_members = [], []
    for (begin, end), (first_guest, last_guest) in zip(pairwise(starts), pairwise(guest_starts), strict=True):
        if begin == end:
            continue
        own = np.arange(begin, end, dtype=np.int32)
        for first in range(first_guest, last_guest, GUESTS_AT_A_TIME):
            some = guests[first : min(first + GUESTS_AT_A_TIME, last_guest)]
            members += [own, some]
            n_own.append(len(own))
            n_members.append(len(own) + len(some))
    joined = np.concatenate([np.empty(0, dtype=np.int32), *members])
    sizes = np.array(n_members, dtype=np.int32)
    return Meetings(np.cumsum(sizes, dtype=np.int64) - sizes, joined, np.array(n_own, dtype=np.int32), sizes)
