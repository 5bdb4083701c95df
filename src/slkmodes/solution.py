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
        "Set warm_memberships=True or mode_update='density', which cannot cycle."
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
        "Some clusters ended without a member. Decrease laplacian_weight or n_clusters, or give other seeds (init, "
        "random_state, n_init)."
    )


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
    memberships: Array
    labels: npt.NDArray[np.int64]
    relaxed_objective: float
    discrete_objective: float
    status: Status
    history: tuple[Step, ...]
