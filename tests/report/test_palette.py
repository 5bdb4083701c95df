import itertools

import numpy as np
import pytest

from slkmodes.report.palette import palette, ramp, to_hex, to_oklab

# What is left of linear red, green and blue without one kind of cone (Machado, Oliveira and Fernandes 2009).
SIGHTS = {
    "all cones": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def as_seen(colour, sight):
    encoded = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(sight) @ linear, 0, 1)
    again = np.where(seen <= 0.0031308, 12.92 * seen, 1.055 * seen ** (1 / 2.4) - 0.055)
    return to_oklab("#" + "".join(f"{round(255 * part):02x}" for part in again))


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("theme", [0, 1])
def test_twelve_clusters_can_be_told_apart_by_everyone(sight, theme):
    """A difference of 0.02 in OKLab is just noticeable; here any two are several times that apart."""
    seen = [as_seen(pair[theme], SIGHTS[sight]) for pair in palette(12)]
    nearest = min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2))
    assert nearest > (0.08 if theme == 0 else 0.07)


def test_many_clusters_have_colours_of_their_own():
    colours = palette(200)
    assert len({light for light, _ in colours}) == 200
    assert colours[:12] == palette(12)


def test_colours_survive_the_way_there_and_back():
    for colour in ("#000000", "#ffffff", "#2d62d3", "#d69e26"):
        assert to_hex(to_oklab(colour)) == colour


def test_the_ramp_goes_one_way_in_lightness():
    for theme in (0, 1):
        assert np.all(np.diff([to_oklab(pair[theme])[0] for pair in ramp(8)]) < 0)
