"""``slkmodes suggest-k``: how many clusters the data have."""

from __future__ import annotations

import argparse
from typing import Any

from slkmodes.cli.data import read_data
from slkmodes.cli.exit_codes import UsageError
from slkmodes.cli.model_options import make_model
from slkmodes.cli.parser import Parser, add_columns, add_file, add_graph, add_label, add_running, add_telling, at_least
from slkmodes.cli.screen import Screen
from slkmodes.model_choice import choose_n_clusters

HELP = "suggest a number of clusters"


def add_options(parser: Parser) -> None:
    """What the command takes."""
    add_file(parser)
    parser.add_argument(
        "--min", type=at_least(1), default=1, metavar="K", help="the fewest to consider; default: %(default)s"
    )
    parser.add_argument(
        "--max", type=at_least(1), default=20, metavar="K", help="the most to consider; default: %(default)s"
    )
    add_columns(parser)
    add_label(parser)
    add_graph(parser)
    add_running(parser)
    add_telling(parser)


def run(options: argparse.Namespace, screen: Screen) -> dict[str, Any]:
    """Read, and ask the graph."""
    if options.min > options.max:
        raise UsageError(f"--min {options.min} must not be more than --max {options.max}.")
    data = read_data(options, screen)
    candidates = range(options.min, options.max + 1)
    with screen.progress.stage(f"clustering the graph into {options.min} to {options.max}"):
        found = choose_n_clusters(data.X, candidates, model=make_model(options, screen))
    return {
        "command": "suggest-k",
        "file": str(options.file),
        "n_clusters": found.n_clusters,
        "as_good": list(found.as_good),
        "stands_out": found.stands_out,
        "candidates": list(found.candidates),
        "scores": [float(score) for score in found.scores],
        "agreements": [float(agreement) for agreement in found.agreements],
    }


def show(result: dict[str, Any], screen: Screen) -> None:
    """A line per candidate, and what follows."""
    lines = zip(result["candidates"], result["scores"], result["agreements"], strict=True)
    marks = dict.fromkeys(result["as_good"], "as good") | {result["n_clusters"]: "<- suggested"}
    rows = [
        (f"{k:>3} clusters", f"score {round(s, 3) + 0.0:6.3f}, agreement {a:.2f}  {marks.get(k, '')}".rstrip())
        for k, s, a in lines
    ]
    if not result["stands_out"]:
        rows.append(("", "No number stands out: the data may well be one cloud."))
    rows.append(("next", f"slkmodes fit {result['file']} -k {result['n_clusters']}, and the same options"))
    screen.table(rows)
