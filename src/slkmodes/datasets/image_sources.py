"""Pictures from where they are published: MNIST, Fashion-MNIST, USPS, COIL-20, ORL, LabelMe."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.datasets.archives import read_mat
from slkmodes.datasets.download import download
from slkmodes.datasets.records import Loaded
from slkmodes.optional import optional

# The sums of both sets are those that PyTorch's and TensorFlow's loaders check.
IDX_FILES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)
MNIST_PLACES = (
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
)
MNIST_SUMS = (
    "sha256:440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    "sha256:3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    "sha256:8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    "sha256:f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
)
FASHION_PLACES = (
    "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/b2617bb6d3ffa2e429640350f613e3291e10b141/data/fashion/",
    "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
)
FASHION_SUMS = (
    "sha256:3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
    "sha256:a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
    "sha256:346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
    "sha256:67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
)
USPS_PLACE = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass/"
USPS_SUMS = {"usps.bz2": "md5:ec16c51db3855ca6c91edd34d0e9b197", "usps.t.bz2": "md5:8ea070ee2aca1ac39742fdd1ef5ed118"}
MAT_PLACE = "https://raw.githubusercontent.com/hyzhang98/AdaGAE/38965140728fc081010291b20f4b28d90b3e0451/data/"
LABELME_ZIP = (
    "https://people.csail.mit.edu/torralba/code/spatialenvelope/spatial_envelope_256x256_static_8outdoorcategories.zip"
)


def mnist(folder: Path) -> Loaded:
    """Training pictures, then test pictures."""
    return _idx_pictures(folder, MNIST_PLACES, MNIST_SUMS)


def fashion_mnist(folder: Path) -> Loaded:
    """Training pictures, then test pictures."""
    return _idx_pictures(folder, FASHION_PLACES, FASHION_SUMS)


def _idx_pictures(folder: Path, places: tuple[str, ...], sums: tuple[str, ...]) -> Loaded:
    train_X, train_y, test_X, test_y = (
        read_idx(download([place + name for place in places], folder / name, checksum))
        for name, checksum in zip(IDX_FILES, sums, strict=True)
    )
    images = np.concatenate([train_X, test_X])
    labels = np.concatenate([train_y, test_y]).astype(np.int64)
    return Loaded(images.reshape(len(images), -1), labels, image_shape=images.shape[1:])


def read_idx(path: Path) -> npt.NDArray[np.uint8]:
    """A gzipped IDX file of bytes: two zeros, the type (8), the number of axes, their lengths, the values."""
    content = gzip.decompress(path.read_bytes())
    if content[:3] != b"\0\0\x08":
        raise ValueError(f"{path.name} must be an IDX file of bytes; it begins with {content[:4]!r}.")
    lengths = np.frombuffer(content, ">u4", content[3], 4).astype(np.int64)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * len(lengths)).reshape(lengths)


def usps(folder: Path) -> Loaded:
    """LIBSVM's copy, training pictures then test pictures: values from -1 to 1 become 0 to 1, labels 1 to 10 digits."""
    from sklearn.datasets import load_svmlight_file

    files = [download([USPS_PLACE + name], folder / name, checksum) for name, checksum in USPS_SUMS.items()]
    parts = [load_svmlight_file(str(file), n_features=256) for file in files]
    X = np.concatenate([(part.toarray() + 1) / 2 for part, _ in parts])
    y = np.concatenate([labels - 1 for _, labels in parts])
    return Loaded(X.astype(np.float32), y.astype(np.int64), image_shape=(16, 16))


def coil20(folder: Path) -> Loaded:
    """20 objects on a turntable."""
    return _mat_pictures(folder, "COIL20.mat")


def orl(folder: Path) -> Loaded:
    """40 persons, ten pictures each."""
    return _mat_pictures(folder, "ORL.mat")


def _mat_pictures(folder: Path, name: str) -> Loaded:
    loaded = read_mat(download([MAT_PLACE + name], folder / name))
    values = np.asarray(loaded.X, dtype=np.float64)
    if values.max() <= 1:
        values = values * 255
    images = np.rint(values).astype(np.uint8).reshape(-1, 32, 32)
    # MATLAB stores columns first. Upright, the top of these pictures is brighter than their left side.
    if images[:, 0].sum(dtype=np.int64) < images[:, :, 0].sum(dtype=np.int64):
        images = images.transpose(0, 2, 1)
    return Loaded(images.reshape(len(images), -1), loaded.y, image_shape=(32, 32))


def labelme(folder: Path) -> Loaded:
    """The eight scene categories, class by class, every 4 x 4 pixels averaged to one."""
    image = optional("PIL.Image", "LabelMe, which is published as JPEG files,", "data")
    with zipfile.ZipFile(download([LABELME_ZIP], folder / "labelme.zip")) as archive:
        names = sorted((Path(name).name, name) for name in archive.namelist() if name.endswith(".jpg"))
        X = np.stack([_shrunk(image.open(io.BytesIO(archive.read(name)))) for _, name in names])
    classes, y = np.unique([name.partition("_")[0] for name, _ in names], return_inverse=True)
    return Loaded(X.reshape(len(X), -1), y.astype(np.int64), tuple(map(str, classes)), image_shape=(64, 64, 3))


def _shrunk(picture: Any) -> npt.NDArray[np.uint8]:
    pixels = np.asarray(picture.convert("RGB"), dtype=np.float64).reshape(64, 4, 64, 4, 3)
    return np.rint(pixels.mean(axis=(1, 3))).astype(np.uint8)
