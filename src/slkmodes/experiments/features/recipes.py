"""Which features there are, what they are made from and how: a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.datasets import DATA_SETS
from slkmodes.experiments.features.autoencoder import autoencoder_codes
from slkmodes.experiments.features.gan import discriminator_features
from slkmodes.experiments.features.gist import gist_descriptors

Array = npt.NDArray[Any]
Features = npt.NDArray[np.float32]

# MNIST's own training images come first; the paper trains its GAN on them alone.
N_TRAINING = 60_000


@dataclass(frozen=True)
class Recipe:
    """How features are made.

    Parameters
    ----------
    base : str
        The data set they are features of.
    make : callable
        Rows of that data set -> features; where a network is trained, from rows, epochs, seed and device.
    epochs : int or None
        How often the network sees the data if not said otherwise; None where nothing is trained.
    """

    base: str
    make: Callable[..., Features]
    epochs: int | None = None


def mnist_features(X: Array, epochs: int, seed: int, device: Any) -> Features:
    """Features of all images by a discriminator that saw the training images."""
    return discriminator_features(X, N_TRAINING, epochs, seed, device)


def scene_descriptors(X: Array) -> Features:
    """GIST of rows that are pictures."""
    shape = DATA_SETS["labelme8_64"].image_shape
    assert shape is not None
    return gist_descriptors(X.reshape(-1, *shape))


RECIPES: dict[str, Recipe] = {
    "mnist_code": Recipe("mnist", autoencoder_codes, epochs=150),
    "mnist_gan": Recipe("mnist", mnist_features, epochs=80),
    "labelme8_gist": Recipe("labelme8_64", scene_descriptors),
    # About as many steps as for MNIST, which has a tenth of the rows.
    "reuters_code": Recipe("rcv1", autoencoder_codes, epochs=15),
}
