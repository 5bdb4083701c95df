"""What the user sees: results on stdout, notes and progress on stderr."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from slkmodes.cli.progress import Progress


class Screen:
    """Prints for people, for programs (``json``) or not at all (``quiet``)."""

    def __init__(self, *, as_json: bool, quiet: bool) -> None:
        self._json, self._quiet = as_json, quiet
        self.notes: list[str] = []
        self.progress = Progress(sys.stderr, shown=not quiet and sys.stderr.isatty())

    def note(self, text: str) -> None:
        """Something the user should know, but that stops nothing."""
        if text not in self.notes:
            self.notes.append(text)
            if not self._quiet:
                print(f"note: {text}", file=sys.stderr, flush=True)

    def table(self, rows: list[tuple[str, str]]) -> None:
        """Names and values, for people."""
        if rows and not self._json and not self._quiet:
            width = max(len(name) for name, _ in rows)
            for name, value in rows:
                print(f"  {name:<{width}}  {value}")

    def result(self, result: dict[str, Any]) -> None:
        """For programs."""
        if self._json:
            print(json.dumps({**result, "notes": self.notes}, indent=1, allow_nan=False))

    @contextmanager
    def collecting_warnings(self) -> Iterator[None]:
        """Warnings of the library become notes; what only developers can mend is left out."""
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            for category in (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ResourceWarning):
                warnings.simplefilter("ignore", category)
            warnings.showwarning = lambda message, *about: self.note(str(message))
            yield
