"""A fitted model in a notebook: a few lines of HTML without script, built by hand so that they need no package."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from slkmodes.report.doubt import doubt_of
from slkmodes.report.palette import palette
from slkmodes.report.table import moments

CLUSTERS_SHOWN = 12
FEATURES_SHOWN = 3
# So many rows tell the mean of a column well enough for a glance.
ROWS_LOOKED_AT = 10_000


def summary_html(model: Any) -> str:
    """Sizes, how the run ended, and the modes of a fitted model as HTML; every name in it is escaped."""
    n_clusters = model.memberships_.shape[1]
    sizes = np.bincount(model.labels_, minlength=n_clusters)
    colours = [light for light, _ in palette(min(n_clusters, CLUSTERS_SHOWN))]
    shown = np.sort(np.argsort(-sizes, kind="stable")[:CLUSTERS_SHOWN]).tolist()
    features = "" if model.modes_ is None else f", {model.modes_.shape[1]:,} features"
    more = "" if len(shown) == n_clusters else f"<p>The {len(shown)} largest of {n_clusters:,} clusters are shown.</p>"
    return (
        '<div style="font-family: system-ui, sans-serif; font-variant-numeric: tabular-nums; max-width: 48em">'
        f"<p><b>{escape(type(model).__name__)}</b>: {len(model.labels_):,} samples{features}, {n_clusters:,} clusters. "
        f"{escape(str(model.status_))}</p>"
        f"{_size_bar(sizes[shown] / sizes.sum(), colours)}{_mode_table(model, shown, sizes, colours)}{more}</div>"
    )


def _size_bar(shares: Any, colours: list[str]) -> str:
    """The clusters as parts of a bar, whose length is all samples."""
    ends = 100 * np.cumsum(shares)
    parts = "".join(
        f'<rect x="{end - 100 * share:.2f}" width="{max(0.0, 100 * share - 0.3):.2f}" height="8" fill="{colour}"/>'
        for end, share, colour in zip(ends, shares, colours, strict=True)
    )
    return (
        '<svg viewBox="0 0 100 8" preserveAspectRatio="none" style="width: 100%; height: 8px" role="img" '
        f'aria-label="Cluster sizes">{parts}</svg>'
    )


def _mode_table(model: Any, shown: list[int], sizes: Any, colours: list[str]) -> str:
    confidence = doubt_of(model.memberships_, model.labels_).own
    rows = [["", "cluster", "samples", "confidence", "mode", "its most unusual features"]]
    for cluster, colour, features in zip(shown, colours, _peculiarities(model, shown), strict=True):
        own = confidence[model.labels_ == cluster]
        mean, mode = (f"{own.mean():.3f}", str(model.mode_indices_[cluster])) if len(own) else ("", "")
        dot = f'<span style="color: {colour}">&#9679;</span>'
        rows.append([dot, str(cluster), f"{sizes[cluster]:,}", mean, mode, escape(features)])
    n_columns = 5 if model.modes_ is None else 6
    lines = ("".join(f"<td>{cell}</td>" for cell in row[:n_columns]) for row in rows)
    return '<table style="text-align: right">' + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _peculiarities(model: Any, clusters: list[int]) -> list[str]:
    """Per mode the features farthest from the mean, in standard deviations; nothing where there are no features."""
    if model.modes_ is None:
        return [""] * len(clusters)
    kernel = model._fitted.problem.kernel
    X = kernel.metric.features(kernel.X[:: max(1, kernel.n_samples // ROWS_LOOKED_AT)])
    mean, spread = moments(X)
    names = getattr(model, "feature_names_in_", [f"feature {column}" for column in range(X.shape[1])])
    told = []
    for mode in model.modes_[clusters]:
        deviations = np.divide(mode - mean, spread, out=np.zeros(len(mean)), where=spread > 0)
        farthest = np.argsort(-np.abs(deviations), kind="stable")[:FEATURES_SHOWN]
        told.append(", ".join(f"{names[column]} = {mode[column]:.4g}" for column in farthest))
    return told
