"""Walks from a few landmarks towards a new row, along links between rows to ever nearer ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from slkmodes.cache_lines import empty_on_lines
from slkmodes.cells import leading_columns
from slkmodes.centers import nearest_centers

Array = npt.NDArray[Any]
Rows = npt.NDArray[np.int32]

# A walk starts from the nearest of some rows spread over all, and from the few that are nearest to that.
N_LANDMARKS, MOST_LANDMARKS = 512, 4096
N_STARTS = 4
# Links of a row that are enough to see which rows hang together.
PART_LINKS = 6
# Where points are cut off after some components, a row is farther from another than their points: by this part of the
# squared length that its own point lacks, in the mean. The least of the components is given for that.
OF_WHAT_IS_LEFT_OUT = 0.5
# Points are taken to the nearest place of a grid where the neighbours of all rows of a sample are at least so many of
# its steps away: at half as many not one neighbour in a thousand is lost. It reaches so many times as far as the rows.
FEWEST_STEPS = 64
HEADROOM = 2
PLACES_ON_A_LINE = 32  # of 16 bits, on a line of the cache
ROWS_IN_CACHE = 1024


class Walks:
    """Rows, each with links to others (-1: no more), and where walks on them start."""

    def __init__(
        self, points: Array, left_out: Array | None, links: Rows, numbers: Rows, resolution: float, n_threads: int
    ) -> None:
        """``points`` are kept, and changed where they lack something: ``left_out``, squared lengths, of every row.

        ``numbers`` are what found rows are called; ``resolution`` is how near neighbours are to each other.
        """
        self.points, self.links, self.numbers, self.is_cut_off = points, links, numbers, left_out is not None
        if left_out is not None:
            points[:, -1] = np.sqrt(np.float32(OF_WHAT_IS_LEFT_OUT) * left_out)
        landmarks = landmarks_of(links)
        self.leading = np.ascontiguousarray(leading_columns(points[landmarks]))
        self.starts = landmarks[nearest_centers(self.leading, self.leading, N_STARTS, n_threads)]
        grid = Grid(points)
        self.grid = grid if 0 < FEWEST_STEPS * grid.step <= resolution else None
        self.places = None if self.grid is None else self.grid(points)

    def towards(self, points: Array, n_kept: int, n_threads: int, absent: Rows | None = None) -> tuple[Rows, Rows]:
        """The nearest rows met on the way to each point, and the order in which points are best taken.

        Where ``absent`` names a row for every point, this row is passed over. ``points`` are changed where they are cut
        off.
        """
        from slkmodes import _kernels

        nearest = nearest_centers(leading_columns(points), self.leading, 1, n_threads)[:, 0]
        starts = self.starts[nearest]
        order = np.argsort(nearest.astype(np.uint16), kind="stable").astype(np.int32)  # in turn they meet the same rows
        found = np.empty((len(points), n_kept), dtype=np.int32)
        if self.is_cut_off:
            points[:, -1] = 0  # a coordinate that adds to the distance what it is for the row
        on_grid = np.zeros(len(points), dtype=bool) if self.grid is None else self.grid.holds(points)[order]
        for some, rows, grid in ((order[on_grid], self.places, self.grid), (order[~on_grid], self.points, None)):
            if len(some):
                goals = points if grid is None else grid(points)
                _kernels.walk(rows, goals, self.links, starts, some, absent, self.numbers, found, n_threads)
        return found, order


class Grid:
    """Places for points, in whole numbers of 16 bits: half the bytes of float32, and half the work to compare them."""

    def __init__(self, points: Array) -> None:
        self.reach = HEADROOM * max(float(points.max()), -float(points.min()))
        # So that neither the difference of a place and one of a row overflows nor the sum of the squares.
        farthest = min(np.iinfo(np.int16).max, math.sqrt(np.iinfo(np.int32).max / points.shape[1]))
        self.last = math.floor(farthest / (1 + 1 / HEADROOM)) - 1
        self.step = self.reach / self.last

    def holds(self, points: Array) -> npt.NDArray[np.bool_]:
        """Which points have a place; from the border of the grid, others would be nearest to the rest."""
        if -self.reach <= points.min(initial=0) and points.max(initial=0) <= self.reach:  # by far the fastest
            return np.ones(len(points), dtype=bool)
        return np.asarray((points.max(axis=1) <= self.reach) & (points.min(axis=1) >= -self.reach))

    def __call__(self, points: Array) -> npt.NDArray[np.int16]:
        """The place of each point that has one."""
        width = points.shape[1]
        shape = len(points), -(-width // PLACES_ON_A_LINE) * PLACES_ON_A_LINE
        places = empty_on_lines(shape, np.int16)
        places[:, width:] = 0
        for start in range(0, len(points), ROWS_IN_CACHE):
            rows = slice(start, start + ROWS_IN_CACHE)
            scaled = points[rows] * np.float32(1 / self.step)
            np.clip(np.rint(scaled, out=scaled), -self.last, self.last, out=scaled)
            places[rows, :width] = scaled
        return places


def landmarks_of(links: Rows) -> Rows:
    """Rows spread over all, and one in every part that no link leaves, the largest parts first."""
    n_rows = len(links)
    spread = np.linspace(0, n_rows - 1, N_LANDMARKS).astype(np.int32)
    links = links[:, :PART_LINKS]
    ends = np.where(links < 0, np.arange(n_rows, dtype=np.int32)[:, None], links).ravel()  # or a link to itself
    starts = np.arange(0, ends.size + 1, links.shape[1])
    edges = sparse.csr_array((np.ones(ends.size, dtype=np.uint8), ends, starts), shape=(n_rows, n_rows))
    parts = connected_components(edges, directed=False)[1]
    _, first, sizes = np.unique(parts, return_index=True, return_counts=True)
    largest = first[np.argsort(-sizes, kind="stable")[:MOST_LANDMARKS]]
    return np.unique(np.concatenate([spread, largest])).astype(np.int32)
