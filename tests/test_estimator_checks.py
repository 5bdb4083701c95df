"""scikit-learn's own suite, whole: nothing skipped, nothing expected to fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from slkmodes import LaplacianKModes


@parametrize_with_checks([LaplacianKModes(), LaplacianKModes(engine="numpy", mode_update="mean_shift")])
def test_scikit_learn_check(estimator, check):
    check(estimator)
