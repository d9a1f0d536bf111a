"""Settings of the documentation; `make docs` builds it."""

import os
import sys
from pathlib import Path

import treemetric

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
os.environ["IPYTHONDIR"] = str(HERE / "_ext" / "ipython")

project = "treemetric"
author = "The treemetric developers"
copyright = author  # noqa: A001 - Sphinx reads this name
version = release = treemetric.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "sphinx_design",
    "sphinx_copybutton",
    # In _ext:
    "complexity",
    "names",
    "pictures",
    "reference",
    "repository",
]
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb"}
exclude_patterns = ["_build", "_ext", "_templates", "results"]
templates_path = ["_templates"]
default_role = "py:obj"  # names in docstrings become links

# Notebooks: every cell is run, and an error stops the build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 600  # seconds per cell, also on a busy machine
nb_merge_streams = True
nb_output_stderr = "remove-warn"  # a warning of a cell is a warning of the build
nb_render_markdown_format = "myst"
myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 3

# Reference
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"  # the sections of parameters state the types
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_validation_checks = set()

# Pages
html_theme = "pydata_sphinx_theme"
html_title = "treemetric"
html_static_path = ["_static"]
html_css_files = ["treemetric.css"]
html_search_scorer = str(HERE / "_static" / "scorer.js")
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "gallery/index": [], "explanation/glossary": []}
html_js_files = [("search.js", {"defer": "defer", "priority": 900})]
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "treemetric"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 8,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_exclude = ".linenos, .gp, .go"
