"""Ranges and shapes on a command line.

The module imports nothing, so that ``--help`` is fast.
"""

from __future__ import annotations

__all__ = ["numbers", "sides"]


def numbers(text: str, most: int = 2**32) -> list[int]:
    """Return the integers that a text lists, such as ``0-3`` or ``0,5,9-12``.

    Raises:
        ValueError: the text has another form, or lists none.

    Example:
        >>> numbers("0-2,7")
        [0, 1, 2, 7]
    """
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        try:
            low, high = int(first), int(last) if dash else int(first)
        except ValueError:
            raise ValueError(f"must be numbers such as 0-3 or 0,5,9-12, got {text!r}") from None
        if not low <= high < most or high - low > 10_000:
            raise ValueError(f"must be ascending, below {most} and at most 10,001 numbers, got {part!r}")
        found += range(low, high + 1)
    return found


def sides(text: str) -> tuple[int, ...]:
    """Return the shape in a text: ``480x640``, ``480x640x3``, ``60x480x640x3`` for a video, or ``16000`` for audio.

    Raises:
        ValueError: the text has another form.

    Example:
        >>> sides("480x640"), sides("16000")
        ((480, 640), (16000,))
    """
    try:
        shape = tuple(int(part) for part in text.lower().replace("×", "x").split("x"))
    except ValueError:
        shape = ()
    if not 1 <= len(shape) <= 4 or min(shape) < 1:
        raise ValueError(f"must be HEIGHTxWIDTH in pixels, such as 480x640, got {text!r}")
    return shape
