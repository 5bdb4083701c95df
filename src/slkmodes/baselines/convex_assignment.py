"""The convex assignment problem of Laplacian K-modes, by accelerated projected gradients."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from slkmodes.affinity import smallest_eigenvalue_bound
from slkmodes.baselines.normalized_cut import normalized_adjacency
from slkmodes.baselines.simplex import project_rows

Array = npt.NDArray[Any]

# Steps between two looks at the residual, which costs as much as a step.
STEPS_PER_LOOK = 10
# Rows without edges have no curvature: their steps are as long as rounding allows.
LEAST_CURVATURE = 1e-12


@dataclass(frozen=True)
class LaplacianTerm:
    """``tr(Z'LZ) / 2``, lambda included, and for every row a bound of its curvature: diag(curvature) - L is psd."""

    matrix: Any  # lambda L, scipy CSR
    curvature: npt.NDArray[np.float64]

    @classmethod
    def of(cls, affinity: Any, laplacian_weight: float) -> LaplacianTerm:
        """The term of a graph; a directed edge counts half a pair.

        With the largest eigenvalue s of D^-1/2 L D^-1/2 the bound is s D. A row of few edges may then take longer
        steps than one of many, as it may not with the largest eigenvalue of L; and since a row has one curvature in
        all directions, its projection stays the Euclidean one.
        """
        W = sparse.csr_array(affinity, dtype=np.float64)
        normalized, degree = normalized_adjacency(W)
        laplacian = laplacian_weight * sparse.csr_array(sparse.diags_array(degree) - (W + W.T) * 0.5)
        largest = 1.0 - smallest_eigenvalue_bound(normalized) if normalized.nnz else 1.0
        curvature = np.maximum(laplacian_weight * largest * degree, LEAST_CURVATURE)
        return cls(laplacian, curvature[:, None])


@dataclass(frozen=True)
class Assignment:
    """Minimise ``tr(Z'LZ) / 2 - sum_pl z_pl a_pl`` over Z with rows on the simplex."""

    term: LaplacianTerm
    similarity: npt.NDArray[np.float64]

    def objective(self, Z: Array) -> float:
        """The value at Z."""
        return float(np.sum(Z * (0.5 * (self.term.matrix @ Z) - self.similarity)))

    def gradient(self, Z: Array) -> Array:
        """The slope at Z."""
        return np.asarray(self.term.matrix @ Z - self.similarity)

    def kkt_residual(self, Z: Array) -> float:
        """How far a projected gradient step goes, relative to Z: 0 at the minimum and nowhere else."""
        return float(np.linalg.norm(Z - project_rows(Z - self.gradient(Z))) / np.linalg.norm(Z))


def solve(assignment: Assignment, Z: Array, tol: float, max_steps: int) -> Array:
    """Nesterov's method from Z to a KKT residual of ``tol``, without momentum again whenever it leads uphill."""
    curvature = assignment.term.curvature
    ahead, momentum = Z, 1.0
    for step in range(max_steps):
        if step % STEPS_PER_LOOK == 0 and assignment.kkt_residual(Z) <= tol:
            break
        before, Z = Z, project_rows(ahead - assignment.gradient(ahead) / curvature)
        if np.sum(curvature * (ahead - Z) * (Z - before)) > 0:
            momentum = 1.0
        grown = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead = Z + (momentum - 1) / grown * (Z - before)
        momentum = grown
    return Z
