"""Small problems that several test files share."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from slkmodes.affinity import neighbor_affinity
from slkmodes.mode_kernels import GaussianKernel
from slkmodes.neighbors import NeighborIndex
from slkmodes.problem import Problem
from slkmodes.search import recall_of


def six_points(dtype=np.float64, laplacian_weight=1.0):
    """Two paths of three points, 10 apart; k halves at distance 1, so k(1) = 1/2 and k(2) = 1/16."""
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]], dtype=dtype)
    bandwidth = (1 / (2 * np.log(2))) ** 0.5
    edges = [(0, 1), (1, 2), (3, 4), (4, 5)]
    W = np.zeros((6, 6), dtype=dtype)
    for p, q in edges:
        W[p, q] = W[q, p] = 1
    return Problem(GaussianKernel(X, bandwidth), sparse.csr_array(W), 2, laplacian_weight)


def random_graph(rng, n, density=0.3, symmetric=True, dtype=np.float64):
    """A sparse matrix of weights in (0, 1] without a diagonal."""
    W = rng.uniform(0.1, 1.0, size=(n, n)) * (rng.random((n, n)) < density)
    np.fill_diagonal(W, 0)
    return sparse.csr_array(np.maximum(W, W.T) if symmetric else W).astype(dtype)


def random_problem(seed, n=40, d=3, n_clusters=4, laplacian_weight=0.7, diagonal_shift=0.0, dtype=np.float64):
    """Random rows and a random graph that has nothing to do with them."""
    rng = np.random.default_rng(seed)
    X = np.ascontiguousarray(rng.normal(size=(n, d)).astype(dtype))
    kernel = GaussianKernel(X, 1.5)
    return Problem(kernel, random_graph(rng, n, dtype=dtype), n_clusters, laplacian_weight, diagonal_shift)


def random_memberships(rng, n, n_clusters, dtype=np.float64, sharpness=2.0):
    """Rows on the simplex, from almost uniform to almost hard."""
    logits = sharpness * rng.normal(size=(n, n_clusters))
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True)).astype(dtype)


def rings(n=600):
    """Two rings around each other."""
    rng = np.random.default_rng(0)
    angle, y = rng.uniform(0, 2 * np.pi, n), np.arange(n) % 2
    X = (1 + y)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(scale=0.04, size=(n, 2))
    return X, y


def graph_of(X, k=5):
    """The default graph of the estimator."""
    return neighbor_affinity(NeighborIndex(X, "kd_tree", k).graph(1), "binary", "average", k, 1.0)


def recall_against(distances, truth):
    """Part of the neighbours found, where the true distances were measured by other means, and so rounded otherwise."""
    return recall_of(distances, truth * (1 + 1e-5))
