"""Pictures of a fitted model (needs matplotlib: the extra ``plots``)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

__all__ = ["nearest_members", "plot_cluster_counts", "plot_mode_gallery", "plot_path"]

Array = npt.NDArray[Any]


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
    """
    check_is_fitted(model)
    if model.modes_ is None:
        raise ValueError("nearest_members needs features; this model was fitted with affinity='precomputed'.")
    fitted = model._fitted
    kernel = fitted.problem.kernel
    nearest = []
    for cluster, row in enumerate(model.mode_indices_):
        members = np.flatnonzero(fitted.labels == cluster)
        squared = kernel.squared_distances(kernel.X[members], model.modes_[[cluster]])[:, 0]
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
    figure = _new_figure(figsize=(1.15 * len(columns) + 0.9, 1.05 * len(clusters) + 0.5), layout="constrained")
    axes = figure.subplots(len(clusters), len(columns), squeeze=False)
    for axis in axes.ravel():
        axis.set(xticks=[], yticks=[])
        axis.spines[:].set_visible(False)
    for row, cluster in enumerate(clusters):
        own = images[model.labels_ == cluster]
        shown = [model.mode_indices_[cluster], *members[cluster]]
        for axis, sample in zip(axes[row], shown, strict=False):
            axis.imshow(images[sample], cmap="gray_r")
        if len(own):
            mean = own.mean(axis=0)
            axes[row, -1].imshow(mean if images.ndim == 3 else mean.astype(images.dtype), cmap="gray_r")
        axes[row, 0].spines[:].set(visible=True, color="tab:red", linewidth=2)
        axes[row, 0].set_ylabel(f"{cluster}\n({len(own):,})", rotation=0, labelpad=18, va="center")
    for axis, title in zip(axes[0], columns, strict=True):
        axis.set_title(title, fontsize=9)
    return figure


def plot_path(model: Any) -> Any:
    """Show what happened along the path of weights: certainty, labels changed, normalised cut and objective.

    Parameters
    ----------
    model : LaplacianKModes
        Fitted; a path of one weight is one point.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; use its ``savefig``.
    """
    check_is_fitted(model)
    weights = [point.weight for point in model.path_]
    panels = {
        "certainty": "mean largest membership",
        "changed": "share of labels changed",
        "normalized_cut": "normalised cut",
        "relaxed_objective": "relaxed objective R",
    }
    figure = _new_figure(figsize=(9, 5), layout="constrained")
    for axis, (name, title) in zip(figure.subplots(2, 2, sharex=True).ravel(), panels.items(), strict=True):
        axis.plot(weights, [getattr(point, name) for point in model.path_], "o-", color="tab:blue", markersize=4)
        axis.set_title(title, fontsize=10)
        axis.grid(alpha=0.3)
    figure.supxlabel("Laplacian weight", fontsize=10)
    return figure


def plot_cluster_counts(counts: Any) -> Any:
    """Show what each number of clusters tells about the graph, and how far its runs agree; shaded: as good as the best.

    Parameters
    ----------
    counts : ClusterCounts
        From :func:`slkmodes.choose_n_clusters`.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; use its ``savefig``.
    """
    figure = _new_figure(figsize=(8, 4.5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    above.plot(counts.candidates, counts.information, "o-", color="tab:blue", markersize=4, label="information")
    above.plot(counts.candidates, counts.scores, "o-", color="tab:red", markersize=4, label="score")
    for count in counts.as_good:
        above.axvspan(count - 0.5, count + 0.5, color="tab:orange", alpha=0.25, linewidth=0)
    above.axvline(counts.n_clusters, color="tab:red", linewidth=1)
    others = [str(count) for count in counts.as_good if count != counts.n_clusters]
    tie = f" ({', '.join(others)} as good)" if others else ""
    doubt = "" if counts.stands_out else ": no number stands out"
    above.set_title(f"{counts.n_clusters} clusters suggested{tie}{doubt}", fontsize=10)
    above.set_ylabel("nats per step")
    above.legend(fontsize=8)
    below.plot(counts.candidates, counts.agreements, "o-", color="tab:green", markersize=4)
    below.set(xlabel="number of clusters", ylabel="agreement\nof runs")
    for axis in (above, below):
        axis.grid(alpha=0.3)
    return figure


def _new_figure(**options: Any) -> Any:
    """A figure without global state, which needs no screen."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("Pictures need matplotlib: pip install 'slkmodes[plots]'.") from error
    return Figure(**options)
