import re
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"


def test_the_code_of_the_readme_runs_and_gives_what_it_says():
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    *lines, last = code.strip().splitlines()
    scope = {}
    exec("\n".join(lines), scope)
    expression, comment = last.split("#")
    assert eval(expression, scope) == pytest.approx(float(comment.split(",")[0]), abs=0.01)


def test_the_picture_of_the_readme_is_there():
    (picture,) = re.findall(r"!\[.*?\]\((.*?)\)", README.read_text())
    assert (README.parent / picture).exists()
