"""Sphinx's settings: ``make docs`` builds the site in ``build/site``, without the network.

The source is the whole repository, so that a page is written once, where it belongs, and its links
work in a checkout and on the site. Notebooks are shown with the outputs that they are kept with.
"""

from __future__ import annotations

import inspect
from pathlib import Path

from sphinx.util.inspect import signature, stringify_signature

from ludotheque.envs import __version__

ROOT = Path(__file__).resolve().parents[1]

project = "Ludothèque"
author = "The Ludothèque authors"
copyright = "The Ludothèque authors, MIT licence"
version = release = __version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode", "myst_nb"]
root_doc = "README"
include_patterns = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/**.md",
    "envs/*/README.md",
    "notebooks/*.ipynb",
]
# Sphinx walks through every folder that isn't excluded, and an environment may lie beside.
SOURCES = {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs", "envs", "notebooks"}
exclude_patterns = [path.name for path in ROOT.iterdir() if path.name not in SOURCES]

myst_enable_extensions = ["html_image"]
myst_heading_anchors = 3
nb_execution_mode = "off"

# Libraries that would take seconds to import, or belong in environments of their own.
autodoc_mock_imports = [
    "anywidget",
    "pyspiel",
    "ray",
    "sb3_contrib",
    "stable_baselines3",
    "tensordict",
    "torch",
    "torchrl",
    "traitlets",
]
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "none"
napoleon_numpy_docstring = False
napoleon_use_ivar = True
# Attributes of the same name in several classes, where one of them is listed.
suppress_warnings = ["ref.python"]
# A name between single backticks.
default_role = "code"

html_theme = "furo"
html_title = f"Ludothèque {__version__}"
html_copy_source = False
html_extra_path = ["site"]
html_theme_options = {"navigation_with_keys": True}

CONTENTS = ROOT / "docs" / "contents.txt"


def _add_contents(app, docname: str, source: list[str]) -> None:
    """Give the start page the table of contents, which isn't for readers of the README."""
    if docname == root_doc:
        app.env.note_dependency(str(CONTENTS))
        source[0] += "\n" + CONTENTS.read_text(encoding="utf-8")


def _own_signature(app, what, name, found, *_) -> tuple[str, str] | None:
    """Sign a class whose base is mocked by its own constructor, not by the mock's."""
    if what != "class" or not inspect.isfunction(vars(found).get("__init__")):
        return None
    own = signature(found.__init__, bound_method=True)
    return stringify_signature(own, show_annotation=False, show_return_annotation=False), ""


def setup(app) -> None:
    app.connect("source-read", _add_contents)
    app.connect("autodoc-process-signature", _own_signature)
