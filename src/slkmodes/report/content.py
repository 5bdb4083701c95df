"""What a sample looks like to a person: a picture, a text, a row of a table, or its neighbours in a graph."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.report.pictures import data_uri, shrink
from slkmodes.report.table import Table

Array = npt.NDArray[Any]
Described = dict[str, Any]

OWNER = "slkmodes.report.collect"
KINDS = ("auto", "table", "images", "text")
# What all descriptions of samples may take, in bytes of JSON: a report stays below 5 MB.
BUDGET = 2_000_000
# Sides of pictures in pixels: the largest for which those that must be shown stay within the budget.
SIDES = (64, 48, 32, 24, 16, 8)
LONGEST_TEXT = 400
NO_TEXT = "(no text)"
NEIGHBORS_SHOWN = 6


class Content(ABC):
    """Describes samples; ``kind`` tells the templates what to expect."""

    kind: str
    on_paper = False  # whether samples are drawings, dark on light

    @abstractmethod
    def describe(self, row: int) -> Described:
        """One sample, as scalars, strings and lists."""

    def compare(self, rows: list[int], other: int | None = None) -> list[dict[str, Any]] | None:
        """Samples beside each other, by what tells them from all, or the first from one other; or None."""
        return None

    def make_room(self, rows: list[int]) -> None:
        """Adapt so that the descriptions of these samples stay within the budget; most are short anyway."""
        return


class Pictures(Content):
    """A picture per sample."""

    kind = "images"

    def __init__(self, images: Array) -> None:
        self.images = images
        self.side = SIDES[0]
        low, high = (0, 255) if images.dtype == np.uint8 else (np.nanmin(images), np.nanmax(images))
        self.low, self.high = float(low), float(high) if high > low else float(low) + 1.0
        # Drawings have paper all around: a light page shows those dark on light.
        some = images[:: max(1, len(images) // 256)]
        self.on_paper = images.ndim == 3 and bool(np.median(some[:, [0, -1]]) <= low >= np.median(some[:, :, [0, -1]]))

    def describe(self, row: int) -> Described:
        """The picture as a data URI."""
        picture = shrink(self.images[row], self.side).astype(np.float64)
        levels = np.nan_to_num((picture - self.low) * (255 / (self.high - self.low)))
        return {"image": data_uri(np.clip(np.rint(levels), 0, 255).astype(np.uint8))}

    def make_room(self, rows: list[int]) -> None:
        """Smaller pictures, where there are many or large ones."""
        for self.side in SIDES:
            if sum(size_of(self.describe(row)) for row in rows) <= BUDGET:
                return


class Texts(Content):
    """A text per sample."""

    kind = "text"

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts

    def describe(self, row: int) -> Described:
        """The beginning of the text."""
        text = " ".join(self.texts[row].split()) or NO_TEXT
        return {"text": text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1].rstrip() + "…"}


class Rows(Content):
    """A row of a table per sample: the columns in which it differs most from the others."""

    kind = "table"

    def __init__(self, table: Table) -> None:
        self.table = table

    def describe(self, row: int) -> Described:
        """Name, value and deviation (in standard deviations from the mean) of a few columns."""
        return {"features": self.table.peculiarities(row)}

    def compare(self, rows: list[int], other: int | None = None) -> list[dict[str, Any]] | None:
        """The columns that tell most."""
        return self.table.compare(rows, other)


class Neighborhoods(Content):
    """Nothing but a graph: a sample is known by its strongest edges."""

    kind = "graph"

    def __init__(self, affinity: Any) -> None:
        self.affinity = affinity

    def describe(self, row: int) -> Described:
        """Row numbers and weights of the nearest."""
        own = slice(*self.affinity.indptr[row : row + 2])
        strongest = np.argsort(-self.affinity.data[own], kind="stable")[:NEIGHBORS_SHOWN]
        numbers, weights = self.affinity.indices[own][strongest], self.affinity.data[own][strongest]
        return {"neighbors": [[int(n), float(f"{w:.4g}")] for n, w in zip(numbers, weights, strict=True)]}


def describe_samples(content: Content, needed: list[int], others: Iterable[int]) -> dict[str, Described]:
    """Descriptions by row number (as JSON wants it): of all that are needed, then of others while there is room."""
    content.make_room(needed)
    described = {str(row): content.describe(row) for row in needed}
    spent = sum(map(size_of, described.values()))
    for row in others:
        if str(row) in described:
            continue
        description = content.describe(row)
        spent += size_of(description)
        if spent > BUDGET:
            break
        described[str(row)] = description
    return described


def size_of(description: Described) -> int:
    """Bytes it takes in the file."""
    return len(json.dumps(description, ensure_ascii=False).encode("utf-8", "replace"))


def choose_content(
    model: Any, affinity: Any, X: Any, kind: str, images: Any, image_shape: Any, texts: Any, feature_names: Any
) -> Content:
    """The content that was asked for or, with "auto", the most telling that is there."""
    n_samples = len(model.labels_)
    if kind not in KINDS:
        raise ValueError(f"kind of {OWNER} must be one of {', '.join(map(repr, KINDS))}; got {kind!r}.")
    if kind == "auto":
        pictured = images is not None or image_shape is not None
        kind = "text" if texts is not None else "images" if pictured else "table"
    if kind == "text":
        return Texts(_check_texts(texts, n_samples))
    if X is None and model.modes_ is not None:
        X, names = _fitted_rows(model), getattr(model, "feature_names_in_", None)
        feature_names = names if feature_names is None else feature_names
    if kind == "images":
        return Pictures(_check_images(X if images is None else images, image_shape, n_samples))
    if X is None:
        return Neighborhoods(affinity)
    check_length("X", X, n_samples)
    return Rows(Table(X, feature_names))


def check_length(name: str, values: Any, n_samples: int) -> None:
    """Refuse anything that is not one entry per training sample."""
    length = values.shape[0] if hasattr(values, "shape") else len(values)
    if length != n_samples:
        raise ValueError(f"{name} of {OWNER} must hold the {n_samples} training samples in their order; got {length}.")


def _fitted_rows(model: Any) -> Array:
    kernel = model._fitted.problem.kernel
    return np.asarray(model._fitted.order.restore(kernel.metric.features(kernel.X)))


def _check_texts(texts: Any, n_samples: int) -> list[str]:
    if texts is None:
        raise ValueError(f"kind='text' of {OWNER} needs texts: a string per training sample.")
    if isinstance(texts, str):
        raise TypeError(f"texts of {OWNER} must be a sequence of strings, one per sample; got one string.")
    check_length("texts", texts, n_samples)
    return [str(text) for text in texts]


def _check_images(images: Any, image_shape: Any, n_samples: int) -> Array:
    if images is None:
        raise ValueError(f"kind='images' of {OWNER} needs images, or a model fitted on them and image_shape.")
    images = np.asarray(images)
    check_length("images", images, n_samples)
    if image_shape is not None:
        if np.prod(image_shape) * n_samples != images.size:
            raise ValueError(
                f"image_shape of {OWNER} must have as many pixels as an image has; got {tuple(image_shape)} for "
                f"{images.size // n_samples} pixels."
            )
        images = images.reshape(n_samples, *image_shape)
    if images.ndim == 4 and images.shape[3] == 1:
        images = images[..., 0]
    if images.ndim not in (3, 4) or (images.ndim == 4 and images.shape[3] != 3):
        raise ValueError(
            f"One image given to {OWNER} has shape {images.shape[1:]}: pass image_shape=(height, width) or "
            "(height, width, 3)."
        )
    return images
