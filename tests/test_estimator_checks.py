"""scikit-learn's own suite, whole: nothing skipped, nothing expected to fail."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from slkmodes import LaplacianKModes

ESTIMATORS = [
    LaplacianKModes(),
    LaplacianKModes(engine="numpy", mode_update="mean_shift"),
]


# Eight clusters of twenty samples: that some stay empty is said by a warning, which is not what is checked here.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
