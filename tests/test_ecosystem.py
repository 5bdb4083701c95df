"""Other people's packages, where they are installed."""

import numpy as np
import pytest

from slkmodes import clustering_accuracy
from slkmodes.single_cell import cluster_cells


@pytest.mark.filterwarnings("default")  # theirs are not ours to mend
def test_scanpy_finds_neighbours_and_looks_at_the_clusters():
    scanpy, anndata = pytest.importorskip("scanpy"), pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    kind = rng.integers(4, size=240)
    cells = anndata.AnnData(rng.poisson(rng.gamma(0.3, size=(4, 60))[kind] * 5).astype(np.float32))
    cells.X[:20], kind[:20] = cells.X[20], kind[20]  # so many cells alike that some list themselves
    cells.obs_names = [f"cell {i}" for i in range(240)]
    scanpy.pp.log1p(cells)
    scanpy.pp.neighbors(cells, use_rep="X", key_added="near")
    distances = cells.obsp["near_distances"].tocoo()
    assert np.any(distances.row == distances.col)
    model = cluster_cells(cells, 4, neighbors_key="near")
    assert clustering_accuracy(kind, model.labels_) == 1.0
    scanpy.tl.rank_genes_groups(cells, "slk_modes", method="t-test")
    figure = scanpy.pl.embedding(cells, "slk_modes_memberships", color="slk_modes", show=False).figure
    assert len(figure.axes[0].collections[0].get_offsets()) == 240
