"""What holds for all pictures: any number of clusters, a given graph, few memberships; nothing left behind."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

from slkmodes import LaplacianKModes, plots

DIGITS = load_digits().data[:500]
NAMES = [str(i) for i in range(64)]

# Pictures of a fitted model, by what they need beside it.
PICTURES = {
    "plot_boundaries": (),
    "plot_confidence": (),
    "plot_convergence": (),
    "plot_feature_profile": (DIGITS,),
    "plot_map": (),
    "plot_marker_genes": (DIGITS, NAMES),
    "plot_mode_gallery": (DIGITS, (8, 8), 0),
    "plot_mode_words": (DIGITS, NAMES),
    "plot_path": (),
    "plot_sizes": (),
}
OF_OTHER_THINGS = {"nearest_members", "plot_cluster_counts"}
KINDS = ["one cluster", "a given graph", "many clusters, few memberships"]
IMPOSSIBLE = {("plot_mode_gallery", "a given graph")}  # needs features; that it says so is tested with galleries


@pytest.fixture(scope="module")
def models():
    """By what is special about them."""
    one = LaplacianKModes(1, random_state=0).fit(DIGITS)
    given = LaplacianKModes(2, affinity="precomputed", random_state=0).fit(one.affinity_)
    many = LaplacianKModes(40, top_memberships=4, random_state=0).fit(DIGITS)
    return dict(zip(KINDS, (one, given, many), strict=True))


def test_no_picture_is_forgotten_here():
    assert set(plots.__all__) == {*PICTURES, *OF_OTHER_THINGS}


@pytest.mark.parametrize(
    ("name", "kind"), [case for case in itertools.product(PICTURES, KINDS) if case not in IMPOSSIBLE]
)
def test_it_is_drawn_without_a_warning_and_leaves_nothing_open(models, name, kind):
    from matplotlib import pyplot

    figure = getattr(plots, name)(models[kind], *PICTURES[name])
    figure.draw_without_rendering()
    assert figure.axes
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize("name", PICTURES)
def test_it_needs_a_fitted_model(name):
    with pytest.raises(NotFittedError):
        getattr(plots, name)(LaplacianKModes(3), *PICTURES[name])


def test_few_memberships_tell_the_same_confidence_and_sizes_as_all_of_them(models):
    few = models[KINDS[2]]
    axis = plots.plot_sizes(few).axes[0]
    rows = [int(label.get_text()) for label in axis.get_yticklabels()]
    np.testing.assert_allclose(axis.lines[0].get_xdata(), few.memberships_.toarray().sum(axis=0)[rows], rtol=1e-6)
    said = plots.plot_confidence(few).axes[0].texts[0].get_text()
    first = int(plots.plot_confidence(few).axes[0].get_yticklabels()[0].get_text())
    assert said == f"{few.memberships_.toarray().max(axis=1)[few.labels_ == first].mean():.3f}"


def test_without_matplotlib_the_extra_is_named():
    code = """
import sys
sys.modules["matplotlib"] = None
import numpy as np
from slkmodes import LaplacianKModes, plots
X = np.random.default_rng(0).random(size=(30, 4))
model = LaplacianKModes(2, n_neighbors=3, random_state=0).fit(X)
wants = {"plot_mode_gallery": (X, (2, 2)), "plot_feature_profile": (X,)}
wants |= dict.fromkeys(["plot_mode_words", "plot_marker_genes"], (X, list("abcd")))
for name in plots.__all__:
    if name.startswith("plot") and name != "plot_cluster_counts":
        try:
            getattr(plots, name)(model, *wants.get(name, ()))
        except ImportError as error:
            print(error)
"""
    said = subprocess.check_output([sys.executable, "-c", code], text=True).splitlines()
    assert said == ["Pictures need matplotlib: pip install 'slkmodes[plots]'."] * len(PICTURES)
