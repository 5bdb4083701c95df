"""Rows on their leading principal components: fewer numbers to read for nearly the same distances."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import linalg
from threadpoolctl import threadpool_limits

from slkmodes.engines import native_available

Array = npt.NDArray[Any]

# The kernels read columns in vectors of so many.
LANES = 16
# Rows of a sample that components are computed from.
SAMPLE_ROWS = 4096
# Scaled rows are cut off here, so that sums of squares stay finite; no distance grows by it.
FARTHEST = 1e15
# Numbers of a block in memory at a time: 1 MiB of float32, for the caches.
BLOCK_ENTRIES = 1 << 18


def fit_projection(X: Array, n_components: int) -> Projection:
    """Onto the principal components of a sample of the rows, padded for the kernels."""
    rng = np.random.default_rng(0)
    sample = X[np.sort(rng.choice(len(X), min(len(X), SAMPLE_ROWS), replace=False))]
    return Projection(sample, n_components)


class Projection:
    """Centred, scaled rows on the principal components of a sample, the most important first, in float32.

    Distances on fewer than all components are never larger than on all. Columns are padded with zeros for the kernels.
    """

    def __init__(self, sample: Array, n_components: int) -> None:
        self.center = sample.mean(axis=0, dtype=np.float64).astype(sample.dtype)
        Y = sample - self.center
        spread = max(float(Y.max()), -float(Y.min()))
        # float32 overflows where float64 does not, and the square of the scale is needed too.
        least = float(np.finfo(sample.dtype).tiny) ** 0.5
        self.scale = sample.dtype.type(1.0 / max(spread, least) if spread > 0 else 1.0)
        Y = (Y * self.scale).astype(np.float32)
        n_features = sample.shape[1]
        kept = min(n_components, n_features)
        with threadpool_limits(1, user_api="blas"):  # sums must not depend on the number of threads
            _, vectors = linalg.eigh(Y.T @ Y, subset_by_index=(n_features - kept, n_features - 1))
        self.width = -(-kept // LANES) * LANES
        self.components = np.zeros((n_features, self.width), dtype=np.float32)
        self.components[:, :kept] = vectors[:, ::-1]

    def __call__(self, rows: Array, n_threads: int) -> npt.NDArray[np.float32]:
        """The rows, projected."""
        projected = np.empty((len(rows), self.width), dtype=np.float32)
        if native_available():
            from slkmodes import _kernels

            scale, rows = float(self.scale), np.ascontiguousarray(rows)
            _kernels.project(rows, self.center, scale, FARTHEST, self.components, projected, n_threads)
            return projected
        step = max(1, BLOCK_ENTRIES // rows.shape[1])
        for start in range(0, len(rows), step):
            block = rows[start : start + step] - self.center
            with np.errstate(over="ignore"):  # rows far outside the sample
                block *= self.scale
            np.clip(block, -FARTHEST, FARTHEST, out=block)
            np.matmul(block.astype(np.float32, copy=False), self.components, out=projected[start : start + step])
        return projected
