"""``slkmodes fit``: cluster the rows of a file."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from slkmodes.cli import outputs
from slkmodes.cli.data import Data, output_format, read_classes, read_data, read_texts
from slkmodes.cli.exit_codes import UsageError
from slkmodes.cli.fit_summary import show, summarise
from slkmodes.cli.model_options import make_model
from slkmodes.cli.parser import (
    Parser,
    add_columns,
    add_file,
    add_graph,
    add_label,
    add_running,
    add_telling,
    at_least,
    image_shape,
)
from slkmodes.cli.report_file import picture_shape, write_report
from slkmodes.cli.screen import Screen
from slkmodes.cli.whole_folder import SUMMARY, check_not_read, whole_folder
from slkmodes.estimator import LaplacianKModes
from slkmodes.optional import optional
from slkmodes.tables import FORMATS, BadTable, write_table

__all__ = ["HELP", "add_options", "run", "show"]

HELP = "cluster the rows of a file"


def add_options(parser: Parser) -> None:
    """What the command takes."""
    add_file(parser)
    parser.add_argument(
        "-k", "--n-clusters", type=at_least(1), metavar="K", help="how many clusters; suggest-k suggests a number"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help="folder for the results; FILE-clusters if not given"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace the results of an earlier run in DIR")
    add_columns(parser)
    add_label(parser)
    add_graph(parser)
    parser.add_argument(
        "--top-memberships",
        type=at_least(2),
        metavar="N",
        help="keep so many memberships of each row; for very many clusters",
    )
    parser.add_argument("--format", choices=FORMATS, help="of tables; parquet for parquet and feather, else csv")
    switch = argparse.BooleanOptionalAction
    parser.add_argument(
        "--memberships", action=switch, default=True, help="write the membership of every row in every cluster"
    )
    parser.add_argument("--report", action=switch, help="write the report; if not said, where Jinja2 is installed")
    parser.add_argument("--image-shape", type=image_shape, metavar="HxW", help="rows are images: show them as such")
    add_running(parser)
    add_telling(parser)


def run(options: argparse.Namespace, screen: Screen) -> dict[str, Any]:
    """Read, fit, write; the folder appears when everything is in it."""
    if options.n_clusters is None:
        raise UsageError(f"Say how many clusters: -k K. To have a number suggested: slkmodes suggest-k {options.file}")
    folder = options.output or default_folder(options.file)
    seconds: dict[str, float] = {}
    with whole_folder(folder, overwrite=options.overwrite, names=outputs.NAMES) as part:
        check_not_read(folder, options.file)
        with timed(seconds, "read"):
            data = read_data(options, screen)
            classes = read_classes(data.table, options.label)
        if options.n_clusters > data.X.shape[0]:
            raise BadTable(f"-k {options.n_clusters:,} is more than the {data.X.shape[0]:,} rows of {options.file}.")
        # What would fail after the long work shall fail before it.
        check_format(options, data)
        reporting = report_wanted(options, screen)
        shape = picture_shape(options.image_shape, data)
        model = make_model(options, screen)
        with timed(seconds, "fit"), screen.progress.stage("fitting"):
            model.fit_predict(data.X)  # nobody asks about new rows here
        model.set_params(verbose=0)
        with timed(seconds, "write"):
            write_tables(part, model, data, options, screen)
            if reporting:
                texts = read_texts(data.table, options.text)
                write_report(
                    part / outputs.REPORT, model, data, screen, classes=classes, texts=texts, image_shape=shape
                )
        summary = summarise(model, data, classes, options, seconds)
        files = sorted([*(file.name for file in part.iterdir()), SUMMARY])
        summary |= {"output": str(folder), "files": files}
        outputs.write_summary(part, {**summary, "notes": screen.notes})
    return summary


def default_folder(file: Path) -> Path:
    """Beside nothing, in the current folder: data may lie where one cannot write."""
    return Path(f"{file.name.partition('.')[0] or 'data'}-clusters")


def check_format(options: argparse.Namespace, data: Data) -> None:
    """Refuse parquet without the package that writes it."""
    if output_format(options, data.table.path) == "parquet":
        optional("pyarrow", "--format parquet", "tables")


def report_wanted(options: argparse.Namespace, screen: Screen) -> bool:
    """Whether to write a report: as was said, else where it can be written."""
    if options.report is False:
        return False
    try:
        optional("jinja2", outputs.REPORT, "report")
    except ImportError as missing:
        if options.report:
            raise
        screen.note(f"There will be no report: {missing}")
        return False
    return True


def write_tables(folder: Path, model: LaplacianKModes, data: Data, options: argparse.Namespace, screen: Screen) -> None:
    """Labels, memberships, modes and the model."""
    end, n_rows, progress = output_format(options, data.table.path), len(model.labels_), screen.progress
    with progress.stage("writing labels", n_rows):
        outputs.write_labels(folder / f"labels.{end}", model, progress)
    if options.memberships:
        with progress.stage("writing memberships", n_rows):
            blocks = outputs.membership_blocks(model.memberships_, progress)
            write_table(folder / f"memberships.{end}", blocks)
    with progress.stage("writing the modes and the model"):
        outputs.write_modes(folder / f"modes.{end}", model, data)
        outputs.write_model(folder / outputs.MODEL, model, data)


@contextmanager
def timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    """Remember how long the body took."""
    start = time.perf_counter()
    yield
    seconds[name] = time.perf_counter() - start
