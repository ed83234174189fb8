"""Words under which the search finds a page first: ``search_words`` in conf.py, by page.

A page that does not exist is passed over, so that a word may stand there before its page. Sphinx searches the entries of its index
before the text; these are in no index that is shown.
"""

from __future__ import annotations

from typing import Any

from sphinx import addnodes

__all__ = ["setup"]


def _enter(app: Any, doctree: Any) -> None:
    """Add the words of a page as main entries of the index, without a place in the page."""
    words = app.config.search_words.get(app.env.current_document.docname, ())
    if words:
        doctree += addnodes.index(entries=[("single", word, "", "main", None) for word in words])


def setup(app: Any) -> dict[str, bool]:
    """Connect the words to a build."""
    app.add_config_value("search_words", {}, "env", dict)
    app.connect("doctree-read", _enter)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
