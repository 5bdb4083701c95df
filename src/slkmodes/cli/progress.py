"""One line on the terminal that says what is going on, for how long, and for how long still."""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, TextIO

# Seconds between two looks at the clock.
INTERVAL = 0.5
# A text that counts tells how much is done.
COUNTED = re.compile(r"\b(\d[\d,]*) of (\d[\d,]*)\b")
# A pace that was measured for less time tells nothing.
LEAST_SECONDS = 1.0
BAR = re.compile(r"\[[# ]+\]  ")
BAR_WIDTH = 14  # "first clustering: 3 of 10, about 1 min 30 s left" fits beside it into 80 columns


class Count(NamedTuple):
    """How much of a total is done, and since when."""

    total: float
    begun: float
    first: float = 0.0  # what was done when it began
    done: float = 0.0
    moved: float = 0.0  # when more was done for the last time

    def left(self, now: float) -> float | None:
        """Seconds still to go at the pace so far, or None while that cannot be told."""
        spent = self.moved - self.begun
        if spent < LEAST_SECONDS or self.done <= self.first:
            return None
        pace = spent / (self.done - self.first)
        return pace * (self.total - self.done) - min(now - self.moved, pace)


class Progress:
    """Stages, one after the other; says nothing where nobody looks."""

    def __init__(self, stream: TextIO, *, shown: bool) -> None:
        self._stream, self._shown = stream, shown
        self._name, self._detail, self._begun = "", "", 0.0
        self._count: Count | None = None
        self._lock = threading.Lock()

    @contextmanager
    def stage(self, name: str, total: float | None = None) -> Iterator[None]:
        """Show a line while the body runs; ``total`` is how much :meth:`advance` will count."""
        self._name, self._detail, self._begun = name, "", time.monotonic()
        self._count = Count(total, self._begun) if total else None
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
        """So much more of the stage is done."""
        if self._count:
            self._count = self._count._replace(done=self._count.done + amount, moved=time.monotonic())

    def say(self, text: str) -> None:
        """What is being done at the moment; "2 of 4" in it is understood, and over with the first text without."""
        self._detail = text
        counted, now = COUNTED.search(text), time.monotonic()
        if counted:
            done, total = (float(number.replace(",", "")) for number in counted.groups())
            if not self._count or total != self._count.total or done < self._count.done:
                self._count = Count(total, now, first=done)
            self._count = self._count._replace(done=done, moved=now)
        else:
            self._count = None
        if self._shown:
            self._write(self.line())

    def line(self) -> str:
        """What is shown: time left is that of what is counted, so it stands beside the count."""
        now, count, text, rest = time.monotonic(), self._count, self._detail, ""
        parts = [self._name, clock(now - self._begun)]
        if count and count.done <= count.total:
            share = count.done / count.total if count.total else 1.0
            parts.append(f"[{'#' * int(share * BAR_WIDTH):<{BAR_WIDTH}}]")
            counted = COUNTED.search(text)
            text, rest = (text[: counted.end()], text[counted.end() :]) if counted else (f"{share:.0%}", "")
            left = count.left(now)
            if left is not None and left >= 1:
                text += f", about {duration(left)} left"
        return "  ".join([*parts, text + rest]).rstrip()

    def _tick(self, over: threading.Event) -> None:
        while not over.wait(INTERVAL):
            self._write(self.line())

    def _write(self, line: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        if len(line) > width:  # what is said matters more than the bar
            line = BAR.sub("", line)
        with self._lock:
            self._stream.write(f"\r\x1b[K{line[:width]}")
            self._stream.flush()


def clock(seconds: float) -> str:
    """Minutes and seconds, as a clock shows them."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def duration(seconds: float) -> str:
    """An estimate, no more exact than it can be."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
