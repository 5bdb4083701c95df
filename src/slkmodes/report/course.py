"""How the fit went: the path of weights, and the last weight sweep by sweep."""

from __future__ import annotations

from typing import Any

import numpy as np

# More sweeps than a chart has pixels are thinned out.
MOST_SWEEPS = 500


def weight_path(model: Any) -> list[dict[str, Any]]:
    """Per weight of ``path_`` its fields; None for what is not known."""
    return [{name: _known(value) for name, value in point._asdict().items()} for point in model.path_]


def convergence(model: Any) -> dict[str, Any]:
    """R before each sweep at the last weight, and per mode update its last sweep and what moved."""
    steps = model.history_
    objectives = [float(value) for step in steps for value in step.relaxed_objectives]
    shown = np.unique(np.linspace(0, len(objectives) - 1, min(len(objectives), MOST_SWEEPS)).round().astype(int))
    return {
        "n_sweeps": len(objectives),
        "sweeps": [int(sweep) + 1 for sweep in shown],
        "relaxed_objectives": [_known(objectives[sweep]) for sweep in shown],
        "updates": np.cumsum([len(step.relaxed_objectives) for step in steps]).tolist(),
        "largest_shifts": [_known(step.mode_shifts.max(initial=0)) for step in steps],
        "modes_moved": [int(np.count_nonzero(step.mode_shifts)) for step in steps],
        "reseeded": [len(step.reseeded) for step in steps],
    }


def _known(value: Any) -> float | int | None:
    if isinstance(value, int):
        return value
    return float(value) if np.isfinite(value) else None
