import numpy as np
import pytest

from slkmodes import adjusted_rand_index
from slkmodes.baselines.discretisation import discretise, rows_far_apart, unit_rows


def rotated_partition(rng, n=200, n_clusters=5, noise=0.0):
    y = np.concatenate([np.arange(n_clusters), rng.integers(n_clusters, size=n - n_clusters)])
    rotation = np.linalg.qr(rng.normal(size=(n_clusters, n_clusters)))[0]
    lengths = rng.uniform(0.1, 10.0, size=(n, 1))
    return lengths * (np.eye(n_clusters)[y] @ rotation + noise * rng.normal(size=(n, n_clusters))), y


@pytest.mark.parametrize("seed", range(5))
def test_a_partition_is_seen_through_a_rotation_and_lengths(seed):
    rng = np.random.default_rng(seed)
    embedding, y = rotated_partition(rng)
    assert adjusted_rand_index(y, discretise(embedding, rng)) == 1.0


def test_noise_is_rounded_away():
    """The rows that the rotation starts from are off by much; alternation mends that."""
    rng = np.random.default_rng(0)
    embedding, y = rotated_partition(rng, n=2000, noise=0.15)
    assert adjusted_rand_index(y, discretise(embedding, rng)) > 0.99


def test_lengths_of_rows_do_not_matter():
    """Rows of vertices with few edges are long."""
    embedding = np.random.default_rng(1).normal(size=(80, 4))
    lengths = 10.0 ** np.random.default_rng(2).uniform(-3, 3, size=(80, 1))
    one, other = (discretise(rows, np.random.default_rng(0)) for rows in (embedding, lengths * embedding))
    np.testing.assert_array_equal(one, other)


def test_no_rotation_of_a_plane_fits_better():
    """Two clusters: all rotations and reflections can be tried."""
    rng = np.random.default_rng(4)
    embedding = rng.normal(size=(60, 2)) + np.array([1.5, 0.0])
    rows = unit_rows(embedding)

    def agreement(labels):
        sums = np.array([rows[labels == label].sum(axis=0) for label in range(2)])
        return np.linalg.svd(sums, compute_uv=False).sum()

    turns = [np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]]) for t in np.linspace(0, 2 * np.pi, 721)]
    best = max(
        agreement(np.argmax(rows @ turn @ flip, axis=1)) for turn in turns for flip in (np.eye(2), np.diag([1, -1]))
    )
    found = max(agreement(discretise(embedding, rng)) for _ in range(10))
    assert found == pytest.approx(best, rel=1e-3)


def test_rows_of_zeros_get_the_first_label():
    embedding = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    labels = discretise(embedding, np.random.default_rng(0))
    assert labels[0] == labels[3] == 0
    assert labels[1] != labels[2]
    assert discretise(np.zeros((3, 2)), np.random.default_rng(0)).tolist() == [0, 0, 0]


def test_the_first_rotation_takes_rows_at_right_angles():
    rows = np.eye(4)[[0, 0, 1, 1, 2, 3]]
    chosen = rows_far_apart(rows, np.random.default_rng(0))
    np.testing.assert_array_equal(chosen.T @ chosen, np.eye(4))
