"""Numbers -> positions: small line and bar charts that a template draws as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Any

from slkmodes.report.numbers import with_decimals

WIDTH, HEIGHT = 320.0, 170.0
LEFT, RIGHT, TOP, BOTTOM = 50.0, 10.0, 10.0, 18.0
ABOUT_TICKS, LEAST_TICKS = 4, 2
HALF_A_SAMPLE = 0.5  # where a logarithmic axis of counts begins


class Axis:
    """A range of values laid along a range of positions."""

    def __init__(self, values: Sequence[float], start: float, end: float, *, whole: bool = False) -> None:
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        margin = 0.0 if high > low else abs(low) * 0.05 or 0.5
        self.low, self.high = low - margin, high + margin
        self.start, self.end, self.whole = start, end, whole

    def at(self, value: float) -> float:
        """Position of a value, to a tenth of a unit."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self) -> list[dict[str, Any]]:
        """A few round values, their positions and how they are written."""
        step = self._step()
        decimals = max(0, -floor(log10(step) + 1e-9))
        return [self._tick(place * step, decimals) for place in self._places(step)]

    def _step(self) -> float:
        """1, 2 or 5 times a power of ten: a little more than asked for, less where that leaves a single tick."""
        asked = (self.high - self.low) / ABOUT_TICKS
        power = 10.0 ** floor(log10(asked))
        steps = [factor * power for factor in (1, 2, 5, 10)]
        chosen = next(i for i, step in enumerate(steps) if step >= asked * (1 - 1e-9))
        if len(self._places(steps[chosen])) < LEAST_TICKS:
            chosen -= 1
        return max(steps[chosen], 1.0 if self.whole else 0.0)

    def _places(self, step: float) -> range:
        return range(ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9) + 1)

    def _tick(self, value: float, decimals: int = 0) -> dict[str, Any]:
        return {"at": self.at(value), "text": with_decimals(value, decimals)}


class LogarithmicAxis(Axis):
    """Counts from 0, where a bar has no height, by powers of ten."""

    def at(self, value: float) -> float:
        """A count of one is a visible step above none."""
        share = log10(value / HALF_A_SAMPLE) / log10(self.high / HALF_A_SAMPLE) if value else 0.0
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self) -> list[dict[str, Any]]:
        """The powers of ten."""
        return [self._tick(10**power) for power in range(floor(log10(self.high)) + 1)]


def line_chart(
    x: Sequence[float], y: Sequence[float | None], *, whole: bool = False, marks: Sequence[float] = ()
) -> dict[str, Any]:
    """A line through the points whose y is known; x may be ``whole`` numbers, ``marks`` are upright lines."""
    known = [(at, value) for at, value in zip(x, y, strict=True) if value is not None]
    across = Axis(x, LEFT, WIDTH - RIGHT, whole=whole)
    upward = Axis([value for _, value in known], HEIGHT - BOTTOM, TOP)
    dots = [(across.at(at), upward.at(value)) for at, value in known]
    return {
        **_frame(across, upward),
        "line": " ".join(f"{left},{top}" for left, top in dots),
        "dots": dots if len(dots) <= 40 else [],
        "marks": [across.at(mark) for mark in marks],
    }


def bar_chart(
    edges: Sequence[float], counts: Sequence[int], *, whole: bool = False, logarithmic: bool = False
) -> dict[str, Any]:
    """A histogram; what is counted may be ``whole`` numbers."""
    across = Axis(edges, LEFT, WIDTH - RIGHT, whole=whole)
    upward = Axis([0, *counts], HEIGHT - BOTTOM, TOP, whole=True)
    if logarithmic:
        upward = LogarithmicAxis([HALF_A_SAMPLE, *counts], HEIGHT - BOTTOM, TOP)
    bars = [
        {"x": across.at(left), "width": round(across.at(right) - across.at(left), 1), "y": upward.at(count)}
        for left, right, count in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    return {**_frame(across, upward), "bars": bars}


def _frame(across: Axis, upward: Axis) -> dict[str, Any]:
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "right": WIDTH - RIGHT,
        "bottom": HEIGHT - BOTTOM,
        "x_ticks": across.ticks(),
        "y_ticks": upward.ticks(),
    }
