"""Annotated matrices of single cells (.h5ad), read by h5py alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from slkmodes.optional import optional
from slkmodes.tables.table import Array, BadTable, Table, check_names, rows_per_block

PREFERRED = ("obsm/X_pca", "X")


class CellTable(Table):
    """A row per cell: a matrix of the file is the features, the columns of ``obs`` annotate it."""

    annotated = True

    def __init__(self, path: Path, array: str | None = None) -> None:
        self.path = path
        self._h5py = optional("h5py", path.name, "cells")
        try:
            with self._h5py.File(path, "r") as file:
                self._read_names(file, array)
        except BadTable:
            raise
        except (OSError, KeyError, ValueError, TypeError, AttributeError) as reason:
            raise BadTable(f"{path} is not a whole .h5ad file: {reason}") from reason

    def _read_names(self, file: Any, array: str | None) -> None:
        there = [name for name in ("X", *_members(file, "layers"), *_members(file, "obsm")) if name in file]
        self._array = array or next((name for name in PREFERRED if name in there), "X")
        if self._array not in there:
            raise BadTable(f"{self.path} has no array {self._array!r}; there are {', '.join(there)}.")
        if array is None and self._array != "X":
            self.notes = (f"Cells are compared by {self._array}. For another matrix say --array X, for example.",)
        self.n_rows, n_columns = _shape(file[self._array])
        self.expected_rows = self.n_rows
        if self._array.startswith("obsm/"):
            stem = self._array.removeprefix("obsm/")
            self.features = tuple(f"{stem}_{i}" for i in range(n_columns))
        else:
            self.features = tuple(_texts(file["var"][_index(file["var"])]))
        obs = file["obs"]
        self._names = list(_texts(obs[_index(obs)]))
        taken = {*self.features, "cell"}
        self.others = ("cell", *(name for name in obs if name != _index(obs) and name not in taken))
        if len(self.features) != n_columns or len(self._names) != self.n_rows:
            raise BadTable(f"{self.path}: {self._array} has a shape other than obs and var say. Write the file again.")
        check_names(self.path, self.features)

    def numbers(self, names: Sequence[str]) -> Iterator[Array]:
        """Blocks of the matrix's own type."""
        place = {name: i for i, name in enumerate(self.features)}
        columns = [place[name] for name in names]
        everything = columns == list(range(len(place)))
        step = rows_per_block(len(self.features))
        with self._h5py.File(self.path, "r") as file:
            rows = _row_reader(file[self._array])
            for first in range(0, self.n_rows or 0, step):
                block = rows(first, min(first + step, self.n_rows or 0))
                yield block if everything else block[:, columns]

    def values(self, name: str) -> Iterator[Any]:
        """Of a column of obs, or a feature."""
        if name in self.others:
            return iter(self._annotation(name))
        return (value for block in self.numbers([name]) for value in block[:, 0].tolist())

    def rows(self, numbers: Sequence[int]) -> dict[str, list[Any]]:
        """The annotations first: genes are many."""
        found = {name: [column[n] for n in numbers] for name in self.others for column in [self._annotation(name)]}
        with self._h5py.File(self.path, "r") as file:
            rows = _row_reader(file[self._array])
            dense = np.concatenate([rows(n, n + 1) for n in numbers])
        return found | {name: dense[:, i].tolist() for i, name in enumerate(self.features)}

    def _annotation(self, name: str) -> list[Any]:
        if name == "cell":
            return self._names
        with self._h5py.File(self.path, "r") as file:
            return _column(file["obs"][name])


def _members(file: Any, group: str) -> list[str]:
    return [f"{group}/{name}" for name in file[group]] if group in file else []


def _index(group: Any) -> str:
    name = group.attrs.get("_index", "_index")
    return name.decode() if isinstance(name, bytes) else str(name)


def _texts(dataset: Any) -> Iterator[str]:
    return (value.decode(errors="replace") if isinstance(value, bytes) else str(value) for value in dataset[()])


def _shape(matrix: Any) -> tuple[int, int]:
    n_rows, n_columns = matrix.attrs["shape"] if hasattr(matrix, "keys") else matrix.shape
    return int(n_rows), int(n_columns)


def _row_reader(matrix: Any) -> Any:
    """A function from the first row and the one after the last to a dense block."""
    if not hasattr(matrix, "keys"):
        return lambda first, last: matrix[first:last]
    shape = _shape(matrix)
    starts = matrix["indptr"][()].astype(np.int64)
    if str(matrix.attrs.get("encoding-type", "csr_matrix")).startswith("csc"):
        parts = matrix["data"][()], matrix["indices"][()], starts
        by_row = _checked(sparse.csc_array(parts, shape=shape)).tocsr()
        return lambda first, last: by_row[first:last].toarray()
    if len(starts) != shape[0] + 1 or starts[0] != 0 or np.any(np.diff(starts) < 0):
        raise BadTable("The sparse matrix of the .h5ad file is damaged. Write it again.")

    def rows(first: int, last: int) -> Array:
        entries = slice(starts[first], starts[last])
        parts = matrix["data"][entries], matrix["indices"][entries], starts[first : last + 1] - starts[first]
        return _checked(sparse.csr_array(parts, shape=(last - first, shape[1]))).toarray()

    return rows


def _checked(matrix: Any) -> Any:
    try:
        matrix.check_format(full_check=True)
    except ValueError as reason:
        raise BadTable(f"The sparse matrix of the .h5ad file is damaged: {reason}. Write it again.") from reason
    return matrix


def _column(column: Any) -> list[Any]:
    """Plain values, categories, or values of which some are masked."""
    if not hasattr(column, "keys"):
        return [v.decode(errors="replace") if isinstance(v, bytes) else v for v in column[()].tolist()]
    if "categories" in column:
        words = _column(column["categories"])
        return [words[code] if 0 <= code < len(words) else None for code in column["codes"][()].tolist()]
    masked = zip(_column(column["values"]), column["mask"][()].tolist(), strict=True)
    return [None if missing else value for value, missing in masked]
