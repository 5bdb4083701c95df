"""Save a fitted model, and load it again."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from slkmodes.engines import ENGINES, native_available
from slkmodes.estimator import LaplacianKModes
from slkmodes.model_files.archive import UNREADABLE, read_archive, read_header, write_archive
from slkmodes.model_files.checks import Contents
from slkmodes.model_files.fitted_arrays import NAMES, collect_arrays, restore_arrays
from slkmodes.model_files.results import a_number, a_word, collect_results, restore_results
from slkmodes.neighbors import SEARCHES
from slkmodes.validation import check_integer, check_option, check_real, count_threads
from slkmodes.whole_files import whole_or_nothing

FORMAT = "slkmodes model"
# Raised when a file of the new kind could be misread by older code.
FORMAT_VERSION = 1


def save(model: LaplacianKModes, path: str | Path, *, notes: Mapping[str, Any] | None = None) -> None:
    """Write a fitted model to a file: whole, or not at all.

    Everything that :meth:`~LaplacianKModes.predict` and the report need is in it, X among it. A random state that is a
    generator, and a ``verbose`` that is a function, are not.

    Parameters
    ----------
    model : LaplacianKModes
        Fitted.
    path : str or path
        Usually ends in ``.npz``: ``numpy.load`` shows the arrays.
    notes : mapping, optional
        What else shall be in the file, such as the names of the columns; anything that JSON holds.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import make_moons
    >>> from slkmodes import LaplacianKModes, load_model, save_model
    >>> X, _ = make_moons(200, noise=0.05, random_state=0)
    >>> model = LaplacianKModes(n_clusters=2, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/moons.npz")
    ...     again = load_model(f"{folder}/moons.npz")
    >>> bool((again.predict(X) == model.labels_).all())
    True
    """
    import slkmodes

    check_is_fitted(model)
    names = getattr(model, "feature_names_in_", None)
    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "slkmodes_version": slkmodes.__version__,
        "parameters": _storable_parameters(model),
        "bandwidth_": model.bandwidth_,
        "n_features_in_": int(model.n_features_in_),
        "feature_names_in_": None if names is None else [str(name) for name in names],
        "results": collect_results(model),
        "notes": dict(notes or {}),
    }
    with whole_or_nothing(Path(path)) as part:
        write_archive(part, header, collect_arrays(model))


def load(path: str | Path) -> LaplacianKModes:
    """Read a model that :func:`save` wrote; its predictions are those of the model that was saved.

    Nothing in the file is run. What it holds is checked before it is used, so that a file from elsewhere can at worst
    be a bad model.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    LaplacianKModes
        Fitted. The index of the neighbour search is built again when it is first needed.
    """
    path = Path(path)
    try:
        header, arrays = read_archive(path, NAMES)
        check_format(header)
        model = LaplacianKModes(**_parameters(header["parameters"], arrays))
        model._check_parameters()
        count_threads("the model", model.n_jobs)
        _restore(model, header, Contents(arrays))
    except UNREADABLE as reason:
        raise ValueError(_not_a_model(path, reason)) from reason
    return model


def read_notes(path: str | Path) -> dict[str, Any]:
    """The notes that a model was saved with.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    dict
        As given to :func:`save`; empty where none were.
    """
    try:
        header = read_header(Path(path))
        check_format(header)
        return dict(header["notes"])
    except UNREADABLE as reason:
        raise ValueError(_not_a_model(Path(path), reason)) from reason


def check_format(header: Mapping[str, Any]) -> None:
    """Refuse other files, and models of a later version."""
    if header.get("format") != FORMAT:
        raise ValueError(f"its format must be {FORMAT!r}, got {header.get('format')!r}.")
    version = header.get("format_version")
    if version != FORMAT_VERSION:
        raise ValueError(
            f"its format version is {version!r}, this slkmodes reads {FORMAT_VERSION}. Load it with slkmodes "
            f"{header.get('slkmodes_version')}, or fit again."
        )


def _not_a_model(path: Path, reason: BaseException) -> str:
    told = f"it lacks {reason}" if isinstance(reason, KeyError) else str(reason).rstrip(".")
    return f"{path} is not a whole model of slkmodes: {told}. Give a file that save_model or slkmodes fit wrote."


def _storable_parameters(model: LaplacianKModes) -> dict[str, Any]:
    parameters = model.get_params(deep=False)
    if not isinstance(parameters["init"], str):
        parameters["init"] = None  # kept as an array
    if not isinstance(parameters["random_state"], int | np.integer):
        parameters["random_state"] = None
    if callable(parameters["verbose"]):
        parameters["verbose"] = 0
    return {name: _plain(value) for name, value in parameters.items()}


def _plain(value: Any) -> Any:
    """A parameter as JSON holds it: numbers of any kind as Python's own, sequences of any kind as lists."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Real):
        return int(value) if isinstance(value, Integral) else float(value)
    return [_plain(item) for item in value]


def _parameters(stored: Mapping[str, Any], arrays: Mapping[str, Any]) -> dict[str, Any]:
    known = inspect.signature(LaplacianKModes).parameters
    unknown = sorted(set(stored) - set(known))
    if unknown:
        raise ValueError(f"its parameters {', '.join(unknown)} are not known here.")
    parameters = dict(stored)
    if parameters.get("init") is None:
        parameters["init"] = arrays["init"]
    return parameters


def _restore(model: LaplacianKModes, header: Mapping[str, Any], contents: Contents) -> None:
    model.n_features_in_ = check_integer("the model", "n_features_in_", header["n_features_in_"])
    names = header["feature_names_in_"]
    if names is not None:
        if len(names) != model.n_features_in_ or not all(isinstance(name, str) for name in names):
            raise ValueError(f"its feature_names_in_ must be {model.n_features_in_} words.")
        model.feature_names_in_ = np.array(names, dtype=object)
    restore_results(model, header["results"])
    for name in ("laplacian_weight_", "balance_", "diagonal_shift_"):
        check_real("the model", name, getattr(model, name))
    check_option("the model", "engine_", a_word(header["results"], "engine_"), ENGINES)
    if model.engine_ == "native" and not native_available():  # which says so
        model.engine_ = "numpy"
    bandwidth = None
    if model.affinity != "precomputed":
        check_option("the model", "neighbor_search_", model.neighbor_search_, SEARCHES)
        bandwidth = float(check_real("the model", "bandwidth_", a_number(header, "bandwidth_"), positive=True))
    restore_arrays(model, contents, bandwidth)
