"""Tables and cells from where they are published: Shuttle, KDD Cup 99, accelerometer, flights, worm neurons."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import numpy as np
from scipy import sparse

from slkmodes.datasets.archives import read_h5
from slkmodes.datasets.download import download
from slkmodes.datasets.locate import cache_folder
from slkmodes.datasets.records import Loaded
from slkmodes.optional import optional

SHUTTLE_OF_OPENML = 40685
KDD_TRAINING = (  # the copy of scikit-learn, whose sum it checks
    "https://ndownloader.figshare.com/files/5976042",
    "sha256:8045aca0d84e70e622d1148d7df782496f6333bf6eb979a1b0837c42a9fd9561",
)
KDD_TEST_PLACES = (
    "https://kdd.ics.uci.edu/databases/kddcup99/corrected.gz",
    "https://archive.ics.uci.edu/ml/machine-learning-databases/kddcup99-mld/corrected.gz",
)
KDD_WORDS = (1, 2, 3)  # columns: protocol, service, flag
KDD_LABEL = 41
CHEST_ZIP = (
    "https://archive.ics.uci.edu/ml/machine-learning-databases/00287/"
    "Activity%20Recognition%20from%20Single%20Chest-Mounted%20Accelerometer.zip"
)
FLIGHTS_PARQUET = "https://cdn.jsdelivr.net/npm/vega-datasets@3.2.1/data/flights-3m.parquet"
WORM_H5 = (
    "https://raw.githubusercontent.com/ttgump/scDeepCluster/ae033d7e366e68e68fe8ac5792744aa19cbc20f9/"
    "scRNA-seq%20data/worm_neuron_cell.h5"
)


def shuttle(folder: Path) -> Loaded:
    """Statlog Shuttle from OpenML."""
    from sklearn.datasets import fetch_openml

    home = str(cache_folder() / "scikit_learn")
    table = fetch_openml(data_id=SHUTTLE_OF_OPENML, as_frame=False, parser="liac-arff", data_home=home)
    return Loaded(table.data.astype(np.int16), table.target.astype(np.int64))


def kddcup99(folder: Path) -> Loaded:
    """The ten per cent of the training part, then the corrected test part; columns of words are left out."""
    url, checksum = KDD_TRAINING
    files = [
        download([url], folder / "training.gz", checksum),
        download(KDD_TEST_PLACES, folder / "corrected.gz"),
    ]
    lines = [line for file in files for line in gzip.decompress(file.read_bytes()).decode().splitlines() if line]
    numbers = [column for column in range(KDD_LABEL) if column not in KDD_WORDS]
    X = np.loadtxt(lines, np.float32, delimiter=",", usecols=numbers)
    names, y = np.unique([line.rpartition(",")[2].rstrip(".") for line in lines], return_inverse=True)
    return Loaded(X, y.astype(np.int64), tuple(map(str, names)))


def chest_accel(folder: Path) -> Loaded:
    """The readings of 15 persons, person by person."""
    with zipfile.ZipFile(download([CHEST_ZIP], folder / "chest.zip")) as archive:
        files = sorted((name for name in archive.namelist() if name.endswith(".csv")), key=lambda n: int(Path(n).stem))
        rows = np.concatenate([np.loadtxt(archive.open(name), delimiter=",", usecols=(1, 2, 3, 4)) for name in files])
    return Loaded(rows[:, :3].astype(np.int16), rows[:, 3].astype(np.int64))


def flights(folder: Path) -> Loaded:
    """Minute of the day, day, delay and distance of every flight; its origin is its class."""
    parquet = optional("pyarrow.parquet", "The flights, which are published as a Parquet file,", "data")
    table = parquet.read_table(download([FLIGHTS_PARQUET], folder / "flights.parquet"))
    minutes = table["date"].to_numpy().astype("datetime64[m]")
    days = minutes.astype("datetime64[D]")
    columns = (minutes - days, days - days.min(), table["delay"].to_numpy(), table["distance"].to_numpy())
    airports, y = np.unique(table["origin"].to_numpy().astype(str), return_inverse=True)
    X = np.column_stack([column.astype(np.int16) for column in columns])
    return Loaded(X, y.astype(np.int64), tuple(map(str, airports)))


def worm_neurons(folder: Path) -> Loaded:
    """Counts of transcripts, cell by gene."""
    loaded = read_h5(download([WORM_H5], folder / "worm_neuron_cell.h5"))
    return Loaded(sparse.csr_array(np.asarray(loaded.X).astype(np.int32)), loaded.y)
