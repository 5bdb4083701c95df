"""GIST: how much each orientation at each scale is found in each part of an image (Oliva and Torralba 2001).

An image is evened out, filtered by Gabor filters in the Fourier domain, and the strength of each response is averaged
over the cells of a grid; colour channels are described one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import fft
from scipy.ndimage import gaussian_filter

Array = npt.NDArray[Any]

# Octaves of frequency from the finest that the pixels hold, orientations of each, and cells along a side of the grid.
N_SCALES = 4
N_ORIENTATIONS = 8
GRID = 4
# Mirrored pixels around an image: the Fourier transform would join opposite edges.
MARGIN = 16
FINEST = 0.35  # centre of the finest filters, in cycles per pixel
# Standard deviations of a filter: along the frequency, relative to its centre, and across it, in orientations.
RADIAL_WIDTH, ANGULAR_WIDTH = 0.25, 0.45
# Evening out: pixels over which brightness and contrast are compared, and the contrast (of log brightness) that
# counts as none.
SURROUNDINGS = 3.0
LEAST_CONTRAST = 0.05
BLOCK_IMAGES = 64


def gist_descriptors(images: Array) -> npt.NDArray[np.float32]:
    """Descriptors of images of shape (n, height, width, channels) with values from 0 to 255.

    Each has ``GRID * GRID * N_SCALES * N_ORIENTATIONS * channels`` values: one channel after the other, in it one
    filter after the other, from fine to coarse, and in that one cell after the other.
    """
    channels_first = np.moveaxis(images, -1, 1)
    blocks = range(0, len(images), BLOCK_IMAGES)
    return np.concatenate([_describe(channels_first[start : start + BLOCK_IMAGES]) for start in blocks])


def _describe(images: Array) -> npt.NDArray[np.float32]:
    """Descriptors of images of shape (n, channels, height, width)."""
    height, width = images.shape[2:]
    margins = [(0, 0), (0, 0), (MARGIN, MARGIN), (MARGIN, MARGIN)]
    even = even_out(np.pad(images.astype(np.float32), margins, mode="symmetric"))
    spectra = fft.fft2(even)
    inside = np.s_[..., MARGIN : MARGIN + height, MARGIN : MARGIN + width]
    strengths = [cell_means(np.abs(fft.ifft2(spectra * gabor))[inside]) for gabor in gabor_filters(*even.shape[-2:])]
    return np.stack(strengths, axis=2).reshape(len(images), -1).astype(np.float32)


def even_out(images: Array) -> Array:
    """Log brightness without what is common to the surroundings, relative to the contrast of the surroundings."""
    logs = np.log1p(images)
    widths = (0, 0, SURROUNDINGS, SURROUNDINGS)
    detail = logs - gaussian_filter(logs, widths, mode="reflect")
    contrast = np.sqrt(gaussian_filter(np.square(detail), widths, mode="reflect"))
    return np.asarray(detail / (LEAST_CONTRAST + contrast))


def gabor_filters(height: int, width: int) -> Iterator[npt.NDArray[np.float32]]:
    """Bells in the Fourier domain, each on one side of the origin only: the size of a response is its envelope."""
    vertical, horizontal = np.meshgrid(fft.fftfreq(height), fft.fftfreq(width), indexing="ij")
    frequency, angle = np.hypot(vertical, horizontal), np.arctan2(vertical, horizontal)
    for scale in range(N_SCALES):
        centre = FINEST / 2**scale
        radial = np.exp(-0.5 * np.square((frequency / centre - 1) / RADIAL_WIDTH))
        radial[0, 0] = 0  # the mean of an image has no orientation
        for turn in range(N_ORIENTATIONS):
            step = np.pi / N_ORIENTATIONS
            apart = (angle - turn * step + np.pi) % (2 * np.pi) - np.pi
            yield (radial * np.exp(-0.5 * np.square(apart / (ANGULAR_WIDTH * step)))).astype(np.float32)


def cell_means(values: Array) -> Array:
    """Means over the cells of the grid, row by row of cells, of the last two axes."""
    for axis in (-2, -1):
        size = values.shape[axis]
        starts = np.arange(GRID) * size // GRID
        counts = np.diff(np.append(starts, size))
        values = np.add.reduceat(values, starts, axis=axis) / (counts[:, None] if axis == -2 else counts)
    return values.reshape(*values.shape[:-2], -1)
