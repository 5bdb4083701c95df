"""A graph drawn in the plane: edges pull their ends together, all vertices push each other apart.

The forces are those of t-SNE, with the edges in place of its similarities (van der Maaten and Hinton, 2008): vertices
i and j at distance d attract each other by ``p_ij d / (1 + d^2)`` and repel each other by ``n d / (1 + d^2)^2 / Z``,
where Z sums ``1 / (1 + d^2)`` over all pairs. Repulsion is a convolution, computed on a grid, so a step takes time
linear in vertices and edges. Positions are complex numbers here: one number per vertex, and a force is one too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import fft, sparse
from threadpoolctl import threadpool_limits

from slkmodes.engines import make_engine
from slkmodes.labelled_graph import connected_parts
from slkmodes.segmentation import absorb, diffuse, normalized_adjacency, orthonormal
from slkmodes.validation import check_integer, count_threads, make_generator

__all__ = ["layout_of_graph"]

Array = npt.NDArray[Any]
Positions = npt.NDArray[np.complex64]

OWNER = "layout_of_graph"
# Columns and steps of the diffusion that the first positions are made of.
START_COLUMNS = 24
START_STEPS = 200
START_JITTER = 0.01
# Attraction counts this much more than repulsion: first so that clusters gather, then so that they stay apart.
GATHERING, GATHERING_STEPS, GATHERING_MOMENTUM = 12.0, 100, 0.5
SETTLING, SETTLING_MOMENTUM = 2.0, 0.8
# Edges of this length pull half as much as they would: so nothing collapses.
SHORT_EDGE = 0.1
# Edges that a vertex chooses; more can choose it.
MOST_EDGES = 20
# The grid of the repulsion, in units of the distance at which 1 / (1 + d^2) is a half.
CELL = 0.5
MOST_CELLS = 400
# A larger graph is contracted to so many groups, its vertices are spread around them.
MOST_VERTICES = 100_000
N_GROUPS = 50_000
SPREADING_STEPS = 3


def layout_of_graph(affinity: Any, random_state: Any = 0, n_iter: int = 300) -> npt.NDArray[np.float32]:
    """Positions of the vertices of a graph in the plane: joined ones near each other, dense groups apart.

    Near means joined; distances between groups, and the places of parts that no edge joins, mean little. A graph of
    more than 100,000 vertices is drawn by 50,000 groups of them, its vertices are put between those of their
    neighbours.

    Parameters
    ----------
    affinity : sparse or dense matrix of shape (n_samples, n_samples)
        Weights of the edges, at least 0, such as ``affinity_`` of a fitted model. The diagonal is ignored, and so is
        the overall size of the weights; either direction of an edge will do.
    random_state : int, RandomState or Generator instance, or None, default=0
        Decides where the vertices start; the same number gives the same layout.
    n_iter : int, default=300
        Steps of all vertices; beyond these mostly the gaps grow.

    Returns
    -------
    ndarray of float32 of shape (n_samples, 2)
        Positions in the unit square; both axes have the same scale.

    Examples
    --------
    >>> import numpy as np
    >>> from slkmodes.layout import layout_of_graph
    >>> path = np.diag(np.ones(9), 1)
    >>> positions = layout_of_graph(path)
    >>> positions.shape, float(positions.min()), float(positions.max())
    ((10, 2), 0.0, 1.0)
    """
    check_integer(OWNER, "n_iter", n_iter, minimum=0)
    rng = make_generator(random_state)
    weights = edge_weights(strongest_edges(check_graph(affinity), rng))
    draw = draw_graph if weights.shape[0] <= MOST_VERTICES else draw_by_groups
    return in_unit_square(draw(weights, n_iter, rng))


def check_graph(affinity: Any) -> Any:
    """The graph as symmetric CSR in float64 without its diagonal, or an error that says what is wrong with it."""
    W = sparse.csr_array(affinity, dtype=np.float64)
    if W.ndim != 2 or W.shape[0] != W.shape[1] or not W.shape[0]:
        raise ValueError(f"affinity of {OWNER} must be square with at least one row; got shape {W.shape}.")
    if W.nnz and not (np.isfinite(W.data).all() and W.data.min() >= 0):
        raise ValueError(
            f"affinity of {OWNER} must hold finite numbers of at least 0, high for similar samples; got values from "
            f"{W.data.min()} to {W.data.max()}. Pass affinity_ of a fitted model, say."
        )
    edges = (W * 0.5 + W.T * 0.5).tocoo()
    kept = (edges.row != edges.col) & (edges.data > 0)
    return sparse.csr_array((edges.data[kept], (edges.row[kept], edges.col[kept])), shape=W.shape)


def edge_weights(W: Any) -> Any:
    """p_ij: the mean share that each of two vertices has in what the other's edges weigh."""
    shares = sparse.csr_array((relative_to(W, W.max(axis=1).toarray()), W.indices, W.indptr), shape=W.shape)
    shares.data = relative_to(shares, shares.sum(axis=1))  # of numbers up to 1, which no sum can take out of range
    weights = sparse.csr_array((shares + shares.T) * 0.5)
    weights.sort_indices()
    return weights


def relative_to(W: Any, sizes: Array) -> Array:
    """The entries of a CSR matrix divided by one number per row."""
    return np.asarray(W.data / np.repeat(sizes, np.diff(W.indptr)))


def strongest_edges(W: Any, rng: np.random.Generator) -> Any:
    """At most ``MOST_EDGES`` edges of every vertex: dense graphs would take long, and huddle. Equal ones by lot."""
    degrees = np.diff(W.indptr)
    if degrees.max() <= MOST_EDGES:
        return W
    row = np.repeat(np.arange(len(degrees)), degrees)
    order = np.lexsort((rng.random(W.nnz), -W.data, row))
    kept = order[np.arange(W.nnz) - np.repeat(W.indptr[:-1], degrees) < MOST_EDGES]
    return sparse.csr_array((W.data[kept], (row[kept], W.indices[kept])), shape=W.shape)


def draw_graph(weights: Any, n_iter: int, rng: np.random.Generator) -> Positions:
    """Follow the forces from the first positions on."""
    positions = first_positions(weights, rng)
    speed = np.zeros_like(positions)
    # A vertex that many pull at would overshoot.
    caution = 1 / np.maximum(weights.sum(axis=1), 1).astype(np.float32)
    shares = weights.data.astype(np.float32)
    for iteration in range(n_iter):
        gathering = iteration < GATHERING_STEPS
        emphasis, momentum = (GATHERING, GATHERING_MOMENTUM) if gathering else (SETTLING, SETTLING_MOMENTUM)
        pull = attraction(positions, shares, weights.indices, weights.indptr)
        push = repulsion(positions)
        speed = np.float32(momentum) * speed + caution * (pull + push / np.float32(emphasis))
        positions = positions + speed
        positions -= positions.mean()
    return positions


def first_positions(weights: Any, rng: np.random.Generator) -> Positions:
    """The plane in which the directions of smoothed random columns vary most: joined vertices begin close."""
    noise = rng.standard_normal((weights.shape[0], START_COLUMNS), dtype=np.float32)
    jitter = rng.standard_normal((weights.shape[0], 2), dtype=np.float32)
    engine = make_engine("auto", count_threads(OWNER, None))
    adjacency, root = normalized_adjacency(weights)
    with threadpool_limits(1, user_api="blas"):  # its sums depend on the number of threads
        smooth = orthonormal(diffuse(engine, adjacency, noise, START_STEPS)) / root[:, None]
        length = np.linalg.norm(smooth, axis=1, keepdims=True)
        directions = smooth / np.maximum(length, np.finfo(np.float32).tiny)
        directions -= directions.mean(axis=0)
        axes = np.linalg.eigh(directions.T @ directions)[1][:, -2:]
        plane = directions @ axes
    spread = float(plane.std())
    plane = plane / (spread if spread > START_JITTER else 1.0) + np.float32(START_JITTER) * jitter
    return (plane[:, 0] + 1j * plane[:, 1]).astype(np.complex64)


def attraction(positions: Positions, shares: Array, columns: Array, row_starts: Array) -> Positions:
    """``sum_j p_ij (y_j - y_i) / (1 + |y_j - y_i|^2)`` for every vertex i, less for very short edges."""
    pulls = positions[columns] - np.repeat(positions, np.diff(row_starts))
    squared = pulls.real**2 + pulls.imag**2
    pulls *= shares * squared / ((SHORT_EDGE**2 + squared) * (1 + squared))
    total = np.zeros_like(positions)
    joined = np.flatnonzero(np.diff(row_starts))
    if len(joined):
        total[joined] = np.add.reduceat(pulls, row_starts[joined])
    return total


def repulsion(positions: Positions) -> Positions:
    """``n sum_j (y_i - y_j) / (1 + |y_i - y_j|^2)^2 / Z`` for every vertex i.

    Each vertex is shared out among the four corners of its cell, the force is computed there, and taken back in the
    same shares: so no vertex pushes itself. Z has the pairs (i, i) too, which keeps few vertices from flying apart.
    """
    x, y = positions.real - positions.real.min(), positions.imag - positions.imag.min()
    extent = float(max(x.max(), y.max()))
    cell = max(CELL, extent / MOST_CELLS)
    side = int(extent / cell) + 3
    column, row = (x / cell).astype(np.int64), (y / cell).astype(np.int64)
    right, up = x / cell - column, y / cell - row
    first = column * side + row
    corners = [
        (first, (1 - right) * (1 - up)),
        (first + 1, (1 - right) * up),
        (first + side, right * (1 - up)),
        (first + side + 1, right * up),
    ]
    mass = sum(np.bincount(corner, share, side * side) for corner, share in corners)
    force, partition = field_of(np.asarray(mass, dtype=np.float32).reshape(side, side), cell)
    pushes = sum(share * force.ravel()[corner] for corner, share in corners)
    return np.asarray(pushes * np.float32(len(positions) / partition), dtype=np.complex64)


def field_of(mass: Array, cell: float) -> tuple[Array, float]:
    """The repulsion of masses on a square grid at each of its points, and Z."""
    side = len(mass)
    size = fft.next_fast_len(2 * side, real=True)  # so that opposite borders do not meet
    steps = (fft.fftfreq(size, 1 / size) * cell).astype(np.float32)
    right, up = steps[:, None], steps[None, :]
    closeness = 1 / (1 + right**2 + up**2)
    spectrum = fft.rfft2(mass, (size, size))

    def convolved(kernel: Array) -> Array:
        return fft.irfft2(spectrum * fft.rfft2(kernel), (size, size))[:side, :side]

    force = convolved(right * closeness**2) + 1j * convolved(up * closeness**2)
    return force, float(np.sum(mass * convolved(closeness), dtype=np.float64))


def draw_by_groups(weights: Any, n_iter: int, rng: np.random.Generator) -> Positions:
    """Draw the graph between groups of vertices, and spread each group among its neighbours."""
    n = weights.shape[0]
    centres = np.sort(rng.choice(n, N_GROUPS, replace=False))
    groups = np.full(n, -1)
    groups[centres] = np.arange(N_GROUPS)
    groups = absorb(weights, groups)
    joins = sparse.csr_array((np.ones(n), (np.arange(n), groups)), shape=(n, N_GROUPS))
    drawn = draw_graph(edge_weights(strongest_edges(check_graph(joins.T @ weights @ joins), rng)), n_iter, rng)

    part = connected_parts(weights)
    reached = np.isin(part, part[centres])
    positions = spread_around(weights, drawn[groups], rng)
    positions[~reached] = around(positions[reached], part[~reached], rng)
    return positions


def spread_around(weights: Any, positions: Positions, rng: np.random.Generator) -> Positions:
    """Vertices on their way to the mean of their neighbours, and a little beside it."""
    shares = relative_to(weights, weights.sum(axis=1)).astype(np.complex64)
    means = sparse.csr_array((shares, weights.indices, weights.indptr), shape=weights.shape)
    here = np.diff(weights.indptr) == 0
    for _ in range(SPREADING_STEPS):
        positions = 0.5 * (positions + np.where(here, positions, means @ positions))
    jitter = rng.standard_normal((len(positions), 2), dtype=np.float32) @ np.array([1, 1j], dtype=np.complex64)
    # As far as two of the groups are from each other, were they evenly spread.
    spacing = float(np.abs(positions - positions.mean()).std()) / N_GROUPS**0.5
    return (positions + np.float32(spacing) * jitter).astype(np.complex64)


def around(drawn: Positions, part: Array, rng: np.random.Generator) -> Positions:
    """Spots for the parts of the graph that no group is in: on a ring as dense as what it surrounds."""
    numbers = np.unique(part, return_inverse=True)[1]
    n_parts = int(numbers.max(initial=-1)) + 1
    centre = drawn.mean()
    radius = np.abs(drawn - centre).max() * np.sqrt(1.1 + rng.random(n_parts) * len(part) / len(drawn))
    spots = centre + radius * np.exp(2j * np.pi * rng.random(n_parts))
    return np.asarray(spots[numbers], dtype=np.complex64)


def in_unit_square(positions: Positions) -> npt.NDArray[np.float32]:
    """Moved and scaled into the unit square, centred, its longer side filled."""
    points = np.column_stack([positions.real, positions.imag]).astype(np.float64)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    extent = float(np.ptp(points, axis=0).max())
    scaled = (points - middle) / (extent if extent > 0 else 1.0) + 0.5
    return np.clip(scaled, 0, 1).astype(np.float32)
