"""Search an object for generators and hooks."""

from __future__ import annotations

import types
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import count, islice
from operator import is_not
from typing import Any

from numpy.random import Generator

from seedsafe.bridging.equal import Found, Group, group_by_state
from seedsafe.bridging.generators import Stateful, generator_of, is_generator, stateful
from seedsafe.bridging.options import hook_of, registrations
from seedsafe.bridging.sources import HookSource
from seedsafe.bridging.walk import (
    CELL,
    CONTAINERS,
    LONGEST,
    Location,
    Named,
    Part,
    attributes_of,
    is_leaf,
    modules_of,
    named_place,
    names_of,
    parts_of,
    slots_of,
    walk,
)
from seedsafe.keys.key import SampleKey, address, op_of, philox, record_index

__all__ = ["MOST", "Search", "find", "held_generators"]

_FIRST_SEGMENT = 8
"""The generators of the process have the segments before it."""

MOST = 200_000
"""The search ends after this many objects."""


class Search:
    """The results of one search, and snapshots that show later changes.

    Args:
        libraries: the top-level modules of the objects.
        incomplete: whether there are more objects than the search looks at.
        candidates: the generators and hooked objects.
        groups: for each candidate, by its path, the group of those that were in an equal state when they were found.
        unread: the names of the groups of more than two whose roles cannot be read.
        snapshots: the contents of all holders that may get other generators.
    """

    def __init__(self) -> None:
        self.libraries: set[str] = set()
        self.incomplete = False
        self.candidates: list[Found] = []
        self.groups: dict[str, Group] = {}
        self.unread: set[str] = set()
        self.snapshots: list[tuple[Any, ...]] = []
        self._owners: dict[Location | None, tuple[Found, bool]] = {}
        self._registrations = registrations()
        self._sources: tuple[Stateful | HookSource, ...] | None = None
        self._generators: list[tuple[Any, Any, Any]] = []
        self._near: list[Any] = []
        self._empty: list[Any] = []
        self.seen = 0
        """What `room` was at the search."""

    @property
    def sources(self) -> tuple[Stateful | HookSource, ...]:
        """The generators and hooked objects, except those that a hooked object passes its seed on to.

        Those in one group have the same segment of the words.
        """
        if self._sources is None:
            _try_hooks(self.candidates, self._group_of)
            placed = [one for one in self.candidates if one.keeps_place or not one.seeded_by]
            placed.sort(key=lambda candidate: bool(candidate.owners) and not candidate.far)  # stable
            segments = zip(placed, self._segments(placed), strict=True)
            chosen = [(candidate, segment) for candidate, segment in segments if not candidate.seeded_by]
            sources = (
                HookSource(one.path, one.thing, segment, one.hook)
                if one.hook is not None
                else generator_of(one.path, one.thing, segment)
                for one, segment in chosen
            )
            self._sources = tuple(filter(None, sources))
            self._generators = [
                (candidate.location.holder, candidate.location.name, candidate.thing)
                for candidate, _ in chosen
                if candidate.hook is None and candidate.location.holder is not None
            ]
            self.watch()
        return self._sources

    def watch(self, most: int = 64) -> None:
        """Note what is in the holders nearest to the root, at most so many, for `room`."""
        near = self.snapshots[:most]
        self._near = [holder for holder, names, _ in near if names is None]
        named = [(one, names or one) for one, names, _ in near if names or isinstance(one, dict)]
        self._empty = [
            (holder, name) for holder, names in named for name in names if holder.get(name) is None
        ]
        self.seen = self.room()

    def room(self) -> int:
        """Return another number than before if a holder got more entries, or something in place of None: perhaps a generator."""
        return sum(map(len, self._near)) - sum(holder.get(name) is None for holder, name in self._empty)

    def _segments(self, chosen: list[Found]) -> Iterator[int]:
        """Yield the segment of each: that of the first one in its group, or of a hooked object with equal parts."""
        first: dict[tuple[int, str], int] = {}
        places = count(_FIRST_SEGMENT)
        for candidate in chosen:
            group = self.groups[candidate.path]
            segment = _late_segment(group.name.rstrip("'")) if group.late else next(places)
            if segment in first.values():  # the one that this one has replaced is elsewhere now
                segment = _late_segment(group.name)
            names = [(0, self._group_of(candidate))]
            names += [
                (part.seeders.index(candidate) + 1, self._group_of(part))
                for part in self.candidates
                if candidate in part.seeders
            ]
            result = next((first[name] for name in names if name in first), segment)
            for name in names:
                first.setdefault(name, result)
            yield result

    def _group_of(self, candidate: Found) -> str:
        return self.groups[candidate.path].name

    def joined(self) -> list[tuple[set[str], list[str]]]:
        """Return the paths of the sources that share a segment, with the names of their groups and of those of what they seed."""
        segments = {source.name: source.segment for source in self.sources}
        shared: dict[int, tuple[set[str], list[str]]] = defaultdict(lambda: (set(), []))
        for candidate in self.candidates:
            owner = candidate.seeded_by or candidate
            names, paths = shared[segments[owner.path]]
            names.add(self._group_of(candidate))
            paths += [candidate.path] * (owner is candidate)
        return [(names, paths) for names, paths in shared.values() if len(paths) > 1]

    def made_equal(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of generators that were in different states when they were found, and are in equal ones now."""
        first: dict[str, Found] = {}
        for one in self.candidates:
            one.read()
            if one.hook is not None or one.seeded_by or one.state is None:
                continue
            equal = first.setdefault(str(one.state), one)
            are_new = self.groups[equal.path].family != self.groups[one.path].family
            if are_new and not equal.holders & one.holders:
                yield equal.path, one.path

    def visit(self, location: Location) -> None:
        """Note an object if it is to be keyed, and what it holds."""
        thing = location.thing
        owner, far = self._owners.get(location.above, (None, False))
        if is_generator(thing):
            self.candidates.append(Found(location, None, owner, far=far))
            if owner is not None:
                owner.inside.append(location)
            return
        hook = None if isinstance(thing, type) else hook_of(thing)
        if hook is not None:
            owner, far = Found(location, hook, None if far else owner), False
            self.candidates.append(owner)
        elif not isinstance(thing, (type, *CONTAINERS)):
            far = owner is not None
        if not isinstance(thing, CONTAINERS):
            self.libraries |= {module.partition(".")[0] for module in modules_of(thing)}
        if owner is not None:
            self._owners[location] = owner, far
        if owner is None or far:
            self.snapshots += _snapshots(thing)

    def has_entry(self, location: Location) -> bool:
        """Return whether a list or dict of a location was there at this search."""
        holder = location.holder
        in_container = location.above is not None and holder is location.above.thing
        return in_container and any(holder is held for held, *_ in self.snapshots)

    def stale(self) -> bool:
        """Return whether another object has replaced a generator."""
        if not self._generators:
            return False
        try:
            return any(holder[name] is not thing for holder, name, thing in self._generators)
        except LookupError:
            return True

    def changed(self) -> bool:
        """Return whether the searched objects have other contents now, or a hook was registered since."""
        return (
            self._registrations != registrations()
            or self.stale()
            or any(_has_changed(*snapshot) for snapshot in self.snapshots)
        )


def find(
    root: Any,
    earlier: Mapping[str, Group] | None = None,
    equal: str | None = "together",
    is_late: Callable[[Location], bool] = lambda location: False,
) -> Search:
    """Search an object for generators and hooked objects, breadth first.

    The search goes through attributes, lists, tuples, sets, dicts, partial functions, bound methods, closures, and the
    module-level generators that the object's functions name. It ends at arrays, strings and modules, leaves out long lists
    and dicts of plain data, and ends after 200,000 objects.

    Args:
        root: the object.
        earlier: the groups of an earlier search of it.
        equal: which generators in equal states share a stream, unless the earlier search knew both; see Bridge.
        is_late: returns whether one that is new at its path has a position that follows from its name.
    """
    result = Search()
    for number, location in enumerate(walk(root, most=MOST), 1):
        result.visit(location)
        result.incomplete = number == MOST
    result.candidates.sort(key=lambda candidate: candidate.location.order)
    counts: Counter[str] = Counter()
    for candidate in result.candidates:  # the arguments of a partial function, for instance, have equal paths
        counts[path := candidate.path] += 1
        candidate.path += f" ({counts[path]})" * (counts[path] > 1)
        candidate.read()
    earlier = earlier or {}
    result.groups, result.unread = group_by_state(result.candidates, earlier, equal)
    known = {id(group.thing) for group in earlier.values()}
    for candidate in result.candidates:
        path = candidate.path
        if id(candidate.thing) not in known:
            late = earlier[path].late if path in earlier else is_late(candidate.location)
            result.groups[path] = result.groups[path]._replace(late=late)
    return result


def held_generators(
    root: Any, name: str, leaves_out: Callable[[Any], bool] | None = None, *, seconds: float = 0.5
) -> list[Stateful]:
    """Return the generators that an object holds, as a bridge's search finds them, nearest first. No hook is looked for.

    Args:
        root: the object.
        name: the object's name, with which the names of its generators begin: "base" gives "base.transform.rng (a Random)".
        leaves_out: returns whether to skip the generators that an object inside holds.
        seconds: the search ends after this time.
    """

    def parts(location: Location) -> Iterator[Part]:
        for part in parts_of(location.thing):
            # Another object may hold the generator too, so the walk must not see it here.
            if not (leaves_out and is_generator(part.thing) and leaves_out(Location(part, location).owner)):
                yield part

    locations = walk(root, parts, most=5_000, seconds=seconds)
    held = islice((location for location in locations if is_generator(location.thing)), 64)
    return list(filter(None, (stateful(named_place(name, location), location.thing) for location in held)))


def _late_segment(name: str) -> int:
    """Return a position that follows from a name alone, behind all others."""
    return 2**33 + record_index(name) % 2**48


def _snapshots(thing: Any) -> Iterator[tuple[Any, ...]]:
    """Yield what an object holds that may become another generator later: the holder, names in it or None for all, things.

    Those of functions, classes, slots and closures are the names that have nothing or None, for generators made at first use.
    """
    named: list[tuple[Any, Iterable[str]]] = []
    if isinstance(thing, types.FunctionType):
        cells = [(Named(cell), (CELL,)) for cell in thing.__closure__ or ()]
        named = [(thing.__globals__, names_of(thing.__code__)), *cells]
    elif isinstance(thing, type):
        named = [(vars(thing), (name for name in vars(thing) if name != "__doc__"))]
    else:
        holder: Any = thing if isinstance(thing, list | dict | deque) else attributes_of(thing)
        if holder is not None and len(holder) <= LONGEST:
            yield holder, None, _things(holder, None)
        named = [] if isinstance(thing, CONTAINERS) else [(Named(thing), slots_of(thing))]
    for holder, names in named:
        empty = tuple(name for name in names if holder.get(name, holder) is None)
        if empty:
            yield holder, empty, _things(holder, empty)


def _things(holder: Any, names: tuple[str, ...] | None) -> tuple[Any, ...]:
    if names is not None:
        return tuple([holder.get(name) for name in names])
    things = list(holder.values() if isinstance(holder, dict) else holder)
    return tuple([thing for thing in things if not is_leaf(thing)])


def _has_changed(holder: Any, names: tuple[str, ...] | None, things: tuple[Any, ...]) -> bool:
    now = _things(holder, names)
    return len(now) != len(things) or any(map(is_not, now, things))


def _try_hooks(candidates: list[Found], group_of: Callable[[Found], str]) -> None:
    """Seed each hooked object to see which candidates below it get its seed.

    Candidates that get none are keyed by themselves, such as the transforms of a MONAI dataset. Objects of one group get
    the same seed, and others another, so that a later search finds the same groups.
    """
    for candidate in candidates:
        below = [part for part in candidates if candidate in part.owners]
        if candidate.hook is None or candidate.seeded_by or not below:
            continue
        marks = [(part.mark(), part.held_below(candidate)) for part in below]
        trial = address(SampleKey(0, 0, record_index(group_of(candidate))), op_of("seedsafe/bridge"))
        with suppress(Exception):  # the first call raises it
            candidate.hook(candidate.thing, Generator(philox(trial)))
        for part, (mark, held) in zip(below, marks, strict=True):
            is_set = not part.far and part.mark()[0] != mark[0]
            if is_set or any(map(is_not, part.held_below(candidate), held)):
                part.seeders.append(candidate)
                part.keeps_place |= not is_set
