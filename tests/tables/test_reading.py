"""Every format gives the same rows, and says clearly what is wrong with a file."""

import gzip
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from slkmodes.tables import READERS, BadTable, codes_of, open_table, table, transposed
from tests.tables.conftest import CITIES, COUNTS, WIDTHS, WRITERS, write_h5ad

MATRIX = np.column_stack([WIDTHS, COUNTS])


def with_text(tmp_path, text, name="a.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def all_numbers(opened, names=None):
    return np.concatenate(list(opened.numbers(names or opened.features)))


def test_every_format_has_the_same_rows(any_file, monkeypatch):
    monkeypatch.setattr(table, "BLOCK_NUMBERS", 6)  # two or three rows at a time
    opened = open_table(any_file)
    matrix = {".npy", ".npz", ".mtx"} & {suffix.lower() for suffix in any_file.suffixes}
    named = ("x0", "x1") if matrix else ("width", "count")
    assert opened.features == named
    assert len(list(opened.numbers(opened.features))) > 1 or any_file.suffix == ".gz"
    np.testing.assert_array_equal(all_numbers(opened), MATRIX)
    np.testing.assert_array_equal(all_numbers(opened, [named[1]]), MATRIX[:, 1:])
    np.testing.assert_array_equal(all_numbers(opened, named[::-1]), MATRIX[:, ::-1])
    assert [float(value) for value in opened.values(named[0])] == WIDTHS
    rows = opened.rows([3, 0])
    assert (rows[named[0]], rows[named[1]]) == ([4.5, 1.5], [1, 3])
    assert opened.n_rows in (4, None)
    if "city" in opened.others and any_file.suffix != ".h5ad":
        assert list(opened.values("city")) == CITIES
        assert rows["city"] == ["Bern", "Rome"]


def test_every_format_is_tried():
    kinds = {Path(name).suffix.lower() for name in WRITERS} - {".gz"}
    assert set(READERS) == kinds


def test_annotations_of_cells(tmp_path):
    write_h5ad(tmp_path / "a.h5ad")
    opened = open_table(tmp_path / "a.h5ad")
    assert opened.others == ("cell", "age", "city", "depth")
    assert list(opened.values("cell")) == ["a", "b", "c", "d"]
    assert list(opened.values("city")) == ["Rome", "Oslo", "Rome", None]
    assert list(opened.values("age")) == [1, None, 3, 4]
    assert opened.rows([2]) == {
        "cell": ["c"],
        "age": [3],
        "city": ["Rome"],
        "depth": [3.0],
        "width": [3.5],
        "count": [4.0],
    }


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array])
def test_sparse_cells(tmp_path, form):
    write_h5ad(tmp_path / "a.h5ad", form(MATRIX))
    opened = open_table(tmp_path / "a.h5ad")
    np.testing.assert_array_equal(all_numbers(opened), MATRIX)
    assert opened.rows([1])["count"] == [1.0]


def test_principal_components_of_cells_come_first(tmp_path):
    write_h5ad(tmp_path / "a.h5ad", X_pca=MATRIX[:, :1] * 2)
    opened = open_table(tmp_path / "a.h5ad")
    assert opened.features == ("X_pca_0",)
    assert opened.notes == ("Cells are compared by obsm/X_pca. For another matrix say --array X, for example.",)
    np.testing.assert_array_equal(all_numbers(opened), MATRIX[:, :1] * 2)
    assert open_table(tmp_path / "a.h5ad", array="X").features == ("width", "count")
    with pytest.raises(BadTable, match="has no array 'layers/counts'; there are X, obsm/X_pca"):
        open_table(tmp_path / "a.h5ad", array="layers/counts")


def test_cells_with_columns_that_do_not_exist(tmp_path):
    matrix = sparse.csr_array(MATRIX)
    matrix.indices = matrix.indices + np.int32(1)
    write_h5ad(tmp_path / "a.h5ad", matrix)
    with pytest.raises(BadTable, match=r"The sparse matrix of the \.h5ad file is damaged"):
        all_numbers(open_table(tmp_path / "a.h5ad"))


def test_npy_is_mapped_not_read(tmp_path):
    np.save(tmp_path / "a.npy", MATRIX)
    assert isinstance(open_table(tmp_path / "a.npy")._matrix, np.memmap)


def test_pictures_are_rows(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(24, dtype=np.uint8).reshape(2, 3, 4))
    opened = open_table(tmp_path / "a.npy")
    assert (opened.image_shape, len(opened.features)) == ((3, 4), 12)
    np.savez(tmp_path / "b.npz", X=np.zeros((2, 12)), image_shape=np.array([3, 4]))
    assert open_table(tmp_path / "b.npz").image_shape == (3, 4)


def test_sparse_matrices_in_npz(tmp_path):
    matrix = sparse.csr_array(MATRIX)
    sparse.save_npz(tmp_path / "a.npz", matrix)
    opened = open_table(tmp_path / "a.npz")
    np.testing.assert_array_equal(all_numbers(opened), MATRIX)
    assert (opened.affinities() != matrix).nnz == 0
    parts = {"X_data": matrix.data, "X_indices": matrix.indices.astype(np.uint16), "X_indptr": matrix.indptr}
    np.savez(tmp_path / "b.npz", **parts, X_shape=np.array([4, 2]), y=np.arange(4))
    opened = open_table(tmp_path / "b.npz")
    np.testing.assert_array_equal(all_numbers(opened), MATRIX)
    assert opened.others == ("y",)
    np.savez(tmp_path / "c.npz", **parts, X_shape=np.array([4, 1]))
    with pytest.raises(BadTable, match=r"The sparse matrix in .*c\.npz is damaged"):
        open_table(tmp_path / "c.npz")


def test_the_only_matrix_of_an_npz_or_the_one_that_is_named(tmp_path):
    np.savez(tmp_path / "a.npz", other=MATRIX, ids=np.arange(4))
    assert open_table(tmp_path / "a.npz").others == ("ids",)
    np.savez(tmp_path / "b.npz", one=MATRIX, two=MATRIX * 2)
    np.testing.assert_array_equal(all_numbers(open_table(tmp_path / "b.npz", array="two")), MATRIX * 2)
    with pytest.raises(
        BadTable, match=r"has no array X and not just one matrix; there are one, two\. Name one: --array"
    ):
        open_table(tmp_path / "b.npz")
    with pytest.raises(BadTable, match="has no array 'three'; there are one, two"):
        open_table(tmp_path / "b.npz", array="three")


def test_columns_as_rows(tmp_path):
    np.save(tmp_path / "a.npy", MATRIX)
    np.testing.assert_array_equal(all_numbers(transposed(open_table(tmp_path / "a.npy"))), MATRIX.T)
    sparse.save_npz(tmp_path / "a.npz", sparse.csr_array(MATRIX))
    np.testing.assert_array_equal(all_numbers(transposed(open_table(tmp_path / "a.npz"))), MATRIX.T)
    with pytest.raises(BadTable, match="--transpose is for"):
        transposed(open_table(with_text(tmp_path, "a\n1\n")))


# Text.


def test_a_file_without_names_of_columns(tmp_path):
    opened = open_table(with_text(tmp_path, "1,2\n3,4\n"))
    np.testing.assert_array_equal(all_numbers(opened), [[1, 2], [3, 4]])
    assert opened.features == ("x0", "x1")
    assert opened.notes[0].startswith("The first line holds numbers only and is taken for a row")


def test_quotes_marks_and_empty_lines(tmp_path):
    """A mark at the beginning, as Excel writes it; separators and line ends in text."""
    text = '\ufeff"a","b,\nc"\r\n1,"x, y"\r\n\r\n2,"line\nend"\n3,caf\u00e9\n'
    opened = open_table(with_text(tmp_path, text))
    assert opened.columns == ("a", "b,\nc")
    assert list(opened.values("b,\nc")) == ["x, y", "line\nend", "caf\u00e9"]
    np.testing.assert_array_equal(all_numbers(opened), [[1], [2], [3]])


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ('"a; in; cm",b\n1,2\n', ("a; in; cm", "b")),
        ('"a, in, cm";b\n1;2\n', ("a, in, cm", "b")),
        ('"a\nb, c";"d ""e"", f, g"\n1;2\n', ("a\nb, c", 'd "e", f, g')),
        ("a|b|c\td\n1|2|3\n", ("a", "b", "c\td")),
        ("a;b\r1;x,y,z\r", ("a", "b")),
    ],
)
def test_separators_are_counted_outside_of_quotation_marks(tmp_path, text, columns):
    assert open_table(with_text(tmp_path, text)).columns == columns


def test_missing_values_are_nan(tmp_path):
    opened = open_table(with_text(tmp_path, "a,b\n1,NA\n,2\n?,n/a\n"))
    np.testing.assert_array_equal(all_numbers(opened), [[1, np.nan], [np.nan, 2], [np.nan, np.nan]])
    assert list(opened.values("b")) == [None, "2", None]
    assert opened.rows([1])["a"] == [None]


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
@pytest.mark.parametrize(
    ("code", "word", "line", "guess"),
    [
        ("latin-1", "caf\u00e9", 9002, "WINDOWS-1252"),
        ("utf-16", "cafe", 1, "UTF-16"),
        ("utf-16-le", "cafe", 1, "UTF-16"),
        ("utf-16-be", "cafe", 1, "UTF-16"),
    ],
)
def test_text_of_another_code(tmp_path, name, code, word, line, guess):
    text = ("a,b\n" + "1,x\n" * 9000 + f"2,{word}\n").encode(code)
    path = with_text(tmp_path, gzip.compress(text) if name.endswith(".gz") else text, name)
    expected = rf"line {line} is not UTF-8, as text has to be, but perhaps {guess}\. .*: iconv -f {guess} -t UTF-8$"
    with pytest.raises(BadTable, match=expected):
        list(open_table(path).values("b"))


TEXTS = {
    "a word late": (
        "a,b\n" + "1,2\n" * 1200 + "3,four\n",
        r"the column 'b' holds numbers at first, but 'four' in row 1200 \(rows count from 0\)\. .*--exclude b",
    ),
    "a field too many": ("a,b\n1,2\n1,2,3\n", "line 3 has 3 fields, the first line 2. Mend the line"),
    "a field too few": ("a,b\n1\n", "line 2 has 1 fields, the first line 2"),
    "a name twice": ("a,b,a\n1,2,3\n", "has several columns named 'a'. Give each a name of its own"),
    "nothing": ("", "begins with an empty line"),
    "spaces": ("  \n1\n", "begins with an empty line"),
    "no rows": ("a,b\n", "holds the names of columns, but no rows"),
    "an open quotation mark in the header": ('a,"b\n1,2\n', "cannot be read: .* Is a quotation mark never closed"),
    "an open quotation mark": (
        'a,b\n1,"' + "x" * 200_000,
        "line 2 cannot be read: .* Is a quotation mark never closed",
    ),
}


@pytest.mark.parametrize("case", TEXTS)
def test_text_that_is_no_table(tmp_path, case):
    text, message = TEXTS[case]
    path = with_text(tmp_path, text)
    with pytest.raises(BadTable, match=f"{re.escape(str(path))}.*{message}"):
        all_numbers(open_table(path))


# Any file.


@pytest.mark.parametrize(
    "name", ["a.parquet", "a.feather", "a.npy", "a.npz", "a.mtx", "a.h5ad", "a.csv.gz", "a.mtx.gz", "A.MTX.GZ"]
)
@pytest.mark.parametrize("content", [b"", b"nonsense, not a file", b"PK\x03\x04nonsense", b"\x89HDF\r\n\x1a\nnonsense"])
def test_files_that_are_not_what_they_are_called(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadTable, match=re.escape(str(path))):
        all_numbers(open_table(path))


@pytest.mark.parametrize("name", ["a.parquet", "a.feather", "a.npz", "a.h5ad", "a.mtx"])
def test_files_that_are_cut_off(tmp_path, name):
    WRITERS[name](tmp_path / name)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadTable, match=re.escape(str(tmp_path / name))):
        all_numbers(open_table(tmp_path / name))


def test_pickled_arrays_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{}, {}], dtype=object), allow_pickle=True)
    with pytest.raises(BadTable, match=r"a\.npy is not a whole \.npy file of numbers"):
        open_table(tmp_path / "a.npy")
    np.savez(tmp_path / "a.npz", X=np.array([{}, {}], dtype=object))
    with pytest.raises(BadTable, match=r"a\.npz is not a whole \.npz file of numbers"):
        open_table(tmp_path / "a.npz")


@pytest.mark.parametrize(
    "array", [np.zeros(3), np.array([["a"]]), np.zeros((2, 2), complex), np.zeros((9, 0)), np.zeros((9, 4, 0))]
)
def test_arrays_that_are_no_matrix(tmp_path, array):
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(BadTable, match=r"a\.npy must hold a matrix of numbers with .* at least one column, got"):
        open_table(tmp_path / "a.npy")


def test_no_pictures(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((0, 3, 4)))
    assert open_table(tmp_path / "a.npy").n_rows == 0


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(BadTable, match=r"nothing\.csv does not exist\. Give a file with a row per sample"):
        open_table(tmp_path / "nothing.csv")
    with pytest.raises(BadTable, match="is a folder"):
        open_table(tmp_path)
    (tmp_path / "a.xlsx").touch()
    with pytest.raises(BadTable, match=r"a\.xlsx must end in \.csv, .*, got '\.xlsx'\. Convert it"):
        open_table(tmp_path / "a.xlsx")


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.npy", "a.mtx"])
def test_only_some_files_have_named_arrays(tmp_path, name):
    WRITERS[name](tmp_path / name)
    with pytest.raises(BadTable, match="Leave --array out"):
        open_table(tmp_path / name, array="X")


def test_a_table_is_no_graph(tmp_path):
    with pytest.raises(BadTable, match="holds a table, not a graph"):
        open_table(with_text(tmp_path, "a\n1\n")).affinities()


@pytest.mark.parametrize(
    ("name", "package", "extra"), [("a.parquet", "pyarrow", "tables"), ("a.h5ad", "h5py", "cells")]
)
def test_a_package_that_is_missing(tmp_path, monkeypatch, name, package, extra):
    (tmp_path / name).touch()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"{name} needs {package}, .*pip install 'slkmodes\[{extra}\]'"):
        open_table(tmp_path / name)


def test_types_of_parquet(tmp_path):
    """Numbers of any type are features, words and dates are not; a missing number is NaN."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    big = 2**60 + 1
    columns = {
        "big": pyarrow.array([big, None]),
        "yes": pyarrow.array([True, None]),
        "small": pyarrow.array([1, 2], pyarrow.uint8()),
        "exact": pyarrow.array([1, 2]).cast(pyarrow.decimal128(22, 2)),
        "a.b": pyarrow.array([0.5, 1.5], pyarrow.float32()),
        "day": pyarrow.array([1, 2], pyarrow.date32()),
        "kind": pyarrow.array(["u", "v"]).dictionary_encode(),
    }
    parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet")
    opened = open_table(tmp_path / "a.parquet")
    assert opened.others == ("day", "kind")
    expected = [[float(big), 1, 1, 1, 0.5], [np.nan, np.nan, 2, 2, 1.5]]
    np.testing.assert_array_equal(all_numbers(opened), expected)
    assert list(opened.values("kind")) == ["u", "v"]


def test_codes_of_values():
    codes, names = codes_of(iter(["b", None, "a", "b", float("nan")]))
    assert codes.tolist() == [0, -1, 1, 0, -1]
    assert names == ("b", "a")


def test_a_quotation_mark_that_is_never_closed(tmp_path):
    lines = ["width,word", *(f"{row},a" for row in range(50)), '50,"a', *(f"{row},a" for row in range(51, 100))]
    with pytest.raises(BadTable, match="never closed"):
        open_table(with_text(tmp_path, "\n".join(lines)))


def test_compressed_text_that_breaks_off(tmp_path):
    whole = gzip.compress(("a,b\n" + "".join(f"{row},{row * row}\n" for row in range(20_000))).encode())
    with pytest.raises(BadTable, match="breaks off"):
        list(open_table(with_text(tmp_path, whole[:-2000], "a.csv.gz")).numbers(["a", "b"]))


ROWS_AS_HEADERS = ["5.1,3.5,setosa\n4.9,3.0,setosa\n", "1,2,a\n3,4,b\n", "3,3,3,a\n4,4,4,b\n", "5,4,3,a\n1,2,3,b\n"]


@pytest.mark.parametrize("text", ROWS_AS_HEADERS)
def test_a_first_line_that_looks_like_a_row_is_refused(tmp_path, text):
    with pytest.raises(
        BadTable, match=r"must name the columns, but looks like a row\. .* put a line of names above it"
    ):
        open_table(with_text(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "features"),
    [
        ("0,1,2,kind\n5,6,7,a\n", ("0", "1", "2")),
        ("1990,2000,2010,country\n5,6,7,a\n", ("1990", "2000", "2010")),
        (",0,1\n0,5,6\n", ("", "0", "1")),
        ("0,1,2\n5,6,7\n", ("0", "1", "2")),
    ],
)
def test_numbers_that_are_names(tmp_path, text, features):
    opened = open_table(with_text(tmp_path, text))
    assert opened.features == features
    assert len(all_numbers(opened)) == 1
    assert "put a line of names above it" in opened.notes[0]


def test_a_line_of_spaces_is_empty(tmp_path):
    np.testing.assert_array_equal(
        all_numbers(open_table(with_text(tmp_path, "a,b\n  \n1,2\n \t \n3,4\n  "))), [[1, 2], [3, 4]]
    )
    np.testing.assert_array_equal(all_numbers(open_table(with_text(tmp_path, "a\n  \n1\n \t \n\n3\n  "))), [[1], [3]])
    np.testing.assert_array_equal(
        all_numbers(open_table(with_text(tmp_path, "a\tb\n \t \n1\t2\n"))), [[np.nan, np.nan], [1, 2]]
    )
