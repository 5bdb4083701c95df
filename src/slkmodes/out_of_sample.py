"""Labels and memberships of rows that were not there when the model was fitted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from slkmodes.affinity import WEIGHTS
from slkmodes.engines.numpy_engine import hard_labels, softmax
from slkmodes.engines.protocol import Engine
from slkmodes.mode_kernels import GaussianKernel, Modes
from slkmodes.neighbors import NeighborIndex, Neighbors
from slkmodes.ordering import RowOrder
from slkmodes.problem import Problem

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Fitted:
    """What prediction needs of a fit; its rows are in working order."""

    problem: Problem
    modes: Modes
    memberships: Any  # an array, or CSR where each row keeps its largest only
    labels: npt.NDArray[np.int64]
    index: NeighborIndex | None  # None: the affinity was given
    neighbors: Neighbors | None  # of the training rows
    weights: str
    n_neighbors: int
    order: RowOrder
    top_memberships: int | None


class Extension(NamedTuple):
    """New rows seen by the fitted model."""

    logits: Array  # a + lambda b: what the memberships are the softmax of, eq. (8)
    twin: npt.NDArray[np.int64]  # the training row that a new row equals, or -1


def similarity_to_modes(fitted: Fitted, engine: Engine, X: Any) -> Array:
    """k(x, m_l) of new rows: features, or the affinities of each new row to the training rows."""
    kernel = fitted.problem.kernel
    if not isinstance(kernel, GaussianKernel):
        return np.asarray(X[:, fitted.modes.rows].toarray())
    edgeless = sparse.csr_array((len(X), len(X)), dtype=kernel.dtype)
    newcomers = Problem(replace(kernel, X=X), edgeless, fitted.problem.n_clusters, 0.0)
    placed = engine.place(newcomers)
    return np.array(engine.fetch(engine.similarity(placed, fitted.modes)), order="C")


def extend(fitted: Fitted, engine: Engine, X: Any, n_threads: int) -> Extension:
    """See new rows with the fitted model, eq. (6) with the training memberships held fixed.

    A row equal to a training row is that row: its neighbours are the ones it has in the graph. The balance of sizes
    is between training rows: a new row that resembles nothing shall not go to the smallest cluster for it.
    """
    Z, problem = fitted.memberships, fitted.problem
    if fitted.index is None:
        pull, twin = dense(X @ Z), np.full(X.shape[0], -1)
    else:
        assert isinstance(problem.kernel, GaussianKernel)  # only features have an index
        assert fitted.neighbors is not None
        indices, distances = fitted.index.query(X, n_threads)
        found = Neighbors(indices, distances)
        weights = WEIGHTS[fitted.weights](found, fitted.neighbors, fitted.n_neighbors, problem.kernel.bandwidth)
        starts = np.arange(0, indices.size + 1, indices.shape[1])
        pull = dense(sparse.csr_array((weights.ravel(), indices.ravel(), starts), shape=(len(X), Z.shape[0])) @ Z)
        twin = fitted.index.twins(X, (indices, distances), n_threads)
        known = np.flatnonzero(twin >= 0)
        rows = twin[known]
        pull[known] = dense(problem.affinity[rows] @ Z + Z.dtype.type(problem.diagonal_shift) * Z[rows])
    logits = similarity_to_modes(fitted, engine, X) + Z.dtype.type(problem.laplacian_weight) * pull
    return Extension(logits, twin)


def dense(matrix: Any) -> Array:
    """A CSR matrix as an array; an array as it is."""
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray())


def memberships(fitted: Fitted, extension: Extension) -> Array:
    """Eq. (8) for new rows, all or the largest; the fitted memberships for training rows."""
    logits = extension.logits
    if fitted.top_memberships is not None:
        least = -np.partition(-logits, fitted.top_memberships - 1, axis=1)[:, fitted.top_memberships - 1]
        logits = np.where(logits >= least[:, None], logits, -np.inf)
    Z = softmax(logits)
    known = extension.twin >= 0
    Z[known] = dense(fitted.memberships[extension.twin[known]])
    return Z


def labels(fitted: Fitted, extension: Extension, X: Any) -> npt.NDArray[np.int64]:
    """The fit's own rule: the largest membership, the nearest mode where several are equal."""
    kernel = fitted.problem.kernel
    newcomers = replace(kernel, X=X) if isinstance(kernel, GaussianKernel) else kernel
    found = hard_labels(memberships(fitted, extension), newcomers, fitted.modes)
    known = extension.twin >= 0
    found[known] = fitted.labels[extension.twin[known]]
    return found
