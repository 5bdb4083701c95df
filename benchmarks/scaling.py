"""How time and memory of a default fit grow with the rows: flights3m up to 3,000,000, and two more large tables.

SLKMODES_DATA=<folder> python -m benchmarks.scaling [--quick]

Columns are scaled, K = 20, every fit is a process of its own. Writes ``benchmark-records/scaling.json`` and a log-log
plot, and prints the exponent of the fitted line.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

RECORDS = Path("benchmark-records")
SIZES = (100_000, 300_000, 1_000_000, 3_000_000)


def fit(name: str, n_rows: int) -> dict[str, Any]:
    from slkmodes import LaplacianKModes
    from slkmodes.datasets import load

    X = np.asarray(load(name).X, dtype=np.float32)
    if n_rows < len(X):
        X = X[np.sort(np.random.default_rng(0).choice(len(X), n_rows, replace=False))]
    spread = X.std(axis=0, dtype=np.float64)
    X = ((X - X.mean(axis=0, dtype=np.float64)) / np.where(spread > 0, spread, 1)).astype(np.float32)
    start = time.perf_counter()
    model = LaplacianKModes(20, random_state=0).fit(X)
    return {
        "data": name,
        "rows": len(X),
        "columns": X.shape[1],
        "seconds": time.perf_counter() - start,
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "stages": model.timings_,
        "status": model.status_.name,
        "search": model.neighbor_search_,
        "init": model.init_,
        "smallest": int(np.bincount(model.labels_, minlength=20).min()),
    }


def in_a_process_of_its_own(name: str, n_rows: int) -> dict[str, Any]:
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.scaling", "--child", name, str(n_rows)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    record: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    stages = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in record["stages"].items())
    print(
        f"{name:<12}{record['rows']:>10} x {record['columns']:<4}{record['seconds']:>8.1f} s ({stages})"
        f"{record['peak_gb']:>7.2f} GiB  {record['status']}, {record['search']}, {record['init']}",
        flush=True,
    )
    return record


def plot(records: list[dict[str, Any]], exponent: float, path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    rows, seconds = (np.array([record[key] for record in records]) for key in ("rows", "seconds"))
    axes.loglog(rows, seconds, "o-", label=f"whole fit of flights: rows$^{{{exponent:.2f}}}$")
    axes.loglog(rows, [record["stages"]["graph"] for record in records], "o:", label="its graph")
    axes.loglog(rows, seconds[0] * rows / rows[0], "--", color="gray", label="linear")
    axes.set(xlabel="rows", ylabel="seconds on two cores")
    axes.set_xticks(rows, [f"{n:,}" for n in rows])
    axes.yaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="no more than 300,000 rows")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(fit(arguments.child[0], int(arguments.child[1]))))
        return
    RECORDS.mkdir(exist_ok=True)
    flights = [in_a_process_of_its_own("flights3m", n) for n in SIZES if not (arguments.quick and n > 300_000)]
    logs = np.log([[record["rows"], record["seconds"]] for record in flights])
    exponent = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])
    print(f"seconds grow like rows ** {exponent:.3f}")
    others = [] if arguments.quick else [in_a_process_of_its_own(name, 10**9) for name in ("kddcup99", "chest_accel")]
    result = {"exponent": exponent, "fits": flights + others}
    (RECORDS / "scaling.json").write_text(json.dumps(result, indent=1) + "\n")
    plot(flights, exponent, RECORDS / "scaling.png")


if __name__ == "__main__":
    main()
