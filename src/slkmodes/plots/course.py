"""How a fit went: along the weights, sweep by sweep, and over numbers of clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from slkmodes.plots.figures import BLUE, COLORS, FAINT, MUTED, ORANGE, light, new_figure


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

    Examples
    --------
    >>> import numpy as np
    >>> from slkmodes import LaplacianKModes
    >>> from slkmodes.plots import plot_path
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> figure = plot_path(LaplacianKModes(3, laplacian_weight=[0.5, 1.0], random_state=0).fit(X))
    >>> len(figure.axes)
    4
    """
    check_is_fitted(model)
    weights = [point.weight for point in model.path_]
    panels = {
        "certainty": "mean largest membership",
        "changed": "share of labels changed",
        "normalized_cut": "normalised cut",
        "relaxed_objective": "relaxed objective R",
    }
    figure = new_figure(9, 5)
    for axis, (name, title) in zip(figure.subplots(2, 2, sharex=True).ravel(), panels.items(), strict=True):
        axis.plot(weights, [getattr(point, name) for point in model.path_], "o-", color=BLUE, markersize=4)
        axis.set_title(title, fontsize=10)
        axis.locator_params(nbins=5)
        light(axis)
    figure.supxlabel("Laplacian weight", fontsize=10)
    return figure


def plot_convergence(model: Any) -> Any:
    """Show how the last weight was solved: R sweep by sweep, and how far each mode update moved the modes.

    The paper's figures 3 and 4. A line begins anew after every mode update: R then belongs to other modes.

    Parameters
    ----------
    model : LaplacianKModes
        Fitted. Where the affinity was precomputed modes have no distance: they moved (1) or not (0).

    Returns
    -------
    matplotlib.figure.Figure
        The figure; use its ``savefig``.

    Examples
    --------
    >>> import numpy as np
    >>> from slkmodes import LaplacianKModes
    >>> from slkmodes.plots import plot_convergence
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> figure = plot_convergence(LaplacianKModes(3, laplacian_weight=1.0, random_state=0).fit(X))
    >>> [axis.get_xlabel() for axis in figure.axes]
    ['sweep', 'mode update']
    """
    check_is_fitted(model)
    figure = new_figure(9, 3.6)
    sweeps, updates = figure.subplots(1, 2)
    _draw_sweeps(sweeps, model.history_)
    _draw_shifts(updates, model.history_, "distance moved" if model.modes_ is not None else "moved (1) or not (0)")
    figure.suptitle(f"Laplacian weight {model.laplacian_weight_:.3g}: {model.status_.value.split('.')[0]}", fontsize=10)
    return figure


def _draw_sweeps(axis: Any, history: Any) -> None:
    first = 1
    for step in history:
        objectives = step.relaxed_objectives
        numbers = np.arange(first, first + len(objectives))
        axis.plot(numbers, objectives, "o-", color=BLUE, markersize=3, linewidth=1.2)
        first += len(objectives)
        if step is not history[-1]:
            axis.axvline(first - 0.5, color=MUTED, linewidth=0.8, linestyle=":")
    light(axis)
    _whole_numbers(axis, first - 1)
    note = " (dotted: mode updates)" if len(history) > 1 else ""
    axis.set_title(f"relaxed objective R{note}", fontsize=10)
    axis.set_xlabel("sweep")


def _draw_shifts(axis: Any, history: Any, unit: str) -> None:
    numbers = np.arange(1, len(history) + 1)
    shifts = np.array([step.mode_shifts for step in history])
    axis.plot(numbers, shifts, "o-", color=FAINT, markersize=2.5, linewidth=1)
    axis.plot(numbers, shifts.mean(axis=1), "o-", color=ORANGE, markersize=4)
    axis.annotate("mean", (numbers[0], shifts[0].mean()), (6, 4), textcoords="offset points", color=ORANGE, fontsize=9)
    light(axis)
    _whole_numbers(axis, len(history))
    axis.set_ylim(0, 1.08 * shifts.max() or 1)
    axis.set_title(f"modes, a line for each: {unit}", fontsize=10)
    axis.set_xlabel("mode update")


def _whole_numbers(axis: Any, last: int) -> None:
    """1 to the last along the x axis, with room on both sides."""
    axis.locator_params(axis="x", integer=True, min_n_ticks=1)
    room = 0.5 + 0.02 * last
    axis.set_xlim(1 - room, last + room)


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

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from slkmodes import LaplacianKModes, choose_n_clusters
    >>> from slkmodes.plots import plot_cluster_counts
    >>> X, _ = make_blobs(120, centers=3, random_state=0)
    >>> counts = choose_n_clusters(X, [2, 3, 4], model=LaplacianKModes(random_state=0))
    >>> len(plot_cluster_counts(counts).axes)
    2
    """
    figure = new_figure(8, 4.5)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    above.plot(counts.candidates, counts.information, "o-", color=BLUE, markersize=4, label="information")
    above.plot(counts.candidates, counts.scores, "o-", color=ORANGE, markersize=4, label="score")
    for count in counts.as_good:
        above.axvspan(count - 0.5, count + 0.5, color=COLORS[4], alpha=0.25, linewidth=0)
    above.axvline(counts.n_clusters, color=ORANGE, linewidth=1)
    others = [str(count) for count in counts.as_good if count != counts.n_clusters]
    tie = f" ({', '.join(others)} as good)" if others else ""
    doubt = "" if counts.stands_out else ": no number stands out"
    above.set_title(f"{counts.n_clusters} clusters suggested{tie}{doubt}", fontsize=10)
    above.set_ylabel("nats per step")
    above.legend(fontsize=8, frameon=False)
    below.plot(counts.candidates, counts.agreements, "o-", color=COLORS[2], markersize=4)
    below.set(xlabel="number of clusters", ylabel="agreement\nof runs")
    for axis in (above, below):
        light(axis)
    return figure
