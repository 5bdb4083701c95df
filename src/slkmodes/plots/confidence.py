"""How large clusters are, and how sure of their members."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.plots.figures import BLUE, INK, MUTED, clusters_downwards, light, new_figure, row_height
from slkmodes.plots.fitted import cluster_sizes, confidence

Array = npt.NDArray[Any]

# Bands of the largest membership that are told apart, from doubtful (dark) on; above the last one samples are certain.
BANDS = {"below 0.5": 0.5, "0.5 to 0.7": 0.7, "0.7 to 0.9": 0.9, "0.9 to 0.99": 0.99}
BAND_COLORS = ("#7f2704", "#d94801", "#fd9a52", "#fdd3ad")
# Where all samples are certain the axis still goes as far as this.
NARROWEST = 0.05


def plot_confidence(model: Any) -> Any:
    """Show how certain samples are of their cluster: how many members are not, the most doubtful cluster on top.

    A bar is the share of a cluster's members whose largest membership is below 0.99, dark where it is far below; the
    number behind it is the mean over all members.

    Parameters
    ----------
    model : LaplacianKModes
        Fitted.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; use its ``savefig``.

    Examples
    --------
    >>> import numpy as np
    >>> from slkmodes import LaplacianKModes
    >>> from slkmodes.plots import plot_confidence
    >>> X = np.random.default_rng(0).normal(size=(80, 2))
    >>> figure = plot_confidence(LaplacianKModes(3, random_state=0).fit(X))
    >>> figure.axes[0].get_xlabel()
    'share of members'
    """
    sizes = cluster_sizes(model)
    largest = confidence(model)
    filled = np.flatnonzero(sizes)
    below = np.array([[np.mean(largest[model.labels_ == c] < bound) for bound in BANDS.values()] for c in filled])
    means = np.bincount(model.labels_, largest, len(sizes))[filled] / sizes[filled]
    order = np.lexsort((means, -below[:, -1]))
    figure, axis = _list_of_clusters(filled[order])
    for band, (said, color) in enumerate(zip(BANDS, BAND_COLORS, strict=True)):
        start = below[order, band - 1] if band else 0
        axis.barh(np.arange(len(order)), below[order, band] - start, left=start, color=color, height=0.7, label=said)
    for row, place in enumerate(order):
        _beside(axis, below[place, -1], row, f"{means[place]:.3f}")
    longest = max(below[:, -1].max(), NARROWEST)
    axis.set(xlim=(0, 1.12 * longest), xlabel="share of members")
    axis.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
    _legend_above(axis, "largest membership (number: mean)")
    return figure


def plot_sizes(model: Any) -> Any:
    """Show how many samples each cluster has, the largest on top, and the sum of its memberships.

    Where the two differ, many samples are partly in a cluster that is not theirs.

    Parameters
    ----------
    model : LaplacianKModes
        Fitted.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; use its ``savefig``.

    Examples
    --------
    >>> import numpy as np
    >>> from slkmodes import LaplacianKModes
    >>> from slkmodes.plots import plot_sizes
    >>> X = np.random.default_rng(0).normal(size=(80, 2))
    >>> figure = plot_sizes(LaplacianKModes(3, random_state=0).fit(X))
    >>> int(sum(bar.get_width() for bar in figure.axes[0].patches))
    80
    """
    sizes = cluster_sizes(model)
    soft = np.asarray(model.memberships_.sum(axis=0)).ravel()
    clusters = np.argsort(-sizes, kind="stable")
    figure, axis = _list_of_clusters(clusters)
    rows = np.arange(len(clusters))
    axis.barh(rows, sizes[clusters], color=BLUE, height=0.7, label="members")
    axis.plot(soft[clusters], rows, "|", color=INK, markersize=9, markeredgewidth=1.5, label="sum of memberships")
    for row, cluster in enumerate(clusters):
        said = f"{sizes[cluster]:,} ({sizes[cluster] / sizes.sum():.1%})"
        _beside(axis, max(sizes[cluster], soft[cluster]), row, said)
    axis.set(xlim=(0, 1.2 * max(sizes.max(), soft.max())), xlabel="samples")
    _legend_above(axis)
    return figure


def _list_of_clusters(clusters: Array) -> tuple[Any, Any]:
    """A figure with a row per cluster, as high as they need."""
    figure = new_figure(7, row_height(len(clusters)) + 1.1)
    axis = figure.subplots()
    light(axis)
    axis.grid(False, axis="y")
    clusters_downwards(axis, clusters)
    return figure, axis


def _beside(axis: Any, end: float, row: int, said: str) -> None:
    """What a bar says, behind its end."""
    axis.annotate(said, (end, row), (6, 0), textcoords="offset points", va="center", fontsize=8, color=MUTED)


def _legend_above(axis: Any, title: str | None = None) -> None:
    """Out of the way of all bars."""
    options = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": len(BANDS), "borderaxespad": 0.2}
    axis.legend(title=title, frameon=False, fontsize=8, title_fontsize=8, alignment="left", **options)
