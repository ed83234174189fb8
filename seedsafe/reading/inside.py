"""What is read inside what: datasets in datasets, the sample that each thread is reading, and keys that are served twice."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Final

from seedsafe.keys.ambient import Read, thread
from seedsafe.keys.key import Address, SampleIndex, SampleKey

__all__ = [
    "Keyed",
    "Repeats",
    "SharedSeedError",
    "Told",
    "current",
    "entered",
    "moved",
    "nested",
    "outermost",
    "parts",
    "shared_seed",
    "stamped",
    "walk",
]


_KNOWN: Final = (
    "datasets",
    "base",
    "dataset",
)  # torch's ConcatDataset and StackDataset, ours, torch's Subset
_MANY: Final = 64  # entries of a list that may be datasets; a longer one is data
_DATA: Final = ("builtins", "numpy", "pandas", "pyarrow")


class Keyed:
    """A dataset with a `reader`, a KeyedReader."""

    reader: Any


def walk(dataset: Any, *, into_keyed: bool = True) -> Iterator[Any]:
    """Yield a dataset and all that it reads from, each once; what keyed datasets read from only if asked."""
    seen: set[int] = set()
    todo = [dataset]
    while todo:
        one = todo.pop()
        if id(one) not in seen:
            seen.add(id(one))
            yield one
            if into_keyed or not isinstance(one, Keyed):
                todo += reversed(list(parts(one)))


def outermost(dataset: Any) -> Iterator[Any]:
    """Yield the keyed datasets inside a dataset, itself included, that are in no other one."""
    return (one for one in walk(dataset, into_keyed=False) if isinstance(one, Keyed))


def nested(dataset: Any) -> Iterator[Any]:
    """Yield all keyed datasets inside a dataset, itself included."""
    return (one for one in walk(dataset) if isinstance(one, Keyed))


def parts(dataset: Any) -> Iterator[Any]:
    """Yield what a dataset reads from: what is known as such, then what else it keeps that has items."""
    if isinstance(dataset, Keyed):
        yield dataset.reader.base
        return
    kept = dict.fromkeys(_KNOWN, None) | getattr(dataset, "__dict__", {})
    for name, part in kept.items():
        if name in _KNOWN:
            part = getattr(dataset, name, None)
        entries = (
            part.values() if isinstance(part, dict) else part if isinstance(part, list | tuple) else (part,)
        )
        first = next(iter(entries), None) if name in _KNOWN else None
        if len(entries) <= _MANY or isinstance(first, Keyed) or _has_items(first):
            yield from (entry for entry in entries if isinstance(entry, Keyed) or _has_items(entry))


def _has_items(thing: Any) -> bool:
    """Return whether a thing may be a dataset of somebody's."""
    cls = type(thing)
    return (
        hasattr(cls, "__getitem__")
        and cls.__module__.partition(".")[0] not in _DATA
        and cls.__name__ != "Tensor"
    )


_MOST: Final = 2**14  # keys that are remembered, some megabytes


class SharedSeedError(ValueError):
    """Two datasets, one inside the other, have the same seed: their augmentations would not be independent."""


def shared_seed(seed: int) -> SharedSeedError:
    """Return the error for a dataset that is read by another one of the same seed."""
    return SharedSeedError(f"base is augmented with the same seed {seed}: give one of them another seed")


class Told:
    """Which warnings a dataset has given."""

    def __init__(self) -> None:
        self._told = 0

    def first(self, what: int) -> bool:
        """Return whether a warning, a power of two, is to be given now: True once."""
        if self._told & what:
            return False
        self._told |= what
        return True


class Repeats:
    """What a dataset reads, and for which index each key inside was served, as far as this process has seen.

    Equal keys give equal samples, which is right, and seldom meant where a wrapper asks for one twice. At most 16,384 keys
    are remembered: beyond, those of other epochs go, then all but a share that their hashes choose. What is
    repeated throughout is found nevertheless.

    Args:
        base: what is read.
        seed: of the dataset that reads it; None if it has none.
        told: where it is noted that a warning was given; by default where a keyed dataset inside notes its own.
    """

    WITHIN_ONE, FOR_TWO = 1, 2

    def __init__(self, base: Any, seed: int | None = None, told: Told | None = None) -> None:
        self.wrapper = type(base).__qualname__
        self.seed = seed
        inside = (one.reader.repeats.told for one in outermost(base))
        self.told = told or next(inside, None) or Told()
        self._indices: dict[tuple[int, ...], int] = {}
        self._mask = 0

    def served_for(self, place: tuple[int, ...], index: int) -> int | None:
        """Note that a key (seed, epoch, …) is served for an index, and return another one that it was served for before."""
        if self._mask and hash(place) & self._mask:
            return None
        before = self._indices.setdefault(place, index)
        if before != index:
            return before
        if len(self._indices) > _MOST:
            self._forget(place[1])
        return None

    def _forget(self, epoch: int) -> None:
        kept = {place: index for place, index in self._indices.copy().items() if place[1] == epoch}
        while len(kept) > _MOST // 2:
            self._mask = 2 * self._mask + 1
            kept = {place: index for place, index in kept.items() if not hash(place) & self._mask}
        self._indices = kept

    def warn_within_one(self, key: SampleKey) -> None:
        """Warn, once, that one sample of a wrapper holds one key twice."""
        if self.told.first(self.WITHIN_ONE):
            warnings.warn(
                f"{self._wrapper()} reads index {key.index} twice for one sample of epoch {key.epoch}, and gets the same "
                "augmentation twice: pass views=2 to the dataset inside for two different ones, or read it once",
                stacklevel=6,
            )

    def warn_for_two(self, key: SampleKey, one: int, other: int) -> None:
        """Warn, once, that a wrapper maps two indices to one key."""
        if self.told.first(self.FOR_TWO):
            warnings.warn(
                f"{self._wrapper()} reads index {key.index} of seed {key.seed} for the samples {one} and {other} of epoch "
                f"{key.epoch}, and both get the same augmentation: repeat indices with sampler= instead, which counts the "
                "occurrences, or give each dataset inside another seed or index_offset=",
                stacklevel=6,
            )

    def _wrapper(self) -> str:
        """Return the class of the wrapper that is reading now: of the innermost one."""
        frame: FrameType | None = inspect.currentframe()
        while frame is not None:
            if frame.f_code.co_name in ("__getitem__", "__getitems__"):
                reads = frame.f_locals.get("self")
                ours = isinstance(reads, Keyed) or getattr(reads, "passes_on", False) is True
                if reads is not None and not ours:
                    return type(reads).__qualname__
            frame = frame.f_back
        return self.wrapper

    def __reduce__(self) -> Any:
        return _anew, (self.wrapper, self.seed, self.told)


def _anew(wrapper: str, seed: int | None, told: Told) -> Repeats:
    result = Repeats(None, seed, told)
    result.wrapper = wrapper
    return result


class entered(Read):  # noqa: N801  # used as a with statement, several times cheaper than contextlib's
    """Make a stamped index, and its key, the current ones of this thread while a base is read.

    A dataset that is read with a SampleIndex enters it before it reads its base, so the key survives a Subset or any other
    wrapper.

    Args:
        at: the stamped index that is read; None if there is none.
        repeats: of the object that reads, which notices a key that is served twice; None for none.
        index: of the sample that is read.
        counts: False where what is read takes the place of another sample.
        key: makes the key of the sample, which calls without a key take, when one asks for it; None where they are refused.

    Example:
        >>> with entered(SampleIndex(7, epoch=3)):
        ...     current()
        SampleIndex(7, epoch=3, occurrence=0, view=0)
    """

    __slots__ = ("_counts", "_index", "_repeats", "_served", "at", "outer")

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
        self._served: tuple[tuple[Repeats, tuple[int, ...]], ...] = ()

    @property
    def key(self) -> SampleKey | None:
        """The key of the sample, made when it is asked for."""
        key = self._key
        if callable(key):
            key = self._key = key(self.at)
        return key  # type: ignore[no-any-return]

    def again(self, at: SampleIndex, key: Callable[[SampleIndex], SampleKey]) -> None:
        """Start over for the next sample of the same reader, which is cheaper than a new object."""
        self.at, self._index, self._key = at, at, key
        if self.numbers:
            self.numbers = {}
        if self._served:
            self._served = ()

    def __enter__(self) -> None:
        self.outer = thread.read
        thread.read = self

    def __exit__(self, *error: object) -> None:
        thread.read = self.outer

    def report(self, reader: Repeats, key: SampleKey, random: bool) -> None:
        """Note that a dataset inside serves a key, and warn if it has served it before.

        Args:
            reader: the dataset's.
            key: of the sample.
            random: whether the key decides anything; else it may be served as often as one likes.

        Raises:
            ValueError: a dataset that is reading has the same seed.
        """
        outermost: entered = self
        counts, seed = random, key.seed
        run: Read | None = self
        while isinstance(run, entered):
            if (
                run._repeats is reader
            ):  # it reads itself: a signal handler or a finalizer does, in the middle of a read
                return
            if run._repeats is not None and run._repeats.seed == seed:
                raise shared_seed(seed)
            counts = counts and run._counts
            outermost, run = run, run.outer
        repeats = outermost._repeats
        if not counts or self._repeats is None or repeats is None:
            return
        place = (seed, key.epoch, key.index, key.occurrence, key.view)
        if (reader, place) in self._served:
            repeats.warn_within_one(key)
        self._served += ((reader, place),)
        index = int(outermost._index)
        before = repeats.served_for(place, index)
        if before is not None:
            repeats.warn_for_two(key, before, index)


def current() -> SampleIndex | None:
    """Return the stamped index that this thread is reading, or None."""
    read = thread.read
    return read.at if isinstance(read, entered) else None


def stamped(index: int) -> SampleIndex | None:
    """Return the index if it is stamped, else the one that this thread is reading, else None."""
    return index if isinstance(index, SampleIndex) else current()


def moved(key: SampleKey, at: Address) -> SampleKey:
    """Return the key at an address: of another index where a bridge looks at what another sample draws."""
    if at.index == key.index:
        return key
    return SampleKey(key.seed, key.epoch, at.index, occurrence=key.occurrence, view=key.view)
