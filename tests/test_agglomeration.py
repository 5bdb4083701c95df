import numpy as np
import pytest
from scipy import sparse

from slkmodes.agglomeration import agglomerate, cheapest, entropy_term
from slkmodes.contraction import ContractedGraph, contract, many_groups
from slkmodes.engines import make_engine
from slkmodes.metrics import adjusted_rand_index
from tests.examples import graph_of, random_graph


def complete_graph(seed, n=12):
    W = random_graph(np.random.default_rng(seed), n, density=1.0)
    return sparse.csr_array(W / W.sum())


@pytest.mark.parametrize("total_cut", [0.0, 1e-12, 0.03, 0.9])
@pytest.mark.parametrize("seed", range(20))
def test_the_cheapest_merge_is_that_of_all(seed, total_cut):
    rng = np.random.default_rng(seed)
    change, change_of_cut = rng.normal(size=(2, 9, 9)) * rng.choice([1e-6, 1.0])
    change_of_cut = np.maximum(change_of_cut, -total_cut)  # no cut is negative
    change[rng.random((9, 9)) < 0.3] = np.inf
    change[3:5], change_of_cut[3:5] = change[5:7], change_of_cut[5:7]  # equal ones: the first of them
    costs = change + entropy_term(np.maximum(total_cut + change_of_cut, 0.0))
    assert cheapest(change, change_of_cut, total_cut) == np.argmin(costs)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_groups", [1, 3, 11])
def test_where_all_are_joined_it_is_the_search_over_all_pairs(seed, n_groups):
    W = complete_graph(seed)
    expected = ContractedGraph(W, np.arange(12)).agglomerate(n_groups)
    np.testing.assert_array_equal(agglomerate(contract(W, np.arange(12)), n_groups), expected)


def test_parts_that_no_edge_joins_can_still_be_merged():
    """Two pairs and three nodes alone; the loose ends go first, to the largest."""
    W = np.zeros((7, 7))
    W[0, 1] = W[1, 0] = 5
    W[2, 3] = W[3, 2] = 4
    for loose in (4, 5, 6):
        W[loose, loose] = 0.01
    labels = agglomerate(contract(sparse.csr_array(W), np.arange(7)), 2)
    assert labels[0] == labels[1] != labels[2] == labels[3]
    assert np.unique(labels).tolist() == [0, 1]


def test_every_node_may_stay_alone():
    np.testing.assert_array_equal(agglomerate(contract(complete_graph(0), np.arange(12)), 12), np.arange(12))


def test_many_groups_of_many_clouds(monkeypatch):
    monkeypatch.setattr("slkmodes.segmentation.MOST_SEGMENTS", 64)  # so that cells are found in two steps
    rng = np.random.default_rng(0)
    y = rng.choice(120, 4000, p=rng.dirichlet(np.full(120, 2.0)))
    X = 10 * rng.normal(size=(120, 3))[y] + 0.2 * rng.normal(size=(4000, 3))
    affinity, engine = graph_of(X), make_engine("auto", 1)
    n_clusters = len(np.unique(y))
    labels = many_groups(engine, affinity, n_clusters, np.random.default_rng(0))
    assert len(np.unique(labels)) == n_clusters
    assert adjusted_rand_index(y, labels) > 0.9
    again = many_groups(make_engine("auto", 4), affinity, n_clusters, np.random.default_rng(0))
    np.testing.assert_array_equal(again, labels)
