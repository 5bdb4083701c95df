import numpy as np
import pytest

from slkmodes.experiments.features.gist import (
    FINEST,
    GRID,
    N_ORIENTATIONS,
    N_SCALES,
    cell_means,
    even_out,
    gabor_filters,
    gist_descriptors,
)

SIDE = 64


def grating(scale, turn, side=SIDE):
    """Stripes at the centre of a filter, on a grey ground."""
    angle = turn * np.pi / N_ORIENTATIONS
    rows, columns = np.mgrid[:side, :side]
    phase = 2 * np.pi * FINEST / 2**scale * (columns * np.cos(angle) + rows * np.sin(angle))
    return (127 + 60 * np.sin(phase))[None, :, :, None]


def by_part(descriptors, channels=1):
    return descriptors.reshape(-1, channels, N_SCALES, N_ORIENTATIONS, GRID, GRID)


@pytest.mark.parametrize("scale", range(N_SCALES))
@pytest.mark.parametrize("turn", [0, 2, 5])
def test_stripes_answer_to_their_own_filter(scale, turn):
    strengths = by_part(gist_descriptors(grating(scale, turn)))[0, 0].mean(axis=(2, 3))
    assert np.unravel_index(strengths.argmax(), strengths.shape) == (scale, turn)


def test_the_cell_with_the_texture_and_the_channel_with_the_texture_are_told():
    images = np.full((1, SIDE, SIDE, 3), 127.0)
    cell = SIDE // GRID
    images[0, cell : 2 * cell, 3 * cell :, 2] = grating(0, 2)[0, :cell, :cell, 0]
    strengths = by_part(gist_descriptors(images), channels=3)[0].mean(axis=(1, 2))
    assert np.unravel_index(strengths.argmax(), strengths.shape) == (2, 1, 3)
    assert strengths[:2].max() < 1e-6 < strengths[2, 1, 3]


def test_a_plain_image_has_no_texture_however_bright():
    images = np.stack([np.full((SIDE, SIDE, 1), value) for value in (0.0, 90.0, 255.0)])
    np.testing.assert_allclose(gist_descriptors(images), 0, atol=1e-5)


def test_brightness_hardly_matters():
    rng = np.random.default_rng(0)
    image = rng.uniform(60, 120, size=(1, SIDE, SIDE, 1))
    dark, bright = gist_descriptors(image), gist_descriptors(2 * image)
    assert np.linalg.norm(bright - dark) < 0.02 * np.linalg.norm(dark)


def test_images_are_described_one_by_one_in_whatever_blocks(monkeypatch):
    images = np.random.default_rng(0).uniform(0, 255, size=(5, 32, 48, 3))
    together = gist_descriptors(images)
    assert together.shape == (5, 3 * N_SCALES * N_ORIENTATIONS * GRID**2)
    assert together.dtype == np.float32
    monkeypatch.setattr("slkmodes.experiments.features.gist.BLOCK_IMAGES", 2)
    np.testing.assert_array_equal(gist_descriptors(images), together)


def test_filters_look_to_one_side_only():
    """So their response is complex, and its size does not swing with the stripes."""
    for gabor in gabor_filters(32, 32):
        assert gabor[0, 0] == 0
        there = np.unravel_index(gabor.argmax(), gabor.shape)
        opposite = tuple(-place for place in there)
        assert gabor[opposite] < 1e-3 * gabor[there]


def test_evening_out_gives_equal_contrast():
    rng = np.random.default_rng(0)
    image = np.full((1, 1, SIDE, SIDE), 100.0)
    image[..., : SIDE // 2] += rng.normal(scale=50, size=(SIDE, SIDE // 2)).clip(-99)
    image[..., SIDE // 2 :] += rng.normal(scale=25, size=(SIDE, SIDE // 2))
    even = even_out(image)[0, 0]
    raw = np.log1p(image)[0, 0]
    left, right = np.s_[8:-8, 8:24], np.s_[8:-8, 40:-8]
    assert raw[left].std() > 2 * raw[right].std()
    assert even[left].std() < 1.5 * even[right].std()


def test_cells_of_unequal_size_are_averaged():
    values = np.arange(9.0 * 6).reshape(1, 9, 6)
    means = cell_means(values)[0].reshape(GRID, GRID)
    rows, columns = [0, 2, 4, 6, 9], [0, 1, 3, 4, 6]
    expected = [
        [values[0, rows[i] : rows[i + 1], columns[j] : columns[j + 1]].mean() for j in range(4)] for i in range(4)
    ]
    np.testing.assert_allclose(means, expected)
