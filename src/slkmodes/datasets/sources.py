"""The file of a data set: found, or fetched from its source, checked and stored in the cache."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from slkmodes.datasets import archives, image_sources, table_sources, text_sources
from slkmodes.datasets.checks import check_facts
from slkmodes.datasets.locate import cache_folder, check_copy, locate, what_to_do
from slkmodes.datasets.records import Loaded
from slkmodes.datasets.table import find_data_set

SOURCES: dict[str, Callable[[Path], Loaded]] = {
    "mnist.npz": image_sources.mnist,
    "fashion_mnist.npz": image_sources.fashion_mnist,
    "usps.npz": image_sources.usps,
    "coil20.npz": image_sources.coil20,
    "orl.npz": image_sources.orl,
    "labelme8_64.npz": image_sources.labelme,
    "news20.npz": text_sources.news20,
    "reuters21578.npz": text_sources.reuters21578,
    "rcv1.npz": text_sources.rcv1,
    "shuttle.npz": table_sources.shuttle,
    "kddcup99.npz": table_sources.kddcup99,
    "chest_accel.npz": table_sources.chest_accel,
    "flights3m.npz": table_sources.flights,
    "worm_neuron_scrna.npz": table_sources.worm_neurons,
}


def fetch(name: str) -> Path:
    """The file of a data set, downloaded to the cache unless it is there or in the data folder.

    Parameters
    ----------
    name : str
        A name or a title of ``DATA_SETS``.

    Returns
    -------
    Path
        Of a file that ``load`` can read.

    Raises
    ------
    FileNotFoundError
        Where nobody publishes the file; the message says how to get it.
    OSError
        Where a download fails.
    ValueError
        Where a file is not what it should be.

    Examples
    --------
    >>> fetch("digits")
    Traceback (most recent call last):
        ...
    FileNotFoundError: digits has no file of its own: it comes with scikit-learn.
    """
    data_set = find_data_set(name)
    path = locate(data_set)
    if path is not None:
        check_copy(data_set, path)
        return path
    if data_set.file is None:
        raise FileNotFoundError(f"{data_set.name} has no file of its own: {what_to_do(data_set)}.")
    if data_set.file not in SOURCES:
        raise FileNotFoundError(f"{data_set.title} was not found. To get it: {what_to_do(data_set)}.")
    cache = cache_folder()
    print(f"{data_set.title} is fetched into {cache} from {data_set.source}.", file=sys.stderr)
    cache.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=cache, prefix=".download-") as folder:
        try:
            loaded = SOURCES[data_set.file](Path(folder))
        except (OSError, *archives.UNREADABLE) as reason:
            raise OSError(
                f"{data_set.title} could not be fetched: {reason}\n"
                f"Try again later, or put {data_set.file} (arrays X and y) into {cache}."
            ) from reason
    check_facts(data_set, loaded)
    archives.write(cache / data_set.file, loaded)
    return cache / data_set.file
