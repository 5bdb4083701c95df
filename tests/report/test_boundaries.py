import numpy as np
import pytest
from scipy import sparse

from slkmodes.report import boundaries
from slkmodes.report.boundaries import describe_boundaries
from slkmodes.report.doubt import Doubt

LABELS = np.array([0, 0, 0, 1, 1, 1, 2])


def certain(n=7):
    return Doubt(np.ones(n), np.full(n, -1), np.zeros(n))


def test_pairs_shares_and_the_least_decided(given_graph):
    own = np.array([0.9, 0.9, 0.5, 0.52, 1.0, 1.0, 0.6])
    doubt = Doubt(own, np.array([1, 1, 1, 0, 0, 0, 1]), np.array([0.0, 0.0, 0.4, 0.48, 0.0, 0.0, 0.3]))
    told = describe_boundaries(sparse.csr_array(given_graph), LABELS, doubt, 3)
    assert told["n_pairs"] == 2  # 0 and 1 by an edge, 1 and 2 by a sample alone
    first, second = told["pairs"]
    assert (first["clusters"], first["weight"], first["share"]) == ([0, 1], 0.5, pytest.approx(0.5 / 6.5))
    assert [sample["row"] for sample in first["samples"]] == [3, 2]  # margins 0.04 and 0.1
    assert first["samples"][0]["clusters"] == [1, 0]
    assert first["samples"][0]["memberships"] == [0.52, 0.48]
    assert (second["clusters"], second["weight"], second["share"]) == ([1, 2], 0.0, 0.0)
    assert [sample["row"] for sample in second["samples"]] == [6]
    assert told["shares"] == [[None, 0.5 / 6.5, 0.0], [0.5 / 6.5, None, 0.0], [0.0, 0.0, None]]


def test_nothing_lies_between_a_cluster_and_an_empty_one(given_graph):
    doubt = Doubt(np.full(7, 0.5), np.full(7, 3), np.full(7, 0.5))
    told = describe_boundaries(sparse.csr_array(given_graph), LABELS, doubt, 4)
    assert [pair["clusters"] for pair in told["pairs"]] == [[0, 1]]


def test_many_clusters_are_cut_short(monkeypatch):
    monkeypatch.setattr(boundaries, "MOST_PAIRS", 2)
    monkeypatch.setattr(boundaries, "MOST_IN_TABLE", 3)
    path = sparse.csr_array(np.diag([1.0, 3.0, 2.0], 1) + np.diag([1.0, 3.0, 2.0], -1))
    told = describe_boundaries(path, np.arange(4), certain(4), 4)
    assert told["n_pairs"] == 3
    assert [pair["clusters"] for pair in told["pairs"]] == [[1, 2], [2, 3]]  # the heaviest first
    assert told["shares"] is None
