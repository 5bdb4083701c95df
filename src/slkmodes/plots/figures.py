"""What all pictures share: figures, colours and words that are drawn as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

# Told apart by colour-blind eyes too; the first differ most.
COLORS = (
    *("#0072b2", "#d55e00", "#117733", "#cc79a7", "#e69f00"),
    *("#332288", "#56b4e9", "#882255", "#44aa99", "#7a7a7a"),
)
INK, MUTED, FAINT = "#222222", "#777777", "#d9d9d9"
BLUE, ORANGE = COLORS[0], COLORS[1]
LONGEST_WORD = 24


def new_figure(width: float, height: float) -> Any:
    """A figure without global state, which needs no screen; sizes in inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("Pictures need matplotlib: pip install 'slkmodes[plots]'.") from error
    return Figure(figsize=(width, height), layout="constrained")


def bare(axis: Any) -> None:
    """Leave nothing of an axis but what is drawn in it."""
    axis.set(xticks=[], yticks=[])
    axis.spines[:].set_visible(False)


def light(axis: Any) -> None:
    """Keep the lines an eye needs: left and below, and a faint grid behind the data."""
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(alpha=0.3, linewidth=0.6)
    axis.set_axisbelow(True)


def frame(axis: Any, positions: Array, margin: float = 0.04) -> None:
    """A square around the positions, wider by a margin on all sides, the same scale on both axes."""
    bare(axis)
    low, high = positions.min(axis=0), positions.max(axis=0)
    reach = (0.5 + margin) * (float((high - low).max()) or 1.0)
    for set_limits, middle in zip((axis.set_xlim, axis.set_ylim), (low + high) / 2, strict=True):
        set_limits(middle - reach, middle + reach)
    axis.set_aspect("equal")


def clusters_downwards(axis: Any, clusters: Array) -> None:
    """A row per cluster along the y axis, the first on top."""
    axis.set_ylim(len(clusters) - 0.4, -0.6)
    axis.set_yticks(range(len(clusters)), [str(cluster) for cluster in clusters], fontsize=row_font(len(clusters)))
    axis.tick_params(axis="y", length=0)
    axis.set_ylabel("cluster")


def row_height(n_rows: int) -> float:
    """Inches of a list of so many rows."""
    return max(0.22 * n_rows, 0.8)


def row_font(n_rows: int) -> float:
    """Points of its letters."""
    return 9 if n_rows <= 24 else 8


def cluster_colors(centers: Array) -> list[str]:
    """A colour per cluster; where there are more clusters than colours, the same one only far apart.

    ``centers`` are positions of the clusters in the picture; NaN for a cluster that is not drawn.
    """
    chosen: list[int] = []
    for place, center in enumerate(centers):
        if place < len(COLORS):
            chosen.append(place)
            continue
        apart = np.nan_to_num(np.linalg.norm(centers[:place] - center, axis=1), nan=np.inf)
        nearest = [apart[np.array(chosen) == color].min() for color in range(len(COLORS))]
        chosen.append(int(np.argmax(nearest)))
    return [COLORS[color] for color in chosen]


def text_color(background: str) -> str:
    """Dark letters on a light ``#rrggbb``, white ones on a dark one."""
    return INK if np.dot(rgb(background), [0.299, 0.587, 0.114]) > 0.55 else "white"


def rgb(color: str) -> list[float]:
    """Red, green and blue of ``#rrggbb``, from 0 to 1."""
    return [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]


def plain(word: Any) -> str:
    """A word of the user as it is: short enough, and a dollar begins no formula."""
    text = " ".join(str(word).split())
    if len(text) > LONGEST_WORD:
        text = text[: LONGEST_WORD - 1] + "…"
    return text.replace("$", r"\$")
