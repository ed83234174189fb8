"""Bases, datasets inside them, and the current read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, takewhile
from typing import Any, Final

import numpy as np

from seedsafe.bridging import walk as bridging
from seedsafe.bridging.walk import Location, Part
from seedsafe.ground.checks import with_article
from seedsafe.ground.warning import warn
from seedsafe.keys.ambient import Read, thread
from seedsafe.keys.key import Address, SampleIndex, SampleKey
from seedsafe.pipeline.unnamed import SCALARS

__all__ = [
    "Keyed",
    "Repeats",
    "SharedSeedError",
    "WarningLog",
    "check_base",
    "current",
    "entered",
    "key_at",
    "nested",
    "outermost",
    "parts",
    "shared_seed",
    "stamped",
    "walk",
    "warns",
]


# of torch.utils.data.ConcatDataset and StackDataset, of keyed datasets, and of torch.utils.data.Subset
_KNOWN: Final = ("datasets", "base", "dataset")
_MANY: Final = 64  # a longer list holds data, not datasets
_DATA: Final = ("builtins", "numpy", "pandas", "pyarrow")


class Keyed:
    """A dataset with a `reader`, a KeyedReader."""

    reader: Any


def walk(dataset: Any, *, into_keyed: bool = True) -> Iterator[Any]:
    """Yield a dataset and all that it reads from, each once; the base of a keyed dataset only if `into_keyed`.

    What is concatenated first comes first, with all inside it.
    """

    def inside(location: Location) -> Iterator[Part]:
        if into_keyed or not isinstance(location.thing, Keyed):
            yield from (Part("", part) for part in parts(location.thing))

    locations = bridging.walk(dataset, inside, leaves=True)
    return (location.thing for location in sorted(locations, key=lambda location: location.order))


def outermost(dataset: Any) -> Iterator[Any]:
    """Yield the outermost keyed datasets inside a dataset, which may be itself."""
    return (found for found in walk(dataset, into_keyed=False) if isinstance(found, Keyed))


def nested(dataset: Any) -> Iterator[Any]:
    """Yield all keyed datasets inside a dataset, which may be itself."""
    return (found for found in walk(dataset) if isinstance(found, Keyed))


def parts(dataset: Any) -> Iterator[Any]:
    """Yield the datasets that a dataset reads from: attributes of known names first, then all others that have items."""
    if isinstance(dataset, Keyed):
        yield dataset.reader.base
        return
    attributes = dict.fromkeys(_KNOWN, None) | getattr(dataset, "__dict__", {})
    for name, part in attributes.items():
        is_own = part is not None or hasattr(type(dataset), name)  # else it may be another's, passed on
        if name in _KNOWN and is_own:
            part = getattr(dataset, name, None)
        entries = (
            part.values() if isinstance(part, dict) else part if isinstance(part, list | tuple) else (part,)
        )
        first = next(iter(entries), None) if name in _KNOWN else None
        if len(entries) <= _MANY or isinstance(first, Keyed) or _has_items(first):
            yield from (entry for entry in entries if isinstance(entry, Keyed) or _has_items(entry))


def _has_items(thing: Any) -> bool:
    """Return whether a thing may be a dataset of a user's own class."""
    cls = type(thing)
    is_data = cls.__module__.partition(".")[0] in _DATA or cls.__name__ == "Tensor"
    return hasattr(cls, "__getitem__") and not is_data


_MOST: Final = 2**14  # keys to remember, some megabytes


class SharedSeedError(ValueError):
    """Two datasets, one inside the other, have the same seed, so their augmentations would not be independent."""


def shared_seed(seed: int) -> SharedSeedError:
    """Return the error for a dataset that has the same seed as the one that reads it."""
    return SharedSeedError(
        f"base has the same seed {seed} as the dataset that reads it: give one of them another seed"
    )


class WarningLog:
    """Remembers the warnings that a dataset has given."""

    _first_epoch: int | None = None

    def __init__(self) -> None:
        self._kinds = 0

    def first_epoch(self, epoch: int) -> int:
        """Return the first epoch that was read, which is this one if none was."""
        if self._first_epoch is None:
            self._first_epoch = epoch
        return self._first_epoch

    def first(self, kind: int) -> bool:
        """Return whether to give a warning now: True once for each kind, a power of two."""
        if self._kinds & kind:
            return False
        self._kinds = self._kinds | kind
        return True


def warns(text: str) -> bool:
    """Warn, and return whether that was possible. A warning that a filter turns into an error must not make a sample fail."""
    try:
        warn(text)
    except Warning:
        return False
    return True


class Repeats:
    """Remembers the index for which each key inside a base was served, as far as this process has seen.

    Equal keys give equal samples. That is correct, but seldom intended if a wrapper asks for a sample twice. At most 16,384
    keys are remembered. Beyond that, keys of other epochs are dropped first, then all but a share that their hashes choose: a
    wrapper that repeats samples throughout is still found.

    Args:
        base: the dataset that is read.
        seed: the seed of the dataset that reads it, or None.
        log: the log of warnings; by default that of a keyed dataset inside.
    """

    WITHIN_ONE, FOR_TWO = 1, 2

    def __init__(self, base: Any, seed: int | None = None, log: WarningLog | None = None) -> None:
        self.wrapper = type(base).__qualname__
        """The class of the wrapper that is nearest to the first keyed dataset inside."""
        for found in takewhile(lambda found: not isinstance(found, Keyed), walk(base, into_keyed=False)):
            if not getattr(type(found), "passes_on", False):
                self.wrapper = type(found).__qualname__
        self.seed = seed
        inside = (keyed.reader.repeats.log for keyed in outermost(base))
        self.log = log or next(inside, None) or WarningLog()
        self.has_effect = False
        """Whether anything depends on the keys. If not, one may be served any number of times."""
        self._indices: dict[tuple[int, ...], int] = {}
        self._mask = 0

    def serve(self, fields: tuple[int, ...], index: int) -> int | None:
        """Note that a key (seed, epoch, …) is served for an index, and return another index of the same key, or None."""
        if self._mask and hash(fields) & self._mask:
            return None
        before = self._indices.setdefault(fields, index)
        if before != index:
            return before
        if len(self._indices) > _MOST:
            self._forget(fields[1])
        return None

    def _forget(self, epoch: int) -> None:
        indices = {fields: index for fields, index in self._indices.copy().items() if fields[1] == epoch}
        while len(indices) > _MOST // 2:
            self._mask = 2 * self._mask + 1
            indices = {fields: index for fields, index in indices.items() if not hash(fields) & self._mask}
        self._indices = indices

    def warn_within_one(self, key: SampleKey) -> None:
        """Warn, once, that one sample of a wrapper holds one key twice."""
        if self.log.first(self.WITHIN_ONE):
            warn(
                f"{self.wrapper} reads index {key.index} twice for one sample of epoch {key.epoch}, and gets the same "
                "augmentation twice. For two different ones, pass views=2 to the dataset inside; otherwise read it once",
            )

    def warn_for_two(self, key: SampleKey, first: int, second: int) -> None:
        """Warn, once, that a wrapper maps two indices to one key."""
        if self.log.first(self.FOR_TWO):
            warn(
                f"{self.wrapper} maps samples {first} and {second} of epoch {key.epoch} to the same index {key.index} of seed "
                f"{key.seed}, so both get the same augmentation. To repeat an index, use sampler=; to keep them apart, give "
                "each inner dataset its own seed or index_offset=",
            )

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_indices": {}, "_mask": 0}  # another process serves keys of its own


class entered(Read):  # noqa: N801  # used as a with statement, several times cheaper than contextlib's
    """Make a stamped index and its key the current ones of this thread while a base is read.

    A dataset enters the SampleIndex that it is read with before it reads its base, so the key survives a Subset or any
    other wrapper.

    Args:
        at: the stamped index that is read, or None.
        repeats: the `Repeats` of the reading dataset, which notices a key that is served twice, or None.
        index: the index of the sample that is read.
        counts: False if the read replaces another sample.
        key: the key for calls without one, or a function of `at` that makes it when it is needed; None refuses such calls.

    Example:
        >>> with entered(SampleIndex(7, epoch=3)):
        ...     current()
        SampleIndex(7, epoch=3, occurrence=0, view=0)
    """

    __slots__ = ("_counts", "_index", "_keys", "_repeats", "at", "outer")

    def __init__(
        self,
        at: SampleIndex | None,
        repeats: Repeats | None = None,
        index: int = 0,
        counts: bool = True,
        key: SampleKey | Callable[[SampleIndex], SampleKey] | None = None,
    ) -> None:
        self._key = key
        self.numbers = {}
        self.at = at
        self._repeats = repeats
        self._index = index
        self._counts = counts
        self._keys: tuple[tuple[Repeats, tuple[int, ...]], ...] = ()

    @property
    def key(self) -> SampleKey | None:
        """The key of the sample, made on first use."""
        key = self._key
        if callable(key):
            key = self._key = key(self.at)
        return key  # type: ignore[no-any-return]

    def restart(self, at: SampleIndex, key: Callable[[SampleIndex], SampleKey]) -> None:
        """Begin the read of the next sample of the same reader."""
        self.at, self._index, self._key = at, at, key
        if self.numbers:
            self.numbers = {}
        if self._keys:
            self._keys = ()

    def __enter__(self) -> None:
        self.outer = thread.read
        thread.read = self

    def __exit__(self, *error: object) -> None:
        thread.read = self.outer

    def report(self, reader: Repeats, key: SampleKey) -> None:
        """Note that a dataset inside serves a key, and warn if it has served the key before.

        Args:
            reader: the `Repeats` of that dataset.
            key: the key of the sample.

        Raises:
            ValueError: a dataset around it has the same seed.
        """
        outermost: entered = self
        counts, seed = reader.has_effect, key.seed
        read: Read | None = self
        while isinstance(read, entered):
            # A signal handler or a finalizer may read the dataset in the middle of its own read.
            if read._repeats is reader:
                return
            if read._repeats is not None and read._repeats.seed == seed:
                raise shared_seed(seed)
            counts = counts and read._counts
            outermost, read = read, read.outer
        repeats = outermost._repeats
        if not counts or self._repeats is None or repeats is None:
            return
        fields = (seed, key.epoch, key.index, key.occurrence, key.view)
        if (reader, fields) in self._keys:
            repeats.warn_within_one(key)
        self._keys += ((reader, fields),)
        index = int(outermost._index)
        before = repeats.serve(fields, index)
        if before is not None:
            repeats.warn_for_two(key, before, index)


def current() -> SampleIndex | None:
    """Return the stamped index that this thread is reading, or None."""
    read = thread.read
    return read.at if isinstance(read, entered) else None


def stamped(index: int) -> SampleIndex | None:
    """Return the index if it is stamped, else the stamped index that this thread is reading, else None."""
    return index if isinstance(index, SampleIndex) else current()


def key_at(key: SampleKey, address: Address) -> SampleKey:
    """Return the key with the index of an address; it is another sample's while a bridge checks that sample's draws."""
    if address.index == key.index:
        return key
    return SampleKey(key.seed, key.epoch, address.index, occurrence=key.occurrence, view=key.view)


_COLUMNS: Final = 8
"""More arrays than this are samples, not columns."""

_DICTS: Final = (dict, np.lib.npyio.NpzFile)


def check_base(base: Any, *, name: str = "base", streams: str = "the adapter for tf.data") -> None:
    """Raise an error if a base holds the columns of a dataset, or is a stream of TensorFlow.

    A tuple of images is a base. Only what certainly is not one raises an error: its arrays are equally long, and no dataset has samples of such
    shapes.

    Args:
        base: what may be a base.
        name: what it is called.
        streams: the name of the adapter for TensorFlow's streams.

    Raises:
        TypeError: the base is not one.

    Example:
        >>> import numpy as np
        >>> check_base((np.zeros((8, 8)), np.zeros((8, 5))))
        >>> check_base((np.zeros((9, 8, 8, 3)), np.zeros(9)))
        Traceback (most recent call last):
        TypeError: base must hold samples, got a tuple of columns with the shapes [(9, 8, 8, 3), (9,)]: pass list(zip(*base))
    """
    _warn_of_other_records(base)
    if type(base) in (tuple, list):
        _check_columns(base, name)
    elif isinstance(base, _DICTS) and base and 0 not in base and not hasattr(type(base), "__missing__"):
        raise TypeError(
            f"{name} must have {name}[0], got {with_article(base)} of {_names(base)}: pass "
            f"[dict(zip({name}, row)) for row in zip(*{name}.values())] if its values are columns, list({name}.values()) if they are "
            "samples"
        )
    elif hasattr(base, "as_numpy_iterator") and hasattr(base, "element_spec"):
        raise TypeError(
            f"{name} must be a dataset with {name}[index], got a tf.data.Dataset, which has no index: pass its records through "
            f"{streams}.keyed, or the arrays that it was made of to {streams}.augment"
        )


def _warn_of_other_records(dataset: Any) -> None:
    """Warn of a dataset that reads another record for one that fails, as detectron2's MapDataset, unless a keyed dataset hides it."""
    for found in walk(dataset, into_keyed=False):
        if hasattr(found, "_fallback_candidates"):
            warn(
                f"{type(found).__qualname__} reads another record for one that fails, drawn from those that this process has not yet seen "
                "fail, so such a sample depends on the workers: read the records with a dataset that does not catch errors, and pass "
                'on_error="replace", which chooses the replacement by the key'
            )


def _check_columns(base: Any, name: str) -> None:
    shapes = [_shape_of(part) for part in base[: _COLUMNS + 1]]
    if not 2 <= len(shapes) <= _COLUMNS or not all(shapes) or len({shape[:1] for shape in shapes}) > 1:
        return
    if any(_are_columns(*sorted(pair, key=len)) for pair in combinations(shapes, 2)):
        raise TypeError(
            f"{name} must hold samples, got a {type(base).__name__} of columns with the shapes {shapes}: pass list(zip(*{name}))"
        )


def _shape_of(part: Any) -> tuple[int, ...]:
    """Return the shape of an array, or the length of a list of labels."""
    is_list = type(part) in (list, tuple) and part and type(part[0]) in SCALARS
    return (len(part),) if is_list else tuple(getattr(part, "shape", ()))


def _are_columns(less: tuple[int, ...], more: tuple[int, ...]) -> bool:
    """Return whether arrays of two shapes cannot be two samples: a number beside images, many images beside one each."""
    is_image = len(more) == 3 and more[-1] <= 4
    return len(less) < len(more) and (len(less) == 1 or len(more) > 3 or not is_image)


def _names(base: Mapping[Any, Any]) -> str:
    names = list(base)[:_COLUMNS]
    return f"{names}"[:-1] + (", …]" if len(base) > len(names) else "]")
