"""What the elimination in ``densest_member`` loses against the exact density, and what it saves.

SLKMODES_DATA=<folder> python -m benchmarks.density_error
"""

from __future__ import annotations

import time

import numpy as np

from slkmodes import mode_updates
from slkmodes.affinity import estimate_bandwidth
from slkmodes.datasets import load, prepare
from slkmodes.engines.native_engine import NativeEngine
from slkmodes.mode_kernels import GaussianKernel
from slkmodes.neighbors import NeighborIndex, choose_search
from slkmodes.problem import Problem


def measure(name: str, X: np.ndarray, classes: np.ndarray) -> None:
    bandwidth = estimate_bandwidth(NeighborIndex(X, choose_search(*X.shape), 5).graph(2), 5)
    problem = Problem(GaussianKernel(X, bandwidth), None, 1, 1.0)
    engine, ones = NativeEngine(2), np.ones(len(X))
    losses, exact_s, fast_s, same = [], 0.0, 0.0, 0
    groups = [np.flatnonzero(classes == c) for c in np.unique(classes)]
    groups = [g for g in groups if len(g) ** 2 > problem.kernel.exact_pairs]
    for members in groups:
        start = time.perf_counter()
        sums = problem.kernel.density(members, members, ones[members])
        middle = time.perf_counter()
        chosen = mode_updates.densest_member(engine, problem, problem, members, members, ones)
        exact_s, fast_s = exact_s + middle - start, fast_s + time.perf_counter() - middle
        reached = sums[np.searchsorted(members, chosen)]
        losses.append(1 - reached / sums.max())
        same += reached == sums.max()
    print(
        f"{name:<16}{len(groups):>9}{same:>7}{np.mean(losses):>11.1e}{np.max(losses):>11.1e}{exact_s:>9.2f}{fast_s:>9.2f}",
        flush=True,
    )


def main() -> None:
    print(f"{'data':<16}{'clusters':>9}{'exact':>7}{'mean loss':>11}{'worst':>11}{'exact s':>9}{'ours s':>9}")
    for name in ("MNIST", "Fashion-MNIST"):
        measure(name, *prepare(name, "unit_rows"))
    shuttle = load("Shuttle")
    X = shuttle.X.astype(np.float64)
    sample = np.random.default_rng(0).permutation(len(X))[:20000]
    measure("Shuttle (20k)", ((X - X.mean(axis=0)) / X.std(axis=0))[sample], shuttle.y[sample])


if __name__ == "__main__":
    main()
