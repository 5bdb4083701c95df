"""Files from the internet: checked, with progress on stderr, whole or not at all."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from http.client import HTTPException
from pathlib import Path
from urllib.request import Request, urlopen

from slkmodes import __version__
from slkmodes.whole_files import whole_or_nothing

CHUNK = 1 << 20
SECONDS_OF_SILENCE = 60


def download(urls: Sequence[str], target: Path, checksum: str | None = None) -> Path:
    """Fetch a file from the first address that has it, and has it right.

    Parameters
    ----------
    urls : sequence of str
        Addresses of the same file, the best first.
    target : Path
        Where to store it; nothing is there unless all went well.
    checksum : str, optional
        Such as ``"sha256:<hexadecimal digits>"``, where it is known.

    Returns
    -------
    Path
        ``target``.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     here, there = Path(folder, "here.txt"), Path(folder, "there.txt")
    ...     _ = here.write_text("eight rows")
    ...     download([here.as_uri()], there).read_text()
    'eight rows'
    """
    failures = []
    for url in urls:
        try:
            with whole_or_nothing(target) as part:
                _copy(url, part, checksum, target.name)
            return target
        except (OSError, HTTPException) as reason:
            failures.append(f"{url}: {reason}")
    raise OSError(f"{target.name} could not be downloaded.\n  " + "\n  ".join(failures))


def _copy(url: str, part: Path, checksum: str | None, name: str) -> None:
    algorithm, _, expected = (checksum or "sha256:").partition(":")
    digest = hashlib.new(algorithm, usedforsecurity=False)
    request = Request(url, headers={"User-Agent": f"slkmodes/{__version__}"})
    received = 0
    with urlopen(request, timeout=SECONDS_OF_SILENCE) as answer, part.open("wb") as file:
        announced = int(answer.headers.get("Content-Length") or 0)
        while chunk := answer.read(CHUNK):
            file.write(chunk)
            digest.update(chunk)
            received += len(chunk)
            _show(name, received, announced)
    _show(name, received, announced, done=True)
    if announced and received != announced:
        raise OSError(f"the connection broke off after {received:,} of {announced:,} bytes")
    if expected and digest.hexdigest() != expected:
        raise OSError(
            f"its {algorithm} must be {expected}, got {digest.hexdigest()}: the file is not the published one"
        )


def _show(name: str, received: int, announced: int, done: bool = False) -> None:
    """One line that grows on a terminal, one line at the end elsewhere."""
    terminal = sys.stderr.isatty()
    if not (done or terminal):
        return
    share = f" of {announced / 1e6:.1f}" if announced else ""
    line = f"{name}: {received / 1e6:.1f}{share} MB"
    print(f"\r{line}" if terminal else line, end="\n" if done else "", file=sys.stderr, flush=True)
