import numpy as np
import pytest
from sklearn.datasets import make_blobs

from slkmodes import LaplacianKModes


@pytest.fixture
def model(blobs):
    """Three clusters of 30, fitted on features."""
    return LaplacianKModes(3, random_state=0).fit(blobs[0])


@pytest.fixture(scope="package")
def touching():
    """Four clouds that overlap, one cluster for each: edges cross and memberships are soft."""
    X, _ = make_blobs(240, centers=4, cluster_std=2.2, random_state=1)
    return X, LaplacianKModes(4, laplacian_weight=1.2, random_state=0).fit(X)


@pytest.fixture(scope="package")
def with_empty():
    """A model of three clusters whose last one has no member."""
    X = np.repeat([[0.0, 0.0], [9.0, 9.0]], 20, axis=0) + np.random.default_rng(0).normal(scale=0.1, size=(40, 2))
    model = LaplacianKModes(3, random_state=0).fit(X)
    model.labels_ = np.repeat([0, 1], 20)
    model.mode_indices_ = np.array([0, 20, 0])
    return X, model
