"""How formulas look: x_p with a subscript, D^-1/2 with an exponent, and numbers in a table beside each other.

The sources stay readable as they are; no page needs a typesetter from the network.
"""

import re

from docutils import nodes

SUBSCRIPT = r"(?<!\w)(?P<base>\w)_(?P<below>pairs|[a-z]{1,2})(?!\w)"
EXPONENT = r"(?<=[\w)])\^(?P<above>\(\w+\)|-?\w+(?:/\w+)?)"
NOTATION = re.compile(f"{SUBSCRIPT}|{EXPONENT}")
NUMBERS = re.compile(r"[\d\s./(),-]+")
PAIR = re.compile(r"(?<=[\d)]) / |(?<=±) ")
AS_WRITTEN = (nodes.literal, nodes.FixedTextElement, nodes.raw)


def setup(app):
    """What Sphinx calls."""
    app.connect("doctree-resolved", typeset)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def typeset(app, doctree, page):
    """Every formula of a page, and every cell of numbers."""
    for text in list(doctree.findall(nodes.Text)):
        if NOTATION.search(text) and not isinstance(text.parent, AS_WRITTEN):
            text.parent.replace(text, list(parts_of(str(text))))
    for cell in doctree.findall(nodes.entry):
        together = re.compile(" ") if NUMBERS.fullmatch(cell.astext()) else PAIR
        for text in list(cell.findall(nodes.Text)):
            if not isinstance(text.parent, AS_WRITTEN):
                text.parent.replace(text, nodes.Text(together.sub(unbroken, text)))


def unbroken(found):
    """No line ends within."""
    return found[0].replace(" ", "\N{NO-BREAK SPACE}")


def parts_of(text):
    """A formula as nodes: what stands on the line, below it and above it."""
    end = 0
    for found in NOTATION.finditer(text):
        yield nodes.Text(text[end : found.start()] + (found["base"] or ""))
        if found["below"]:
            yield nodes.subscript(text=found["below"])
        else:
            yield nodes.superscript(text=found["above"].strip("()"))
        end = found.end()
    yield nodes.Text(text[end:])
