"""First modes: a table of seedings, and new modes for clusters that died."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.mode_kernels import GaussianKernel, ModeKernel, Modes

Array = npt.NDArray[Any]
Rows = npt.NDArray[np.int64]


def kmeans_plus_plus(kernel: ModeKernel, n_clusters: int, rng: np.random.Generator) -> Rows:
    """K-means++ seeds (section 4.2): rows drawn by their squared distance to the seeds so far.

    On features the distance is Euclidean and scikit-learn draws. On a graph it is the kernel's own,
    |phi(x) - phi(y)|^2 = 2 k(x, x) - 2 k(x, y).
    """
    if isinstance(kernel, GaussianKernel):
        from sklearn.cluster import kmeans_plusplus  # slow to import

        _, rows = kmeans_plusplus(kernel.X, n_clusters, random_state=int(rng.integers(2**31 - 1)))
        return np.asarray(rows, dtype=np.int64)
    modes = kernel.modes_at(np.repeat(rng.integers(kernel.n_samples, size=1), n_clusters))
    closest = kernel.similarity(slice(None), kernel.modes_at(modes.rows[:1]))[:, 0]
    return reseed(kernel, closest, modes, np.arange(1, n_clusters), rng).rows


def random_rows(kernel: ModeKernel, n_clusters: int, rng: np.random.Generator) -> Rows:
    """Different rows, each as likely as any other."""
    return rng.choice(kernel.n_samples, size=n_clusters, replace=False)


SEEDINGS: dict[str, Callable[[ModeKernel, int, np.random.Generator], Rows]] = {
    "k-means++": kmeans_plus_plus,
    "random": random_rows,
}


def first_modes(init: str | Array, kernel: ModeKernel, n_clusters: int, rng: np.random.Generator) -> Modes:
    """Modes by a seeding's name, at given row numbers (1-d), or at given points (2-d)."""
    if isinstance(init, str):
        return kernel.modes_at(SEEDINGS[init](kernel, n_clusters, rng))
    if init.ndim == 1:
        return kernel.modes_at(init)
    return Modes(rows=np.full(n_clusters, -1), points=init.astype(kernel.dtype))


def reseed(kernel: ModeKernel, closest: Array, modes: Modes, empty: Rows, rng: np.random.Generator) -> Modes:
    """Give the empty clusters a row each that is unlike every mode; ``closest`` is max_l a_pl."""
    rows, points = modes.rows.copy(), None if modes.points is None else modes.points.copy()
    for cluster in empty:
        fresh = kernel.modes_at(np.array([draw_far_row(kernel, closest, rng)]))
        rows[cluster] = fresh.rows[0]
        if points is not None and fresh.points is not None:
            points[cluster] = fresh.points[0]
        closest = np.maximum(closest, kernel.similarity(slice(None), fresh)[:, 0])
    return Modes(rows, points)


def draw_far_row(kernel: ModeKernel, closest: Array, rng: np.random.Generator) -> int:
    """Draw a row by its squared distance, in the kernel's space, to the closest mode.

    That distance is bounded: an outlier is no likelier than any other row far from all modes.
    """
    distance = np.maximum(kernel.self_similarity - closest.astype(np.float64), 0.0)
    total = distance.sum()
    if total == 0.0:  # every row equals a mode
        return int(rng.integers(kernel.n_samples))
    return int(np.searchsorted(np.cumsum(distance), rng.random() * total, side="right").clip(max=len(distance) - 1))
