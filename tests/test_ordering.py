import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, make_blobs

from slkmodes import LaplacianKModes, clustering_accuracy, ordering, tune
from slkmodes.engines import native_available
from slkmodes.ordering import RowOrder, near_rows_together
from slkmodes.plots import nearest_members

pytestmark = pytest.mark.skipif(not native_available(), reason="only many rows are ordered, by a C++ tree")


@pytest.fixture
def ordered(monkeypatch):
    """Every fit in working order, however few its rows."""
    monkeypatch.setattr(ordering, "ORDERED_ROWS", 10)


def test_there_and_back():
    order = RowOrder(np.array([2, 0, 3, 1], dtype=np.int32))
    values = np.array([10, 11, 12, 13])
    np.testing.assert_array_equal(order.restore(order.arrange(values)), values)
    np.testing.assert_array_equal(order.working(order.original(np.arange(4))), np.arange(4))
    assert order.original(np.array([-1, 0])).tolist() == [-1, 2]
    W = sparse.csr_array(np.arange(16.0).reshape(4, 4))
    working = W[order.numbers][:, order.numbers]
    np.testing.assert_array_equal(order.restore_graph(working).toarray(), W.toarray())


def test_few_rows_stay_where_they_are():
    assert near_rows_together(np.zeros((100, 3)), 1).numbers is None


def test_near_rows_come_together(ordered):
    X, y = make_blobs(2000, centers=8, n_features=5, cluster_std=0.1, random_state=0)
    order = near_rows_together(X, 2)
    assert near_rows_together(np.zeros((2000, 129)), 2).numbers is None  # too wide to copy
    assert sorted(order.numbers) == list(range(2000))
    changes = np.count_nonzero(np.diff(order.arrange(y)))
    assert changes < 100 < np.count_nonzero(np.diff(y))


def test_everything_a_fit_says_is_in_the_order_of_X(ordered):
    X, y = load_digits(return_X_y=True)
    model = LaplacianKModes(10, random_state=0).fit(X)
    assert clustering_accuracy(y, model.labels_) > 0.9
    np.testing.assert_array_equal(model.memberships_.argmax(axis=1), model.labels_)
    np.testing.assert_array_equal(model.modes_, X[model.mode_indices_])
    np.testing.assert_array_equal(model.labels_[model.mode_indices_], np.arange(10))
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.predict_proba(X), model.memberships_)
    plain = LaplacianKModes(10, affinity="binary", symmetrize="none").fit(X).affinity_
    distances = np.linalg.norm(X[:50, None] - X[None], axis=2)
    distances[np.arange(50), np.arange(50)] = np.inf
    kth = np.sort(distances, axis=1)[:, 4]
    for row in range(50):
        assert np.all(distances[row, plain[[row]].indices] <= kth[row] * (1 + 1e-6))
    for cluster, members in enumerate(nearest_members(model, 4)):
        assert np.all(model.labels_[members] == cluster)


def test_given_rows_and_tuning_speak_of_X_too(ordered):
    X, y = make_blobs(300, centers=3, cluster_std=0.3, random_state=3)
    rows = np.array([np.flatnonzero(y == c)[0] for c in range(3)])
    model = LaplacianKModes(3, init=rows, laplacian_weight=0.1, bandwidth=3.0, mode_update="mean_shift").fit(X)
    np.testing.assert_array_equal(model.labels_[rows], np.arange(3))
    tuning = tune(X, np.where(np.arange(300) < 60, y, -1), model=LaplacianKModes(3), weights=[1.0], n_seeds=1)
    assert tuning.best.accuracy == 1.0
