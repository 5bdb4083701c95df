"""``slkmodes report``: the report of a model that was fitted before."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from slkmodes.cli.data import Data, check_present, open_file, read_classes, read_texts
from slkmodes.cli.exit_codes import UsageError
from slkmodes.cli.fitted_model import open_model, read_summary
from slkmodes.cli.outputs import REPORT
from slkmodes.cli.parser import Parser, add_label, add_telling, image_shape
from slkmodes.cli.report_file import picture_shape, write_report
from slkmodes.cli.screen import Screen
from slkmodes.cli.whole_folder import check_not_read
from slkmodes.tables import BadTable, Scaling, read_features

HELP = "the report of a model that fit wrote"


def add_options(parser: Parser) -> None:
    """What the command takes."""
    parser.add_argument("model", type=Path, metavar="MODEL", help="model.npz of a fit, or the folder it is in")
    parser.add_argument(
        "file", type=Path, metavar="FILE", nargs="?", help="the rows that were fitted; a folder knows them"
    )
    parser.add_argument("--array", metavar="NAME", help="which array of an .npz or .h5ad file")
    parser.add_argument("--transpose", action="store_true", help="samples are the columns of an .npy, .npz or .mtx")
    parser.add_argument("-o", "--output", type=Path, metavar="HTML", help=f"{REPORT} in the folder if not given")
    add_label(parser)
    parser.add_argument("--image-shape", type=image_shape, metavar="HxW", help="rows are images: show them as such")
    add_telling(parser)


def run(options: argparse.Namespace, screen: Screen) -> dict[str, Any]:
    """Read the model and its rows, write the report."""
    fitted = open_model(options.model)
    folder = options.model if options.model.is_dir() else options.model.parent
    recall(options, read_summary(folder))
    if options.file is None:
        raise UsageError("report needs the FILE of the rows that were fitted: this folder does not know it.")
    output = options.output or folder / REPORT
    if output.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"-o {output} must end in .html.")
    check_not_read(output, options.file, options.model)
    table = open_file(options, screen)
    X = None
    if fitted.columns:
        check_present(table, "the model", fitted.columns)
        with screen.progress.stage(f"reading {table.path.name}"):
            X = read_features(table, fitted.columns, missing=fitted.scaling.missing).X
        if len(X) != len(fitted.model.labels_):
            raise BadTable(
                f"{table.path} has {len(X):,} rows, but the model was fitted on {len(fitted.model.labels_):,}. Give "
                "the file it was fitted on."
            )
    data = Data(table, fitted.columns, X, Scaling("none"))
    classes, texts = read_classes(table, options.label), read_texts(table, options.text)
    shape = picture_shape(options.image_shape, data)
    write_report(output, fitted.model, data, screen, classes=classes, texts=texts, image_shape=shape)
    return {"command": "report", "model": str(options.model), "file": str(options.file), "output": str(output)}


def recall(options: argparse.Namespace, summary: dict[str, Any]) -> None:
    """Fill in what was not said from what the fit was told, unless another file was named."""
    if options.file is not None or not isinstance(summary.get("file"), str):
        return
    options.file = Path(summary["file"])
    for name in ("array", "transpose", "label", "text", "image_shape"):
        if getattr(options, name) in (None, False):
            value = summary.get(name)
            setattr(options, name, tuple(value) if isinstance(value, list) else value)


def show(result: dict[str, Any], screen: Screen) -> None:
    """Where it is."""
    screen.table([("report in", result["output"])])
