"""One z-update of all rows: the C++ engine beside NumPy, per size, type and thread, and import times.

python -m benchmarks.sweep
"""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
from scipy import sparse

from slkmodes.engines import Engine, make_engine
from slkmodes.mode_kernels import GaussianKernel
from slkmodes.problem import Problem


def random_problem(n: int, n_clusters: int, dtype: type) -> Problem:
    """Eight random neighbours each: the worst case for the memory."""
    rng = np.random.default_rng(0)
    columns = np.sort(rng.integers(n, size=(n, 8)), axis=1).ravel()
    graph = sparse.csr_array((np.ones(8 * n, dtype), columns, np.arange(0, 8 * n + 1, 8)), shape=(n, n))
    return Problem(GaussianKernel(rng.normal(size=(n, 4)).astype(dtype), 1.0), graph, n_clusters, 1.0)


def milliseconds(engine: Engine, problem: Problem, repeats: int) -> float:
    placed = engine.place(problem)
    similarity = engine.similarity(placed, problem.kernel.modes_at(np.arange(problem.n_clusters)))
    Z = engine.start(placed, similarity)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        Z, _ = engine.sweep(placed, similarity, Z)
        times.append(time.perf_counter() - start)
    return 1000 * float(np.median(times))


def import_seconds(module: str) -> float:
    times = []
    for _ in range(7):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def main() -> None:
    print(f"{'rows':>9}{'clusters':>9}{'type':>9}{'numpy ms':>10}{'1 thread':>10}{'2 threads':>10}{'ratio':>7}")
    for n, n_clusters in ((2_000, 10), (70_000, 10), (1_000_000, 10), (300_000, 100)):
        for dtype in (np.float32, np.float64):
            problem = random_problem(n, n_clusters, dtype)
            repeats = 50 if n < 100_000 else 5
            spec, one, two = (
                milliseconds(make_engine(name, threads), problem, repeats)
                for name, threads in (("numpy", 1), ("native", 1), ("native", 2))
            )
            print(
                f"{n:>9}{n_clusters:>9}{np.dtype(dtype).name:>9}{spec:>10.2f}{one:>10.2f}{two:>10.2f}"
                f"{spec / two:>6.1f}x",
                flush=True,
            )
    ours, theirs = import_seconds("slkmodes"), import_seconds("sklearn.cluster")
    print(f"\nimport slkmodes {ours:.2f} s, import sklearn.cluster {theirs:.2f} s: {ours / theirs:.2f} times")


if __name__ == "__main__":
    main()
