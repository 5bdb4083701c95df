"""What must hold of arrays and numbers from a file before anything is computed with them.

The kernels trust the numbers of rows and columns they are given: a file that lies about them ends here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Array = npt.NDArray[Any]
Shape = tuple[int, ...]


class Contents:
    """The arrays of a file, each handed out once it has been checked."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = arrays

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def numbers(self, name: str, shape: Shape | None = None, dtype: Any = None) -> Array:
        """Finite float32 or float64 numbers."""
        array = self._array(name, shape, "f")
        if array.dtype not in (np.float32, np.float64) or (dtype is not None and array.dtype != dtype):
            raise ValueError(f"its array {name} must be {dtype or 'float32 or float64'}, got {array.dtype}.")
        if not np.isfinite(array).all():
            raise ValueError(f"its array {name} holds NaN or infinity.")
        return array

    def integers(self, name: str, shape: Shape, least: int, below: int) -> npt.NDArray[np.int64]:
        """Whole numbers from ``least`` on and below a bound."""
        array = self._array(name, shape, "iu")
        if array.size and (int(array.min()) < least or int(array.max()) >= below):
            raise ValueError(f"its array {name} holds numbers outside {least} to {below - 1}.")
        return array.astype(np.int64)

    def permutation(self, name: str, length: int) -> npt.NDArray[np.int32]:
        """Every number below the length, once."""
        numbers = self.integers(name, (length,), 0, length)
        if np.bincount(numbers, minlength=length).max(initial=0) > 1:
            raise ValueError(f"its array {name} names a row twice.")
        return numbers.astype(np.int32)

    def matrix(self, name: str, shape: tuple[int, int], dtype: Any = None) -> Any:
        """A CSR matrix of non-negative numbers whose rows and columns are all there."""
        data = self.numbers(f"{name}_data", dtype=dtype)
        if data.ndim != 1 or (data.size and data.min() < 0):
            raise ValueError(f"its array {name}_data must be a list of numbers of at least 0.")
        columns = self._array(f"{name}_indices", data.shape, "i")
        starts = self._array(f"{name}_indptr", (shape[0] + 1,), "i")
        if starts[0] != 0 or starts[-1] != len(data) or np.any(starts[1:] < starts[:-1]):
            raise ValueError(f"its array {name}_indptr does not cut {len(data)} entries into {shape[0]} rows.")
        matrix = sparse.csr_array((data, columns, starts), shape=shape)
        matrix.check_format(full_check=True)  # columns that do not exist
        if not matrix.has_canonical_format:
            raise ValueError(f"its matrix {name} names columns twice, or not in order.")
        return matrix

    def _array(self, name: str, shape: Shape | None, kinds: str) -> Array:
        if name not in self._arrays:
            raise ValueError(f"its array {name} is missing.")
        array = self._arrays[name]
        if array.dtype.kind not in kinds or (shape is not None and array.shape != shape):
            raise ValueError(f"its array {name} does not fit: got {array.dtype} of shape {array.shape}.")
        return array


def matrix_parts(name: str, matrix: Any) -> dict[str, Array]:
    """The arrays that :meth:`Contents.matrix` reads."""
    return {f"{name}_data": matrix.data, f"{name}_indices": matrix.indices, f"{name}_indptr": matrix.indptr}


def check_on_simplex(memberships: Any) -> None:
    """Refuse rows that do not add up to one."""
    totals = np.asarray(memberships.sum(axis=1, dtype=np.float64))
    least = memberships.min() if memberships.size else 0.0
    if least < 0 or np.abs(totals - 1).max(initial=0.0) > 1e-3:
        raise ValueError("its memberships are no shares that add up to one in every row.")
