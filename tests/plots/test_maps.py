import numpy as np
import pytest
from matplotlib.colors import to_hex

from slkmodes.layout import layout_of_graph
from slkmodes.plots import plot_map
from slkmodes.plots.figures import COLORS, cluster_colors


def drawn(figure):
    """Positions and colours of the points, the modes and the numbers."""
    axis = figure.axes[0]
    points, modes = axis.collections
    return points, modes, axis.texts


def test_every_sample_is_at_its_place_in_the_colour_of_its_cluster(touching):
    X, model = touching
    points, modes, _ = drawn(plot_map(model, X))
    places = {tuple(row): label for row, label in zip(X, model.labels_, strict=True)}
    assert len(points.get_offsets()) == len(X)
    for place, color in zip(points.get_offsets().tolist(), points.get_facecolors(), strict=True):
        assert to_hex(color) == COLORS[places[tuple(place)]]
    np.testing.assert_array_equal(modes.get_offsets(), X[model.mode_indices_])


def test_numbers_are_at_members_in_the_middle_of_their_clusters(touching):
    X, model = touching
    for cluster, number in enumerate(drawn(plot_map(model, X))[2]):
        assert number.get_text() == str(cluster)
        own = X[model.labels_ == cluster]
        assert (own == number.xy).all(axis=1).any()
        away = np.linalg.norm(own - np.median(own, axis=0), axis=1)
        assert np.linalg.norm(number.xy - np.median(own, axis=0)) == away.min()


def test_a_number_makes_way_for_a_mode(touching):
    X, model = touching
    beside = X.copy()
    for cluster, mode in enumerate(model.mode_indices_):
        own = X[model.labels_ == cluster]
        beside[mode] = np.median(own, axis=0) + np.array([5.0, 0.0]) * (cluster == 1)
    numbers = drawn(plot_map(model, beside))[2]
    assert [number.get_position()[1] > 0 for number in numbers] == [True, False, True, True]


def test_without_coordinates_the_graph_is_laid_out(model):
    points = drawn(plot_map(model))[0].get_offsets()
    expected = layout_of_graph(model.affinity_)
    np.testing.assert_array_equal(np.sort(points, axis=0), np.sort(expected, axis=0))


def test_a_cluster_without_members_is_not_drawn(with_empty):
    X, model = with_empty
    _, modes, numbers = drawn(plot_map(model, X))
    assert [number.get_text() for number in numbers] == ["0", "1"]
    assert len(modes.get_offsets()) == 2


def test_samples_that_are_all_in_one_place(model):
    figure = plot_map(model, np.zeros((90, 2)))
    figure.draw_without_rendering()
    assert figure.axes[0].get_xlim() == pytest.approx((-0.54, 0.54))


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        (np.zeros((90, 3)), r"layout of plot_map must have shape \(90, 2\).*got \(90, 3\)"),
        (np.zeros((10, 2)), r"must have shape \(90, 2\).*got \(10, 2\)"),
        (np.full((90, 2), np.nan), "layout of plot_map must be finite"),
    ],
)
def test_coordinates_that_do_not_fit(model, layout, said):
    with pytest.raises(ValueError, match=said):
        plot_map(model, layout)


def test_colours_come_back_far_away():
    n = 3 * len(COLORS)
    centers = np.column_stack([np.arange(n) % len(COLORS), np.arange(n) // len(COLORS)]).astype(float)
    colors = np.array(cluster_colors(centers))
    assert set(colors[: len(COLORS)]) == set(COLORS)
    alike = colors[:, None] == colors
    apart = np.linalg.norm(centers[:, None] - centers, axis=2)
    assert apart[alike & ~np.eye(n, dtype=bool)].min() > 2
    centers[4] = np.nan  # not drawn
    assert len(cluster_colors(centers)) == n
