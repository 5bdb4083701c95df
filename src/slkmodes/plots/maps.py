"""The samples as points of a plane."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.plots.figures import INK, cluster_colors, frame, new_figure, rgb
from slkmodes.plots.fitted import cluster_centers, cluster_sizes, positions_of

Array = npt.NDArray[Any]

# Area of all points together, and of one point at least and at most, in square points.
ALL_POINTS, SMALLEST_POINT, LARGEST_POINT = 25_000, 0.4, 22
# A mode as near to the centre as this, in parts of the picture, would lie under the number.
BESIDE = 0.035


def plot_map(model: Any, layout: Any = None) -> Any:
    """Show all samples in the plane, coloured by cluster, with the modes marked and the clusters numbered.

    With more clusters than colours a colour comes back, as far away as can be: the numbers tell.

    Parameters
    ----------
    model : LaplacianKModes
        Fitted, on features or on a precomputed affinity.
    layout : array-like of shape (n_samples, 2), optional
        Coordinates of the training samples, by UMAP or PCA, say. By default a layout of the graph
        (:func:`slkmodes.layout.layout_of_graph`).

    Returns
    -------
    matplotlib.figure.Figure
        The figure; use its ``savefig``.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from slkmodes import LaplacianKModes
    >>> from slkmodes.plots import plot_map
    >>> X, _ = make_moons(100, noise=0.05, random_state=0)
    >>> figure = plot_map(LaplacianKModes(2, random_state=0).fit(X), layout=X)
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['0', '1']
    """
    sizes = cluster_sizes(model)
    positions = positions_of("plot_map", model, layout)
    centers = cluster_centers(positions, model.labels_, len(sizes))
    filled = np.flatnonzero(sizes)

    figure = new_figure(7, 7)
    axis = figure.subplots()
    frame(axis, positions)
    _draw_points(axis, positions, np.array([rgb(color) for color in cluster_colors(centers)])[model.labels_])
    modes = positions[model.mode_indices_[filled]]
    axis.scatter(*modes.T, s=110, marker="*", c=INK, edgecolors="white", linewidths=0.8, zorder=3, label="mode")
    hidden = np.linalg.norm(centers[filled] - modes, axis=1) < BESIDE * np.ptp(axis.get_xlim())
    for cluster, higher in zip(filled.tolist(), 10 * hidden, strict=True):
        _write_number(axis, cluster, centers[cluster], higher, 11 if len(filled) <= 20 else 9)
    axis.legend(loc="best", frameon=False, fontsize=9, handletextpad=0.2)
    return figure


def _draw_points(axis: Any, positions: Array, colors: Array) -> None:
    mixed = np.random.default_rng(0).permutation(len(positions))  # no cluster is drawn over all others
    area = np.clip(ALL_POINTS / len(positions), SMALLEST_POINT, LARGEST_POINT)
    axis.scatter(*positions[mixed].T, s=area, c=colors[mixed], linewidths=0, alpha=0.75, rasterized=True)


def _write_number(axis: Any, cluster: int, center: Array, points_higher: float, size: float) -> None:
    from matplotlib.patheffects import withStroke

    place = {"textcoords": "offset points", "ha": "center", "va": "center", "zorder": 4}
    number = axis.annotate(str(cluster), center, (0, points_higher), color=INK, **place)
    number.set(fontsize=size, fontweight="bold")
    number.set_path_effects([withStroke(linewidth=3, foreground="white")])
