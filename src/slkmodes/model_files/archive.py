"""A header and arrays in one zip file that ``numpy.load`` opens too; nothing in it is ever run or believed.

Nothing is compressed, so what a file claims to hold can be held against its size before memory is asked for.
"""

from __future__ import annotations

import json
import math
import struct
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

HEADER = "header.json"
LARGEST_HEADER = 1 << 28
# What Python's and NumPy's readers raise where a file is not what it should be.
UNREADABLE = (
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    EOFError,
    ArithmeticError,
    RecursionError,
    NotImplementedError,
    RuntimeError,  # an encrypted member
    struct.error,
    zipfile.BadZipFile,
)


def write_archive(path: Path, header: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Store the header as JSON and every array as .npy."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(HEADER, json.dumps(header, allow_nan=False, indent=1))
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)


def read_header(path: Path) -> dict[str, Any]:
    """The header alone."""
    with zipfile.ZipFile(path) as archive:
        return _header(archive)


def read_archive(path: Path, names: Iterable[str]) -> tuple[dict[str, Any], dict[str, Array]]:
    """The header, and those of the named arrays that are there."""
    with zipfile.ZipFile(path) as archive:
        present = set(archive.namelist())
        wanted = [name for name in names if f"{name}.npy" in present]
        return _header(archive), {name: _array(archive, name, path.stat().st_size) for name in wanted}


def _header(archive: zipfile.ZipFile) -> dict[str, Any]:
    info = archive.getinfo(HEADER)
    if info.compress_type != zipfile.ZIP_STORED or info.file_size > LARGEST_HEADER:
        raise ValueError(f"its {HEADER} is compressed or too large.")
    header = json.loads(archive.read(info), parse_constant=_no_constant)
    if not isinstance(header, dict):
        raise ValueError(f"its {HEADER} must be an object, got a {type(header).__name__}.")
    return header


def _no_constant(name: str) -> float:
    raise ValueError(f"its {HEADER} holds {name}, which is no number.")


def _array(archive: zipfile.ZipFile, name: str, size: int) -> Array:
    info = archive.getinfo(f"{name}.npy")
    if info.compress_type != zipfile.ZIP_STORED or info.file_size > size:
        raise ValueError(f"its array {name} is compressed, or claims to be larger than the file.")
    with archive.open(info) as member:
        if np.lib.format.read_magic(member) != (1, 0):
            raise ValueError(f"its array {name} is of a version of .npy that is not used here.")
        shape, by_column, dtype = np.lib.format.read_array_header_1_0(member)
        if dtype.kind not in "fiu" or not dtype.isnative or by_column or len(shape) > 2 or min(shape, default=0) < 0:
            raise ValueError(f"its array {name} must hold plain numbers row by row, got {dtype} of shape {shape}.")
        n_bytes = math.prod(shape) * dtype.itemsize
        if n_bytes != info.file_size - member.tell():
            raise ValueError(f"its array {name} of shape {shape} is not all there, or more than that.")
    with archive.open(info) as member:
        array: Array = np.lib.format.read_array(member, allow_pickle=False)  # zipfile compares its check sum
    return array
