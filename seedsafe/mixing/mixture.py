"""`Mixture`: datasets mixed by exact shares."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from numbers import Real
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedsafe.ground.checks import checked_int, with_article
from seedsafe.keys.ambient import current_key
from seedsafe.keys.key import SampleKey, address, op_of, philox
from seedsafe.keys.order import AddressedOrder

__all__ = ["Mixture"]

_OP: Final = op_of("seedsafe/mixture")
_MOST: Final = 2**16


class Mixture:
    """Map-style datasets mixed by exact shares, as one dataset of steps.

    At every step of an epoch, each source has given its share of all steps so far to within one sample. Its records come in an order
    of their own without replacement, and begin again in another one when all have come. Which record comes at a step follows from
    (seed, epoch, step) alone, so any step is computed without those before it. Read it in order: a loader that shuffles its
    steps keeps the records, but not the shares of each part.

    An AugmentedDataset or AugmentedSequence around it gives it seed and epoch. The key's index is the step: a record that comes again is
    augmented differently, and two sources share no key. A source may draw by ``seedsafe.draws()`` or call a pipeline without a key.

    Args:
        sources: the datasets by name, each with ``len()`` and ``[index]``.
        shares: the share of each: whole numbers with a sum of at most 2**16, or fractions with a sum of 1, which become whole
            numbers. The attribute `shares` has those, without a common factor.
        length: the number of steps of an epoch; or the name of a source, for the steps in which all its records come; by default, as many
            steps as the sources have records.

    Attributes:
        shares: the share of each source, a whole number, by its name.
        period: their sum, the number of steps after which the sources come in the same order again.

    Raises:
        TypeError: an argument has the wrong type, or a source is keyed itself.
        ValueError: a source is empty or has grown, or a share or the length is out of its range.
        IndexError: there is no such step.

    Example:
        >>> mixture = Mixture({"books": "ab", "code": "CDE", "web": range(9)}, shares={"books": 0.2, "code": 0.3, "web": 0.5})
        >>> mixture.shares, len(mixture)
        ({'books': 2, 'code': 3, 'web': 5}, 14)
        >>> [mixture.place(SampleKey(42, 0, step)) for step in range(4)]
        [('web', 0), ('code', 2), ('web', 8), ('books', 1)]
    """

    def __init__(
        self, sources: Mapping[str, Any], *, shares: Mapping[str, float], length: int | str | None = None
    ) -> None:
        if not isinstance(sources, Mapping) or not sources:
            raise TypeError(
                f"sources must be a dict of datasets by name, got {sources!r:.60}: name each dataset"
            )
        self.datasets = list(sources.values())
        self._lengths = [_length_of(name, source) for name, source in sources.items()]
        self.shares = _whole(shares, list(sources))
        self.period = sum(self.shares.values())
        if isinstance(length, str):
            if length not in sources:
                raise ValueError(f"length must name a source, got {length!r}: pass one of {list(sources)}")
            length = -(-len(sources[length]) * self.period // self.shares[length])
        steps = sum(self._lengths) if length is None else length
        self._steps = checked_int("length", steps, 1, 2**63, "pass the number of steps of an epoch")
        self._shares = tuple(self.shares.values())
        _schedule(self._shares)  # here, before workers are forked

    def __len__(self) -> int:
        return self._steps

    def place(self, key: SampleKey) -> tuple[str, int]:
        """Return the name of the source that gives a step its record, and the record's position there.

        Args:
            key: its seed and epoch count, and its index, which is the step.
        """
        source, position = self._locate(key.seed, key.epoch, key.index)
        return list(self.shares)[source], position

    def __getitem__(self, step: int) -> Any:
        """Return the record of a step, while an AugmentedDataset or AugmentedSequence reads it."""
        key = current_key()
        if key is None:
            raise TypeError(
                "a Mixture needs a seed and an epoch for its order: read it through AugmentedDataset(mixture, seed=…), or ask "
                "place(SampleKey(seed, epoch, step)) for a record's place"
            )
        source, position = self._locate(key.seed, key.epoch, operator.index(step))
        dataset = self.datasets[source]
        if len(dataset) != self._lengths[source]:
            raise ValueError(
                f"source {list(self.shares)[source]!r} had {self._lengths[source]} records when the Mixture was made, and has "
                f"{len(dataset)}: make a new Mixture when a source changes"
            )
        return dataset[position]

    def _locate(self, seed: int, epoch: int, step: int) -> tuple[int, int]:
        if not 0 <= step < self._steps:
            raise IndexError(
                f"step must be at least 0 and below {self._steps}, got {step}: pass a longer length="
            )
        turn, before = _start(self._shares, seed, epoch)
        periods, at = divmod(turn + step, self.period)
        schedule = _schedule(self._shares)
        source = schedule.sources.item(at)
        count = periods * self._shares[source] + schedule.counts.item(at) - before[source]
        number, position = divmod(count, self._lengths[source])
        return source, _order(seed, epoch, source, number, self._lengths[source])[position]


def _length_of(name: str, source: Any) -> int:
    # A reader of the user's own has no `unkeyed`.
    inside = source, getattr(source, "dataset", None), *getattr(source, "datasets", ())
    if any(hasattr(getattr(one, "reader", None), "unkeyed") for one in inside):
        raise TypeError(
            f"source {name!r} is {with_article(source)} of keyed samples, whose records would be augmented alike when they come again: pass its "
            "base, and wrap the Mixture"
        )
    if not (hasattr(source, "__getitem__") and hasattr(source, "__len__")):
        raise TypeError(
            f"source {name!r} must have len() and [index], got {type(source).__qualname__}: pass a map-style dataset"
        )
    return checked_int(f"the length of source {name!r}", len(source), 1, 2**63, "leave an empty source out")


def _whole(shares: Mapping[str, Any], names: list[str]) -> dict[str, int]:
    """Return the shares as whole numbers without a common factor, in the order of the sources."""
    if not isinstance(shares, Mapping) or set(shares) != set(names):
        raise ValueError(
            f"shares must have a number for each of {names}, got {shares!r}: name the same sources"
        )
    for name, share in shares.items():
        is_number = isinstance(share, Real) and not isinstance(share, bool)
        if not is_number or not 0 < share < 2**53:  # pyright: ignore[reportOperatorIssue]
            raise ValueError(
                f"the share of {name!r} must be an int, float or Fraction above 0 and below 2**53, got {share!r}: pass one, or leave the source out"
            )
    if any(share != int(share) for share in shares.values()) and not math.isclose(sum(shares.values()), 1):
        raise ValueError(
            f"fractions must sum to 1, got {sum(shares.values())}: pass whole numbers, or divide by that"
        )
    exact = [Fraction(float(shares[name])).limit_denominator(_MOST) for name in names]
    unit = Fraction(
        math.gcd(*(one.numerator for one in exact)), math.lcm(*(one.denominator for one in exact))
    )
    whole = {name: int(one / unit) for name, one in zip(names, exact, strict=True)}
    if (total := sum(whole.values())) > _MOST or not all(whole.values()):
        raise ValueError(
            f"shares must be whole numbers with a sum of at most {_MOST}, got {dict(shares)}: round them, for instance to "
            f"{ {name: max(1, round(one * 1000 / total)) for name, one in whole.items()} }"
        )
    return whole


class _Schedule(NamedTuple):
    sources: NDArray[np.uint16]
    """The source of each step of a period."""
    counts: NDArray[np.uint16]
    """How often it came before in the period."""
    turns: NDArray[np.intp]
    """The steps from which on the period is within one sample of the shares at every step, as from its first."""


@lru_cache(16)
def _schedule(shares: tuple[int, ...]) -> _Schedule:
    """Return the schedule in which, of those records that may come at a step, the one comes that has to come first."""
    period = sum(shares)
    records = sorted(
        (
            (count * period // share, -(-(count + 1) * period // share), source, count)
            for source, share in enumerate(shares)
            for count in range(share)
        ),
        reverse=True,
    )
    waiting: list[tuple[int, int, int]] = []
    sources, counts = np.empty((2, period), np.uint16)
    for step in range(period):
        while records and records[-1][0] <= step:
            heappush(waiting, records.pop()[1:])
        _, sources[step], counts[step] = heappop(waiting)
    fits = np.full(period, True)
    for source, share in enumerate(shares):
        is_own = sources == source
        ahead = period * (np.cumsum(is_own) - is_own) - share * np.arange(period)
        fits &= (ahead.max() - ahead < period) & (ahead - ahead.min() < period)
    return _Schedule(sources, counts, np.flatnonzero(fits))


@lru_cache(64)
def _start(shares: tuple[int, ...], seed: int, epoch: int) -> tuple[int, list[int]]:
    """Return the step of the period with which an epoch begins, and how often each source came before that step."""
    schedule = _schedule(shares)
    word = philox(address(SampleKey(seed, epoch, 0), _OP)).random_raw()
    turn = schedule.turns.item(word * len(schedule.turns) >> 64)
    return turn, np.bincount(schedule.sources[:turn], minlength=len(shares)).tolist()


@lru_cache(1024)
def _order(seed: int, epoch: int, source: int, number: int, n: int) -> AddressedOrder:
    """Return the order of a source's records in its pass of this number."""
    return AddressedOrder(address(SampleKey(seed, epoch, 1 + number, view=source), _OP), n)
