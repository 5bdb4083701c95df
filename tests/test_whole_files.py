import os

import pytest

from slkmodes.whole_files import whole_or_nothing


def test_a_file_appears_when_it_is_whole(tmp_path):
    path = tmp_path / "new" / "a.txt"
    with whole_or_nothing(path) as part:
        part.write_text("whole")
        assert not path.exists()
    assert path.read_text() == "whole"
    with pytest.raises(KeyboardInterrupt), whole_or_nothing(path) as part:
        raise KeyboardInterrupt(part.write_text("half"))
    assert path.read_text() == "whole"
    assert os.listdir(path.parent) == ["a.txt"]


def test_a_link_stays_one(tmp_path):
    (tmp_path / "disk").mkdir()
    link = tmp_path / "a.txt"
    link.symlink_to("disk/a.txt")  # which is not there yet
    for text in ("old", "new"):
        with whole_or_nothing(link) as part:
            part.write_text(text)
        assert link.is_symlink()
        assert (tmp_path / "disk" / "a.txt").read_text() == text
    assert os.listdir(tmp_path / "disk") == ["a.txt"]


@pytest.mark.parametrize("place", ["folder", "pipe"])
def test_what_is_no_file_stays(tmp_path, place):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with (
        pytest.raises(FileExistsError, match=r"is there already, and no file\. Choose another name"),
        whole_or_nothing(tmp_path / place),
    ):
        pytest.fail("nothing was to be written")
