import numpy as np
import pytest

from slkmodes.plots import plot_boundaries
from slkmodes.plots.boundaries import WIDEST, on_circle
from slkmodes.plots.fitted import cluster_centers


def lines_of(figure):
    """Ends and widths of the lines, the legend's left out."""
    return {
        tuple(sorted(map(tuple, np.round(line.get_xydata(), 6)))): line.get_linewidth()
        for line in figure.axes[0].lines
        if len(line.get_xydata())
    }


def crossing(model, first, second):
    W = model.affinity_.toarray()
    return W[np.ix_(model.labels_ == first, model.labels_ == second)].sum()


def test_lines_are_as_wide_as_the_edges_between_are_heavy(touching):
    X, model = touching
    centers = np.round(cluster_centers(X, model.labels_, 4), 6)
    lines = lines_of(plot_boundaries(model, X))
    pairs = [(a, b) for a in range(4) for b in range(a) if crossing(model, a, b) > 0]
    heaviest = max(crossing(model, a, b) for a, b in pairs)
    assert len(pairs) > 2
    assert len(lines) == len(pairs)
    for a, b in pairs:
        ends = tuple(sorted([tuple(centers[a]), tuple(centers[b])]))
        assert lines[ends] == pytest.approx(WIDEST * crossing(model, a, b) / heaviest)
    said = [text.get_text() for text in plot_boundaries(model).axes[0].get_legend().get_texts()]
    assert said == [f"{heaviest:.3g}", f"{heaviest / 4:.3g}"]


def test_the_area_of_a_disc_is_the_size_of_its_cluster(touching):
    X, model = touching
    discs = plot_boundaries(model, X).axes[0].collections[0]
    sizes = np.bincount(model.labels_)
    np.testing.assert_allclose(discs.get_sizes() / discs.get_sizes().max(), sizes / sizes.max())
    np.testing.assert_array_equal(discs.get_offsets(), cluster_centers(X, model.labels_, 4))


def test_clusters_that_touch_most_are_neighbours_on_the_circle():
    between = np.zeros((6, 6))
    for weight, (a, b) in enumerate([(0, 3), (3, 5), (1, 4), (4, 2)], start=1):
        between[a, b] = between[b, a] = weight
    places = on_circle(between)
    np.testing.assert_allclose(np.linalg.norm(places, axis=1), 1)
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    np.testing.assert_allclose([apart[3, 5], apart[4, 2]], 1)  # the side of a hexagon
    for group in ((0, 3, 5), (1, 4, 2)):
        assert apart[np.ix_(group, group)].max() < 1.8  # no member on the other side


def test_clusters_that_do_not_touch(with_empty):
    X, model = with_empty
    for layout in (None, X):
        axis = plot_boundaries(model, layout).axes[0]
        assert axis.get_title() == "no edge joins two clusters"
        assert [text.get_text() for text in axis.texts] == ["0", "1"]
        assert not axis.lines


def test_coordinates_are_checked(touching):
    with pytest.raises(ValueError, match="layout of plot_boundaries must have shape"):
        plot_boundaries(touching[1], [[0, 1]])
