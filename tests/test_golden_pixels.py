"""The golden pixels of every transform."""

from __future__ import annotations

import known
import pytest
from pixels_known import family_pixels, pixels


def test_pixels() -> None:
    assert pixels() == known.stored("pixels.json")


@pytest.mark.parametrize(("name", "family"), known.families().items(), ids=known.families())
def test_pixels_of_a_family(name: str, family: known.Family) -> None:
    assert family_pixels(family) == known.stored(f"{name}.json")["pixels"]
