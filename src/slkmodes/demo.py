"""``make demo``: cluster scikit-learn's bundled digits and show what comes out."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from slkmodes import LaplacianKModes, clustering_accuracy, normalized_cut, normalized_mutual_information
from slkmodes.plots import plot_mode_gallery
from slkmodes.report import write_report


def main(arguments: list[str] | None = None) -> None:
    """Fit, print a table, write a picture and a report."""
    parser = argparse.ArgumentParser(prog="slkmodes demo", description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("demo-output"), help="folder for picture and report")
    output: Path = parser.parse_args(arguments).output

    digits = load_digits()
    X, y = digits.data, digits.target
    print(f"Clustering {len(X):,} digit images of 8 x 8 pixels into 10 clusters; the labels are used to score only.\n")
    start = time.perf_counter()
    model = LaplacianKModes(n_clusters=10, random_state=0).fit(X)
    seconds = time.perf_counter() - start

    rows = [
        ("accuracy (ACC)", f"{clustering_accuracy(y, model.labels_):.3f}"),
        ("normalised mutual information (NMI)", f"{normalized_mutual_information(y, model.labels_):.3f}"),
        ("normalised cut of the graph", f"{normalized_cut(model.affinity_, model.labels_):.3f}"),
        ("discrete objective E, eq. (1)", f"{model.discrete_objective_:.1f}"),
        ("relaxed objective R, eq. (2)", f"{model.relaxed_objective_:.1f}"),
        ("mode updates, sweeps", f"{model.n_iter_}, {sum(len(s.relaxed_objectives) for s in model.history_)}"),
        ("ended", str(model.status_)),
        ("cluster sizes", " ".join(map(str, np.bincount(model.labels_, minlength=10)))),
        ("engine, neighbour search", f"{model.engine_}, {model.neighbor_search_}"),
        *((f"time, {stage}", f"{1000 * spent:.0f} ms") for stage, spent in model.timings_.items()),
        ("time, whole fit", f"{1000 * seconds:.0f} ms"),
    ]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"  {name:<{width}}  {value}")

    output.mkdir(parents=True, exist_ok=True)
    picture = output / "digits-modes.png"
    # Rows of the picture in the order of the digits: the only use of the labels beside the scores.
    order = sorted(range(10), key=lambda cluster: int(y[model.mode_indices_[cluster]]))
    plot_mode_gallery(model, digits.images, order=order).savefig(picture, dpi=110)
    report = write_report(
        model, output / "digits-report.html", X, image_shape=(8, 8), labels=y, title="Handwritten digits"
    )
    print(f"\nThe mode of each cluster, its three nearest members and the mean image: {picture}")
    print(f"All of it to look around in, in a browser: {report}")
    print(f"\nYour own table is next: {command()} suggest-k rows.csv")


def command() -> str:
    """How to call the command line from here: its name, or where it is while its environment is not active."""
    if shutil.which("slkmodes"):
        return "slkmodes"
    return os.path.relpath(Path(sys.executable).with_name("slkmodes"))


if __name__ == "__main__":
    main()
