"""Images with a side of one pixel through all that warps: the right result, and an end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from programs import ROOT, python

from seedsafe.functional.affine import warp
from seedsafe.functional.remap import remap

WARPS = [
    *("GridDistortion", "OpticalDistortion", "ElasticTransform", "PiecewiseAffine"),
    *("Rotate", "Affine", "Perspective"),
]


def test_bicubic_reflections_of_one_line_end() -> None:
    code = f"""
import itertools, numpy as np, seedsafe as ss
shapes = ((1, 1), (1, 9), (9, 1), (1, 9, 3), (9, 1, 3), (1, 1, 5))
for name, shape, dtype, index in itertools.product({WARPS}, shapes, (np.uint8, np.float32), range(3)):
    warp = getattr(ss, name)(mode="reflect", interpolation="bicubic", p=1)
    result = warp(np.full(shape, 1, dtype), key=ss.SampleKey(42, 0, index))
    assert result.shape == shape and (abs(result - 1.0) < 1e-5).all(), (name, shape, dtype)
"""
    done = python("-c", code, cwd=ROOT, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def shifted(first: int, last: int) -> Any:
    return np.array([[-2.25, 0.5, 3.75]]), np.full((last - first, 3), 0.0)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_one_line_is_reflected_as_many_equal_lines_are(dtype: Any) -> None:
    line = np.random.default_rng(0).integers(0, 256, (1, 9, 3)).astype(dtype)
    many = np.repeat(line, 5, 0)
    one, other = (
        remap(image, shifted, 1, 3, interpolation="bicubic", mode="reflect") for image in (line, many)
    )
    assert one.tolist() == other.tolist()
    matrix = (0.9, 0.1, 2.0, 0.0, 1.0, 0.0)
    one, other = (
        warp(image, matrix, 1, 9, interpolation="bicubic", mode="reflect") for image in (line, many)
    )
    assert one.tolist() == other.tolist()
