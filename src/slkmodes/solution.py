"""What the solver yields and returns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.mode_kernels import Modes

Array = npt.NDArray[Any]


class Status(Enum):
    """How a run ended; the value is the sentence a user reads."""

    CONVERGED = "The modes stopped changing."
    CYCLED = (
        "The modes came back to an earlier set instead of settling; the last set is returned. "
        "Set mode_update='density', warm_memberships=True and diagonal_shift='auto', which cannot cycle."
    )
    ITERATION_LIMIT = (
        "The modes were still changing after max_iter mode updates. Increase max_iter, or set "
        "warm_memberships=True, which settles sooner."
    )
    SWEEP_LIMIT = (
        "The memberships were still changing after max_sweeps sweeps. Increase max_sweeps, or tol if the "
        "changes are small."
    )
    OSCILLATED = (
        "The memberships swing to and fro between two states, as sweeps may on an affinity that is not positive "
        "semi-definite. Set diagonal_shift='auto', which rules it out, or decrease laplacian_weight."
    )
    EMPTY_CLUSTERS = (
        "Some clusters ended without a member: for these data the neighbours pull too strongly, or there are fewer "
        "different samples than clusters. Decrease laplacian_weight, n_neighbors or n_clusters, or raise n_init."
    )

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Step:
    """One outer iteration as kept in ``history_``: what the paper's figures 3 and 4 plot."""

    relaxed_objectives: tuple[float, ...]  # R before the first sweep and after each but the last
    mode_shifts: npt.NDArray[np.float64]  # how far this step's mode update moved each mode
    cluster_sizes: npt.NDArray[np.int64]
    reseeded: tuple[int, ...]  # clusters that had died and were given a new mode


@dataclass(frozen=True)
class State:
    """The solver between two outer iterations; ``memberships`` belong to the engine."""

    modes: Modes
    memberships: Any
    labels: npt.NDArray[np.int64]
    step: Step
    status: Status | None  # None: not finished


@dataclass(frozen=True)
class Solution:
    """The answer of one run."""

    modes: Modes
    memberships: Any  # an array, or CSR where each row keeps its largest only
    labels: npt.NDArray[np.int64]
    relaxed_objective: float
    discrete_objective: float
    status: Status
    history: tuple[Step, ...]

    @property
    def n_empty(self) -> int:
        """Clusters without a member."""
        return int(np.count_nonzero(self.history[-1].cluster_sizes == 0))
