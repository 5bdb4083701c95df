import os

# scikit-learn's array-API check asks for this before SciPy is imported; without it the check skips.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import pytest
from hypothesis import settings

from slkmodes.engines import ENGINES, make_engine, native_available

# Properties are checked on fresh examples each run here, on the same ones wherever CI is set.
settings.register_profile("default", deadline=None, max_examples=60)
settings.register_profile("thorough", deadline=None, max_examples=3000)
settings.register_profile("ci", deadline=None, max_examples=60, derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default"))


@pytest.fixture(params=sorted(ENGINES))
def engine(request):
    """Every engine installed here, in turn."""
    if request.param == "native" and not native_available():
        pytest.skip("the C++ extension was not built")
    return make_engine(request.param, n_threads=2)


@pytest.fixture
def blobs():
    """Three well separated clouds of 30 points each, and which cloud each point is from."""
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]])
    y = np.repeat(np.arange(3), 30)
    return centers[y] + rng.normal(size=(90, 2)), y
