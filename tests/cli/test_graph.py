import numpy as np
from scipy import sparse

from slkmodes import LaplacianKModes
from slkmodes.cli import main
from tests.cli.conftest import lines


def test_the_graph_of_a_fit(folder, tell):
    told = tell("graph", "points.csv", "-o", "graph.npz", "--neighbors", "4")
    X = np.array([[float(v) for v in line.split(",")[:2]] for line in lines()[1:]], dtype=np.float32)
    expected = LaplacianKModes(3, n_neighbors=4, random_state=0).fit(X).affinity_
    found = sparse.load_npz("graph.npz")
    assert (found != expected).nnz == 0
    assert told["n_edges"] == expected.nnz
    assert told["n_components"] == 3
    assert told["largest_components"] == [20, 20, 20]
    assert told["edges_per_sample"]["least"] == np.diff(expected.indptr).min()
    assert (told["neighbor_search"], told["neighbor_recall"]) == ("kd_tree", 1.0)


def test_it_is_told(folder, capsys):
    assert main(["graph", "points.csv"]) == 0
    printed = capsys.readouterr()
    assert "3, the largest of 20, 20, 20 rows" in printed.out
    assert "kd_tree, 100.0% of the true ones" in printed.out
    assert printed.err == "note: Columns without numbers are left out: city, name.\n"
    assert [file.name for file in folder.iterdir()] == ["points.csv"]


def test_errors(folder, fail):
    code, message = fail("graph", "points.csv", "-o", "graph.csv")
    assert (code, "-o graph.csv must end in .npz." in message) == (2, True)
    np.savez("a.npz", X=np.zeros((9, 2)))
    code, message = fail("graph", "a.npz", "-o", "a.npz")
    assert (code, "-o a.npz is or holds a.npz, which is read. Choose another." in message) == (2, True)
