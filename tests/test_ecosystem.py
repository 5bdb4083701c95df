"""Other people's packages, where they are installed."""

import numpy as np
import pytest

from slkmodes import LaplacianKModes, clustering_accuracy
from slkmodes.single_cell import cluster_cells

SUBJECTS = ["ship sail harbour anchor deck", "planet orbit star comet moon", "flour oven bread butter dough"]


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


@pytest.fixture
def texts():
    """90 texts on three subjects, a vector for each, and the subject."""
    rng = np.random.default_rng(0)
    subject = np.repeat(np.arange(3), [45, 15, 30])
    words = [" ".join(rng.choice(SUBJECTS[s].split(), 6)) for s in subject]
    return words, np.eye(3)[subject] * 9 + rng.normal(size=(90, 3)), subject


def test_bertopic_takes_the_estimator_for_hdbscan(texts):
    bertopic = pytest.importorskip("bertopic")
    words, vectors, subject = texts
    model = LaplacianKModes(3, random_state=0)
    topics = bertopic.BERTopic(hdbscan_model=model, umap_model=bertopic.dimensionality.BaseDimensionalityReduction())
    found, _ = topics.fit_transform(words, vectors)
    assert clustering_accuracy(subject, found) == 1.0
    renumbered = topics.topic_mapper_.get_mappings()  # the largest topic is 0
    np.testing.assert_array_equal([renumbered[label] for label in model.labels_], found)
    for topic, name in enumerate([0, 2, 1]):
        assert {word for word, _ in topics.get_topic(topic) if word} == set(SUBJECTS[name].split())
    np.testing.assert_array_equal(topics.transform(words, vectors + 0.01)[0], found)
