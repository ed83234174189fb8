"""Make the links of the README absolute; hatch_build.py does so for a wheel."""

from __future__ import annotations

import re

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)]+)\)")


def absolute(text: str, base: str) -> str:
    """Return a page with its relative links behind `base`; an image is asked for as a file, not as a page about it."""
    if not base:
        return text
    root = base.rstrip("/")
    return _LINK.sub(lambda one: f"{one[1]}[{one[2]}]({root}/{one[3]}{'?raw=true' * bool(one[1])})", text)
