"""Data sets for the benchmarks, from the folder that SLKMODES_DATA names."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """X and y of ``<name>.npz``."""
    folder = os.environ.get("SLKMODES_DATA")
    path = Path(folder or ".") / f"{name}.npz"
    if folder is None or not path.exists():
        raise SystemExit(f"Set SLKMODES_DATA to a folder that holds {name}.npz (arrays X and y); looked for {path}.")
    with np.load(path, allow_pickle=False) as archive:
        return archive["X"], archive["y"]
