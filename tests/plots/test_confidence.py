import numpy as np

from slkmodes.plots import plot_confidence, plot_sizes


def names_of_rows(axis):
    return [int(label.get_text()) for label in axis.get_yticklabels()]


def test_bars_are_shares_of_members_below_the_bounds(touching):
    _, model = touching
    axis = plot_confidence(model).axes[0]
    largest = model.memberships_.max(axis=1)
    rows = names_of_rows(axis)
    assert sorted(rows) == [0, 1, 2, 3]
    ends = [[bar.get_x() + bar.get_width() for bar in band] for band in axis.containers]
    for bound, found in zip((0.5, 0.7, 0.9, 0.99), ends, strict=True):
        expected = [np.mean(largest[model.labels_ == cluster] < bound) for cluster in rows]
        np.testing.assert_allclose(found, expected)
    assert ends[-1] == sorted(ends[-1], reverse=True)
    assert np.ptp(ends[-1]) > 0
    means = [f"{largest[model.labels_ == cluster].mean():.3f}" for cluster in rows]
    assert [text.get_text() for text in axis.texts] == means


def test_where_all_are_certain_bars_have_no_length_and_the_axis_some(model):
    model.memberships_ = np.eye(3)[model.labels_]
    axis = plot_confidence(model).axes[0]
    assert not any(bar.get_width() for bar in axis.patches)
    assert 0.05 <= axis.get_xlim()[1] < 0.06


def test_sizes_are_members_and_sums_of_memberships(touching):
    _, model = touching
    axis = plot_sizes(model).axes[0]
    rows = names_of_rows(axis)
    sizes = np.bincount(model.labels_)
    assert [bar.get_width() for bar in axis.patches] == sorted(sizes, reverse=True)
    np.testing.assert_array_equal(sizes[rows], sorted(sizes, reverse=True))
    np.testing.assert_allclose(axis.lines[0].get_xdata(), model.memberships_.sum(axis=0)[rows])
    assert axis.texts[0].get_text() == f"{sizes.max()} ({sizes.max() / 240:.1%})"


def test_a_cluster_without_members_has_a_size_but_no_confidence(with_empty):
    _, model = with_empty
    assert names_of_rows(plot_sizes(model).axes[0]) == [0, 1, 2]
    assert sorted(names_of_rows(plot_confidence(model).axes[0])) == [0, 1]
