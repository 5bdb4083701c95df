import numpy as np
import pytest
from matplotlib.colors import to_hex
from scipy import sparse

from slkmodes.plots import plot_mode_words
from slkmodes.plots.figures import BLUE, plain
from slkmodes.plots.specificity import BORROWED, specificity
from slkmodes.plots.words import LIGHT_BLUE

# Two texts of one cluster, two of the other.
COUNTS = np.array([[3, 1, 0, 0], [5, 1, 0, 0], [0, 1, 3, 0], [1, 1, 3, 2]])
LABELS = np.array([0, 0, 1, 1])


def test_scores_by_hand():
    found = specificity(sparse.csr_array(COUNTS), LABELS, 2)
    own = np.array([[8, 2, 0, 0], [1, 2, 6, 2]]) / np.array([[10], [11]])
    overall = np.array([9, 4, 6, 2]) / 21
    rest = (1 - BORROWED) * own[::-1] + BORROWED * overall
    expected = own * np.log(np.where(own > 0, own, 1) / rest)
    np.testing.assert_allclose(found.scores, np.where(own > 0, expected, 0))
    np.testing.assert_allclose(found.lifts[:, 0], [0.8 * 11, 1 / 11 / 0.8])
    assert np.isinf(found.lifts[1, 2:]).all()
    assert found.top(0, 4).tolist() == [0, 1]  # only what it has more of
    assert found.top(1, 1).tolist() == [2]


def test_a_single_cluster_is_compared_with_words_all_alike():
    found = specificity(sparse.csr_array(COUNTS), np.zeros(4, dtype=int), 1)
    assert found.top(0, 4).tolist() == [0, 2]
    np.testing.assert_allclose(found.lifts[0], COUNTS.sum(axis=0) / COUNTS.sum() * 4)


@pytest.fixture
def texts(model):
    """Ninety texts: word l is frequent in cluster l, word 3 everywhere; the modes lack word 4 of their own cluster."""
    counts = np.zeros((90, 7), dtype=int)
    counts[np.arange(90), model.labels_] = 5
    counts[:, 3] = 9
    counts[np.arange(90), model.labels_ + 4] = 1
    counts[model.mode_indices_, np.arange(3) + 4] = 0
    return counts


def test_every_cluster_shows_its_words_and_which_its_mode_has(model, texts):
    vocabulary = ["ship", "star", "$bread$ $", "the", "sail", "moon", "flour"]
    figure = plot_mode_words(model, sparse.csr_array(texts), vocabulary, n_words=2)
    expected = [["ship", "sail"], ["star", "moon"], [r"\$bread\$ \$", "flour"]]
    assert len(figure.axes) == 3
    for cluster, (axis, words) in enumerate(zip(figure.axes, expected, strict=True)):
        assert [text.get_text() for text in axis.texts] == [words[0], "only here", words[1], "only here"]
        assert [to_hex(bar.get_facecolor()) for bar in axis.patches] == [BLUE, LIGHT_BLUE]
        scores = specificity(sparse.csr_array(texts), model.labels_, 3).scores[cluster]
        np.testing.assert_allclose([bar.get_width() for bar in axis.patches], scores[[cluster, cluster + 4]])
        assert axis.get_title(loc="left") == f"{cluster} (30)"
    figure.draw_without_rendering()


def test_how_many_times_as_frequent(model):
    counts = np.full((90, 2), [1, 49])
    counts[model.labels_ == 0, 0] = 49
    said = [text.get_text() for text in plot_mode_words(model, counts, ["a", "b"]).axes[0].texts]
    assert said == ["a", "25 \N{MULTIPLICATION SIGN}"]  # 49 / 98 instead of 1 / 50


def test_texts_without_words(model, texts):
    texts[model.labels_ == 1] = 0
    axis = plot_mode_words(model, texts, list("abcdefg")).axes[1]
    assert [text.get_text() for text in axis.texts] == ["no words of its own"]


def test_what_does_not_fit(model, texts):
    with pytest.raises(ValueError, match=r"counts of plot_mode_words must hold the 90 training samples.*got 5"):
        plot_mode_words(model, texts[:5], list("abcdefg"))
    with pytest.raises(ValueError, match="vocabulary of plot_mode_words must name all 7 columns; got 2 names"):
        plot_mode_words(model, texts, ["a", "b"])
    with pytest.raises(ValueError, match="counts of plot_mode_words must be finite and at least 0; got values from -9"):
        plot_mode_words(model, -texts, list("abcdefg"))
    with pytest.raises(ValueError, match="n_words of plot_mode_words must be at least 1"):
        plot_mode_words(model, texts, list("abcdefg"), n_words=0)


def test_words_of_users_are_shortened_and_never_formulas():
    assert plain("a $x$ b") == r"a \$x\$ b"
    assert plain("two\n lines") == "two lines"
    assert len(plain("x" * 99)) == 24
    assert plain("x" * 99).endswith("…")
