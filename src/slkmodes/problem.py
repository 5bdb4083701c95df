"""What is solved, and how: two frozen records that the solver and every engine read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from slkmodes.mode_kernels import ModeKernel


@dataclass(frozen=True)
class Problem:
    """The constants of eqs. (1) and (2), and the balance of cluster sizes, which the paper does not have."""

    kernel: ModeKernel
    affinity: Any  # scipy CSR, n x n, no diagonal
    n_clusters: int
    laplacian_weight: float
    diagonal_shift: float = 0.0
    balance: float = 0.0  # beta; 0 is the paper's model

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.kernel.n_samples


@dataclass(frozen=True)
class Method:
    """The choices of Algorithm 1."""

    mode_update: str = "argmax"
    warm_memberships: bool = False  # start the z-updates from the last Z, not from softmax(a)
    reseed_empty: bool = True
    tol: float = 1e-6
    max_iter: int = 50
    max_sweeps: int = 1000
