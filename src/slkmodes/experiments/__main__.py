"""``slkmodes reproduce``: the paper's tables and figures on real data, ours beside its own."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from shutil import copyfile
from typing import Any, NamedTuple

import numpy as np

from slkmodes import clustering_accuracy, normalized_mutual_information
from slkmodes.experiments import figures, page
from slkmodes.experiments.methods import METHODS, QUICK, Effort, Task, TooLarge, run_quietly
from slkmodes.experiments.optimisation import WEIGHTS, compare
from slkmodes.experiments.paper import COLUMNS, SMALL_COLUMNS
from slkmodes.experiments.records import Record, Records

EXPERIMENTS = ("table1", "table2", "table3", "figures")
OF_TABLE_3 = ("MNIST (small)", "LabelMe (CNN)", "LabelMe (GIST)", "ORL", "COIL-20")
OF_FIGURES = ("MNIST (small)", "LabelMe (CNN)")
OF_QUICK = ("MNIST (small)", "LabelMe (CNN)", "Shuttle", "ORL", "COIL-20")
TRIALS, QUICK_TRIALS = 10, 2
FIGURES = {
    "figure-1-modes.png": "Figure 1: modes and means of LabelMe, and the images nearest to them",  # not on the page
    "figure-2-objectives.png": "Figure 2: discrete objective at convergence (hollow: clusters died)",
    "figure-3-sweeps.png": "Figure 3: relaxed objective per sweep",
    "figure-4-mode-updates.png": "Figure 4: change of the modes per mode update",
}


class Cell(NamedTuple):
    """Something to run: what tells it apart, and how to get its results."""

    key: Record
    run: Callable[[], Record]


class Plan:
    """The cells of the experiments that were asked for, in an order that fills all tables a little at a time."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        effort = QUICK if options.quick else Effort()
        self.tasks = {name: Task(column, effort) for name, column in SMALL_COLUMNS.items()}
        self.trials = options.trials or (QUICK_TRIALS if options.quick else TRIALS)

    def data(self, among: Any) -> list[str]:
        """The data sets of an experiment that were asked for."""
        wanted = self.options.data or (OF_QUICK if self.options.quick else tuple(SMALL_COLUMNS))
        return [name for name in among if name in wanted]

    def cells(self) -> Iterator[Cell]:
        """Everything to be run."""
        if "table1" in self.options.only:
            for name in self.data(SMALL_COLUMNS):
                yield self.cell(lambda task: describe(task), experiment="table1", data=name)
        for trial in range(self.trials):
            if "table2" in self.options.only:
                for name in self.data(COLUMNS):
                    for method in self.options.methods:
                        yield self.score_cell(name, method, trial)
            if "table3" in self.options.only:
                for name in self.data(OF_TABLE_3):
                    for weight in WEIGHTS:
                        yield from self.objective_cells(name, trial, weight)

    def cell(self, run: Callable[[Task], Record], **key: Any) -> Cell:
        """A cell of one data set."""
        task = self.tasks[key["data"]]
        return Cell({**key, "quick": self.options.quick}, lambda: run(task))

    def score_cell(self, name: str, method: str, trial: int) -> Cell:
        """A run of table 2."""
        return self.cell(
            lambda task: score(task, method, trial), experiment="table2", data=name, method=method, trial=trial
        )

    def objective_cells(self, name: str, trial: int, weight: float) -> Iterator[Cell]:
        """A pair of runs of table 3, made together."""
        both: dict[str, Record] = {}

        def run(task: Task, method: str) -> Record:
            if not both:
                both.update(compare(task, trial, weight))
            return both[method]

        for method in ("LK", "SLK-MS"):
            yield self.cell(
                lambda task, method=method: run(task, method),  # type: ignore[misc]
                experiment="table3", data=name, method=method, trial=trial, weight=weight,
            )  # fmt: skip


def describe(task: Task) -> Record:
    """A row of table 1."""
    sizes = np.bincount(np.unique(task.y, return_inverse=True)[1])
    n_samples, n_features = task.X.shape
    imbalance = float(sizes.max() / sizes.min())
    return {"n_samples": n_samples, "n_features": n_features, "n_clusters": task.n_clusters, "imbalance": imbalance}


def score(task: Task, method: str, trial: int) -> Record:
    """A cell of table 2."""
    outcome = run_quietly(method, task, trial)
    return {
        "nmi": normalized_mutual_information(task.y, outcome.labels),
        "acc": clustering_accuracy(task.y, outcome.labels),
        "seconds": outcome.seconds,
        "chosen": outcome.chosen,
    }


def run_cells(plan: Plan, records: Records) -> None:
    """Run what has no record yet; what fails is recorded as such and stops nothing else."""
    cells = [cell for cell in plan.cells() if not records.done(cell.key)]
    begun = time.perf_counter()
    for number, cell in enumerate(cells, start=1):
        what = ", ".join(str(value) for name, value in cell.key.items() if name != "quick" and value is not None)
        start = time.perf_counter()
        try:
            results = cell.run()
        except (FileNotFoundError, ImportError, TooLarge, OSError) as reason:
            results = {"error": str(reason), "kind": "not run"}
        except Exception as reason:  # one cell shall not stop the others
            traceback.print_exc()
            results = {"error": f"{type(reason).__name__}: {reason}", "kind": "failed"}
        records.add({**cell.key, **results, "elapsed": time.perf_counter() - start})
        left = (time.perf_counter() - begun) / number * (len(cells) - number)
        print(f"[{number}/{len(cells)}, {left / 60:.0f} min left] {what}: {told(results)}", file=sys.stderr, flush=True)


def told(results: Record) -> str:
    """A result in a few words."""
    if "error" in results:
        return f"{results['kind']}: {results['error'].splitlines()[0]}"
    if "acc" in results:
        return f"NMI {results['nmi']:.3f}, ACC {results['acc']:.3f}, {sum(results['seconds'].values()):.1f} s"
    if "objective" in results:
        return f"E = {results['objective']:.2f}"
    return f"{results['n_samples']:,} x {results['n_features']:,}"


def draw(plan: Plan, records: Records, folder: Path) -> None:
    """The four figures; one whose data are missing is left out, and said so."""
    tasks = {name: plan.tasks[name] for name in plan.data(OF_FIGURES)}
    names = list(FIGURES)

    def first() -> None:
        if "LabelMe (CNN)" not in tasks:
            return
        figures.save(figures.mode_images(plan.tasks["LabelMe (CNN)"], "labelme8_64"), folder / names[0])

    def second() -> None:
        figures.save(figures.objectives_by_weight(records), folder / names[1])

    def third_and_fourth() -> None:
        if not tasks:
            return
        inner, outer = figures.convergence(tasks)
        figures.save(inner, folder / names[2])
        figures.save(outer, folder / names[3])

    for make in (first, second, third_and_fourth):
        try:
            make()
        except (OSError, ImportError, ValueError) as reason:
            print(f"figure not drawn: {reason}", file=sys.stderr)


def tables(records: Records) -> str:
    """All tables as Markdown."""
    in_paper = [name for name, column in COLUMNS.items() if column.paper]
    more = [name for name in COLUMNS if name not in in_paper]
    parts = [
        ("Table 1: the data", page.table_1(records)),
        ("Table 2: NMI / ACC", page.table_2(records, in_paper)),
        ("Table 2: seconds", page.table_2_seconds(records, in_paper)),
        ("The paper's SLK beside ours", page.differences(records)),
        ("Table 2 on other data", page.table_2(records, more)),
        ("Table 2 on other data: seconds", page.table_2_seconds(records, more)),
        ("Table 3: discrete objective at convergence", page.table_3(records)),
    ]
    return "\n\n".join(f"## {title}\n\n{table}" for title, table in parts) + "\n"


def write_page(path: Path, text: str, folder: Path) -> None:
    """What the numbers mean, the numbers, and the figures, which are copied beside the page."""
    preface = files("slkmodes.experiments").joinpath("preface.md").read_text(encoding="utf-8")
    parts = [preface.rstrip("\n"), text.rstrip("\n")]
    images = path.parent / "images"
    images.mkdir(parents=True, exist_ok=True)
    for name, title in list(FIGURES.items())[1:]:
        if (folder / name).exists():
            copyfile(folder / name, images / name)
            parts.append(f"## {title}\n\n![{title}](images/{name})")
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Run, print the tables, draw the figures."""
    parser = argparse.ArgumentParser(prog="slkmodes reproduce", description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("reproduction"), help="folder of records and figures")
    parser.add_argument("--quick", action="store_true", help="a few minutes: small data, few seeds and weights")
    for option, names, default in (
        ("--only", EXPERIMENTS, EXPERIMENTS),
        ("--data", SMALL_COLUMNS, None),
        ("--methods", METHODS, list(METHODS)),
    ):
        of = f"some of {', '.join(names)}"
        parser.add_argument(option, nargs="+", choices=names, default=default, metavar="NAME", help=of)
    parser.add_argument("--trials", type=int, help=f"runs of every cell, {TRIALS} unless given")
    parser.add_argument("--page", type=Path, help="write a page of the records there are, its pictures beside it")
    parser.add_argument("--show", action="store_true", help="print the tables of the records there are, run nothing")
    options = parser.parse_args(arguments)
    if options.quick:
        options.output = options.output / "quick"  # its numbers are no part of the others
    records, plan = Records(options.output), Plan(options)
    if not options.show:
        run_cells(plan, records)
        if "figures" in options.only:
            draw(plan, records, options.output)
    text = tables(records)
    print(text)
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "tables.md").write_text(text, encoding="utf-8")
    if options.page:
        write_page(options.page, text, options.output)
    failed = any(record.get("kind") == "failed" for record in records)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
