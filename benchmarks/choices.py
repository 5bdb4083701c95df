"""Every way to start, to weigh and to symmetrise the graph, beside the defaults: one choice changed at a time.

SLKMODES_DATA=<folder> python -m benchmarks.choices [--data digits USPS] [--seeds 5]
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np

from benchmarks.names import COMPARED
from slkmodes import LaplacianKModes, clustering_accuracy, normalized_mutual_information
from slkmodes.datasets import prepare

CHOICES: dict[str, dict[str, Any]] = {
    "defaults": {},
    'init="graph"': {"init": "graph"},
    'init="graph", n_init=1': {"init": "graph", "n_init": 1},
    'init="smoothed_features"': {"init": "smoothed_features"},
    'init="density_peaks"': {"init": "density_peaks"},
    'init="k-means++"': {"init": "k-means++"},
    'init="k-means"': {"init": "k-means"},
    'init="random"': {"init": "random"},
    'symmetrize="union"': {"symmetrize": "union"},
    'symmetrize="mutual"': {"symmetrize": "mutual"},
    'affinity="binary"': {"affinity": "binary"},
    'affinity="gaussian"': {"affinity": "gaussian"},
    'affinity="local"': {"affinity": "local"},
    'affinity="shared"': {"affinity": "shared"},
    'affinity="shared", 15 neighbours': {"affinity": "shared", "n_neighbors": 15},
    "10 neighbours": {"n_neighbors": 10},
    "balance=0": {"balance": 0.0},
    "balance=1": {"balance": 1.0},
    "laplacian_weight=1.5": {"laplacian_weight": 1.5},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", choices=COMPARED, default=COMPARED)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    pairs = {name: prepare(name) for name in options.data}
    print("| accuracy / NMI | " + " | ".join(pairs) + " | mean |\n" + "|---" * (len(pairs) + 2) + "|")
    for choice, parameters in CHOICES.items():
        cells = []
        for X, y in pairs.values():
            fits = [
                LaplacianKModes(len(np.unique(y)), random_state=seed, **parameters).fit(X).labels_
                for seed in range(options.seeds)
            ]
            scores = [(clustering_accuracy(y, labels), normalized_mutual_information(y, labels)) for labels in fits]
            cells.append(np.mean(scores, axis=0))
        cells.append(np.mean(cells, axis=0))
        print(f"| `{choice}` | " + " | ".join(f"{acc:.3f} / {nmi:.3f}" for acc, nmi in cells) + " |", flush=True)


if __name__ == "__main__":
    main()
