"""A clustering from the edges alone: segments of the graph are merged into K groups, several times, and combined.

A graph of ten thousand rows has too many labellings to search. Its segments, a few for every cluster wanted, have few
enough: on the contracted graph a good merge is found in well under a second. Where merges of different segmentations
agree, rows stay together; what they dispute is searched once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from slkmodes.agglomeration import CUT_PRICE, TINY, agglomerate, cheapest, entropy_term, own_cost, total_cost
from slkmodes.engines import native_available
from slkmodes.engines.protocol import Engine
from slkmodes.labelled_graph import connected_parts, group_weights, sparse_weights_between, vote, weights_between
from slkmodes.metrics import adjusted_rand_index
from slkmodes.segmentation import keep_large, segment, smoothed_columns
from slkmodes.telling import Say, keep_quiet

Array = npt.NDArray[Any]
Labels = npt.NDArray[np.int64]

# Changes of mind about the best merge before it is taken, and how much looking at moves they may cost.
PERTURBATIONS = 50
MOVES_LOOKED_AT = 500_000
LEANING_STEPS = 30
# Rounds in which every row may join the group of most of its neighbours.
SETTLING_ROUNDS = 5
# Up to so many groups all pairs of segments are looked at, and several runs are combined.
MOST_GROUPS = 100
# One row in so many may be a segment of its own where clusterings are laid over each other.
FINEST_SHARE = 20_000


class GraphGroups(NamedTuple):
    """A clustering of the rows, and how far the runs it was combined from agree (mean adjusted Rand index)."""

    labels: Labels
    agreement: float | None  # None: there was nothing to compare


def graph_groups(
    engine: Engine,
    affinity: Any,
    n_clusters: int,
    n_runs: int,
    rng: np.random.Generator,
    say: Say = keep_quiet,
) -> GraphGroups:
    """A label from 0 to ``n_clusters - 1`` for every row, from ``n_runs`` segmentations of the graph.

    Where the graph has exactly that many connected parts, they are the groups, however unequal.
    """
    parts, n_threads = connected_parts(affinity), engine.n_threads
    if parts.max() + 1 == n_clusters:
        return GraphGroups(parts, 1.0)
    if n_clusters > MOST_GROUPS:
        return GraphGroups(many_groups(engine, affinity, n_clusters, rng), None)
    runs = []
    smoothed = smoothed_columns(engine, affinity, n_clusters, n_runs, rng)
    say(f"first clustering: 0 of {n_runs}")
    for columns in smoothed:
        segments = segment(affinity, n_clusters, columns, rng, n_threads)
        if segments.max() < n_clusters:  # nothing to merge
            return GraphGroups(segments, None)
        labels = ContractedGraph(affinity, segments, n_threads).merge(n_clusters, rng)[segments]
        runs.append(settle(affinity, labels, n_threads))
        say(f"first clustering: {len(runs)} of {n_runs}, merged from {int(segments.max()) + 1} segments")
    if n_runs == 1:
        return GraphGroups(runs[0], None)
    say(f"first clustering: combining the {n_runs}")
    pairs = [adjusted_rand_index(a, b) for i, a in enumerate(runs) for b in runs[:i]]
    return GraphGroups(overlay(affinity, runs, n_clusters, rng, n_threads), float(np.mean(pairs)))


def many_groups(engine: Engine, affinity: Any, n_clusters: int, rng: np.random.Generator) -> Labels:
    """One segmentation, of which only joined segments are merged: all pairs of them would be too many."""
    (columns,) = smoothed_columns(engine, affinity, n_clusters, 1, rng)
    segments = segment(affinity, n_clusters, columns, rng, engine.n_threads)
    if segments.max() < n_clusters:
        return segments
    merged = agglomerate(contract(affinity, segments), n_clusters)[segments]
    return settle(affinity, merged, engine.n_threads)


def overlay(
    affinity: Any, runs: Sequence[Labels], n_clusters: int, rng: np.random.Generator, n_threads: int = 1
) -> Labels:
    """The best merge of the parts that no run divides, or the best run should that describe the graph better."""
    parts = np.zeros(len(runs[0]), dtype=np.int64)
    for labels in runs:
        parts = np.unique(parts * n_clusters + labels, return_inverse=True)[1]
    segments = keep_large(affinity, parts, n_clusters, max(3, len(parts) // FINEST_SHARE), n_threads)
    if segments.max() < n_clusters:  # the runs agree
        return runs[0]
    starts = [majority(segments, labels, n_clusters) for labels in runs]
    merged = ContractedGraph(affinity, segments, n_threads).merge(n_clusters, rng, starts)
    complete = [settle(affinity, merged[segments], n_threads), *runs]
    return min(complete, key=lambda labels: description_cost(affinity, labels, n_threads))


def majority(segments: Labels, labels: Labels, n_clusters: int) -> Labels:
    """The label most rows of each segment have."""
    counts = np.bincount(segments * n_clusters + labels, minlength=(int(segments.max()) + 1) * n_clusters)
    return counts.reshape(-1, n_clusters).argmax(axis=1)


def settle(affinity: Any, labels: Labels, n_threads: int = 1) -> Labels:
    """Let every row join the group that most of its neighbours are in, a few times; ties change nothing."""
    ties = 1e-3 * float(affinity.sum()) / len(labels)
    for _ in range(SETTLING_ROUNDS):
        settled = vote(affinity, labels, ties, n_threads)
        if np.count_nonzero(np.bincount(settled)) < np.count_nonzero(np.bincount(labels)):
            break
        labels = settled
    return labels


def description_cost(affinity: Any, labels: Labels, n_threads: int = 1) -> float:
    """What merges minimise, at a clustering of the rows: lower describes the graph better (needs no classes)."""
    inside, volume = group_weights(affinity, labels, int(labels.max()) + 1, n_threads)
    total = max(volume.sum(), TINY)
    return total_cost(inside / total, volume / total)


def contract(affinity: Any, segments: Labels) -> Any:
    """Segments as nodes: what share of all edges lies in and between them, symmetric, CSR."""
    return shares(sparse_weights_between(affinity, segments, int(segments.max()) + 1))


def shares(weights: Any) -> Any:
    """Of all edges."""
    return weights / max(weights.sum(), TINY)


class ContractedGraph:
    """Segments as nodes; merges minimise a description length plus a price on the normalised cut.

    For groups with shares p_l of the volume and q_l of the cut edges, and Q = sum_l q_l, the two-level map equation
    (Rosvall and Bergstrom, PNAS 2008) is, up to a constant, ``Q log Q - 2 sum_l q_l log q_l + sum_l (p_l + q_l)
    log(p_l + q_l)``: nats per step to tell where a random walk on the graph is. The price adds ``CUT_PRICE * q_l /
    p_l``.
    """

    def __init__(self, affinity: Any, segments: Labels, n_threads: int = 1) -> None:
        self.weights = shares(weights_between(affinity, segments, n_threads))
        self.volumes = self.weights.sum(axis=1)

    def merge(self, n_groups: int, rng: np.random.Generator, starts: Sequence[Labels] = ()) -> Labels:
        """The best labels of the segments found: agglomerate, improve, then perturb and improve again."""
        complete = [labels for labels in starts if len(np.unique(labels)) == n_groups]
        improved = [self.improve(labels, n_groups) for labels in [self.agglomerate(n_groups), *complete]]
        best, lowest = min(improved, key=lambda pair: pair[1])
        looks = MOVES_LOOKED_AT // (n_groups * len(self.volumes))
        for _ in range(min(PERTURBATIONS, looks) if n_groups > 1 else 0):
            labels, value = self.improve(self.perturb(best, n_groups, rng), n_groups)
            if value < lowest - 1e-12 and len(np.unique(labels)) == n_groups:
                best, lowest = labels, value
        return best

    def agglomerate(self, n_groups: int) -> Labels:
        """Merge the pair of groups whose merge costs least, until ``n_groups`` are left."""
        if native_available():
            from slkmodes import _kernels

            labels = np.empty(len(self.volumes), dtype=np.int64)
            _kernels.agglomerate(self.weights, self.volumes, n_groups, CUT_PRICE, labels)
            return np.unique(labels, return_inverse=True)[1]
        between, volume = self.weights.copy(), self.volumes.copy()
        own, cut = own_cost(np.diag(between), volume)
        labels, alive = np.arange(len(volume)), np.ones(len(volume), dtype=bool)

        def merged_with(a: int) -> tuple[Array, Array]:
            """By how much the own costs and the cut change when group ``a`` takes in each of the others."""
            joined, joined_cut = own_cost(between[a, a] + np.diag(between) + 2 * between[a], volume[a] + volume)
            possible = alive & (np.arange(len(volume)) != a)
            return np.where(possible, joined - own[a] - own, np.inf), joined_cut - cut[a] - cut

        change, change_of_cut = (np.stack(rows) for rows in zip(*map(merged_with, range(len(volume))), strict=True))
        for _ in range(len(volume) - n_groups):
            a, b = divmod(cheapest(change, change_of_cut, cut.sum()), len(volume))
            between[a] += between[b]
            between[:, a] += between[:, b]
            volume[a] += volume[b]
            (own[a],), (cut[a],) = own_cost(between[a, a, None], volume[a, None])
            cut[b], alive[b] = 0.0, False
            labels[labels == b] = a
            change[b] = change[:, b] = np.inf
            change[a], change_of_cut[a] = merged_with(a)
            change[:, a], change_of_cut[:, a] = change[a], change_of_cut[a]
        return np.unique(labels, return_inverse=True)[1]

    def improve(self, labels: Labels, n_groups: int) -> tuple[Labels, float]:
        """Move one segment at a time to where it saves most, until no move saves; no group is emptied."""
        labels = labels.copy()
        if native_available():
            from slkmodes import _kernels

            return labels, _kernels.improve(self.weights, self.volumes, n_groups, CUT_PRICE, labels)
        member = np.eye(n_groups)[labels]
        own_weight, rows = np.diag(self.weights), np.arange(len(labels))
        ties, volume, counts = self.weights @ member, self.volumes @ member, np.bincount(labels, minlength=n_groups)
        inside = np.einsum("il,il->l", member, ties)
        while True:
            own, cut = own_cost(inside, volume)
            left, left_cut = own_cost(
                inside[labels] - 2 * ties[rows, labels] + own_weight, volume[labels] - self.volumes
            )
            joined, joined_cut = own_cost(inside + 2 * ties + own_weight[:, None], volume + self.volumes[:, None])
            total_cut = cut.sum() + (left_cut - cut[labels])[:, None] + joined_cut - cut
            cost_after = (left - own[labels])[:, None] + joined - own + entropy_term(np.maximum(total_cut, 0.0))
            cost_after[rows, labels] = np.inf
            cost_after[counts[labels] == 1] = np.inf
            mover, target = (int(i) for i in np.unravel_index(np.argmin(cost_after), cost_after.shape))
            now = float(entropy_term(cut.sum()))
            if not cost_after[mover, target] < now - 1e-12:
                return labels, float(own.sum()) + now
            source = labels[mover]
            inside[source] += own_weight[mover] - 2 * ties[mover, source]
            inside[target] += own_weight[mover] + 2 * ties[mover, target]
            volume[source] -= self.volumes[mover]
            volume[target] += self.volumes[mover]
            ties[:, source] -= self.weights[:, mover]
            ties[:, target] += self.weights[:, mover]
            counts[source] -= 1
            counts[target] += 1
            labels[mover] = target

    def perturb(self, labels: Labels, n_groups: int, rng: np.random.Generator) -> Labels:
        """Merge two groups at random and split one in two around two of its segments."""
        labels = labels.copy()
        kept, freed = rng.choice(n_groups, 2, replace=False)
        labels[labels == freed] = kept
        members = np.flatnonzero(labels == labels[rng.integers(len(labels))])
        if len(members) > 1:
            poles = rng.choice(len(members), 2, replace=False)
            labels[members[self.leaning(members, poles) > 0]] = freed
        return labels

    def leaning(self, members: Labels, poles: Labels) -> Array:
        """Which of two members each member is nearer to, from -1 to 1: the harmonic function between them."""
        walk = self.weights[np.ix_(members, members)]
        walk = walk / np.maximum(walk.sum(axis=1, keepdims=True), 1e-12)
        potential = np.zeros(len(members))
        for _ in range(LEANING_STEPS):
            potential = walk @ potential
            potential[poles] = -1.0, 1.0
        return potential
