"""The two objectives of the paper, written once, in plain NumPy: the definition everything is tested by.

Notation: ``similarity`` is a, n x L, with a_pl = k(x_p, m_l); ``affinity`` is W, n x n, sparse, with
w_pq = k(x_p, x_q) in the Laplacian term; ``memberships`` is Z, n x L, rows on the simplex.

**Every pair {p, q} counts once here.** The paper's sums run over ordered pairs (it writes the Laplacian term
of E also as lambda tr(Z'LZ)), but its bound (5) loses a factor of two on the way: the slope of
``-c sum_{p,q} w_pq z_p'z_q`` over ordered pairs is ``-2 c b_p``, that of the bound is ``-lambda b_p``. So the
update (8) does not lower R as printed; it can raise it, from the first sweep on and also for a positive
semi-definite W (``tests/test_objective.py`` holds a case). It lowers R with ``c = lambda / 2``, which is
every pair counted once. This library keeps the update, and with it the meaning of ``laplacian_weight``, and
puts the factor right in the objectives: their Laplacian terms are half of those printed in eqs. (1) and (2).
E - R stays constant over hard memberships, as the paper says.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

__all__ = ["discrete_objective", "relaxed_objective"]

Array = npt.NDArray[Any]


def discrete_objective(similarity: Array, affinity: Any, labels: Array, laplacian_weight: float) -> float:
    """E of eq. (1) at a hard clustering: minus the similarity to the modes plus the cut edges.

    ``-sum_p a_(p, label_p) + (laplacian_weight / 2) * sum_{pairs} w_pq |z_p - z_q|^2``, where the squared
    distance of two hard memberships is 2 if they differ and 0 if not.

    Parameters
    ----------
    similarity : array of shape (n_samples, n_clusters)
        k(x_p, m_l).
    affinity : sparse matrix of shape (n_samples, n_samples)
        The graph. A directed edge counts half a pair.
    labels : array of int, shape (n_samples,)
        The cluster of every sample: the column of the single one in its row of Z.
    laplacian_weight : float
        lambda.

    Returns
    -------
    float
        The value of E.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> W = csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> a = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> discrete_objective(a, W, np.array([0, 1]), laplacian_weight=0.5)   # the edge is cut
    -1.5
    >>> discrete_objective(a, W, np.array([0, 0]), laplacian_weight=0.5)
    -1.0
    """
    edges = affinity.tocoo()
    cut = np.sum(edges.data, where=labels[edges.row] != labels[edges.col], dtype=np.float64)
    gain = np.sum(similarity[np.arange(len(labels)), labels], dtype=np.float64)
    return float(-gain + 0.5 * laplacian_weight * cut)


def relaxed_objective(
    similarity: Array,
    affinity: Any,
    memberships: Array,
    laplacian_weight: float,
    diagonal_shift: float = 0.0,
    balance: float = 0.0,
) -> float:
    """R(Z) of eq. (2): negative entropy minus similarity minus agreement over the edges.

    ``sum_p z_p'(log z_p - a_p) - laplacian_weight * sum_{pairs} w_pq z_p'z_q``, where the diagonal shift
    (footnote to proposition 1) adds ``-laplacian_weight * diagonal_shift / 2 * sum_p |z_p|^2``, and the balance,
    which is not in the paper, ``balance * n_samples * sum_l s_l log s_l`` with s_l the mean of column l of Z.

    Parameters
    ----------
    similarity, affinity, laplacian_weight
        As in :func:`discrete_objective`.
    memberships : array of shape (n_samples, n_clusters)
        Z, one row per sample, on the simplex.
    diagonal_shift : float, default=0.0
        The amount added to the diagonal of the affinity.
    balance : float, default=0.0
        beta, the weight of equal cluster sizes.

    Returns
    -------
    float
        The value of R.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> W = csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> a = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> relaxed_objective(a, W, np.array([[1.0, 0.0], [1.0, 0.0]]), laplacian_weight=0.5)
    -1.5
    """
    Z = np.asarray(memberships, dtype=np.float64)
    pull = affinity @ Z + diagonal_shift * Z
    sizes = Z.mean(axis=0)
    paper = np.sum(xlogy(Z, Z)) - np.sum(Z * similarity) - 0.5 * laplacian_weight * np.sum(Z * pull)
    return float(paper + balance * len(Z) * np.sum(xlogy(sizes, sizes)))
