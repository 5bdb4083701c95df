"""How good is a clustering: against known classes, and on the graph alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from slkmodes.labelled_graph import group_weights

__all__ = [
    "adjusted_rand_index",
    "clustering_accuracy",
    "normalized_cut",
    "normalized_mutual_information",
]

Array = npt.NDArray[Any]


def clustering_accuracy(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> float:
    """Share of samples labelled right under the best one-to-one naming of the clusters (ACC).

    ``max_f (1/n) sum_p [labels_true_p = f(labels_pred_p)]`` over one-to-one maps f from clusters to classes,
    found by the Hungarian method. Clusters beyond the number of classes match nothing.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Classes and clusters; any values, names are not compared.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> clustering_accuracy([0, 0, 1, 1], [7, 7, 3, 7])
    0.75
    """
    from scipy.optimize import linear_sum_assignment
    from sklearn.metrics.cluster import contingency_matrix

    counts = contingency_matrix(*_check_pair(labels_true, labels_pred))
    classes, clusters = linear_sum_assignment(counts, maximize=True)
    return float(counts[classes, clusters].sum() / counts.sum())


def normalized_mutual_information(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> float:
    """Mutual information over the arithmetic mean of the two entropies (NMI).

    ``I(true; pred) / ((H(true) + H(pred)) / 2)``; 1 for equal partitions, 0 for independent ones.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Two labellings of the same samples.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> normalized_mutual_information([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    from sklearn.metrics import normalized_mutual_info_score

    return float(normalized_mutual_info_score(*_check_pair(labels_true, labels_pred)))


def adjusted_rand_index(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> float:
    """Agreement over pairs of samples, corrected for chance (ARI).

    ``(RI - E[RI]) / (max RI - E[RI])``, where RI is the share of pairs that both labellings join or both
    separate and the expectation is over random labellings of the same sizes.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Two labellings of the same samples.

    Returns
    -------
    float
        1 for equal partitions, about 0 for random ones, negative for worse.

    Examples
    --------
    >>> adjusted_rand_index([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    true, pred = (_numbers(labels) for labels in _check_pair(labels_true, labels_pred))
    both = _pairs(_counts(true, pred))
    one, other = _pairs(np.bincount(true)), _pairs(np.bincount(pred))
    if one == other == both:  # equal partitions
        return 1.0
    expected = one * other / _pairs(np.array([len(true)]))
    return (both - expected) / ((one + other) / 2 - expected)


def _counts(true: Array, pred: Array) -> Array:
    """How many samples each class and cluster share, where they share any."""
    cells = true * (int(pred.max()) + 1) + pred
    few = (int(true.max()) + 1) * (int(pred.max()) + 1) <= len(true)
    return np.bincount(cells) if few else np.unique(cells, return_counts=True)[1]


def _pairs(sizes: Array) -> int:
    """Pairs of samples within groups of these sizes."""
    return sum(size * (size - 1) // 2 for size in sizes.tolist())


def normalized_cut(affinity: Any, labels: npt.ArrayLike) -> float:
    """Sum over the clusters of cut / volume on a graph (Shi and Malik 2000); it needs no classes.

    ``sum_l (weight of edges leaving l) / (weight of edges at l)``. Between 0 (no edge leaves its cluster) and the
    number of clusters. Lower is better among labellings into the same number of clusters. A cluster without
    edges adds 1, as if all its weight left: nothing is gained by cutting off an isolated point.

    Parameters
    ----------
    affinity : sparse matrix or array of shape (n_samples, n_samples)
        The graph; a directed one is read as the average of both directions.
    labels : array-like of int, shape (n_samples,)
        The cluster of each sample.

    Returns
    -------
    float
        The normalised cut.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> path = csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> round(normalized_cut(path, [0, 0, 1]), 3)   # 1/3 + 1/1
    1.333
    """
    labels = np.asarray(labels)
    if np.ndim(affinity) != 2 or labels.shape != (affinity.shape[0],) or affinity.shape[0] != affinity.shape[1]:
        raise ValueError(
            "normalized_cut needs a square affinity and one label per row; "
            f"got shapes {np.shape(affinity)} and {labels.shape}."
        )
    graph = csr_array(affinity)
    graph.check_format(full_check=True)
    return cut_of_groups(graph, _numbers(labels))


def cut_of_groups(affinity: Any, labels: npt.NDArray[np.int64], n_threads: int = 1) -> float:
    """The normalised cut of a CSR matrix that is known to be one, by groups that are numbered."""
    sizes = np.bincount(labels)
    inside, volume = group_weights(affinity, labels, len(sizes), n_threads)
    kept = np.divide(inside, volume, out=np.zeros_like(inside), where=volume > 0)
    return float(np.sum(1.0 - kept[sizes > 0]))


def _numbers(labels: Array) -> npt.NDArray[np.int64]:
    """Labels as small numbers; those that are stay, for sorting millions takes longer than all the rest."""
    if labels.dtype.kind in "iu" and len(labels) and labels.min() >= 0 and labels.max() < len(labels):
        return np.ascontiguousarray(labels, dtype=np.int64)
    return np.unique(labels, return_inverse=True)[1]


def _check_pair(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> tuple[Array, Array]:
    true, pred = np.asarray(labels_true), np.asarray(labels_pred)
    if true.ndim != 1 or true.shape != pred.shape or not len(true):
        raise ValueError(
            "labels_true and labels_pred must be 1-d, not empty and equally long; "
            f"got shapes {true.shape} and {pred.shape}."
        )
    if any(labels.dtype.kind == "f" and np.isnan(labels).any() for labels in (true, pred)):
        raise ValueError("labels_true and labels_pred must not hold NaN: give samples without a label a number.")
    return true, pred
