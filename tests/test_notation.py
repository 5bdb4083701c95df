"""How the documentation sets formulas."""

import runpy
from pathlib import Path

import pytest

nodes = pytest.importorskip("docutils.nodes", reason="docutils comes with the documentation: make docs")
notation = runpy.run_path(str(Path(__file__).parent.parent / "docs" / "notation.py"))


def typeset(*children, of=nodes.paragraph):
    document, parent = nodes.Element(), of()
    document += parent
    parent += children
    notation["typeset"](None, document, "page")
    return "".join(map(str, parent.children))


@pytest.mark.parametrize(
    ("written", "set_as"),
    [
        ("R = Σ_p z_p·a_p", "R = Σ<subscript>p</subscript> z<subscript>p</subscript>·a<subscript>p</subscript>"),
        ("Σ_pairs w_pq.", "Σ<subscript>pairs</subscript> w<subscript>pq</subscript>."),
        ("S = D^-1/2 W", "S = D<superscript>-1/2</superscript> W"),
        ("cos(t / 2)^(2s)", "cos(t / 2)<superscript>2s</superscript>"),
        ("memberships_ and n_init, X_pca", "memberships_ and n_init, X_pca"),
    ],
)
def test_formulas(written, set_as):
    assert typeset(nodes.Text(written)) == set_as


def test_code_stays_as_it_is_written():
    assert typeset(nodes.literal("", "z_p / x^2")) == "<literal>z_p / x^2</literal>"


def test_numbers_of_a_cell_stay_together():
    assert typeset(nodes.strong("", ".95"), nodes.Text(" (.94) / .9"), of=nodes.entry) == (
        "<strong>.95</strong>\N{NO-BREAK SPACE}(.94)\N{NO-BREAK SPACE}/\N{NO-BREAK SPACE}.9"
    )
    assert typeset(nodes.Text("0.5 / 0.6 ± 0.1, 3 runs"), of=nodes.entry) == (
        "0.5\N{NO-BREAK SPACE}/\N{NO-BREAK SPACE}0.6 ±\N{NO-BREAK SPACE}0.1, 3 runs"
    )
