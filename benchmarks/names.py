"""The data sets that are compared, by their names in the records and in the README."""

from __future__ import annotations

COMPARED = (
    "digits",
    "COIL-20",
    "LabelMe CNN",
    "worm neurons",
    "Reuters-21578",
    "USPS",
    "20 newsgroups",
    "Shuttle",
    "MNIST",
    "MNIST, unit rows",
    "Fashion-MNIST",
)
