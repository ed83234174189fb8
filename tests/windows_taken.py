"""What tests see of windows of JPEGs that are decoded alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from seedsafe.functional.jpeg import Windows

__all__ = ["watched"]


def watched(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list that gets whether each window that is asked for is decoded alone. What is around it is spoiled: new memory may hold the same image."""
    taken: list[bool] = []
    decode = Windows.decode

    def spy(self: Windows, data: bytes, size: tuple[int, int], place: Any) -> Any:
        image = decode(self, data, size, place)
        taken.append(image is not None)
        if image is not None:
            top, left, height, width = place(size)
            inside = np.zeros(size, bool)
            inside[top : top + height, left : left + width] = True
            image[~inside] ^= 255
        return image

    monkeypatch.setattr(Windows, "decode", spy)
    return taken
