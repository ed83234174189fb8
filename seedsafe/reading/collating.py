"""Collate functions whose generators follow the batch."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from typing import Any, Final

from seedsafe.bridging.options import Bridge
from seedsafe.bridging.region import Region
from seedsafe.bridging.runner import Runner
from seedsafe.bridging.sources import globals_for
from seedsafe.keys.key import SampleIndex, SampleKey, address, op_of

__all__ = ["KeyedCollate"]

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
            with Region(at, globals_for(self._options, one_thread=True)):
                return self.collate(samples)
        return self._runner.run(
            at, lambda _: self.collate(samples), repeatable=lambda _: self.collate(_copied(samples))
        )


def _copied(samples: Any) -> Any:
    """Return copies of samples, since a collate function may take parts out of them, or themselves if they cannot be copied."""
    with suppress(Exception):  # any object of the user's
        return deepcopy(samples)
    return samples
