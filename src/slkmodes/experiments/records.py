"""One JSON record per run, appended as it ends: what was stopped goes on where it was."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

Record = dict[str, Any]

# What tells runs apart.
KEY = ("experiment", "data", "method", "trial", "weight", "quick")
PACKAGES = ("slkmodes", "numpy", "scipy", "scikit-learn", "faiss-cpu", "torch")


class Records:
    """The runs of a folder, in ``records.jsonl``."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "records.jsonl"
        self.runs = {key_of(record): record for record in read(self.path)}

    def __iter__(self) -> Iterator[Record]:
        return iter(self.runs.values())

    def done(self, cell: Mapping[str, Any]) -> bool:
        """Whether there is a result; a failure is tried again."""
        record = self.runs.get(key_of(cell))
        return record is not None and "error" not in record

    def add(self, record: Record) -> None:
        """Keep a run, with where it was made."""
        record = {**record, **surroundings()}
        self.runs[key_of(record)] = record
        self.path.parent.mkdir(parents=True, exist_ok=True)
        whole = not self.path.exists() or self.path.read_bytes()[-1:] in (b"", b"\n")
        with self.path.open("a", encoding="utf-8") as file:
            file.write(("" if whole else "\n") + json.dumps(record) + "\n")
            file.flush()
            os.fsync(file.fileno())


def key_of(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """What tells this run from others."""
    return tuple(record.get(name) for name in KEY)


def read(path: Path) -> list[Record]:
    """All whole lines; one that a killed run left half written is skipped."""
    if not path.exists():
        return []
    records = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return records


@cache
def surroundings() -> Record:
    """Versions, commit and machine."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    machine = {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()}
    return {"python": platform.python_version(), "versions": versions, "commit": commit(), "machine": machine}


def commit() -> str | None:
    """The commit of the sources, where they are a repository."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
