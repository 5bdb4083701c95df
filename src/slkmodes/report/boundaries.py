"""What lies between clusters: the edges that cross, and the samples that cannot decide."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from slkmodes.labelled_graph import sparse_weights_between
from slkmodes.report.doubt import Doubt

Pair = tuple[int, int]

MOST_PAIRS = 24
SAMPLES_PER_PAIR = 4
# A sample whose second cluster is farther behind lies between nothing.
WIDEST_MARGIN = 0.75
# So many clusters fit into a table of all pairs.
MOST_IN_TABLE = 24


def describe_boundaries(affinity: Any, labels: npt.NDArray[np.int64], doubt: Doubt, n_clusters: int) -> dict[str, Any]:
    """Pairs of clusters by the weight between them, with the samples that are least decided.

    ``share`` is the weight as a part of all edges of the smaller of both clusters; ``shares`` the same as a table.
    """
    between = sparse_weights_between(affinity, labels, n_clusters)
    volume = between.sum(axis=1)
    undecided = undecided_samples(labels, doubt)
    crossing = sparse.coo_array(sparse.triu(between, k=1))
    pairs = zip(crossing.row.tolist(), crossing.col.tolist(), strict=True)
    weights: dict[Pair, float] = dict.fromkeys(undecided, 0.0) | dict(zip(pairs, crossing.data.tolist(), strict=True))

    def share(pair: Pair) -> float:
        smaller = float(min(volume[pair[0]], volume[pair[1]]))
        return weights.get(pair, 0.0) / smaller if smaller > 0 else 0.0

    ranked = sorted(weights, key=lambda pair: (-weights[pair], pair))
    numbers = range(n_clusters)
    return {
        "n_pairs": len(ranked),
        "pairs": [
            {
                "clusters": list(pair),
                "weight": weights[pair],
                "share": share(pair),
                "samples": undecided.get(pair, []),
            }
            for pair in ranked[:MOST_PAIRS]
        ],
        "shares": [[share((min(a, b), max(a, b))) if a != b else None for b in numbers] for a in numbers]
        if 1 < n_clusters <= MOST_IN_TABLE
        else None,
    }


def undecided_samples(labels: npt.NDArray[np.int64], doubt: Doubt) -> dict[Pair, list[dict[str, Any]]]:
    """Per pair of clusters (with members) the samples whose two largest memberships are these, closest first."""
    rows = np.flatnonzero((doubt.margin < WIDEST_MARGIN) & np.isin(doubt.second, labels))
    found: dict[Pair, list[dict[str, Any]]] = {}
    for row in rows[np.argsort(doubt.margin[rows], kind="stable")].tolist():
        own, second = int(labels[row]), int(doubt.second[row])
        samples = found.setdefault((min(own, second), max(own, second)), [])
        if len(samples) < SAMPLES_PER_PAIR:
            memberships = [float(doubt.own[row]), float(doubt.other[row])]
            samples.append({"row": row, "clusters": [own, second], "memberships": memberships})
    return found
