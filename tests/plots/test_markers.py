import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from slkmodes.plots import plot_marker_genes
from slkmodes.plots.markers import LARGEST_DOT


@pytest.fixture
def counts(model):
    """Gene l marks cluster l, in all of its cells; gene 3 + l in every second; gene 6 is everywhere."""
    counts = np.zeros((90, 7))
    counts[np.arange(90), model.labels_] = 4
    some = np.arange(0, 90, 2)
    counts[some, model.labels_[some] + 3] = 2
    counts[:, 6] = 20
    counts[model.labels_ == 1, 0] = 1
    return counts


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_matrix, pd.DataFrame])
def test_dots_by_hand(model, counts, kind):
    figure = plot_marker_genes(model, kind(counts), [f"gene-{i}" for i in range(7)], n_genes=2)
    axis = figure.axes[0]
    genes = [0, 3, 1, 4, 2, 5]
    assert [label.get_text() for label in axis.get_xticklabels()] == [f"gene-{gene}" for gene in genes]
    dots = axis.collections[0]
    row, column = dots.get_offsets()[:, 1].astype(int), dots.get_offsets()[:, 0].astype(int)
    own = [counts[model.labels_ == cluster][:, genes] for cluster in range(3)]
    shares = np.array([(cells > 0).mean(axis=0) for cells in own])
    means = np.array([cells.mean(axis=0) for cells in own])
    np.testing.assert_allclose(dots.get_sizes(), LARGEST_DOT * shares[row, column])
    np.testing.assert_allclose(dots.get_array(), (means / means.max(axis=0))[row, column])
    assert (means / means.max(axis=0))[1, 0] == 0.25
    figure.draw_without_rendering()


def test_a_gene_is_named_once(model):
    """Two clusters share a gene: the one it tells most about names it."""
    counts = np.ones((90, 3))
    counts[model.labels_ == 0, 0] = 50
    counts[model.labels_ == 1, 0] = 20
    counts[model.labels_ == 2, 1] = 5
    axis = plot_marker_genes(model, counts, list("abc")).axes[0]
    names = [label.get_text() for label in axis.get_xticklabels()]
    assert names[0] == "a"
    assert sorted(names) == sorted(set(names))


def test_what_does_not_fit(model, counts):
    with pytest.raises(ValueError, match=r"counts of plot_marker_genes must hold the 90 training samples.*got 2"):
        plot_marker_genes(model, counts[:2], list("abcdefg"))
    with pytest.raises(ValueError, match="gene_names of plot_marker_genes must name all 7 columns"):
        plot_marker_genes(model, counts, ["a"])
    with pytest.raises(ValueError, match="no gene that a cluster has more of than others"):
        plot_marker_genes(model, np.ones((90, 2)), ["a", "b"])
