"""What a fit tells beside its arrays, as JSON and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from slkmodes.estimator import LaplacianKModes
from slkmodes.solution import Status, Step
from slkmodes.weight_path import PathPoint

NUMBERS = (
    "laplacian_weight_",
    "balance_",
    "diagonal_shift_",
    "relaxed_objective_",
    "discrete_objective_",
    "neighbor_recall_",
)
WORDS = ("init_", "neighbor_search_", "engine_")


def collect_results(model: LaplacianKModes) -> dict[str, Any]:
    """Every fitted attribute that is no array of samples."""
    return {
        **{name: float(getattr(model, name)) for name in NUMBERS},
        **{name: str(getattr(model, name)) for name in WORDS},
        "agreement_": None if model.agreement_ is None else float(model.agreement_),
        "status_": model.status_.name,
        "timings_": {stage: float(seconds) for stage, seconds in model.timings_.items()},
        "path_": [[None if math.isnan(value) else float(value) for value in point] for point in model.path_],
        "history_": [
            {
                "relaxed_objectives": [float(value) for value in step.relaxed_objectives],
                "mode_shifts": step.mode_shifts.tolist(),
                "cluster_sizes": step.cluster_sizes.tolist(),
                "reseeded": [int(cluster) for cluster in step.reseeded],
            }
            for step in model.history_
        ],
    }


def restore_results(model: LaplacianKModes, results: Mapping[str, Any]) -> None:
    """Set the attributes that :func:`collect_results` collected."""
    for name in NUMBERS:
        setattr(model, name, a_number(results, name))
    for name in WORDS:
        setattr(model, name, a_word(results, name))
    model.agreement_ = None if results["agreement_"] is None else a_number(results, "agreement_")
    model.status_ = Status[a_word(results, "status_")]
    model.timings_ = {str(stage): float(seconds) for stage, seconds in results["timings_"].items()}
    model.path_ = tuple(_path_point(values) for values in results["path_"])
    model.history_ = tuple(_step(step, model.n_clusters) for step in results["history_"])
    model.n_iter_ = len(model.history_)


def a_number(values: Mapping[str, Any], name: str) -> float:
    """A finite number from a header."""
    value = values[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"its {name} must be a number, got {value!r}.")
    return float(value)


def a_word(values: Mapping[str, Any], name: str) -> str:
    """A string from a header."""
    value = values[name]
    if not isinstance(value, str):
        raise ValueError(f"its {name} must be a word, got {value!r}.")
    return value


def _path_point(values: list[float | None]) -> PathPoint:
    numbers = [float("nan") if value is None else float(value) for value in values]
    point = PathPoint._make(numbers)
    return point._replace(n_iter=int(point.n_iter))


def _step(step: Mapping[str, Any], n_clusters: int) -> Step:
    shifts = np.array(step["mode_shifts"], dtype=np.float64)
    sizes = np.array(step["cluster_sizes"], dtype=np.int64)
    if shifts.shape != (n_clusters,) or sizes.shape != (n_clusters,) or not np.isfinite(shifts).all():
        raise ValueError(f"a step of its history does not tell of {n_clusters} clusters.")
    return Step(
        tuple(float(value) for value in step["relaxed_objectives"]),
        shifts,
        sizes,
        tuple(int(cluster) for cluster in step["reseeded"]),
    )
