"""Small pictures as PNG, without an imaging library."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

GRAY, RGB = 0, 2  # PNG's colour types


def shrink(picture: Array, side: int) -> Array:
    """The picture with no side longer than ``side``: means over blocks of nearly equal size."""
    factor = side / max(picture.shape[:2])
    if factor >= 1:
        return picture
    shrunk = np.asarray(picture, dtype=np.float64)
    for axis in (0, 1):
        length = picture.shape[axis]
        edges = np.arange(max(1, round(length * factor))) * length // max(1, round(length * factor))
        sums = np.add.reduceat(shrunk, edges, axis=axis)
        shape = [-1 if i == axis else 1 for i in range(shrunk.ndim)]
        shrunk = sums / np.diff([*edges, length]).reshape(shape)
    return shrunk


def data_uri(pixels: npt.NDArray[np.uint8]) -> str:
    """A picture of shape (height, width) or (height, width, 3) as the ``src`` of an img element."""
    return "data:image/png;base64," + b64encode(png(pixels)).decode()


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """A picture of shape (height, width) or (height, width, 3) as the bytes of a PNG file."""
    height, width = pixels.shape[:2]
    header = struct.pack(">IIBBBBB", width, height, 8, GRAY if pixels.ndim == 2 else RGB, 0, 0, 0)
    rows = pixels.reshape(height, -1)
    above = np.vstack([np.zeros_like(rows[:1]), rows[:-1]])
    # Photographs shrink more as differences to the row above (filter 2), drawings as they are (filter 0).
    candidates = [_filtered(rows, 0), _filtered(rows - above, 2)]
    body = min((zlib.compress(candidate, 9) for candidate in candidates), key=len)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def _filtered(rows: npt.NDArray[np.uint8], kind: int) -> bytes:
    return np.insert(rows, 0, kind, axis=1).tobytes()


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
