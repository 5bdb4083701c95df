"""scikit-learn's digits: this library beside the clusterings of scikit-learn, ten seeds each.

python -m benchmarks.digits
"""

from __future__ import annotations

import time
import warnings

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans, SpectralClustering
from sklearn.datasets import load_digits

from slkmodes import LaplacianKModes, clustering_accuracy, normalized_mutual_information

METHODS = {
    "LaplacianKModes()": lambda seed: LaplacianKModes(10, random_state=seed),
    "..., init='k-means++'": lambda seed: LaplacianKModes(10, init="k-means++", random_state=seed),
    "KMeans(n_init=10)": lambda seed: KMeans(10, n_init=10, random_state=seed),
    "SpectralClustering (5-NN)": lambda seed: SpectralClustering(
        10, affinity="nearest_neighbors", n_neighbors=6, random_state=seed
    ),
    "HDBSCAN()": lambda seed: HDBSCAN(copy=True),
}


def main() -> None:
    X, y = load_digits(return_X_y=True)
    warnings.filterwarnings("ignore", message="Graph is not fully connected")  # scikit-learn's spectral embedding
    print(f"{'method':<28}{'ACC mean':>9}{'sd':>7}{'worst':>7}{'NMI mean':>9}{'seconds':>9}")
    for name, make in METHODS.items():
        rows = []
        for seed in range(10):
            start = time.perf_counter()
            labels = make(seed).fit(X).labels_
            seconds = time.perf_counter() - start
            rows.append((clustering_accuracy(y, labels), normalized_mutual_information(y, labels), seconds))
        acc, nmi, seconds = np.array(rows).T
        print(
            f"{name:<28}{acc.mean():>9.3f}{acc.std():>7.3f}{acc.min():>7.3f}{nmi.mean():>9.3f}{np.median(seconds):>9.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
