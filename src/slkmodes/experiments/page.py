"""The records as a page: every number of the paper, ours beside it, the difference, and the reason where known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from slkmodes.experiments.methods import METHODS
from slkmodes.experiments.optimisation import FAIR_RESIDUAL, TABLE_WEIGHT
from slkmodes.experiments.paper import COLUMNS, SMALL_COLUMNS, TABLE_1, TABLE_2, TABLE_3
from slkmodes.experiments.records import Record

# The paper's protocol with something changed, and whose numbers in the paper a row of ours stands beside.
VARIANTS = {" symmetric": "on symmetric edges", " many seeds": "from many seeds"}
OURS_BESIDE = {"defaults": "SLK-BO"} | {slk + variant: slk for slk in ("SLK-MS", "SLK-BO") for variant in VARIANTS}


def table_1(records: Iterable[Record]) -> str:
    """What the data are."""
    found = {record["data"]: record for record in records if record["experiment"] == "table1" and "error" not in record}
    rows = []
    for name in SMALL_COLUMNS:
        paper = TABLE_1.get(name)
        theirs = (
            "-" if paper is None else f"{paper[0]:,} x {paper[1]:,}, {paper[2]} clusters, imbalance {paper[3]:,.0f}"
        )
        record = found.get(name)
        ours = (
            "not run"
            if record is None
            else (
                f"{record['n_samples']:,} x {record['n_features']:,}, {record['n_clusters']} clusters, "
                f"imbalance {record['imbalance']:,.1f}"
            )
        )
        rows.append([name, theirs, ours])
    return markdown(["data", "paper", "here"], rows)


def table_2(records: Iterable[Record], columns: Sequence[str]) -> str:
    """NMI / ACC of every method; the paper's number in brackets, a missing run said as such."""
    runs = _by_cell(records, "table2")
    header = ["NMI / ACC, in brackets the paper's", *columns]
    return markdown(header, [[name, *(_score(runs, name, column) for column in columns)] for name in METHODS])


def table_2_seconds(records: Iterable[Record], columns: Sequence[str]) -> str:
    """Seconds, graph included, the choice of weight and seed not; and as multiples of SLK-BO's, here and there."""
    runs = _by_cell(records, "table2")
    header = ["seconds (times SLK-BO's; in the paper)", *columns]
    return markdown(header, [[name, *(_seconds(runs, name, column) for column in columns)] for name in METHODS])


def differences(records: Iterable[Record]) -> str:
    """Every number of the paper's SLK rows, ours by its protocol and by defaults, and the differences."""
    runs = _by_cell(records, "table2")
    rows = []
    for column, place in COLUMNS.items():
        for method in ("SLK-MS", "SLK-BO"):
            if place.paper is None:
                continue
            paper = TABLE_2[method][place.paper]
            cells = [column, method, f"{paper.nmi:.2f} / {paper.acc:.2f}"]
            for name in (method, *(method + variant for variant in VARIANTS), "defaults"):
                found = runs.get((name, column))
                cells.append("not run" if found is None else _difference(found, paper.nmi, paper.acc))
            rows.append(cells)
    return markdown(["data", "method", "paper", "its protocol, here", *VARIANTS.values(), "defaults, no labels"], rows)


def table_3(records: Iterable[Record]) -> str:
    """E at convergence at one weight, the mean over trials."""
    runs = [record for record in records if record["experiment"] == "table3" and "error" not in record]
    rows = []
    for name in SMALL_COLUMNS:
        here = {
            method: {
                r["trial"]: r for r in runs if (r["data"], r["method"], r["weight"]) == (name, method, TABLE_WEIGHT)
            }
            for method in ("LK", "SLK-MS")
        }
        trials = sorted(here["LK"].keys() & here["SLK-MS"].keys())
        if not trials:
            continue
        pairs = [(here["LK"][trial], here["SLK-MS"][trial]) for trial in trials]
        lk, slk = (float(np.mean([pair[i]["objective"] for pair in pairs])) for i in (0, 1))
        worst = max(pair[0]["kkt_residual"] for pair in pairs)
        lower = sum(pair[1]["objective"] <= pair[0]["objective"] for pair in pairs)
        paper = TABLE_3.get(SMALL_COLUMNS[name].paper or name)
        rows.append(
            [
                name,
                "-" if paper is None else f"{paper[0]:,.1f} / {paper[1]:,.1f}",
                f"{lk:,.1f}",
                f"{slk:,.1f}",
                f"{lower} of {len(pairs)}",
                f"{worst:.0e}{'' if worst <= FAIR_RESIDUAL else ' (not optimal)'}",
            ]
        )
    return markdown(["data", "paper, LK / SLK-MS", "LK", "SLK-MS", "SLK-MS lower", "largest KKT residual of LK"], rows)


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _by_cell(records: Iterable[Record], experiment: str) -> dict[tuple[str, str], list[Record]]:
    found: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        if record["experiment"] == experiment and "error" not in record:
            found.setdefault((record["method"], record["data"]), []).append(record)
    return found


def _paper(method: str, column: str) -> Any:
    return TABLE_2.get(OURS_BESIDE.get(method, method), {}).get(COLUMNS[column].paper or "")


def _score(runs: dict[tuple[str, str], list[Record]], method: str, column: str) -> str:
    paper, found = _paper(method, column), runs.get((method, column))
    beside = f" ({paper.nmi:.2f} / {paper.acc:.2f})" if paper else ""
    if found is None:
        return f"not run{beside}"
    nmi, acc = (np.array([record[name] for record in found]) for name in ("nmi", "acc"))
    spread = f" ± {nmi.std():.2f} / {acc.std():.2f}" if len(found) > 1 else ""
    return f"**{nmi.mean():.2f} / {acc.mean():.2f}**{spread}, {len(found)} run{'s' if len(found) > 1 else ''}{beside}"


def _time(records: list[Record]) -> float:
    """Of the fastest run, as others may have shared the machine; of those on the smallest machine used."""
    cores = min(record["machine"]["cores"] for record in records)
    alike = [record for record in records if record["machine"]["cores"] == cores]
    return min(sum(s for stage, s in record["seconds"].items() if stage != "choice") for record in alike)


def _seconds(runs: dict[tuple[str, str], list[Record]], method: str, column: str) -> str:
    found, ours = runs.get((method, column)), runs.get(("SLK-BO", column))
    if found is None:
        return "not run"
    times = "" if ours is None else f"x {_time(found) / _time(ours):.1f}"
    paper, reference = _paper(method, column), _paper("SLK-BO", column)
    if paper and method not in OURS_BESIDE:
        times += f"; paper x {paper.seconds / reference.seconds:.1f}"
    return f"{_time(found):.1f} ({times})" if times else f"{_time(found):.1f}"


def _difference(found: list[Record], nmi: float, acc: float) -> str:
    ours_nmi, ours_acc = (float(np.mean([record[name] for record in found])) for name in ("nmi", "acc"))
    return f"{ours_nmi:.2f} / {ours_acc:.2f} ({ours_nmi - nmi:+.2f} / {ours_acc - acc:+.2f})"
