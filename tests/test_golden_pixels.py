"""The golden pixels of every transform."""

from __future__ import annotations

import known
from pixels_known import pixels


def test_pixels() -> None:
    assert pixels() == known.stored("pixels.json")
