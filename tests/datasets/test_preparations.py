import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_limits

from slkmodes.datasets.preparations import PREPARATIONS


@pytest.fixture(autouse=True)
def one_thread():
    """Matrices this small only wait for each other's threads."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def counts():
    """300 documents of two topics with words of their own."""
    rng = np.random.default_rng(0)
    dense = rng.poisson(0.05, size=(300, 220))
    dense[:150, :60] += rng.poisson(0.8, size=(150, 60))
    dense[150:, 60:120] += rng.poisson(0.8, size=(150, 60))
    return sparse.csr_array(dense.astype(np.uint8))


def test_documents_of_a_topic_are_close(counts):
    rows = PREPARATIONS["documents"](counts)
    assert rows.shape == (300, 100)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1)
    cosines = rows @ rows.T
    assert cosines[:150, :150].mean() > 0.3 + cosines[:150, 150:].mean()


def test_weighted_documents_are_not_weighted_again(counts):
    from sklearn.feature_extraction.text import TfidfTransformer

    weights = TfidfTransformer(sublinear_tf=True).fit_transform(counts.astype(float))
    np.testing.assert_allclose(PREPARATIONS["weighted_documents"](weights), PREPARATIONS["documents"](counts))


def test_the_depth_of_a_cell_does_not_matter(counts):
    """Counts are shares of their cell: twice the counts give the same place."""
    rows = PREPARATIONS["cells"](counts)
    assert rows.shape == (300, 50)
    deeper = sparse.csr_array(counts.toarray() * np.where(np.arange(300) % 2, 3, 1)[:, None])
    np.testing.assert_allclose(np.abs(PREPARATIONS["cells"](deeper)), np.abs(rows), atol=1e-6)


def test_an_empty_cell_is_no_division_by_zero():
    dense = np.random.default_rng(0).poisson(1.0, size=(60, 60))
    dense[3] = 0
    assert np.all(np.isfinite(PREPARATIONS["cells"](sparse.csr_array(dense))))


def test_a_constant_column_is_no_division_by_zero():
    X = np.column_stack([np.arange(5), np.full(5, 7)])
    rows = PREPARATIONS["standardised"](X)
    np.testing.assert_allclose(rows[:, 1], 0)
    np.testing.assert_allclose(rows[:, 0].std(), 1, atol=1e-6)
