"""Packages that only some formats need."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType


def optional(package: str, extra: str, needed_for: Path | str) -> ModuleType:
    """The package, or an error that tells how to get it."""
    try:
        return import_module(package)
    except ImportError as missing:
        raise ImportError(
            f"{Path(needed_for).name} needs {package}, which is not installed: pip install 'slkmodes[{extra}]'"
        ) from missing
