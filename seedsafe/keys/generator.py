"""A sample's random numbers, for your code."""

from __future__ import annotations

from typing import Any, SupportsIndex

from numpy.random import Generator

from seedsafe.keys.ambient import next_key
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import Address, SampleKey, address, check_name, op_of, philox

__all__ = ["draws", "generator"]


def generator(
    key: SampleKey | None = None,
    *,
    name: str | None = None,
    seed: SupportsIndex | None = None,
    epoch: SupportsIndex | None = None,
    index: SupportsIndex | None = None,
    occurrence: SupportsIndex = 0,
    view: SupportsIndex = 0,
    call: SupportsIndex = 0,
) -> Generator:
    """Return a new NumPy Generator for one sample of one epoch, independent of all others.

    Without a key, while an AugmentedDataset or AugmentedSequence reads its base, it takes the key of the current sample.
    Each call then returns another generator, and every read of that sample returns the same ones.

    The stream contract fixes its raw words; NumPy's distributions may change between NumPy versions (NEP 19). `draws` has
    numbers that never change.

    Args:
        key: the sample's key. Or pass the fields of SampleKey by name instead.
        name: the name of a stream of your own, so that what it draws stays when other draws come or go. With an explicit key,
            the name of a transform is that transform's own stream, so take another one.
        seed: see SampleKey.
        epoch: see SampleKey.
        index: see SampleKey.
        occurrence: see SampleKey.
        view: see SampleKey.
        call: see SampleKey.

    Raises:
        TypeError: a key and fields are passed together, a field is missing, or there is no key outside a read.
        ValueError: a field is out of its range, or a name is empty, has a "#" or "@", or begins with "seedsafe/".

    Example:
        >>> generator(seed=42, epoch=3, index=1234).random() == generator(SampleKey(42, 3, 1234)).random()
        True

        Two streams of one sample:

        >>> mask, noise = (generator(SampleKey(42, 3, 1234), name=name) for name in ("mask", "noise"))
        >>> mask.random() == noise.random()
        False
    """
    return Generator(philox(_address("generator", key, name, seed, epoch, index, occurrence, view, call)))


def draws(
    key: SampleKey | None = None,
    *,
    name: str | None = None,
    seed: SupportsIndex | None = None,
    epoch: SupportsIndex | None = None,
    index: SupportsIndex | None = None,
    occurrence: SupportsIndex = 0,
    view: SupportsIndex = 0,
    call: SupportsIndex = 0,
) -> Draws:
    """Return the numbers of one sample of one epoch that the stream contract fixes for every version; see Draws.

    It takes the same arguments as `generator`, and begins at the same words.

    Args:
        key: see generator.
        name: see generator.
        seed: see SampleKey.
        epoch: see SampleKey.
        index: see SampleKey.
        occurrence: see SampleKey.
        view: see SampleKey.
        call: see SampleKey.

    Raises:
        TypeError: see generator.
        ValueError: see generator.

    Example:
        Fifteen of a hundred tokens to mask:

        >>> tokens = draws(seed=42, epoch=3, index=1234, name="mask").choice(100, 15)
        >>> len(set(tokens.tolist()))
        15
    """
    return Draws(_address("draws", key, name, seed, epoch, index, occurrence, view, call))


def _address(
    function: str,
    key: SampleKey | None,
    name: str | None,
    seed: Any,
    epoch: Any,
    index: Any,
    occurrence: Any,
    view: Any,
    call: Any,
) -> Address:
    """Return the address of a stream, from a key, the fields of one, or the key of the current read."""
    op = 0 if name is None else op_of(check_name(name))
    has_fields = not (seed is epoch is index is None and occurrence == view == call == 0)
    if key is None:
        if not has_fields:
            return address(next_key(op), op)
        key = SampleKey(seed, epoch, index, occurrence=occurrence, view=view, call=call)
    elif not isinstance(key, SampleKey):
        raise TypeError(f"key must be a SampleKey, got {key!r}: pass SampleKey(seed, epoch, index)")
    elif has_fields:
        raise TypeError(
            f"{function}() takes a key or its fields, not both, got {key!r} and fields: leave one of them out"
        )
    return address(key, op)
