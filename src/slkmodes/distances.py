"""What a metric makes of samples so that all behind it can take the Euclidean distance: a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.validation import unit_rows

Array = npt.NDArray[Any]


# Rounding may change inner products by so much of the squared length that half of the samples have.
MOST_ROUNDING = 1e-3


@dataclass(frozen=True)
class Euclidean:
    """Samples as they are."""

    extra_columns = 0
    nearest_to_itself = True  # no sample is nearer to a sample than its equal

    def asking(self, X: Array) -> Array:
        """The rows for samples that look for near ones."""
        return X

    def answering(self, rows: Array) -> Array:
        """Of such rows, those that they are compared with."""
        return rows

    def lift(self, rows: Array) -> Array | None:
        """Twice the product of these is added to squared distances of answering rows to give those of samples."""
        return None

    def features(self, rows: Array) -> Array:
        """Of either rows the samples."""
        return rows


@dataclass(frozen=True)
class Cosine(Euclidean):
    """Samples scaled to unit length, in whose order of distances their angles are."""

    owner: str

    def asking(self, X: Array) -> Array:
        """The rows for samples that look for near ones."""
        return unit_rows(self.owner, X)


@dataclass(frozen=True)
class InnerProduct(Euclidean):
    """The larger the inner product, the nearer: samples made equally long by a coordinate that no other has.

    Between two of length r the squared distance is then 2 r^2 - 2 <x, y>. A coordinate of its own for each of n samples
    would be n columns, but two are enough to compare those that ask, which use one, with those that answer, which use
    the other.
    """

    squared_length: float  # of the longest sample

    extra_columns = 2
    nearest_to_itself = False

    def asking(self, X: Array) -> Array:
        """The rows for samples that look for near ones."""
        own = self.squared_length - np.einsum("ij,ij->i", X, X, dtype=np.float64)
        return np.column_stack([X, np.zeros(len(X), X.dtype), np.sqrt(np.maximum(own, 0)).astype(X.dtype)])

    def answering(self, rows: Array) -> Array:
        """Of such rows, those that they are compared with."""
        turned = rows.copy()
        turned[:, -2:] = rows[:, :-3:-1]
        return turned

    def lift(self, rows: Array) -> Array | None:
        """The coordinate that no other sample has: answering rows have theirs in the same column."""
        return rows[:, -2]

    def features(self, rows: Array) -> Array:
        """Of either rows the samples."""
        return np.ascontiguousarray(rows[:, :-2])


EUCLIDEAN = Euclidean()


def inner_product(owner: str, X: Array) -> InnerProduct:
    """As long as the longest sample, which shall not be so long that the others' products lose their digits."""
    squared = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    longest, middle = float(squared.max()), float(np.median(squared[squared > 0])) if squared.any() else 0.0
    if longest * float(np.finfo(X.dtype).eps) > MOST_ROUNDING * middle:
        raise ValueError(
            f"The longest sample is {(longest / middle) ** 0.5:.3g} times as long as half of them: beside its own, "
            f"inner products of the others lose their digits in {X.dtype}. Take it out, pass float64 with "
            f"neighbor_search='brute', or use metric='cosine' of {owner}."
        )
    return InnerProduct(longest)


# Whose parameter it is and the samples -> the metric between them.
METRICS: dict[str, Callable[[str, Array], Euclidean]] = {
    "euclidean": lambda owner, X: EUCLIDEAN,
    "cosine": lambda owner, X: Cosine(owner),
    "inner_product": inner_product,
}
