"""A folder of results that appears as a whole, or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

from slkmodes.cli.exit_codes import UsageError

# What tells a folder of ours from any other.
SUMMARY = "summary.json"


@contextmanager
def whole_folder(path: Path, *, overwrite: bool, names: frozenset[str]) -> Iterator[Path]:
    """A folder to write to, which becomes ``path`` where all went well and is removed where not.

    It is made before the long work, so that a place that cannot be written to is found at once. A process that is
    killed leaves its hidden folder behind; the next one that writes to the same place clears it away. A link stays one:
    what it leads to is filled.
    """
    check_target(path, overwrite=overwrite, names=names)
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    clear_leftovers(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.mkdir()
    lock = lock_folder(part)
    try:
        yield part
        put_in_place(part, path)
    finally:
        if lock is not None:
            os.close(lock)
        shutil.rmtree(part, ignore_errors=True)


def check_target(path: Path, *, overwrite: bool, names: frozenset[str]) -> None:
    """Refuse a place where something is that would be lost."""
    if not path.exists():
        return
    if not path.is_dir():
        raise UsageError(f"-o {path} must be a folder, but it is a file. Choose another.")
    if path.samefile(Path.cwd()):
        raise UsageError(f"-o {path} is the current folder, which cannot be replaced. Name one in it, as -o clusters.")
    if not any(path.iterdir()):
        return
    foreign = sorted(file.name for file in path.iterdir() if file.name not in names)
    if foreign or not (path / SUMMARY).exists():
        raise UsageError(f"-o {path} holds other files ({', '.join(foreign[:3]) or 'no ' + SUMMARY}). Choose another.")
    if not overwrite:
        raise UsageError(f"-o {path} holds the results of an earlier run. Choose another, or say --overwrite.")


def check_not_read(output: Path, *files: Path) -> None:
    """Refuse to write to a file that is read, or to the folder it is in."""
    for file in files:
        there = Path(os.path.realpath(file))
        if output.exists() and any(place.exists() and place.samefile(output) for place in (there, *there.parents)):
            raise UsageError(f"-o {output} is or holds {file}, which is read. Choose another.")


def put_in_place(part: Path, path: Path) -> None:
    """One rename; where there are older results, they are moved aside first."""
    old = part.with_suffix(".old.part")
    if path.exists():
        os.rename(path, old)
    os.rename(part, path)
    shutil.rmtree(old, ignore_errors=True)


def clear_leftovers(path: Path) -> None:
    """Remove what killed processes left: folders that nobody has locked any more.

    Older results that one of them had only just moved aside go back to where they were.
    """
    for part in sorted(path.parent.glob(f".{escape(path.name)}.*.part")):
        if part.name.endswith(".old.part") and not path.exists():
            os.rename(part, path)
            continue
        lock = lock_folder(part)
        if lock is not None:
            shutil.rmtree(part, ignore_errors=True)
            os.close(lock)


def lock_folder(folder: Path) -> int | None:
    """A lock that ends with the process, however it ends; None where another has it, or there are no such locks."""
    with suppress(ImportError, OSError):
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise
        return handle
    return None
