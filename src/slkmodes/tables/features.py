"""The columns that are clustered, as one float32 matrix: looked over first, then scaled block by block."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from slkmodes.tables.names import MOST_NAMED, excluding, first_few, quoted
from slkmodes.tables.table import Array, BadTable, Table
from slkmodes.validation import check_option

SCALES = ("none", "standard", "unit")
MISSING = ("refuse", "mean")
# Spreads that differ more than this let one column decide everything.
UNEQUAL_SPREAD = 100
# Rows become float32, which holds no larger number.
LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Scaling:
    """How rows become what is clustered: as they are, column by column, or each to length one; and what fills gaps.

    The same arithmetic for any block of rows, so that a row is the same in a fit and in a prediction.
    """

    kind: str
    center: tuple[float, ...] = ()
    spread: tuple[float, ...] = ()
    fill: tuple[float, ...] = ()  # a number for every column, or none where missing values are refused

    @property
    def missing(self) -> str:
        """One of :data:`MISSING`."""
        return "mean" if self.fill else "refuse"

    def __call__(self, block: Array) -> npt.NDArray[np.float32]:
        """The rows of a block, scaled."""
        if self.fill:
            block = np.where(np.isnan(block), self.fill, block)
        if self.kind == "none":
            return np.ascontiguousarray(block, dtype=np.float32)
        rows = np.ascontiguousarray(block, dtype=np.float64)
        if self.kind == "standard":
            return ((rows - self.center) / self.spread).astype(np.float32)
        length = np.sqrt(np.einsum("pd,pd->p", rows, rows))
        if not length.all():
            raise BadTable(
                "--scale unit needs rows with a direction, but some are all zeros. Leave them out, or use --scale none."
            )
        return (rows / length[:, None]).astype(np.float32)

    def as_json(self) -> dict[str, Any]:
        """For the notes of a model file."""
        return {"kind": self.kind, "center": list(self.center), "spread": list(self.spread), "fill": list(self.fill)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], n_columns: int) -> Scaling:
        """What :meth:`as_json` gave, checked."""
        kind = check_option("the model", "scaling", stored.get("kind"), SCALES)
        center, spread, fill = (tuple(map(float, stored.get(name, ()))) for name in ("center", "spread", "fill"))
        expected = n_columns if kind == "standard" else 0
        fits = len(center) == len(spread) == expected and len(fill) in (0, n_columns)
        if not fits or not all(0 < s < np.inf for s in spread) or not np.isfinite((*center, *fill)).all():
            raise ValueError(f"The scaling of the model does not fit its {n_columns} columns.")
        return cls(kind, center, spread, fill)


class Features(NamedTuple):
    """What is clustered, how it was scaled, and what the user should know about it."""

    X: npt.NDArray[np.float32]
    scaling: Scaling
    notes: tuple[str, ...]


class Survey:
    """What one pass over the blocks tells of every column."""

    def __init__(self, n_columns: int) -> None:
        self.n_rows = 0
        self.known, self.missing, self.infinite = np.zeros((3, n_columns), dtype=np.int64)
        self.center, self._squares = np.zeros((2, n_columns))
        self.counts_up = np.ones(n_columns, dtype=bool)
        self._last = np.full(n_columns, np.nan)

    def look_at(self, block: Array) -> None:
        """Add a block; means and squares are merged, so that large values do not cancel."""
        block = np.asarray(block, dtype=np.float64)
        if not len(block):
            return
        finite = np.isfinite(block)
        count = finite.sum(axis=0)
        if not finite.all():
            unknown = np.isnan(block)
            self.missing += unknown.sum(axis=0)
            self.infinite += (~finite & ~unknown).sum(axis=0)
            block = np.where(finite, block, 0.0)
        steps = np.diff(block, axis=0, prepend=np.where(np.isnan(self._last), block[0] - 1, self._last)[None])
        self.counts_up &= (steps == 1).all(axis=0)
        self._last = block[-1]
        total = np.maximum(1, self.known + count)
        mean = block.sum(axis=0) / np.maximum(1, count)
        apart = mean - self.center
        self._squares += np.square(block - mean, where=finite, out=np.zeros_like(block)).sum(axis=0)
        self._squares += apart**2 * (self.known * count / total)
        self.center += apart * (count / total)
        self.known += count
        self.n_rows += len(block)

    @property
    def spread(self) -> Array:
        """Standard deviations; 1 for columns that do not vary."""
        deviation = np.sqrt(self._squares / np.maximum(1, self.known))
        constant = deviation <= 1e-12 * np.abs(self.center)
        return np.where(constant, 1.0, deviation)


def read_features(
    table: Table,
    names: Sequence[str],
    *,
    scale: str = "none",
    missing: str = "refuse",
    tick: Callable[[int], None] | None = None,
) -> Features:
    r"""Read some columns of a table into one matrix.

    Every block is read twice, once to look over the values and once to scale them; text is kept in between.

    Parameters
    ----------
    table : Table
        From :func:`open_table`.
    names : sequence of str
        Features of the table.
    scale : {"none", "standard", "unit"}, default="none"
        Leave the numbers as they are, give every column mean 0 and deviation 1, or every row length 1.
    missing : {"refuse", "mean"}, default="refuse"
        Whether missing values are an error, or become the mean of their column.
    tick : callable, optional
        Called with the number of rows of every block that was read: once for text, twice for other files.

    Returns
    -------
    Features
        ``X``, ``scaling``, ``notes``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from slkmodes.tables import open_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "points.csv"
    ...     _ = path.write_text("x,y\n1,10\n3,30\n")
    ...     features = read_features(open_table(path), ["x", "y"], scale="standard")
    >>> features.X.tolist()
    [[-1.0, -1.0], [1.0, 1.0]]
    """
    check_option("read_features", "scale", scale, SCALES)
    check_option("read_features", "missing", missing, MISSING)
    if not names:
        raise BadTable(f"{table.path}: no column is left to cluster. Choose some with --columns.")
    if table.n_rows is not None:
        check_memory(table, table.n_rows, len(names))
    survey = Survey(len(names))
    kept: list[Array] = []
    for block in table.numbers(names):
        check_range(table, names, block, survey.n_rows)
        survey.look_at(block)
        if tick:
            tick(len(block))
        if table.slow:
            kept.append(block)
    check_values(table, names, survey, missing)
    means = tuple(survey.center)
    standard = (means, tuple(survey.spread)) if scale == "standard" else ((), ())
    scaling = Scaling(scale, *standard, fill=means if missing == "mean" else ())
    X = np.empty((survey.n_rows, len(names)), dtype=np.float32)
    at = 0
    for block in _taken(kept) if table.slow else table.numbers(names):
        X[at : at + len(block)] = scaling(block)
        if tick and not table.slow:
            tick(len(block))
        at += len(block)
    return Features(X, scaling, tuple(advice(names, survey, scale)))


def _taken(blocks: list[Array]) -> Iterator[Array]:
    """The blocks in order, each forgotten once it was used."""
    blocks.reverse()
    while blocks:
        yield blocks.pop()


def check_range(table: Table, names: Sequence[str], block: Array, first: int) -> None:
    """Refuse numbers that float32 does not hold; ``first`` is the number of the first row of the block."""
    if block.dtype.kind != "f" or block.dtype.itemsize <= 4:
        return
    for row, column in np.argwhere((np.abs(block) > LARGEST) & np.isfinite(block))[:1]:
        raise BadTable(
            f"{table.path}: the column {names[column]!r} holds {block[row, column]:g} in row {first + row} (rows count "
            "from 0), which is more than float32 can. Mend it, or drop the row."
        )


def check_values(table: Table, names: Sequence[str], survey: Survey, missing: str) -> None:
    """Refuse no rows, missing values that nothing fills, and infinity; say where they are."""
    if not survey.n_rows:
        raise BadTable(f"{table.path} holds no rows.")
    unfilled = survey.missing if missing == "refuse" else np.where(survey.known, 0, survey.missing)
    filling = "Put in the mean of each column (--missing mean)" if survey.known.all() else "Fill them in"
    for counts, what, mend in (
        (unfilled, "missing values", filling),
        (survey.infinite, "infinite values", "Fill them in"),
    ):
        bad = np.flatnonzero(counts).tolist()
        if len(bad):
            raise BadTable(
                f"{table.path} has {what} in {counted(names, counts, survey.n_rows)}. {mend}, drop those rows, or "
                f"leave the columns out: {excluding([names[i] for i in bad[:MOST_NAMED]])}"
            )


def counted(names: Sequence[str], counts: Array, n_rows: int) -> str:
    """Columns with how many of their rows are meant."""
    return first_few([f"{quoted(names[i])} ({counts[i]:,} of {n_rows:,})" for i in np.flatnonzero(counts).tolist()])


def advice(names: Sequence[str], survey: Survey, scale: str) -> Iterable[str]:
    """What was put in, and what looks as if it was not meant."""
    if survey.missing.any():  # and not refused
        yield f"Missing values became the mean of their column: {counted(names, survey.missing, survey.n_rows)}."
    for i in np.flatnonzero(survey.counts_up).tolist() if survey.n_rows > 2 else ():
        yield f"The column {names[i]!r} just counts the rows. If it is a number of the row: {excluding([names[i]])}"
    varying = survey.spread[survey.spread > 0]
    if scale == "none" and len(names) > 1 and varying.max() > UNEQUAL_SPREAD * varying.min():
        widest = names[int(np.argmax(survey.spread))]
        yield (
            f"The column {widest!r} varies {varying.max() / varying.min():,.0f} times as much as another, so it "
            "decides alone. --scale standard lets all columns count."
        )


def check_memory(table: Table, n_rows: int, n_columns: int) -> None:
    """Refuse what this machine cannot hold, before it tries."""
    needed = 4 * n_rows * n_columns
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else needed
    if needed > there:
        raise BadTable(
            f"{table.path}: {n_rows:,} rows of {n_columns:,} columns need {needed / 2**30:,.1f} GiB, this machine has "
            f"{there / 2**30:,.1f}. Choose fewer --columns, or reduce the data first (PCA, TruncatedSVD)."
        )
