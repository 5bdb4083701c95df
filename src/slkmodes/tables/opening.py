"""A file -> a table, by the end of its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from slkmodes.tables.arrays import MatrixTable, open_mtx, open_npy, open_npz
from slkmodes.tables.arrow import FeatherTable, ParquetTable
from slkmodes.tables.cells import CellTable
from slkmodes.tables.table import BadTable, Table
from slkmodes.tables.text import TextTable

# The name of an array inside the file, or None -> the table. Formats without named arrays refuse one.
READERS: dict[str, Callable[[Path, str | None], Table]] = {
    ".csv": lambda path, array: TextTable(_without_arrays(path, array)),
    ".tsv": lambda path, array: TextTable(_without_arrays(path, array)),
    ".parquet": lambda path, array: ParquetTable(_without_arrays(path, array)),
    ".feather": lambda path, array: FeatherTable(_without_arrays(path, array)),
    ".npy": open_npy,
    ".npz": open_npz,
    ".mtx": open_mtx,
    ".h5ad": CellTable,
}
# Formats of which a compressed file is read as well.
COMPRESSED = (".csv", ".tsv", ".mtx")


def open_table(path: str | Path, *, array: str | None = None) -> Table:
    r"""Open a file of rows; its numbers are read when they are asked for.

    Parameters
    ----------
    path : str or path
        Ends in .csv, .tsv, .parquet, .feather, .npy, .npz, .mtx or .h5ad; .csv, .tsv and .mtx also with .gz.
    array : str, optional
        Which array of an .npz or .h5ad file; X, or the principal components of cells, if not given.

    Returns
    -------
    Table
        With the names of its columns.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "flowers.csv"
    ...     _ = path.write_text("width,length,name\n1.5,2,rose\n1.0,3,lily\n")
    ...     table = open_table(path)
    >>> table.features, table.others
    (('width', 'length'), ('name',))
    """
    path = Path(path)
    if not path.is_file():
        missing = "is a folder" if path.is_dir() else "does not exist"
        raise BadTable(f"{path} {missing}. Give a file with a row per sample ({', '.join(READERS)}).")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    kind = suffixes[-1] if suffixes else ""
    if kind == ".gz" and len(suffixes) > 1 and suffixes[-2] in COMPRESSED:
        kind = suffixes[-2]
    if kind not in READERS:
        raise BadTable(f"{path} must end in {', '.join(READERS)}, got {kind!r}. Convert it to one of these.")
    try:
        return READERS[kind](path, array)
    except OSError as reason:
        raise BadTable(f"{path} cannot be read: {reason}") from reason


def _without_arrays(path: Path, array: str | None) -> Path:
    if array is not None:
        raise BadTable(f"{path} is one table without named arrays. Leave --array out, choose --columns instead.")
    return path


def transposed(table: Table) -> Table:
    """Columns as rows: matrices of genes by cells."""
    if not isinstance(table, MatrixTable):
        raise BadTable(
            f"{table.path} is a table, whose columns cannot be rows. --transpose is for .npy, .npz and .mtx."
        )
    return table.transposed()
