import numpy as np
import pandas as pd
import pytest

from slkmodes.report import classes
from slkmodes.report.classes import majority, read_classes, scores

CLUSTERS = np.array([0, 0, 0, 1, 1, 1])


def test_labels_of_any_type():
    assert read_classes(["b", "a", None, "b"], None, 4).codes.tolist() == [1, 0, -1, 1]
    assert read_classes([2.0, np.nan, 10, 2], None, 4).names == ["2", "10"]  # by size, and 2.0 is 2
    assert read_classes(np.array([True, False]), None, 2).names == ["0", "1"]
    assert read_classes([1, "x"], None, 2).names == ["1", "x"]
    assert read_classes(pd.Series([3, None], dtype="Int64"), None, 2).codes.tolist() == [0, -1]
    assert read_classes(None, None, 2) is None


def test_names_by_number_or_by_dict():
    assert read_classes([1, 0, 1], ["zero", "one"], 3).names == ["zero", "one"]
    assert read_classes(["u", "v"], {"u": "up", "v": "veto"}, 2).names == ["up", "veto"]
    with pytest.raises(ValueError, match="must name every class, by its number or as a dict; none is for 2"):
        read_classes([2], ["zero", "one"], 1)
    with pytest.raises(ValueError, match=r"labels of .* must hold the 5 training samples in their order; got 1"):
        read_classes([2], None, 5)
    with pytest.raises(ValueError, match=r"must be classes, at most 10,000 of them; got 10,001"):
        read_classes(range(10_001), None, 10_001)


def test_scores_and_confusion():
    """Class a is cluster 1 but for one sample, class b cluster 0; the column of a comes first."""
    told = scores(read_classes(["b", "b", "a", "a", "a", None], None, 6), CLUSTERS, 3)
    assert told["n_known"] == 5
    assert told["accuracy"] == pytest.approx(4 / 5)
    assert told["confusion"] == {"classes": ["a", "b"], "clusters": [1, 0, 2], "counts": [[2, 1, 0], [0, 2, 0]]}
    assert 0 < told["adjusted_rand_index"] < told["normalized_mutual_information"] < 1


def test_no_class_is_known():
    assert scores(read_classes([None] * 6, None, 6), CLUSTERS, 2) is None


def test_many_classes_are_cut_to_the_most_frequent(monkeypatch):
    monkeypatch.setattr(classes, "MOST_CLASSES", 1)
    monkeypatch.setattr(classes, "MOST_CLUSTERS", 1)
    told = scores(read_classes(["a", "b", "b", "b", "c", "c"], None, 6), CLUSTERS, 2)
    assert (told["n_classes"], told["n_clusters"]) == (3, 2)
    assert told["confusion"]["classes"] == ["b"]
    assert len(told["confusion"]["clusters"]) == 1


def test_majority_among_the_known():
    known = read_classes(["a", "a", "b", None, None, None], None, 6)
    assert majority(known, np.arange(4)) == ("a", pytest.approx(2 / 3))
    assert majority(known, np.array([3, 4])) == (None, None)
