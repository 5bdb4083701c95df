"""Clusters found without labels, on every data set, ours beside those of the peers.

SLKMODES_DATA=<folder> python -m benchmarks.quality [--data digits USPS] [--methods LaplacianKModes k-means]

One JSON record per run is appended to ``benchmark-records/quality.jsonl``; runs already there are not run again, so a
run that was stopped goes on where it was. Peers that are not installed are left out; ``pip install --group bench``
installs them.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.names import COMPARED
from slkmodes import LaplacianKModes, __version__, clustering_accuracy, normalized_mutual_information
from slkmodes.datasets import prepare
from slkmodes.graph import graph_of_features

RECORDS = Path("benchmark-records/quality.jsonl")
LARGE = 20_000  # rows from which the slow peers get fewer seeds
PEER_SEEDS_OF_LARGE = 1


@dataclass(frozen=True, eq=False)
class Task:
    """A data set; what several methods need of it is made once."""

    name: str

    @cached_property
    def pair(self) -> tuple[np.ndarray, np.ndarray]:
        return prepare(self.name)

    @property
    def X(self) -> np.ndarray:
        return self.pair[0]

    @property
    def y(self) -> np.ndarray:
        return self.pair[1]

    @cached_property
    def n_clusters(self) -> int:
        return len(np.unique(self.y))

    @cached_property
    def graph(self) -> Any:
        """The symmetric 5-NN graph, for the methods that start from one."""
        return graph_of_features(self.X, 5, "auto", "binary", "union", "auto", 2).affinity

    @cached_property
    def embeddings(self) -> dict[int, np.ndarray]:
        return {}

    def embedding(self, seed: int) -> np.ndarray:
        """UMAP to two dimensions, with the settings its documentation gives for clustering."""
        from umap import UMAP

        if seed not in self.embeddings:
            self.embeddings[seed] = UMAP(n_neighbors=30, min_dist=0.0, random_state=seed).fit_transform(self.X)
        return self.embeddings[seed]


def ours(task: Task, seed: int) -> np.ndarray:
    return LaplacianKModes(task.n_clusters, random_state=seed).fit(task.X).labels_


def kmeans(task: Task, seed: int) -> np.ndarray:
    from sklearn.cluster import KMeans

    return KMeans(task.n_clusters, n_init=10, random_state=seed).fit_predict(task.X)


def spectral(task: Task, seed: int) -> np.ndarray:
    """Normalised cut (NCUT) by scikit-learn, on the 5-NN graph."""
    from sklearn.cluster import SpectralClustering

    graph = task.graph.astype(np.float64)
    graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    return SpectralClustering(task.n_clusters, affinity="precomputed", random_state=seed).fit_predict(graph)


def leiden(task: Task, seed: int, resolution: float = 1.0) -> np.ndarray:
    """Modularity on the 5-NN graph; the number of clusters is its own choice."""
    import igraph
    import leidenalg

    edges = task.graph.tocoo()
    once = edges.row < edges.col
    graph = igraph.Graph(task.graph.shape[0], np.column_stack([edges.row[once], edges.col[once]]))
    partition = leidenalg.find_partition(
        graph, leidenalg.RBConfigurationVertexPartition, resolution_parameter=resolution, seed=seed
    )
    return np.array(partition.membership)


def leiden_for_k(task: Task, seed: int) -> np.ndarray:
    """The resolution searched by bisection until the number of clusters is the one wanted, or nearest to it."""
    low, high, best, distance = 1e-3, 10.0, None, np.inf
    for _ in range(12):
        resolution = (low * high) ** 0.5
        labels = leiden(task, seed, resolution)
        excess = int(np.count_nonzero(np.bincount(labels) > 1)) - task.n_clusters
        if abs(excess) < distance:
            best, distance = labels, abs(excess)
        if excess == 0:
            break
        low, high = (low, resolution) if excess > 0 else (resolution, high)
    assert best is not None
    return best


def evoc(task: Task, seed: int) -> np.ndarray:
    from evoc import EVoC

    return EVoC(approx_n_clusters=task.n_clusters, random_state=seed).fit_predict(task.X)


def umap_kmeans(task: Task, seed: int) -> np.ndarray:
    from sklearn.cluster import KMeans

    return KMeans(task.n_clusters, n_init=10, random_state=seed).fit_predict(task.embedding(seed))


def umap_hdbscan(task: Task, seed: int) -> np.ndarray:
    """Clusters of at least N / 14K rows, which is the 500 that UMAP's documentation takes for MNIST."""
    from sklearn.cluster import HDBSCAN

    fewest = max(5, len(task.X) // (14 * task.n_clusters))
    return HDBSCAN(min_cluster_size=fewest, min_samples=10, copy=True).fit_predict(task.embedding(seed))


METHODS: dict[str, Callable[[Task, int], np.ndarray]] = {
    "LaplacianKModes": ours,
    "k-means": kmeans,
    "spectral": spectral,
    "Leiden": leiden,
    "Leiden for K": leiden_for_k,
    "EVoC": evoc,
    "UMAP + k-means": umap_kmeans,
    "UMAP + HDBSCAN": umap_hdbscan,
}


GRAPH_METHODS = ("spectral", "Leiden", "Leiden for K")


def run(task: Task, method: str, seed: int) -> dict[str, Any]:
    """One run and its record; Leiden and spectral get the graph for nothing, of the two on UMAP the first pays."""
    made_before_the_clock_starts = task.graph if method in GRAPH_METHODS else task.X
    assert len(task.y) == made_before_the_clock_starts.shape[0]
    start = time.perf_counter()
    labels = METHODS[method](task, seed)
    seconds = time.perf_counter() - start
    return {
        "data": task.name,
        "method": method,
        "seed": seed,
        "version": __version__,
        "acc": clustering_accuracy(task.y, labels),
        "nmi": normalized_mutual_information(task.y, labels),
        "clusters": len(np.unique(labels[labels >= 0])),
        "noise": float(np.mean(labels < 0)),
        "seconds": seconds,
    }


def read_records(path: Path) -> dict[tuple[str, str, int], dict[str, Any]]:
    lines = path.read_text().splitlines() if path.exists() else []
    records = (json.loads(line) for line in lines if line.strip())
    return {(r["data"], r["method"], r["seed"]): r for r in records}


def row(method: str, records: list[dict[str, Any]]) -> str:
    acc, nmi, clusters, noise, seconds = (
        np.array([r[key] for r in records]) for key in ("acc", "nmi", "clusters", "noise", "seconds")
    )
    return (
        f"  {method:<18}{acc.mean():>7.3f}{acc.std():>7.3f}{acc.min():>7.3f}{nmi.mean():>8.3f}{nmi.min():>7.3f}"
        f"{clusters.mean():>7.1f}{noise.mean():>7.2f}{np.median(seconds):>8.1f}{len(records):>5}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", choices=COMPARED, default=COMPARED)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--seeds", type=int, default=10, help="values of random_state, from 0")
    parser.add_argument("--records", type=Path, default=RECORDS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of the peers: graphs not connected, threads, deprecations
    options.records.parent.mkdir(parents=True, exist_ok=True)
    records = read_records(options.records)
    header = f"  {'':<18}{'ACC':>7}{'sd':>7}{'worst':>7}{'NMI':>8}{'worst':>7}{'K':>7}{'noise':>7}{'s':>8}{'runs':>5}"
    for name in options.data:
        task = Task(name)
        print(f"{name}\n{header}", flush=True)
        for method in options.methods:
            few = method != "LaplacianKModes" and len(task.X) > LARGE
            seeds = range(min(options.seeds, PEER_SEEDS_OF_LARGE) if few else options.seeds)
            try:
                for seed in seeds:
                    if (name, method, seed) not in records:
                        record = run(task, method, seed)
                        records[name, method, seed] = record
                        with options.records.open("a") as file:
                            file.write(json.dumps(record) + "\n")
            except ImportError as missing:
                print(f"  {method:<18} left out: {missing}", flush=True)
                continue
            print(row(method, [records[name, method, seed] for seed in seeds]), flush=True)


if __name__ == "__main__":
    main()
