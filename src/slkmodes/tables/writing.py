"""Blocks of columns -> a .csv or .parquet file: whole, or not at all."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from slkmodes.optional import optional
from slkmodes.whole_files import whole_or_nothing

Block = Mapping[str, Sequence[Any] | np.ndarray[Any, Any]]

FORMATS = ("csv", "parquet")
# Places after the point of a number in text; parquet keeps all.
DECIMALS = 6


def write_table(path: str | Path, blocks: Iterable[Block]) -> None:
    """Write a table, a block of rows at a time.

    Parameters
    ----------
    path : str or path
        Ends in .csv or .parquet.
    blocks : iterable of mappings
        From name to column, the same names in every block.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(f"{folder}/a.csv", [{"row": [0], "label": [3]}, {"row": [1], "label": [2]}])
    ...     (Path(folder) / "a.csv").read_text().split()
    ['row,label', '0,3', '1,2']
    """
    path = Path(path)
    write = {".csv": _write_csv, ".parquet": _write_parquet}.get(path.suffix)
    if write is None:
        raise ValueError(f"path of write_table must end in .csv or .parquet, got {path.name!r}.")
    with whole_or_nothing(path) as part:
        write(part, blocks)


def _write_csv(path: Path, blocks: Iterable[Block]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        write_lines(file, blocks)


def write_lines(file: TextIO, blocks: Iterable[Block]) -> None:
    """A header and a line per row."""
    writer = csv.writer(file, lineterminator="\n")
    for number, block in enumerate(blocks):
        if number == 0:
            writer.writerow(block)
        writer.writerows(zip(*(_texts_of(column) for column in block.values()), strict=True))


def _texts_of(column: Sequence[Any] | np.ndarray[Any, Any]) -> Sequence[Any]:
    if not isinstance(column, np.ndarray):
        return column
    return (column.astype(np.float64).round(DECIMALS) if column.dtype.kind == "f" else column).tolist()


def _write_parquet(path: Path, blocks: Iterable[Block]) -> None:
    pyarrow = optional("pyarrow", path.name, "tables")
    parquet = optional("pyarrow.parquet", path.name, "tables")

    writer = None
    try:
        for block in blocks:
            table = pyarrow.table(dict(block), schema=writer and writer.schema)
            writer = writer or parquet.ParquetWriter(path, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()
