"""Groups of a graph merged two at a time, always the two whose merge costs least."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

Array = npt.NDArray[Any]
Labels = npt.NDArray[np.int64]

# What a group's share of cut edges costs against the description length, which alone would rather split a large
# cluster than leave the sizes unequal.
CUT_PRICE = 0.7
TINY = np.finfo(np.float64).tiny


def entropy_term(share: Array) -> Array:
    """``share * log(share)``, 0 at 0."""
    return share * np.log(np.maximum(share, TINY))


def own_cost(inside: Array, volume: Array) -> tuple[Array, Array]:
    """What a group costs by itself, and its share of the cut edges."""
    cut = np.maximum(volume - inside, 0.0)
    length = entropy_term(volume + cut) - 2 * entropy_term(cut)
    return length + CUT_PRICE * cut / np.maximum(volume, 1e-12), cut


def total_cost(inside: Array, volume: Array) -> float:
    """The objective that merges minimise, of groups with these shares of the edges and of their ends."""
    own, cut = own_cost(inside, volume)
    return float(own.sum() + entropy_term(cut.sum()))


def cheapest(change: Array, change_of_cut: Array, total_cut: float) -> int:
    """Which merge, in the order of memory, leaves the lowest total, the first of equal ones.

    The term of the total cut is convex, so its tangent rules out nearly all merges without their logarithms.
    """
    change, change_of_cut, total_cut = change.ravel(), change_of_cut.ravel(), max(total_cut, TINY)

    def exact(merges: Any) -> Array:
        return change[merges] + entropy_term(np.maximum(total_cut + change_of_cut[merges], 0.0))

    at_least = change_of_cut * (np.log(total_cut) + 1)
    at_least += change
    limit = exact(np.argmin(at_least)) - total_cut * np.log(total_cut)
    hopeful = np.flatnonzero(at_least <= limit + 1e-9 * (1 + abs(limit)))
    return int(hopeful[np.argmin(exact(hopeful))])


def agglomerate(weights: Any, n_groups: int) -> Labels:
    """A label for every node of a symmetric sparse matrix of edge shares, 0 to ``n_groups - 1``.

    Only joined groups are merged, but that every part of the graph is joined to the largest node, at weight 0.
    """
    merges = Merges(weights)
    for _ in range(weights.shape[0] - n_groups):
        merges.merge_cheapest()
    return np.unique(merges.labels, return_inverse=True)[1]


class Merges:
    """The groups so far, and what it would cost to merge the ones that are joined."""

    def __init__(self, weights: Any) -> None:
        self.volume = np.asarray(weights.sum(axis=1))
        self.inside = weights.diagonal()
        self.own, self.cut = own_cost(self.inside, self.volume)
        self.labels = np.arange(len(self.volume))
        edges = sparse.triu(weights, 1).tocoo()
        first, second = edges.row.astype(np.int64), edges.col.astype(np.int64)
        self.first, self.second, self.between = with_links(weights, first, second, edges.data)
        self.pairs_of: list[dict[int, int]] = [{} for _ in self.volume]
        for pair, (a, b) in enumerate(zip(self.first.tolist(), self.second.tolist(), strict=True)):
            self.pairs_of[a][b] = self.pairs_of[b][a] = pair
        self.change, self.change_of_cut = np.empty(len(self.first)), np.empty(len(self.first))
        self.price(np.arange(len(self.first)))

    def price(self, pairs: Labels) -> None:
        """By how much own costs and cut would change."""
        a, b = self.first[pairs], self.second[pairs]
        inside = self.inside[a] + self.inside[b] + 2 * self.between[pairs]
        joined, cut = own_cost(inside, self.volume[a] + self.volume[b])
        self.change[pairs] = joined - self.own[a] - self.own[b]
        self.change_of_cut[pairs] = cut - self.cut[a] - self.cut[b]

    def merge_cheapest(self) -> None:
        """The pair whose merge leaves the lowest total."""
        pair = cheapest(self.change, self.change_of_cut, self.cut.sum())
        a, b = int(self.first[pair]), int(self.second[pair])
        self.inside[a] += self.inside[b] + 2 * self.between[pair]
        self.volume[a] += self.volume[b]
        self.own[a], self.cut[a] = own_cost(self.inside[a], self.volume[a])
        self.cut[b] = 0.0
        self.labels[self.labels == b] = a
        self.forget(pair)
        for other, moved in list(self.pairs_of[b].items()):
            known = self.pairs_of[a].get(other)
            if known is not None:
                self.between[known] += self.between[moved]
                self.forget(moved)
                continue
            del self.pairs_of[other][b], self.pairs_of[b][other]
            self.first[moved], self.second[moved] = a, other
            self.pairs_of[a][other] = self.pairs_of[other][a] = moved
        self.price(np.fromiter(self.pairs_of[a].values(), np.int64))

    def forget(self, pair: int) -> None:
        """These two are one now, or joined by another pair."""
        a, b = int(self.first[pair]), int(self.second[pair])
        del self.pairs_of[a][b], self.pairs_of[b][a]
        self.change[pair] = np.inf


def with_links(weights: Any, first: Labels, second: Labels, between: Array) -> tuple[Labels, Labels, Array]:
    """The pairs that are joined, and the largest node of every part of the graph paired with the largest of all."""
    parts = connected_components(weights, directed=False)[1]
    by_volume = np.argsort(-np.asarray(weights.sum(axis=1)), kind="stable")
    heads = by_volume[np.unique(parts[by_volume], return_index=True)[1]]
    others = heads[heads != by_volume[0]]
    centre = np.full(len(others), by_volume[0])
    return (
        np.concatenate([first, centre]),
        np.concatenate([second, others]),
        np.concatenate([between, np.zeros(len(others))]),
    )
