import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import kneighbors_graph

from slkmodes import LaplacianKModes, clustering_accuracy
from slkmodes.single_cell import cluster_cells

anndata = pytest.importorskip("anndata")


@pytest.fixture
def cells(blobs):
    """90 cells of three kinds, with their neighbours as scanpy leaves them."""
    X, kind = blobs
    cells = anndata.AnnData(X)
    cells.obs_names = [f"cell {i}" for i in range(len(X))]
    cells.obs["kind"] = kind
    cells.obsp["distances"] = sparse.csr_matrix(kneighbors_graph(X, 14, mode="distance"))
    cells.uns["neighbors"] = {"distances_key": "distances", "params": {"n_neighbors": 15}}
    return cells


def accuracy(cells, key="slk_modes"):
    return clustering_accuracy(cells.obs["kind"], cells.obs[key].astype(str))


def test_what_is_written(cells):
    model = cluster_cells(cells, 3, balance=0.2)
    assert accuracy(cells) == 1.0
    assert cells.obs["slk_modes"].cat.categories.tolist() == ["0", "1", "2"]
    np.testing.assert_array_equal(cells.obs["slk_modes"].cat.codes, model.labels_)
    np.testing.assert_array_equal(cells.obsm["slk_modes_memberships"], model.memberships_)
    np.testing.assert_array_equal(cells.obs["slk_modes_confidence"], model.memberships_.max(axis=1))
    said = cells.uns["slk_modes"]
    assert said["modes"].tolist() == [f"cell {i}" for i in model.mode_indices_]
    assert said["params"] == {"n_clusters": 3, "n_neighbors": 5, "random_state": 0, "balance": 0.2}


def test_the_fit_is_that_of_the_same_graph_from_features(cells, blobs):
    cells.obsp["distances"] = kneighbors_graph(blobs[0], 15, mode="distance")
    graph = LaplacianKModes(3, random_state=0).fit(blobs[0]).affinity_
    chance = {"init": "random", "n_init": 1, "laplacian_weight": 1.0, "random_state": 7}
    expected = LaplacianKModes(3, affinity="precomputed", **chance).fit(graph)
    model = cluster_cells(cells, 3, **chance)
    np.testing.assert_array_equal(model.memberships_, expected.memberships_)


def test_distances_are_where_scanpy_says(cells):
    cells.obsp["mine"] = cells.obsp.pop("distances")
    cells.uns["other"] = {"distances_key": "mine"}
    cluster_cells(cells, 3, neighbors_key="other", key_added="groups")
    assert accuracy(cells, "groups") == 1.0
    cells.uns["neighbors"]["distances_key"] = "mine"
    cluster_cells(cells, 3)
    assert accuracy(cells) == 1.0


@pytest.mark.parametrize(
    ("neighbors_key", "where", "call"), [(None, "distances", ""), ("mine", "mine_distances", ", key_added='mine'")]
)
def test_no_neighbours_yet(blobs, neighbors_key, where, call):
    with pytest.raises(ValueError, match="run scanpy") as error:
        cluster_cells(anndata.AnnData(blobs[0]), 3, neighbors_key=neighbors_key)
    assert str(error.value) == (
        f"adata of cluster_cells must have distances to neighbours in obsp['{where}'], and has none: run "
        f"scanpy.pp.neighbors(adata{call}) first."
    )


def test_fewer_neighbours_than_wanted(cells):
    with pytest.raises(ValueError, match=r"n_neighbors=15 of cluster_cells .* at most 14, .*, n_neighbors=46\) first"):
        cluster_cells(cells, 3, n_neighbors=15)


@pytest.mark.parametrize("name", ["affinity", "metric", "neighbor_search", "recall", "bandwidth"])
def test_what_is_near_is_decided(cells, name):
    with pytest.raises(TypeError, match=rf"^{name} is no parameter of cluster_cells: .* scanpy\.pp\.neighbors\.$"):
        cluster_cells(cells, 3, **{name: "binary"})


def test_some_of_the_cells(cells):
    """Neighbours that were left out leave lists of unequal length."""
    some = cells[np.random.default_rng(0).permutation(90)[:60]].copy()
    lengths = np.diff(some.obsp["distances"].indptr)
    assert lengths.min() < lengths.max()
    cluster_cells(some, 3)
    assert accuracy(some) == 1.0


def test_nothing_else_is_touched(cells):
    before = cells.copy()
    with pytest.raises(ValueError, match="n_clusters"):
        cluster_cells(cells, 91)
    assert "slk_modes" not in cells.obs
    cluster_cells(cells, 3)
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(cells.obsp["distances"], name), getattr(before.obsp["distances"], name))


@pytest.mark.parametrize("top_memberships", [None, 2])
def test_cells_can_be_saved(cells, tmp_path, top_memberships):
    given = {"laplacian_weight": [1.0, 2.0], "random_state": np.random.default_rng(0), "verbose": [].append}
    cluster_cells(cells, 3, top_memberships=top_memberships, **given)
    cells.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert again.obs["slk_modes"].equals(cells.obs["slk_modes"])
    assert abs(again.obsm["slk_modes_memberships"] - cells.obsm["slk_modes_memberships"]).max() == 0
    assert again.uns["slk_modes"]["modes"].tolist() == cells.uns["slk_modes"]["modes"].tolist()
    assert again.uns["slk_modes"]["params"]["laplacian_weight"] == "[1.0, 2.0]"
