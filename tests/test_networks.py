import subprocess
import sys

import numpy as np
import pytest

from slkmodes.networks import (
    Training,
    choose_device,
    dense_layers,
    import_torch,
    minimize,
    outputs_of,
    seeded,
    shuffled_batches,
)


def test_importing_the_package_does_not_import_torch():
    imports = "import slkmodes, slkmodes.networks, slkmodes.experiments.features, slkmodes.baselines, sys"
    check = "slkmodes.baselines.SpectralNet(); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", f"{imports}; {check}"], check=False).returncode == 0


def test_a_missing_torch_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r'pip install "slkmodes\[torch\]"'):
        import_torch()


def test_devices():
    torch = pytest.importorskip("torch")
    assert choose_device("Owner", "cpu").type == "cpu"
    assert choose_device("Owner", "auto").type == ("cuda" if torch.cuda.is_available() else "cpu")
    with pytest.raises(ValueError, match="device of Owner must be 'auto', 'cpu' or 'cuda', got 'abacus'"):
        choose_device("Owner", "abacus")


def test_a_gpu_that_is_not_there(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match="device='cuda' of Owner needs a GPU, and PyTorch sees none"):
        choose_device("Owner", "cuda")


def test_a_seed_repeats_and_leaves_the_callers_generator_alone():
    torch = pytest.importorskip("torch")
    before = torch.get_rng_state()
    draws = []
    for seed in (1, 1, 2):
        with seeded(seed, torch.device("cpu")):
            draws.append(torch.rand(4))
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(("n_samples", "n_batches", "size"), [(10, 3, 3), (9, 3, 3), (2, 1, 2)])
def test_batches_are_equally_large_and_hold_no_row_twice(n_samples, n_batches, size):
    torch = pytest.importorskip("torch")
    batches = list(shuffled_batches(n_samples, 3, torch.device("cpu")))
    assert [len(batch) for batch in batches] == [size] * n_batches
    assert len(set(torch.cat(batches).tolist())) == n_batches * size


def test_layers_have_something_between_them_but_nothing_behind():
    torch = pytest.importorskip("torch")
    names = [type(layer).__name__ for layer in dense_layers([4, 3, 2])]
    assert names == ["Linear", "ReLU", "Linear"]
    names = [
        type(layer).__name__ for layer in dense_layers([4, 3, 2, 1], lambda: [torch.nn.Tanh(), torch.nn.Dropout()])
    ]
    assert names == ["Linear", "Tanh", "Dropout", "Linear", "Tanh", "Dropout", "Linear"]


def test_training_finds_least_squares():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)).astype(np.float32)
    y = X @ np.array([1.0, -2.0, 0.5], dtype=np.float32) + rng.normal(size=60).astype(np.float32)
    inputs, targets = torch.as_tensor(X), torch.as_tensor(y)
    with seeded(0, torch.device("cpu")):
        network = dense_layers([3, 1])
        losses = minimize(
            lambda rows: (network(inputs[rows])[:, 0] - targets[rows]).square().mean(),
            network,
            60,
            inputs.device,
            Training(epochs=150, batch_size=60, learning_rate=0.1),
        )
    _, least, *_ = np.linalg.lstsq(np.column_stack([X, np.ones(60)]), y, rcond=None)
    assert losses.shape == (150,)
    assert losses[-1] == pytest.approx(least[0] / 60, rel=1e-3)


def test_outputs_come_in_blocks_and_without_dropout(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr("slkmodes.networks.BLOCK_ROWS", 3)
    network = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.5))
    X = torch.rand(10, 2)
    with torch.no_grad():
        whole = network[0](X).numpy()
    np.testing.assert_allclose(outputs_of(network, X), whole, rtol=1e-6)
