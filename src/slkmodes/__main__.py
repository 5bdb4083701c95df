"""``python -m slkmodes``: the same as ``slkmodes``."""

import sys

from slkmodes.cli import main

if __name__ == "__main__":
    sys.exit(main())
