"""Names of columns: as messages show them, and as the options of the command line take them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

# Columns that are named in a message.
MOST_NAMED = 8


def quoted(name: str) -> str:
    """A name as it stands between commas: in quotation marks where it is empty, or holds a comma or such a mark."""
    if name and not set(name) & set(',"\r\n'):
        return name
    inside = name.replace('"', '""')
    return f'"{inside}"'


def excluding(names: Sequence[str]) -> str:
    """The option that leaves these columns out, as a shell takes it."""
    text = ",".join(map(quoted, names))
    return f"--exclude{'=' if text.startswith('-') else ' '}{shlex.quote(text)}"


def first_few(texts: Sequence[str]) -> str:
    """Some of many."""
    more = len(texts) - MOST_NAMED
    return ", ".join(texts[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def named_of(names: Sequence[str]) -> str:
    """The first few of many names."""
    return first_few([quoted(name) for name in names])
