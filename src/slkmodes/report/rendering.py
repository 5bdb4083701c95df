"""The collected dict -> one HTML file that needs nothing else."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from slkmodes.report.charts import bar_chart, line_chart
from slkmodes.report.collecting import collect, shown_rows
from slkmodes.report.numbers import line_of_values, number, percent
from slkmodes.report.palette import palette, ramp
from slkmodes.whole_files import whole_or_nothing

TEMPLATES = files("slkmodes.report") / "templates"
SCRIPTS = ("points.js", "details.js", "map.js", "page.js")
N_SHADES = 16
# Beyond these colours repeat: nobody tells so many apart.
MOST_COLOURS = 300
# What would end a script element, or a line of JavaScript, inside JSON.
ESCAPED = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
PATH_PANELS = {
    "certainty": "Mean largest membership",
    "changed": "Share of labels changed",
    "normalized_cut": "Normalised cut",
    "relaxed_objective": "Relaxed objective R",
}


def write_report(model: Any, path: str | Path, X: Any = None, **options: Any) -> Path:
    """Write the report of a fitted model: one HTML file, whole or not at all.

    Parameters
    ----------
    model : LaplacianKModes
        Fitted.
    path : str or Path
        Where to write; an existing file is replaced, missing folders are made.
    X, **options
        As in :func:`slkmodes.report.collect`.

    Returns
    -------
    Path
        Where the report is.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from slkmodes import LaplacianKModes
    >>> from slkmodes.report import write_report
    >>> wine = load_wine()
    >>> model = LaplacianKModes(n_clusters=3, random_state=0).fit(scale(wine.data))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_report(model, f"{folder}/wine.html", wine.data, feature_names=wine.feature_names)
    ...     path.name
    'wine.html'
    """
    path = Path(path)
    html = render(collect(model, X, **options))
    with whole_or_nothing(path) as part:
        part.write_bytes(html.encode("utf-8", "replace"))
    return path


def render(collected: dict[str, Any]) -> str:
    """The report as HTML: style, script and data inside, nothing loaded from anywhere.

    Parameters
    ----------
    collected : dict
        From :func:`slkmodes.report.collect`.

    Returns
    -------
    str
        A whole HTML document.
    """
    environment = _environment()
    from markupsafe import Markup  # what escapes for Jinja2

    groups = max(len(collected["clusters"]), len(collected["map"]["class_names"] or []))
    colours = palette(min(groups, MOST_COLOURS))
    style = _read("report.css") + _colour_rules(colours)
    script = "'use strict';\n" + "\n".join(map(_read, SCRIPTS))
    html = environment.get_template("report.html").render(
        report=collected,
        charts=_charts(collected),
        n_colours=len(colours),
        style=Markup(style),
        style_hash=_hash(style),
        script=Markup(script),
        script_hash=_hash(script),
        data=Markup(_script_data(collected, colours)),
    )
    return str(html)


def _environment() -> Any:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise ImportError("The report needs Jinja2: pip install 'slkmodes[report]'.") from error
    environment = Environment(
        loader=PackageLoader("slkmodes.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "count": "{:,}".format,
        "number": number,
        "percent": percent,
        "line_of_values": line_of_values,
        "breakable": _breakable,
    }
    return environment


def _breakable(name: str) -> Any:
    """A long name may go on in the next line after its dots and the like."""
    from markupsafe import Markup

    return Markup("<wbr>").join(re.split(r"(?<=[._/-])(?=.)", str(name)))


def _charts(collected: dict[str, Any]) -> dict[str, Any]:
    """Every chart as positions."""
    path, course = collected["path"], collected["convergence"]
    weights = [point["weight"] for point in path]
    updates = range(1, len(course["largest_shifts"]) + 1)
    sizes = sorted((cluster["size"] for cluster in collected["clusters"]), reverse=True)
    edges, confidence = collected["graph"]["edge_histogram"], collected["confidence"]
    return {
        "sizes": bar_chart([rank + 0.5 for rank in range(len(sizes) + 1)], sizes, whole=True),
        "confidence": bar_chart(confidence["edges"], confidence["counts"], logarithmic=True),
        "edges": bar_chart([edge - 0.5 for edge in edges["edges"]], edges["counts"], whole=True, logarithmic=True),
        "path": [
            {"title": title, **line_chart(weights, [point[name] for point in path])}
            for name, title in PATH_PANELS.items()
        ],
        "objectives": line_chart(
            course["sweeps"], course["relaxed_objectives"], whole=True, marks=course["updates"][:-1]
        ),
        "shifts": line_chart(updates, course["largest_shifts"], whole=True),
    }


def _script_data(collected: dict[str, Any], colours: list[tuple[str, str]]) -> str:
    """What the script needs, as JSON that cannot end its element."""
    points = collected["map"]
    shown = shown_rows(collected["clusters"], collected["boundaries"]) if collected["kind"] == "images" else []
    in_page = set(map(str, shown))
    return json.dumps(
        {
            "kind": collected["kind"],
            "colours": colours,
            "shades": ramp(N_SHADES),
            "class_names": points["class_names"],
            "modes": [cluster["mode"] for cluster in collected["clusters"]],
            # Pictures that the page shows anyway are found there.
            "samples": {row: about for row, about in collected["samples"].items() if row not in in_page},
            "rows": _packed(points["rows"], "<u4") if len(points["rows"]) < points["n_samples"] else None,
            "x": _packed(points["x"], "<u2"),
            "y": _packed(points["y"], "<u2"),
            "clusters": _packed(points["clusters"], "<u2"),
            "seconds": _packed(points["seconds"], "<u2"),
            "confidences": _packed(points["confidences"], "u1"),
            "others": _packed(points["others"], "u1"),
            "classes": None if points["classes"] is None else _packed(points["classes"], "<u2"),
        },
        ensure_ascii=False,
        separators=(",", ":"),
        allow_nan=False,
    ).translate(ESCAPED)


def _packed(numbers: list[int], dtype: str) -> str:
    """Numbers as base64 of little-endian bytes; -1, which means none, becomes the largest."""
    return b64encode(np.array(numbers, dtype=np.int64).astype(dtype).tobytes()).decode()


def _colour_rules(colours: list[tuple[str, str]]) -> str:
    """A class per colour: the policy forbids styles in elements."""
    groups = [f".group-{i} {{ --group: light-dark({', '.join(pair)}); }}" for i, pair in enumerate(colours)]
    shades = ", ".join(f"light-dark({', '.join(pair)})" for pair in ramp(N_SHADES))
    return "\n".join([*groups, f".ramp {{ background: linear-gradient(to right, {shades}); }}"]) + "\n"


def _read(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """As a content security policy names an inline element."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
