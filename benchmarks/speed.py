"""Time and peak memory, stage by stage, ours beside the peers: seeding, sweep, modes, prediction, graph, whole fits.

SLKMODES_DATA=<folder> python -m benchmarks.speed [--stages graph fit] [--slow]

Every line is a process of its own with the same number of threads, so that the first call is a first call and the
memory is its own. A method is called twice: compiling, where it happens, is in the first. One JSON record per line is
appended to ``benchmark-records/speed.jsonl``. Peers that are not installed are left out; ``pip install --group bench``
installs them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

RECORDS = Path("benchmark-records/speed.jsonl")
THREADS = 2
RECALL_ROWS = 500


def mnist() -> np.ndarray:
    from slkmodes.datasets import prepare

    return prepare("MNIST")[0]


def fashion() -> np.ndarray:
    from slkmodes.datasets import prepare

    return prepare("Fashion-MNIST")[0]


def embeddings() -> np.ndarray:
    """A million rows of 64 columns around a thousand centres, with a decaying spectrum."""
    rng = np.random.default_rng(0)
    centers, spread = 2 * rng.normal(size=(1000, 64)), np.linspace(2, 0.2, 64)
    X = centers[rng.integers(1000, size=1_000_000)] + rng.normal(size=(1_000_000, 64)) * spread
    return X.astype(np.float32)


DATA: dict[str, Callable[[], np.ndarray]] = {"MNIST": mnist, "Fashion-MNIST": fashion, "1M x 64": embeddings}


# The graph: k neighbours of every row, the row itself not counted -> distances, ascending.


def our_graph(X: np.ndarray, k: int, recall: float = 0.98) -> np.ndarray:
    from slkmodes.neighbors import NeighborIndex

    return NeighborIndex(X, "nn_descent", k, recall).graph(THREADS).distances


def our_fuller_graph(X: np.ndarray, k: int) -> np.ndarray:
    return our_graph(X, k, 0.99)


def pynndescent_graph(X: np.ndarray, k: int) -> np.ndarray:
    from pynndescent import NNDescent

    return NNDescent(X, n_neighbors=k + 1, n_jobs=THREADS, random_state=0).neighbor_graph[1][:, 1:]


def faiss_search(index: Any, X: np.ndarray, k: int) -> np.ndarray:
    index.add(X)
    return np.sqrt(np.maximum(index.search(X, k + 1)[0][:, 1:], 0))


def hnsw_graph(X: np.ndarray, k: int, breadth: int = 2) -> np.ndarray:
    import faiss

    faiss.omp_set_num_threads(THREADS)
    index = faiss.IndexHNSWFlat(X.shape[1], 16)
    index.hnsw.efConstruction, index.hnsw.efSearch = 40, breadth * (k + 1)
    return faiss_search(index, X, k)


def broad_hnsw_graph(X: np.ndarray, k: int) -> np.ndarray:
    """About the recall of the others."""
    return hnsw_graph(X, k, breadth=4)


def ivf_graph(X: np.ndarray, k: int) -> np.ndarray:
    import faiss

    faiss.omp_set_num_threads(THREADS)
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(X.shape[1]), X.shape[1], 256)
    index.train(X[:: max(1, len(X) // 16384)])
    index.nprobe = 8
    return faiss_search(index, X, k)


def exact_graph(X: np.ndarray, k: int) -> np.ndarray:
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=k + 1, algorithm="brute", n_jobs=THREADS).fit(X).kneighbors(X)[0][:, 1:]


def measure_graph(build: Callable[[np.ndarray, int], np.ndarray], data: str, k: int) -> dict[str, Any]:
    from slkmodes.exact_search import BruteSearch
    from slkmodes.search import recall_of

    X = DATA[data]()
    found: list[np.ndarray] = []
    record = twice(lambda: found.append(build(X, k)))
    rows = np.random.default_rng(1).choice(len(X), RECALL_ROWS, replace=False)
    truth = BruteSearch(X, k, THREADS).query(X[rows], k + 1, THREADS)[1][:, 1:]
    return {**record, "recall": recall_of(found[-1][rows], truth * (1 + 1e-5))}  # rounded otherwise


# Whole fits of MNIST from raw rows -> labels.


def our_fit(X: np.ndarray) -> np.ndarray:
    from slkmodes import LaplacianKModes

    return LaplacianKModes(10, random_state=0, n_jobs=THREADS).fit(X).labels_


def kmeans_fit(X: np.ndarray, n_init: int = 1) -> np.ndarray:
    from sklearn.cluster import KMeans

    return KMeans(10, n_init=n_init, random_state=0).fit_predict(X)


def kmeans_10_fit(X: np.ndarray) -> np.ndarray:
    return kmeans_fit(X, 10)


def faiss_kmeans_fit(X: np.ndarray) -> np.ndarray:
    import faiss

    faiss.omp_set_num_threads(THREADS)
    kmeans = faiss.Kmeans(X.shape[1], 10, niter=25, seed=0, max_points_per_centroid=len(X))
    kmeans.train(X)
    return kmeans.index.search(X, 1)[1].ravel()


def evoc_fit(X: np.ndarray) -> np.ndarray:
    from evoc import EVoC

    return EVoC(approx_n_clusters=10, random_state=0).fit_predict(X)


def umap_hdbscan_fit(X: np.ndarray) -> np.ndarray:
    from sklearn.cluster import HDBSCAN
    from umap import UMAP

    embedding = UMAP(n_neighbors=30, min_dist=0.0, n_jobs=THREADS).fit_transform(X)
    return HDBSCAN(min_cluster_size=500, min_samples=10, n_jobs=THREADS, copy=True).fit_predict(embedding)


def leiden_fit(X: np.ndarray) -> np.ndarray:
    """Graph (ours) included; the number of clusters is its own choice."""
    import igraph
    import leidenalg

    from slkmodes.graph import graph_of_features

    edges = graph_of_features(X, 5, "auto", "binary", "union", "auto", THREADS).affinity.tocoo()
    once = edges.row < edges.col
    graph = igraph.Graph(len(X), np.column_stack([edges.row[once], edges.col[once]]))
    return np.array(leidenalg.find_partition(graph, leidenalg.ModularityVertexPartition, seed=0).membership)


def spectral_fit(X: np.ndarray) -> np.ndarray:
    """On the given graph (ours), which is included."""
    from sklearn.cluster import SpectralClustering

    from slkmodes.graph import graph_of_features

    graph = graph_of_features(X, 5, "auto", "binary", "union", "auto", THREADS).affinity.astype(np.float64)
    graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    model = SpectralClustering(10, affinity="precomputed", assign_labels="cluster_qr", random_state=0)
    return model.fit_predict(graph)


def hdbscan_fit(X: np.ndarray) -> np.ndarray:
    """On 50 principal components, as its users do."""
    from sklearn.cluster import HDBSCAN
    from sklearn.decomposition import PCA

    return HDBSCAN(min_cluster_size=500, n_jobs=THREADS, copy=True).fit_predict(
        PCA(50, random_state=0).fit_transform(X)
    )


def measure_fit(fit: Callable[[np.ndarray], np.ndarray]) -> dict[str, Any]:
    from slkmodes import clustering_accuracy, normalized_mutual_information
    from slkmodes.datasets import prepare

    X, y = prepare("MNIST")
    found: list[np.ndarray] = []
    record = twice(lambda: found.append(fit(X)))
    labels = found[-1]
    return {
        **record,
        "accuracy": clustering_accuracy(y, labels),
        "nmi": normalized_mutual_information(y, labels),
        "input_mb": X.nbytes / 2**20,
    }


# Seeding, a sweep, the modes, and prediction.


def measure_seeding(init: str) -> dict[str, Any]:
    """Where one fit of MNIST with ten clusters starts, the graph given; scikit-learn's k-means++ beside ours."""
    from sklearn.cluster import kmeans_plusplus

    from slkmodes.engines import make_engine
    from slkmodes.graph import graph_of_features
    from slkmodes.problem import Problem
    from slkmodes.seeding import starts

    X = mnist()
    graph = graph_of_features(X, 5, "auto", "adaptive", "average", "auto", THREADS)
    problem = Problem(graph.kernel, graph.affinity, 10, 1.0)
    engine, n_init = make_engine("native", THREADS), "auto" if init == "graph" else 1

    def ours() -> None:
        list(starts(init, n_init, engine, problem, np.random.default_rng(0)))

    return twice(ours if init else lambda: kmeans_plusplus(X, 10, random_state=0))


def measure_sweep(engine_name: str) -> dict[str, Any]:
    """A million rows, ten clusters, eight neighbours of a real graph, in working order; float32."""
    from slkmodes.engines import make_engine
    from slkmodes.graph import graph_of_features
    from slkmodes.mode_kernels import GaussianKernel
    from slkmodes.problem import Problem

    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 4)).astype(np.float32)
    graph = graph_of_features(X, 8, "auto", "binary", "none", 1.0, THREADS)
    assert isinstance(graph.kernel, GaussianKernel)
    problem = Problem(graph.kernel, graph.affinity, 10, 1.0)
    engine = make_engine(engine_name, THREADS)
    placed = engine.place(problem)
    similarity = engine.similarity(placed, problem.kernel.modes_at(np.arange(10)))
    Z, spare, seconds = engine.start(placed, similarity), None, []
    for _ in range(9):
        before, start = Z, time.perf_counter()
        Z, _ = engine.sweep(placed, similarity, before, spare)
        spare = before
        seconds.append(time.perf_counter() - start)
    median = float(np.median(seconds))
    # What has to move at least: similarity and memberships in, memberships out (16 padded floats each), columns and
    # weights of the edges, and three float64 per row.
    least = 1_000_000 * (3 * 64 + 8 * 8 + 8 + 3 * 8)
    source, target = np.ones((2, 1 << 27), dtype=np.uint8)
    copies = []
    for _ in range(5):
        start = time.perf_counter()
        np.copyto(target, source)
        copies.append(time.perf_counter() - start)
    bandwidth = 2 * len(source) / min(copies) / 1e9
    return {"second_s": median, "gb_per_s": least / median / 1e9, "copy_gb_per_s": bandwidth, **memory()}


def measure_modes(engine_name: str) -> dict[str, Any]:
    """The densest members of ten clusters of MNIST: ours by elimination, or all pairs."""
    from slkmodes import mode_updates
    from slkmodes.datasets import prepare
    from slkmodes.engines import make_engine
    from slkmodes.mode_kernels import GaussianKernel
    from slkmodes.problem import Problem

    X, y = prepare("MNIST")
    problem = Problem(GaussianKernel(X, 1500.0), None, 10, 1.0)
    engine, ones = make_engine("native", THREADS), np.ones(len(X))
    groups = [np.flatnonzero(y == c) for c in np.unique(y)]

    def by_elimination() -> None:
        for members in groups:
            mode_updates.densest_member(engine, problem, problem, members, members, ones)

    def all_pairs() -> None:
        for members in groups:
            problem.kernel.density(members, members, ones[members])

    return twice(by_elimination if engine_name == "native" else all_pairs)


def measure_predict(_: str) -> dict[str, Any]:
    """10,000 rows that the fit of the other 60,000 has not seen."""
    from slkmodes import LaplacianKModes, clustering_accuracy
    from slkmodes.datasets import prepare

    X, y = prepare("MNIST")
    shuffled = np.random.default_rng(0).permutation(len(X))
    seen, new = X[shuffled[10_000:]], X[shuffled[:10_000]]
    start = time.perf_counter()
    model = LaplacianKModes(10, random_state=0, n_jobs=THREADS).fit(seen)
    fit_s = time.perf_counter() - start
    found: list[np.ndarray] = []
    record = twice(lambda: found.append(model.predict(new)))
    return {**record, "fit_s": fit_s, "accuracy": clustering_accuracy(y[shuffled[:10_000]], found[-1])}


STAGES: dict[str, dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]] = {
    "seeding, MNIST": {
        "first clustering": (measure_seeding, ("graph",)),
        "k-means++": (measure_seeding, ("k-means++",)),
        "scikit-learn k-means++": (measure_seeding, ("",)),
    },
    "sweep 1M x 10": {name: (measure_sweep, (name,)) for name in ("native", "numpy")},
    "modes, MNIST": {"native": (measure_modes, ("native",)), "all pairs (BLAS)": (measure_modes, ("numpy",))},
    "predict, MNIST": {"slkmodes": (measure_predict, ("",))},
}
for _data, _k in (("MNIST", 10), ("MNIST", 15), ("Fashion-MNIST", 15), ("1M x 64", 15)):
    STAGES[f"graph {_data}, k = {_k}"] = {
        name: (measure_graph, (build, _data, _k))
        for name, build in {
            "slkmodes": our_graph,
            "slkmodes, recall .99": our_fuller_graph,
            "pynndescent": pynndescent_graph,
            "faiss HNSW": hnsw_graph,
            "faiss HNSW, broad": broad_hnsw_graph,
            "faiss IVF": ivf_graph,
            "scikit-learn (slow)": exact_graph,
        }.items()
        if not (build is exact_graph and _data == "1M x 64")  # hours
    }
STAGES["fit MNIST"] = {
    name: (measure_fit, (fit,))
    for name, fit in {
        "slkmodes": our_fit,
        "KMeans, n_init=1": kmeans_fit,
        "KMeans, n_init=10": kmeans_10_fit,
        "faiss Kmeans": faiss_kmeans_fit,
        "EVoC": evoc_fit,
        "Leiden": leiden_fit,
        "UMAP + HDBSCAN": umap_hdbscan_fit,
        "spectral (slow)": spectral_fit,
        "HDBSCAN (slow)": hdbscan_fit,
    }.items()
}


def twice(call: Callable[[], Any]) -> dict[str, Any]:
    """Seconds of the first and of the second call, and the memory they needed beyond what was there before."""
    before = memory()["peak_mb"]
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
        if seconds[0] > 120:  # a second one would not be faster
            break
    return {"first_s": seconds[0], "second_s": seconds[-1], "before_mb": before, **memory()}


def memory() -> dict[str, float]:
    return {"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def in_a_process_of_its_own(stage: str, method: str) -> dict[str, Any] | None:
    """The record of one line; None where a peer is not installed."""
    threads = {name: str(THREADS) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}
    command = [sys.executable, "-m", "benchmarks.speed", "--child", stage, method]
    with tempfile.TemporaryDirectory() as nothing_compiled:
        surroundings = {**os.environ, **threads, "NUMBA_CACHE_DIR": nothing_compiled}
        done = subprocess.run(command, capture_output=True, text=True, env=surroundings)
    if done.returncode:
        if "ModuleNotFoundError" not in done.stderr:
            print(done.stderr[-2000:], file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def have_data_at_hand(stages: Iterable[str]) -> None:
    """What cannot be had is told once, not by every line."""
    from slkmodes.datasets import load

    for name in ("MNIST", "Fashion-MNIST"):
        if any(f" {name}" in stage for stage in stages):
            try:
                load(name)
            except OSError as reason:
                sys.exit(str(reason))


def show(stage: str, rows: dict[str, dict[str, Any]]) -> None:
    reference = next(iter(rows.values()))["second_s"]
    extras = [
        key for key in next(iter(rows.values())) if key not in ("first_s", "second_s", "peak_mb", "stage", "method")
    ]
    print(
        f"\n{stage}\n{'':<22}{'first s':>9}{'second s':>10}{'ratio':>8}{'peak MB':>9}",
        *(f"{key:>13}" for key in extras),
    )
    for method, row in rows.items():
        cells = [f"{row[key]:>13.4g}" for key in extras if key in row]
        first = f"{row['first_s']:>9.2f}" if "first_s" in row else f"{'':>9}"
        ratio = row["second_s"] / reference
        print(f"{method:<22}{first}{row['second_s']:>10.3f}{ratio:>7.2f}x{row['peak_mb']:>9.0f}", *cells, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stages", nargs="*", default=[""], help="only stages whose names begin so")
    parser.add_argument("--slow", action="store_true", help="also the peers that take minutes")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        warnings.simplefilter("ignore")
        stage, method = arguments.child
        measure, details = STAGES[stage][method]
        print(json.dumps(measure(*details)))
        return
    stages = {stage: methods for stage, methods in STAGES.items() if stage.startswith(tuple(arguments.stages))}
    have_data_at_hand(stages)
    RECORDS.parent.mkdir(exist_ok=True)
    for stage, methods in stages.items():
        rows = {}
        for method in methods:
            if "(slow)" in method and not arguments.slow:
                continue
            record = in_a_process_of_its_own(stage, method)
            if record is not None:
                rows[method] = record
                with RECORDS.open("a") as file:
                    file.write(json.dumps({"stage": stage, "method": method, **record}) + "\n")
        if rows:
            show(stage, rows)


if __name__ == "__main__":
    main()
