"""Sine, logarithm, exponential and normal draws: against exact arithmetic, and by their bits."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import seedsafe as ss
from seedsafe.keys import decisions
from seedsafe.keys.decisions import (
    cos_sin_degrees,
    exponential,
    log_uniform,
    logarithm,
    normal,
    normal_quantile,
)
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import address

N = 4000


@given(st.floats(-1e6, 1e6))
def test_cosine_and_sine(angle: float) -> None:
    with mpmath.workdps(40):
        exact = mpmath.mpf(angle) * mpmath.pi / 180
        cos, sin = cos_sin_degrees(angle)
        assert abs(cos - mpmath.cos(exact)) < 2**-52
        assert abs(sin - mpmath.sin(exact)) < 2**-52


@pytest.mark.parametrize("quarter", range(-9, 10))
def test_quarter_turns_are_exact(quarter: int) -> None:
    found = cos_sin_degrees(90.0 * quarter)
    assert found == ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter % 4]
    assert all(math.copysign(1, one) > 0 for one in found if one == 0)


@given(st.floats(1e-300, 1e300))
def test_logarithm(x: float) -> None:
    with mpmath.workdps(40):
        assert abs(logarithm(x) - mpmath.log(x)) <= 2**-50 * abs(mpmath.log(x))


@given(st.floats(-700, 700))
def test_exponential(x: float) -> None:
    with mpmath.workdps(40):
        assert abs(exponential(x) / mpmath.exp(x) - 1) < 2**-50


@given(st.floats(2**-53, 1 - 2**-53))
def test_normal_quantile(share: float) -> None:
    with mpmath.workdps(40):
        exact = mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(share) - 1)
        assert abs(normal_quantile(share) - exact) <= 2**-48 * abs(exact)


@given(st.floats(2**-53, 0.5))
def test_the_normal_is_symmetric(share: float) -> None:
    if 1 - (1 - share) == share:
        assert normal_quantile(share) == -normal_quantile(1 - share)


@pytest.mark.parametrize(
    ("function", "bad"),
    [
        (cos_sin_degrees, math.inf),
        (cos_sin_degrees, math.nan),
        (cos_sin_degrees, 2.0**33),
        (logarithm, 0.0),
        (logarithm, math.nan),
        (logarithm, math.inf),
        (exponential, 701.0),
        (exponential, math.nan),
        (normal_quantile, 0.0),
        (normal_quantile, 1.0),
    ],
)
def test_what_has_no_value_is_refused(function: Callable[[float], object], bad: float) -> None:
    with pytest.raises(ValueError, match="got"):
        function(bad)


def draws(index: int) -> Draws:
    return Draws(address(ss.SampleKey(5, 0, index)))


def test_draws_have_their_distributions() -> None:
    normals = [normal(draws(i)) for i in range(N)]
    assert stats.kstest(normals, "norm").pvalue > 1e-3
    sizes = [log_uniform(draws(i), 0.25, 8.0) for i in range(N)]
    assert 0.25 <= min(sizes) < 0.26
    assert 7.8 < max(sizes) <= 8.0
    assert stats.kstest(np.log(sizes), "uniform", args=(math.log(0.25), math.log(32))).pvalue > 1e-3


def test_each_draw_consumes_one_word() -> None:
    given, wanted = draws(0), draws(0)
    normal(given)
    log_uniform(given, 3.0, 3.0)
    wanted.word()
    wanted.word()
    assert given.word() == wanted.word()


def test_ends_of_a_range_are_kept() -> None:
    for low, high in ((0.1, 0.1), (1e-3, 1e3), (3 / 4, 4 / 3)):
        for unit in (0.0, 0.5, 1 - 2.0**-53):
            assert low <= decisions.log_uniform_at(unit, low, high) <= high


def test_bits() -> None:
    values = []
    for k in range(2000):
        x = (k * 2654435761 % 2**32 + 0.5) / 2**32
        values += [
            *cos_sin_degrees((x - 0.5) * 1440),
            logarithm(x),
            exponential(20 * x - 10),
            normal_quantile(x),
        ]
    digest = hashlib.sha256(struct.pack(f"<{len(values)}d", *values)).hexdigest()
    assert digest == "c9b6cd2c38babe28f71dc54609f71fddf422e98edebd410817b370590d0dbffc"
