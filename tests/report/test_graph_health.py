import numpy as np
import pytest

from slkmodes import LaplacianKModes
from slkmodes.report.graph_health import graph_health


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_graph_that_was_given(given_graph):
    model = LaplacianKModes(2, affinity="precomputed", random_state=0).fit(given_graph)
    model.labels_ = np.array([0, 0, 0, 1, 1, 1, 1])
    health = graph_health(model, model.affinity_)
    assert health["n_edges"] == 14
    assert health["edges_per_sample"] == {"mean": 2.0, "least": 0, "median": 2.0, "most": 3}
    assert health["edge_histogram"] == {"edges": [0, 1, 2, 3, 4], "counts": [1, 0, 4, 2]}
    assert (health["n_components"], health["largest_components"], health["n_isolated"]) == (2, [6, 1], 1)
    assert health["inside_share"] == pytest.approx(12 / 13)
    assert (health["mutual_share"], health["bandwidth"], health["n_neighbors"]) == (None, None, None)
    assert health["neighbor_search"] == "precomputed"


def test_neighbours_that_name_each_other():
    """On a line at 0, 1, 3, 4.5 and 100 the nearest others are 1, 0, 4.5, 3 and 4.5: four of five are named back."""
    X = np.array([[0.0], [1.0], [3.0], [4.5], [100.0]])
    model = LaplacianKModes(1, n_neighbors=1, affinity="binary").fit(X)
    health = graph_health(model, model.affinity_)
    assert health["mutual_share"] == pytest.approx(4 / 5)
    assert (health["neighbor_search"], health["neighbor_recall"], health["n_neighbors"]) == ("kd_tree", 1.0, 1)
    assert health["n_components"] == 2
    assert health["inside_share"] == 1.0
