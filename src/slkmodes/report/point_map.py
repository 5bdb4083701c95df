"""The samples as points of a plane."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.report.content import OWNER

# Coordinates are whole numbers from 0 to this, confidence from 0 to 255: finer than any screen.
FINEST = 65_535
MOST_CONFIDENT = 255


def place_points(layout: Any, affinity: Any, random_state: int) -> npt.NDArray[np.float64]:
    """Two coordinates per sample: the given ones, or a layout of the graph."""
    if layout is None:
        from slkmodes.layout import layout_of_graph

        layout = layout_of_graph(affinity, random_state=random_state)
    points = np.asarray(layout, dtype=np.float64)
    if points.shape != (affinity.shape[0], 2) or not np.isfinite(points).all():
        raise ValueError(
            f"layout of {OWNER} must be finite and of shape ({affinity.shape[0]}, 2); got shape {points.shape}"
            + (" with NaN or infinity." if points.ndim == 2 else ".")
        )
    return points


def quantised(points: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Whole numbers from 0 to 65,535, both axes by the same scale."""
    moved = points - points.min(axis=0)
    extent = float(moved.max())
    return np.rint(moved * (FINEST / extent) if extent > 0 else moved).astype(np.int64)


def choose_rows(n_samples: int, max_points: int, needed: list[int], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """All rows or, where there are more than ``max_points``, the needed ones and a random choice of the others."""
    if n_samples <= max_points:
        return np.arange(n_samples)
    kept = np.unique(np.array(needed, dtype=np.int64))
    others = np.setdiff1d(np.arange(n_samples), kept)
    return np.sort(np.concatenate([kept, rng.choice(others, size=max(0, max_points - len(kept)), replace=False)]))
