"""The site: ``tox -e docs`` builds it into ``docs/_build/html``."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
# the pages that are made
sys.path.insert(0, str(HERE / "site"))

project = "gomkcn-dgl"
author = "The gomkcn-dgl developers"
copyright = "the gomkcn-dgl developers, Apache-2.0"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "made_pages",
]
exclude_patterns = ["_build", "gallery"]

html_theme = "furo"
html_title = "gomkcn-dgl"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
# how-tos before tables of results
html_search_scorer = str(HERE / "site" / "search_scorer.js")

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

# every reference must lead somewhere; types in docstrings are words, not links, and what is not
# public has no page
nitpicky = True
nitpick_ignore_regex = [
    ("py:(class|data|exc)", ".*"),
    ("py:(mod|func)", r"(gomkcn_dgl|gomkcn\.mining)\..*\..*"),
]
# fields of several records have the same names
suppress_warnings = ["ref.python"]
# python -m sphinx -b linkcheck also follows the links that lead out of the site
linkcheck_timeout = 20
