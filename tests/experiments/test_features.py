import hashlib

import numpy as np
import pytest
from sklearn.cluster import KMeans

from slkmodes.datasets import DATA_SETS
from slkmodes.experiments.features import RECIPES, __main__, autoencoder, gan, write_features
from slkmodes.experiments.features.autoencoder import autoencoder_codes
from slkmodes.experiments.features.gan import FEATURE_SIZE, discriminator_features
from slkmodes.metrics import clustering_accuracy
from slkmodes.networks import seeded


@pytest.fixture
def tiny_data(monkeypatch):
    """Instead of every data set: a few random images with labels."""
    rng = np.random.default_rng(0)
    shapes = {"mnist": (40, 784), "rcv1": (40, 30), "labelme8_64": (3, 64 * 64 * 3)}
    data = {name: rng.integers(0, 256, size=shape).astype(np.float32) for name, shape in shapes.items()}

    def prepare(name, preparation):
        assert preparation == "as_it_is"
        return data[name], np.arange(len(data[name]), dtype=np.int64)

    monkeypatch.setattr(__main__, "prepare", prepare)
    return data


def test_the_table_of_data_sets_and_the_recipes_name_the_same_features():
    assert set(RECIPES) == {name for name, data_set in DATA_SETS.items() if data_set.origin == "learned"}
    assert {recipe.base for recipe in RECIPES.values()} <= set(DATA_SETS)


@pytest.mark.parametrize("name", ["mnist_code", "mnist_gan", "reuters_code"])
def test_learned_features_are_stored_with_how_they_were_learned(name, tiny_data, tmp_path, capsys):
    torch = pytest.importorskip("torch")
    __main__.main([name, "--device", "cpu", "--seed", "3", "--epochs", "1", "--output", str(tmp_path)])
    path = tmp_path / f"{name}.npz"
    with np.load(path) as archive:
        assert archive["X"].shape == (40, DATA_SETS[name].n_features)
        assert archive["X"].dtype == np.float32
        np.testing.assert_array_equal(archive["y"], np.arange(40))
        facts = {key: archive[key].item() for key in archive if archive[key].ndim == 0}
    assert facts.pop("seconds") > 0
    assert facts == {"seed": 3, "epochs": 1, "device": "cpu", "torch_version": torch.__version__}
    assert hashlib.sha256(path.read_bytes()).hexdigest() in capsys.readouterr().out


def test_gist_needs_no_network(tiny_data, tmp_path):
    __main__.main(["labelme8_gist", "--output", str(tmp_path)])
    with np.load(tmp_path / "labelme8_gist.npz") as archive:
        assert archive["X"].shape == (3, 1536)
        assert sorted(archive) == ["X", "seconds", "y"]


def test_without_output_the_cache_is_the_place(tiny_data, tmp_path, monkeypatch):
    monkeypatch.setenv("SLKMODES_CACHE", str(tmp_path / "cache"))
    __main__.main(["labelme8_gist"])
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["labelme8_gist.npz"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["labelme8_gist", "--epochs", "3", "--device", "cpu"], "leave out --device, --epochs"),
        (["mnist_code", "--epochs", "0"], "--epochs must be at least 1, got 0"),
        (["mnist_cod"], "invalid choice: 'mnist_cod'"),
    ],
)
def test_what_cannot_be_is_refused(arguments, message, capsys):
    with pytest.raises(SystemExit):
        __main__.main(arguments)
    assert message in capsys.readouterr().err


def test_a_write_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "features.npz"
    write_features(path, np.eye(2), np.arange(2))
    before = path.read_bytes()
    with pytest.raises(ValueError, match="allow_pickle"):
        write_features(path, np.ones((2, 2)), np.arange(2), note=object())
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_codes_keep_the_classes_apart(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(autoencoder, "HIDDEN_SIZES", (50, 50, 200))
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 100)
    X = (rng.uniform(size=(3, 20)) > 0.5)[y] * 1.0 + 0.2 * rng.normal(size=(300, 20))
    codes = autoencoder_codes(X, epochs=150, seed=0, device=torch.device("cpu"))
    assert codes.shape == (300, 10)
    assert clustering_accuracy(y, KMeans(3, n_init=5, random_state=0).fit_predict(codes)) == 1


@pytest.mark.parametrize("name", [name for name, recipe in RECIPES.items() if recipe.epochs])
def test_the_seed_alone_decides(name):
    torch = pytest.importorskip("torch")
    X = np.random.default_rng(0).integers(0, 256, size=(40, 30)).astype(np.float32)
    make = RECIPES[name].make
    first, again, other = (make(X, epochs=1, seed=seed, device=torch.device("cpu")) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_codes_do_not_depend_on_the_unit_of_the_data():
    torch = pytest.importorskip("torch")
    X = np.random.default_rng(0).uniform(size=(64, 8))
    codes, scaled = (autoencoder_codes(Z, 2, 0, torch.device("cpu")) for Z in (X, 256 * X))
    np.testing.assert_allclose(codes, scaled, rtol=1e-3, atol=1e-5)


def test_the_discriminator_learns_from_training_images_only():
    torch = pytest.importorskip("torch")
    images = np.random.default_rng(0).integers(0, 256, size=(300, 16))
    others = images.copy()
    others[256:] = 255 - others[256:]
    settings = {"n_training": 256, "epochs": 2, "seed": 0, "device": torch.device("cpu")}
    features, of_others = discriminator_features(images, **settings), discriminator_features(others, **settings)
    assert features.shape == (300, FEATURE_SIZE)
    np.testing.assert_array_equal(features[:256], of_others[:256])
    assert not np.array_equal(features[256:], of_others[256:])


def test_verdicts_cost_their_cross_entropy():
    torch = pytest.importorskip("torch")
    logits = torch.tensor([-2.0, 0.5, 3.0])
    cross_entropy = torch.nn.functional.binary_cross_entropy_with_logits
    assert torch.isclose(gan.judged(logits, real=True), cross_entropy(logits, torch.ones(3)))
    assert torch.isclose(gan.judged(logits, real=False), cross_entropy(logits, torch.zeros(3)))


def test_the_generator_learns_what_the_images_look_like(monkeypatch):
    """One pixel always black, one always white: forged images soon have them, too."""
    torch = pytest.importorskip("torch")
    for sizes in ("GENERATOR_SIZES", "DISCRIMINATOR_SIZES"):
        monkeypatch.setattr(gan, sizes, (32,))
    monkeypatch.setattr(gan, "LEARNING_RATE", 2e-3)
    with seeded(0, torch.device("cpu")):
        images = torch.tensor([[-1.0, 1.0]]).repeat(2048, 1)
        generator = gan.generator_of(2)
        gan.train(*gan.discriminator(2), generator, images, epochs=12)
        with torch.no_grad():
            forged = generator(gan.noise_for(torch.arange(100))).mean(dim=0)
    assert forged[0] < -0.5
    assert forged[1] > 0.5
