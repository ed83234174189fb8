"""Streams: functions of records, keyed by their ids."""

from __future__ import annotations

import hashlib
import inspect
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import Any, Final, SupportsIndex

import numpy as np

from seedsafe.bridging.options import Bridge, checked_bridge
from seedsafe.bridging.runner import Runner
from seedsafe.bridging.words import address_of
from seedsafe.keys import seeding
from seedsafe.keys.ambient import reading
from seedsafe.keys.key import SampleKey, record_index
from seedsafe.keys.many import ManyKeys
from seedsafe.reading.bases import key_at
from seedsafe.reading.bound import BoundAugment
from seedsafe.reading.group import Group
from seedsafe.reading.sample import augment_sample
from seedsafe.reading.steps import FirstReads
from seedsafe.reading.targets import Targets

__all__ = [
    "KeyedMap",
    "augment_records",
    "content_id",
    "keyed_map",
]


_WAY_OUT = (
    "pass id= the name of the entry with each record's id, a function that returns it, or seedsafe.content_id for a hash of "
    "the record's content"
)


class KeyedMap:
    """A function of one record, for any ``map``, whose results depend only on (seed, epoch, the record's id).

    Streams have no positions, so the key is made of an id. A record gets the same augmentation with any shards, workers and order. Inside `function`,
    pipelines, ``generator()`` and ``keyed()`` need no key.

    Args:
        function: a Compose or a Transform, which augments the record; or any function of a record, whose result is returned.
        seed: the seed of the run, 0 ≤ seed < 2**128.
        epoch: the number of this pass, the name of the record's entry that holds it, or a function without arguments that
            returns it. There is no default: a stream that keeps its epoch repeats its augmentations.
        id: the name of the record's entry that holds its id, or a function of the record that returns it. An integer is the
            sample's index itself. Strings and bytes become an index by `record_index`.
        targets: the parts of a record for a Compose or a Transform; see AugmentedDataset.
        bridge: whether the generators that a function touches follow the key as well; see Bridge. A Compose or a Transform
            needs none.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of its range. When called: the record has no id or no epoch.
        NotReproducible: when called: the function returned two results for one key.

    Example:
        >>> import seedsafe as ss
        >>> flip = keyed_map(ss.HorizontalFlip(), seed=42, epoch=0, targets={"jpg": "image"})
        >>> records = [{"__key__": name, "jpg": np.array([[1, 2]], np.uint8)} for name in ("a", "b", "c")]
        >>> [record["jpg"].tolist() for record in map(flip, records)]
        [[[1, 2]], [[1, 2]], [[2, 1]]]
        >>> flip.key({"__key__": 7})
        SampleKey(seed=42, epoch=0, index=7, occurrence=0, view=0)
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        seed: SupportsIndex,
        epoch: SupportsIndex | str | Callable[[], SupportsIndex],
        id: str | int | Callable[[Any], Any] = "__key__",  # the usual name
        targets: Targets = None,
        bridge: bool | Bridge = True,
    ) -> None:
        if not callable(function):
            raise TypeError(
                f"function must be a Compose, a Transform or a function of a record, got {function!r}: pass a callable"
            )
        if not (callable(id) or isinstance(id, str) or type(id) is int):
            raise TypeError(
                f"id must be the name of an entry or a function of a record, got {id!r}: {_WAY_OUT}"
            )
        self.function = function
        self._takes_key = needs_key(function)
        self.seed = SampleKey(seed, 0, 0).seed
        self.epoch = epoch if callable(epoch) or isinstance(epoch, str) else SampleKey(0, epoch, 0).epoch
        self.id = id
        self.bound = BoundAugment(function)
        self.targets = self.bound.check_targets(targets)
        if targets is not None and not self.bound.takes_arrays:
            raise ValueError(
                f"targets={targets!r} are for a Compose or a Transform, but the function {function!r} gets the whole record: "
                "leave targets out"
            )
        self.checks = FirstReads(self.bound)
        seeding.listen()
        options = None if self.bound.takes_arrays else checked_bridge(bridge)
        self._runner = None if options is None else Runner(function, options, f"the function {function!r}")

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        seeding.listen()  # in a spawned worker

    def key(self, record: Any) -> SampleKey:
        """Return the key of a record.

        Raises:
            TypeError: the record's id or epoch has the wrong type.
            ValueError: the record has no id or no epoch.
        """
        epoch: Any = self.epoch
        if isinstance(epoch, str):
            epoch = _entry(record, epoch, "epoch", "pass epoch= its number, or a function that returns it")
        elif callable(epoch):
            epoch = epoch()
        return SampleKey(self.seed, epoch, self._index(record))

    def __call__(self, record: Any) -> Any:
        """Return the result of the function for a record, at the record's key."""
        return self.at(record, self.key(record))

    def at(self, record: Any, key: SampleKey) -> Any:
        """Return the result of the function for a record, at a key of your own."""
        if self.bound.takes_arrays:
            if self.checks.due <= 0:
                return augment_sample(self.bound, record, key, self.targets)
            result = augment_sample(self.bound.checking(), record, key, self.targets)
            self.checks.count()
            return result
        if self._runner is None:
            return self._call(record, key)
        return self._runner.run(address_of(key), lambda address: self._run(record, key, address))

    def _run(self, record: Any, key: SampleKey, address: Any) -> Any:
        record = dict(record) if type(record) is dict else record
        return self._call(record, key_at(key, address))  # the bridge checks the result for another key

    def _call(self, record: Any, key: SampleKey) -> Any:
        with reading(key):
            return self.function(record, key=key) if self._takes_key else self.function(record)

    def _index(self, record: Any) -> int:
        id = (
            self.id(record) if callable(self.id) else _entry(record, self.id, "id", _WAY_OUT)
        )  # the usual name
        if isinstance(id, str | bytes):
            return record_index(id)
        try:
            index = operator.index(id)
        except TypeError:
            index = None
        if index is None or isinstance(id, bool | np.bool_):
            raise TypeError(
                f"a record's id must be an integer, a string or bytes, got {id!r} of type {type(id).__name__}: {_WAY_OUT}"
            )
        return index

    def __repr__(self) -> str:
        return f"keyed_map({self.function!r}, seed={self.seed}, epoch={self.epoch!r}, id={self.id!r})"


keyed_map = KeyedMap
"""The name of a function, for what acts as one."""


def needs_key(function: Callable[..., Any]) -> bool:
    """Return whether a function cannot be called without an argument `key`."""
    try:
        key = inspect.signature(function).parameters.get("key")
    except (TypeError, ValueError):  # some in C have no signature
        return False
    return key is not None and key.default is key.empty and key.kind is not key.POSITIONAL_ONLY


def _entry(record: Any, name: str | int, what: str, way_out: str) -> Any:
    try:
        value = record[name]
    except (KeyError, IndexError, TypeError):
        has = f"it has {list(record)}" if isinstance(record, Mapping) else f"it is {type(record).__name__}"
        raise ValueError(f"the record has no entry {name!r} for its {what}; {has}: {way_out}") from None
    if value is None:
        raise ValueError(f"the record's entry {name!r} for its {what} is None: {way_out}")
    return value


def content_id(record: Any) -> bytes:
    """Return a digest of a record's content, 16 bytes, as an id for records that have none.

    The digest covers the dtype, shape and values of arrays, and the contents of dicts, lists and tuples, with the keys of
    a dict sorted as strings, equal ones with the string last. Two records with equal content have one id, and so one augmentation.

    Raises:
        TypeError: a part is not an array, a number, a string, bytes, None or a container of these.
        ValueError: containers are nested too deeply, or contain themselves.

    Example:
        >>> content_id({"text": "seven", "image": np.zeros((2, 2))}) == content_id({"image": np.zeros((2, 2)), "text": "seven"})
        True
    """
    digest = hashlib.blake2b(digest_size=16)
    try:
        for part in _parts(record, "record"):
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part)
    except RecursionError:
        raise ValueError(
            "record is nested too deeply to be hashed, or contains itself: pass id= a function of the record"
        ) from None
    return digest.digest()


def _parts(value: Any, name: str) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield f"dict {len(value)}".encode()
        for key in sorted(value, key=lambda key: (str(key), type(key) is str, type(key).__qualname__)):
            yield from _parts(key, "a key")
            yield from _parts(value[key], f"{name}[{key!r}]")
    elif isinstance(value, list | tuple):
        yield f"list {len(value)}".encode()
        for position, entry in enumerate(value):
            yield from _parts(entry, f"{name}[{position}]")
    elif isinstance(value, bytes | bytearray):
        yield b"bytes"
        yield bytes(value)
    elif value is None or isinstance(value, str | bool | int | float | complex):
        yield f"{type(value).__name__} {value!r}".encode("utf-8", "surrogatepass")
    else:
        array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
        if array.dtype.hasobject:
            raise TypeError(
                f"{name} is {type(value).__name__}, which has no content to hash: pass id= a function of the record"
            )
        yield f"array {array.dtype.str} {array.shape}".encode()
        yield np.ascontiguousarray(array).tobytes()


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
            yield from _augment_group(keyed, group, keys)
            raise
        if group is not None and group.add(record):
            keys.append(key)
            if number % size == 0 or len(group) == _MOST:
                yield from _augment_group(keyed, group, keys)
                group, keys = _new_group(keyed, size), []
            continue
        yield from _augment_group(keyed, group, keys)
        group = None  # the rest of the stream will differ too
        yield key, keyed.at(record, key)
    yield from _augment_group(keyed, group, keys)


def _new_group(keyed: KeyedMap, size: int) -> Group | None:
    """Return an empty group, or None if records are faster one by one."""
    many = keyed.bound.many
    if many is None or not many.pays(size):
        return None
    return Group(keyed.bound, keyed.targets, min(size, _MOST), collates=False)


def _augment_group(
    keyed: KeyedMap, group: Group | None, keys: list[SampleKey]
) -> Iterator[tuple[SampleKey, Any]]:
    """Yield the keys of a group with the augmented records."""
    if group is None:
        return
    images = group.augment(keyed.checks, keys, lambda: ManyKeys(keys), np.empty)
    for number, key in enumerate(keys):
        if images is None:
            yield key, keyed.at(group.sample(number), key)
        else:
            yield key, group.sample(number, images[number])
