import gzip
import io

import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmwrite

WIDTHS = [1.5, 2.5, 3.5, 4.5]
COUNTS = [3, 1, 4, 1]
CITIES = ["Rome", "Oslo", "Rome", "Bern"]


def text(separator):
    lines = [["width", "count", "city"], *zip(WIDTHS, COUNTS, CITIES, strict=True)]
    return "".join(separator.join(map(str, line)) + "\n" for line in lines)


def write_arrow(path):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"width": WIDTHS, "count": COUNTS, "city": CITIES})
    if path.suffix == ".parquet":
        from pyarrow import parquet

        parquet.write_table(table, path, row_group_size=3)
    else:
        from pyarrow import feather

        feather.write_feather(table, path)


def write_mtx(path):
    mmwrite(path, sparse.coo_array(np.column_stack([WIDTHS, COUNTS])))


def write_mtx_gz(path):
    buffer = io.BytesIO()
    mmwrite(buffer, sparse.coo_array(np.column_stack([WIDTHS, COUNTS])))
    path.write_bytes(gzip.compress(buffer.getvalue()))


def write_h5ad(path, X=None, **more):
    """As anndata writes it: a matrix, names of genes, and annotations of cells of three kinds."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        X = np.column_stack([WIDTHS, COUNTS]) if X is None else X
        if sparse.issparse(X):
            group = file.create_group("X")
            group.attrs["encoding-type"], group.attrs["shape"] = f"{X.format}_matrix", X.shape
            for part in ("data", "indices", "indptr"):
                group[part] = getattr(X, part)
        else:
            file["X"] = X
        for name, value in more.items():
            file[f"obsm/{name}"] = value
        file["var/_index"], file["obs/_index"] = ["width", "count"], ["a", "b", "c", "d"]
        file["var"].attrs["_index"] = file["obs"].attrs["_index"] = "_index"
        file["obs/city/categories"], file["obs/city/codes"] = ["Rome", "Oslo"], [0, 1, 0, -1]
        file["obs/depth"] = [1.0, 2.0, 3.0, 4.0]
        file["obs/age/values"], file["obs/age/mask"] = [1, 2, 3, 4], [False, True, False, False]


WRITERS = {
    "a.csv": lambda path: path.write_text(text(",")),
    "semicolons.csv": lambda path: path.write_text(text(";")),
    "a.tsv": lambda path: path.write_text(text("\t")),
    "a.csv.gz": lambda path: path.write_bytes(gzip.compress(text(",").encode())),
    "A.CSV.GZ": lambda path: path.write_bytes(gzip.compress(text(",").encode())),
    "a.parquet": write_arrow,
    "a.feather": write_arrow,
    "a.npy": lambda path: np.save(path, np.column_stack([WIDTHS, COUNTS])),
    "a.npz": lambda path: np.savez(path, X=np.column_stack([WIDTHS, COUNTS]), city=CITIES),
    "a.mtx": write_mtx,
    "A.MTX.GZ": write_mtx_gz,
    "a.h5ad": write_h5ad,
}


@pytest.fixture(params=WRITERS)
def any_file(request, tmp_path):
    """The same four rows in every format."""
    path = tmp_path / request.param
    WRITERS[request.param](path)
    return path
