"""The two networks of SpectralNet: one learns who is near whom, the other the spectral embedding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.networks import Training, dense_layers, import_torch, minimize

# Outputs of the network that learns distances, and how far apart it shall put rows that are no neighbours.
DISTANCE_SIZE = 10
FAR = 1.0
# Part of the mean variance of the outputs that is added to each: outputs that copy each other have an inverse, too.
RIDGE = 1e-7


def learn_distances(X: Any, neighbors: Any, hidden_sizes: Sequence[int], training: Training) -> Any:
    """Train a Siamese network: neighbours near each other, others at least ``FAR`` apart."""
    torch = import_torch()
    network = dense_layers([X.shape[1], *hidden_sizes, DISTANCE_SIZE]).to(X.device)

    def contrast(rows: Any) -> Any:
        others = neighbors[rows]
        friends = others.gather(1, torch.randint_like(others[:, :1], others.shape[1]))[:, 0]
        strangers = torch.randint_like(rows, len(X))
        strange = (others != strangers[:, None]).all(dim=1) & (strangers != rows)
        places = network(X[rows])
        pull = (places - network(X[friends])).square().sum(dim=1)
        distance = torch.linalg.vector_norm(places - network(X[strangers]), dim=1)
        push = (FAR - distance).clamp(min=0).square()
        return (pull + push * strange).mean()

    minimize(contrast, network, len(X), X.device, training)
    return network


def learn_embedding(
    X: Any, places: Any, n_clusters: int, n_neighbors: int, hidden_sizes: Sequence[int], training: Training
) -> tuple[Any, npt.NDArray[np.float64]]:
    """Train the network of the embedding of X, where ``places`` say how near rows are; and its loss by epochs."""
    torch = import_torch()
    layers = dense_layers([X.shape[1], *hidden_sizes, n_clusters])
    network = torch.nn.Sequential(layers, torch.nn.Tanh()).to(X.device)

    def loss_of(rows: Any) -> Any:
        outputs = network(X[rows]).double()
        return spectral_loss(outputs @ orthonormalizer(outputs), batch_affinity(places[rows], n_neighbors).double())

    return network, minimize(loss_of, network, len(X), X.device, training)


def batch_affinity(places: Any, n_neighbors: int) -> Any:
    """A Gaussian of the distance to the nearest others in the batch, as wide as the farthest of them usually is."""
    torch = import_torch()
    lengths = places.square().sum(dim=1)
    squared = lengths[:, None] + lengths - 2 * places @ places.T
    squared.fill_diagonal_(float("inf"))
    columns = squared.topk(min(n_neighbors, len(places) - 1), largest=False).indices
    # The expanded square finds the nearest fast, but cancels where they are very near.
    distances = torch.linalg.vector_norm(places[columns] - places[:, None], dim=2)
    width = distances.amax(dim=1).median().clamp(min=torch.finfo(places.dtype).tiny ** 0.5)
    weights = torch.zeros_like(squared).scatter(1, columns, torch.exp(-0.5 * (distances / width).square()))
    return (weights + weights.T) / 2


def spectral_loss(embedding: Any, affinity: Any) -> Any:
    """``trace(Y' L Y) / m`` of m rows with the Laplacian L = D - W of their affinity.

    With ``Y' Y = m I`` it is at least the sum of the smallest eigenvalues of L, as many as Y has columns.
    """
    degrees = affinity.sum(dim=1, keepdim=True)
    return (embedding * (degrees * embedding - affinity @ embedding)).sum() / len(embedding)


def orthonormalizer(outputs: Any) -> Any:
    """The matrix T with ``(Y T)' (Y T) = m I`` for m rows of outputs Y, by Cholesky's decomposition of ``Y' Y / m``."""
    torch = import_torch()
    products = outputs.T @ outputs / len(outputs)
    identity = torch.eye(len(products), dtype=outputs.dtype, device=outputs.device)
    factor = torch.linalg.cholesky(products + RIDGE * products.trace() / len(products) * identity)
    return torch.linalg.solve_triangular(factor, identity, upper=False).T
