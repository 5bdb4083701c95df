"""Clusters by the thousand: what keeping only the largest memberships saves, and what it loses.

python -m benchmarks.many_clusters [--samples 100000] [--clusters 1000] [--kept 4 8 16 0] [--data MNIST]

Made-up embeddings unless a data set is named. 0 keeps all of them. Every fit runs in a process of its own, whose peak
memory is shown. R is evaluated in full: with all similarities, whatever the fit kept.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np

N_FEATURES, LATENT_FEATURES = 64, 12


def embeddings(n_samples: int, n_clusters: int) -> tuple[np.ndarray, np.ndarray]:
    """Clouds of unequal size and width, many of them overlapping, in a few of many dimensions."""
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((n_clusters, LATENT_FEATURES), dtype=np.float32)
    spread = rng.standard_normal((LATENT_FEATURES, N_FEATURES), dtype=np.float32)
    widths = rng.uniform(0.1, 0.4, n_clusters).astype(np.float32)
    y = rng.choice(n_clusters, n_samples, p=rng.dirichlet(np.full(n_clusters, 5.0)))
    X = np.empty((n_samples, N_FEATURES), np.float32)
    for start in range(0, n_samples, 1 << 16):
        own = y[start : start + (1 << 16)]
        latent = centres[own] + widths[own, None] * rng.standard_normal((len(own), LATENT_FEATURES), dtype=np.float32)
        noise = 0.1 * rng.standard_normal((len(own), N_FEATURES), dtype=np.float32)
        X[start : start + (1 << 16)] = latent @ spread + noise
    return X, y


def full_objective(model, X: np.ndarray) -> float:
    """R at the fitted memberships and modes, block by block."""
    from slkmodes.mode_kernels import GaussianKernel, Modes

    Z, W = model.memberships_, model.affinity_
    kernel, modes = GaussianKernel(X, model.bandwidth_), Modes(model.mode_indices_, model.modes_)
    total, sizes = 0.0, np.zeros(model.n_clusters)
    for start in range(0, len(X), 8192):
        rows = slice(start, min(start + 8192, len(X)))
        z, pull = Z[rows], W[rows] @ Z
        if not isinstance(Z, np.ndarray):
            z, pull = z.toarray(), pull.toarray()
        entropy = z * np.log(np.maximum(z, np.finfo(np.float64).tiny))
        total += float(np.sum(entropy - z * (kernel.similarity(rows, modes) + 0.5 * model.laplacian_weight_ * pull)))
        sizes += z.sum(axis=0, dtype=np.float64)
    sizes /= len(X)
    return total + model.balance_ * len(X) * float(np.sum(sizes * np.log(np.maximum(sizes, 1e-300))))


def measure(n_samples: int, n_clusters: int, kept: int, data: str | None) -> dict[str, float]:
    from slkmodes import LaplacianKModes, adjusted_rand_index
    from slkmodes.datasets import prepare

    X, y = prepare(data) if data else embeddings(n_samples, n_clusters)
    start = time.perf_counter()
    model = LaplacianKModes(n_clusters, top_memberships=kept or None, random_state=0).fit(X)
    record = {"seconds": time.perf_counter() - start, **model.timings_}
    record["peak_gib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    record["adjusted_rand_index"] = adjusted_rand_index(y, model.labels_)
    record["discrete_objective"] = model.discrete_objective_
    record["weight"] = model.laplacian_weight_
    if len(X) * n_clusters <= 2 * 10**8:
        record["relaxed_objective"] = full_objective(model, X)
    return record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--clusters", type=int, default=1_000)
    parser.add_argument("--kept", type=int, nargs="+", default=[4, 8, 16, 0])
    parser.add_argument("--data", help="a data set of slkmodes.datasets instead")
    parser.add_argument("--one", action="store_true", help="measure the first of --kept here and print it as JSON")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.samples, options.clusters, options.kept[0], options.data)))
        return
    for kept in options.kept:
        command = [sys.executable, "-m", "benchmarks.many_clusters", "--one", "--samples", str(options.samples)]
        command += ["--clusters", str(options.clusters), "--kept", str(kept)]
        command += ["--data", options.data] if options.data else []
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        record = json.loads(done.stdout.splitlines()[-1])
        figures = "  ".join(f"{name} {value:.6g}" for name, value in record.items())
        print(f"{kept or 'all'} memberships kept: {figures}", flush=True)


if __name__ == "__main__":
    main()
