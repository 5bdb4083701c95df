"""Rows in an order in which near rows lie near each other in memory: sweeps over many rows then stay in the caches."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.engines import native_available
from slkmodes.projection import fit_projection

Array = npt.NDArray[Any]

# Fewer rows fit into the caches in any order; a copy of wider rows costs more than it saves.
ORDERED_ROWS = 20_000
WIDEST_ROWS = 128
# Principal components that tell which rows are near.
LEADING_COMPONENTS = 32
# Rows of a leaf of a tree.
LEAF_ROWS = 64


class RowOrder:
    """Working row i is row ``numbers[i]`` of X; where ``numbers`` is None every row is where it was."""

    def __init__(self, numbers: npt.NDArray[np.int32] | None = None) -> None:
        self.numbers = numbers

    def arrange(self, X: Array) -> Array:
        """The rows of X in working order."""
        return X if self.numbers is None else X[self.numbers]

    def restore(self, values: Any) -> Any:
        """One value (or row of a CSR matrix) per working row, in the order of X."""
        if self.numbers is None:
            return values
        if not isinstance(values, np.ndarray):
            return values[self.places()]
        restored = np.empty_like(values)
        restored[self.numbers] = values
        return restored

    def original(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Working rows as rows of X; -1 stays."""
        return rows if self.numbers is None else np.where(rows < 0, -1, self.numbers[rows]).astype(np.int64)

    def working(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Rows of X as working rows."""
        return rows if self.numbers is None else self.places()[rows]

    def restore_graph(self, graph: Any) -> Any:
        """A CSR matrix between working rows as one between the rows of X."""
        if self.numbers is None:
            return graph
        places = self.places()
        restored = graph[places][:, places]
        restored.sort_indices()
        return restored

    def places(self) -> npt.NDArray[np.int64]:
        """The working row of every row of X."""
        assert self.numbers is not None
        return inverse(self.numbers).astype(np.int64)


def inverse(numbers: Array) -> Array:
    """Where each number stands in a permutation."""
    places = np.empty_like(numbers)
    places[numbers] = np.arange(len(numbers), dtype=numbers.dtype)
    return places


def near_rows_together(X: Array, n_threads: int) -> RowOrder:
    """The leaves of a random-projection tree one after the other, where there are many rows."""
    if len(X) < ORDERED_ROWS or X.shape[1] > WIDEST_ROWS or not native_available():
        return RowOrder()
    points = fit_projection(X, LEADING_COMPONENTS)(X, n_threads)
    return RowOrder(tree_order(points, LEAF_ROWS))


def tree_order(points: Array, leaf_rows: int) -> npt.NDArray[np.int32]:
    """The rows by the leaves of a random-projection tree."""
    from slkmodes import _kernels

    order = np.empty(len(points), dtype=np.int32)
    _kernels.tree(np.ascontiguousarray(points), leaf_rows, order)
    return order
