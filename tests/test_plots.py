import subprocess
import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from slkmodes import LaplacianKModes, demo
from slkmodes.plots import nearest_members, plot_mode_gallery, plot_path


@pytest.fixture
def model(blobs):
    return LaplacianKModes(3, random_state=0).fit(blobs[0])


def test_nearest_members_are_members_in_order_of_distance(blobs, model):
    X, _ = blobs
    for cluster, rows in enumerate(nearest_members(model, 4)):
        assert len(rows) == 4
        assert model.mode_indices_[cluster] not in rows
        assert np.all(model.labels_[rows] == cluster)
        distances = np.linalg.norm(X[rows] - model.modes_[cluster], axis=1)
        assert np.all(np.diff(distances) >= 0)
        others = np.setdiff1d(np.flatnonzero(model.labels_ == cluster), [*rows, model.mode_indices_[cluster]])
        assert np.linalg.norm(X[others] - model.modes_[cluster], axis=1).min() >= distances[-1]


@pytest.mark.parametrize("shape", [(90, 6), (90, 2, 3), (90, 2, 3, 3)])
def test_gallery_of_images_the_model_has_not_seen(model, shape):
    """The model may have been fitted on anything computed from the images."""
    images = np.random.default_rng(0).random(shape)
    figure = plot_mode_gallery(model, images, (2, 3) if len(shape) == 2 else None, n_members=40)
    assert len(figure.axes) == 3 * 42
    first = figure.axes[0].images[0].get_array()
    np.testing.assert_allclose(np.asarray(first).ravel(), images[model.mode_indices_[0]].ravel())


def test_gallery_says_what_it_needs(blobs, model):
    X, _ = blobs
    with pytest.raises(ValueError, match="must hold the 90 training samples; got 10"):
        plot_mode_gallery(model, X[:10], (1, 2))
    with pytest.raises(ValueError, match="pass image_shape"):
        plot_mode_gallery(model, X)
    with pytest.raises(NotFittedError):
        plot_mode_gallery(LaplacianKModes(3), X, (1, 2))
    given = LaplacianKModes(3, affinity="precomputed", random_state=0).fit(model.affinity_)
    with pytest.raises(ValueError, match="needs features"):
        plot_mode_gallery(given, X, (1, 2))


def test_without_matplotlib_the_extra_is_named():
    code = """
import sys
sys.modules["matplotlib"] = None
import numpy as np
from slkmodes import LaplacianKModes
from slkmodes.plots import plot_mode_gallery
X = np.random.default_rng(0).normal(size=(30, 4))
try:
    plot_mode_gallery(LaplacianKModes(1).fit(X), X, (2, 2))
except ImportError as error:
    print(error)
"""
    said = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert "pip install 'slkmodes[plots]'" in said


def test_demo_prints_its_table_and_writes_its_picture(tmp_path, capsys):
    demo.main(["--output", str(tmp_path)])
    said = capsys.readouterr().out
    accuracy = float(next(line.split()[-1] for line in said.splitlines() if "accuracy" in line))
    assert accuracy == pytest.approx(0.944, abs=0.03)
    for word in ("discrete objective", "cluster sizes", "time, graph", "time, solve"):
        assert word in said
    assert (tmp_path / "digits-modes.png").read_bytes()[:4] == b"\x89PNG"


def test_the_path_has_four_panels_and_a_point_per_weight():
    X = np.random.default_rng(0).normal(size=(80, 2))
    model = LaplacianKModes(3, laplacian_weight=[0.5, 1.0, 1.5], random_state=0).fit(X)
    figure = plot_path(model)
    assert [axis.get_title() for axis in figure.axes][:2] == ["mean largest membership", "share of labels changed"]
    for axis in figure.axes:
        np.testing.assert_array_equal(axis.lines[0].get_xdata(), [0.5, 1.0, 1.5])
    np.testing.assert_array_equal(figure.axes[2].lines[0].get_ydata(), [p.normalized_cut for p in model.path_])
