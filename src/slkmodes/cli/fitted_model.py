"""A model file, and how its rows were read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from slkmodes import out_of_sample
from slkmodes.cli.outputs import MODEL
from slkmodes.cli.whole_folder import SUMMARY
from slkmodes.estimator import LaplacianKModes, stacked
from slkmodes.model_files import load, read_notes
from slkmodes.tables import BadTable, Scaling


@dataclass(frozen=True)
class FittedModel:
    """Prediction needs the columns by name and in order, scaled as they were."""

    model: LaplacianKModes
    columns: tuple[str, ...]  # none where the model is of a graph
    scaling: Scaling

    def assign(self, X: Any) -> tuple[Any, Any]:
        """Labels and memberships of new rows, which are looked up once for both."""
        fitted = self.model._fitted
        labels: list[Any] = []

        def shares() -> Iterator[Any]:
            for rows, extension in self.model._extend(X):
                labels.append(out_of_sample.labels(fitted, extension, rows))
                yield out_of_sample.memberships(fitted, extension)

        memberships = stacked(shares(), fitted.top_memberships is not None)
        return np.concatenate(labels), memberships


def open_model(path: Path) -> FittedModel:
    """From a file, or the folder of a fit."""
    file = path / MODEL if path.is_dir() else path
    if not file.is_file():
        raise BadTable(f"{file} does not exist. Give a model that slkmodes fit or save_model wrote.")
    model, notes = load(file), read_notes(file)
    graph = model.affinity == "precomputed"
    named = getattr(model, "feature_names_in_", None)
    default = [f"x{i}" for i in range(model.n_features_in_)] if named is None else list(named)
    columns = () if graph else tuple(map(str, notes.get("columns") or default))
    if not graph and len(columns) != model.n_features_in_:
        raise BadTable(f"{file} names {len(columns)} columns, but its model has {model.n_features_in_}. Fit again.")
    stored = notes.get("scaling")
    return FittedModel(model, columns, Scaling("none") if stored is None else Scaling.from_json(stored, len(columns)))


def read_summary(folder: Path) -> dict[str, Any]:
    """What a fit wrote beside its results; empty where there is nothing."""
    path = folder / SUMMARY
    if not path.is_file():
        return {}
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as reason:
        raise BadTable(
            f"{path} is not what slkmodes fit writes: {reason}. Give the model and the data by name."
        ) from reason
    return summary if isinstance(summary, dict) else {}
