"""``slkmodes completion``: a script that lets a shell complete commands and options."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from slkmodes.cli.parser import Parser
from slkmodes.cli.screen import Screen

HELP = "print a completion script for a shell"
SHELLS = ("bash", "zsh", "fish")
INSTALL = {
    "bash": "slkmodes completion bash > ~/.local/share/bash-completion/completions/slkmodes",
    "zsh": "slkmodes completion zsh > a folder of $fpath, as _slkmodes",
    "fish": "slkmodes completion fish > ~/.config/fish/completions/slkmodes.fish",
}


def add_options(parser: Parser) -> None:
    """What the command takes."""
    parser.add_argument("shell", choices=SHELLS, help="; ".join(f"{shell}: {how}" for shell, how in INSTALL.items()))


def script(shell: str, parsers: Mapping[str, Parser | None], about: Mapping[str, str]) -> str:
    """The script, from the options of every command; None for one that parses its own."""
    options = {name: list(parser.arguments) if parser else [] for name, parser in parsers.items()}
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](options, about)


def _flags(actions: list[argparse.Action]) -> list[str]:
    return [flag for action in actions for flag in action.option_strings]


def _choices(actions: list[argparse.Action]) -> dict[str, str]:
    """Flags (joined by |, as shells want them) -> the words they take."""
    chosen = [action for action in actions if action.choices]
    return {"|".join(action.option_strings): " ".join(map(str, action.choices or ())) for action in chosen}


def _bash(options: Mapping[str, list[argparse.Action]], about: Mapping[str, str]) -> str:
    lines = ["_slkmodes() {", '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""']
    lines += ["  COMPREPLY=()", '  if [ "$COMP_CWORD" -eq 1 ]; then', f'    words="{" ".join(options)}"', "  else"]
    lines += ['    case "${COMP_WORDS[1]}" in']
    for name, actions in options.items():
        lines += [f"      {name})", '        case "$before" in']
        lines += [f'          {flags}) words="{words}" ;;' for flags, words in _choices(actions).items() if flags]
        free = "".join(f"{words} " for flags, words in _choices(actions).items() if not flags)
        lines += [f'          *) words="{free}{" ".join(_flags(actions))}" ;;', "        esac ;;"]
    lines += ["    esac", "  fi", '  COMPREPLY=($(compgen -W "$words" -- "$word"))']
    lines += ['  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$word"))', "}"]
    return "\n".join([*lines, "complete -o filenames -F _slkmodes slkmodes", ""])


def _zsh(options: Mapping[str, list[argparse.Action]], about: Mapping[str, str]) -> str:
    lines = ["#compdef slkmodes", "_slkmodes() {", "  if (( CURRENT == 2 )); then"]
    described = " ".join(f"'{name}:{_quoted(about[name])}'" for name in options)
    lines += [f"    local -a commands=({described})", "    _describe command commands", "    return", "  fi"]
    lines += ['  local command="$words[2]"', "  shift words; (( CURRENT-- ))", '  case "$command" in']
    for name, actions in options.items():
        specs = [_zsh_spec(flag, action) for action in actions for flag in action.option_strings]
        free = [f"'*:word:({' '.join(map(str, a.choices))})'" for a in actions if a.choices and not a.option_strings]
        words = " ".join([*specs, *(free or ["'*:file:_files'"])])
        lines.append(f"    {name}) _arguments {words} ;;")
    return "\n".join([*lines, "  esac", "}", '_slkmodes "$@"', ""])


def _zsh_spec(flag: str, action: argparse.Action) -> str:
    words = f"({' '.join(map(str, action.choices))})" if action.choices else "_files"
    value = "" if action.nargs == 0 else f":value:{words}"
    return f"'{flag}[{_quoted(_help(action))}]{value}'"


def _fish(options: Mapping[str, list[argparse.Action]], about: Mapping[str, str]) -> str:
    lines = [
        f"complete -c slkmodes -n __fish_use_subcommand -f -a {name} -d '{_quoted(about[name])}'" for name in options
    ]
    for name, actions in options.items():
        seen = f"complete -c slkmodes -n '__fish_seen_subcommand_from {name}'"
        for action in actions:
            words = f" -x -a '{' '.join(map(str, action.choices))}'" if action.choices else ""
            needs = " -r" if action.nargs != 0 and not action.choices else ""
            if not action.option_strings:
                lines += [f"{seen}{words.replace(' -x', ' -f')}"] if words else []
            for flag in action.option_strings:
                form = f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
                lines.append(f"{seen} {form}{words}{needs} -d '{_quoted(_help(action))}'")
    return "\n".join([*lines, ""])


def _help(action: argparse.Action) -> str:
    return (action.help or "").partition(";")[0].replace("%(default)s", str(action.default))


def _quoted(text: str) -> str:
    """Without what a shell, or zsh's own syntax, would take for more than text."""
    return "".join(" " if sign in "'[]:\\`$\"" else sign for sign in text)


def run(options: argparse.Namespace, screen: Screen) -> dict[str, Any]:
    """Print the script of the whole command line."""
    from slkmodes.cli.main import about_commands, build_parser

    print(script(options.shell, build_parser()[1], about_commands()), end="")
    return {}


def show(result: dict[str, Any], screen: Screen) -> None:
    """It was printed."""
