"""Make the links of the README absolute; hatch_build.py does so for a wheel.

As a script, fail while the address that they begin with is not set, as a release needs it.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)]+)\)")


def absolute(text: str, base: str) -> str:
    """Return a page with its relative links behind `base`; an image is asked for as a file, not as a page about it."""
    if not base:
        return text
    root = base.rstrip("/")
    return _LINK.sub(lambda one: f"{one[1]}[{one[2]}]({root}/{one[3]}{'?raw=true' * bool(one[1])})", text)


if __name__ == "__main__":
    project = Path(__file__).parents[1] / "pyproject.toml"
    hook = tomllib.loads(project.read_text(encoding="utf-8"))["tool"]["hatch"]["metadata"]["hooks"]["custom"]
    if not hook["base"]:
        sys.exit(
            "base of [tool.hatch.metadata.hooks.custom] in pyproject.toml is empty: set the address of the repository's files, or the "
            "README's links are dead in a package index"
        )
