"""What is known about a data set before it is loaded (DataSet), and what loading gives (Loaded)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Kind = Literal["images", "text", "table", "cells"]
Origin = Literal["bundled", "derived", "download", "learned", "provided"]


@dataclass(frozen=True)
class DataSet:
    """What is known about a data set.

    Parameters
    ----------
    name : str
        The identifier that ``load`` takes.
    title : str
        As tables show it; for the data sets of the paper, as there.
    n_samples, n_features, n_clusters : int
        Rows, columns and classes.
    kind : {"images", "text", "table", "cells"}
        What a row is.
    origin : {"bundled", "derived", "download", "learned", "provided"}
        Comes with scikit-learn; is made from another data set; is downloaded; is learned by
        ``slkmodes.experiments.features``; or is a file that only its user has.
    source, licence : str
        Where it is from, and under which terms, as far as stated there.
    file : str or None
        Its name in the data folder and in the cache.
    sha256 : str or None
        Of the published copy of that file.
    class_sizes : (int, int) or None
        Samples of the smallest and of the largest class.
    value_range : (float, float) or None
        Smallest and largest value.
    preparation : str
        What ``prepare`` does with it: a name of ``preparations.PREPARATIONS``.
    image_shape : tuple of int or None
        Of a row, where it is a picture.
    in_paper : bool
        Whether table 1 of the paper has it.
    fixed_columns : bool
        False where the number of columns depends on how a vocabulary or a filter bank is made.
    unlabelled : int or None
        The label of samples without a class, which ``load`` turns into -1.
    """

    name: str
    title: str
    n_samples: int
    n_features: int
    n_clusters: int
    kind: Kind
    origin: Origin
    source: str
    licence: str
    file: str | None = None
    sha256: str | None = None
    class_sizes: tuple[int, int] | None = None
    value_range: tuple[float, float] | None = None
    preparation: str = "as_it_is"
    image_shape: tuple[int, ...] | None = None
    in_paper: bool = False
    fixed_columns: bool = True
    unlabelled: int | None = None


@dataclass(frozen=True, eq=False)
class Loaded:
    """A data set in memory.

    Parameters
    ----------
    X : array or scipy.sparse.csr_array of shape (n_samples, n_features)
        In the type it is published in.
    y : array of int64 of shape (n_samples,)
        Classes; -1 where a sample has none.
    target_names : tuple of str or None
        Names of the classes 0, 1, ...
    image_shape : tuple of int or None
        Of a row, where it is a picture.
    """

    X: Any
    y: npt.NDArray[np.int64]
    target_names: tuple[str, ...] | None = None
    image_shape: tuple[int, ...] | None = None
