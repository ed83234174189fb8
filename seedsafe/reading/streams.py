"""The records of a stream, augmented in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any, Final

import numpy as np

from seedsafe.keys.key import SampleKey
from seedsafe.keys.many import ManyKeys
from seedsafe.reading.group import Group
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
    group = _new_group(keyed, size)
    keys: list[SampleKey] = []
    source = iter(records)
    for number in count(1):
        try:
            key, record = next(source)
        except StopIteration:
            break
        except Exception:
            yield from _augmented(keyed, group, keys)
            raise
        if group is not None and group.add(record):
            keys.append(key)
            if number % size == 0 or len(group) == _MOST:
                yield from _augmented(keyed, group, keys)
                group, keys = _new_group(keyed, size), []
            continue
        yield from _augmented(keyed, group, keys)
        group = None  # the rest of the stream will differ too
        yield key, keyed.at(record, key)
    yield from _augmented(keyed, group, keys)


def _new_group(keyed: KeyedMap, size: int) -> Group | None:
    """Return an empty group, or None if records are faster one by one."""
    many = keyed.bound.many
    if many is None or not many.pays(size):
        return None
    return Group(keyed.bound, keyed.targets, min(size, _MOST), collates=False)


def _augmented(
    keyed: KeyedMap, group: Group | None, keys: list[SampleKey]
) -> Iterator[tuple[SampleKey, Any]]:
    """Yield the keys of a group with the augmented records."""
    if group is None:
        return
    images = group.augmented(keyed.checks, keys, lambda: ManyKeys(keys), np.empty)
    for number, key in enumerate(keys):
        if images is None:
            yield key, keyed.at(group.sample(number), key)
        else:
            yield key, group.sample(number, images[number])
