"""The command line: parse, call the library, print. No arithmetic happens here."""

from slkmodes.cli.main import main

__all__ = ["main"]
