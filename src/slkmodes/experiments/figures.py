"""The figures of the paper, drawn from fits and records (needs matplotlib)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from slkmodes.datasets import load
from slkmodes.experiments.methods import Task, slk
from slkmodes.experiments.records import Record

N_NEAREST = 3
COLOURS = {"LK": "tab:orange", "SLK-MS": "tab:blue"}


def mode_images(task: Task, images: str) -> Any:
    """Figure 1: of every cluster the mode and its nearest members, and beside them the mean and the images nearest."""
    import matplotlib.pyplot as plt

    pictures = load(images)
    assert pictures.image_shape is not None
    model = _quiet_fit(slk(task, "argmax", laplacian_weight="auto", init="auto"), task)
    shown = pictures.X.reshape(-1, *pictures.image_shape)
    colours = {} if len(pictures.image_shape) == 3 else {"cmap": "gray"}
    figure, axes = plt.subplots(
        task.n_clusters, 2 * (N_NEAREST + 1), figsize=(2 * (N_NEAREST + 1), task.n_clusters), layout="constrained"
    )
    for cluster, row in enumerate(axes):
        members = np.flatnonzero(model.labels_ == cluster)
        mean = task.X[members].mean(axis=0)
        mode = model.mode_indices_[cluster]
        left = [shown[mode], *shown[_nearest(task, members[members != mode], task.X[mode])]]
        right = [shown[members].mean(axis=0).astype(shown.dtype), *shown[_nearest(task, members, mean)]]
        for axis, picture in zip(row, [*left, *right], strict=True):
            axis.imshow(picture, **colours)
            axis.set_axis_off()
    for column, title in (
        (0, "mode"),
        (1, "its nearest members"),
        (N_NEAREST + 1, "mean"),
        (N_NEAREST + 2, "nearest to it"),
    ):
        axes[0, column].set_title(title, loc="left", fontsize=10)
    return figure


def _nearest(task: Task, members: Any, point: Any) -> Any:
    squared = ((task.X[members] - point) ** 2).sum(axis=1)
    return members[np.argsort(squared, kind="stable")[:N_NEAREST]]


def objectives_by_weight(records: Iterable[Record]) -> Any:
    """Figure 2: E at convergence against the weight, the mean over trials; hollow where clusters died."""
    import matplotlib.pyplot as plt

    runs = [record for record in records if record["experiment"] == "table3" and "error" not in record]
    names = list(dict.fromkeys(record["data"] for record in runs))
    figure, axes = plt.subplots(1, len(names), figsize=(4 * len(names), 3.2), layout="constrained", squeeze=False)
    for axis, name in zip(axes[0], names, strict=True):
        here = [record for record in runs if record["data"] == name]
        wanted = max(record["clusters_used"] for record in here)
        for method, colour in COLOURS.items():
            values = {
                weight: [record for record in here if (record["method"], record["weight"]) == (method, weight)]
                for weight in sorted({record["weight"] for record in here})
            }
            means = [np.mean([record["objective"] for record in some]) for some in values.values()]
            whole = [all(record["clusters_used"] == wanted for record in some) for some in values.values()]
            axis.plot(list(values), means, color=colour, label=method)
            faces = [colour if complete else "white" for complete in whole]
            axis.scatter(list(values), means, c=faces, edgecolors=colour, zorder=3)
        axis.set(title=name, xlabel="Laplacian weight", ylabel="discrete objective E" if name == names[0] else "")
        axis.legend(frameon=False)
    return figure


def convergence(tasks: dict[str, Task]) -> tuple[Any, Any]:
    """Figures 3 and 4: R per sweep within the first mode updates, and how far modes move per update, run cold."""
    import matplotlib.pyplot as plt

    inner, outer = (plt.figure(figsize=(4 * len(tasks), 3.2), layout="constrained") for _ in range(2))
    inner_axes, outer_axes = (figure.subplots(1, len(tasks), squeeze=False) for figure in (inner, outer))
    for (name, task), within, between in zip(tasks.items(), inner_axes[0], outer_axes[0], strict=True):
        for mode_update, label in (("argmax", "SLK-BO"), ("mean_shift", "SLK-MS")):
            model = _quiet_fit(
                slk(task, mode_update, laplacian_weight=1.0, n_init=1, random_state=0,
                    diagonal_shift="auto"), task,
            )  # fmt: skip
            if mode_update == "argmax":
                for number, step in enumerate(model.history_[:3], start=1):
                    within.plot(step.relaxed_objectives, label=f"after {number - 1} mode updates")
            moved = [float(np.linalg.norm(step.mode_shifts)) for step in model.history_]
            between.plot(range(1, len(moved) + 1), moved, "o-", label=label)
        within.set(title=name, xlabel="sweep", ylabel="relaxed objective R")
        between.set(title=name, xlabel="mode update", ylabel="how far the modes moved")
        between.xaxis.get_major_locator().set_params(integer=True)
        within.legend(frameon=False)
        between.legend(frameon=False)
    return inner, outer


def _quiet_fit(model: Any, task: Task) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(task.X)


def save(figure: Any, path: Path) -> None:
    """Write a picture and let go of it."""
    import matplotlib.pyplot as plt

    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)
