"""``slkmodes``: the commands, and what becomes of their errors."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from slkmodes.cli import completion, fit, graph, predict, report, suggest_k
from slkmodes.cli.delegated import DELEGATED
from slkmodes.cli.exit_codes import (
    BAD_DATA,
    FAILED,
    INTERRUPTED,
    MEANINGS,
    MISSING_PACKAGE,
    OK,
    USAGE,
    UsageError,
)
from slkmodes.cli.parser import Parser
from slkmodes.cli.screen import Screen

# Every command is a module with HELP, add_options, run (options -> result) and show (result -> screen).
COMMANDS: dict[str, ModuleType] = {
    "fit": fit,
    "predict": predict,
    "report": report,
    "suggest-k": suggest_k,
    "graph": graph,
}
EXAMPLES = """\
examples:
  slkmodes suggest-k flowers.csv --scale standard
  slkmodes fit flowers.csv -k 3 --scale standard --label species -o flowers
  slkmodes predict flowers more.csv -o more-labels.csv
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; the exit code says how it went.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the name of the program; those of the process if not given.

    Returns
    -------
    int
        See :data:`slkmodes.cli.exit_codes.MEANINGS`.

    Examples
    --------
    >>> main(["graph", "nothing.csv"])
    3
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = dispatch(given)
        sys.stdout.flush()  # here, not when Python ends: a reader may be gone
        return code
    except KeyboardInterrupt:
        print("slkmodes: interrupted; nothing half-written is left.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has seen enough; Python's own last flush shall not complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except (UsageError, ValueError, TypeError, ImportError, MemoryError, OSError) as reason:
        print(f"slkmodes {given[0]}: {explain(reason)}", file=sys.stderr)
        return code_of(reason)


def dispatch(given: list[str]) -> int:
    """Run the command that the first argument names."""
    if given and given[0] in DELEGATED:
        return DELEGATED[given[0]][1](given[1:])
    parser, parsers = build_parser()
    if not given:
        parser.print_help(sys.stderr)
        return USAGE
    options, unknown = parser.parse_known_args(given)
    if unknown:
        (parsers[options.command] or parser).refuse(unknown)
    return run(options)


def run(options: argparse.Namespace) -> int:
    """Run a parsed command and tell its result."""
    command = {**COMMANDS, "completion": completion}[options.command]
    screen = Screen(as_json=getattr(options, "json", False), quiet=getattr(options, "quiet", False))
    with screen.collecting_warnings():
        result = command.run(options, screen)
    command.show(result, screen)
    screen.result(result)
    return OK


def code_of(reason: BaseException) -> int:
    """The exit code of an error."""
    kinds = ((UsageError, USAGE), (ValueError, BAD_DATA), (TypeError, BAD_DATA), (ImportError, MISSING_PACKAGE))
    return next((code for kind, code in kinds if isinstance(reason, kind)), FAILED)


def explain(reason: BaseException) -> str:
    """An error in words; the one without any is the lack of memory."""
    if isinstance(reason, MemoryError):
        return "there is not enough memory. Choose fewer --columns or rows, or --top-memberships for many clusters."
    return str(reason)


def build_parser() -> tuple[Parser, dict[str, Parser | None]]:
    """The parser of everything, and those of the commands by name."""
    codes = "\n".join(f"  {code:>3}  {meaning}" for code, meaning in MEANINGS.items())
    parser = Parser(
        prog="slkmodes",
        description="Laplacian K-modes: exactly K clusters of any shape, and a data point that stands for each.",
        epilog=f"{EXAMPLES}\nexit codes:\n{codes}",
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, max_help_position=16),
    )
    parser.add_argument("--version", action="version", version=f"slkmodes {version()}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    parsers: dict[str, Parser | None] = {}
    for name, module in COMMANDS.items():
        parsers[name] = own = commands.add_parser(name, help=module.HELP, description=f"{module.HELP.capitalize()}.")
        module.add_options(own)
    for name, (about, _) in DELEGATED.items():
        parsers[name] = None
        commands.add_parser(name, help=about, add_help=False)
    parsers["completion"] = shells = commands.add_parser("completion", help=completion.HELP)
    completion.add_options(shells)
    return parser, parsers


def about_commands() -> dict[str, str]:
    """What each command is for."""
    own = {name: str(module.HELP) for name, module in {**COMMANDS, "completion": completion}.items()}
    return own | {name: about for name, (about, _) in DELEGATED.items()}


def version() -> str:
    """Of the package."""
    import slkmodes

    return slkmodes.__version__
