"""Pictures of a fitted model (needs matplotlib: the extra ``plots``)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["plot_mode_gallery"]

Array = npt.NDArray[Any]


def nearest_members(model: Any, X: Array, n_members: int) -> list[npt.NDArray[np.int64]]:
    """The members of each cluster closest to its mode, the mode's own row left out, nearest first."""
    nearest = []
    for cluster, row in enumerate(model.mode_indices_):
        members = np.flatnonzero(model.labels_ == cluster)
        members = members[members != row]
        difference = X[members].astype(np.float64) - model.modes_[cluster]
        order = np.argsort(np.einsum("pd,pd->p", difference, difference), kind="stable")
        nearest.append(members[order[:n_members]])
    return nearest


def plot_mode_gallery(model: Any, X: Array, image_shape: tuple[int, ...], n_members: int = 3, order: Any = None) -> Any:
    """Show, per cluster, the mode, its nearest members and the mean image (the paper's figure 1).

    Parameters
    ----------
    model : LaplacianKModes
        Fitted on X.
    X : array of shape (n_samples, n_features)
        The images, one per row.
    image_shape : tuple of int
        Shape of one image: (height, width) or (height, width, 3).
    n_members : int, default=3
        Members shown beside each mode.
    order : sequence of int, optional
        Clusters from top to bottom; by default their numbers.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; nothing is shown or written.
    """
    from matplotlib.figure import Figure  # no global state, no screen needed

    clusters = list(range(len(model.mode_indices_)) if order is None else order)
    members = nearest_members(model, X, n_members)
    columns = ["mode", *(f"neighbour {i + 1}" for i in range(n_members)), "mean"]
    figure = Figure(figsize=(1.15 * len(columns) + 0.9, 1.05 * len(clusters) + 0.5), layout="constrained")
    axes = figure.subplots(len(clusters), len(columns), squeeze=False)
    for row, cluster in enumerate(clusters):
        own = X[model.labels_ == cluster]
        images = [X[model.mode_indices_[cluster]], *X[members[cluster]]]
        images += [np.full_like(images[0], np.nan, dtype=np.float64)] * (n_members + 1 - len(images))
        images.append(own.mean(axis=0) if len(own) else np.full(X.shape[1], np.nan))
        for axis, image in zip(axes[row], images, strict=True):
            axis.imshow(image.reshape(image_shape), cmap="gray_r")
            axis.set(xticks=[], yticks=[])
            axis.spines[:].set_visible(False)
        axes[row, 0].spines[:].set(visible=True, color="tab:red", linewidth=2)
        axes[row, 0].set_ylabel(f"{cluster}\n({len(own):,})", rotation=0, labelpad=18, va="center")
    for axis, title in zip(axes[0], columns, strict=True):
        axis.set_title(title, fontsize=9)
    return figure
