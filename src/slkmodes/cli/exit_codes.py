"""What the command ends with; scripts may rely on it."""

from __future__ import annotations

OK = 0
FAILED = 1
USAGE = 2
BAD_DATA = 3
MISSING_PACKAGE = 4
INTERRUPTED = 130

MEANINGS = {
    OK: "all went well",
    FAILED: "something failed while running: no space left, no permission, not enough memory",
    USAGE: "the command line makes no sense",
    BAD_DATA: "the data cannot be clustered, or a file cannot be read",
    MISSING_PACKAGE: "a package is missing that this file or command needs",
    INTERRUPTED: "interrupted by Ctrl-C",
}


class UsageError(Exception):
    """A command line that parses, but makes no sense."""
