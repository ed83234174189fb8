"""A loader's indices, as the positions that a reader makes a batch of at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

from torch.utils.data import Subset

from seedsafe import SampleIndex
from seedsafe.reading import entered
from seedsafe_torch.dataset import AugmentedDataset, Envelope

__all__ = ["at_once", "may_pay"]


def may_pay(dataset: Any, count: int) -> bool:
    """Return whether a batch of so many samples may be made at once, at a glance."""
    while type(dataset) in (Envelope, Subset):
        dataset = dataset.dataset
    return type(dataset) is AugmentedDataset and dataset.reader.may_pay(count)


def at_once(dataset: Any, indices: Sequence[Any], room: Callable[..., Any]) -> Any:
    """Return what `KeyedReader.at_once` does with a loader's indices; None where it does not come to that.

    Args:
        dataset: an AugmentedDataset, or an Envelope.
        indices: of a batch.
        room: see `KeyedReader.at_once`.
    """
    if set(map(type, indices)) != {SampleIndex}:
        return None
    return _inside(dataset, indices, room) if type(dataset) is Envelope else _direct(dataset, indices, room)


def _direct(dataset: AugmentedDataset, indices: Sequence[SampleIndex], room: Callable[..., Any]) -> Any:
    cell = dataset._cell
    if indices[0] is cell.last or len(set(map(id, indices))) < len(indices):
        return None  # a wrapper may read an index twice
    ats = indices if dataset.epoch is None else _stamped(dataset, indices, indices)
    result = dataset.reader.at_once(ats, room)
    if result is not None:
        cell.last = indices[-1]
    return result


def _inside(envelope: Envelope, indices: Sequence[SampleIndex], room: Callable[..., Any]) -> Any:
    dataset, positions, repeats = envelope.dataset, list(map(int, indices)), envelope._repeats
    try:
        while type(dataset) is Subset:
            positions, dataset = [dataset.indices[one] for one in positions], dataset.dataset
        if type(dataset) is not AugmentedDataset:
            return None
        ats = _stamped(dataset, positions, indices)
    except Exception:  # noqa: BLE001  # reading it says so
        return None
    return dataset.reader.at_once(
        ats, room, around=lambda number: entered(indices[number], repeats, int(indices[number]))
    )


def _stamped(
    dataset: AugmentedDataset, positions: Sequence[SupportsIndex], indices: Sequence[SampleIndex]
) -> list[SampleIndex]:
    """Return positions, each with the epoch, occurrence and view of an index."""
    epoch, position = dataset.epoch, dataset.reader.position
    return [
        SampleIndex(position(number), one.epoch if epoch is None else epoch, one.occurrence, one.view)
        for number, one in zip(positions, indices, strict=True)
    ]
