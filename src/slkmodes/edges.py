"""A sparse matrix as the C++ kernels read it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Edges(NamedTuple):
    """The rows' entries as the kernels read them."""

    row_starts: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int32]
    weights: Array


def edges_of(matrix: Any, dtype: Any = None) -> Edges:
    """A CSR matrix in the kernels' types; no copy where it already is."""
    if dtype is None:
        dtype = matrix.dtype if matrix.dtype == np.float32 else np.float64
    return Edges(
        np.ascontiguousarray(matrix.indptr, dtype=np.int64),
        np.ascontiguousarray(matrix.indices, dtype=np.int32),
        np.ascontiguousarray(matrix.data, dtype=dtype),
    )
