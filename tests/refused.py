"""A test of bad input: calls that must raise an error that has some words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

__all__ = ["refused"]


def refused(*cases: tuple[Callable[[], Any], type[Exception], str]) -> Callable[..., None]:
    """Return a test of each call, with the error that it raises and a part of the message."""

    @pytest.mark.parametrize(("act", "error", "message"), cases, ids=map(str, range(len(cases))))
    def test(act: Callable[[], Any], error: type[Exception], message: str) -> None:
        with pytest.raises(error) as raised:
            act()
        assert message in str(raised.value)

    return test
