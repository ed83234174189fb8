"""The golden pixels of every transform."""

from __future__ import annotations

import known
import pytest
from pixels_known import pixels

STORED = known.parts(known.files())["pixels"]
EXACT = {name: golden for name, golden in known.pipelines().items() if golden.exact}


@pytest.mark.parametrize("name", EXACT)
def test_pixels(name: str) -> None:
    assert pixels(EXACT[name]) == STORED[name], "a golden value never changes"


def test_nothing_stored_is_left_out() -> None:
    assert set(EXACT) == set(STORED)
