import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from slkmodes import labelled_graph
from slkmodes.engines import native_available
from slkmodes.labelled_graph import connected_parts, group_weights, sparse_weights_between, vote, weights_between

needs_kernels = pytest.mark.skipif(not native_available(), reason="the C++ extension was not built")


@pytest.fixture(params=[True, False], ids=["native", "numpy"])
def _both(request, monkeypatch):
    if request.param and not native_available():
        pytest.skip("the C++ extension was not built")
    monkeypatch.setattr(labelled_graph, "native_available", lambda: request.param)


def path(n):
    return sparse.csr_array(np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1))


@pytest.mark.usefixtures("_both")
def test_neighbours_elect_by_weight_the_lowest_label_of_equal_ones():
    star = sparse.csr_array(np.array([[0, 1, 1, 3.0], [1, 0, 0, 0], [1, 0, 0, 0], [3, 0, 0, 0]]))
    assert vote(star, np.array([0, 1, 1, 2]), 0.0).tolist() == [2, 0, 0, 0]
    assert vote(star, np.array([0, 1, 1, 2]), 2.0).tolist() == [2, 1, 1, 0]
    assert vote(path(3), np.array([1, 2, 0]), 0.0).tolist() == [2, 0, 2]
    assert vote(path(3), np.array([1, 2, 0]), np.inf).tolist() == [1, 2, 0]


@pytest.mark.usefixtures("_both")
def test_rows_without_a_label_have_no_vote_and_may_get_one():
    assert vote(path(5), np.array([4, -1, -1, -1, 1]), np.inf).tolist() == [4, 4, -1, 1, 1]
    assert vote(path(3), np.array([-1, -1, -1]), np.inf).tolist() == [-1, -1, -1]
    assert vote(sparse.csr_array((2, 2)), np.array([1, -1]), 0.5).tolist() == [1, -1]


@pytest.mark.usefixtures("_both")
def test_weights_between_groups_are_sums_of_edges():
    W = sparse.csr_array(np.arange(16.0).reshape(4, 4))
    across = (1 + 3 + 9 + 11 + 4 + 6 + 12 + 14) / 2  # a directed edge is half of one
    expected = [[0 + 2 + 8 + 10, across], [across, 5 + 7 + 13 + 15]]
    assert weights_between(W, np.array([0, 1, 0, 1])).tolist() == expected
    assert sparse_weights_between(W, np.array([0, 1, 0, 1]), 3).toarray().tolist() == [
        [*expected[0], 0],
        [*expected[1], 0],
        [0, 0, 0],
    ]


@pytest.mark.usefixtures("_both")
def test_what_groups_have_of_the_edges():
    W = sparse.csr_array(np.arange(16.0).reshape(4, 4))
    inside, volume = group_weights(W, np.array([0, 1, 0, 1]), 3)
    assert inside.tolist() == [2 * (0 + 2 + 8 + 10), 2 * (5 + 7 + 13 + 15), 0]
    assert volume.tolist() == [2 * 20 + 24 + 36, 2 * 40 + 24 + 36, 0]


@pytest.mark.usefixtures("_both")
def test_parts_are_numbered_by_their_first_rows():
    W = sparse.csr_array((np.ones(4), ([4, 2, 1, 5], [2, 0, 5, 3])), shape=(6, 6))  # one direction is enough
    assert connected_parts(W).tolist() == [0, 1, 0, 1, 0, 1]
    assert connected_parts(W, np.array([0, 0, 0, 0, 1, 0])).tolist() == [0, 1, 0, 1, 2, 1]


@needs_kernels
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 12), st.sampled_from([np.float32, np.float64]))
def test_kernels_are_numpy_to_the_bit_on_any_number_of_threads(seed, n_rows, n_groups, dtype):
    rng = np.random.default_rng(seed)
    W = sparse.csr_array(rng.random((n_rows, n_rows)) * (rng.random((n_rows, n_rows)) < 0.2), dtype=dtype)
    labels = rng.integers(-1, n_groups, n_rows)
    stay = float(rng.choice([0.0, 0.3, np.inf]))

    def answers(n_threads):
        all_labelled = np.maximum(labels, 0)
        between = weights_between(W, all_labelled, n_threads)
        own = group_weights(W, all_labelled, n_groups, n_threads)
        return vote(W, labels, stay, n_threads), between, *own, connected_parts(W), connected_parts(W, all_labelled)

    found = [answers(n_threads) for n_threads in (1, 3)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labelled_graph, "native_available", lambda: False)
        found.append(answers(1))
    for one, several, numpy_says in zip(*found, strict=True):
        np.testing.assert_array_equal(several, one)
        np.testing.assert_array_equal(numpy_says, one)
        assert numpy_says.dtype == one.dtype
