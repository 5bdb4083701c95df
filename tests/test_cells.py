from itertools import pairwise

import numpy as np
import pytest

from slkmodes import cells as module
from slkmodes.cells import cells_of, leaf_sizes, nearest_centers
from slkmodes.engines import native_available
from slkmodes.nn_descent import Lists

pytestmark = pytest.mark.skipif(not native_available(), reason="NN-descent is C++")


def points(n_rows, n_columns=16):
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(30, n_columns))
    return (centers[rng.integers(30, size=n_rows)] + rng.normal(size=(n_rows, n_columns))).astype(np.float32)


def pairs_of(meetings, apart):
    found = []
    if not hasattr(meetings, "starts"):
        return [pair for some in meetings for pair in pairs_of(some, apart)]
    for start, n_own, n_members in zip(meetings.starts, meetings.n_own, meetings.n_members, strict=True):
        group = meetings.members[start : start + n_members]
        found += [(a, b) for a in group[:n_own] for b in (group[n_own:] if apart else group) if a != b]
    return found


def test_every_row_is_in_the_cell_of_its_nearest_centre():
    P = points(3000)
    cells = cells_of(P, P, 3, 2)
    assert np.array_equal(np.sort(cells.numbers), np.arange(3000))
    assert (cells.starts[0], cells.starts[-1]) == (0, 3000)
    squared = np.square(P[cells.numbers][:, None] - cells.centers).sum(axis=2)
    own = np.repeat(np.arange(len(cells.centers)), np.diff(cells.starts[cells.pieces]))
    np.testing.assert_array_equal(own, squared.argmin(axis=1))
    np.testing.assert_array_equal(cells.nearest, np.argsort(squared, axis=1)[:, :3])


def test_threads_change_no_cell():
    P = points(3000)
    for one, two in zip(cells_of(P, P, 3, 1), cells_of(P, P, 3, 2), strict=True):
        np.testing.assert_array_equal(one, two)


def test_households_and_visits_of_all_cells_are_all_pairs_once(monkeypatch):
    monkeypatch.setattr(module, "GUESTS_AT_A_TIME", 50)
    monkeypatch.setattr(module, "FEWEST_ROWS", 60)
    monkeypatch.setattr(module, "BLOCK_ENTRIES", 1000)
    P = points(500)
    cells = cells_of(P, P, 3, 1)
    n_cells = len(cells.centers)
    assert n_cells > 5
    inside = pairs_of(cells.at_home(), apart=False)
    outside = pairs_of(cells.visits(P[cells.numbers], range(n_cells), 1), apart=True)
    assert len(inside) == len(set(inside))
    assert len(outside) == len(set(outside))
    assert set(inside).isdisjoint(outside)
    assert len(inside) + len(outside) == 500 * 499


def test_visits_of_some_ranks_are_those_cells():
    P = points(2000)
    cells = cells_of(P, P, 2, 1)
    assert len(cells.centers) > 5
    ordered = P[cells.numbers]
    nearest = nearest_centers(ordered, cells.centers, 5, 1)
    for ranks in (range(1, 2), range(2, 5)):
        (visits,) = cells.visits(ordered, ranks, 1)
        seen = {}
        for start, n_own, n_members in zip(visits.starts, visits.n_own, visits.n_members, strict=True):
            group = visits.members[start : start + n_members]
            cell = int(np.searchsorted(cells.starts, group[0], side="right")) - 1
            assert group[:n_own].tolist() == list(range(cells.starts[cell], cells.starts[cell + 1]))
            for guest in group[n_own:]:
                seen.setdefault(int(guest), set()).add(cell)
        assert all(seen[row] == set(nearest[row, ranks.start : ranks.stop]) for row in range(2000))


def test_crowds_are_cut_up_and_their_guests_shared():
    P = points(6000)
    P[1000:] = P[0]
    cells = cells_of(P, P, 3, 1)
    sizes = np.diff(cells.starts)
    assert sizes.max() <= 4 * 256
    assert len(sizes) > len(cells.centers)
    crowd = np.flatnonzero(np.diff(cells.pieces) > 1)
    assert len(crowd) == 1
    (visits,) = cells.visits(P[cells.numbers], range(3), 1)
    hosts = [s for s, n in zip(visits.starts, visits.n_own, strict=True)]
    first, last = cells.pieces[crowd[0]], cells.pieces[crowd[0] + 1]
    visited = np.searchsorted(cells.starts, visits.members[hosts], side="right") - 1
    assert len(set(visited[(visited >= first) & (visited < last)])) > 1


def test_first_lists_are_the_nearest_of_the_cell():
    """Against all pairs, cells of one row and of crowds among them; equal distances come in the order of the rows."""
    from slkmodes import _kernels

    P = np.random.default_rng(0).integers(0, 3, size=(700, 16)).astype(np.float32)
    P[300:600] = P[300]
    starts = np.array([0, 0, 1, 40, 300, 600, 700])
    lists = Lists(700, 16)
    _kernels.cells(P, None, starts, *lists.arrays, 2)
    for begin, end in pairwise(starts):
        squared = np.square(P[begin:end, None] - P[begin:end]).sum(axis=2)
        np.fill_diagonal(squared, np.inf)
        nearest = np.argsort(squared, axis=1, kind="stable")[:, : min(16, max(0, end - begin - 1))]
        n_kept = nearest.shape[1]
        np.testing.assert_array_equal(lists.rows[begin:end, :n_kept], begin + nearest)
        np.testing.assert_array_equal(lists.squared[begin:end, :n_kept], np.take_along_axis(squared, nearest, axis=1))
        assert np.all(lists.rows[begin:end, n_kept:] == -1)


@pytest.mark.parametrize("starts", [[-5, 20], [0, 30, 20], [0, 10], []])
def test_cells_that_are_not_there_are_refused(starts):
    from slkmodes import _kernels

    with pytest.raises(ValueError, match="starts must ascend"):
        _kernels.cells(points(20), None, np.array(starts, dtype=np.int64), *Lists(20, 16).arrays, 1)


@pytest.mark.parametrize(("start", "n_fresh", "n_members"), [(-1, 2, 4), (18, 2, 4), (0, 5, 4), (0, -1, 4), (0, 2, 21)])
def test_groups_that_are_not_there_are_refused(start, n_fresh, n_members):
    from slkmodes import _kernels

    P, numbers, nobody = points(20), np.arange(20, dtype=np.int32), np.empty(0, dtype=np.float32)
    groups = np.array([start]), numbers, np.array([n_fresh], dtype=np.int32), np.array([n_members], dtype=np.int32)
    with pytest.raises(ValueError, match="groups must lie within members"):
        _kernels.join(P, None, 1.0, nobody, None, nobody, numbers, *groups, False, *Lists(20, 16).arrays, 1)


def test_leaves_are_halves_of_halves():
    assert leaf_sizes(10, 3) == [2, 3, 2, 3]
    assert leaf_sizes(12, 3) == [3, 3, 3, 3]
    assert leaf_sizes(3, 3) == [3]
