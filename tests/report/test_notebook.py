import numpy as np
import pandas as pd
import pytest
import sklearn

from slkmodes import LaplacianKModes
from slkmodes.report.notebook import summary_html
from tests.report.conftest import HOSTILE


def test_a_fitted_model_shows_sizes_status_and_modes(blobs):
    model = LaplacianKModes(3, random_state=0).fit(pd.DataFrame(blobs[0], columns=["width", HOSTILE]))
    shown = model._repr_html_()
    assert shown == summary_html(model)
    assert "90 samples, 2 features, 3 clusters. The modes stopped changing." in shown
    assert shown.count("<rect") == 3
    for row in model.mode_indices_:
        assert f"<td>{row}</td>" in shown
    assert "width = " in shown
    assert "<script" not in shown
    assert "<img" not in shown
    assert "&lt;/script&gt;" in shown


def test_notebooks_are_given_the_same(model):
    assert model._repr_mimebundle_() == {"text/plain": repr(model), "text/html": model._repr_html_()}


def test_before_the_fit_it_is_scikit_learns():
    model = LaplacianKModes(3)
    diagram = super(LaplacianKModes, model)._repr_html_()
    assert "sk-container" in model._repr_html_()
    assert len(model._repr_html_()) == len(diagram)
    assert "sk-container" in model._repr_mimebundle_()["text/html"]


def test_whoever_wants_text_gets_text(model):
    for estimator in (model, LaplacianKModes(3)):
        with sklearn.config_context(display="text"):
            assert not hasattr(estimator, "_repr_html_")
            assert estimator._repr_mimebundle_() == {"text/plain": repr(estimator)}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_many_clusters_graphs_and_empty_clusters(blobs, given_graph):
    many = summary_html(LaplacianKModes(15, random_state=0).fit(blobs[0]))
    assert "The 12 largest of 15 clusters are shown." in many
    assert many.count("<rect") == 12
    graph = summary_html(LaplacianKModes(2, affinity="precomputed", random_state=0).fit(given_graph))
    assert "7 samples, 2 clusters" in graph
    assert "features" not in graph
    three = np.repeat(np.arange(3.0), 10)[:, None]
    empty = LaplacianKModes(5, laplacian_weight=3.0, empty_clusters="keep", init="random", random_state=0).fit(three)
    assert np.bincount(empty.labels_, minlength=5).min() == 0
    assert "<td>0</td><td></td><td></td>" in summary_html(empty)
    sparse = LaplacianKModes(8, top_memberships=2, random_state=0).fit(blobs[0])
    assert summary_html(sparse).count("<rect") == 8
