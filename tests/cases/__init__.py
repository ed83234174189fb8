"""One case per transform: all tests over the transforms, the pictures and the reference pages read it.

A file is a family, with a heading on the reference page (TITLE, if it has one) and its CASES. NumPy alone is needed.
"""

from __future__ import annotations

import seedsafe as ss
from cases import (
    audio,
    blur,
    colour,
    containers,
    crops,
    erase,
    geometry,
    mixing,
    noise,
    policy,
    size,
    turns,
    values,
    video,
)
from cases.case import Case, Golden, Moves

__all__ = ["CASES", "FAMILIES", "IMAGES", "PUBLIC", "TRANSFORMS", "Case", "Golden", "Moves", "goldens"]

FAMILIES = (
    crops,
    size,
    turns,
    geometry,
    colour,
    blur,
    noise,
    erase,
    values,
    policy,
    video,
    audio,
    containers,
    mixing,
)
"""The families, in the order of the reference page."""

CASES: dict[str, Case] = {case.name: case for family in FAMILIES for case in family.CASES}
"""All cases by public name."""

TRANSFORMS = {name: case for name, case in sorted(CASES.items()) if issubclass(case.kind, ss.Transform)}
"""What stands in a pipeline, by name."""

PUBLIC = list(TRANSFORMS)
"""The names of all that stands in a pipeline."""

IMAGES = {name: case for name, case in TRANSFORMS.items() if "image" in case.takes and not case.holds}
"""What changes images, by name."""


def goldens() -> dict[str, tuple[str, Golden]]:
    """Return each golden pipeline by its name, with its family's file.

    Raises:
        ValueError: two cases have a name in common.
    """
    found: dict[str, tuple[str, Golden]] = {}
    for family in FAMILIES:
        for case in family.CASES:
            for name, golden in case.golden.items():
                if name in found:
                    raise ValueError(f"two golden pipelines are called {name!r}: give one another name")
                found[name] = family.__name__.rpartition(".")[2], golden
    return found
