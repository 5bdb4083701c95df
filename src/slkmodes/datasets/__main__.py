"""``slkmodes datasets``: what there is and where; ``... fetch NAME``: download it."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

from slkmodes.datasets import DATA_SETS, DataSet, fetch, locate
from slkmodes.datasets.locate import what_to_do


def describe(data_set: DataSet) -> dict[str, Any]:
    """An entry of the table, with where it is found or what to do."""
    path = locate(DATA_SETS["mnist"] if data_set.origin == "derived" else data_set)
    found = "scikit-learn" if data_set.origin == "bundled" else path and str(path)
    return {**asdict(data_set), "found": found, "to_do": None if found else what_to_do(data_set)}


def show(entries: list[dict[str, Any]]) -> None:
    """One line per data set; those of the paper are marked."""
    print(f"  {'name':<22}{'title':<22}{'samples':>10}{'features':>10}{'clusters':>10}  found at, or what to do")
    for entry in entries:
        print(
            f"{'*' if entry['in_paper'] else ' '} {entry['name']:<22}{entry['title']:<22}{entry['n_samples']:>10,}"
            f"{entry['n_features']:>10,}{entry['n_clusters']:>10}  {entry['found'] or '-> ' + entry['to_do']}"
        )
    print("\n* in table 1 of the paper. SLKMODES_DATA names a folder to look in first, SLKMODES_CACHE the cache.")


def main(arguments: list[str] | None = None) -> None:
    """List the data sets, or fetch some."""
    parser = argparse.ArgumentParser(prog="slkmodes datasets", description=__doc__)
    parser.add_argument("--json", action="store_true", help="the list for programs, with sources and licences")
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("fetch", help="download data sets to the cache").add_argument(
        "names", nargs="+", metavar="NAME"
    )
    options = parser.parse_args(arguments)
    try:
        if options.command == "fetch":
            for name in options.names:
                print(fetch(name))
            return
        entries = [describe(data_set) for data_set in DATA_SETS.values()]
    except (OSError, ValueError, ImportError) as reason:
        sys.exit(f"{parser.prog}: {reason}")
    if options.json:
        print(json.dumps(entries, indent=1))
    else:
        show(entries)


if __name__ == "__main__":
    main()
