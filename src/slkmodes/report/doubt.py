"""How certain each sample is of its cluster, and which cluster comes second."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

Array = npt.NDArray[Any]

N_BINS = 20


class Doubt(NamedTuple):
    """Per sample: the membership in its own cluster, the cluster that comes second (-1: none), and that membership."""

    own: npt.NDArray[np.float64]
    second: npt.NDArray[np.int64]
    other: npt.NDArray[np.float64]

    @property
    def margin(self) -> npt.NDArray[np.float64]:
        """How far the second cluster is behind."""
        return self.own - self.other


def doubt_of(memberships: Any, labels: npt.NDArray[np.int64]) -> Doubt:
    """The two memberships that matter, from an array or from a CSR matrix of the largest ones."""
    return (_of_sparse if sparse.issparse(memberships) else _of_dense)(memberships, labels)


def _of_dense(memberships: Array, labels: npt.NDArray[np.int64]) -> Doubt:
    rows = np.arange(len(labels))
    own = memberships[rows, labels].astype(np.float64)
    if memberships.shape[1] == 1:
        return Doubt(own, np.full(len(labels), -1), np.zeros(len(labels)))
    others = memberships.copy()
    others[rows, labels] = -1
    second = others.argmax(axis=1)
    return Doubt(own, second, others[rows, second].astype(np.float64))


def _of_sparse(memberships: Any, labels: npt.NDArray[np.int64]) -> Doubt:
    n_samples = len(labels)
    row = np.repeat(np.arange(n_samples), np.diff(memberships.indptr))
    column, value = memberships.indices, memberships.data.astype(np.float64)
    own, second, other = np.zeros(n_samples), np.full(n_samples, -1), np.zeros(n_samples)
    mine = column == labels[row]
    own[row[mine]] = value[mine]
    row, column, value = row[~mine], column[~mine], value[~mine]
    rising = np.lexsort((-column, value, row))  # the last one written of each row is its largest
    second[row[rising]] = column[rising]
    other[row[rising]] = value[rising]
    return Doubt(own, second, other)


def confidence_histogram(doubt: Doubt) -> dict[str, Any]:
    """How many samples have their largest membership in each of twenty bins from 0 to 1."""
    counts, edges = np.histogram(np.clip(doubt.own, 0, 1), bins=N_BINS, range=(0, 1))
    return {"edges": edges.round(10).tolist(), "counts": counts.tolist(), "mean": float(doubt.own.mean())}
