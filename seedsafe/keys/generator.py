"""The NumPy Generator of a sample."""

from __future__ import annotations

from typing import SupportsIndex

from numpy.random import Generator

from seedsafe.keys.ambient import next_key
from seedsafe.keys.key import SampleKey, address, philox

__all__ = ["generator"]


def generator(
    key: SampleKey | None = None,
    *,
    seed: SupportsIndex | None = None,
    epoch: SupportsIndex | None = None,
    index: SupportsIndex | None = None,
    occurrence: SupportsIndex = 0,
    view: SupportsIndex = 0,
    call: SupportsIndex = 0,
) -> Generator:
    """Return a new NumPy Generator for one sample of one epoch, independent of all others.

    Without arguments, while an AugmentedDataset or AugmentedSequence reads its base, it takes the key of the current sample.
    Each call then returns another generator, and every read of that sample returns the same ones.

    The stream contract fixes its raw words; NumPy's distributions may change between NumPy versions (NEP 19).

    Args:
        key: the sample's key. Or pass the fields of SampleKey by name instead.
        seed: see SampleKey.
        epoch: see SampleKey.
        index: see SampleKey.
        occurrence: see SampleKey.
        view: see SampleKey.
        call: see SampleKey.

    Raises:
        TypeError: a key and fields are passed together, a field is missing, or there is no argument outside a read.
        ValueError: a field is out of its range.

    Example:
        >>> generator(seed=42, epoch=3, index=1234).random() == generator(SampleKey(42, 3, 1234)).random()
        True
    """
    named = not (seed is epoch is index is None and occurrence == view == call == 0)
    if key is None and named:
        key = SampleKey(seed, epoch, index, occurrence=occurrence, view=view, call=call)
    elif key is None:
        key = next_key(0)
    elif not isinstance(key, SampleKey):
        raise TypeError(f"key must be a SampleKey, got {key!r}: pass SampleKey(seed, epoch, index)")
    elif named:
        raise TypeError(
            f"generator() takes a key or its fields, not both, got {key!r} and fields: leave one of them out"
        )
    return Generator(philox(address(key)))
