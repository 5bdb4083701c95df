"""A report of a fitted model: one HTML file that needs no network, to look at, click through and send on.

``collect`` gathers what there is to say into a plain dict, ``render`` turns the dict into HTML, ``write_report`` does
both and writes the file.
"""

from slkmodes.report.collecting import collect
from slkmodes.report.rendering import render, write_report

__all__ = ["collect", "render", "write_report"]
