import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_picture_of_the_readme_is_there():
    (picture,) = re.findall(r"<img src=\"(.*?)\"", README.read_text())
    assert (README.parent / picture).exists()
