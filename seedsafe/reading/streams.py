"""The records of a stream, augmented in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any, Final

import numpy as np
from numpy import ndarray

from seedsafe.ground.info import TARGETS, Array
from seedsafe.keys.key import SampleKey
from seedsafe.keys.many import ManyKeys
from seedsafe.pipeline.batch import Many, UnevenError
from seedsafe.pipeline.unnamed import SCALARS
from seedsafe.reading.augment import check_entries
from seedsafe.reading.forms import copy_parts
from seedsafe.reading.records import KeyedMap

__all__ = ["augment_records"]

_MOST: Final = 256
"""The number of images that wait at most: a source may be shorter than a batch, whose memory may not exist."""


def augment_records(
    keyed: KeyedMap, records: Iterable[tuple[SampleKey, Any]], size: int
) -> Iterator[tuple[SampleKey, Any]]:
    """Yield each key with its augmented record.

    Small images are augmented `size` at a time if that is faster, to the same bytes. Then up to `size` records are read
    before the first of them is yielded. An error of the source always comes after the records before it.

    Args:
        keyed: augments one record.
        records: the records of the source, each with its key.
        size: the number of records that the caller takes before it looks at the source's state.
    """
    group = _Group.of(keyed, size)
    source = iter(records)
    for number in count(1):
        try:
            key, record = next(source)
        except StopIteration:
            break
        except Exception:
            if group is not None:
                yield from group.results()
            raise
        if group is not None and group.add(key, record):
            if number % size == 0 or group.is_full:
                yield from group.results()
            continue
        if group is not None:  # the rest of the stream will differ too
            yield from group.results()
            group = None
        yield key, keyed.at(record, key)
    if group is not None:
        yield from group.results()


class _Group:
    """Neighbouring records whose images are alike."""

    def __init__(self, keyed: KeyedMap, many: Many, size: int) -> None:
        self._keyed = keyed
        self._many = many
        self._size = min(size, _MOST)
        self._reserved = {*TARGETS, *keyed.bound.labels}
        self._keys: list[SampleKey] = []
        self._images = np.empty(0)
        self._records: list[tuple[Any, Any]] = []
        self._is_even = True

    @classmethod
    def of(cls, keyed: KeyedMap, size: int) -> _Group | None:
        """Return an empty group, or None if records are faster one by one."""
        many = None if keyed.bound.mixer is not None else keyed.bound.many
        return cls(keyed, many, size) if many is not None and many.is_known and many.pays(size) else None

    @property
    def is_full(self) -> bool:
        """Whether no record can be added before `results`."""
        return len(self._keys) == self._size

    def add(self, key: SampleKey, record: Any) -> bool:
        """Add a record if it is like the others, with a copy of its image: the source may reuse its memory."""
        if not self._is_even:
            return False
        try:
            entry = self._entry(record)
            image = record if entry is None else record[entry]
            if type(image) is not ndarray:
                return False
            if entry == 0:
                record = (None, *copy_parts(record[1:]))
            elif entry is not None:
                record = copy_parts(record | {entry: None})
        except Exception:  # noqa: BLE001  # a faulty record raises it later, and parts of some classes cannot be copied
            return False
        if not self._keys:
            if not (self._many.takes([image]) and self._many.pays(self._size, image)):
                return False
            self._images = np.empty((self._size, *image.shape), image.dtype)
        elif image.shape != self._images.shape[1:] or image.dtype != self._images.dtype:
            return False
        self._images[len(self._keys)] = image
        self._keys.append(key)
        self._records.append((entry, None if entry is None else record))
        return True

    def _entry(self, record: Any) -> Any:
        """Return the position or name of a record's only target if that is an image, else None."""
        kind = type(record)
        if kind is not tuple and kind is not dict:
            return None
        if kind is tuple and len(record) == 2 and self._keyed.targets is None and type(record[1]) in SCALARS:
            return 0
        targets = self._keyed.targets_of(record)
        if kind is tuple:
            return 0 if record and (not targets or targets == "image") else None
        named = {"image": "image"} if not targets or targets == "image" else targets
        if type(named) is not dict or list(named.values()) != ["image"]:
            return None
        (entry,) = named
        if entry not in record:
            return None
        if not targets and len(record) > 1:
            if not self._reserved.isdisjoint(record.keys() - {"image"}):
                return None
            check_entries(self._keyed.bound, record)
        return entry

    def results(self) -> Iterator[tuple[SampleKey, Any]]:
        """Yield the keys and the augmented records of the group, and empty it."""
        keys, records, images = self._keys, self._records, self._images[: len(self._keys)]
        self._keys, self._records = [], []
        whole: Array | None = None
        checks = self._keyed.checks
        fits = checks.due <= 0 or checks.pass_for(self._keyed.bound, images, keys)
        if fits and self._many.pays(len(keys)):
            try:
                whole = self._many.run(images, ManyKeys(keys), np.empty)
            except UnevenError:
                self._is_even = False  # the next ones will not be even either
            except Exception:  # noqa: BLE001, S110  # each record raises its own error later
                pass
        for number, key in enumerate(keys):
            entry, record = records[number]
            if whole is not None:
                yield key, _with_image(record, entry, whole[number])
            else:
                yield key, self._keyed.at(_with_image(record, entry, images[number]), key)


def _with_image(record: Any, entry: Any, image: Array) -> Any:
    if entry is None:
        return image
    return (image, *record[1:]) if type(record) is tuple else record | {entry: image}
