"""Numbers as the report writes them."""

from __future__ import annotations

from math import floor, log10
from typing import Any

MINUS = "\N{MINUS SIGN}"
NOTHING = "\N{EN DASH}"
DIGITS = 4


def with_decimals(value: float, decimals: int) -> str:
    """With thousands set apart and a proper minus; never minus nothing."""
    text = f"{value:,.{decimals}f}".replace("-", MINUS)
    return text if any(digit in text for digit in "123456789") else text.removeprefix(MINUS)


def number(value: float | None) -> str:
    """Whole numbers in full, others to four digits."""
    if value is None:
        return NOTHING
    if value != 0 and not 1e-4 <= abs(value) < 1e12:
        return f"{value:.3g}".replace("-", MINUS)
    return with_decimals(value, 0 if float(value).is_integer() else decimals_of(value))


def decimals_of(value: float) -> int:
    """Decimals that leave four digits, without zeros at the end."""
    decimals = max(0, DIGITS - 1 - floor(log10(abs(value)))) if value else 0
    return len(f"{value:.{decimals}f}".rstrip("0").partition(".")[2])


def percent(share: float | None) -> str:
    """To a tenth."""
    return NOTHING if share is None else f"{100 * share:.1f}\N{NO-BREAK SPACE}%"


def line_of_values(feature: dict[str, Any]) -> list[str]:
    """The values of some samples in one column, with as many decimals as they need, and its mean with one more.

    The largest is written with four digits at most; 0 is 0.
    """
    if feature["mean"] is None:
        return [*map(str, feature["values"]), ""]
    known = [abs(value) for value in feature["values"] if value is not None]
    largest = max(known, default=0.0)
    most = min(8, max(0, DIGITS - 1 - floor(log10(largest)))) if largest else 0
    decimals = min(most, max(map(decimals_of, known), default=0))
    written = [
        NOTHING if value is None else with_decimals(value, decimals if value else 0) for value in feature["values"]
    ]
    return [*written, with_decimals(feature["mean"], max(1, min(decimals + 1, most)))]
