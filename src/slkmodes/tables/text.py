"""Comma- and tab-separated text, a block of lines at a time."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from io import TextIOWrapper
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from slkmodes.tables.names import excluding
from slkmodes.tables.table import Array, BadTable, Table, check_names, rows_per_block

# Lines that decide which columns hold numbers.
SAMPLE_LINES = 1000
SEPARATORS = ",;\t|"
# A field in quotation marks, which may hold separators and ends of lines, and where it begins.
QUOTED = re.compile(r'(^|[,;\t|\n])"[^"]*(?:""[^"]*)*(?:"|$)')
LONGEST_HEADER = 1 << 20
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?", "-", "."})


class TextTable(Table):
    """A line per row, the names of the columns in the first unless it holds nothing but numbers."""

    slow = True

    def __init__(self, path: Path) -> None:
        self.path = path
        header = [name.strip() for name in self._read_header()]
        self._headless = all(_is_number(name) for name in header) and not _count_columns(header)
        self._header = [f"x{i}" for i in range(len(header))] if self._headless else header
        if self._headless:
            self.notes = (
                "The first line holds numbers only and is taken for a row; the columns are called x0, x1, ...",
            )
        with closing(self._records()) as records:
            sample = list(islice(records, SAMPLE_LINES))
        if not sample:
            raise BadTable(f"{path} holds the names of columns, but no rows.")
        if path.suffix.lower() != ".gz":
            length = sum(len(text) + 1 for record in sample for text in record) / len(sample)
            self.expected_rows = int(path.stat().st_size / length)
        numeric = [all(_is_number(text, or_missing=True) for text in column) for column in zip(*sample, strict=True)]
        self.features = tuple(name for name, yes in zip(self._header, numeric, strict=True) if yes)
        self.others = tuple(name for name, yes in zip(self._header, numeric, strict=True) if not yes)
        if not self._headless:
            self._check_header()
        check_names(path, self._header)

    def _check_header(self) -> None:
        """Refuse a header that looks like a row; say so where only some of it does, or where numbers may be names."""
        numbers = [name for name in self.features if _is_number(name)]
        shown = ", ".join(self._header[:3]) + (", ..." if len(self._header) > 3 else "")
        if numbers and len(numbers) == len(self.features) and not _are_steps(numbers):
            raise BadTable(
                f"{self.path}: the first line ({shown}) must name the columns, but looks like a row. If it is one, put "
                "a line of names above it; if these are names, let them begin with a letter."
            )
        if numbers:
            self.notes = (
                f"The first line ({shown}) is taken for the names of the columns. If it is a row, put a line of names "
                "above it.",
            )

    def _read_header(self) -> list[str]:
        """The fields of the first line, and what separates them: tabs, or what it holds most of."""
        with self._open() as file:
            beginning = re.split(r"[\r\n]", QUOTED.sub(r"\1", file.read(LONGEST_HEADER)), maxsplit=1)[0]
        if "\0" in beginning:  # of UTF-16 without a mark
            raise self._not_utf8()
        suffixes = [suffix.lower() for suffix in self.path.suffixes]
        self._separator = "\t" if ".tsv" in suffixes else max(SEPARATORS, key=beginning.count)
        with self._lines() as lines:
            header: list[str] = next(lines, [])
        if len(header) < 2 and not "".join(header).strip():
            raise BadTable(f"{self.path} begins with an empty line: the first must hold the names of the columns.")
        return header

    def numbers(self, names: Sequence[str]) -> Iterator[Array]:
        """Blocks of float64."""
        place = {name: i for i, name in enumerate(self._header)}
        places = [place[name] for name in names]
        everything = places == list(range(len(self._header)))
        size, at = rows_per_block(len(self._header)), 0
        records = self._records()
        while block := list(islice(records, size)):
            chosen = block if everything else [[record[place] for place in places] for record in block]
            try:
                yield np.array(chosen, dtype=np.float64)
            except ValueError:  # a missing value, or a word
                yield self._with_missing(chosen, names, at)
            at += len(block)

    def values(self, name: str) -> Iterator[str | None]:
        """The text as it is."""
        place = self._header.index(name)
        return (None if record[place].strip().lower() in MISSING else record[place] for record in self._records())

    def rows(self, numbers: Sequence[int]) -> dict[str, list[Any]]:
        """Numbers as numbers, everything else as it is written."""
        wanted, numeric = set(numbers), set(self.features)
        found = {number: record for number, record in enumerate(self._records()) if number in wanted}
        columns = {name: [found[n][place] for n in numbers] for place, name in enumerate(self._header)}
        return {name: list(map(_number, column)) if name in numeric else column for name, column in columns.items()}

    def _with_missing(self, block: list[list[str]], names: Sequence[str], at: int) -> Array:
        numbers = np.empty((len(block), len(names)))
        for row, record in enumerate(block):
            for column, text in enumerate(record):
                try:
                    numbers[row, column] = np.nan if text.strip().lower() in MISSING else float(text)
                except ValueError:
                    raise BadTable(
                        f"{self.path}: the column {names[column]!r} holds numbers at first, but {text!r} in row "
                        f"{at + row} (rows count from 0). Mend it, or leave the column out: "
                        f"{excluding([names[column]])}"
                    ) from None
        return numbers

    def _records(self) -> Generator[list[str]]:
        """The fields of every line but the header; empty lines are skipped."""
        width = len(self._header)
        with self._lines() as lines:
            if not self._headless:
                next(lines)
            for record in lines:
                if len(record) == width and (width > 1 or record[0].strip()):
                    yield record
                elif len(record) > 1 or "".join(record).strip():
                    raise BadTable(
                        f"{self.path}: line {lines.line_num} has {len(record)} fields, the first line {width}. "
                        "Mend the line; text that holds the separator must be in quotation marks."
                    )

    @contextmanager
    def _lines(self) -> Iterator[Any]:
        """A reader of the fields of every line."""
        with self._open() as file:
            reader = csv.reader(file, delimiter=self._separator, strict=True)
            try:
                yield reader
            except csv.Error as reason:
                raise BadTable(
                    f"{self.path}: line {reader.line_num} cannot be read: {reason}. Is a quotation mark never closed?"
                ) from reason

    @contextmanager
    def _open(self) -> Iterator[TextIOWrapper]:
        """As UTF-8, with or without a mark at the beginning."""
        with TextIOWrapper(self._bytes(), encoding="utf-8-sig", newline="") as file:
            try:
                yield file
            except UnicodeDecodeError as reason:
                raise self._not_utf8() from reason
            except (EOFError, zlib.error, gzip.BadGzipFile) as reason:
                raise BadTable(f"{self.path} breaks off or is damaged ({reason}). Copy it again.") from reason

    def _bytes(self) -> Any:
        return gzip.open(self.path) if self.path.suffix.lower() == ".gz" else self.path.open("rb")

    def _not_utf8(self) -> BadTable:
        """Where the text is of another code, and which it may be."""
        with self._bytes() as file:
            number, line = next((number, line) for number, line in enumerate(file, start=1) if not _is_utf8(line))
        code = "UTF-16" if b"\0" in line else "WINDOWS-1252"
        return BadTable(
            f"{self.path}: line {number} is not UTF-8, as text has to be, but perhaps {code}. Save the file as UTF-8, "
            f"or convert it: iconv -f {code} -t UTF-8"
        )


def _is_utf8(line: bytes) -> bool:
    try:
        return "\0" not in line.decode()
    except UnicodeDecodeError:
        return False


def _is_number(text: str, *, or_missing: bool = False) -> bool:
    if text.strip().lower() in MISSING:
        return or_missing
    try:
        float(text)
    except ValueError:
        return False
    return True


def _count_columns(names: list[str]) -> bool:
    """Whether names are 0, 1, 2, ..., which pandas gives where there are none."""
    return len(names) > 2 and names == [str(i) for i in range(len(names))]


def _are_steps(names: list[str]) -> bool:
    """Whether names are whole numbers in equal steps, as years are."""
    if len(names) < 3 or not all(name.isascii() and name.isdecimal() for name in names):
        return False
    numbers = [int(name) for name in names]
    return len({after - before for before, after in pairwise(numbers)}) == 1 and numbers[1] > numbers[0]


def _number(text: str) -> int | float | None:
    if text.strip().lower() in MISSING:
        return None
    try:
        return int(text)
    except ValueError:
        return float(text)
