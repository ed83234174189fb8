"""A package as it is where nobody has installed it."""

from __future__ import annotations

from importlib.abc import MetaPathFinder
from typing import Any


class Missing(MetaPathFinder):
    """Put it first in sys.meta_path before the package is imported."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, *where: Any) -> None:
        if name.partition(".")[0] == self.package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
