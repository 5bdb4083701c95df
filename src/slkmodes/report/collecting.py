"""A fitted model -> a plain dict of everything a report says; nothing here knows of HTML."""

from __future__ import annotations

import inspect
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from slkmodes.metrics import normalized_cut
from slkmodes.report.boundaries import describe_boundaries
from slkmodes.report.classes import Classes, read_classes, scores
from slkmodes.report.clusters import describe_clusters
from slkmodes.report.content import OWNER, Content, choose_content, describe_samples
from slkmodes.report.course import convergence, weight_path
from slkmodes.report.doubt import Doubt, confidence_histogram, doubt_of
from slkmodes.report.graph_health import graph_health
from slkmodes.report.point_map import MOST_CONFIDENT, choose_rows, place_points, quantised
from slkmodes.validation import check_integer, make_generator

MAX_POINTS = 100_000
PACKAGES = ("slkmodes", "numpy", "scipy", "scikit-learn", "faiss-cpu")
LONGEST_PARAMETER = 200


def collect(
    model: Any,
    X: Any = None,
    *,
    kind: str = "auto",
    images: Any = None,
    image_shape: tuple[int, ...] | None = None,
    texts: Any = None,
    feature_names: Any = None,
    labels: Any = None,
    label_names: Any = None,
    title: str | None = None,
    layout: Any = None,
    max_points: int = MAX_POINTS,
    random_state: int = 0,
) -> dict[str, Any]:
    """Everything the report of a fitted model says, as a dict of scalars, strings, lists and dicts.

    Parameters
    ----------
    model : LaplacianKModes
        Fitted.
    X : array, DataFrame or sparse matrix of shape (n_samples, n_columns), optional
        What to show of the training samples, in their order; not necessarily what the model was fitted on (the table
        before it was scaled, say). By default the features the model was fitted on.
    kind : {"auto", "table", "images", "text"}, default="auto"
        How a sample is shown. "auto": as text where there are texts, as an image where there are images or an
        ``image_shape``, else as a row.
    images : array of shape (n_samples, ...), optional
        The image of every sample: flat rows, (height, width) or (height, width, 3).
    image_shape : tuple of int, optional
        Shape of one image, where the rows of ``images``, or of X without them, are flat.
    texts : sequence of str, optional
        The text of every sample.
    feature_names : sequence of str, optional
        Names of the columns of X; by default those of a DataFrame.
    labels : array-like of shape (n_samples,), optional
        Known classes, to score by only; None or NaN where not known.
    label_names : sequence or dict of str, optional
        A name for each class.
    title : str, optional
        Of the report.
    layout : array of shape (n_samples, 2), optional
        Where each sample lies on the map. By default a layout of the graph alone.
    max_points : int, default=100_000
        Points on the map at most; of more samples a random choice is shown.
    random_state : int, default=0
        Decides the layout and the random choices.

    Returns
    -------
    dict
        What :func:`slkmodes.report.render` turns into HTML; JSON can store it.

    Examples
    --------
    >>> import numpy as np
    >>> from slkmodes import LaplacianKModes
    >>> from slkmodes.report import collect
    >>> X = np.repeat([[0.0, 0.0], [9.0, 9.0]], 20, axis=0) + np.random.default_rng(0).normal(size=(40, 2))
    >>> model = LaplacianKModes(n_clusters=2, random_state=0).fit(X)
    >>> collected = collect(model, layout=X)
    >>> [cluster["size"] for cluster in collected["clusters"]]
    [20, 20]
    """
    check_is_fitted(model)
    check_integer(OWNER, "max_points", max_points)
    rng = make_generator(random_state)
    affinity, n_samples = model.affinity_, len(model.labels_)
    content = choose_content(model, affinity, X, kind, images, image_shape, texts, feature_names)
    classes = read_classes(labels, label_names, n_samples)
    doubt = doubt_of(model.memberships_, model.labels_)
    clusters = describe_clusters(model, affinity, doubt, classes)
    boundaries = describe_boundaries(affinity, model.labels_, doubt, len(clusters))
    _compare_rows(content, clusters, boundaries)
    needed = shown_rows(clusters, boundaries)
    modes = [cluster["mode"] for cluster in clusters if cluster["mode"] is not None]
    points = choose_rows(n_samples, max_points, [*needed, *modes], rng)
    coordinates = quantised(place_points(layout, affinity, random_state))
    return {
        "title": f"{n_samples:,} samples in {len(clusters):,} clusters" if title is None else str(title),
        "kind": content.kind,
        "on_paper": content.on_paper,
        "overview": _overview(model, affinity, doubt),
        "graph": graph_health(model, affinity),
        "map": _points(points, coordinates, model.labels_, doubt, classes),
        "clusters": clusters,
        "samples": describe_samples(content, needed, [*modes, *rng.permutation(points).tolist()]),
        "confidence": confidence_histogram(doubt),
        "boundaries": boundaries,
        "path": weight_path(model),
        "convergence": convergence(model),
        "scores": None if classes is None else scores(classes, model.labels_, len(clusters)),
        "parameters": _parameters(model),
        "versions": _versions(),
    }


def shown_rows(clusters: list[dict[str, Any]], boundaries: dict[str, Any]) -> list[int]:
    """Samples that the report shows by themselves: modes, their nearest members, samples between clusters."""
    around = [row for cluster in clusters if cluster["shown"] for row in [cluster["mode"], *cluster["nearest"]]]
    between = [sample["row"] for pair in boundaries["pairs"] for sample in pair["samples"]]
    return list(dict.fromkeys([*around, *between]))


def _compare_rows(content: Content, clusters: list[dict[str, Any]], boundaries: dict[str, Any]) -> None:
    """Where samples are rows: what tells each mode from the rest, and the modes of a pair from each other."""
    for cluster in clusters:
        cluster["comparison"] = content.compare([cluster["mode"], *cluster["nearest"]]) if cluster["shown"] else None
    for pair in boundaries["pairs"]:
        first, last = (clusters[cluster]["mode"] for cluster in pair["clusters"])
        between = [sample["row"] for sample in pair["samples"]]
        pair["comparison"] = content.compare([first, *between, last], last) if between else None


def _overview(model: Any, affinity: Any, doubt: Doubt) -> dict[str, Any]:
    return {
        "n_samples": len(model.labels_),
        "n_features": None if model.modes_ is None else int(model.modes_.shape[1]),
        "n_clusters": int(model.memberships_.shape[1]),
        "n_empty": int(model.memberships_.shape[1] - len(np.unique(model.labels_))),
        "status": model.status_.name,
        "status_sentence": str(model.status_),
        "init": model.init_,
        "agreement": None if model.agreement_ is None else float(model.agreement_),
        "laplacian_weight": float(model.laplacian_weight_),
        "balance": float(model.balance_),
        "diagonal_shift": float(model.diagonal_shift_),
        "n_iter": int(model.n_iter_),
        "mean_confidence": float(doubt.own.mean()),
        "normalized_cut": normalized_cut(affinity, model.labels_),
        "relaxed_objective": float(model.relaxed_objective_),
        "discrete_objective": float(model.discrete_objective_),
        "engine": model.engine_,
        "seconds": {stage: float(spent) for stage, spent in model.timings_.items()},
        "modes_are_samples": model.mode_update != "mean_shift",
    }


def _points(rows: Any, coordinates: Any, labels: Any, doubt: Doubt, classes: Classes | None) -> dict[str, Any]:
    """The map: per point a row number, coordinates, cluster, second cluster, both memberships, and the class."""
    return {
        "n_samples": len(labels),
        "rows": rows.tolist(),
        "x": coordinates[rows, 0].tolist(),
        "y": coordinates[rows, 1].tolist(),
        "clusters": labels[rows].tolist(),
        "seconds": doubt.second[rows].tolist(),
        "confidences": np.rint(doubt.own[rows] * MOST_CONFIDENT).astype(int).tolist(),
        "others": np.rint(doubt.other[rows] * MOST_CONFIDENT).astype(int).tolist(),
        "classes": None if classes is None else classes.codes[rows].tolist(),
        "class_names": None if classes is None else classes.names,
    }


def _parameters(model: Any) -> list[dict[str, Any]]:
    """Every parameter as Python writes it, and whether it differs from its default."""
    defaults = inspect.signature(type(model).__init__).parameters
    written = {name: repr(value) for name, value in model.get_params(deep=False).items()}
    return [
        {
            "name": name,
            "value": text if len(text) <= LONGEST_PARAMETER else text[: LONGEST_PARAMETER - 1] + "…",
            "changed": name not in defaults or text != repr(defaults[name].default),
        }
        for name, text in written.items()
    ]


def _versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
