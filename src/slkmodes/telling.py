"""How long work tells what it is doing: a function that takes a line of text."""

from __future__ import annotations

from collections.abc import Callable

Say = Callable[[str], None]


def keep_quiet(text: str) -> None:
    """Tell nobody."""
