"""One line on the terminal that says what is going on, for how long, and for how long still."""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

# Seconds between two looks at the clock.
INTERVAL = 0.5
# A text that counts tells how much is done.
COUNTED = re.compile(r"\b(\d+) of (\d+)\b")
# Less than this is too little to tell from.
LEAST_PART, LEAST_SECONDS = 0.02, 1.0


class Progress:
    """Stages, one after the other; says nothing where nobody looks."""

    def __init__(self, stream: TextIO, *, shown: bool) -> None:
        self._stream, self._shown = stream, shown
        self._name, self._detail = "", ""
        self._begun, self._done, self._total = 0.0, 0.0, 0.0
        self._lock = threading.Lock()

    @contextmanager
    def stage(self, name: str, total: float | None = None) -> Iterator[None]:
        """Show a line while the body runs; ``total`` is how much :meth:`advance` will count."""
        self._name, self._detail = name, ""
        self._begun, self._done, self._total = time.monotonic(), 0.0, total or 0.0
        if not self._shown:
            yield
            return
        over = threading.Event()
        ticker = threading.Thread(target=self._tick, args=(over,), daemon=True)
        ticker.start()
        try:
            yield
        finally:
            over.set()
            ticker.join()
            self._write("")

    def advance(self, amount: float) -> None:
        """So much more is done."""
        self._done += amount

    def say(self, text: str) -> None:
        """What is being done at the moment; "2 of 4" in it is understood."""
        self._detail = text
        counted = COUNTED.search(text)
        if counted:
            self._done, self._total = (float(number) for number in counted.groups())
        if self._shown:
            self._write(self.line())

    def line(self) -> str:
        """What is shown."""
        spent = time.monotonic() - self._begun
        parts = [self._name, clock(spent)]
        part = self._done / self._total if self._total else 0.0
        if LEAST_PART <= part <= 1:
            parts.insert(1, f"{part:.0%}")
            if spent >= LEAST_SECONDS:
                parts.append(f"{clock(spent * (1 - part) / part)} left")
        return "  ".join([*parts, self._detail]).rstrip()

    def _tick(self, over: threading.Event) -> None:
        while not over.wait(INTERVAL):
            self._write(self.line())

    def _write(self, line: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        with self._lock:
            self._stream.write(f"\r\x1b[K{line[:width]}")
            self._stream.flush()


def clock(seconds: float) -> str:
    """Minutes and seconds, as a clock shows them."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
