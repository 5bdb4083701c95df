import ast
import re
import runpy
from pathlib import Path

import pytest

import slkmodes
from slkmodes import baselines, datasets, layout, plots, report, single_cell
from slkmodes.cli.delegated import DELEGATED
from slkmodes.cli.exit_codes import MEANINGS
from slkmodes.cli.main import COMMANDS

ROOT = Path(__file__).parent.parent
CODE = re.compile(r"^```python\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)
PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))] if CODE.search(page.read_text())]
PEER = re.compile(r"^(?:from|import) (anndata|bertopic)\b", flags=re.MULTILINE)
PROMISE = re.compile(r"#\s*(-?\d+(?:\.\d+)?)(?:,.*)?$")


def run(code, scope):
    """Run statement by statement; where the comment behind an expression begins with a number, it must come out."""
    lines = code.splitlines()
    for statement in ast.parse(code).body:
        if not isinstance(statement, ast.Expr):
            exec(compile(ast.Module([statement], []), "page", "exec"), scope)
            continue
        value = eval(compile(ast.Expression(statement.value), "page", "eval"), scope)
        promise = PROMISE.search(lines[statement.end_lineno - 1])
        if promise:
            assert float(value) == pytest.approx(float(promise[1]), abs=0.01), lines[statement.end_lineno - 1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs_and_gives_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope = {}
    for code in CODE.findall(page.read_text()):
        for peer in PEER.findall(code):
            pytest.importorskip(peer)
        run(code, scope)


def test_a_broken_promise_is_noticed():
    run("x = 2\nx + 1  # 3, as everybody knows", {})
    with pytest.raises(AssertionError):
        run("1 + 1  # 3", {})


def test_the_pages_that_teach_hold_code():
    assert {"README", "quickstart", "parameters", "recipes"} <= {page.stem for page in PAGES}


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda example: example.stem)
def test_an_example_runs_and_ends_with_a_figure(example):
    assert runpy.run_path(str(example))["figure"].axes


def test_the_page_of_the_command_line_names_every_command_and_exit_code():
    page = (ROOT / "docs" / "command-line.md").read_text()
    assert {*COMMANDS, *DELEGATED} <= set(re.findall(r"^\| `([\w-]+)", page, flags=re.MULTILINE))
    assert all(f"| {code} | {meaning} |" in page for code, meaning in MEANINGS.items())


@pytest.mark.parametrize(
    "module", [slkmodes, baselines, datasets, layout, plots, report, single_cell], ids=lambda m: m.__name__
)
def test_the_page_of_the_api_lists_every_public_name(module):
    page = (ROOT / "docs" / "api.md").read_text()
    assert set(module.__all__) <= set(re.findall(r"\w+", page))
