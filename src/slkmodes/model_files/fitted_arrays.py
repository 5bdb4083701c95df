"""The arrays of a fitted model: what prediction and the report need, and no more."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from slkmodes.affinity import reach_of, scale_of
from slkmodes.distances import METRICS, Euclidean, InnerProduct
from slkmodes.estimator import LaplacianKModes
from slkmodes.mode_kernels import GaussianKernel, GraphKernel, ModeKernel, Modes
from slkmodes.model_files.checks import Contents, check_on_simplex, matrix_parts
from slkmodes.neighbors import NeighborIndex, Neighbors
from slkmodes.ordering import RowOrder
from slkmodes.out_of_sample import Fitted
from slkmodes.problem import Problem
from slkmodes.validation import check_magnitude, check_sizes

Array = npt.NDArray[Any]

OWNER = "the model"
NAMES = (
    "X",
    *("affinity_data", "affinity_indices", "affinity_indptr"),
    *("memberships", "memberships_data", "memberships_indices", "memberships_indptr"),
    *("labels", "mode_indices", "mode_rows", "mode_points"),
    *("neighbor_scale", "neighbor_indices", "row_order", "init", "squared_length"),
)


def collect_arrays(model: LaplacianKModes) -> dict[str, Array]:
    """Rows are in working order, as in :class:`slkmodes.out_of_sample.Fitted`."""
    fitted = model._fitted
    problem, modes = fitted.problem, fitted.modes
    arrays = {
        **matrix_parts("affinity", problem.affinity),
        "labels": fitted.labels.astype(np.min_scalar_type(problem.n_clusters)),
        "mode_indices": model.mode_indices_,
        "mode_rows": modes.rows,
    }
    if isinstance(fitted.memberships, np.ndarray):
        arrays["memberships"] = fitted.memberships
    else:
        arrays |= matrix_parts("memberships", fitted.memberships)
    if isinstance(problem.kernel, GaussianKernel):
        assert modes.points is not None  # a Gaussian's modes always have points
        assert fitted.neighbors is not None
        arrays |= {"X": problem.kernel.X, "mode_points": modes.points}
        if isinstance(problem.kernel.metric, InnerProduct):
            arrays["squared_length"] = np.array([problem.kernel.metric.squared_length])
        arrays |= kept_of_neighbors(fitted.neighbors, fitted.weights, fitted.n_neighbors)
    if fitted.order.numbers is not None:
        arrays["row_order"] = fitted.order.numbers
    if not isinstance(model.init, str):
        arrays["init"] = np.asarray(model.init)
    return arrays


def restore_arrays(model: LaplacianKModes, contents: Contents, bandwidth: float | None) -> None:
    """Check the arrays and set what :func:`collect_arrays` collected; the neighbour index is built when needed."""
    n_samples, kernel = _kernel(model, contents, bandwidth)
    n_clusters = model.n_clusters
    check_sizes(OWNER, n_samples, n_clusters)
    affinity = kernel.affinity if isinstance(kernel, GraphKernel) else _affinity(contents, n_samples, kernel.dtype)
    weights = (model.laplacian_weight_, model.diagonal_shift_, model.balance_)
    order = RowOrder(contents.permutation("row_order", n_samples) if "row_order" in contents else None)
    index, neighbors = _neighbors(model, contents, kernel)
    model._fitted = Fitted(
        problem=Problem(kernel, affinity, n_clusters, *weights),
        modes=_modes(contents, kernel, n_clusters),
        memberships=_memberships(model, contents, n_samples, kernel.dtype),
        labels=contents.integers("labels", (n_samples,), 0, n_clusters),
        index=index,
        neighbors=neighbors,
        weights=model.affinity,
        n_neighbors=model.n_neighbors,
        order=order,
        top_memberships=model._kept_memberships(),
    )
    model.labels_ = order.restore(model._fitted.labels)
    model.memberships_ = order.restore(model._fitted.memberships)
    model.mode_indices_ = contents.integers("mode_indices", (n_clusters,), 0, n_samples)
    model.modes_ = kernel.features(model._fitted.modes)
    model.bandwidth_ = bandwidth


def kept_of_neighbors(neighbors: Neighbors, weights: str, n_neighbors: int) -> dict[str, Array]:
    """The nearest of every training row, and the one distance that weights ask of it; all would be half the file."""
    return {
        "neighbor_indices": neighbors.indices[:, :n_neighbors].astype(np.int32),
        "neighbor_scale": neighbors.distances[:, -1] if weights == "local" else scale_of(neighbors),
    }


def _neighbors(
    model: LaplacianKModes, contents: Contents, kernel: ModeKernel
) -> tuple[NeighborIndex | None, Neighbors | None]:
    """The counterpart of :func:`kept_of_neighbors`: every distance of a row is the one that was kept."""
    if not isinstance(kernel, GaussianKernel):
        return None, None
    n_samples = kernel.n_samples
    check_sizes(OWNER, n_samples, model.n_clusters, model.n_neighbors)
    shape = (n_samples, model.n_neighbors)
    indices = contents.integers("neighbor_indices", shape, 0, n_samples)
    scale = contents.numbers("neighbor_scale", (n_samples,), kernel.dtype)
    if scale.min() < 0:
        raise ValueError("its array neighbor_scale holds distances below 0.")
    reach = reach_of(model.affinity, model.n_neighbors, n_samples)
    index = NeighborIndex(kernel.X, model.neighbor_search_, reach, float(model.recall), kernel.metric)
    return index, Neighbors(indices, np.broadcast_to(scale[:, None], shape), model.neighbor_recall_)


def _kernel(model: LaplacianKModes, contents: Contents, bandwidth: float | None) -> tuple[int, ModeKernel]:
    if model.affinity == "precomputed":
        graph = GraphKernel(_affinity(contents, model.n_features_in_, None))
        return graph.n_samples, graph
    X, metric = contents.numbers("X"), _metric(model, contents)
    n_columns = model.n_features_in_ + metric.extra_columns
    if X.ndim != 2 or X.shape[1] != n_columns or bandwidth is None:
        raise ValueError(f"its array X must have {n_columns} columns and a bandwidth, got {X.shape}.")
    check_magnitude(OWNER, metric.features(X))
    return len(X), GaussianKernel(X, bandwidth, metric)


def _metric(model: LaplacianKModes, contents: Contents) -> Euclidean:
    if model.metric != "inner_product":
        return METRICS[model.metric](OWNER, np.empty((0, model.n_features_in_)))
    return InnerProduct(float(contents.numbers("squared_length", (1,), np.dtype(np.float64))[0]))


def _affinity(contents: Contents, n_samples: int, dtype: Any) -> Any:
    return contents.matrix("affinity", (n_samples, n_samples), dtype)


def _modes(contents: Contents, kernel: ModeKernel, n_clusters: int) -> Modes:
    if not isinstance(kernel, GaussianKernel):
        return Modes(contents.integers("mode_rows", (n_clusters,), 0, kernel.n_samples))
    rows = contents.integers("mode_rows", (n_clusters,), -1, kernel.n_samples)
    return Modes(rows, contents.numbers("mode_points", (n_clusters, kernel.X.shape[1]), kernel.dtype))


def _memberships(model: LaplacianKModes, contents: Contents, n_samples: int, dtype: Any) -> Any:
    shape = (n_samples, model.n_clusters)
    sparse = model._kept_memberships() is not None
    memberships = (contents.matrix if sparse else contents.numbers)("memberships", shape, dtype)
    check_on_simplex(memberships)
    return memberships
