"""Which label-free judge of a run predicts its accuracy? Rank correlations over runs from different starts.

SLKMODES_DATA=<folder> python -m benchmarks.judges [--data digits USPS] [--runs 10]

Two families of runs on every data set: from k-means++ seeds, and from single clusterings of the graph (the ones that
``init="graph"`` combines). All judges are turned so that higher should be better.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from benchmarks.names import COMPARED
from slkmodes import (
    LaplacianKModes,
    adjusted_rand_index,
    clustering_accuracy,
    normalized_cut,
    normalized_mutual_information,
)
from slkmodes.contraction import description_cost
from slkmodes.datasets import prepare


def agreement(model: Any, models: list[Any]) -> float:
    """Mean adjusted Rand index with the other runs."""
    return float(np.mean([adjusted_rand_index(model.labels_, other.labels_) for other in models if other is not model]))


def evenness(model: Any) -> float:
    """Entropy of the sizes."""
    share = np.bincount(model.labels_) / len(model.labels_)
    return float(-np.sum(share * np.log(np.maximum(share, 1e-300))))


JUDGES: dict[str, Callable[[Any, list[Any]], float]] = {
    "description": lambda model, _: -description_cost(model.affinity_, model.labels_),
    "normalised cut": lambda model, _: -normalized_cut(model.affinity_, model.labels_),
    "agreement": agreement,
    "objective E": lambda model, _: -model.discrete_objective_ / model.laplacian_weight_,
    "evenness": lambda model, _: evenness(model),
}
FAMILIES = {
    "k-means++": {"init": "k-means++", "n_init": 1},
    "graph": {"init": "graph", "n_init": 1},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", choices=COMPARED, default=COMPARED)
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'':<18}{'runs':<11}{'ACC mean':>9}{'best':>7}" + "".join(f"{name:>22}" for name in JUDGES))
    print(f"{'':<18}{'':<11}{'':>9}{'':>7}" + f"{'rho  chosen ACC/NMI':>22}" * len(JUDGES), flush=True)
    table: dict[str, list[float]] = {name: [] for name in JUDGES}
    for name in options.data:
        X, y = prepare(name)
        for family, parameters in FAMILIES.items():
            models = [
                LaplacianKModes(len(np.unique(y)), random_state=seed, **parameters).fit(X)
                for seed in range(options.runs)
            ]
            acc = np.array([clustering_accuracy(y, model.labels_) for model in models])
            cells = ""
            for judge, worth in JUDGES.items():
                values = [worth(model, models) for model in models]
                rho = spearmanr(values, acc)[0] if np.ptp(values) and np.ptp(acc) else np.nan
                chosen = models[int(np.argmax(values))]
                nmi = normalized_mutual_information(y, chosen.labels_)
                cells += f"{rho:>8.2f}  {acc[int(np.argmax(values))]:.3f}/{nmi:.3f}"
                table[judge].append(rho)
            print(f"{name:<18}{family:<11}{acc.mean():>9.3f}{acc.max():>7.3f}{cells}", flush=True)
    means = "".join(f"{np.nanmean(values):>8.2f}{'':>14}" for values in table.values())
    print(f"{'mean correlation':<45}{means}")


if __name__ == "__main__":
    main()
