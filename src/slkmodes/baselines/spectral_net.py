"""SpectralNet: spectral clustering by a network, which also embeds rows it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_is_fitted

from slkmodes.baselines.graph_clusterer import GraphClusterer
from slkmodes.baselines.spectral_training import learn_distances, learn_embedding, orthonormalizer
from slkmodes.graph import Graph
from slkmodes.mode_kernels import GaussianKernel
from slkmodes.networks import Training, choose_device, import_torch, outputs_of, seeded
from slkmodes.validation import check_features, check_flag, check_integer, check_real

Array = npt.NDArray[Any]

# "auto": passes over the data, and batches at least.
AUTO_EPOCHS = 100
LEAST_BATCHES = 1000


class SpectralNet(GraphClusterer):
    """SpectralNet (Shaham et al. 2018): a network learns the spectral embedding, K-means clusters it.

    The network sees batches of samples. Its outputs are made orthonormal on each, and it minimises
    ``trace(Y' L Y)``, where L is the Laplacian of the affinity within the batch: a Gaussian of the distance to the
    nearest samples there. Distances are those of X, or of another network that has learned to put
    neighbours near each other and others apart. It needs PyTorch: ``pip install "slkmodes[torch]"``.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, K, and of dimensions of the embedding.
    n_neighbors : int, default=5
        Neighbours of each sample within a batch, and in the graph that the Siamese network learns from.
    siamese : bool, default=False
        Whether distances are learned first.
    hidden_sizes : tuple of int, default=(512, 512)
        Sizes of the hidden layers of both networks.
    batch_size : int, default=1024
        Samples of a batch; all, where there are fewer.
    epochs : int or "auto", default="auto"
        How often each network sees the data. "auto": 100 times, more where that makes fewer than 1,000 batches.
    learning_rate : float, default=1e-3
        First step size of Adam; it falls to 0 along a cosine.
    device : str, default="auto"
        Where the networks learn: "cpu", "cuda", or "auto", a GPU where there is one.
    n_jobs : int or None, default=None
        Threads of the neighbour search.
    random_state : int, RandomState or Generator instance, or None, default=None
        Decides the first weights, the batches, the pairs and the seeds of K-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Outputs of the network, made orthonormal on all samples: ``embedding_.T @ embedding_ = n_samples * I``.
    loss_curve_ : ndarray of shape (n_epochs,)
        Mean of ``trace(Y' L Y) / batch_size`` over the batches of each epoch.
    kmeans_ : sklearn.cluster.KMeans
        The clustering of the embedding.

    Notes
    -----
    Shaham et al. make the outputs of one batch orthonormal and take the step on another, for which that is then a
    fixed linear layer. Here the gradient goes through the decomposition of the same batch. The same seed gives the
    same answer on the same machine; PyTorch promises no more.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from slkmodes.baselines import SpectralNet
    >>> X, y = make_blobs(200, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    >>> model = SpectralNet(n_clusters=3, epochs=50, random_state=0).fit(X)  # doctest: +SKIP
    >>> len(set(zip(y, model.labels_, strict=True)))  # doctest: +SKIP
    3
    """

    needs_features = True
    # Batches weigh their edges themselves; of the graph only the neighbours count.
    affinity, symmetrize, bandwidth = "binary", "union", "auto"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 5,
        siamese: bool = False,
        hidden_sizes: Sequence[int] = (512, 512),
        batch_size: int = 1024,
        epochs: int | str = "auto",
        learning_rate: float = 1e-3,
        device: str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.siamese = siamese
        self.hidden_sizes = hidden_sizes
        self.batch_size = batch_size
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """The clusters of new samples: embedded by the network, then given to the nearest centre.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Cluster of each.
        """
        check_is_fitted(self)
        X = check_features(self._owner, self, X, reset=False, dtype=[np.float64, np.float32])
        values = import_torch().as_tensor(self._standardized(X))
        return self.kmeans_.predict(outputs_of(self._network, values) @ self._mixing).astype(np.int64)

    def _cluster(self, graph: Graph, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        torch = import_torch()
        device = choose_device(self._owner, self.device)
        assert isinstance(graph.kernel, GaussianKernel)
        X = graph.kernel.X
        self.n_features_in_ = X.shape[1]
        # One scale for all features: distances stay what they are to each other.
        self._center = X.mean(axis=0, dtype=np.float64)
        self._scale = float(X.std(dtype=np.float64)) or 1.0
        values = torch.as_tensor(self._standardized(X), device=device)
        with seeded(int(rng.integers(2**31)), device):
            network, self.loss_curve_ = self._learn(values, graph)
        outputs = outputs_of(network, values).astype(np.float64)
        self._network = network.cpu()
        self._mixing = orthonormalizer(torch.as_tensor(outputs)).numpy()
        embedding = outputs @ self._mixing
        self.embedding_ = graph.order.restore(embedding)
        self.kmeans_ = KMeans(self.n_clusters, n_init=10, random_state=int(rng.integers(2**31))).fit(embedding)
        return self.kmeans_.labels_.astype(np.int64)

    def _learn(self, values: Any, graph: Graph) -> tuple[Any, npt.NDArray[np.float64]]:
        """The trained network of the embedding and its loss."""
        training = Training(self._count_epochs(len(values)), self.batch_size, float(self.learning_rate))
        places = values
        if self.siamese:
            assert graph.neighbors is not None
            torch = import_torch()
            neighbors = torch.as_tensor(graph.neighbors.indices[:, : self.n_neighbors], device=values.device)
            siamese = learn_distances(values, neighbors, self.hidden_sizes, training)
            places = torch.as_tensor(outputs_of(siamese, values), device=values.device)
        return learn_embedding(values, places, self.n_clusters, self.n_neighbors, self.hidden_sizes, training)

    def _count_epochs(self, n_samples: int) -> int:
        if not isinstance(self.epochs, str):
            return self.epochs
        return max(AUTO_EPOCHS, -(-LEAST_BATCHES // max(1, n_samples // self.batch_size)))

    def _standardized(self, X: Array) -> npt.NDArray[np.float32]:
        return ((X - self._center) / self._scale).astype(np.float32)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_flag(self._owner, "siamese", self.siamese)
        if self.epochs != "auto":
            check_integer(self._owner, "epochs", self.epochs)
        check_integer(self._owner, "batch_size", self.batch_size, minimum=2)
        check_real(self._owner, "learning_rate", self.learning_rate, positive=True)
        sizes = self.hidden_sizes
        if not isinstance(sizes, Sequence) or not all(isinstance(size, Integral) and size > 0 for size in sizes):
            raise ValueError(f"hidden_sizes of {self._owner} must be a tuple of positive ints, got {sizes!r}.")
        if self.batch_size <= self.n_clusters:
            raise ValueError(
                f"batch_size={self.batch_size} of {self._owner} must be more than n_clusters={self.n_clusters}: "
                "as many outputs cannot be orthonormal on fewer samples. Increase batch_size."
            )
        choose_device(self._owner, self.device)
