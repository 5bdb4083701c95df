import doctest

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_moons
from sklearn.utils.estimator_checks import parametrize_with_checks

from slkmodes.baselines import SpectralNet
from slkmodes.baselines.spectral_training import batch_affinity, learn_distances, orthonormalizer, spectral_loss
from slkmodes.graph import graph_of_affinities, graph_of_features
from slkmodes.metrics import clustering_accuracy
from slkmodes.networks import Training, outputs_of, seeded

torch = pytest.importorskip("torch")
CPU = torch.device("cpu")


def small_net(n_clusters, **parameters):
    """Small enough for seconds on a CPU."""
    return SpectralNet(n_clusters, **{"hidden_sizes": (64, 64), "device": "cpu", "random_state": 0, **parameters})


@parametrize_with_checks(
    [SpectralNet(hidden_sizes=(32,), epochs=30), SpectralNet(siamese=True, hidden_sizes=(16,), epochs=30)]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def moons():
    return make_moons(400, noise=0.06, random_state=0)


@pytest.fixture(scope="module")
def of_moons(moons):
    return small_net(2, epochs=400).fit(moons[0])


@pytest.mark.parametrize("siamese", [False, True])
def test_blobs_are_recovered(blobs, siamese):
    X, y = blobs
    model = small_net(3, siamese=siamese, epochs=150).fit(X)
    assert clustering_accuracy(y, model.labels_) == 1


def test_moons_are_recovered(of_moons, moons):
    assert clustering_accuracy(moons[1], of_moons.labels_) == 1


def test_new_samples_go_to_the_moon_they_lie_on(of_moons, moons):
    X, y = make_moons(200, noise=0.06, random_state=1)
    assert clustering_accuracy(y, of_moons.predict(X)) > 0.98
    np.testing.assert_array_equal(of_moons.predict(moons[0]), of_moons.labels_)


def test_the_embedding_is_orthonormal_on_all_samples(moons):
    X, _ = moons
    model = small_net(4, epochs=20, batch_size=100).fit(X)
    np.testing.assert_allclose(model.embedding_.T @ model.embedding_ / len(X), np.eye(4), atol=1e-3)


def test_the_loss_comes_within_3_percent_of_the_smallest_eigenvalues_of_the_laplacian(blobs):
    X, _ = blobs
    model = small_net(5, epochs=400).fit(X)
    affinity = batch_affinity(torch.as_tensor((X - X.mean(axis=0)) / X.std()), 5).numpy()
    least = np.linalg.eigvalsh(np.diag(affinity.sum(axis=1)) - affinity)[:5].sum()
    assert model.loss_curve_[0] > 2 * least
    assert least < model.loss_curve_[-1] < 1.03 * least


def test_the_loss_of_the_eigenvectors_is_the_sum_of_their_eigenvalues():
    rng = np.random.default_rng(0)
    W = rng.uniform(size=(12, 12))
    W = np.triu(W, 1) + np.triu(W, 1).T
    values, vectors = np.linalg.eigh(np.diag(W.sum(axis=1)) - W)
    embedding = torch.as_tensor(vectors[:, :4] * np.sqrt(12))
    assert float(spectral_loss(embedding, torch.as_tensor(W))) == pytest.approx(values[:4].sum())


def test_outputs_are_made_orthonormal_and_copies_do_not_break_it():
    outputs = torch.as_tensor(np.random.default_rng(0).normal(size=(50, 3)))
    embedding = outputs @ orthonormalizer(outputs)
    np.testing.assert_allclose(embedding.T @ embedding / 50, np.eye(3), atol=1e-5)
    copies = outputs[:, [0, 0, 0]]
    assert torch.isfinite(copies @ orthonormalizer(copies)).all()


def test_affinity_of_a_batch_by_hand():
    """On a line at 0, 1, 3: the width is the middle one of the distances 1, 1, 2 to the nearest."""
    affinity = batch_affinity(torch.tensor([[0.0], [1.0], [3.0]]), 1).numpy()
    near, far = np.exp(-0.5), np.exp(-0.5 * 4) / 2
    np.testing.assert_allclose(affinity, [[0, near, 0], [near, 0, far], [0, far, 0]], rtol=1e-6)


def test_duplicates_have_an_affinity():
    affinity = batch_affinity(torch.zeros(6, 2), 2)
    assert torch.isfinite(affinity).all()
    assert affinity.sum() == 12


def test_learned_distances_put_neighbours_together_and_others_apart(moons):
    X, y = moons
    graph = graph_of_features(X, 5, "auto", "binary", "union", "auto", 1)
    values, neighbors = torch.as_tensor(X.astype(np.float32)), torch.as_tensor(graph.neighbors.indices)
    with seeded(0, CPU):
        places = outputs_of(learn_distances(values, neighbors, (64, 64), Training(60, 128, 1e-3)), values)
    distances = cdist(places, places)
    assert np.take_along_axis(distances, graph.neighbors.indices, axis=1).mean() < 0.15
    assert distances[y[:, None] != y].mean() > 0.8  # 1 is far enough


def test_the_same_seed_gives_the_same_answer(moons):
    X, _ = moons
    for siamese in (False, True):
        first, again, other = (
            small_net(2, siamese=siamese, epochs=3, batch_size=100, random_state=seed).fit(X) for seed in (5, 5, 6)
        )
        np.testing.assert_array_equal(first.embedding_, again.embedding_)
        np.testing.assert_array_equal(first.labels_, again.labels_)
        assert not np.array_equal(first.embedding_, other.embedding_)


def test_a_shared_graph_gives_what_fit_gives(moons):
    X, _ = moons
    graph = graph_of_features(X, 5, "auto", "adaptive", "average", "auto", 1)  # which looks at 15 neighbours
    alone, shared = small_net(2, siamese=True, epochs=5).fit(X), small_net(2, siamese=True, epochs=5).fit_graph(graph)
    np.testing.assert_array_equal(alone.embedding_, shared.embedding_)
    np.testing.assert_array_equal(shared.predict(X), shared.labels_)


def test_rows_in_another_working_order_come_back_in_their_own(monkeypatch):
    from slkmodes import graph as graph_module
    from slkmodes.ordering import RowOrder

    X = np.vstack([np.zeros((30, 2)), np.full((30, 2), 9.0)]) + np.random.default_rng(0).normal(size=(60, 2))
    numbers = np.random.default_rng(1).permutation(60).astype(np.int32)
    monkeypatch.setattr(graph_module, "near_rows_together", lambda X, n_threads: RowOrder(numbers))
    model = small_net(2, epochs=100).fit(X)
    np.testing.assert_array_equal(model.labels_, model.kmeans_.predict(model.embedding_))
    assert clustering_accuracy(np.repeat([0, 1], 30), model.labels_) == 1


@pytest.mark.parametrize(("n_samples", "batch_size", "epochs"), [(300, 1024, 1000), (300, 100, 334), (5000, 100, 100)])
def test_automatic_epochs(n_samples, batch_size, epochs):
    assert SpectralNet(batch_size=batch_size)._count_epochs(n_samples) == epochs


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"siamese": "yes"}, TypeError, "siamese of SpectralNet must be True or False, got 'yes'"),
        ({"epochs": 0}, ValueError, "epochs of SpectralNet must be at least 1, got 0"),
        ({"epochs": "many"}, TypeError, "epochs of SpectralNet must be an int of at least 1, got 'many'"),
        ({"batch_size": 3}, ValueError, "batch_size=3 of SpectralNet must be more than n_clusters=3"),
        ({"learning_rate": 0.0}, ValueError, "learning_rate of SpectralNet must be a positive finite number"),
        ({"hidden_sizes": (3, 0)}, ValueError, "hidden_sizes of SpectralNet must be a tuple of positive ints"),
        ({"hidden_sizes": 64}, ValueError, "hidden_sizes of SpectralNet must be a tuple of positive ints, got 64"),
        ({"device": "abacus"}, ValueError, "device of SpectralNet must be 'auto', 'cpu' or 'cuda', got 'abacus'"),
    ],
)
def test_what_cannot_be_is_refused(blobs, parameters, error, message):
    with pytest.raises(error, match=message):
        small_net(3, **parameters).fit(blobs[0])


def test_affinities_alone_are_not_enough():
    with pytest.raises(ValueError, match="SpectralNet needs features"):
        small_net(2).fit_graph(graph_of_affinities(np.ones((5, 5)), "none"))


def test_the_example_of_the_docstring():
    """It is skipped where PyTorch may be missing; here it is not."""
    source = SpectralNet.__doc__.replace("# doctest: +SKIP", "")
    example = doctest.DocTestParser().get_doctest(source, {}, "SpectralNet", None, None)
    assert doctest.DocTestRunner().run(example).failed == 0
