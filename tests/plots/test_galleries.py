from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from slkmodes import LaplacianKModes, demo
from slkmodes.plots import nearest_members, plot_mode_gallery


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
    figure = plot_mode_gallery(model, images, (2, 3) if len(shape) == 2 else None, n_members=40, order=[1])
    assert len(figure.axes) == 42
    shown = [np.asarray(axis.images[0].get_array()) for axis in figure.axes if axis.images]
    assert len(shown) == 30 + 1
    np.testing.assert_allclose(shown[0].ravel(), images[model.mode_indices_[1]].ravel())
    np.testing.assert_allclose(shown[-1].ravel(), images[model.labels_ == 1].mean(axis=0).ravel())


def test_rows_of_the_gallery_in_a_given_order(model):
    images = np.arange(90.0)[:, None, None]
    figure = plot_mode_gallery(model, images, n_members=1, order=[2, 0])
    rows = np.reshape(figure.axes, (2, 3))
    for cluster, (mode, neighbour, mean) in zip([2, 0], rows, strict=True):
        assert mode.get_ylabel() == f"cluster {cluster}\n30 samples"
        assert mode.images[0].get_array().item() == model.mode_indices_[cluster]
        assert neighbour.images[0].get_array().item() == nearest_members(model, 1)[cluster][0]
        assert mean.images[0].get_array().item() == np.flatnonzero(model.labels_ == cluster).mean()


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


def test_demo_prints_its_table_and_writes_its_picture(tmp_path, capsys):
    demo.main(["--output", str(tmp_path)])
    said = capsys.readouterr().out
    accuracy = float(next(line.split()[-1] for line in said.splitlines() if "accuracy" in line))
    assert accuracy == pytest.approx(0.944, abs=0.03)
    for word in ("discrete objective", "cluster sizes", "time, graph", "time, solve"):
        assert word in said
    assert (tmp_path / "digits-modes.png").read_bytes()[:4] == b"\x89PNG"
    assert said.endswith(" suggest-k rows.csv\n")  # and what to do next


def test_demo_names_a_command_that_can_be_called(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo.sys, "executable", str(tmp_path / "env" / "bin" / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert demo.command() == str(Path("env", "bin", "slkmodes"))
    (tmp_path / "slkmodes").touch(mode=0o755)
    assert demo.command() == "slkmodes"
