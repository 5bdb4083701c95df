"""Sums over the members of a cluster, cut into tiles by the data alone so that the rounding never varies."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from slkmodes.engines.protocol import Groups

Array = npt.NDArray[Any]

TILE_ROWS = 4096


class Tiles(NamedTuple):
    """Tile t covers ``order[starts[t] : starts[t + 1]]`` of the groups, all in ``cluster[t]``."""

    starts: npt.NDArray[np.int64]
    cluster: npt.NDArray[np.int32]


def tile(groups: Groups) -> Tiles:
    """Cut every cluster into tiles of at most ``TILE_ROWS`` rows; an empty cluster has none."""
    bounds = zip(groups.starts[:-1], groups.starts[1:], strict=True)
    cuts = [np.arange(start, stop, TILE_ROWS) for start, stop in bounds]
    cluster = np.repeat(np.arange(len(cuts), dtype=np.int32), [len(c) for c in cuts])
    return Tiles(np.concatenate([*cuts, groups.starts[-1:]]).astype(np.int64), cluster)


def weighted_means(tiles: Tiles, sums: Array, masses: Array, fallback: Array) -> Array:
    """Mean of each cluster from its tiles' sums; the fallback's row where there is no mass."""
    total = np.zeros(fallback.shape)
    mass = np.zeros(len(fallback))
    np.add.at(total, tiles.cluster, sums)
    np.add.at(mass, tiles.cluster, masses)
    means = np.array(fallback, dtype=np.float64)
    np.divide(total, mass[:, None], out=means, where=mass[:, None] > 0)
    return means.astype(fallback.dtype)
