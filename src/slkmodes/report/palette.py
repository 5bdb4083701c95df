"""Colours of clusters in both themes, and a ramp for confidence; mixed in OKLab, where distances are as seen."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

# Far apart for normal sight and for each kind of colour blindness, the first few farther than the rest.
DISTINCT = (
    *("#2d62d3", "#d69e26", "#682f1d", "#80cc90", "#d1689b", "#5e279b"),
    *("#6993d3", "#134860", "#cca9d6", "#3a6c10", "#845780", "#8f7f4f"),
)
# On a dark page every colour is this much lighter, which leaves them as far apart as they were.
LIGHTER = 0.12
LIGHTNESS = np.array([1.0, 0.0, 0.0])
DOUBTFUL, CERTAIN = "#e3a72f", "#1c4a78"
GOLDEN_ANGLE = pi * (3 - 5**0.5)

# Linear sRGB to cone responses, and their cube roots to lightness and two opponent axes (Ottosson 2020).
CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
OPPONENTS = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def palette(n_colours: int) -> list[tuple[str, str]]:
    """A colour for each of so many groups, on a light page and on a dark one; the same first ones for any number."""
    distinct = [to_oklab(colour) for colour in DISTINCT[:n_colours]]
    colours = distinct + [_generated(place) for place in range(n_colours - len(distinct))]
    return [_for_both_themes(colour) for colour in colours]


def ramp(n_steps: int) -> list[tuple[str, str]]:
    """Colours from doubtful to certain; lightness alone tells them apart."""
    doubtful, certain = to_oklab(DOUBTFUL), to_oklab(CERTAIN)
    return [_for_both_themes(doubtful + (certain - doubtful) * t) for t in np.linspace(0, 1, n_steps)]


def to_oklab(colour: str) -> Array:
    """Lightness and two opponent axes of ``#rrggbb``."""
    encoded = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    return OPPONENTS @ np.cbrt(CONES @ linear)


def to_hex(oklab: Array) -> str:
    """The nearest colour a screen has, as ``#rrggbb``."""
    linear = np.clip(np.linalg.solve(CONES, np.linalg.solve(OPPONENTS, oklab) ** 3), 0, 1)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * float(part)):02x}" for part in encoded)


def _for_both_themes(colour: Array) -> tuple[str, str]:
    return to_hex(colour), to_hex(colour + LIGHTER * LIGHTNESS)


def _generated(place: int) -> Array:
    """Hues that keep their distance however many there are, on three levels of lightness."""
    hue = place * GOLDEN_ANGLE
    return np.array([0.45 + 0.13 * (place % 3), 0.11 * cos(hue), 0.11 * sin(hue)])
