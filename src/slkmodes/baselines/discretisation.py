"""Labels from eigenvectors: the partition nearest to a rotation of them (Yu and Shi, ICCV 2003)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Array = npt.NDArray[Any]
Labels = npt.NDArray[np.int64]

# Rotations at most; the agreement grows with each, and 5 to 15 are usual.
MOST_ROTATIONS = 200
# Agreement has stopped growing when it does by less than this part of itself.
SMALLEST_GAIN = 1e-12


def discretise(embedding: Array, rng: np.random.Generator) -> Labels:
    """Alternate between the partition nearest to the rotated rows and the rotation nearest to the partition.

    Both minimise ``|partition matrix - unit rows @ rotation|``; the first rotation sends some rows, the first of them
    drawn by chance, to the axes. Rows of zeros have no direction and get label 0.
    """
    rows = unit_rows(embedding)
    rotation = rows_far_apart(rows, rng)
    agreement = -np.inf
    for _ in range(MOST_ROTATIONS):
        labels = np.argmax(rows @ rotation, axis=1)
        left, singular, right = np.linalg.svd(sums_by_label(rows, labels))
        if singular.sum() <= agreement * (1 + SMALLEST_GAIN):
            break
        agreement = singular.sum()
        rotation = (left @ right).T
    return labels


def unit_rows(embedding: Array) -> Array:
    """Rows of length one: only directions tell clusters apart; zeros stay."""
    norms = np.linalg.norm(embedding, axis=1, keepdims=True)
    return np.divide(embedding, norms, out=np.zeros_like(embedding), where=norms > 0)


def rows_far_apart(rows: Array, rng: np.random.Generator) -> Array:
    """As columns: a row by chance, then again and again the row most at right angles to those so far."""
    somewhere = np.flatnonzero(rows.any(axis=1))
    if not len(somewhere):
        return np.eye(rows.shape[1])
    chosen = [rng.choice(somewhere)]
    overlap = np.zeros(len(somewhere))
    for _ in range(1, rows.shape[1]):
        overlap += np.abs(rows[somewhere] @ rows[chosen[-1]])
        chosen.append(somewhere[np.argmin(overlap)])
    return rows[chosen].T


def sums_by_label(rows: Array, labels: Labels) -> Array:
    """The sum of the rows of each cluster."""
    n_rows, n_clusters = rows.shape
    membership = sparse.csr_array((np.ones(n_rows), labels, np.arange(n_rows + 1)), shape=(n_rows, n_clusters))
    return np.asarray(membership.T @ rows)
