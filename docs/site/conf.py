"""The documentation site: `make docs-site` builds it into build/site, with warnings as errors.

The source folder is a copy of the repository's pages and pictures, as they lie there, so that the
pages that people read there are those of the site, with their links. (Sphinx follows links and
would walk through every environment in the repository itself.)
"""

from __future__ import annotations

import tomllib
from pathlib import Path

# The copy, when this is read from there.
ROOT = Path(__file__).resolve().parents[2]

project = "Ludothèque"
author = "The Ludothèque authors"
copyright = author  # noqa: A001  Sphinx reads this name
version = release = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "version"
]

root_doc = "docs/site/index"
include_patterns = [
    "docs/*.md",
    "docs/site/**",
    "envs/*/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
]
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]

# What the reference documents without needing it installed.
autodoc_mock_imports = ["pyspiel", "ray", "sb3_contrib", "stable_baselines3", "tensordict", "torch"]
autodoc_mock_imports += ["torchrl"]
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
# Attributes are told where the class is explained, once.
napoleon_use_ivar = True
# Attributes are linked by their bare names, and several classes have one called "scores".
suppress_warnings = ["ref.python"]

myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]

html_theme = "furo"
html_title = f"Ludothèque {release}"
html_theme_options = {"sidebar_hide_name": False}
