import os
import subprocess
import sys
from pathlib import Path

import pytest

from slkmodes.cli.exit_codes import UsageError
from slkmodes.cli.whole_folder import SUMMARY, check_not_read, whole_folder

NAMES = frozenset({SUMMARY, "labels.csv"})


def fill(path, text="new"):
    with whole_folder(path, overwrite=True, names=NAMES) as part:
        (part / SUMMARY).write_text(text)


def test_the_folder_appears_when_it_is_whole(tmp_path, monkeypatch):
    renamed, rename = [], os.rename
    monkeypatch.setattr(os, "rename", lambda *names: renamed.append(names) or rename(*names))
    with whole_folder(tmp_path / "a" / "out", overwrite=False, names=NAMES) as part:
        (part / SUMMARY).touch()
        assert not (tmp_path / "a" / "out").exists()
    assert renamed == [(part, tmp_path / "a" / "out")]  # one step, whatever it holds
    assert [file.name for file in (tmp_path / "a").iterdir()] == ["out"]
    assert [file.name for file in (tmp_path / "a" / "out").iterdir()] == [SUMMARY]


def test_a_failure_leaves_what_was_there(tmp_path):
    fill(tmp_path / "out", "old")
    with pytest.raises(KeyboardInterrupt), whole_folder(tmp_path / "out", overwrite=True, names=NAMES):
        raise KeyboardInterrupt
    assert [file.name for file in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / SUMMARY).read_text() == "old"
    fill(tmp_path / "out")
    assert (tmp_path / "out" / SUMMARY).read_text() == "new"
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


def test_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "out").mkdir()
    with whole_folder(tmp_path / "out", overwrite=False, names=NAMES) as part:
        (part / SUMMARY).touch()
    assert (tmp_path / "out" / SUMMARY).exists()


def test_leftovers_are_cleared_unless_somebody_works_there(tmp_path):
    """A folder that a killed process left goes; one that a living process has locked stays."""
    code = (
        "import sys; from pathlib import Path; from slkmodes.cli.whole_folder import whole_folder\n"
        "with whole_folder(Path('out'), overwrite=True, names=frozenset()):\n"
        "    print('there', flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "there\n"
    (part,) = tmp_path.iterdir()
    assert part.name == f".out.{process.pid}.part"
    fill(tmp_path / "out")
    assert part.exists()
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()
    assert part.exists()
    fill(tmp_path / "out")
    assert os.listdir(tmp_path) == ["out"]


def test_results_that_were_only_moved_aside_come_back(tmp_path):
    """A process was killed between moving the old results away and the new ones in."""
    fill(tmp_path / "out", "old")
    os.rename(tmp_path / "out", tmp_path / ".out.1.old.part")
    with pytest.raises(KeyboardInterrupt), whole_folder(tmp_path / "out", overwrite=True, names=NAMES):
        raise KeyboardInterrupt
    assert (tmp_path / "out" / SUMMARY).read_text() == "old"


def test_only_its_own_leftovers_are_cleared(tmp_path):
    (tmp_path / ".other.1.part").mkdir()
    fill(tmp_path / "*")
    assert (tmp_path / ".other.1.part").exists()


def test_a_link_stays_one(tmp_path):
    (tmp_path / "disk").mkdir()
    link = tmp_path / "out"
    link.symlink_to(tmp_path / "disk" / "results")  # which is not there yet
    for text in ("old", "new"):
        fill(link, text)
        assert link.is_symlink()
        assert (tmp_path / "disk" / "results" / SUMMARY).read_text() == text
        assert sorted(os.listdir(tmp_path)) == ["disk", "out"]
        assert os.listdir(tmp_path / "disk") == ["results"]


@pytest.mark.parametrize("name", [".", "", "../here", "../link"])
def test_the_current_folder_is_not_replaced(tmp_path, monkeypatch, name):
    """A shell would stay in the folder that was moved away."""
    (tmp_path / "here").mkdir()
    (tmp_path / "link").symlink_to("here")
    monkeypatch.chdir(tmp_path / "here")
    with (
        pytest.raises(UsageError, match=r"is the current folder, which cannot be replaced\. Name one in it, as -o"),
        whole_folder(Path(name), overwrite=True, names=NAMES),
    ):
        pass
    assert sorted(os.listdir(tmp_path)) == ["here", "link"]


def test_what_is_read_is_not_written_to(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.csv").touch()
    (tmp_path / "link.csv").symlink_to("out/a.csv")
    (tmp_path / "b.csv").touch()
    read = tmp_path / "out" / "a.csv"
    for output in ("out", "out/a.csv", "link.csv", "."):
        with pytest.raises(UsageError, match=r"is or holds .*a\.csv, which is read\. Choose another"):
            check_not_read(tmp_path / output, read)
    with pytest.raises(UsageError, match=r"link\.csv, which is read"):
        check_not_read(read, tmp_path / "b.csv", tmp_path / "link.csv")
    check_not_read(tmp_path / "b.csv", read)
    check_not_read(tmp_path / "new.csv", read, tmp_path / "new.csv")  # neither is there
