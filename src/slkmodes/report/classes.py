"""Known classes beside the clusters: scores, and which class is where. Classes are never used to cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from slkmodes.metrics import adjusted_rand_index, clustering_accuracy, normalized_mutual_information
from slkmodes.report.content import OWNER, check_length

MOST_DISTINCT = 10_000
# What fits into a table.
MOST_CLASSES = 30
MOST_CLUSTERS = 30


class Classes(NamedTuple):
    """The classes' names, and the class of each sample (-1: not known)."""

    names: list[str]
    codes: npt.NDArray[np.int64]


def read_classes(labels: Any, label_names: Any, n_samples: int) -> Classes | None:
    """Classes from labels of any type; None, NaN and NA are samples whose class is not known."""
    if labels is None:
        return None
    check_length("labels", labels, n_samples)
    values = np.asarray(labels, dtype=object).ravel().tolist()
    known = [_is_known(value) for value in values]
    distinct = sorted({_plain(value) for value, is_known in zip(values, known, strict=True) if is_known}, key=_rank)
    if len(distinct) > MOST_DISTINCT:
        raise ValueError(
            f"labels of {OWNER} must be classes, at most {MOST_DISTINCT:,} of them; got {len(distinct):,}. Names of "
            "single samples may be a column of X."
        )
    number = {value: code for code, value in enumerate(distinct)}
    codes = [number[_plain(value)] if is_known else -1 for value, is_known in zip(values, known, strict=True)]
    return Classes([_name(value, label_names) for value in distinct], np.array(codes, dtype=np.int64))


def scores(classes: Classes, clusters: npt.NDArray[np.int64], n_clusters: int) -> dict[str, Any] | None:
    """Agreement of clusters and classes over the samples whose class is known; None where none is."""
    known = classes.codes >= 0
    if not known.any():
        return None
    true, found = classes.codes[known], clusters[known]
    counts = np.zeros((len(classes.names), n_clusters), dtype=np.int64)
    np.add.at(counts, (true, found), 1)
    rows = np.argsort(-counts.sum(axis=1), kind="stable")[:MOST_CLASSES]
    rows.sort()
    columns = _beside_their_classes(counts)[:MOST_CLUSTERS]
    return {
        "n_known": int(known.sum()),
        "accuracy": clustering_accuracy(true, found),
        "normalized_mutual_information": normalized_mutual_information(true, found),
        "adjusted_rand_index": adjusted_rand_index(true, found),
        "n_classes": len(classes.names),
        "n_clusters": n_clusters,
        "confusion": {
            "classes": [classes.names[row] for row in rows],
            "clusters": columns,
            "counts": counts[np.ix_(rows, np.array(columns))].tolist(),
        },
    }


def majority(classes: Classes, members: npt.NDArray[np.int64]) -> tuple[str, float] | tuple[None, None]:
    """The class most of the members are of, and which share of those whose class is known."""
    own = classes.codes[members]
    counts = np.bincount(own[own >= 0], minlength=1)
    if not counts.sum():
        return None, None
    return classes.names[int(counts.argmax())], float(counts.max() / counts.sum())


def _beside_their_classes(counts: npt.NDArray[np.int64]) -> list[int]:
    """Clusters in the order of the classes they match one to one, then the others."""
    from scipy.optimize import linear_sum_assignment

    _, matched = linear_sum_assignment(counts, maximize=True)
    rest = [cluster for cluster in range(counts.shape[1]) if cluster not in set(matched.tolist())]
    return [*matched.tolist(), *rest]


def _is_known(value: Any) -> bool:
    try:
        return value is not None and bool(value == value)
    except TypeError:  # pandas.NA will not say
        return False


def _plain(value: Any) -> Any:
    """Numbers that are whole as int, so that 3 and 3.0 are one class; everything else that is no number as text."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool | int):
        return int(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    return str(value)


def _rank(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value


def _name(value: Any, label_names: Any) -> str:
    if label_names is None:
        return str(value)
    try:
        if isinstance(label_names, Mapping) or (isinstance(value, int) and value >= 0):
            return str(label_names[value])
    except LookupError:
        pass
    raise ValueError(
        f"label_names of {OWNER} must name every class, by its number or as a dict; none is for {value!r}."
    )
