"""Sphinx's configuration: MyST pages, reference from docstrings, no framework needed to build."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "seedsafe"
author = "The seedsafe developers"
release = version = installed_version("seedsafe")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "pictures", "signatures"]
autodoc_mock_imports = ["torch", "keras", "tf_keras", "tensorflow", "cv2", "ray"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # attributes named in a class docstring may be properties with pages of their own
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "seedsafe"
html_static_path = ["_static"]
html_css_files = ["front.css"]
exclude_patterns = ["_build", "_pictures", "style.md"]  # the last is for contributors
suppress_warnings = ["myst.xref_missing"]  # links into the repository, which a site does not hold
