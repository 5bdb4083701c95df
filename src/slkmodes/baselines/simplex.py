"""Projection of rows onto the simplex."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def project_rows(rows: Array) -> npt.NDArray[np.float64]:
    """The nearest point of the simplex for every row: ``max(row - t, 0)``, with the t at which these add up to 1.

    If the r largest entries are the ones above t, it is their sum less 1, over r; for any other r that is no
    larger. So t is the largest of these numbers, and needs no search (Held, Wolfe and Crowder 1974).

    Examples
    --------
    >>> import numpy as np
    >>> project_rows(np.array([[0.6, 0.8, -5.0]])).round(3)
    array([[0.4, 0.6, 0. ]])
    """
    rows = rows - rows.max(axis=1, keepdims=True)  # moves t, not the projection; sums of large entries would round
    falling = np.sort(rows, axis=1)[:, ::-1]
    candidates = (np.cumsum(falling, axis=1) - 1.0) / np.arange(1, rows.shape[1] + 1)
    return np.maximum(rows - candidates.max(axis=1, keepdims=True), 0.0)
