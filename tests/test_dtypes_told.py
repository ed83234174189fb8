"""Images of other dtypes: the error gives the arithmetic that makes uint8 or float32 of them, and it is right."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import seedsafe as ss

KEY = ss.SampleKey(42, 0, 0)
TOPS = {
    "uint16": 65535,
    "int32": 65535,
    "int64": 255,
    "uint32": 65535,
    "float16": 1,
    "float64": 255,
    "bool": 1,
    "int16": 32767,
}
"""The dtypes that people bring, and the largest value of what they bring."""

TRANSFORMS = {
    "ColorJitter": ss.ColorJitter(0.2, 0.2, 0.2),
    "Gamma": ss.Gamma(),
    "Normalize": ss.Normalize([0.5], [0.5]),
    "ToFloat": ss.ToFloat(),
    "GaussianNoise": ss.GaussianNoise(0.01),
    "ToGray": ss.ToGray(p=1),
    "Equalize": ss.Equalize(p=1),
    "Resize": ss.Resize(16),
    "Rotate": ss.Rotate(20),
}


def image_of(dtype: str) -> Any:
    """Return a grey ramp from black to the largest value."""
    ramp = np.linspace(0, TOPS[dtype], 32).astype(dtype)
    return np.repeat(np.repeat(ramp[None, :, None], 32, 0), 3, 2)


def advised(words: str) -> list[str]:
    """Return the expressions that an error advises."""
    return re.findall(r"(?:pass|or|,) (\(?image[^,;]*?\.astype\(numpy\.\w+\)(?: \* 255)?)", words)


@pytest.mark.parametrize("dtype", TOPS)
@pytest.mark.parametrize("name", TRANSFORMS)
def test_the_arithmetic_of_the_error_is_right(name: str, dtype: str) -> None:
    image = image_of(dtype)
    try:
        TRANSFORMS[name](image, key=KEY)
    except TypeError as error:
        words = str(error)
    else:
        return  # some transforms take it
    assert dtype in words
    ways = advised(words)
    assert ways, words
    kept = [eval(way, {"image": image, "numpy": np}) for way in ways]
    right = [one for one in kept if is_ramp(one)]
    assert right, words
    for one in right:
        TRANSFORMS[name](one, key=KEY)


def is_ramp(image: Any) -> bool:
    """Return whether an image of uint8 or float32 goes from black to white without a wrap."""
    top = {"uint8": 255, "float32": 1}[str(image.dtype)]
    row = image[0, :, 0].astype(float)
    return bool(np.all(np.diff(row) >= 0)) and row[0] == 0 and abs(row[-1] - top) <= 0.01 * top


def test_a_swapped_byte_order_and_too_wide_numbers_say_the_cast() -> None:
    image = np.zeros((8, 8), ">u2")
    with pytest.raises(TypeError, match=r"pass sample\.astype\('uint16'\)"):
        ss.HorizontalFlip()(image, key=KEY)
    with pytest.raises(TypeError, match=r"pass sample\.astype\(numpy\.float64\)"):
        ss.HorizontalFlip()(np.zeros((8, 8), np.longdouble), key=KEY)
    with pytest.raises(TypeError, match="make one array of numbers of it"):
        ss.HorizontalFlip()(np.zeros((8, 8), object), key=KEY)
