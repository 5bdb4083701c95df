"""The numbers of the paper, as facts to stand beside ours: Ziko, Granger and Ben Ayed, NeurIPS 2018, tables 1 to 3."""

from __future__ import annotations

from typing import NamedTuple


class PaperCell(NamedTuple):
    """One method on one data set, table 2."""

    nmi: float
    acc: float
    seconds: float


class Column(NamedTuple):
    """A data set of table 2: ours, how it is prepared, and the column of the paper that it stands beside."""

    data_set: str
    preparation: str | None = None  # None: the one of the data set
    paper: str | None = None  # None: not in the paper
    instead_of: str | None = None  # other features than the paper's


COLUMNS = {
    "MNIST": Column("mnist", "unit_rows", "MNIST"),
    "MNIST (code)": Column("mnist_code", paper="MNIST (code)"),
    "MNIST (GAN)": Column("mnist_gan", paper="MNIST (GAN)"),
    "LabelMe (Alexnet)": Column("labelme8_alexnet", paper="LabelMe (Alexnet)"),
    "LabelMe (CNN)": Column("labelme8_effnetlite0", paper="LabelMe (Alexnet)", instead_of="AlexNet features"),
    "LabelMe (GIST)": Column("labelme8_gist", paper="LabelMe (GIST)"),
    "YTF": Column("ytf", paper="YTF"),
    "Shuttle": Column("shuttle", paper="Shuttle"),
    "Reuters (code)": Column("reuters_code", paper="Reuters (code)"),
    # What the paper does not have.
    "Reuters-21578": Column("reuters21578"),
    "20 newsgroups": Column("news20"),
    "ORL": Column("orl"),
    "COIL-20": Column("coil20"),
}
SMALL_COLUMNS = {"MNIST (small)": Column("mnist_small", "unit_rows"), **COLUMNS}

_TITLES = (
    "MNIST",
    "MNIST (code)",
    "MNIST (GAN)",
    "LabelMe (Alexnet)",
    "LabelMe (GIST)",
    "YTF",
    "Shuttle",
    "Reuters (code)",
)


def _row(scores: str, seconds: str) -> dict[str, PaperCell]:
    """A row of both halves of table 2; a dash where the paper has no number."""
    cells = {}
    for title, score, time in zip(_TITLES, scores.split(), seconds.split(), strict=True):
        if score != "-":
            nmi, acc = score.split("/")
            cells[title] = PaperCell(float(nmi), float(acc), float(time))
    return cells


TABLE_2 = {
    "K-means": _row(
        ".53/.55 .66/.74 .68/.75 .81/.90 .57/.69 .77/.58 .22/.41 .48/.73", "119.9 16.8 51.6 11.2 132.1 210.1 1.8 36.1"
    ),
    "K-modes": _row(
        ".56/.60 .67/.75 .69/.80 .81/.91 .58/.68 .79/.62 .33/.47 .48/.72", "90.2 20.2 20.3 7.4 12.4 61.0 0.5 51.6"
    ),
    "NCUT": _row(".74/.61 .84/.81 .77/.67 .81/.91 .58/.61 .74/.54 .47/.46 -", "26.4 28.2 9.3 7.4 10.4 19.0 27.4 -"),
    "KK-means": _row(
        ".53/.55 .67/.80 .69/.68 .81/.90 .57/.63 .71/.50 .26/.40 -", "2580.8 1967.9 2427.9 4.6 17.2 40.2 1177.6 -"
    ),
    "LK": _row("- - - .81/.91 .59/.61 .77/.59 - -", "- - - 33.4 180.9 409.0 - -"),
    "SpectralNet": _row("- .81/.80 - - - - - .46/.65", "- 3600 - - - - - 9000"),
    "SLK-MS": _row(
        ".80/.79 .88/.95 .86/.94 .83/.91 .61/.72 .82/.65 .45/.70 .43/.74", "101.2 82.4 37.3 4.7 37.0 83.3 3.8 12.5"
    ),
    "SLK-BO": _row(
        ".77/.80 .89/.95 .86/.94 .83/.91 .61/.72 .80/.64 .51/.71 .43/.74", "14.2 23.1 10.3 1.8 7.1 12.4 1.3 53.1"
    ),
}

# Discrete objective at convergence: LK, SLK-MS. The weight, the bandwidth and the factor of the sums are not given.
TABLE_3 = {
    "MNIST (small)": (273.25, 67.09),
    "LabelMe (Alexnet)": (-1513.84, -1807.77),
    "LabelMe (GIST)": (-1954.90, -2024.10),
    "YTF": (-10003.2, -10003.5),
}

# Samples, features, clusters, size of the largest cluster over that of the smallest.
TABLE_1 = {
    "MNIST (small)": (2_000, 784, 10, 1.0),
    "MNIST (code)": (70_000, 10, 10, 1.0),
    "MNIST": (70_000, 784, 10, 1.0),
    "MNIST (GAN)": (70_000, 256, 10, 1.0),
    "Shuttle": (58_000, 9, 7, 4_558.0),
    "LabelMe (Alexnet)": (2_688, 4_096, 8, 1.0),
    "LabelMe (GIST)": (2_688, 44_604, 8, 1.0),
    "YTF": (10_036, 9_075, 40, 13.0),
    "Reuters (code)": (685_071, 10, 4, 5.0),
}
