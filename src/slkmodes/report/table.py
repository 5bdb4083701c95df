"""Rows of a table as people read them: by name, and by what is peculiar about them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Array = npt.NDArray[Any]
Moments = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
Peculiarity = list[Any]  # name, value, deviation in standard deviations (None for words)

COLUMNS_SHOWN = 8
# Columns of words beside the numbers: names and the like tell a person which row it is.
WORDS_SHOWN = 3
LONGEST_WORD = 60
BLOCK_ROWS = 4096


class Table:
    """Numbers with a mean and a spread per column, and columns of words, from an array, a frame or a sparse matrix.

    The columns of a sparse matrix (counts or weights of words, say) share one spread, so that rare words do not stand
    out for being rare, and a row is told by the entries it has.
    """

    def __init__(self, X: Any, names: Any = None) -> None:
        names = getattr(X, "columns", None) if names is None else names
        self.is_sparse = bool(sparse.issparse(X))
        self.numbers: Any = sparse.csr_array(X) if self.is_sparse else _two_axes(np.asarray(X))
        self.words: Array = np.empty((self.numbers.shape[0], 0), dtype=object)
        names = self._check_names(names)
        self.number_names, self.word_names = names, names[:0]
        if self.numbers.dtype.kind not in "biuf":
            self._part(names)
        self.mean, self.spread = sparse_moments(self.numbers) if self.is_sparse else moments(np.asarray(self.numbers))

    def peculiarities(self, row: int) -> list[Peculiarity]:
        """The columns in which a row is farthest from the mean, then its first words."""
        columns, values = self._entries(row)
        deviations = self._in_spreads(values - self.mean[columns], columns)
        told = [
            [self.number_names[columns[i]], _rounded(values[i]), _rounded(deviations[i])] for i in _largest(deviations)
        ]
        words = zip(self.word_names[:WORDS_SHOWN], self.words[row, :WORDS_SHOWN], strict=True)
        return told + [[name, _shortened(str(word)), None] for name, word in words]

    def compare(self, rows: list[int], other: int | None = None) -> list[dict[str, Any]]:
        """The values of several rows in the columns that tell them from all rows, or the first from one other row.

        Per column its name, the mean over the whole table (None for words) and a value per row.
        """
        telling = rows if other is None else [rows[0], other]
        columns = np.unique(np.concatenate([self._entries(row)[0] for row in telling]))
        if other is None:
            differences = self._values(rows, columns).mean(axis=0) - self.mean[columns]
        else:
            differences = np.subtract(*self._values(telling, columns))
        told = columns[_largest(self._in_spreads(differences, columns))]
        values = self._values(rows, told)
        numbers = [
            {
                "name": self.number_names[c],
                "mean": _rounded(self.mean[c]),
                "values": [_rounded(v) for v in values[:, i]],
            }
            for i, c in enumerate(told.tolist())
        ]
        return numbers + [
            {"name": name, "mean": None, "values": [_shortened(str(word)) for word in self.words[rows, i]]}
            for i, name in enumerate(self.word_names[:WORDS_SHOWN])
        ]

    def _entries(self, row: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Columns in which a row has something to say (those it stores, if the table is sparse) and what it says."""
        if self.is_sparse:
            own = slice(*self.numbers.indptr[row : row + 2])
            return self.numbers.indices[own].astype(np.int64), self.numbers.data[own].astype(np.float64)
        return np.arange(self.numbers.shape[1]), self.numbers[row].astype(np.float64)

    def _values(self, rows: list[int], columns: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        chosen = self.numbers[rows]
        chosen = chosen[:, columns].toarray() if self.is_sparse else chosen[:, columns]
        return np.asarray(chosen, dtype=np.float64)

    def _in_spreads(self, differences: Array, columns: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Differences as multiples of the columns' standard deviations; 0 in columns that never vary."""
        spread = self.spread[columns]
        return np.divide(differences, spread, out=np.zeros(len(columns)), where=spread > 0)

    def _check_names(self, names: Any) -> list[str]:
        n_columns = self.numbers.shape[1]
        if names is None:
            return [f"feature {column}" for column in range(n_columns)]
        if len(names) != n_columns:
            raise ValueError(
                f"feature_names of slkmodes.report.collect must name the {n_columns} columns of X; got {len(names)}."
            )
        return [_shortened(str(name)) for name in names]

    def _part(self, names: list[str]) -> None:
        """Columns that are numbers, and the others."""
        X, numeric = self.numbers, {}
        for column in range(X.shape[1]):
            try:
                numeric[column] = X[:, column].astype(np.float64)
            except (TypeError, ValueError):
                continue
        others = [column for column in range(X.shape[1]) if column not in numeric]
        self.numbers = np.column_stack(list(numeric.values())) if numeric else np.empty((len(X), 0))
        self.words = X[:, others]
        self.number_names = [names[column] for column in numeric]
        self.word_names = [names[column] for column in others]


def sparse_moments(X: Any) -> Moments:
    """Mean of each column, and one standard deviation for all: the root of their mean variance."""
    mean = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
    squares = float((X.data.astype(np.float64) ** 2).sum()) / X.shape[0]
    return mean, np.full(X.shape[1], (max(0.0, squares - float(mean @ mean)) / X.shape[1]) ** 0.5)


def moments(X: Array) -> Moments:
    """Mean and standard deviation of each column, NaN left out."""
    known, total, squares = (np.zeros(X.shape[1]) for _ in range(3))
    for block in _blocks(X):
        known += np.count_nonzero(~np.isnan(block), axis=0)
        total += np.nansum(block, axis=0)
    known = np.maximum(known, 1)
    for block in _blocks(X):
        squares += np.nansum((block - total / known) ** 2, axis=0)
    return total / known, np.sqrt(squares / known)


def _blocks(X: Array) -> Iterator[npt.NDArray[np.float64]]:
    """A few rows at a time: the whole as float64 may not fit into memory."""
    for start in range(0, len(X), BLOCK_ROWS):
        yield X[start : start + BLOCK_ROWS].astype(np.float64)


def _two_axes(X: Array) -> Array:
    """A row per sample, whatever shape a sample has."""
    return X.reshape(len(X), -1)


def _largest(deviations: npt.NDArray[np.float64]) -> list[int]:
    """Places of the few largest either way."""
    return np.argsort(-np.abs(np.nan_to_num(deviations)), kind="stable")[:COLUMNS_SHOWN].tolist()


def _rounded(value: float) -> float | None:
    return float(f"{value:.4g}") if np.isfinite(value) else None


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_WORD else text[: LONGEST_WORD - 1] + "…"
