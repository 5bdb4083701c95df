"""What the neural networks of this package share: PyTorch, imported when first needed, devices, seeds and layers."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

# Rows that go through a network at a time once it is trained.
BLOCK_ROWS = 8192


class Training(NamedTuple):
    """How long and how fast a network learns."""

    epochs: int
    batch_size: int
    learning_rate: float


def import_torch() -> Any:
    """PyTorch, or an error that says how to install it."""
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise ImportError('Neural networks need PyTorch, which is missing: pip install "slkmodes[torch]".') from error


def choose_device(owner: str, device: Any) -> Any:
    """The device of that name; "auto" is a GPU where there is one."""
    torch = import_torch()
    available = torch.cuda.is_available()
    if device == "auto":
        return torch.device("cuda" if available else "cpu")
    try:
        chosen = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise ValueError(f"device of {owner} must be 'auto', 'cpu' or 'cuda', got {device!r}.") from error
    if chosen.type == "cuda" and not available:
        raise ValueError(f"device={device!r} of {owner} needs a GPU, and PyTorch sees none: use 'cpu' or 'auto'.")
    return chosen


@contextmanager
def seeded(seed: int, device: Any) -> Iterator[None]:
    """Draw all that is random inside from one seed, and leave PyTorch's generators as they were."""
    torch = import_torch()
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield


def dense_layers(sizes: Sequence[int], between: Callable[[], list[Any]] | None = None) -> Any:
    """Linear layers from size to size, with rectifiers between them, or with what ``between`` makes."""
    nn = import_torch().nn
    layers: list[Any] = []
    for n_inputs, n_outputs in pairwise(sizes):
        if layers:
            layers += between() if between else [nn.ReLU()]
        layers.append(nn.Linear(n_inputs, n_outputs))
    return nn.Sequential(*layers)


def shuffled_batches(n_samples: int, batch_size: int, device: Any) -> Iterator[Any]:
    """Row numbers in random order, in batches of equal size; the rows that are left over sit this epoch out."""
    order = import_torch().randperm(n_samples, device=device)
    size = min(batch_size, n_samples)
    for start in range(0, n_samples - size + 1, size):
        yield order[start : start + size]


def minimize(
    loss_of: Callable[[Any], Any], network: Any, n_samples: int, device: Any, training: Training
) -> npt.NDArray[np.float64]:
    """Train a network by Adam with steps that fall to 0 along a cosine; the mean loss of every epoch.

    ``loss_of`` takes the row numbers of a batch.
    """
    optim = import_torch().optim
    optimizer = optim.Adam(network.parameters(), lr=training.learning_rate)
    n_steps = training.epochs * (n_samples // min(training.batch_size, n_samples))
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, n_steps)
    epochs = []
    for _ in range(training.epochs):
        losses = []
        for rows in shuffled_batches(n_samples, training.batch_size, device):
            loss = loss_of(rows)
            descend(optimizer, loss)
            schedule.step()
            losses.append(loss.detach())
        epochs.append(sum(losses) / len(losses))
    return np.array([float(loss) for loss in epochs])


def descend(optimizer: Any, loss: Any) -> None:
    """One step down the gradient."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def outputs_of(network: Any, X: Any) -> npt.NDArray[np.float32]:
    """What a trained network makes of the rows of a tensor, block by block."""
    torch = import_torch()
    network.eval()
    with torch.no_grad():
        return np.concatenate([network(block).cpu().numpy() for block in X.split(BLOCK_ROWS)])
