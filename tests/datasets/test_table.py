import pytest

from slkmodes.datasets import DATA_SETS, find_data_set
from slkmodes.datasets.preparations import PREPARATIONS
from slkmodes.datasets.sources import SOURCES
from slkmodes.datasets.table import _plain

TABLE_1 = {
    "MNIST (small)": (2000, 784, 10),
    "MNIST (code)": (70_000, 10, 10),
    "MNIST": (70_000, 784, 10),
    "MNIST (GAN)": (70_000, 256, 10),
    "Shuttle": (58_000, 9, 7),
    "LabelMe (Alexnet)": (2688, 4096, 8),
    "LabelMe (GIST)": (2688, 44_604, 8),
    "YTF": (10_036, 9075, 40),
    "Reuters (code)": (685_071, 10, 4),
}


def test_table_1_of_the_paper_is_there():
    ours = {d.title: (d.n_samples, d.n_features, d.n_clusters) for d in DATA_SETS.values() if d.in_paper}
    assert ours == TABLE_1


def test_every_entry_can_be_used():
    for name, data_set in DATA_SETS.items():
        assert data_set.name == name
        assert data_set.preparation in PREPARATIONS
        assert (data_set.origin == "download") == (data_set.file in SOURCES)
        assert (data_set.origin in ("bundled", "derived")) == (data_set.file is None)


def test_no_two_entries_answer_to_the_same_name():
    names = [plain for d in DATA_SETS.values() for plain in {_plain(d.name), _plain(d.title)}]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("mnist_small", "mnist_small"),
        ("MNIST (small)", "mnist_small"),
        ("LabelMe CNN", "labelme8_effnetlite0"),
        ("MNIST, unit rows", "mnist_unit_rows"),
        ("worm neurons", "worm_neuron_scrna"),
        ("20 newsgroups", "news20"),
        ("Reuters-21578", "reuters21578"),
    ],
)
def test_names_and_titles_are_found(asked, found):
    assert find_data_set(asked).name == found


@pytest.mark.parametrize("unknown", ["mnits", "", None, 3])
def test_an_unknown_name_lists_what_there_is(unknown):
    with pytest.raises(ValueError, match=r"name of load must be one of .*'mnist'.*; got"):
        find_data_set(unknown)
