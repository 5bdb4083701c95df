"""Packages that only some files and commands need."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def optional(package: str, needed_for: str, extra: str) -> ModuleType:
    """The package, or an error that tells which extra brings it."""
    try:
        return import_module(package)
    except ImportError as missing:
        name = package.partition(".")[0]
        raise ImportError(
            f"{needed_for} needs {name}, which is not installed: pip install 'slkmodes[{extra}]'"
        ) from missing
