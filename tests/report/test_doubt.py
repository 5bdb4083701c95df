import numpy as np
import pytest
from scipy import sparse

from slkmodes.report.doubt import confidence_histogram, doubt_of

Z = np.array([[0.7, 0.2, 0.1], [0.1, 0.45, 0.45], [0.0, 0.0, 1.0]])
LABELS = np.array([0, 2, 2])


@pytest.mark.parametrize("matrix", [np.array, sparse.csr_array, lambda Z: sparse.csr_array(Z.astype(np.float32))])
def test_own_and_second_membership(matrix):
    doubt = doubt_of(matrix(Z), LABELS)
    np.testing.assert_allclose(doubt.own, [0.7, 0.45, 1.0])
    np.testing.assert_array_equal(doubt.second[:2], [1, 1])  # the label decides whose the tied memberships are
    np.testing.assert_allclose(doubt.other, [0.2, 0.45, 0.0])
    np.testing.assert_allclose(doubt.margin, [0.5, 0.0, 1.0], atol=1e-7)


def test_a_sparse_row_with_one_entry_has_no_second():
    assert doubt_of(sparse.csr_array(Z), LABELS).second[2] == -1
    assert doubt_of(np.ones((3, 1)), np.zeros(3, dtype=int)).second.tolist() == [-1, -1, -1]


def test_histogram_counts_every_sample_once():
    histogram = confidence_histogram(doubt_of(Z, LABELS))
    assert sum(histogram["counts"]) == 3
    assert histogram["counts"][9] == 1  # 0.45 to 0.5
    assert histogram["counts"][-1] == 1  # 1 is in the last bin
    assert histogram["mean"] == pytest.approx(2.15 / 3)
    assert len(histogram["edges"]) == len(histogram["counts"]) + 1
