"""Clusters of cells: the genes that mark them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.plots.figures import FAINT, MUTED, clusters_downwards, new_figure, plain
from slkmodes.plots.fitted import check_names, cluster_sizes
from slkmodes.plots.specificity import Specificity, check_table, specificity, sums_by_cluster
from slkmodes.validation import check_integer

Array = npt.NDArray[Any]

OWNER = "plot_marker_genes"
LARGEST_DOT = 110.0


def plot_marker_genes(model: Any, counts: Any, gene_names: Any, n_genes: int = 3) -> Any:
    """Show the genes most specific to each cluster: large dots for genes that many of its cells have, dark for much.

    A gene is named once, for the cluster it tells most about. Its colour is the mean over the cells of a cluster
    relative to the cluster that has most of it.

    Parameters
    ----------
    model : LaplacianKModes
        Fitted on anything computed from the cells.
    counts : sparse or dense matrix of shape (n_samples, n_genes_of_all)
        Counts of the training samples or, better, logarithms of counts scaled to the same sum per cell.
    gene_names : sequence of str
        Names of the columns.
    n_genes : int, default=3
        Genes per cluster at most.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; use its ``savefig``.

    Examples
    --------
    >>> import numpy as np
    >>> from slkmodes import LaplacianKModes
    >>> from slkmodes.plots import plot_marker_genes
    >>> counts = np.array([[3, 1, 0], [2, 1, 0], [4, 0, 0], [0, 1, 2], [0, 0, 3], [0, 1, 4]])
    >>> model = LaplacianKModes(2, n_neighbors=2, random_state=0).fit(counts)
    >>> figure = plot_marker_genes(model, counts, ["flp-1", "act-1", "sng-1"], n_genes=1)
    >>> sorted(label.get_text() for label in figure.axes[0].get_xticklabels())
    ['flp-1', 'sng-1']
    """
    table = check_table(OWNER, "counts", counts, model)
    names = check_names(OWNER, "gene_names", gene_names, table.shape[1])
    check_integer(OWNER, "n_genes", n_genes)
    sizes = cluster_sizes(model)
    clusters = np.flatnonzero(sizes)
    genes = marker_genes(specificity(table, model.labels_, len(sizes)), n_genes)
    if not len(genes):
        raise ValueError(f"counts of {OWNER} has no gene that a cluster has more of than others; nothing to draw.")
    chosen = table[:, genes]
    means, shares = (
        sums_by_cluster(values, model.labels_, len(sizes))[clusters] / sizes[clusters, None]
        for values in (chosen, (chosen > 0).astype(np.float64))
    )
    return _draw_dots(means / means.max(axis=0), shares, clusters, [plain(names[gene]) for gene in genes])


def marker_genes(special: Specificity, n_genes: int) -> npt.NDArray[np.int64]:
    """The best genes of every cluster, cluster by cluster, each gene only where its score is highest."""
    home = special.scores.argmax(axis=0)
    best = []
    for cluster in range(len(special.scores)):
        ranked = special.top(cluster, special.scores.shape[1])
        best.append(ranked[home[ranked] == cluster][:n_genes])
    return np.concatenate(best)


def _draw_dots(levels: Array, shares: Array, clusters: Array, genes: list[str]) -> Any:
    figure = new_figure(0.24 * len(genes) + 2.6, 0.27 * len(clusters) + 1.5)
    axis = figure.subplots()
    row, column = (index.ravel() for index in np.indices(levels.shape))
    dots = axis.scatter(
        column,
        row,
        s=LARGEST_DOT * shares.ravel(),
        c=levels.ravel(),
        cmap="Blues",
        vmin=0,
        vmax=1,
        edgecolors=MUTED,
        linewidths=0.3,
    )
    clusters_downwards(axis, clusters)
    axis.set_xlim(-0.7, len(genes) - 0.3)
    axis.set_xticks(range(len(genes)), genes, rotation=60, ha="right", rotation_mode="anchor", fontsize=8)
    axis.tick_params(length=0)
    axis.spines[:].set_color(FAINT)
    bar = figure.colorbar(dots, ax=axis, shrink=0.5, aspect=12, ticks=[0, 1], location="right", anchor=(0, 0))
    bar.ax.set_yticklabels(["none", "most"], fontsize=8)
    bar.set_label("mean expression", fontsize=8)
    bar.outline.set_visible(False)
    examples = [axis.scatter([], [], s=LARGEST_DOT * part, c=MUTED, label=f"{part:.0%}") for part in (0.25, 0.5, 1.0)]
    place = {"loc": "outside right upper", "fontsize": 8, "title_fontsize": 8, "frameon": False}
    figure.legend(handles=examples, title="cells with it", **place)
    return figure
