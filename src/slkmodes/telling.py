"""How long work tells what it is doing: a function that takes a line of text.

A line that counts, as in "2 of 4", says how much is done, from "0 of 4" on: whoever listens can tell the time left.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

Say = Callable[[str], Any]
Verbose = int | Callable[[str], Any]


def keep_quiet(text: str) -> None:
    """Tell nobody."""


def teller(owner: str, verbose: Verbose) -> Say:
    """What ``verbose`` means: a function that is called with each line, 1 or True to print it, or 0."""
    if callable(verbose):
        return verbose
    return partial(print, f"[{owner}]", flush=True) if verbose else keep_quiet
