"""Commands that live elsewhere in the package: they parse their own arguments."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from slkmodes.cli.exit_codes import OK, USAGE

BENCHMARKS = ("speed", "scaling")


def run_datasets(arguments: list[str]) -> int:
    """What ``python -m slkmodes.datasets`` does."""
    from slkmodes.datasets.__main__ import main

    main(arguments)
    return OK


def run_demo(arguments: list[str]) -> int:
    """What ``python -m slkmodes.demo`` does."""
    from slkmodes.demo import main

    main(arguments)
    return OK


def run_reproduce(arguments: list[str]) -> int:
    """What ``python -m slkmodes.experiments`` does."""
    from slkmodes.experiments.__main__ import main

    return main(arguments)


def run_bench(arguments: list[str]) -> int:
    """Run a benchmark of the source tree, which is not installed with the package."""
    if arguments[:1] in (["-h"], ["--help"]):
        print(f"usage: slkmodes bench [{'|'.join(BENCHMARKS)}] [options of that benchmark]\n\n{run_bench.__doc__}")
        return OK
    name, *rest = arguments or [BENCHMARKS[0]]
    if name not in BENCHMARKS:
        print(f"slkmodes bench: {name!r} is none of {', '.join(BENCHMARKS)}.", file=sys.stderr)
        return USAGE
    if not (Path("benchmarks") / f"{name}.py").is_file():
        print(
            "slkmodes bench: the benchmarks are in the source tree, not in the installed package. Get the source, go "
            "to its folder and say: slkmodes bench, or make bench",
            file=sys.stderr,
        )
        return USAGE
    return subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *rest], check=False).returncode


DELEGATED: dict[str, tuple[str, Callable[[list[str]], int]]] = {
    "reproduce": ("the paper's tables and figures", run_reproduce),
    "bench": ("measure time and memory", run_bench),
    "datasets": ("list and fetch data sets", run_datasets),
    "demo": ("cluster bundled digits and show what comes out", run_demo),
}
