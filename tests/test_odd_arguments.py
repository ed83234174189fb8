"""Arguments that nobody expects: every constructor takes them for what they are, or raises an error of its own that names them."""

from __future__ import annotations

import inspect
import math
import traceback
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import TRANSFORMS

import seedsafe as ss

ODD: list[Any] = [
    *("yes", "", "0.5", b"ab", None, True, object(), 1j, Decimal("0.5"), len, {1, 2}, {}, {"x": 1}, range(2)),
    *(math.nan, math.inf, -math.inf, -1, -0.5, 10**30, 10**400, 1e300, 0, 3.7),
    *(
        np.float32(0.5),
        np.int64(3),
        np.uint8(3),
        np.True_,
        np.array(0.5),
        np.array([0.2, 0.4]),
        np.array([3, 5]),
    ),
    *(
        [],
        (),
        (1,),
        (2, 1),
        (1, 2, 3),
        (math.nan, 1),
        (0, math.inf),
        ("a", "b"),
        (None, 1),
        (((1, 2),),),
        ((1, 2), (3, 4)),
    ),
]
PACKAGE = Path(ss.__file__).parent
NAMED_OTHERWISE = {"transforms": "transform", "sizes": "size"}
"""Arguments of which an error says what there must be one of."""


@pytest.mark.parametrize("name", sorted(set(TRANSFORMS) - {"Bridged"}))
def test_constructors(name: str) -> None:
    kind = TRANSFORMS[name].kind
    for argument in inspect.signature(kind).parameters:
        for value in ODD:
            error: Exception | None = None
            try:
                TRANSFORMS[name].make(**{argument: value})
            except (TypeError, ValueError, FileNotFoundError) as found:
                error = found
            if error is None:
                continue
            last = traceback.extract_tb(error.__traceback__)[-1]
            assert PACKAGE in Path(last.filename).parents, (argument, value, error)
            assert NAMED_OTHERWISE.get(argument, argument) in str(error), (argument, value, error)
            words = str(error)
            assert "not supported between" not in words, (argument, value, error)
            assert "ambiguous" not in words, (argument, value, error)
            assert "unhashable" not in words, (argument, value, error)
            assert "0-d array" not in words, (argument, value, error)


@pytest.mark.parametrize("value", ["", "a#b", "seedsafe/x", 3, True, ("a",), b"a"], ids=repr)
def test_a_wrong_name_is_an_error_where_it_is_given(value: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="name must be a"):
        ss.HorizontalFlip(name=value)


def test_numbers_of_numpy_are_numbers() -> None:
    assert ss.GaussianBlur(np.int64(3)) == ss.GaussianBlur(3)
    assert ss.GaussianBlur(np.int32(0), np.float32(2)).size == ss.GaussianBlur(0, 2).size
    assert ss.Normalize(np.array([0.5, 0.25]), np.array([1.0, 2.0])) == ss.Normalize((0.5, 0.25), (1.0, 2.0))
    assert ss.PiecewiseAffine(nb_rows=np.int64(4)) == ss.PiecewiseAffine(nb_rows=4)
