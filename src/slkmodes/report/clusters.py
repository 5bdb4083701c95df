"""Every cluster: its size, its mode, and who is nearest to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from slkmodes.mode_updates import group_by_label
from slkmodes.plots import nearest_members
from slkmodes.report.classes import Classes, majority
from slkmodes.report.doubt import Doubt

Members = list[npt.NDArray[np.int64]]

MEMBERS_SHOWN = 6
# With more clusters than this only the largest are shown with their members.
MOST_CLUSTERS = 60


def describe_clusters(model: Any, affinity: Any, doubt: Doubt, classes: Classes | None) -> list[dict[str, Any]]:
    """One record per cluster, by number; ``nearest`` members only for those that are ``shown``."""
    n_clusters = model.memberships_.shape[1]
    groups = group_by_label(model.labels_, n_clusters)
    members = [groups.members(cluster) for cluster in range(n_clusters)]
    sizes = np.array([len(rows) for rows in members])
    largest = set(np.argsort(-sizes, kind="stable")[:MOST_CLUSTERS].tolist())
    if model.modes_ is None:
        nearest = nearest_on_graph(model.mode_indices_, affinity, doubt, members)
    else:
        nearest = nearest_members(model, MEMBERS_SHOWN)
    records = []
    for cluster, rows in enumerate(members):
        shown = cluster in largest and len(rows) > 0
        label, label_share = (None, None) if classes is None else majority(classes, rows)
        records.append(
            {
                "cluster": cluster,
                "size": len(rows),
                "share": len(rows) / len(model.labels_),
                "confidence": float(doubt.own[rows].mean()) if len(rows) else None,
                "mode": int(model.mode_indices_[cluster]) if len(rows) else None,
                "shown": shown,
                "nearest": nearest[cluster].tolist() if shown else [],
                "label": label,
                "label_share": label_share,
            }
        )
    return records


def nearest_on_graph(modes: npt.NDArray[np.int64], affinity: Any, doubt: Doubt, members: Members) -> Members:
    """Members by the weight of their edge to the mode, then by their membership; the mode left out."""
    to_modes = sparse.csc_array(affinity[:, modes])
    nearest = []
    for cluster, rows in enumerate(members):
        others = rows[rows != modes[cluster]]
        weights = to_modes[:, [cluster]].toarray()[others, 0]
        nearest.append(others[np.lexsort((-doubt.own[others], -weights))][:MEMBERS_SHOWN])
    return nearest
