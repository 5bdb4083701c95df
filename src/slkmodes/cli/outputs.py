"""The files that a fit leaves: labels, memberships, modes, the model, a summary and the report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from slkmodes.cli.data import Data
from slkmodes.cli.progress import Progress
from slkmodes.cli.whole_folder import SUMMARY
from slkmodes.estimator import LaplacianKModes
from slkmodes.model_files import save
from slkmodes.tables import FORMATS, write_table
from slkmodes.tables.writing import Block

MODEL = "model.npz"
REPORT = "report.html"
NAMES = frozenset(
    {SUMMARY, MODEL, REPORT, *(f"{stem}.{end}" for stem in ("labels", "memberships", "modes") for end in FORMATS)}
)
ROWS_AT_A_TIME = 1 << 16


def write_labels(path: Path, model: LaplacianKModes, progress: Progress) -> None:
    """Row, label, confidence (the largest membership), and whether the row is the mode of its cluster."""
    is_mode = np.zeros(len(model.labels_), dtype=bool)
    is_mode[model.mode_indices_] = True
    write_table(path, label_blocks(model.labels_, model.memberships_, progress, is_mode=is_mode))


def label_blocks(labels: Any, memberships: Any, progress: Progress, first: int = 0, **more: Any) -> Iterator[Block]:
    """Labels and confidences, some rows at a time."""
    for rows in blocks(len(labels)):
        own = memberships[rows].max(axis=1)
        yield {
            "row": np.arange(first + rows.start, first + rows.stop),
            "label": labels[rows],
            "confidence": own if isinstance(own, np.ndarray) else own.toarray().ravel(),
            **{name: column[rows] for name, column in more.items()},
        }
        progress.advance(rows.stop - rows.start)


def membership_blocks(memberships: Any, progress: Progress, first: int = 0) -> Iterator[Block]:
    """A column per cluster; or a line per membership where only the largest were kept."""
    for rows in blocks(memberships.shape[0]):
        some = memberships[rows]
        if isinstance(some, np.ndarray):
            numbers = np.arange(first + rows.start, first + rows.stop)
            yield {"row": numbers, **{f"cluster_{i}": some[:, i] for i in range(some.shape[1])}}
        else:
            entries = some.tocoo()
            yield {"row": first + rows.start + entries.row, "cluster": entries.col, "membership": entries.data}
        progress.advance(rows.stop - rows.start)


def blocks(n_rows: int) -> Iterator[slice]:
    """Slices of rows."""
    for start in range(0, n_rows, ROWS_AT_A_TIME):
        yield slice(start, min(start + ROWS_AT_A_TIME, n_rows))


def write_modes(path: Path, model: LaplacianKModes, data: Data) -> None:
    """The row that stands for each cluster, with all its columns; of a graph only its number."""
    rows = model.mode_indices_.tolist()
    sizes = np.bincount(model.labels_, minlength=len(rows)).tolist()
    ours = {"cluster": list(range(len(rows))), "row": rows, "size": sizes}
    theirs = data.table.rows(rows) if data.columns else {}
    for name in set(ours) & set(theirs):
        free = f"{name}_in_file"
        while free in theirs:
            free += "_"
        theirs = {free if key == name else key: column for key, column in theirs.items()}
    write_table(path, [{**ours, **theirs}])


def write_model(path: Path, model: LaplacianKModes, data: Data) -> None:
    """The model, with what is needed to read new rows as these were read."""
    save(model, path, notes={"columns": list(data.columns), "scaling": data.scaling.as_json()})


def write_summary(folder: Path, summary: dict[str, Any]) -> None:
    """What ``--json`` prints."""
    (folder / SUMMARY).write_text(json.dumps(summary, indent=1, allow_nan=False) + "\n", encoding="utf-8")
