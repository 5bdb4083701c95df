"""``slkmodes predict``: the clusters of new rows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from slkmodes.cli import outputs
from slkmodes.cli.data import check_present, open_file
from slkmodes.cli.exit_codes import UsageError
from slkmodes.cli.fitted_model import FittedModel, open_model
from slkmodes.cli.parser import Parser, add_file, add_telling, threads
from slkmodes.cli.screen import Screen
from slkmodes.cli.whole_folder import check_not_read
from slkmodes.tables import BadTable, Table, write_table
from slkmodes.tables.features import check_range
from slkmodes.tables.names import named_of
from slkmodes.tables.writing import Block, write_lines

HELP = "the clusters of new rows, from a model that fit wrote"


def add_options(parser: Parser) -> None:
    """What the command takes."""
    parser.add_argument("model", type=Path, metavar="MODEL", help="model.npz of a fit, or the folder it is in")
    add_file(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="TABLE", help=".csv or .parquet; printed as csv if not given"
    )
    parser.add_argument("--memberships", action="store_true", help="all memberships instead of label and confidence")
    parser.add_argument(
        "--jobs", "--n-jobs", dest="n_jobs", type=threads, metavar="N", help="threads; all cores if not given"
    )
    add_telling(parser)


def run(options: argparse.Namespace, screen: Screen) -> dict[str, Any]:
    """Predict block by block: the file may be larger than memory."""
    if options.output and options.output.suffix not in (".csv", ".parquet"):
        raise UsageError(f"-o {options.output} must end in .csv or .parquet.")
    if options.quiet and not options.output:
        raise UsageError("With --quiet say where to write: -o TABLE.")
    if options.output:
        check_not_read(options.output, options.file)
    fitted = open_model(options.model)
    fitted.model.set_params(n_jobs=options.n_jobs)
    table = open_file(options, screen)
    counts = np.zeros(fitted.model.n_clusters, dtype=np.int64)
    kept: list[Block] = []
    on_screen = not options.output and sys.stdout.isatty()  # where rows and progress would mix
    with nullcontext() if on_screen else screen.progress.stage(f"predicting {table.path.name}", table.expected_rows):
        found = predicted(fitted, table, counts, screen, memberships=options.memberships)
        if options.output:
            write_table(options.output, found)
        elif options.json:
            kept = list(found)
        else:
            write_lines(sys.stdout, found)
    result = {
        "command": "predict",
        "model": str(options.model),
        "file": str(options.file),
        "n_samples": int(counts.sum()),
        "cluster_sizes": counts.tolist(),
        "output": options.output and str(options.output),
    }
    joined = {name: np.concatenate([block[name] for block in kept]).tolist() for name in (kept[0] if kept else ())}
    return result if options.output else {**result, "rows": joined}


def predicted(fitted: FittedModel, table: Table, counts: Any, screen: Screen, *, memberships: bool) -> Iterator[Block]:
    """Blocks of the table that is written."""
    first = 0
    for X in new_rows(fitted, table):
        labels, shares = fitted.assign(X)
        counts += np.bincount(labels, minlength=len(counts))
        if memberships:
            yield from outputs.membership_blocks(shares, screen.progress, first)
        else:
            yield from outputs.label_blocks(labels, shares, screen.progress, first)
        first += X.shape[0]


def new_rows(fitted: FittedModel, table: Table) -> Iterator[Any]:
    """What the model is to see, block by block."""
    if not fitted.columns:
        yield sparse.csr_array(table.affinities())
        return
    check_present(table, "the model", fitted.columns)
    numeric = set(table.features)
    words = [name for name in fitted.columns if name not in numeric]
    if words:
        raise BadTable(f"{table.path}: the columns {named_of(words)} hold no numbers, but the model needs them.")
    first = 0
    for block in table.numbers(fitted.columns):
        bad = np.argwhere(np.isinf(block) if fitted.scaling.fill else ~np.isfinite(block))
        if len(bad):
            row, column = bad[0]
            raise BadTable(
                f"{table.path}: row {first + row} (rows count from 0) has no finite number in "
                f"{fitted.columns[column]!r}. Fill it in, or drop the row; a model fitted with --missing mean fills "
                "empty cells itself."
            )
        check_range(table, fitted.columns, block, first)
        first += len(block)
        yield fitted.scaling(block)


def show(result: dict[str, Any], screen: Screen) -> None:
    """Where the table is; a table that was printed says everything."""
    if result["output"]:
        screen.table([("rows", f"{result['n_samples']:,}"), ("clusters in", result["output"])])
