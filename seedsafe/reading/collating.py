"""Collate functions, keyed or checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from typing import Any, Final

from seedsafe.bridging.options import Bridge
from seedsafe.bridging.region import Region
from seedsafe.bridging.runner import Runner
from seedsafe.bridging.sources import globals_for
from seedsafe.keys.key import SampleIndex, SampleKey, address, op_of
from seedsafe.reading.inside import WarningLog
from seedsafe.reading.unkeyed import ALLOW, DrawChecks, Unkeyed

__all__ = ["CheckedCollate", "KeyedCollate"]

_COLLATE: Final = op_of("seedsafe/collate")


class KeyedCollate:
    """A collate function run with every generator keyed by the first index that the batch was asked for.

    Args:
        collate: the collate function.
        seed: the seed of the bridged dataset.
        options: the options of its bridge.
        search: whether the function may keep generators. They are keyed like those of a bridged dataset, and its first calls
            are checked like the dataset's reads.

    Example:
        >>> import random
        >>> keyed = KeyedCollate(lambda samples: random.choice(samples), 42, Bridge())
        >>> [keyed([1, 2, 3], SampleIndex(index, epoch=0)) for index in (8, 9, 8)]
        [2, 1, 2]
    """

    def __init__(
        self, collate: Callable[[Any], Any], seed: int, options: Bridge, *, search: bool = True
    ) -> None:
        self.collate = collate
        self._seed, self._options = seed, options
        name = getattr(collate, "__qualname__", type(collate).__qualname__)
        self._runner = Runner(collate, options, f"the collate function {name}") if search else None

    def __call__(self, samples: Any, first: SampleIndex) -> Any:
        """Return the batch.

        Raises:
            NotReproducible: the function has randomness that a bridge does not reach, or keeps something from batch to batch.
        """
        key = SampleKey(self._seed, first.epoch, int(first), occurrence=first.occurrence, view=first.view)
        at = address(key, _COLLATE)
        if self._runner is None:
            region = Region(at, globals_for(self._options, one_thread=True))
            return region.run(lambda _: self.collate(samples))
        return self._runner.run(
            at, lambda _: self.collate(samples), repeatable=lambda _: self.collate(_copied(samples))
        )


class CheckedCollate:
    """A collate function that is checked, in its first calls and at times later, for draws without a key.

    It then warns once: the samples are right, but batches depend on the workers.

    Args:
        collate: the collate function.
        unkeyed: the treatment of functions that draw.
        log: the log of warnings.
        first: returns the first index of the batch under way, or None if it is unknown.
    """

    def __init__(
        self,
        collate: Callable[[Any], Any],
        unkeyed: Unkeyed,
        log: WarningLog,
        first: Callable[[], SampleIndex | None],
    ) -> None:
        self.collate, self._first = collate, first
        self._checks = _CollateChecks(collate, unkeyed, log, "collate function", _answer=unkeyed.answer)

    def __call__(self, samples: Any) -> Any:
        """Return the batch."""
        checks = self._checks
        checks.due_in = due_in = checks.due_in - 1
        if due_in > 0:
            return self.collate(samples)
        try:
            calls = self._calls(samples, deepcopy(samples))
        except Exception:  # noqa: BLE001  # any object of the user's
            return self.collate(samples)
        first = self._first()
        return checks.check(lambda: next(calls), -1 if first is None else int(first), 0)

    def _calls(self, samples: Any, copy: Any) -> Iterator[Any]:
        """Yield the batch of these samples, and then those of copies, since a collate function may change its samples."""
        yield self.collate(samples)
        while True:
            yield self.collate(deepcopy(copy))


class _CollateChecks(DrawChecks):
    """Checks a collate function."""

    KIND = 16
    KEYLESS, READ, SAMPLES = "without a key", "collated", "batches"

    def _who(self) -> str:
        return "the collate function"

    def _ways(self) -> str:
        return f"pass bridge=True to the dataset, so that the generators follow the batch; draw in the dataset from seedsafe.generator(); {ALLOW}"

    def _one(self, position: int) -> str:
        return "a batch" if position < 0 else f"the batch of sample {position}"


def _copied(samples: Any) -> Any:
    """Return copies of samples, since a collate function may take parts out of them, or themselves if they cannot be copied."""
    with suppress(Exception):  # any object of the user's
        return deepcopy(samples)
    return samples
