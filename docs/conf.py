"""How Sphinx builds these pages: ``make docs``."""

import re
import sys
from pathlib import Path

from sphinx_gallery.scrapers import figure_rst

import slkmodes

project = "slkmodes"
author = "The slkmodes developers"
release = version = slkmodes.__version__

sys.path.insert(0, str(Path(__file__).parent))
extensions = [
    *("myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "sphinx_gallery.gen_gallery"),
    "notation",
]
exclude_patterns = ["_build", "_templates"]
templates_path = ["_templates"]
suppress_warnings = ["config.cache"]  # picture_of, a function in a setting, cannot be cached: nothing is lost

html_theme = "pydata_sphinx_theme"
html_title = "slkmodes"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["pages.css"]
# Only the API and the gallery have pages below them; the wide tables of the comparison take all the room there is.
html_sidebars = {"[a-z]*": []}
html_theme_options = {"secondary_sidebar_items": {"**": ["page-toc"], "comparison": []}}

myst_heading_anchors = 3

autosummary_generate = True
toc_object_entries_show_parents = "hide"  # fit() beside the page, not LaplacianKModes.fit()
autodoc_typehints = "none"  # the docstrings say it in words
numpydoc_show_class_members = False  # the template lists them


def picture_of(block, variables, settings):
    """What a block of an example calls ``figure`` is shown under it: our figures are unknown to pyplot."""
    figure = variables["example_globals"].pop("figure", None)
    if figure is None:
        return ""
    path = next(variables["image_path_iterator"])
    figure.savefig(path, dpi=120)
    return figure_rst([path], settings["src_dir"])


sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "_gallery",
    "filename_pattern": r"\.py$",
    "image_scrapers": (picture_of,),
    "reset_modules": (),
    "capture_repr": (),
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
}


def setup(app):
    """What Sphinx cannot be told by a setting."""
    app.connect("autodoc-process-docstring", escape_underscores, priority=100)  # before numpydoc


def escape_underscores(app, what, name, thing, options, lines):
    """Attributes end in an underscore, as in scikit-learn; in the shape of another one reST takes that for a link."""
    lines[:] = [re.sub(r"_(?=[,)])", r"\\_", line) if " of shape (" in line else line for line in lines]
