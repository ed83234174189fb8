"""Mathematical functions and distributions, equal on every machine.

The mathematics library of each machine rounds in its own way. These functions are polynomials in binary64 with
one order of operations, each rounded once, so they return the same everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import Final, Protocol

__all__ = [
    "added",
    "beta",
    "cos_sin_degrees",
    "dirichlet",
    "exponential",
    "log_uniform",
    "log_uniform_at",
    "logarithm",
    "normal",
    "normal_quantile",
]


class Stream(Protocol):
    """The methods of `Draws` that these functions call."""

    def word(self) -> int:
        """Return the next raw word."""
        ...

    def unit(self) -> float:
        """Return a number in [0, 1)."""
        ...


_TRIALS: Final = 8  # for each variable of `beta`: all of them fail once in 10**10 draws

_DEGREE: Final = 0.017453292519943295  # π / 180
_LN2_HIGH: Final = 0.6931471803691238  # its last 21 bits are zero: whole multiples of it are exact
_LN2_LOW: Final = 1.9082149292705877e-10  # the rest of the logarithm

# The first term that each series leaves out is below 2**-58 of its sum.
_SIN: Final = tuple((1 - k % 2 * 2) / math.factorial(2 * k + 1) for k in range(8, -1, -1))
_COS: Final = tuple((1 - k % 2 * 2) / math.factorial(2 * k) for k in range(8, -1, -1))
_EXP: Final = tuple(1.0 / math.factorial(k) for k in range(14, -1, -1))
_ATANH: Final = tuple(1.0 / (2 * k + 1) for k in range(11, -1, -1))


def cos_sin_degrees(angle: float) -> tuple[float, float]:
    """Return cosine and sine of an angle; exact at multiples of 90°, elsewhere within 2**-52.

    Args:
        angle: the angle in degrees, in [-2**32, 2**32].

    Raises:
        ValueError: the angle is out of its range.

    Example:
        >>> cos_sin_degrees(90), cos_sin_degrees(-180)
        ((0.0, 1.0), (-1.0, 0.0))
    """
    if not -4294967296.0 <= angle <= 4294967296.0:
        raise ValueError(f"an angle must be in [-2**32, 2**32] degrees, got {angle!r}: take it modulo 360")
    turns = round(angle / 90.0)
    x = (angle - turns * 90.0) * _DEGREE  # the difference is exact
    square = x * x
    sin = x * _horner(_SIN, square)
    cos = _horner(_COS, square)
    quarter = turns & 3
    if quarter == 0:
        return cos, sin + 0.0  # -0.0 becomes 0.0
    if quarter == 1:
        return 0.0 - sin, cos
    if quarter == 2:
        return 0.0 - cos, 0.0 - sin
    return sin + 0.0, 0.0 - cos


def logarithm(x: float) -> float:
    """Return the natural logarithm of a positive finite number; relative error below 2**-50.

    Raises:
        ValueError: x is not positive and finite.

    Example:
        >>> logarithm(1.0), round(logarithm(10.0), 12)
        (0.0, 2.302585092994)
    """
    if not 0.0 < x < math.inf:
        raise ValueError(f"x must be positive and finite, got {x!r}: pass a number that has a logarithm")
    fraction, power = math.frexp(x)
    # Between the roots of 1/2 and 2 the ratio is at most 0.172, where the series converges fast.
    if fraction < 0.7071067811865476:
        fraction, power = fraction * 2.0, power - 1
    ratio = (fraction - 1.0) / (fraction + 1.0)
    return power * _LN2_HIGH + (2.0 * ratio * _horner(_ATANH, ratio * ratio) + power * _LN2_LOW)


def exponential(x: float) -> float:
    """Return e to the power x, x in [-700, 700]; relative error below 2**-50.

    Raises:
        ValueError: x is out of its range.

    Example:
        >>> exponential(0.0), round(exponential(1.0), 12)
        (1.0, 2.718281828459)
    """
    if not -700.0 <= x <= 700.0:
        raise ValueError(f"x must be in [-700, 700], got {x!r}: limit it before the call")
    power = round(x * 1.4426950408889634)
    rest = (x - power * _LN2_HIGH) - power * _LN2_LOW
    return math.ldexp(_horner(_EXP, rest), power)


def added(numbers: Iterable[float]) -> float:
    """Return the sum of numbers from left to right, rounded after each; the result of `sum` depends on Python's version.

    Example:
        >>> added([1e100, 1.0, -1e100])
        0.0
    """
    total = 0.0
    for number in numbers:
        total += number
    return total


def log_uniform(rng: Stream, low: float, high: float) -> float:
    """Return a number in [low, high] whose logarithm is uniform; takes one word.

    Raises:
        ValueError: low is not positive, or high not finite.

    Example:
        >>> from seedsafe.keys.draws import Draws
        >>> from seedsafe.keys.key import SampleKey, address
        >>> round(log_uniform(Draws(address(SampleKey(42, 3, 1234))), 0.5, 2.0), 6)
        0.680453
    """
    return log_uniform_at(rng.unit(), low, high)


def log_uniform_at(unit: float, low: float, high: float) -> float:
    """Return the result of `log_uniform` for a number in [0, 1)."""
    start, span = _log_span(low, high)
    # Rounding can step just outside the bounds.
    return min(max(exponential(start + span * unit), low), high)


@cache
def _log_span(low: float, high: float) -> tuple[float, float]:
    start = logarithm(low)
    return start, logarithm(high) - start


def normal(rng: Stream) -> float:
    """Return a draw from the standard normal distribution; takes one word.

    It is the quantile at (h + ½) / 2**52 for the word's upper 52 bits h, so none is beyond ±8.21.

    Example:
        >>> from seedsafe.keys.draws import Draws
        >>> from seedsafe.keys.key import SampleKey, address
        >>> round(normal(Draws(address(SampleKey(42, 3, 1234)))), 6)
        -0.764502
    """
    return normal_quantile(((rng.word() >> 12) + 0.5) * 2.0**-52)


# The numerators and denominators of PPND16, highest power first. The bounds and offsets in normal_quantile
# are the paper's too.
_CENTRE: Final = (
    (
        2.5090809287301226727e3,
        3.3430575583588128105e4,
        6.7265770927008700853e4,
        4.5921953931549871457e4,
        1.3731693765509461125e4,
        1.9715909503065514427e3,
        1.3314166789178437745e2,
        3.3871328727963666080e0,
    ),
    (
        5.2264952788528545610e3,
        2.8729085735721942674e4,
        3.9307895800092710610e4,
        2.1213794301586595867e4,
        5.3941960214247511077e3,
        6.8718700749205790830e2,
        4.2313330701600911252e1,
        1.0,
    ),
)
_MIDDLE: Final = (
    (
        7.74545014278341407640e-4,
        2.27238449892691845833e-2,
        2.41780725177450611770e-1,
        1.27045825245236838258e0,
        3.64784832476320460504e0,
        5.76949722146069140550e0,
        4.63033784615654529590e0,
        1.42343711074968357734e0,
    ),
    (
        1.05075007164441684324e-9,
        5.47593808499534494600e-4,
        1.51986665636164571966e-2,
        1.48103976427480074590e-1,
        6.89767334985100004550e-1,
        1.67638483018380384940e0,
        2.05319162663775882187e0,
        1.0,
    ),
)
_TAIL: Final = (
    (
        2.01033439929228813265e-7,
        2.71155556874348757815e-5,
        1.24266094738807843860e-3,
        2.65321895265761230930e-2,
        2.96560571828504891230e-1,
        1.78482653991729133580e0,
        5.46378491116411436990e0,
        6.65790464350110377720e0,
    ),
    (
        2.04426310338993978564e-15,
        1.42151175831644588870e-7,
        1.84631831751005468180e-5,
        7.86869131145613259100e-4,
        1.48753612908506148525e-2,
        1.36929880922735805310e-1,
        5.99832206555887937690e-1,
        1.0,
    ),
)


def normal_quantile(share: float) -> float:
    """Return the quantile of the standard normal distribution at a share in (0, 1); relative error below 2**-48.

    Follows M. Wichura, "The percentage points of the normal distribution", Applied Statistics 37 (1988), PPND16.

    Raises:
        ValueError: the share is not in (0, 1).

    Example:
        >>> normal_quantile(0.5), round(normal_quantile(0.975), 12)
        (0.0, 1.95996398454)
    """
    if not 0.0 < share < 1.0:
        raise ValueError(
            f"share must be above 0 and below 1, got {share!r}: pass a probability inside (0, 1)"
        )
    centred = share - 0.5
    if -0.425 <= centred <= 0.425:
        return centred * _ratio(_CENTRE, 0.180625 - centred * centred)
    depth = math.sqrt(-logarithm(share if centred < 0 else 1.0 - share))
    size = _ratio(_MIDDLE, depth - 1.6) if depth <= 5.0 else _ratio(_TAIL, depth - 5.0)
    return -size if centred < 0 else size


def _ratio(polynomials: tuple[tuple[float, ...], tuple[float, ...]], x: float) -> float:
    return _horner(polynomials[0], x) / _horner(polynomials[1], x)


def _horner(coefficients: tuple[float, ...], x: float) -> float:
    """Return the value of a polynomial; the coefficient of the highest power comes first."""
    value = 0.0
    for one in coefficients:
        value = value * x + one
    return value


def beta(draws: Stream, a: float, b: float) -> float:
    """Return a draw from the Beta(a, b) distribution, in [0, 1]; takes 34 words.

    Follows G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables" (2000), with 8 trials for each of the
    two variables. All trials are drawn, and the last counts if none is accepted, which happens once in 10**10 draws.

    Args:
        draws: the stream.
        a: the first parameter, in [0.001, 10**6].
        b: the second parameter, in the same range.

    Example:
        >>> from seedsafe.keys.draws import Draws
        >>> from seedsafe.keys.key import SampleKey, address
        >>> 0 < beta(Draws(address(SampleKey(42, 3, 1234))), 0.2, 0.2) < 1
        True
    """
    one, other = _log_gamma(draws, a), _log_gamma(draws, b)
    return 1.0 / (1.0 + exponential(min(max(other - one, -700.0), 700.0)))


def dirichlet(draws: Stream, shape: float, n: int) -> tuple[float, ...]:
    """Return n shares that sum to 1, from the symmetric Dirichlet distribution; takes 17 words for each share.

    Args:
        draws: the stream.
        shape: the concentration of each share, in [0.001, 10**6].
        n: the number of shares, at least 1.

    Example:
        >>> from seedsafe.keys.draws import Draws
        >>> from seedsafe.keys.key import SampleKey, address
        >>> len(dirichlet(Draws(address(SampleKey(42, 3, 1234))), 1.0, 3))
        3
    """
    logarithms = [_log_gamma(draws, shape) for _ in range(n)]
    greatest = max(logarithms)
    sizes = [exponential(max(one - greatest, -700.0)) for one in logarithms]
    total = added(sizes)
    return tuple(size / total for size in sizes)


def _log_gamma(draws: Stream, shape: float) -> float:
    """Return the logarithm of a draw from Gamma(shape): of a draw from Gamma(shape + 1), times a power of a uniform number."""
    d = shape + 1.0 - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    found = None
    last = 0.0
    # Every trial is drawn, whichever is accepted, so that the words after them stay the same.
    for _ in range(_TRIALS):
        x, unit = normal(draws), _open_unit(draws)
        root = 1.0 + c * x
        if root <= 0.0:
            continue
        log_v = 3.0 * logarithm(root)
        last = log_v
        if found is None and logarithm(unit) < 0.5 * x * x + d - d * (root * root * root) + d * log_v:
            found = log_v
    return logarithm(d) + (last if found is None else found) + logarithm(_open_unit(draws)) / shape


def _open_unit(draws: Stream) -> float:
    # The half keeps it away from 0 and 1: the logarithm of 0 is infinite.
    return ((draws.word() >> 12) + 0.5) * 2.0**-52
