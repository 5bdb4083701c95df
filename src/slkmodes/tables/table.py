"""What every file of rows offers, whatever its format: numbers in blocks, single columns, single rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

# Numbers of a block in memory at a time: 8 MiB of float64.
BLOCK_NUMBERS = 1 << 20


class BadTable(ValueError):
    """A file that cannot be clustered as it is; the message says what to do."""


class Table(ABC):
    """Rows of a file. Nothing but names is read before it is asked for."""

    path: Path
    features: tuple[str, ...]  # columns of numbers
    others: tuple[str, ...] = ()  # columns that are no features: text, dates, annotations
    n_rows: int | None = None  # None: not known before all was read
    expected_rows: int | None = None  # an estimate, for those who wait
    annotated = False  # whether the others were never meant as features
    slow = False  # whether reading a block takes longer than keeping it
    image_shape: tuple[int, ...] | None = None  # where every row is a picture
    notes: tuple[str, ...] = ()  # what was decided on opening, for the user

    @abstractmethod
    def numbers(self, names: Sequence[str]) -> Iterator[Array]:
        """The features of these names, a block of rows at a time; NaN where a value is missing."""

    @abstractmethod
    def values(self, name: str) -> Iterator[Any]:
        """A column of any kind, value by value; None where one is missing."""

    @abstractmethod
    def rows(self, numbers: Sequence[int]) -> dict[str, list[Any]]:
        """All columns of the rows of these numbers, in this order."""

    def affinities(self) -> Any:
        """The file as a matrix of affinities between all rows."""
        raise BadTable(
            f"{self.path} holds a table, not a graph. For --affinity precomputed give a square matrix as .npz (SciPy "
            "sparse or an array), .npy or .mtx."
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """All names."""
        return (*self.features, *self.others)


def rows_per_block(n_columns: int) -> int:
    """How many rows are read at a time."""
    return max(1, BLOCK_NUMBERS // max(1, n_columns))


def check_names(path: Path, names: Sequence[str]) -> None:
    """Refuse tables in which a name does not tell one column."""
    twice = sorted({name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else ())
    if twice:
        raise BadTable(f"{path} has several columns named {', '.join(map(repr, twice))}. Give each a name of its own.")


def is_missing(value: Any) -> bool:
    """Whether a value is None or NaN."""
    return value is None or bool(value != value)


def codes_of(values: Iterator[Any]) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """A number for each value, -1 where it is missing, and the words they stand for, as they came."""
    known: dict[Any, int] = {}
    codes = [-1 if is_missing(value) else known.setdefault(value, len(known)) for value in values]
    return np.array(codes, dtype=np.int64), tuple(map(str, known))
