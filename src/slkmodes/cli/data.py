"""The options of a command -> the data they name."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.cli.exit_codes import UsageError
from slkmodes.cli.screen import Screen
from slkmodes.tables import BadTable, Features, Scaling, Table, codes_of, open_table, read_features, transposed
from slkmodes.tables.names import first_few, named_of


@dataclass(frozen=True)
class Data:
    """What is clustered, and what else is known about it."""

    table: Table
    columns: tuple[str, ...]  # none where the file is a graph
    X: Any
    scaling: Scaling

    def shown(self) -> Any:
        """The rows as the file has them; None where it is a graph."""
        if not self.columns:
            return None
        if self.scaling.kind == "none":
            return self.X
        return read_features(self.table, self.columns, missing=self.scaling.missing).X


@dataclass(frozen=True)
class KnownClasses:
    """A class for every row, by number; -1 where it is not known."""

    codes: npt.NDArray[np.int64]
    names: tuple[str, ...]

    def words(self) -> list[str | None]:
        """By name."""
        return [None if code < 0 else self.names[code] for code in self.codes.tolist()]


def open_file(options: Namespace, screen: Screen) -> Table:
    """The table of ``FILE``, and notes about it."""
    table = open_table(options.file, array=options.array)
    for note in table.notes:
        screen.note(note)
    return transposed(table) if options.transpose else table


def read_data(options: Namespace, screen: Screen) -> Data:
    """The features that the options choose; or the graph."""
    if options.columns and options.exclude:
        raise UsageError("Say --columns or --exclude, not both.")
    table = open_file(options, screen)
    if options.affinity == "precomputed":
        if options.columns or options.exclude or (options.scale, options.missing) != ("none", "refuse"):
            raise UsageError(
                "With --affinity precomputed FILE is a graph: leave --columns, --exclude, --scale and --missing out."
            )
        return Data(table, (), table.affinities(), Scaling("none"))
    columns = chosen_columns(table, options, screen)
    features = read_columns(table, columns, options, screen)
    return Data(table, columns, features.X, features.scaling)


def read_columns(table: Table, columns: Sequence[str], options: Namespace, screen: Screen) -> Features:
    """One matrix, with progress."""
    passes = 1 if table.slow else 2
    with screen.progress.stage(f"reading {table.path.name}", table.expected_rows and passes * table.expected_rows):
        how = {"scale": options.scale, "missing": options.missing}
        features = read_features(table, columns, **how, tick=screen.progress.advance)
    for note in features.notes:
        screen.note(note)
    return features


def chosen_columns(table: Table, options: Namespace, screen: Screen) -> tuple[str, ...]:
    """Names of the features; every name that an option gives must be there."""
    aside = [name for name in (getattr(options, "label", None), getattr(options, "text", None)) if name is not None]
    asked = {"--columns": options.columns, "--exclude": options.exclude, "--label or --text": aside}
    for option, names in asked.items():
        check_present(table, option, names or ())
    if options.columns:
        words = [name for name in options.columns if name not in table.features]
        if words:
            raise BadTable(
                f"{table.path}: the columns {named_of(words)} hold no numbers. Leave them out of --columns, or turn "
                "them into numbers first."
            )
        return tuple(options.columns)
    left_out = [*(options.exclude or ()), *aside]
    words = [name for name in table.others if name not in left_out]
    if words and not table.annotated:
        screen.note(f"Columns without numbers are left out: {named_of(words)}.")
    chosen = tuple(name for name in table.features if name not in left_out)
    if not chosen:
        raise BadTable(
            f"{table.path} has no column of numbers to cluster, only {named_of(table.columns)}. Is a comma used as the "
            "decimal point? Write numbers as 1.5."
        )
    return chosen


def check_present(table: Table, option: str, names: Sequence[str]) -> None:
    """Refuse names that the table does not have."""
    present = set(table.columns)
    missing = [name for name in names if name not in present]
    if missing:
        raise BadTable(
            f"{table.path} has no column {first_few([repr(name) for name in missing])}, which {option} names. It has "
            f"{named_of(table.columns)}."
        )


def read_classes(table: Table, column: str | None) -> KnownClasses | None:
    """The known classes; None where no column was named."""
    if column is None:
        return None
    check_present(table, "--label", [column])
    codes, names = codes_of(table.values(column))
    if not names:
        raise BadTable(f"{table.path}: every value of {column!r} is missing. Name another column with --label.")
    return KnownClasses(codes, names)


def read_texts(table: Table, column: str | None) -> list[str] | None:
    """A text per row."""
    if column is None:
        return None
    check_present(table, "--text", [column])
    return ["" if value is None else str(value) for value in table.values(column)]


def output_format(options: Namespace, path: Path) -> str:
    """Csv or parquet: what was asked for, else what is like the input."""
    if options.format:
        return str(options.format)
    return "parquet" if path.suffix.lower() in (".parquet", ".feather") else "csv"
