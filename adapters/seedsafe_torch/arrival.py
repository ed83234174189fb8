"""How the moment of a sample arrives at the dataset: with its index, around it, in a fetch of torch's, or from the cell."""

from __future__ import annotations

import threading
from typing import Any

from seedsafe import SampleIndex
from seedsafe.reading import KeyedReader, Moment, current, moment_of
from seedsafe_torch.cell import EpochCell
from seedsafe_torch.fetching import fetch_above

__all__ = ["offered", "read"]


class _Offered(threading.local):
    """What the thread that makes a batch in place offers to the dataset that it reads next."""

    row: Any = None
    """Memory for the sample's first array; None if there is none."""


offered = _Offered()


def read(reader: KeyedReader, cell: EpochCell, index: Any, epoch: int | None) -> Any:
    """Return the sample that a dataset is asked for.

    Args:
        reader: the dataset's.
        cell: the dataset's.
        index: an int, or a SampleIndex, which carries its moment.
        epoch: a fixed one, or None.
    """
    if type(index) is not SampleIndex and isinstance(index, slice | list | tuple):
        raise TypeError(f"index must be one integer, got {index!r}: use torch.utils.data.Subset for several")
    row, offered.row = offered.row, None  # what is read inside makes samples of its own
    position = reader.position(index)
    fetch, moment = None, moment_of(index)
    if type(index) is SampleIndex:
        if index is cell.last:
            _warn_of_wrapper(reader, cell, position, index)
        cell.last = index
    elif moment is None:
        fetch = fetch_above()  # a wrapper has dropped it
        moment = fetch and fetch.moment()
    if epoch is not None:
        moment = Moment(epoch, *moment[1:]) if moment else Moment(epoch)
    elif (
        moment is None
    ):  # nobody tells the epoch but `set_epoch`; who looks at one sample by hand may do so again
        moment = Moment(cell.serve(position, again=fetch is None))
        fetch = None
    if fetch is None:
        return reader.sample(position, moment, row=row)
    with fetch.entered(moment, reader):
        return reader.sample(position, moment, row=row)


def _warn_of_wrapper(reader: KeyedReader, cell: EpochCell, position: int, index: SampleIndex) -> None:
    """Warn if a loader's wrapper reads one index twice; a user may do so as often as he likes."""
    if current() is None and cell.may_look():
        fetch = fetch_above()
        if fetch is not None:
            key = reader.key(position, Moment(index.epoch, index.occurrence, index.view))
            reader.repeats.warn_within_one(key)
