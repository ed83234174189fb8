"""The README of a wheel: its links are absolute, so that a package index shows none dead.

They begin with ``base`` of ``[tool.hatch.metadata.hooks.custom]``, the address at which the repository's files are shown; while
that is empty they stay relative.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

__all__ = ["ReadmeHook", "absolute"]

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)]+)\)")


def absolute(text: str, base: str) -> str:
    """Return a page with its relative links behind `base`; an image is asked for as a file, not as a page about it."""
    if not base:
        return text
    root = base.rstrip("/")
    return _LINK.sub(lambda one: f"{one[1]}[{one[2]}]({root}/{one[3]}{'?raw=true' * bool(one[1])})", text)


class ReadmeHook(MetadataHookInterface):
    """Gives the project its README."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README to the metadata."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute(text, self.config.get("base", "")),
        }
