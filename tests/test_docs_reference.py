"""Every public name has a page in the reference."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import seedsafe
import seedsafe.functional
import seedsafe_torch

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"


def documented() -> set[str]:
    pages = "".join(page.read_text() for page in REFERENCE.rglob("*.md"))
    return set(re.findall(r"automodule:: (\S+)", pages))


def missing(module: ModuleType, pages: Iterable[str]) -> set[str]:
    def home(name: str) -> Any:
        value = getattr(module, name)
        return value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)

    constants = {name for name in module.__all__ if home(name) in (None, "builtins")}
    return {name for name in set(module.__all__) - constants if home(name) not in pages}


def test_every_public_name_has_a_page() -> None:
    for module in (seedsafe, seedsafe.functional, seedsafe_torch):
        assert missing(module, documented()) == set()


def test_that_test_would_notice() -> None:
    without = documented() - {"seedsafe.image.flip"}
    assert missing(seedsafe, without) == {"HorizontalFlip", "VerticalFlip"}


ADAPTERS = sorted(path.parent.name for path in (REFERENCE.parents[1] / "adapters").glob("*/__init__.py"))


# The drop-in's page is a table.
@pytest.mark.parametrize("adapter", [name for name in ADAPTERS if name != "seedsafe_albumentations"])
def test_an_adapter_has_its_pages(adapter: str) -> None:  # by name: importing it would load its framework
    listed = (Path(__file__).parents[1] / "adapters" / adapter / "__init__.py").read_text()
    modules = re.findall(rf"from ({adapter}\.\w+) import", listed)
    assert modules
    assert set(modules) <= documented()
