"""Clusters of table rows: how their modes differ from the average row."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.plots.figures import new_figure, plain, row_font
from slkmodes.plots.fitted import check_names, check_rows, cluster_sizes
from slkmodes.validation import check_integer

Array = npt.NDArray[Any]

OWNER = "plot_feature_profile"
# Standard deviations at which the colour is full; values are written into a table of so many cells at most.
FULL_COLOR = 3.0
CELLS_WITH_VALUES = 200


def plot_feature_profile(model: Any, X: Any, feature_names: Any = None, n_features: int = 40) -> Any:
    """Show the modes as rows of a table: colour tells how far a value lies above or below the mean of all samples.

    Colours are standard deviations (SDs); small tables show the values themselves too.

    Parameters
    ----------
    model : LaplacianKModes
        Fitted on X or on anything computed from it.
    X : array-like of shape (n_samples, n_features)
        The training samples in their order, in the units people know: they are standardised here.
    feature_names : sequence of str, optional
        Names of the columns; by default those of the data frame, or their numbers.
    n_features : int, default=40
        Columns shown at most: those in which the modes differ most, in their order in X.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; use its ``savefig``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from slkmodes import LaplacianKModes
    >>> from slkmodes.plots import plot_feature_profile
    >>> iris = load_iris()
    >>> model = LaplacianKModes(3, random_state=0).fit(iris.data)
    >>> figure = plot_feature_profile(model, iris.data, iris.feature_names)
    >>> figure.axes[0].images[0].get_array().shape
    (3, 4)
    """
    check_rows(OWNER, "X", X, model)
    check_integer(OWNER, "n_features", n_features)
    given = getattr(X, "columns", None) if feature_names is None else feature_names
    table = np.asarray(X, dtype=np.float64)
    if table.ndim != 2 or not np.isfinite(table).all():
        raise ValueError(f"X of {OWNER} must be a table of finite numbers; got shape {table.shape}.")
    names = check_names(OWNER, "feature_names", range(table.shape[1]) if given is None else given, table.shape[1])
    sizes = cluster_sizes(model)
    clusters = np.flatnonzero(sizes)
    modes = table[model.mode_indices_[clusters]]
    standard = standardised(modes, table)
    shown = np.sort(np.argsort(-standard.var(axis=0), kind="stable")[:n_features])
    values = modes[:, shown] if len(clusters) * len(shown) <= CELLS_WITH_VALUES else None
    labels = [f"{cluster} ({sizes[cluster]:,})" for cluster in clusters]
    figure = _draw_table(standard[:, shown], values, labels, [plain(names[column]) for column in shown])
    if len(shown) < len(names):
        figure.axes[0].set_title(f"the {len(shown)} of {len(names)} columns in which modes differ most", fontsize=9)
    return figure


def standardised(modes: Array, table: Array) -> Array:
    """Rows in standard deviations from the mean of the table; 0 where all samples are equal."""
    deviation = table.std(axis=0)
    varies = deviation > 0
    return np.asarray(np.divide(modes - table.mean(axis=0), deviation, out=np.zeros_like(modes), where=varies))


def _draw_table(standard: Array, values: Array | None, clusters: list[str], columns: list[str]) -> Any:
    wide = 0.62 if values is not None else 0.27
    figure = new_figure(wide * len(columns) + 2.2, max(0.3 * len(clusters), 1.1) + 1.3)
    axis = figure.subplots()
    limits = {"vmin": -FULL_COLOR, "vmax": FULL_COLOR}
    image = axis.imshow(standard, cmap="PuOr_r", aspect="auto", **limits)
    axis.set_xticks(range(len(columns)), columns, rotation=45, ha="right", rotation_mode="anchor", fontsize=9)
    axis.set_yticks(range(len(clusters)), clusters, fontsize=row_font(len(clusters)))
    axis.set_ylabel("cluster")
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    if values is not None:
        for row, column in np.ndindex(*values.shape):
            color = "white" if abs(standard[row, column]) > 0.6 * FULL_COLOR else "black"
            axis.text(column, row, f"{values[row, column]:.3g}", ha="center", va="center", fontsize=8, color=color)
    bar = figure.colorbar(image, ax=axis, shrink=0.8, extend="both", ticks=[-3, 0, 3])
    bar.set_label("SDs from the mean", fontsize=8)
    bar.outline.set_visible(False)
    return figure
