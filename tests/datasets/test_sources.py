"""Every source on small files of the format it is published in; nothing is fetched from the internet."""

import gzip
import hashlib
import io
import sys
import tarfile
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from slkmodes.datasets import image_sources, table_sources, text_sources
from tests.datasets.test_archives import FakeFile


@pytest.fixture
def place(tmp_path):
    """A folder that stands for the internet."""
    folder = tmp_path / "internet"
    folder.mkdir()
    return folder


def sum_of(path, algorithm="sha256"):
    return f"{algorithm}:{hashlib.new(algorithm, path.read_bytes()).hexdigest()}"


def write_idx(path, array):
    header = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    path.write_bytes(gzip.compress(header + array.astype(np.uint8).tobytes()))


@pytest.mark.parametrize(
    ("source", "prefix"), [(image_sources.mnist, "MNIST"), (image_sources.fashion_mnist, "FASHION")]
)
def test_idx_files(place, tmp_path, monkeypatch, source, prefix):
    images = np.random.default_rng(0).integers(256, size=(5, 4, 3))
    labels = np.array([3, 1, 4, 1, 5])
    for name, part in zip(image_sources.IDX_FILES, (images[:3], labels[:3], images[3:], labels[3:]), strict=True):
        write_idx(place / name, part)
    monkeypatch.setattr(image_sources, f"{prefix}_PLACES", (place.as_uri() + "/",))
    monkeypatch.setattr(
        image_sources, f"{prefix}_SUMS", tuple(sum_of(place / name) for name in image_sources.IDX_FILES)
    )
    loaded = source(tmp_path)
    np.testing.assert_array_equal(loaded.X, images.reshape(5, 12))
    np.testing.assert_array_equal(loaded.y, labels)
    assert loaded.X.dtype == np.uint8
    assert loaded.image_shape == (4, 3)


def test_idx_files_that_are_none(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"<html>"))
    with pytest.raises(ValueError, match=r"a\.gz must be an IDX file of bytes"):
        image_sources.read_idx(tmp_path / "a.gz")


def test_usps(place, tmp_path, monkeypatch):
    import bz2

    (place / "usps.bz2").write_bytes(bz2.compress(b"7 1:-1 2:1 256:0.5\n10 1:1\n"))
    (place / "usps.t.bz2").write_bytes(bz2.compress(b"1 3:-0.25\n"))
    monkeypatch.setattr(image_sources, "USPS_PLACE", place.as_uri() + "/")
    monkeypatch.setattr(
        image_sources, "USPS_SUMS", {path.name: sum_of(path, "md5") for path in sorted(place.iterdir())}
    )
    loaded = image_sources.usps(tmp_path)
    assert loaded.X.shape == (3, 256)
    assert loaded.X.dtype == np.float32
    np.testing.assert_allclose(loaded.X[0, [0, 1, 255]], [0, 1, 0.75])
    assert loaded.X[2, 2] == 0.375
    np.testing.assert_array_equal(loaded.y, [6, 9, 0])


@pytest.mark.parametrize(("source", "name"), [(image_sources.coil20, "COIL20.mat"), (image_sources.orl, "ORL.mat")])
@pytest.mark.parametrize("scale", [1, 255])
@pytest.mark.parametrize("columns_first", [True, False])
def test_mat_files_are_turned_upright(place, tmp_path, monkeypatch, source, name, scale, columns_first):
    upright = np.zeros((2, 32, 32), np.uint8)
    upright[:, 0] = 255
    upright[1, 5:9, 20] = 51
    stored = upright.transpose(0, 2, 1) if columns_first else upright
    savemat(place / name, {"X": stored.reshape(2, -1) / scale, "Y": np.array([[1], [2]])})
    monkeypatch.setattr(image_sources, "MAT_PLACE", place.as_uri() + "/")
    loaded = source(tmp_path)
    np.testing.assert_array_equal(loaded.X.reshape(2, 32, 32), upright)
    assert loaded.X.dtype == np.uint8
    np.testing.assert_array_equal(loaded.y, [1, 2])


def test_labelme(place, tmp_path, monkeypatch):
    image = pytest.importorskip("PIL.Image")
    with zipfile.ZipFile(place / "scenes.zip", "w") as archive:
        for name, colour in {"street_a": (200, 0, 0), "coast_b": (0, 0, 250), "coast_a": (0, 100, 0)}.items():
            file = io.BytesIO()
            image.new("RGB", (256, 256), colour).save(file, "JPEG", quality=95)
            archive.writestr(f"scenes/{name}.jpg", file.getvalue())
        archive.writestr("scenes/Thumbs.db", b"")
    monkeypatch.setattr(image_sources, "LABELME_ZIP", (place / "scenes.zip").as_uri())
    loaded = image_sources.labelme(tmp_path)
    assert loaded.target_names == ("coast", "street")
    np.testing.assert_array_equal(loaded.y, [0, 0, 1])
    np.testing.assert_allclose(
        loaded.X.reshape(3, 64, 64, 3)[:, 10, 50], [(0, 100, 0), (0, 0, 250), (200, 0, 0)], atol=3
    )


def test_pictures_are_shrunk_by_averages():
    picture = np.zeros((256, 256, 3), np.uint8)
    picture[4:8, 8] = (4, 8, 255)  # a quarter of one block of 4 x 4
    shrunk = image_sources._shrunk(SimpleNamespace(convert=lambda mode: picture))
    assert shrunk[1, 2].tolist() == [1, 2, 64]
    assert np.count_nonzero(shrunk) == 3


def sgm(*documents):
    pattern = "<REUTERS NEWID='1'>\n<TOPICS>{}</TOPICS>\n<PLACES><D>usa</D></PLACES><TEXT>{}</TEXT>\n</REUTERS>\n"
    return "".join(
        pattern.format(
            "".join(f"<D>{topic}</D>" for topic in topics),
            f"<TITLE>{title}</TITLE><BODY>{body}\n&#3;</BODY>" if body else f"<TITLE>{title}</TITLE>",
        )
        for topics, title, body in documents
    ).encode("latin-1")


def test_reuters_21578(place, tmp_path, monkeypatch):
    first = sgm(
        (["cocoa"], "COCOA PRICES", "Beans of cocoa &lt;CCO> rose\n10 pct, abc123 x"),
        (["grain", "wheat"], "two topics", "cocoa wheat"),
        ([], "no topic", "cocoa wheat"),
        (["cocoa"], "no body", ""),
        (["tin"], "too few", "cocoa wheat"),
    )
    second = sgm(*[(["earn"], "profit", "the beans rose")] * 3, (["cocoa"], "more", "cocoa pct\xe9"))
    with tarfile.open(place / "reuters21578.tar.gz", "w:gz") as archive:
        for name, content in (("reut2-001.sgm", second), ("README.txt", b"<REUTERS>"), ("reut2-000.sgm", first)):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    monkeypatch.setattr(text_sources, "REUTERS_PLACES", (place.as_uri() + "/",))
    monkeypatch.setattr(text_sources, "FEWEST_DOCUMENTS", 2)
    monkeypatch.setattr(text_sources, "count_words", lambda texts, fewest: list(texts))
    loaded = text_sources.reuters21578(tmp_path)
    assert loaded.target_names == ("earn", "cocoa")
    np.testing.assert_array_equal(loaded.y, [1, 0, 0, 0, 1])
    assert " ".join(loaded.X[0].split()) == "COCOA PRICES Beans of cocoa <CCO> rose 10 pct, abc123 x"


def test_words_are_counted():
    texts = ["The cocoa, COCOA and beans-2 of x 10", "cocoa beans abc1", "beans rose"]
    counts = text_sources.count_words(texts, 2)
    assert isinstance(counts, sparse.csr_array)
    np.testing.assert_array_equal(counts.toarray(), [[1, 2], [1, 1], [1, 0]])  # beans, cocoa


def test_20_newsgroups(tmp_path, monkeypatch):
    def fetch(subset, remove, shuffle, data_home):
        assert set(remove) == {"headers", "footers", "quotes"}
        assert not shuffle
        texts = ["atheists argue"] * 5 if subset == "train" else ["graphics argue"] * 5
        target = np.full(5, 0 if subset == "train" else 1)
        return SimpleNamespace(data=texts, target=target, target_names=["alt.atheism", "comp.graphics"])

    monkeypatch.setattr("sklearn.datasets.fetch_20newsgroups", fetch)
    loaded = text_sources.news20(tmp_path)
    np.testing.assert_array_equal(loaded.X.toarray(), [[1, 1, 0]] * 5 + [[1, 0, 1]] * 5)
    np.testing.assert_array_equal(loaded.y, [0] * 5 + [1] * 5)
    assert loaded.target_names == ("alt.atheism", "comp.graphics")


def test_rcv1(tmp_path, monkeypatch):
    names = np.array(["C15", "CCAT", "ECAT", "GCAT", "M11", "MCAT"])
    target = np.array([[1, 1, 0, 0, 0, 0], [0, 1, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1], [0, 0, 1, 0, 0, 0]])
    data = np.array([[0.6, 0, 0, 0.8], [1, 1, 1, 1], [0.3, 0, 0.4, 0.5], [0.1, 0.9, 0, 0]])
    corpus = SimpleNamespace(target_names=names, target=sparse.csr_matrix(target), data=sparse.csr_matrix(data))
    monkeypatch.setattr("sklearn.datasets.fetch_rcv1", lambda subset, data_home: corpus)
    monkeypatch.setattr(text_sources, "N_WORDS", 2)
    loaded = text_sources.rcv1(tmp_path)
    assert isinstance(loaded.X, sparse.csr_array)
    assert loaded.X.dtype == np.float32
    # The second document has two roots; words 0 and 3 are in three and in two of the others.
    expected = np.array([[0.6, 0.8], [0.3 / 0.34**0.5, 0.5 / 0.34**0.5], [1, 0]])
    np.testing.assert_allclose(loaded.X.toarray(), expected, rtol=1e-6)
    np.testing.assert_array_equal(loaded.y, [0, 3, 1])
    assert loaded.target_names == ("CCAT", "ECAT", "GCAT", "MCAT")


def test_shuttle(tmp_path, monkeypatch):
    def fetch(data_id, as_frame, parser, data_home):
        assert data_id == 40685
        return SimpleNamespace(
            data=np.array([[50.0, 21.0], [-26739.0, 0.0]]), target=np.array(["2", "4"], dtype=object)
        )

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    loaded = table_sources.shuttle(tmp_path)
    assert loaded.X.tolist() == [[50, 21], [-26739, 0]]
    assert loaded.X.dtype == np.int16
    assert loaded.y.tolist() == [2, 4]


def test_kddcup99(place, tmp_path, monkeypatch):
    def line(first, label):
        return ",".join([str(first), "tcp", "http", "SF", *map(str, range(4, 41)), f"{label}."])

    (place / "training").write_bytes(gzip.compress(f"{line(7, 'normal')}\n{line(0.5, 'smurf')}\n".encode()))
    (place / "corrected.gz").write_bytes(gzip.compress(f"{line(9, 'back')}\n".encode()))
    monkeypatch.setattr(table_sources, "KDD_TRAINING", ((place / "training").as_uri(), sum_of(place / "training")))
    monkeypatch.setattr(table_sources, "KDD_TEST_PLACES", ((place / "corrected.gz").as_uri(),))
    loaded = table_sources.kddcup99(tmp_path)
    assert loaded.X.shape == (3, 38)
    assert loaded.X.dtype == np.float32
    assert loaded.X[:, 0].tolist() == [7, 0.5, 9]
    assert loaded.X[0, 1:].tolist() == list(range(4, 41))
    assert loaded.target_names == ("back", "normal", "smurf")
    assert loaded.y.tolist() == [1, 2, 0]


def test_chest_accelerometer(place, tmp_path, monkeypatch):
    with zipfile.ZipFile(place / "chest.zip", "w") as archive:
        for person in (10, 2):
            archive.writestr(f"Activity/{person}.csv", f"0,{person},20,4095,1\n1.0e+00,1,2,3,0\n")
        archive.writestr("Activity/README", "text")
    monkeypatch.setattr(table_sources, "CHEST_ZIP", (place / "chest.zip").as_uri())
    loaded = table_sources.chest_accel(tmp_path)
    assert loaded.X.tolist() == [[2, 20, 4095], [1, 2, 3], [10, 20, 4095], [1, 2, 3]]
    assert loaded.y.tolist() == [1, 0, 1, 0]


def test_flights(place, tmp_path, monkeypatch):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    times = np.array(["2001-01-01T00:01", "2001-01-03T23:59:00"], "datetime64[ms]")
    columns = {"date": times, "delay": [33, -13], "distance": [2176, 405], "origin": ["SEA", "ABE"]}
    parquet.write_table(pa.table({**columns, "destination": ["ABE", "SEA"]}), place / "flights.parquet")
    monkeypatch.setattr(table_sources, "FLIGHTS_PARQUET", (place / "flights.parquet").as_uri())
    loaded = table_sources.flights(tmp_path)
    assert loaded.X.tolist() == [[1, 0, 33, 2176], [1439, 2, -13, 405]]
    assert loaded.X.dtype == np.int16
    assert loaded.target_names == ("ABE", "SEA")
    assert loaded.y.tolist() == [1, 0]


def test_worm_neurons(place, tmp_path, monkeypatch):
    (place / "worm.h5").touch()
    monkeypatch.setattr(table_sources, "WORM_H5", (place / "worm.h5").as_uri())
    monkeypatch.setitem(sys.modules, "h5py", SimpleNamespace(File=FakeFile))
    loaded = table_sources.worm_neurons(tmp_path)
    assert isinstance(loaded.X, sparse.csr_array)
    np.testing.assert_array_equal(loaded.X.toarray(), np.arange(12).reshape(6, 2))
    assert loaded.y.tolist() == [0, 0, 1, 1, 1, 1]
