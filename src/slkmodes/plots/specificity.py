"""Which columns of a non-negative table set a cluster apart: words, genes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import rel_entr

from slkmodes.plots.fitted import check_rows

Array = npt.NDArray[Any]

# So much of what the rest has is taken from all samples: what the rest has not at all is not infinitely special.
BORROWED = 0.01


class Specificity(NamedTuple):
    """Per cluster and column."""

    scores: npt.NDArray[np.float64]  # share log(share / share of the rest): high where frequent here and rare elsewhere
    lifts: npt.NDArray[np.float64]  # share / share of the rest; infinite where the rest has none

    def top(self, cluster: int, n_columns: int) -> npt.NDArray[np.int64]:
        """The columns with the highest positive scores, the highest first."""
        order = np.argsort(-self.scores[cluster], kind="stable")[:n_columns]
        return order[self.scores[cluster][order] > 0]


def check_table(owner: str, name: str, values: Any, model: Any) -> Any:
    """The values as CSR: a row per training sample, each value finite and at least 0."""
    check_rows(owner, name, values, model)
    given: Any = values if sparse.issparse(values) else np.asarray(values)
    table = sparse.csr_array(given, dtype=np.float64)
    if table.nnz and not (np.isfinite(table.data).all() and table.data.min() >= 0):
        raise ValueError(
            f"{name} of {owner} must be finite and at least 0; got values from {table.data.min()} to "
            f"{table.data.max()}. Pass counts or their logarithms, not standardised values."
        )
    return table


def specificity(table: Any, labels: Array, n_clusters: int) -> Specificity:
    """Compare each cluster's shares of the columns with those of all other samples."""
    sums = sums_by_cluster(table, labels, n_clusters)
    total = sums.sum(axis=0)
    own, overall = _shares(sums), _shares(total[None, :])
    # A single cluster is compared with columns that are all alike.
    rest = _shares(total - sums) if n_clusters > 1 else np.full_like(own, 1 / own.shape[1])
    lifts = np.divide(own, rest, out=np.full_like(own, np.inf), where=rest > 0)
    return Specificity(rel_entr(own, (1 - BORROWED) * rest + BORROWED * overall), lifts)


def sums_by_cluster(table: Any, labels: Array, n_clusters: int) -> npt.NDArray[np.float64]:
    """Column sums over the members of each cluster, of shape (n_clusters, n_columns)."""
    n = len(labels)
    joins = sparse.csr_array((np.ones(n), (labels, np.arange(n))), shape=(n_clusters, n))
    return np.asarray((joins @ table).toarray())


def _shares(sums: Array) -> Array:
    """Rows divided by their sums; a row of zeros stays."""
    whole = sums.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(sums, whole, out=np.zeros_like(sums), where=whole > 0))
