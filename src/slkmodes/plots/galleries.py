"""Clusters of images: modes, members nearest to them, means."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from slkmodes.plots.figures import ORANGE, bare, new_figure


def nearest_members(model: Any, n_members: int) -> list[npt.NDArray[np.int64]]:
    """The members of each cluster closest to its mode, the mode's own row left out, nearest first.

    Parameters
    ----------
    model : LaplacianKModes
        Fitted on features.
    n_members : int
        At most so many per cluster.

    Returns
    -------
    list of arrays of int
        Row numbers of the training samples, one array per cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from slkmodes import LaplacianKModes
    >>> from slkmodes.plots import nearest_members
    >>> X = np.array([[0.0], [0.1], [0.3], [9.0], [9.1], [9.3]])
    >>> model = LaplacianKModes(2, n_neighbors=2, random_state=0).fit(X)
    >>> [len(rows) for rows in nearest_members(model, n_members=5)]
    [2, 2]
    """
    check_is_fitted(model)
    if model.modes_ is None:
        raise ValueError("nearest_members needs features; this model was fitted with affinity='precomputed'.")
    fitted = model._fitted
    kernel = fitted.problem.kernel
    nearest = []
    for cluster, row in enumerate(model.mode_indices_):
        members = np.flatnonzero(fitted.labels == cluster)
        squared = kernel.squared_distances(kernel.X[members], fitted.modes.points[[cluster]])[:, 0]
        ranked = fitted.order.original(members[np.argsort(squared, kind="stable")])
        nearest.append(ranked[ranked != row][:n_members])
    return nearest


def plot_mode_gallery(
    model: Any, images: Any, image_shape: tuple[int, ...] | None = None, n_members: int = 3, order: Any = None
) -> Any:
    """Show, per cluster, the mode, its nearest members and the mean image (the paper's figure 1).

    Parameters
    ----------
    model : LaplacianKModes
        Fitted on the images or on anything computed from them.
    images : array-like of shape (n_samples, ...)
        The image of every training sample, in their order: flat rows, or already two- or three-dimensional.
    image_shape : tuple of int, optional
        Shape of one image, (height, width) or (height, width, 3), where the rows are flat.
    n_members : int, default=3
        Members shown beside each mode.
    order : sequence of int, optional
        Clusters from top to bottom; by default their numbers.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; nothing is shown or written: use its ``savefig``.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from slkmodes import LaplacianKModes
    >>> from slkmodes.plots import plot_mode_gallery
    >>> X = load_digits().data[:300]
    >>> model = LaplacianKModes(4, random_state=0).fit(X)
    >>> figure = plot_mode_gallery(model, X, image_shape=(8, 8))
    >>> len(figure.axes)
    20
    """
    members = nearest_members(model, n_members)
    images = np.asarray(images)
    if len(images) != len(model.labels_):
        raise ValueError(f"images must hold the {len(model.labels_)} training samples; got {len(images)}.")
    if image_shape is not None:
        images = images.reshape(len(images), *image_shape)
    if images.ndim not in (3, 4):
        raise ValueError(f"One image has shape {images.shape[1:]}: pass image_shape=(height, width).")
    clusters = list(range(len(members)) if order is None else order)
    columns = ["mode", *(f"neighbour {i + 1}" for i in range(n_members)), "mean"]
    figure = new_figure(1.15 * len(columns) + 1.2, 1.05 * len(clusters) + 0.5)
    axes = figure.subplots(len(clusters), len(columns), squeeze=False)
    for axis in axes.ravel():
        bare(axis)
    for row, cluster in enumerate(clusters):
        own = images[model.labels_ == cluster]
        shown = [model.mode_indices_[cluster], *members[cluster]]
        for axis, sample in zip(axes[row], shown, strict=False):
            axis.imshow(images[sample], cmap="gray_r")
        if len(own):
            mean = own.mean(axis=0)
            axes[row, -1].imshow(mean if images.ndim == 3 else mean.astype(images.dtype), cmap="gray_r")
        axes[row, 0].spines[:].set(visible=True, color=ORANGE, linewidth=2)
        axes[row, 0].set_ylabel(
            f"cluster {cluster}\n{len(own):,} samples", rotation=0, ha="right", va="center", fontsize=9
        )
    for axis, title in zip(axes[0], columns, strict=True):
        axis.set_title(title, fontsize=9)
    return figure
