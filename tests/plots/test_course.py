import numpy as np
import pytest

from slkmodes import LaplacianKModes
from slkmodes.plots import plot_convergence, plot_path


@pytest.fixture(scope="module")
def cold():
    """As in the paper: one weight, begun anew after every mode update, of which there are several."""
    X = np.random.default_rng(0).normal(size=(200, 2))
    model = LaplacianKModes(4, laplacian_weight=1.0, init="k-means++", n_init=1, mode_update="mean_shift")
    model = model.set_params(random_state=3).fit(X)
    assert len(model.history_) > 2
    return model


def test_the_path_has_four_panels_and_a_point_per_weight():
    X = np.random.default_rng(0).normal(size=(80, 2))
    model = LaplacianKModes(3, laplacian_weight=[0.5, 1.0, 1.5], random_state=0).fit(X)
    figure = plot_path(model)
    assert [axis.get_title() for axis in figure.axes][:2] == ["mean largest membership", "share of labels changed"]
    for axis in figure.axes:
        np.testing.assert_array_equal(axis.lines[0].get_xdata(), [0.5, 1.0, 1.5])
    np.testing.assert_array_equal(figure.axes[2].lines[0].get_ydata(), [p.normalized_cut for p in model.path_])


def test_sweeps_are_numbered_through_and_begin_anew_after_a_mode_update(cold):
    sweeps = plot_convergence(cold).axes[0]
    curves = [line for line in sweeps.lines if line.get_marker() == "o"]
    borders = [line for line in sweeps.lines if line.get_marker() != "o"]
    assert [tuple(curve.get_ydata()) for curve in curves] == [step.relaxed_objectives for step in cold.history_]
    numbers = np.concatenate([curve.get_xdata() for curve in curves])
    np.testing.assert_array_equal(numbers, np.arange(1, len(numbers) + 1))
    ends = np.cumsum([len(step.relaxed_objectives) for step in cold.history_])[:-1]
    np.testing.assert_array_equal([border.get_xdata()[0] for border in borders], ends + 0.5)
    low, high = sweeps.get_xlim()
    assert low < 1 < numbers[-1] < high


def test_every_mode_has_a_line_and_so_has_their_mean(cold):
    updates = plot_convergence(cold).axes[1]
    shifts = np.array([step.mode_shifts for step in cold.history_])
    *modes, mean = updates.lines
    np.testing.assert_array_equal(np.transpose([line.get_ydata() for line in modes]), shifts)
    np.testing.assert_allclose(mean.get_ydata(), shifts.mean(axis=1))
    assert updates.get_title().endswith("distance moved")
    assert updates.get_ylim()[1] > shifts.max()


def test_the_title_says_how_it_ended_and_without_features_what_moving_means(cold):
    given = LaplacianKModes(2, affinity="precomputed", random_state=0).fit(cold.affinity_)
    figure = plot_convergence(given)
    assert figure.axes[1].get_title().endswith("moved (1) or not (0)")
    said = figure.get_suptitle()
    assert said == f"Laplacian weight {given.laplacian_weight_:.3g}: The modes stopped changing"
