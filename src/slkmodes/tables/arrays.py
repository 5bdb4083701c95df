"""Matrices: .npy (not read before it is needed), .npz with named arrays, and Matrix Market."""

from __future__ import annotations

import gzip
import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from slkmodes.tables.table import Array, BadTable, Table, rows_per_block

CSR_PARTS = ("X_data", "X_indices", "X_indptr", "X_shape")
SPARSE_PARTS = ("data", "indices", "indptr", "shape", "format")
UNREADABLE = (ValueError, TypeError, LookupError, EOFError, OSError, zipfile.BadZipFile, zlib.error)


class MatrixTable(Table):
    """Rows of a matrix, dense or sparse; its columns are called x0, x1, ..."""

    annotated = True

    def __init__(self, path: Path, matrix: Any, annotations: Mapping[str, Array] | None = None) -> None:
        self.path = path
        if not sparse.issparse(matrix) and matrix.ndim > 2:
            self.image_shape = tuple(matrix.shape[1:])
            matrix = matrix.reshape(len(matrix), math.prod(self.image_shape))
        if matrix.ndim != 2 or matrix.dtype.kind not in "fiub" or not matrix.shape[1]:
            raise BadTable(
                f"{path} must hold a matrix of numbers with a row per sample and at least one column, got "
                f"{matrix.dtype} of shape {matrix.shape}."
            )
        self._matrix, self._annotations = matrix, annotations or {}
        self.n_rows = self.expected_rows = int(matrix.shape[0])
        self.features = tuple(f"x{i}" for i in range(matrix.shape[1]))
        self.others = tuple(name for name in self._annotations if name not in self.features)

    def numbers(self, names: Sequence[str]) -> Iterator[Array]:
        """Blocks of the matrix's own type."""
        place = {name: i for i, name in enumerate(self.features)}
        columns = [place[name] for name in names]
        everything = len(columns) == len(place) and columns == sorted(columns)
        step = rows_per_block(len(self.features))
        for first in range(0, self._matrix.shape[0], step):
            block = self._matrix[first : first + step]
            dense = _dense(block)
            yield dense if everything else dense[:, columns]

    def values(self, name: str) -> Iterator[Any]:
        """As Python objects."""
        if name in self._annotations:
            return iter(self._annotations[name].tolist())
        return (value for block in self.numbers([name]) for value in block[:, 0].tolist())

    def rows(self, numbers: Sequence[int]) -> dict[str, list[Any]]:
        """As Python objects."""
        chosen = self._matrix[np.asarray(numbers, dtype=np.int64)]
        dense = _dense(chosen)
        found = {name: dense[:, i].tolist() for i, name in enumerate(self.features)}
        return found | {name: self._annotations[name][list(numbers)].tolist() for name in self.others}

    def affinities(self) -> Any:
        """The matrix itself."""
        return sparse.csr_array(self._matrix)

    def transposed(self) -> MatrixTable:
        """Columns as rows, without the annotations."""
        turned = self._matrix.T
        return MatrixTable(self.path, turned.tocsr() if sparse.issparse(self._matrix) else turned)


def _dense(block: Any) -> Array:
    return np.asarray(block if isinstance(block, np.ndarray) else block.toarray())


def open_npy(path: Path, array: str | None = None) -> Table:
    """A memory map: rows come from the file as they are asked for."""
    if array is not None:
        raise BadTable(f"{path} holds one array without a name. Leave --array out.")
    try:
        return MatrixTable(path, np.lib.format.open_memmap(path, mode="r"))
    except BadTable:
        raise
    except UNREADABLE as reason:
        raise BadTable(f"{path} is not a whole .npy file of numbers: {reason}") from reason


def open_npz(path: Path, array: str | None = None) -> Table:
    """The array X, a sparse matrix, or the only matrix there is; vectors as long as it has rows annotate it."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (*UNREADABLE, AttributeError) as reason:
        raise BadTable(f"{path} is not a whole .npz file of numbers: {reason}") from reason
    name, matrix = _main_array(path, arrays, array)
    n_rows = matrix.shape[0] if matrix.ndim else -1
    annotations = {key: value for key, value in arrays.items() if key != name and value.shape == (n_rows,)}
    table = MatrixTable(path, matrix, {} if name == "data" else annotations)
    if table.image_shape is None and arrays.get("image_shape", np.empty(0)).size in (2, 3):
        table.image_shape = tuple(int(length) for length in arrays["image_shape"])
    return table


def _main_array(path: Path, arrays: Mapping[str, Array], wanted: str | None) -> tuple[str, Any]:
    if wanted is not None:
        if wanted not in arrays:
            raise BadTable(f"{path} has no array {wanted!r}; there are {', '.join(sorted(arrays))}.")
        return wanted, arrays[wanted]
    if set(CSR_PARTS) <= set(arrays):
        data, indices, indptr, shape = (arrays[part] for part in CSR_PARTS)
        return "X", _csr(path, data, indices, indptr, shape)
    if set(SPARSE_PARTS) <= set(arrays) and arrays["format"].item() in (b"csr", "csr"):
        return "data", _csr(path, *(arrays[part] for part in SPARSE_PARTS[:4]))
    matrices = [name for name, value in arrays.items() if value.ndim >= 2 and value.dtype.kind in "fiub"]
    if "X" in arrays or len(matrices) == 1:
        name = "X" if "X" in arrays else matrices[0]
        return name, arrays[name]
    raise BadTable(
        f"{path} has no array X and not just one matrix; there are {', '.join(sorted(arrays))}. Name one: --array NAME"
    )


def _csr(path: Path, data: Array, indices: Array, indptr: Array, shape: Array) -> Any:
    try:
        columns = indices.astype(np.int64 if indices.itemsize > 4 else np.int32)
        matrix = sparse.csr_array((data, columns, indptr.astype(np.int64)), shape=(int(shape[0]), int(shape[1])))
        matrix.check_format(full_check=True)
    except (ValueError, TypeError) as reason:
        raise BadTable(f"The sparse matrix in {path} is damaged: {reason}. Write it again.") from reason
    return matrix


def open_mtx(path: Path, array: str | None = None) -> Table:
    """A matrix in Matrix Market's format."""
    from scipy.io import mmread

    if array is not None:
        raise BadTable(f"{path} holds one matrix without a name. Leave --array out.")
    try:
        # SciPy knows compressed files by .gz alone.
        source = BytesIO(gzip.decompress(path.read_bytes())) if path.suffix == ".GZ" else path
        matrix = mmread(source, spmatrix=False)
    except UNREADABLE as reason:
        raise BadTable(f"{path} is not a whole Matrix Market file: {reason}") from reason
    return MatrixTable(path, sparse.csr_array(matrix) if sparse.issparse(matrix) else matrix)
