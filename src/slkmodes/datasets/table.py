"""What there is: the data sets of the paper's table 1, and more."""

from __future__ import annotations

from dataclasses import replace

from slkmodes.datasets.records import DataSet
from slkmodes.validation import check_option

NOT_STATED = "not stated: treat as for research only"
AUTOENCODER = "10 features of an autoencoder that is trained here on"
GAN = "256 features of the discriminator of a GAN that is trained here on"
SCENES = "Oliva and Torralba 2001, https://people.csail.mit.edu/torralba/code/spatialenvelope/"
FACES = "Wolf et al. 2011, https://www.cs.tau.ac.il/~wolf/ytfaces/ (on request)"

MNIST = DataSet(
    name="mnist",
    title="MNIST",
    n_samples=70_000,
    n_features=784,
    n_clusters=10,
    kind="images",
    origin="download",
    source="LeCun et al. 1998, https://storage.googleapis.com/cvdf-datasets/mnist/",
    licence=NOT_STATED,
    file="mnist.npz",
    sha256="b99d4875142af787a5b26ef24a84d89e94e3c3193034ac55e50b1d201de13fd6",
    class_sizes=(6313, 7877),
    value_range=(0, 255),
    image_shape=(28, 28),
    in_paper=True,
)

LABELME = DataSet(
    name="labelme8_64",
    title="LabelMe (64 x 64)",
    n_samples=2688,
    n_features=12_288,
    n_clusters=8,
    kind="images",
    origin="download",
    source=SCENES,
    licence=NOT_STATED,
    file="labelme8_64.npz",
    sha256="fae382820d3670fc082c1007ba733849fd4d8182755eaf8c36fad63f9ef3ffb6",
    class_sizes=(260, 410),
    value_range=(0, 255),
    image_shape=(64, 64, 3),
)

RCV1 = DataSet(
    name="rcv1",
    title="Reuters (RCV1)",
    n_samples=685_071,
    n_features=2000,
    n_clusters=4,
    kind="text",
    origin="download",
    source="Lewis et al. 2004, through scikit-learn",
    licence="Reuters Ltd.: for research only",
    file="rcv1.npz",
    preparation="weighted_documents",
)


def _features_of(base: DataSet, name: str, title: str, n_features: int, **changes: object) -> DataSet:
    """Other features of the samples of a data set, in the same order."""
    other = {"file": f"{name}.npz", "sha256": None, "value_range": None, "image_shape": None, "preparation": "as_it_is"}
    return replace(base, name=name, title=title, n_features=n_features, **{**other, **changes})  # type: ignore[arg-type]


_OF_THE_PAPER = (
    replace(
        MNIST,
        name="mnist_small",
        title="MNIST (small)",
        n_samples=2000,
        origin="derived",
        source="200 images of every digit of MNIST, always the same",
        file=None,
        sha256=None,
        class_sizes=(200, 200),
    ),
    _features_of(MNIST, "mnist_code", "MNIST (code)", 10, origin="learned", source=f"{AUTOENCODER} MNIST"),
    MNIST,
    _features_of(MNIST, "mnist_gan", "MNIST (GAN)", 256, origin="learned", source=f"{GAN} MNIST"),
    DataSet(
        name="shuttle",
        title="Shuttle",
        n_samples=58_000,
        n_features=9,
        n_clusters=7,
        kind="table",
        origin="download",
        source="Statlog, https://www.openml.org/d/40685",
        licence=NOT_STATED,
        file="shuttle.npz",
        sha256="25f400018b120f5ed6d18404402ef9ec5ec9854b3b6c88cdab12815ca6a1f61e",
        class_sizes=(10, 45_586),
        value_range=(-26_739, 15_164),
        preparation="standardised",
        in_paper=True,
    ),
    _features_of(
        LABELME,
        "labelme8_alexnet",
        "LabelMe (Alexnet)",
        4096,
        origin="provided",
        source="features of a fully connected layer of AlexNet, as in the paper; nobody publishes them",
        in_paper=True,
    ),
    _features_of(
        LABELME,
        "labelme8_gist",
        "LabelMe (GIST)",
        44_604,
        origin="learned",
        source=f"GIST features of {SCENES}",
        fixed_columns=False,
        in_paper=True,
    ),
    DataSet(
        name="ytf",
        title="YTF",
        n_samples=10_036,
        n_features=9075,
        n_clusters=40,
        kind="images",
        origin="provided",
        source=FACES,
        licence="on request, for research",
        file="ytf.npz",
        image_shape=(55, 55, 3),
        in_paper=True,
    ),
    _features_of(
        RCV1,
        "reuters_code",
        "Reuters (code)",
        10,
        origin="learned",
        source=f"{AUTOENCODER} Reuters (RCV1)",
        in_paper=True,
    ),
)

_MORE = (
    replace(MNIST, name="mnist_unit_rows", title="MNIST, unit rows", preparation="unit_rows", in_paper=False),
    LABELME,
    _features_of(
        LABELME,
        "labelme8_effnetlite0",
        "LabelMe (CNN)",
        1280,
        origin="provided",
        source="EfficientNet-Lite0 instead of the paper's AlexNet: its global average pool, as float16",
        licence="images: not stated; weights: Apache-2.0",
        sha256="a94d6da5a39e6a39cc45aadc305546359c2a98c03cb59298a2756030b34af6f0",
    ),
    RCV1,
    DataSet(
        name="fashion_mnist",
        title="Fashion-MNIST",
        n_samples=70_000,
        n_features=784,
        n_clusters=10,
        kind="images",
        origin="download",
        source="Xiao et al. 2017, https://github.com/zalandoresearch/fashion-mnist",
        licence="MIT, Zalando SE",
        file="fashion_mnist.npz",
        sha256="ccc14fbc70d4df2ef53a377c205c35b66967ceb6f51a0062fc7029b29fbfba3c",
        class_sizes=(7000, 7000),
        value_range=(0, 255),
        image_shape=(28, 28),
    ),
    DataSet(
        name="usps",
        title="USPS",
        n_samples=9298,
        n_features=256,
        n_clusters=10,
        kind="images",
        origin="download",
        source="Hull 1994, https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass.html#usps",
        licence=NOT_STATED,
        file="usps.npz",
        sha256="821f2c4c1d146244606426c3b50a74c024d1b4db348e13949a2baea0e4bbe47c",
        class_sizes=(708, 1553),
        value_range=(0, 1),
        image_shape=(16, 16),
    ),
    DataSet(
        name="coil20",
        title="COIL-20",
        n_samples=1440,
        n_features=1024,
        n_clusters=20,
        kind="images",
        origin="download",
        source="Nene et al. 1996, https://github.com/hyzhang98/AdaGAE",
        licence=NOT_STATED,
        file="coil20.npz",
        sha256="5b65ef9aea0332e7f2800f9009954db5c914a5563704f312bbe83955ee8b34d5",
        class_sizes=(72, 72),
        value_range=(0, 255),
        image_shape=(32, 32),
    ),
    DataSet(
        name="orl",
        title="ORL",
        n_samples=400,
        n_features=1024,
        n_clusters=40,
        kind="images",
        origin="download",
        source="Samaria and Harter 1994, https://github.com/hyzhang98/AdaGAE",
        licence=NOT_STATED,
        file="orl.npz",
        sha256="9f5b46caf2d8159f5a2dc16ecc367e9df501b702b3ae43206f71c53dad4873ec",
        class_sizes=(10, 10),
        image_shape=(32, 32),
    ),
    DataSet(
        name="digits",
        title="digits",
        n_samples=1797,
        n_features=64,
        n_clusters=10,
        kind="images",
        origin="bundled",
        source="Alpaydin and Kaynak 1998, in scikit-learn",
        licence="CC BY 4.0 (UCI)",
        class_sizes=(174, 183),
        value_range=(0, 16),
        image_shape=(8, 8),
    ),
    DataSet(
        name="news20",
        title="20 newsgroups",
        n_samples=18_846,
        n_features=21_600,
        n_clusters=20,
        kind="text",
        origin="download",
        source="Lang 1995, through scikit-learn",
        licence=NOT_STATED,
        file="news20.npz",
        sha256="c1b32c0360244780402f4cda5dba32cee495199b9b6b790926737478636c9dc0",
        class_sizes=(628, 999),
        preparation="documents",
        fixed_columns=False,
    ),
    DataSet(
        name="reuters21578",
        title="Reuters-21578",
        n_samples=8420,
        n_features=10_270,
        n_clusters=31,
        kind="text",
        origin="download",
        source="Lewis 1997, https://kdd.ics.uci.edu/databases/reuters21578/",
        licence="Reuters Ltd.: free for research purposes only",
        file="reuters21578.npz",
        sha256="7dfb59739ed6398ea8129a59cb6ce66f618531d89b02f3cdc1201ccac3c95d4d",
        class_sizes=(20, 3735),
        preparation="documents",
        fixed_columns=False,
    ),
    DataSet(
        name="worm_neuron_scrna",
        title="worm neurons",
        n_samples=4186,
        n_features=13_488,
        n_clusters=10,
        kind="cells",
        origin="download",
        source="Cao et al. 2017, https://github.com/ttgump/scDeepCluster",
        licence="repository: Apache-2.0",
        file="worm_neuron_scrna.npz",
        sha256="1b864e5d422af25e238af1c914388da22cb8da9492c1d2128553a51b738a0d23",
        class_sizes=(70, 1015),
        preparation="cells",
    ),
    DataSet(
        name="kddcup99",
        title="KDD Cup 99",
        n_samples=805_050,
        n_features=38,
        n_clusters=40,
        kind="table",
        origin="download",
        source="https://kdd.ics.uci.edu/databases/kddcup99/",
        licence=NOT_STATED,
        file="kddcup99.npz",
        sha256="70a8f1587a2a83ba298773e73cb5fcd9e33986aad895c4cacc57cf00cbb501b9",
        class_sizes=(2, 444_881),
        value_range=(0, 693_375_640),
        preparation="standardised",
    ),
    DataSet(
        name="chest_accel",
        title="chest accelerometer",
        n_samples=1_926_896,
        n_features=3,
        n_clusters=7,
        kind="table",
        origin="download",
        source="Casale et al. 2012, https://archive.ics.uci.edu/dataset/287",
        licence=NOT_STATED,
        file="chest_accel.npz",
        sha256="b7241d0e66c36c472de25aea9049b0b55ef0daa5de75ebc4ab4e3eeb7ca0aca3",
        class_sizes=(47_770, 608_667),
        value_range=(1, 4095),
        preparation="standardised",
        unlabelled=0,
    ),
    DataSet(
        name="flights3m",
        title="flights",
        n_samples=3_000_000,
        n_features=4,
        n_clusters=229,
        kind="table",
        origin="download",
        source="US flights of 2001, https://github.com/vega/vega-datasets",
        licence="package: BSD-3-Clause",
        file="flights3m.npz",
        sha256="eaabc6c78b168a74b191805e630801a48b76cacb5d16ac5dd90ec5fdaefb950a",
        class_sizes=(1, 166_341),
        value_range=(-1116, 4962),
        preparation="standardised",
    ),
)

DATA_SETS: dict[str, DataSet] = {data_set.name: data_set for data_set in (*_OF_THE_PAPER, *_MORE)}


def _plain(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


_BY_PLAIN_NAME = {_plain(text): data_set for data_set in DATA_SETS.values() for text in (data_set.name, data_set.title)}


def find_data_set(name: str) -> DataSet:
    """The entry of a data set, by name or by title; case, spaces and punctuation do not matter.

    Parameters
    ----------
    name : str
        Such as ``"mnist_small"`` or ``"MNIST (small)"``.

    Returns
    -------
    DataSet
        Of ``DATA_SETS``.

    Examples
    --------
    >>> find_data_set("LabelMe CNN").name
    'labelme8_effnetlite0'
    """
    found = _BY_PLAIN_NAME.get(_plain(name)) if isinstance(name, str) else None
    return found or DATA_SETS[check_option("load", "name", name, DATA_SETS)]
