import io
from base64 import b64decode

import numpy as np
import pytest
from matplotlib.image import imread

from slkmodes.report import content
from slkmodes.report.content import Pictures, describe_samples, size_of
from slkmodes.report.pictures import data_uri, png, shrink


def pixels_of(data):
    """What another reader of PNG files sees, as bytes."""
    return np.rint(imread(io.BytesIO(data), format="png") * 255).astype(np.uint8)


@pytest.mark.parametrize("shape", [(1, 1), (5, 7), (5, 7, 3), (64, 64, 3)])
@pytest.mark.parametrize("smooth", [False, True])
def test_a_png_holds_its_pixels(shape, smooth):
    """Smooth pictures are stored as differences, noise is not."""
    noise = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    rows = np.arange(shape[0], dtype=np.uint8).reshape(-1, *[1] * (len(shape) - 1))
    pixels = (noise[:1] + rows).astype(np.uint8) if smooth else noise
    np.testing.assert_array_equal(pixels_of(png(pixels)), pixels)


def test_shrinking_takes_means_of_blocks():
    picture = np.array([[0.0, 2.0, 10.0, 10.0], [4.0, 2.0, 20.0, 20.0]])
    np.testing.assert_array_equal(shrink(picture, 2), [[2.0, 15.0]])
    assert shrink(picture, 4) is picture
    colours = np.random.default_rng(0).random((31, 17, 3))
    assert shrink(colours, 10).shape == (10, 5, 3)
    np.testing.assert_allclose(shrink(colours, 1)[0, 0], colours.mean(axis=(0, 1)))


def test_levels_go_from_the_least_to_the_most_of_all_images():
    images = np.array([[[0.0, 8.0]], [[16.0, np.nan]]])
    pictures = Pictures(images)
    assert pictures.describe(0) == {"image": data_uri(np.array([[0, 128]], dtype=np.uint8))}
    assert pictures.describe(1) == {"image": data_uri(np.array([[255, 0]], dtype=np.uint8))}


def test_bytes_stay_what_they_are():
    images = np.array([[[3, 200]], [[5, 7]]], dtype=np.uint8)
    image = Pictures(images).describe(0)["image"]
    np.testing.assert_array_equal(pixels_of(b64decode(image.partition(",")[2])), images[0])


def test_drawings_are_told_from_photographs():
    drawing = np.zeros((4, 8, 8))
    drawing[:, 2:6, 2:6] = 1
    assert Pictures(drawing).on_paper
    assert not Pictures(1 - drawing).on_paper
    assert not Pictures(np.random.default_rng(0).random((4, 8, 8))).on_paper


def test_large_pictures_shrink_until_they_fit(monkeypatch):
    monkeypatch.setattr(content, "BUDGET", 100_000)
    pictures = Pictures(np.random.default_rng(0).integers(0, 256, (15, 80, 80, 3), dtype=np.uint8))
    described = describe_samples(pictures, list(range(15)), range(15))
    assert len(described) == 15
    assert 25_000 < sum(map(size_of, described.values())) <= 100_000
    assert pictures.side == 32


def test_others_fill_the_room_that_is_left(monkeypatch):
    monkeypatch.setattr(content, "BUDGET", 100_000)
    pictures = Pictures(np.random.default_rng(0).integers(0, 256, (90, 64, 64), dtype=np.uint8))
    described = describe_samples(pictures, [5, 3], range(90))
    assert list(described)[:3] == ["5", "3", "0"]
    assert 80_000 < sum(map(size_of, described.values())) <= 100_000
