"""Clusters of texts: their words."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.plots.figures import BLUE, MUTED, bare, new_figure, plain
from slkmodes.plots.fitted import check_names, cluster_sizes
from slkmodes.plots.specificity import check_table, specificity
from slkmodes.validation import check_integer

Array = npt.NDArray[Any]

OWNER = "plot_mode_words"
PANELS_PER_ROW = 5
LIGHT_BLUE = "#9cc7e4"


def plot_mode_words(model: Any, counts: Any, vocabulary: Any, n_words: int = 8) -> Any:
    """Show the words that set each cluster apart; dark: words that its mode, a text of the data, has too.

    A bar is as long as the word's share in the cluster times the logarithm of how many times the share in all other
    texts that is; the number behind it is that many times.

    Parameters
    ----------
    model : LaplacianKModes
        Fitted on anything computed from the texts.
    counts : sparse or dense matrix of shape (n_samples, n_words_of_all)
        How often each training sample has each word, or weights of at least 0 (TF-IDF).
    vocabulary : sequence of str
        The words, one per column: ``get_feature_names_out()`` of a vectorizer.
    n_words : int, default=8
        Words per cluster at most.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; use its ``savefig``.

    Examples
    --------
    >>> import numpy as np
    >>> from slkmodes import LaplacianKModes
    >>> from slkmodes.plots import plot_mode_words
    >>> counts = np.array([[3, 1, 0], [2, 1, 0], [4, 0, 0], [0, 1, 2], [0, 0, 3], [0, 1, 4]])
    >>> model = LaplacianKModes(2, n_neighbors=2, random_state=0).fit(counts)
    >>> figure = plot_mode_words(model, counts, ["ship", "the", "star"])
    >>> sorted(axis.texts[0].get_text() for axis in figure.axes)
    ['ship', 'star']
    """
    table = check_table(OWNER, "counts", counts, model)
    names = check_names(OWNER, "vocabulary", vocabulary, table.shape[1])
    check_integer(OWNER, "n_words", n_words)
    sizes = cluster_sizes(model)
    special = specificity(table, model.labels_, len(sizes))
    of_modes = table[model.mode_indices_]

    per_row = min(len(sizes), PANELS_PER_ROW)
    n_rows = -(-len(sizes) // per_row)
    figure = new_figure(2.3 * per_row, (0.21 * n_words + 0.45) * n_rows)
    figure.get_layout_engine().set(w_pad=0.12)
    axes = figure.subplots(n_rows, per_row, squeeze=False).ravel()
    for axis in axes[len(sizes) :]:
        axis.remove()
    for cluster, size in enumerate(sizes):
        columns = special.top(cluster, n_words)
        in_mode = of_modes[[cluster]].toarray()[0, columns] > 0
        words = [plain(names[column]) for column in columns]
        _draw_words(axes[cluster], words, special.scores[cluster, columns], special.lifts[cluster, columns], in_mode)
        axes[cluster].set_title(f"{cluster} ({size:,})", fontsize=9, loc="left", fontweight="bold")
        axes[cluster].set_ylim(n_words - 0.4, -0.6)
    return figure


def _draw_words(axis: Any, words: list[str], scores: Array, lifts: Array, in_mode: Array) -> None:
    """A list of words over thin bars; how many times as frequent as elsewhere on the right."""
    bare(axis)
    rows = np.arange(len(words))
    axis.barh(rows + 0.36, scores, color=np.where(in_mode, BLUE, LIGHT_BLUE), height=0.14)
    axis.set_xlim(0, scores.max(initial=0) or 1)
    place = {"va": "center", "transform": axis.get_yaxis_transform()}
    for row, (word, lift) in enumerate(zip(words, lifts, strict=True)):
        axis.text(0, row, word, fontsize=9, **place)
        axis.text(1, row, _times(lift), fontsize=8, ha="right", color=MUTED, **place)
    if not words:
        axis.text(0, 0, "no words of its own", fontsize=9, color=MUTED, **place)


def _times(lift: float) -> str:
    if np.isinf(lift):
        return "only here"
    return (f"{lift:,.0f}" if lift >= 9.95 else f"{lift:.1f}") + " \N{MULTIPLICATION SIGN}"
