"""Samplers inside samplers: their epochs and generators."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import torch
from torch.utils.data import Sampler

from seedsafe import SampleKey, op_of
from seedsafe.reading import address, philox

__all__ = ["InnerEpochs", "chain_of", "items_of_a_batch", "samplers_of"]


class _Epoch(int):
    """An epoch set here. The same number set by other code is another object."""


class InnerEpochs:
    """The epochs last set on the samplers inside, to notice when other code calls their ``set_epoch``.

    It reads their attribute ``epoch``, as torch's DistributedSampler and those modelled on it have.

    Example:
        >>> from torch.utils.data import DistributedSampler
        >>> sampler = DistributedSampler(range(4), num_replicas=2, rank=0)
        >>> epochs = InnerEpochs()
        >>> sampler.set_epoch(5)
        >>> epochs.changed(sampler)
        [5]
        >>> epochs.set(sampler, 5, 42)
        >>> epochs.changed(sampler)
        []
    """

    def __init__(self) -> None:
        self._epochs: dict[int, Any] = {}

    def changed(self, sampler: Any) -> list[int]:
        """Return the epochs that others set since `set` was called, without repetition."""
        found = []
        for position, inside in enumerate(chain_of(sampler)):
            epoch, before = _epoch_of(inside), self._epochs.get(position, 0)
            if epoch is None or (epoch is before if isinstance(before, _Epoch) else epoch == before):
                continue
            found.append(int(epoch))
        return sorted(set(found))

    def set(self, sampler: Any, epoch: int, seed: int) -> None:
        """Set the epoch of each sampler that has ``set_epoch``. Replace the torch generator of any other that has one."""
        for position, inside in enumerate(chain_of(sampler)):
            if hasattr(inside, "set_epoch"):
                inside.set_epoch(_Epoch(epoch))
                self._epochs[position] = _epoch_of(inside)
            else:
                _rekey(inside, seed, epoch)


def chain_of(sampler: Any) -> Iterator[Any]:
    """Yield a sampler and those inside it, the outermost first."""
    while sampler is not None:
        yield sampler
        sampler = getattr(sampler, "sampler", getattr(sampler, "batch_sampler", None))


def samplers_of(loading: Any) -> Iterator[Any]:
    """Yield the samplers of a DataLoader, the outermost first. For None, yield nothing."""
    batches = getattr(loading, "batch_sampler", None)
    return chain_of(getattr(loading, "sampler", None) if batches is None else batches)


def items_of_a_batch(loading: Any, sampler: Any) -> int:
    """Return how many indices of a sampler a batch of a DataLoader takes, or 0 if unknown."""
    batches: Any = loading.batch_sampler
    if batches is None or batches is sampler:
        return 1
    return int(getattr(batches, "batch_size", 0) or 0) if getattr(batches, "sampler", None) is sampler else 0


def _epoch_of(sampler: Any) -> int | None:
    epoch = getattr(sampler, "epoch", None)
    counts = hasattr(sampler, "set_epoch") and isinstance(epoch, int) and not isinstance(epoch, bool)
    return epoch if counts else None


def _rekey(sampler: Any, seed: int, epoch: int) -> None:
    """Set a new generator on a sampler that draws from a torch generator, unless that is read-only."""
    generator = getattr(sampler, "generator", ())
    if isinstance(generator, torch.Generator) or (generator is None and isinstance(sampler, Sampler)):
        word = philox(address(SampleKey(seed, epoch, 0), op_of("seedsafe/sampler"))).random_raw()
        with suppress(AttributeError):
            sampler.generator = torch.Generator().manual_seed(word % 2**63)
