"""``slkmodes graph``: build the neighbour graph, say whether it can be trusted, save it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from slkmodes.cli.data import read_data
from slkmodes.cli.exit_codes import UsageError
from slkmodes.cli.model_options import make_model
from slkmodes.cli.parser import Parser, add_columns, add_file, add_graph, add_label, add_running, add_telling
from slkmodes.cli.screen import Screen
from slkmodes.cli.whole_folder import check_not_read
from slkmodes.labelled_graph import connected_parts
from slkmodes.whole_files import whole_or_nothing

HELP = "build the neighbour graph, check and save it"
LARGEST_PARTS = 5


def add_options(parser: Parser) -> None:
    """What the command takes."""
    add_file(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="NPZ",
        help="where to save it, for scipy.sparse.load_npz or fit --affinity precomputed; only checked if not given",
    )  # fmt: skip
    add_columns(parser)
    add_label(parser)
    add_graph(parser)
    add_running(parser)
    add_telling(parser)


def run(options: argparse.Namespace, screen: Screen) -> dict[str, Any]:
    """Read, build, describe, save."""
    if options.output:
        if options.output.suffix != ".npz":
            raise UsageError(f"-o {options.output} must end in .npz.")
        check_not_read(options.output, options.file)
    data = read_data(options, screen)
    with screen.progress.stage("finding neighbours"):
        graph = make_model(options, screen, n_clusters=1)._graph_of(data.X, {})
    affinity = graph.order.restore_graph(graph.affinity)
    if options.output:
        with (
            screen.progress.stage("writing the graph"),
            whole_or_nothing(options.output) as part,
            part.open("wb") as file,
        ):
            sparse.save_npz(file, affinity, compressed=False)
    return {
        "command": "graph",
        "file": str(options.file),
        "neighbor_search": graph.search,
        "neighbor_recall": float(graph.recall),
        "bandwidth": None if graph.bandwidth is None else float(graph.bandwidth),
        **describe(affinity),
        "output": options.output and str(options.output),
    }


def describe(affinity: Any) -> dict[str, Any]:
    """Edges per row, and whether the graph falls apart."""
    degrees = np.diff(affinity.indptr)
    parts = np.sort(np.bincount(connected_parts(affinity)))[::-1]
    return {
        "n_samples": int(affinity.shape[0]),
        "n_edges": int(affinity.nnz),
        "edges_per_sample": {
            "least": int(degrees.min()),
            "median": float(np.median(degrees)),
            "most": int(degrees.max()),
        },
        "n_components": len(parts),
        "largest_components": parts[:LARGEST_PARTS].tolist(),
        "n_isolated": int(np.count_nonzero(degrees == 0)),
    }


def show(result: dict[str, Any], screen: Screen) -> None:
    """For people."""
    edges = result["edges_per_sample"]
    parts = ", ".join(f"{size:,}" for size in result["largest_components"])
    rows = [
        ("rows", f"{result['n_samples']:,}"),
        ("edges per row", f"{edges['least']} to {edges['most']:,}, median {edges['median']:g}"),
        ("connected parts", f"{result['n_components']:,}, the largest of {parts} rows"),
        ("rows without edges", f"{result['n_isolated']:,}"),
        ("neighbours found by", f"{result['neighbor_search']}, {result['neighbor_recall']:.1%} of the true ones"),
    ]
    screen.table(rows + ([("graph in", result["output"])] if result["output"] else []))
