"""Parquet and Feather, a batch of records at a time: memory holds the batch, not the table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from slkmodes.optional import optional
from slkmodes.tables.table import Array, BadTable, Table, check_names, rows_per_block


class ArrowTable(Table):
    """Record batches of pyarrow."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._pyarrow = pyarrow = optional("pyarrow", path.name, "tables")
        try:
            schema, self.n_rows = self._schema()
        except (pyarrow.ArrowException, OSError) as reason:
            raise BadTable(f"{path} is not a whole file of its kind: {reason}. Write it again.") from reason
        self.expected_rows = self.n_rows
        check_names(path, schema.names)
        numeric = {field.name: _is_numeric(pyarrow.types, field.type) for field in schema}
        self.features = tuple(name for name, yes in numeric.items() if yes)
        self.others = tuple(name for name, yes in numeric.items() if not yes)

    @abstractmethod
    def _schema(self) -> tuple[Any, int]:
        """The names and types of the columns, and the number of rows."""

    @abstractmethod
    def _batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Record batches with these columns."""

    def numbers(self, names: Sequence[str]) -> Iterator[Array]:
        """Blocks of float64."""
        pyarrow = self._pyarrow
        for batch in self._batches(names):
            block = np.empty((batch.num_rows, len(names)))
            for column, name in enumerate(names):
                values = batch.column(batch.schema.get_field_index(name))
                if pyarrow.types.is_boolean(values.type):
                    values = values.cast(pyarrow.uint8())
                # Numbers are rounded to float64 where they have to be; a missing one becomes NaN.
                block[:, column] = values.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False)
            yield block

    def values(self, name: str) -> Iterator[Any]:
        """As Python objects."""
        for batch in self._batches([name]):
            yield from batch.column(0).to_pylist()

    def rows(self, numbers: Sequence[int]) -> dict[str, list[Any]]:
        """As Python objects."""
        found: dict[int, dict[str, Any]] = {}
        first, wanted = 0, np.unique(numbers)
        for batch in self._batches(self.columns):
            here = wanted[(wanted >= first) & (wanted < first + batch.num_rows)]
            found |= {int(n): batch.slice(int(n) - first, 1).to_pylist()[0] for n in here}
            first += batch.num_rows
        return {name: [found[number][name] for number in numbers] for name in self.columns}


class ParquetTable(ArrowTable):
    """Read through its row groups."""

    def _schema(self) -> tuple[Any, int]:
        parquet = optional("pyarrow.parquet", self.path.name, "tables")
        with parquet.ParquetFile(self.path) as file:
            return file.schema_arrow, file.metadata.num_rows

    def _batches(self, names: Sequence[str]) -> Iterator[Any]:
        parquet = optional("pyarrow.parquet", self.path.name, "tables")
        with parquet.ParquetFile(self.path) as file:
            yield from file.iter_batches(rows_per_block(len(names)), columns=list(names))


class FeatherTable(ArrowTable):
    """Version 2, which is Arrow's own file format."""

    def _schema(self) -> tuple[Any, int]:
        ipc = self._pyarrow.ipc
        with ipc.open_file(self.path) as file:
            return file.schema, sum(file.get_batch(i).num_rows for i in range(file.num_record_batches))

    def _batches(self, names: Sequence[str]) -> Iterator[Any]:
        ipc = self._pyarrow.ipc
        with ipc.open_file(self.path) as file:
            for i in range(file.num_record_batches):
                batch = file.get_batch(i).select(list(names))
                step = rows_per_block(len(names))
                for first in range(0, batch.num_rows, step):
                    yield batch.slice(first, step)


def _is_numeric(types: Any, kind: Any) -> bool:
    return any(test(kind) for test in (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal))
