import numpy as np
import pandas as pd
import pytest

from slkmodes.plots import plot_feature_profile


@pytest.fixture
def table():
    """Ninety rows of five columns; the last is the same everywhere."""
    values = np.random.default_rng(0).normal(size=(90, 5)) * [1, 10, 0.1, 5, 0] + [0, 100, 0, 2, 7]
    return pd.DataFrame(values, columns=["a", "b", "c", "$d$", "e"])


def test_colours_are_standardised_modes_and_texts_their_values(model, table):
    figure = plot_feature_profile(model, table)
    axis = figure.axes[0]
    modes = table.to_numpy()[model.mode_indices_]
    expected = (modes - table.mean().to_numpy())[:, :4] / table.std(ddof=0).to_numpy()[:4]
    shown = np.asarray(axis.images[0].get_array())
    np.testing.assert_allclose(shown[:, :4], expected)
    np.testing.assert_array_equal(shown[:, 4], 0)
    assert [text.get_text() for text in axis.texts] == [f"{value:.3g}" for value in modes.ravel()]
    assert [label.get_text() for label in axis.get_xticklabels()] == ["a", "b", "c", r"\$d\$", "e"]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["0 (30)", "1 (30)", "2 (30)"]
    figure.draw_without_rendering()


def test_of_many_columns_those_in_which_modes_differ_most_in_their_order(model):
    table = np.random.default_rng(0).normal(size=(90, 300))
    table[np.ix_(model.mode_indices_, [20, 7, 250])] = [[-9], [0], [9]]
    axis = plot_feature_profile(model, table, n_features=3).axes[0]
    assert [label.get_text() for label in axis.get_xticklabels()] == ["7", "20", "250"]
    assert axis.get_title() == "the 3 of 300 columns in which modes differ most"
    wide = plot_feature_profile(model, table, n_features=300).axes[0]
    assert not wide.texts  # too many cells for values
    assert not wide.get_title()


def test_a_cluster_without_members_has_no_row(with_empty):
    X, model = with_empty
    assert plot_feature_profile(model, X).axes[0].images[0].get_array().shape == (2, 2)


def test_what_does_not_fit(model, table):
    with pytest.raises(ValueError, match=r"X of plot_feature_profile must hold the 90 training samples.*got 3"):
        plot_feature_profile(model, table[:3])
    with pytest.raises(ValueError, match="feature_names of plot_feature_profile must name all 5 columns; got 1 names"):
        plot_feature_profile(model, table, ["a"])
    table.iloc[0, 0] = np.nan
    with pytest.raises(ValueError, match="must be a table of finite numbers"):
        plot_feature_profile(model, table)
