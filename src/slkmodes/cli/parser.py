"""Options that several commands share."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from slkmodes.affinity import WEIGHTS
from slkmodes.cli.exit_codes import USAGE
from slkmodes.distances import METRICS
from slkmodes.engines import ENGINES
from slkmodes.tables import MISSING, READERS, SCALES


class Parser(argparse.ArgumentParser):
    """Remembers its options, since completion is generated from them, and is brief about mistakes."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.arguments: list[argparse.Action] = []
        super().__init__(*args, **{"allow_abbrev": False, **options})

    def add_argument(self, *args: Any, **options: Any) -> argparse.Action:
        """As everywhere, and remembered."""
        action = super().add_argument(*args, **options)
        self.arguments.append(action)
        return action

    def error(self, message: str) -> NoReturn:
        """One line: all options at once help nobody."""
        self.exit(USAGE, f"{self.prog}: {message}. See {self.prog} --help\n")

    def refuse(self, unknown: list[str]) -> NoReturn:
        """Say which option may have been meant."""
        known = [option for action in self.arguments for option in action.option_strings]
        near = get_close_matches(unknown[0].partition("=")[0], known, n=1)
        self.error(f"unrecognized arguments: {' '.join(unknown)}{f'; {near[0]} may be meant' if near else ''}")


def add_file(parser: Parser) -> None:
    """The file of rows, and which array of it."""
    parser.add_argument("file", type=Path, metavar="FILE", help=f"a row per sample: {', '.join(READERS)}")
    parser.add_argument("--array", metavar="NAME", help="which array of an .npz or .h5ad file, as obsm/X_pca")
    parser.add_argument("--transpose", action="store_true", help="samples are the columns of an .npy, .npz or .mtx")


def add_columns(parser: Parser) -> None:
    """Which columns are clustered, and how they are scaled."""
    parser.add_argument(
        "--columns", type=names, metavar="A,B", help="cluster these columns; all with numbers if not given"
    )
    parser.add_argument("--exclude", type=names, metavar="A,B", help="cluster all columns with numbers but these")
    parser.add_argument(
        "--scale", choices=SCALES, default="none",
        help="standard: every column to mean 0 and deviation 1; unit: every row to length 1; default: %(default)s",
    )  # fmt: skip
    parser.add_argument(
        "--missing", choices=MISSING, default="refuse",
        help="empty cells: refuse them, or put in the mean of their column; default: %(default)s",
    )  # fmt: skip


def add_label(parser: Parser) -> None:
    """Columns that are not clustered, but told about."""
    parser.add_argument(
        "--label", metavar="COLUMN", help="known classes: not clustered, only used to score the clusters"
    )
    parser.add_argument("--text", metavar="COLUMN", help="text of every row: not clustered, shown in the report")


def add_graph(parser: Parser) -> None:
    """How the graph is built."""
    parser.add_argument(
        "--metric",
        choices=tuple(METRICS),
        default="euclidean",
        help="distance of rows; default: %(default)s",
    )
    parser.add_argument(
        "--affinity", choices=(*sorted(WEIGHTS), "precomputed"), default="adaptive",
        help="weights of the graph; precomputed: FILE is a matrix of affinities; default: %(default)s",
    )  # fmt: skip
    parser.add_argument(
        "--neighbors", "--n-neighbors", dest="n_neighbors", type=at_least(1), default=5, metavar="N",
        help="neighbours of every sample in the graph; default: %(default)s",
    )  # fmt: skip


def add_running(parser: Parser) -> None:
    """How the work is done."""
    parser.add_argument(
        "--random-state", type=at_least(0), default=0, metavar="N", help="decides the seeds; default: %(default)s"
    )
    parser.add_argument(
        "--jobs", "--n-jobs", dest="n_jobs", type=threads, metavar="N", help="threads; all cores if not given"
    )
    parser.add_argument(
        "--engine", choices=("auto", *sorted(ENGINES)), default="auto", help="of the arithmetic; default: %(default)s"
    )


def add_telling(parser: Parser) -> None:
    """What is printed."""
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")


def names(text: str) -> tuple[str, ...]:
    """Names between commas, as a csv file has them: one with a comma in quotation marks, an empty one as ""."""
    try:
        (fields,) = csv.reader([text or '""'], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        fields = []
    empty_too = not text or '""' in text
    found = [name.strip() for name in fields if name.strip() or empty_too]
    if not found:
        raise argparse.ArgumentTypeError(f"must be names of columns between commas, as width,length; got {text!r}")
    return tuple(dict.fromkeys(found))


def at_least(minimum: int) -> Callable[[str], int]:
    """A whole number that is large enough."""

    def number(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or int(text) < minimum:
            raise argparse.ArgumentTypeError(f"must be a whole number of at least {minimum}, got {text!r}")
        return int(text)

    return number


def threads(text: str) -> int:
    """How many threads: 4, or all but so many as -2."""
    if not text.removeprefix("-").isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"must be a whole number other than 0, got {text!r}")
    return int(text)


def image_shape(text: str) -> tuple[int, ...]:
    """28x28, or 32x32x3."""
    parts = text.lower().split("x")
    if len(parts) not in (2, 3) or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise argparse.ArgumentTypeError(f"must be height x width, as 28x28 or 32x32x3, got {text!r}")
    return tuple(int(part) for part in parts)
