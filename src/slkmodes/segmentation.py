"""The graph cut into many small connected segments, each well inside one cluster."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import gammaln

from slkmodes.centers import cells_around
from slkmodes.engines.protocol import Engine
from slkmodes.labelled_graph import connected_parts, vote

Array = npt.NDArray[Any]
Labels = npt.NDArray[np.int64]

# Segments per cluster, at least and at most: merging looks at all pairs of them.
SEGMENTS_PER_CLUSTER = 12
FEWEST_SEGMENTS = 40
MOST_SEGMENTS = 512
SEGMENTS_OF_MANY = 4  # per cluster, where that is more
ROWS_PER_SEGMENT = 4

# Columns and steps of the smoothing that places joined rows side by side.
EXTRA_COLUMNS = 6
MOST_COLUMNS = 128
SMOOTHING_STEPS = 60
# Rows that cells are found from: of all cells, or for each cell within a cell.
SAMPLE_ROWS = 10_000
ROWS_PER_CELL = 40
GRAM_ROWS = 65_536


def segment(affinity: Any, n_clusters: int, columns: Array, rng: np.random.Generator, n_threads: int = 1) -> Labels:
    """Small groups of well joined rows: the connected parts of k-means cells of the smoothed columns."""
    cells = cells_of_directions(columns, n_clusters, rng, n_threads)
    return keep_large(affinity, connected_parts(affinity, cells), n_clusters, ROWS_PER_SEGMENT, n_threads)


def most_segments(n_clusters: int) -> int:
    """As many as can be merged, but enough to merge."""
    return max(MOST_SEGMENTS, SEGMENTS_OF_MANY * n_clusters)


def keep_large(affinity: Any, parts: Labels, at_least: int, fewest_rows: int, n_threads: int = 1) -> Labels:
    """The largest parts as segments, numbered by size; the rows of the others join their neighbours'."""
    sizes = np.bincount(parts)
    kept = np.argsort(-sizes, kind="stable")[: most_segments(at_least)]
    kept = kept[sizes[kept] >= min(fewest_rows, sizes[kept[min(at_least, len(kept)) - 1]])]
    number = np.full(len(sizes), -1)
    number[kept] = np.arange(len(kept))
    return absorb(affinity, number[parts], n_threads)


def absorb(affinity: Any, segments: Labels, n_threads: int = 1) -> Labels:
    """Give rows without a segment (-1) the one most of their neighbours have, from its border inwards.

    Rows that no edge joins to any segment go to the first, the largest.
    """
    n_loose = np.count_nonzero(segments < 0)
    while n_loose:
        segments = vote(affinity, segments, np.inf, n_threads)
        n_before, n_loose = n_loose, np.count_nonzero(segments < 0)
        if n_loose == n_before:
            return np.maximum(segments, 0)
    return segments


def cells_of_directions(columns: Array, n_clusters: int, rng: np.random.Generator, n_threads: int) -> Labels:
    """Cells of k-means over the directions of smoothed columns, in which joined rows point the same way."""
    n_samples = len(columns)
    wanted = max(SEGMENTS_PER_CLUSTER * n_clusters, FEWEST_SEGMENTS)
    n_cells = max(n_clusters, min(wanted, n_samples // ROWS_PER_SEGMENT, most_segments(n_clusters)))
    norms = np.linalg.norm(columns, axis=1, keepdims=True)
    directions = columns / np.maximum(norms, np.finfo(columns.dtype).tiny)
    if n_cells <= MOST_SEGMENTS:
        return cells_around(directions, n_cells, SAMPLE_ROWS, rng, n_threads)
    return cells_of_cells(directions, n_cells, rng, n_threads)


def cells_of_cells(points: Array, n_cells: int, rng: np.random.Generator, n_threads: int) -> Labels:
    """About ``n_cells`` cells in two steps, each of which looks at the root of that many."""
    coarse = cells_around(points, math.isqrt(n_cells), SAMPLE_ROWS, rng, n_threads)
    cells = np.empty_like(coarse)
    first = 0
    for cell in range(int(coarse.max()) + 1):
        rows = np.flatnonzero(coarse == cell)
        share = round(n_cells * len(rows) / len(points))
        if share > 1:
            cells[rows] = first + cells_around(points[rows], share, ROWS_PER_CELL * share, rng, n_threads)
        else:
            cells[rows] = first
        first += max(share, 1)
    return cells


def smoothed_columns(
    engine: Engine, affinity: Any, n_clusters: int, n_blocks: int, rng: np.random.Generator
) -> list[Array]:
    """Blocks of random columns after many steps of diffusion: what is left varies slowly along the edges."""
    n_samples = affinity.shape[0]
    width = min(n_clusters + EXTRA_COLUMNS, MOST_COLUMNS, n_samples)
    noise = rng.random((n_samples, n_blocks * width), dtype=np.float32)
    noise -= 0.5
    smooth = diffuse(engine, normalized_adjacency(affinity)[0], noise, SMOOTHING_STEPS)
    return [orthonormal(block) for block in np.split(smooth, n_blocks, axis=1)]


def orthonormal(columns: Array) -> Array:
    """An orthonormal basis of what the columns span, by their Gram matrix; directions that vanish stay 0.

    Which basis does not matter here: angles between rows are the same in all.
    """
    gram = np.zeros((columns.shape[1],) * 2)
    for start in range(0, len(columns), GRAM_ROWS):
        block = columns[start : start + GRAM_ROWS].astype(np.float64)
        gram += block.T @ block
    values, vectors = np.linalg.eigh(gram)
    found = values > values[-1] * len(gram) * np.finfo(columns.dtype).eps ** 2
    scale = np.where(found, 1 / np.sqrt(np.where(found, values, 1.0)), 0.0)
    return columns @ (vectors * scale).astype(columns.dtype)


def normalized_adjacency(affinity: Any) -> tuple[Any, Array]:
    """D^-1/2 W D^-1/2 of the symmetric part of the affinity, and D^1/2; a row without edges is its own neighbour."""
    W = sparse.csr_array(affinity)
    W = (W + W.T) * W.dtype.type(0.5)
    degree = W.sum(axis=1, dtype=np.float64)
    W = W + sparse.diags_array((degree == 0).astype(W.dtype))
    root = np.sqrt(np.where(degree == 0, 1.0, degree))
    weights = W.data / (np.repeat(root, np.diff(W.indptr)) * root[W.indices])
    return sparse.csr_array((weights.astype(np.float32), W.indices, W.indptr), shape=W.shape), root.astype(np.float32)


def diffuse(engine: Engine, adjacency: Any, columns: Array, steps: int) -> Array:
    """``((I + S) / 2)^steps`` times the columns, for S with eigenvalues in [-1, 1], in about 2.5 sqrt(steps) products.

    With x = cos t, ``((1 + x) / 2)^s = cos(t / 2)^(2 s)``, whose Fourier coefficients are binomials that die out like
    exp(-k^2 / s): so few Chebyshev polynomials T_k(S) do the work of many steps. The columns are overwritten.
    """
    orders = np.arange(min(steps, int(2.5 * steps**0.5)) + 1)
    log_binomial = gammaln(2 * steps + 1) - gammaln(steps - orders + 1) - gammaln(steps + orders + 1)
    coefficients = np.exp(log_binomial - 2 * steps * np.log(2))
    coefficients[1:] *= 2
    return engine.chebyshev(adjacency, columns, coefficients, overwrite=True)
