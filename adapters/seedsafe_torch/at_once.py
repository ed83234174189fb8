"""Batches at once: a loader's indices as positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

from torch.utils.data import Subset

from seedsafe import SampleIndex
from seedsafe_torch.dataset import AugmentedDataset, Carrier

__all__ = ["at_once", "is_worthwhile"]


def is_worthwhile(dataset: Any, count: int) -> bool:
    """Return by a quick check whether to try `at_once` for so many samples. `is_ours` must hold for the dataset."""
    while type(dataset) is not AugmentedDataset:
        dataset = dataset.dataset
    return dataset.reader.is_worthwhile(count)


def at_once(dataset: Any, indices: Sequence[Any], room: Callable[..., Any]) -> Any:
    """Call `KeyedReader.at_once` for a loader's indices of an AugmentedDataset or Envelope, or return None if that cannot be."""
    if set(map(type, indices)) != {SampleIndex}:
        return None
    return (
        _inside(dataset, indices, room) if isinstance(dataset, Carrier) else _direct(dataset, indices, room)
    )


def _direct(dataset: AugmentedDataset, indices: Sequence[SampleIndex], room: Callable[..., Any]) -> Any:
    cell = dataset._cell
    if indices[0] is cell.last or len(set(map(id, indices))) < len(indices):
        return None  # a wrapper may read an index twice
    ats = indices if dataset.epoch is None else _stamp(dataset, indices, indices)
    dataset.begin(ats[0].epoch)
    result = dataset.reader.at_once(ats, room)
    if result is not None:
        cell.last = indices[-1]
    return result


def _inside(envelope: Carrier, indices: Sequence[SampleIndex], room: Callable[..., Any]) -> Any:
    dataset, positions = envelope.dataset, list(map(int, indices))
    try:
        while type(dataset) is Subset:
            positions, dataset = [dataset.indices[position] for position in positions], dataset.dataset
        if type(dataset) is not AugmentedDataset:
            return None
        ats = _stamp(dataset, positions, indices)
        dataset.begin(ats[0].epoch)
    except Exception:  # noqa: BLE001  # reading sample by sample raises it again
        return None
    return dataset.reader.at_once(ats, room, outer_reads=lambda number: envelope.reading(indices[number]))


def _stamp(
    dataset: AugmentedDataset, positions: Sequence[SupportsIndex], indices: Sequence[SampleIndex]
) -> list[SampleIndex]:
    """Return positions with the epochs, occurrences and views of indices."""
    epoch, position = dataset.epoch, dataset.reader.position
    return [
        SampleIndex(position(number), index.epoch if epoch is None else epoch, index.occurrence, index.view)
        for number, index in zip(positions, indices, strict=True)
    ]
