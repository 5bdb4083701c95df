"""Clusters as a graph: what joins them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from slkmodes.labelled_graph import sparse_weights_between
from slkmodes.plots.figures import INK, MUTED, cluster_colors, frame, new_figure, text_color
from slkmodes.plots.fitted import cluster_centers, cluster_sizes, positions_of

Array = npt.NDArray[Any]

# Widths of lines, in points: of the heaviest edge, and the thinnest that is drawn.
WIDEST, THINNEST = 12.0, 0.25
# Areas of discs, in square points: of the largest cluster, those too small for large digits, and the smallest.
LARGEST, SMALL, SMALLEST = 1100.0, 250.0, 130.0


def plot_boundaries(model: Any, layout: Any = None) -> Any:
    """Show which clusters touch: a disc per cluster, a line as wide as the weight of the edges between two.

    The area of a disc is the number of members, but never too small for its number.

    Parameters
    ----------
    model : LaplacianKModes
        Fitted, on features or on a precomputed affinity.
    layout : array-like of shape (n_samples, 2), optional
        Coordinates of the training samples: discs are put at the centres of their clusters. By default they are on a
        circle, clusters that touch most beside each other.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; use its ``savefig``.

    Examples
    --------
    >>> import numpy as np
    >>> from slkmodes import LaplacianKModes
    >>> from slkmodes.plots import plot_boundaries
    >>> X = np.random.default_rng(0).normal(size=(80, 2))
    >>> figure = plot_boundaries(LaplacianKModes(3, random_state=0).fit(X))
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['0', '1', '2']
    """
    sizes = cluster_sizes(model)
    between = sparse_weights_between(model.affinity_, model.labels_, len(sizes)).toarray()
    np.fill_diagonal(between, 0)
    if layout is None:
        centers = on_circle(between)
    else:
        centers = cluster_centers(positions_of("plot_boundaries", model, layout), model.labels_, len(sizes))

    filled = np.flatnonzero(sizes)
    figure = new_figure(6.5, 6.5)
    axis = figure.subplots()
    frame(axis, centers[filled], margin=0.09)
    _draw_edges(axis, centers, between)
    areas = np.maximum(LARGEST * sizes / sizes.max(), SMALLEST)
    colors = np.array(cluster_colors(centers))
    axis.scatter(*centers[filled].T, s=areas[filled], c=colors[filled], edgecolors="white", linewidths=1.5, zorder=2)
    for cluster in filled:
        number = axis.text(*centers[cluster], str(cluster), fontweight="bold", ha="center", va="center")
        number.set(color=text_color(colors[cluster]), fontsize=9 if areas[cluster] > SMALL else 7)
    return figure


def on_circle(between: Array) -> npt.NDArray[np.float64]:
    """Places on the unit circle, in the order in which the clusters would be merged."""
    n_clusters = len(between)
    order: Array = np.arange(n_clusters)
    if n_clusters > 2:
        heaviest = max(float(between.max()), np.finfo(np.float64).tiny)
        apart = 1 - between / heaviest
        np.fill_diagonal(apart, 0)
        order = leaves_list(linkage(squareform(apart, checks=False), "average"))
    angles = np.empty(n_clusters)
    angles[order] = np.pi / 2 - 2 * np.pi * np.arange(n_clusters) / n_clusters
    return np.column_stack([np.cos(angles), np.sin(angles)])


def _draw_edges(axis: Any, centers: Array, between: Array) -> None:
    """Lines, the heaviest on top, and what the widest and a quarter of it weigh."""
    first, second = np.nonzero(np.triu(between))
    weights = between[first, second]
    heaviest = weights.max(initial=0)
    if not heaviest:
        axis.set_title("no edge joins two clusters", fontsize=10, color=MUTED)
        return
    widths = WIDEST * weights / heaviest
    for edge in np.argsort(weights, kind="stable"):
        if widths[edge] >= THINNEST:
            ends = centers[[first[edge], second[edge]]]
            axis.plot(*ends.T, color=INK, alpha=0.45, linewidth=widths[edge], solid_capstyle="butt", zorder=1)
    for part in (1.0, 0.25):
        style = {"color": INK, "alpha": 0.45, "solid_capstyle": "butt"}
        axis.plot([], [], linewidth=WIDEST * part, label=f"{part * heaviest:.3g}", **style)
    axis.legend(title="weight of edges between", frameon=False, fontsize=9, title_fontsize=9, loc="best", ncols=2)
