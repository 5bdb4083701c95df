"""What a fit found, in numbers for programs and in words for people."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from slkmodes.cli.data import Data, KnownClasses
from slkmodes.cli.screen import Screen
from slkmodes.estimator import LaplacianKModes
from slkmodes.metrics import adjusted_rand_index, clustering_accuracy, normalized_mutual_information

MOST_SHOWN = 20


def summarise(
    model: LaplacianKModes,
    data: Data,
    classes: KnownClasses | None,
    options: argparse.Namespace,
    seconds: dict[str, float],
) -> dict[str, Any]:
    """What is printed for programs, and kept beside the results."""
    import slkmodes

    largest = model.memberships_.max(axis=1)
    return {
        "command": "fit",
        "slkmodes_version": slkmodes.__version__,
        "file": os.path.abspath(options.file),
        "array": options.array,
        "transpose": options.transpose,
        "label": options.label,
        "text": options.text,
        "image_shape": options.image_shape,
        "affinity": options.affinity,
        "n_samples": len(model.labels_),
        "columns": list(data.columns),
        "scale": data.scaling.kind,
        "missing": data.scaling.missing,
        "n_clusters": model.n_clusters,
        "cluster_sizes": np.bincount(model.labels_, minlength=model.n_clusters).tolist(),
        "mode_rows": model.mode_indices_.tolist(),
        "mean_confidence": float(largest.mean()),
        "status": model.status_.name,
        "laplacian_weight": float(model.laplacian_weight_),
        "neighbor_search": model.neighbor_search_,
        "neighbor_recall": float(model.neighbor_recall_),
        "engine": model.engine_,
        "scores": None if classes is None else score(model.labels_, classes.codes),
        "seconds": {name: round(spent, 3) for name, spent in {**seconds, **model.timings_}.items()},
        "peak_memory_mib": peak_memory(),
    }


def score(found: Any, codes: Any) -> dict[str, float]:
    """How far the clusters are the known classes, where these are known."""
    known = codes >= 0
    return {
        "accuracy": clustering_accuracy(codes[known], found[known]),
        "normalized_mutual_information": normalized_mutual_information(codes[known], found[known]),
        "adjusted_rand_index": adjusted_rand_index(codes[known], found[known]),
        "n_labelled": int(known.sum()),
    }


def show(result: dict[str, Any], screen: Screen) -> None:
    """For people."""
    sizes = sorted(result["cluster_sizes"], reverse=True)
    some = f", the {MOST_SHOWN} largest" if len(sizes) > MOST_SHOWN else ","
    seconds, scores = result["seconds"], result["scores"]
    shape = f"{result['n_samples']:,} rows" + (f", {len(result['columns']):,} columns" if result["columns"] else "")
    rows = [
        ("data", f"{shape} of {Path(result['file']).name}"),
        (
            "clusters",
            f"{result['n_clusters']:,}{some} of {', '.join(f'{size:,}' for size in sizes[:MOST_SHOWN])} rows",
        ),
        ("confidence", f"{result['mean_confidence']:.3f} on average"),
    ]
    if scores:
        rows.append(
            (
                "scores",
                f"accuracy {scores['accuracy']:.3f}, NMI {scores['normalized_mutual_information']:.3f}, "
                f"ARI {scores['adjusted_rand_index']:.3f} on {scores['n_labelled']:,} labelled rows",
            )
        )
    memory = f", {result['peak_memory_mib']:,.0f} MiB at most" if result["peak_memory_mib"] else ""
    rows.append(("time", ", ".join(f"{name} {seconds[name]:.1f} s" for name in ("read", "fit", "write")) + memory))
    rows += [
        ("results in" if i == 0 else "", str(Path(result["output"]) / name)) for i, name in enumerate(result["files"])
    ]
    screen.table(rows)


def peak_memory() -> float | None:
    """MiB that the process held at most; None where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
