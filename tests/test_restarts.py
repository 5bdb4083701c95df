import numpy as np
import pytest
from sklearn.datasets import make_blobs

from slkmodes import LaplacianKModes, restarts
from slkmodes.contraction import description_cost
from slkmodes.engines import make_engine
from slkmodes.mode_kernels import GaussianKernel
from slkmodes.problem import Method, Problem
from slkmodes.restarts import best_run
from slkmodes.weight_path import GivenWeights
from tests.examples import graph_of


@pytest.mark.parametrize("seed", range(3))
def test_the_run_that_describes_the_graph_best_is_kept(seed, monkeypatch):
    X = np.random.default_rng(seed).normal(size=(150, 2))
    problem = Problem(GaussianKernel(X, 0.5), graph_of(X), 4, 1.0)
    costs, labellings, weights = [], [], []

    def listen(affinity, labels, n_threads):
        costs.append(description_cost(affinity, labels, n_threads))
        labellings.append(labels)
        return costs[-1]

    def narrate(run, weight, states):
        weights.append((run, weight))
        return states

    monkeypatch.setattr(restarts, "description_cost", listen)
    engine, rng = make_engine("numpy", 1), np.random.default_rng(0)
    run = best_run(problem, Method(), engine, GivenWeights((0.8, 1.2)), "random", 5, rng, narrate)
    assert len(costs) == 5
    assert len(set(costs)) > 1
    np.testing.assert_array_equal(run.solution.labels, labellings[int(np.argmin(costs))])
    assert weights == [(number, weight) for number in range(1, 6) for weight in (0.8, 1.2)]
    assert run.seeds.name == "random"
    assert [point.weight for point in run.path] == [0.8, 1.2]
    assert run.problem.laplacian_weight == 1.2


def test_the_first_clustering_tells_how_far_it_is():
    lines = []
    X, _ = make_blobs(200, centers=3, random_state=0, cluster_std=3.0)
    LaplacianKModes(3, random_state=0, verbose=lines.append).fit(X)
    told = [line.split(", merged")[0] for line in lines if line.startswith("first clustering")]
    assert told == [*(f"first clustering: {number} of 4" for number in range(5)), "first clustering: combining the 4"]
