import numpy as np
import pytest

from slkmodes import LaplacianKModes

HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>{{ 7 * 7 }}&amp;\u2028"


@pytest.fixture
def model(blobs):
    """Three clouds; the rows of each lie together, 0 to 29, 30 to 59 and 60 to 89."""
    return LaplacianKModes(3, random_state=0).fit(blobs[0])


@pytest.fixture
def given_graph():
    """Two triangles with an edge of weight 0.5 between rows 2 and 3, and row 6, which no edge reaches."""
    W = np.zeros((7, 7))
    for p, q, w in [(0, 1, 1), (0, 2, 1), (1, 2, 1), (3, 4, 1), (3, 5, 1), (4, 5, 1), (2, 3, 0.5)]:
        W[p, q] = W[q, p] = w
    return W
