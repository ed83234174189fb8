"""The stream contract, written again from docs/reference/contract.md in plain Python integers and floats.

Nothing of the package is read, and no NumPy: a test compares what this gives with the golden files, so that the page
alone is known to suffice.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Any, NamedTuple

__all__ = [
    "Key",
    "Words",
    "addressed",
    "bell_quantile",
    "beta",
    "cos_sin",
    "epoch_order",
    "exponential",
    "integer_of",
    "log_uniform_of",
    "logarithm",
    "mixed",
    "mixture",
    "noise_value",
    "op_of",
    "permuted",
    "philox_block",
    "pieces",
    "position_of",
    "record_index",
    "replacements",
    "sampler_seed",
    "seeded",
    "unit_of",
]

MASK = 2**64 - 1


class Key(NamedTuple):
    """The key of one sample."""

    seed: int
    epoch: int
    index: int
    occurrence: int = 0
    view: int = 0
    call: int = 0


@functools.cache
def philox_block(key: tuple[int, int], counter: tuple[int, ...]) -> tuple[int, ...]:
    """Return the four words of one block of Philox4x64-10."""
    k0, k1 = key
    c0, c1, c2, c3 = counter
    for _ in range(10):
        first, second = 0xD2E7470EE14C6C93 * c0, 0xCA5A826395121157 * c2
        c0, c1, c2, c3 = second >> 64 ^ c1 ^ k0, second & MASK, first >> 64 ^ c3 ^ k1, first & MASK
        k0, k1 = (k0 + 0x9E3779B97F4A7C15) & MASK, (k1 + 0xBB67AE8584CAA73B) & MASK
    return c0, c1, c2, c3


def digest(text: str | bytes, size: int) -> int:
    """Return a BLAKE2b digest of `size` bytes as an integer."""
    data = text.encode("utf-8") if isinstance(text, str) else text
    return int.from_bytes(hashlib.blake2b(data, digest_size=size).digest(), "little")


def op_of(name: str) -> int:
    """Return the op of a name."""
    return digest(name, 4)


def record_index(record_id: str | bytes) -> int:
    """Return the index of a record."""
    return digest(record_id, 8)


def unit_of(word: int) -> float:
    """Return the number in [0, 1) that a word stands for."""
    return (word >> 11) * 2.0**-53


def integer_of(word: int, n: int) -> int:
    """Return the integer below n that a word stands for."""
    return word * n >> 64


class Words:
    """The words of a key's stream, one after another."""

    def __init__(self, key: Key, op: int | str = 0, jumps: int = 0) -> None:
        number = op_of(op) if isinstance(op, str) else op
        self.view = key.view
        self.key = key.seed & MASK, key.seed >> 64
        self.counter = (
            key.epoch << 32 | key.occurrence << 16 | key.view,
            number << 32 | key.call << 16 | jumps,
            key.index,
        )
        self.taken = 0

    def at(self, place: int) -> int:
        """Return the word at a place."""
        block = philox_block(self.key, (place // 4 + 1, *self.counter))
        return block[place % 4]

    def word(self) -> int:
        """Return the next word."""
        self.taken += 1
        return self.at(self.taken - 1)

    def unit(self) -> float:
        """Return a number in [0, 1)."""
        return unit_of(self.word())

    def uniform(self, low: float, high: float) -> float:
        """Return a number in [low, high]."""
        return low + (high - low) * self.unit()

    def integer(self, n: int) -> int:
        """Return an integer below n."""
        return integer_of(self.word(), n)

    def between(self, low: int, high: int) -> int:
        """Return an integer from low to high."""
        return low + self.integer(high - low + 1)

    def chance(self, p: float) -> bool:
        """Return True with probability p."""
        return self.unit() < p

    def normal(self) -> float:
        """Return a draw from the normal distribution."""
        return bell_quantile(((self.word() >> 12) + 0.5) * 2.0**-52)

    def open_unit(self) -> float:
        """Return a number in (0, 1)."""
        return ((self.word() >> 12) + 0.5) * 2.0**-52

    def permutation(self, n: int) -> list[int]:
        """Return the numbers below n in a random order."""
        drawn = [self.word() for _ in range(n)]
        return sorted(range(n), key=drawn.__getitem__)

    def choice(self, n: int, k: int) -> list[int]:
        """Return k different numbers below n."""
        numbers = list(range(n))
        for step in range(k):
            other = step + self.integer(n - step)
            numbers[step], numbers[other] = numbers[other], numbers[step]
        return numbers[:k]

    def weighted(self, weights: Sequence[float], k: int, replace: bool) -> list[int]:
        """Return k numbers, each with the probability of its weight."""
        left, found = [float(weight) for weight in weights], []
        for _ in range(k):
            sums = list(itertools.accumulate(left))
            target = self.unit() * sums[-1]
            last = max(number for number, weight in enumerate(left) if weight > 0)
            found.append(next((number for number, total in enumerate(sums) if total > target), last))
            if not replace:
                left[found[-1]] = 0.0
        return found

    def multinomial(self, n: int, weights: Sequence[float]) -> list[int]:
        """Return how many of n draws fall on each weight."""
        found = self.weighted(weights, n, True)
        return [found.count(number) for number in range(len(weights))]

    def normals(self, n: int) -> list[float]:
        """Return n draws from the table of noise."""
        at = self.noise()
        self.taken = 4 * (at[2] + -(-n // 16))
        return [noise_value(piece) for piece in pieces(at, n)]

    def truncated_normals(self, low: float, high: float, n: int) -> list[float]:
        """Return n draws from those values of the table of noise that are in [low, high]."""
        inside = [value for value in map(noise_value, range(65536)) if low <= value <= high]
        return [inside[self.integer(len(inside))] for _ in range(n)]

    def noise(self) -> list[int]:
        """Return the address of the noise: two key words and four counter words, before the first block."""
        return [*self.key, -(-self.taken // 4), *self.counter]


def pieces(at: Sequence[int], n: int) -> list[int]:
    """Return n 16-bit pieces of the noise at an address."""
    found: list[int] = []
    block = at[2]
    while len(found) < n:
        block += 1
        for word in philox_block((at[0], at[1]), (block, *at[3:])):
            found += [word >> shift & 0xFFFF for shift in (0, 16, 32, 48)]
    return found[:n]


def epoch_order(seed: int, epoch: int, n: int) -> list[int]:
    """Return the order of an epoch."""
    words = Words(Key(seed, epoch, 0), "seedsafe/order")
    drawn = [words.word() for _ in range(n)]
    return sorted(range(n), key=lambda place: drawn[place])


def permuted(drawn: Sequence[int], n: int, x: int, rounds: Sequence[int] = range(8)) -> int:
    """Return the number that 16 words make of one below n; with the rounds from the last to the first, the one that it was made of."""
    bits = max(8, (n - 1).bit_length())
    upper_bits, lower_bits = bits // 2, bits - bits // 2
    upper, lower = x >> lower_bits, x % 2**lower_bits
    for k in rounds:
        t = ((upper if k % 2 else lower) * drawn[2 * k] + drawn[2 * k + 1]) & MASK
        t = (t ^ t >> 32) * 0x9E3779B97F4A7C15 & MASK
        if k % 2:
            lower ^= t >> 64 - lower_bits
        else:
            upper ^= t >> 64 - upper_bits
    x = upper << lower_bits | lower
    return x if x < n else permuted(drawn, n, x, rounds)


def addressed(seed: int, epoch: int, n: int, position: int) -> int:
    """Return the sample at a position of the addressed order."""
    words = Words(Key(seed, epoch, 0), "seedsafe/order/addressed")
    return permuted([words.word() for _ in range(16)], n, position)


def position_of(seed: int, epoch: int, n: int, sample: int) -> int:
    """Return the position of a sample in the addressed order."""
    words = Words(Key(seed, epoch, 0), "seedsafe/order/addressed")
    return permuted([words.word() for _ in range(16)], n, sample, range(7, -1, -1))


def mixture(
    seed: int, epoch: int, shares: Sequence[int], lengths: Sequence[int], step: int
) -> tuple[int, int]:
    """Return the source that gives a step of a mixture its record, and the record's position there."""
    period, given = sum(shares), [0] * len(shares)
    chosen, ahead = [], []
    for now in range(period):
        ahead.append([period * came - share * now for came, share in zip(given, shares, strict=True)])
        may = [i for i, share in enumerate(shares) if given[i] * period // share <= now]
        chosen.append(min(may, key=lambda i: (-(-(given[i] + 1) * period // shares[i]), i)))
        given[chosen[-1]] += 1
    turns = [
        now
        for now in range(period)
        if all(abs(one - other) < period for row in ahead for one, other in zip(row, ahead[now], strict=True))
    ]
    turn = turns[Words(Key(seed, epoch, 0), "seedsafe/mixture").integer(len(turns))]
    steps = [chosen[(turn + before) % period] for before in range(step + 1)]
    number, position = divmod(steps.count(steps[-1]) - 1, lengths[steps[-1]])
    words = Words(Key(seed, epoch, number + 1, view=steps[-1]), "seedsafe/mixture")
    return steps[-1], permuted([words.word() for _ in range(16)], lengths[steps[-1]], position)


def sampler_seed(seed: int, epoch: int) -> int:
    """Return the seed of another sampler's generator."""
    return Words(Key(seed, epoch, 0), "seedsafe/sampler").word() % 2**63


def seeded(seed: int, value: str) -> int:
    """Return the seed of the streams after a seed, as Python writes it, was set inside a read."""
    return digest(f"seedsafe/seeded/{seed}/{value}", 16)


def replacements(key: Key, place: int, n: int) -> list[int]:
    """Return the places of the samples that stand in for one, in the order in which they are tried."""
    words = Words(key, "seedsafe/replace")
    drawn = [words.integer(n - 1) for _ in range(16)]
    return [one + (one >= place) for one in drawn]


def polynomial(coefficients: Sequence[float], x: float) -> float:
    """Return a polynomial's value, the highest power's coefficient first."""
    value = 0.0
    for one in coefficients:
        value = value * x + one
    return value


SIN = [(-1) ** k / math.factorial(2 * k + 1) for k in range(8, -1, -1)]
COS = [(-1) ** k / math.factorial(2 * k) for k in range(8, -1, -1)]
EXP = [1.0 / math.factorial(k) for k in range(14, -1, -1)]
ATANH = [1.0 / (2 * k + 1) for k in range(11, -1, -1)]
DEGREE = 0.017453292519943295
LN2_HIGH = 0.6931471803691238
LN2_LOW = 1.9082149292705877e-10


def cos_sin(degrees: float) -> tuple[float, float]:
    """Return cosine and sine."""
    turns = round(degrees / 90.0)
    x = (degrees - turns * 90.0) * DEGREE
    square = x * x
    sin, cos = x * polynomial(SIN, square), polynomial(COS, square)
    return [(cos, sin + 0.0), (0.0 - sin, cos), (0.0 - cos, 0.0 - sin), (sin + 0.0, 0.0 - cos)][turns % 4]


def logarithm(x: float) -> float:
    """Return the natural logarithm."""
    fraction, power = math.frexp(x)
    if fraction < 0.7071067811865476:
        fraction, power = fraction * 2.0, power - 1
    ratio = (fraction - 1.0) / (fraction + 1.0)
    return power * LN2_HIGH + (2.0 * ratio * polynomial(ATANH, ratio * ratio) + power * LN2_LOW)


def exponential(x: float) -> float:
    """Return e to the power x."""
    power = round(x * 1.4426950408889634)
    rest = (x - power * LN2_HIGH) - power * LN2_LOW
    return math.ldexp(polynomial(EXP, rest), power)


def log_uniform_of(unit: float, low: float, high: float) -> float:
    """Return a number whose logarithm is uniform."""
    start = logarithm(low)
    span = logarithm(high) - start
    return min(max(exponential(start + span * unit), low), high)


QUANTILE = """
2509.0809287301227     5226.495278852854      0.0007745450142783414  1.0507500716444169e-09 2.0103343992922881e-07 2.0442631033899397e-15
33430.57558358813      28729.085735721943     0.022723844989269184   0.0005475938084995345  2.7115555687434876e-05 1.421511758316446e-07
67265.7709270087       39307.89580009271      0.2417807251774506     0.015198666563616457   0.0012426609473880784  1.8463183175100548e-05
45921.95393154987      21213.794301586597     1.2704582524523684     0.14810397642748008    0.026532189526576124   0.0007868691311456133
13731.69376550946      5394.196021424751      3.6478483247632045     0.6897673349851        0.29656057182850487    0.014875361290850615
1971.5909503065513     687.1870074920579      5.769497221460691      1.6763848301838038     1.7848265399172913     0.1369298809227358
133.14166789178438     42.31333070160091      4.630337846156546      2.053191626637759      5.463784911164114      0.599832206555888
3.3871328727963665     1.0                    1.4234371107496835     1.0                    6.657904643501103      1.0
"""
COLUMNS = list(
    zip(*([float(one) for one in line.split()] for line in QUANTILE.strip().splitlines()), strict=True)
)
CENTRE, MIDDLE, TAIL = COLUMNS[:2], COLUMNS[2:4], COLUMNS[4:]


def bell_quantile(share: float) -> float:
    """Return the standard normal's quantile."""
    centred = share - 0.5
    if -0.425 <= centred <= 0.425:
        over, under = CENTRE
        x = 0.180625 - centred * centred
        return centred * (polynomial(over, x) / polynomial(under, x))
    depth = math.sqrt(-logarithm(share if centred < 0 else 1.0 - share))
    (over, under), x = (MIDDLE, depth - 1.6) if depth <= 5.0 else (TAIL, depth - 5.0)
    size = polynomial(over, x) / polynomial(under, x)
    return -size if centred < 0 else size


PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


def noise_value(piece: int) -> float:
    """Return the entry of the noise table for a 16-bit piece: the quantile to 50 digits, rounded once."""
    if piece < 32768:
        return -noise_value(65535 - piece)
    with localcontext() as context:
        context.prec = 60
        share = (Decimal(piece) + Decimal("0.5")) / 65536
        x = Decimal(bell_quantile(float(share)))
        for _ in range(2):  # Newton's method doubles the 15 digits
            density = (-x * x / 2).exp() / (2 * PI).sqrt()
            total, term, k = x, x, 3
            while term > Decimal("1e-60"):
                term *= x * x / k
                total, k = total + term, k + 2
            x -= (Decimal("0.5") + density * total - share) / density
        return float(x)


def beta(words: Words, a: float, b: float) -> float:
    """Return a draw from the Beta distribution; 34 words."""
    one, other = log_gamma(words, a), log_gamma(words, b)
    return 1.0 / (1.0 + exponential(min(max(other - one, -700.0), 700.0)))


def log_gamma(words: Words, shape: float) -> float:
    """Return the logarithm of a draw from the Gamma distribution; 17 words."""
    d = shape + 1.0 - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    accepted, last = None, 0.0
    for _ in range(8):
        x, unit = words.normal(), words.open_unit()
        root = 1.0 + c * x
        if root > 0.0:
            last = 3.0 * logarithm(root)
            bound = 0.5 * x * x + d - d * (root * root * root) + d * last
            if accepted is None and logarithm(unit) < bound:
                accepted = last
    found = last if accepted is None else accepted
    return logarithm(d) + found + logarithm(words.open_unit()) / shape


def mixed(key: Key, n: int, height: int, width: int, mixup: float, cutmix: float, p: float) -> list[Any]:
    """Return what is drawn for a batch: what is done, how far away the partners are, the share, and the box."""
    words = Words(key, "seedsafe/mix")
    fires, second = words.chance(p), words.unit() >= 0.5
    cuts = second if mixup and cutmix else bool(cutmix)
    shift = 1 + words.integer(max(n - 1, 1))
    alpha = float(cutmix if cuts else mixup)
    share = beta(words, alpha, alpha)
    row, column = words.integer(max(height, 1)), words.integer(max(width, 1))
    if not fires or n < 2:
        return ["", 0, 1.0, [0, 0, 0, 0]]
    if not cuts:
        return ["mixup", shift, share, [0, 0, 0, 0]]
    half = 0.5 * math.sqrt(1.0 - share)
    down, across = int(half * height), int(half * width)
    top, bottom = max(row - down, 0), min(row + down, height)
    left, right = max(column - across, 0), min(column + across, width)
    return [
        "cutmix",
        shift,
        1.0 - (bottom - top) * (right - left) / (height * width),
        [top, bottom, left, right],
    ]
