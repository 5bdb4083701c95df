import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from slkmodes import adjusted_rand_index, clustering_accuracy, normalized_cut, normalized_mutual_information
from tests.examples import random_graph


def test_accuracy_is_the_best_over_all_namings():
    rng = np.random.default_rng(0)
    for _ in range(10):
        true, pred = rng.integers(4, size=30), rng.integers(4, size=30)
        best = max(np.mean(np.array(naming)[pred] == true) for naming in itertools.permutations(range(4)))
        assert clustering_accuracy(true, pred) == pytest.approx(best)


def test_accuracy_with_more_clusters_than_classes_and_fewer():
    assert clustering_accuracy([0, 0, 0, 0], [0, 1, 2, 2]) == 0.5
    assert clustering_accuracy(["a", "b", "c", "c"], [0, 0, 0, 0]) == 0.5


def test_information_and_rand_index_of_equal_and_independent_partitions():
    y = np.repeat([0, 1, 2], 10)
    assert normalized_mutual_information(y, 2 - y) == pytest.approx(1)
    assert adjusted_rand_index(y, 2 - y) == 1
    x = np.tile([0, 1], 15)
    assert normalized_mutual_information(y, x) == pytest.approx(0, abs=1e-9)
    assert abs(adjusted_rand_index(y, x)) < 0.1


labellings = st.tuples(st.integers(1, 30), st.integers(-2, 0), st.integers(0, 40)).flatmap(
    lambda s: st.tuples(*(st.lists(st.integers(s[1], s[2]), min_size=s[0], max_size=s[0]) for _ in range(2)))
)


@given(labellings)
def test_rand_index_is_scikit_learns(pair):
    assert adjusted_rand_index(*pair) == pytest.approx(adjusted_rand_score(*pair), abs=1e-12)


def test_normalised_cut_equals_its_definition():
    rng = np.random.default_rng(0)
    W = random_graph(rng, 20)
    labels = rng.integers(3, size=20)
    dense, expected = W.toarray(), 0.0
    for cluster in range(3):
        inside = labels == cluster
        expected += dense[inside][:, ~inside].sum() / dense[inside].sum()
    assert normalized_cut(W, labels) == pytest.approx(expected)


def test_normalised_cut_of_labels_by_any_name():
    W = random_graph(np.random.default_rng(3), 20)
    labels = np.random.default_rng(4).integers(3, size=20)
    expected = normalized_cut(W, labels)
    for names in labels * 5 + 1, labels - 1, labels * 10**12, labels.astype(float), np.array(["a", "b", "c"])[labels]:
        assert normalized_cut(W, names) == pytest.approx(expected)


def test_normalised_cut_refuses_columns_that_do_not_exist():
    W = random_graph(np.random.default_rng(0), 10)
    for column in -1, 10:
        W.indices[3] = column
        with pytest.raises(ValueError, match="ind"):
            normalized_cut(W, np.arange(10) % 2)


def test_normalised_cut_of_a_dense_matrix():
    W = random_graph(np.random.default_rng(2), 12)
    assert normalized_cut(W.toarray(), np.arange(12) % 2) == pytest.approx(normalized_cut(W, np.arange(12) % 2))


def test_normalised_cut_of_a_directed_graph_averages_directions():
    W = random_graph(np.random.default_rng(1), 20, symmetric=False)
    labels = np.arange(20) % 2
    assert normalized_cut(W, labels) == pytest.approx(normalized_cut((W + W.T) / 2, labels))


def test_cutting_off_an_isolated_point_gains_nothing():
    W = random_graph(np.random.default_rng(0), 10).tolil()
    W[0, :] = 0
    W[:, 0] = 0
    labels = np.array([1] + [0] * 9)
    assert normalized_cut(W.tocsr(), labels) == 1.0


@pytest.mark.parametrize("pair", [([0, 1], [0]), ([], []), ([[0]], [[0]])])
def test_wrong_shapes_are_named(pair):
    for metric in (clustering_accuracy, normalized_mutual_information, adjusted_rand_index):
        with pytest.raises(ValueError, match="equally long"):
            metric(*pair)


@pytest.mark.parametrize("metric", [clustering_accuracy, normalized_mutual_information, adjusted_rand_index])
def test_labels_that_are_not_there_are_refused(metric):
    with pytest.raises(ValueError, match="must not hold NaN"):
        metric([0.0, np.nan, 1.0], [0, 1, 1])


def test_normalised_cut_wants_a_label_per_row():
    with pytest.raises(ValueError, match="one label per row"):
        normalized_cut(random_graph(np.random.default_rng(0), 5), [0, 1])
    with pytest.raises(ValueError, match="one label per row"):
        normalized_cut([0, 1], random_graph(np.random.default_rng(0), 2).toarray())
