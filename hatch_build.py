"""The README of a wheel: its links are absolute, so that a package index shows none dead.

They begin with ``base`` of ``[tool.hatch.metadata.hooks.custom]``, the address at which the repository's files are shown; while
that is empty they stay relative.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

__all__ = ["ReadmeHook"]


class ReadmeHook(MetadataHookInterface):
    """Gives the project its README."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README to the metadata."""
        root = Path(self.root)
        absolute = runpy.run_path(str(root / "scripts" / "readme_links.py"))["absolute"]
        text = (root / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute(text, self.config.get("base", "")),
        }
