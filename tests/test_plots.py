import numpy as np
import pytest

from slkmodes import LaplacianKModes, demo
from slkmodes.plots import nearest_members, plot_mode_gallery


def test_nearest_members_are_members_in_order_of_distance(blobs):
    X, _ = blobs
    model = LaplacianKModes(3, random_state=0).fit(X)
    for cluster, rows in enumerate(nearest_members(model, X, 4)):
        assert len(rows) == 4
        assert model.mode_indices_[cluster] not in rows
        assert np.all(model.labels_[rows] == cluster)
        distances = np.linalg.norm(X[rows] - model.modes_[cluster], axis=1)
        assert np.all(np.diff(distances) >= 0)
        others = np.setdiff1d(np.flatnonzero(model.labels_ == cluster), [*rows, model.mode_indices_[cluster]])
        assert np.linalg.norm(X[others] - model.modes_[cluster], axis=1).min() >= distances[-1]


def test_gallery_has_a_row_per_cluster_and_survives_small_clusters(blobs):
    X, _ = blobs
    model = LaplacianKModes(3, random_state=0).fit(X)
    figure = plot_mode_gallery(model, X, (1, 2), n_members=200)
    assert len(figure.axes) == 3 * 202


def test_demo_prints_its_table_and_writes_its_picture(tmp_path, capsys):
    demo.main(["--output", str(tmp_path)])
    said = capsys.readouterr().out
    accuracy = float(next(line.split()[-1] for line in said.splitlines() if "accuracy" in line))
    assert accuracy > 0.8
    for word in ("discrete objective", "cluster sizes", "time, neighbors", "time, solve"):
        assert word in said
    assert (tmp_path / "digits-modes.png").read_bytes()[:4] == b"\x89PNG"
    assert accuracy == pytest.approx(0.877, abs=0.03)
