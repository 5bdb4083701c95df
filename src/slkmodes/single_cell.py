"""Cells in an AnnData object, clustered on the neighbours that scanpy found."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np

from slkmodes.estimator import LaplacianKModes
from slkmodes.given_distances import adaptive_affinity
from slkmodes.out_of_sample import dense
from slkmodes.validation import check_distances, check_integer

__all__ = ["cluster_cells"]

OWNER = "cluster_cells"
# Parameters of the estimator that are about features: here the neighbours are given.
DECIDED = ("affinity", "metric", "neighbor_search", "recall", "bandwidth")


def cluster_cells(
    adata: Any,
    n_clusters: int,
    *,
    n_neighbors: int = 5,
    neighbors_key: str | None = None,
    key_added: str = "slk_modes",
    random_state: Any = 0,
    **parameters: Any,
) -> LaplacianKModes:
    """Cluster cells on the neighbours that ``scanpy.pp.neighbors`` found, as :class:`slkmodes.LaplacianKModes` would.

    Distances become weights by the rule of ``affinity="adaptive"``. Features are not looked at: batches that were
    corrected in the neighbours stay corrected.

    Parameters
    ----------
    adata : AnnData
        Cells, with distances to neighbours in ``adata.obsp``; it is written to.
    n_clusters : int
        Number of clusters, K.
    n_neighbors : int, default=5
        Neighbours of each cell in the graph, chosen among the nearest ``3 * n_neighbors`` of those that are there.
        scanpy counts the cell itself: its 15 leave 14 to choose from, 16 leave the 15 that the estimator looks at.
    neighbors_key : str or None, default=None
        What ``scanpy.pp.neighbors`` was told as ``key_added``; None: nothing. ``adata.uns`` says by this name where in
        ``adata.obsp`` the distances are.
    key_added : str, default="slk_modes"
        Name of what is written; below.
    random_state : int, RandomState or Generator instance, or None, default=0
        Decides the seeds. The same number gives the same answer.
    **parameters
        Of :class:`slkmodes.LaplacianKModes`, except those about features: ``laplacian_weight``, ``balance``,
        ``top_memberships``, ``n_jobs``, ...

    Returns
    -------
    LaplacianKModes
        The fitted model, for :mod:`slkmodes.plots` and :func:`slkmodes.report.write_report`. In ``adata``:

        - ``obs[key_added]``: the cluster of each cell, a category, "0" to K - 1.
        - ``obs[key_added + "_confidence"]``: the largest membership of each cell.
        - ``obsm[key_added + "_memberships"]``: all of them; rows add up to 1.
        - ``uns[key_added]``: ``"modes"``, the name of the cell that stands for each cluster, and ``"params"``.

    Examples
    --------
    >>> import numpy as np
    >>> from anndata import AnnData
    >>> from sklearn.neighbors import kneighbors_graph
    >>> from slkmodes.single_cell import cluster_cells
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([0, 9, 18], 30)[:, None]
    >>> cells = AnnData(X)
    >>> cells.obsp["distances"] = kneighbors_graph(X, 15, mode="distance")  # or scanpy.pp.neighbors(cells)
    >>> model = cluster_cells(cells, n_clusters=3)
    >>> cells.obs["slk_modes"].value_counts().tolist()
    [30, 30, 30]
    """
    for name in DECIDED:
        if name in parameters:
            raise TypeError(f"{name} is no parameter of {OWNER}: what is near is decided by scanpy.pp.neighbors.")
    check_integer(OWNER, "n_neighbors", n_neighbors)
    distances = _distances_of(adata, neighbors_key)
    _check_lists(distances, n_neighbors)
    model = LaplacianKModes(n_clusters, affinity="precomputed", random_state=random_state, **parameters)
    model.fit(adaptive_affinity(distances, n_neighbors))
    params = {"n_clusters": n_clusters, "n_neighbors": n_neighbors, "random_state": random_state, **parameters}
    _write(adata, key_added, model, params)
    return model


def _distances_of(adata: Any, neighbors_key: str | None) -> Any:
    """CSR; found as scanpy finds them."""
    default, call = ("distances", "") if neighbors_key is None else (f"{neighbors_key}_distances", neighbors_key)
    key = adata.uns.get(neighbors_key or "neighbors", {}).get("distances_key", default)
    if key not in adata.obsp:
        raise ValueError(
            f"adata of {OWNER} must have distances to neighbours in obsp[{key!r}], and has none: run "
            f"scanpy.pp.neighbors(adata{call and f', key_added={call!r}'}) first."
        )
    return check_distances(OWNER, f"adata.obsp[{key!r}]", adata.obsp[key])


def _check_lists(distances: Any, n_neighbors: int) -> None:
    """Refuse more neighbours than any cell has."""
    longest = int(np.diff(distances.indptr).max(initial=0))
    if longest < n_neighbors:
        raise ValueError(
            f"n_neighbors={n_neighbors} of {OWNER} must be at most {longest}, as many as there are distances of a "
            f"cell. Run scanpy.pp.neighbors(adata, n_neighbors={3 * n_neighbors + 1}) first, which counts the cell "
            "itself, or decrease n_neighbors."
        )


def _write(adata: Any, key: str, model: LaplacianKModes, params: dict[str, Any]) -> None:
    from pandas import Categorical  # anndata has brought it

    categories = [str(cluster) for cluster in range(model.n_clusters)]
    adata.obs[key] = Categorical.from_codes(model.labels_, categories=categories)
    adata.obs[f"{key}_confidence"] = dense(model.memberships_.max(axis=1)).ravel()
    adata.obsm[f"{key}_memberships"] = model.memberships_
    adata.uns[key] = {
        "modes": np.asarray(adata.obs_names[model.mode_indices_]),
        # What cannot be saved in a file is told in words.
        "params": {name: v if isinstance(v, str | Number) else str(v) for name, v in params.items()},
    }
