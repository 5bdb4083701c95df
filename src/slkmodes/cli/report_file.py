"""The report of a model and its data, as a file."""

from __future__ import annotations

import math
from pathlib import Path

from slkmodes.cli.data import Data, KnownClasses
from slkmodes.cli.screen import Screen
from slkmodes.estimator import LaplacianKModes
from slkmodes.tables import BadTable


def picture_shape(asked: tuple[int, ...] | None, data: Data) -> tuple[int, ...] | None:
    """Height and width (and 3) where rows are shown as pictures: as was asked, else as the file says."""
    width = len(data.columns)
    if asked is None:
        stored = data.table.image_shape
        return stored if stored is not None and math.prod(stored) == width else None
    if math.prod(asked) != width:
        shape = "x".join(map(str, asked))
        raise BadTable(f"--image-shape {shape} has {math.prod(asked)} pixels, but a row has {width} numbers.")
    return asked


def write_report(
    path: Path,
    model: LaplacianKModes,
    data: Data,
    screen: Screen,
    *,
    classes: KnownClasses | None,
    texts: list[str] | None,
    image_shape: tuple[int, ...] | None,
) -> None:
    """Show the rows as the file has them, not as they were scaled."""
    from slkmodes import report

    with screen.progress.stage("writing the report"):
        report.write_report(
            model,
            path,
            data.shown(),
            feature_names=list(data.columns) or None,
            labels=None if classes is None else classes.words(),
            texts=texts,
            image_shape=image_shape,
            title=data.table.path.name,
        )
