"""The NumPy Generator of a sample, by its key or by that of the read under way."""

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
    """Return the NumPy Generator of one sample of one epoch: fresh, independent of every other, and yours.

    Without arguments, while an AugmentedDataset or AugmentedSequence reads its base, the key is that of the sample being
    read. Each call gives another generator, and the same ones each time that sample is read.

    Its raw words are fixed by the stream contract; NumPy's distributions may change between NumPy
    versions (NEP 19).

    Args:
        key: the sample's key; or, instead of it, the fields of SampleKey by name.
        seed: see SampleKey.
        epoch: see SampleKey.
        index: see SampleKey.
        occurrence: see SampleKey.
        view: see SampleKey.
        call: see SampleKey.

    Raises:
        TypeError: neither a key nor seed, epoch and index are given, or both are; or nothing is, outside a read.
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
        raise TypeError("generator() takes a key or the fields by name, not both: leave one of them out")
    return Generator(philox(address(key)))
