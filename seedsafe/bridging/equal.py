"""Find generators that are in equal states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from seedsafe.bridging.hooks import Hook
from seedsafe.bridging.parts import attributes_of
from seedsafe.bridging.sources import generator_source

__all__ = ["Group", "Place", "State", "group_by_state", "pairs_made_equal", "state_of"]


class State(NamedTuple):
    """The state of a generator, or of the generators that a hooked object stores."""

    content: str
    """Equal for equal states of generators of one kind."""
    generators: tuple[int, ...]
    """The ids of the generators that hold it."""


class Place(NamedTuple):
    """A generator or hooked object that a search has found."""

    path: str
    thing: Any
    state: State | None


class Group(NamedTuple):
    """The group that a search has put a generator into: those in equal states."""

    name: str
    """The path of the first generator in the group."""
    thing: Any
    """The generator, or None in a process that has unpickled it."""


def state_of(thing: Any, hook: Hook | None) -> State | None:
    """Return the present state of a generator, or of those that a hooked object stores; None if it cannot be read."""
    if hook is None:
        return _state_of_generator(thing)
    stored = {name: _state_of_generator(part) for name, part in (attributes_of(thing) or {}).items()}
    states = {name: state for name, state in stored.items() if state is not None}
    if not states:
        return None
    content = repr((hook, [(name, state.content) for name, state in states.items()]))
    return State(content, tuple(number for state in states.values() for number in state.generators))


def _state_of_generator(thing: Any) -> State | None:
    source = generator_source("", thing, 0)
    if source is None:
        return None
    with suppress(Exception):  # another library's object, perhaps half made
        mark = repr((type(source).__name__, source.mark()))
        holder = getattr(thing, "bit_generator", getattr(thing, "_bit_generator", thing))
        return State(mark, (id(holder),))
    return None


def group_by_state(places: Iterable[Place], earlier: Mapping[str, Group], *, joins: bool) -> dict[str, Group]:
    """Return the group of each place, by path.

    Args:
        places: in the order of the search.
        earlier: the groups of an earlier search. They stay, because the states have moved on since.
        joins: whether new places may join others. If not, each is alone in its group.
    """
    places = list(places)
    groups = {place.path: earlier[place.path] for place in places if _was_found(place, earlier)}
    first: dict[str, Place] = {}
    for place in sorted(places, key=lambda place: place.path not in groups):  # stable
        if place.path not in groups:
            equal = None if place.state is None else first.get(place.state.content)
            joined = joins and equal is not None and _are_apart(equal, place)
            name = groups[equal.path].name if equal is not None and joined else place.path
            groups[place.path] = Group(name, place.thing)
        if place.state is not None:
            first.setdefault(place.state.content, place)
    return groups


def _was_found(place: Place, earlier: Mapping[str, Group]) -> bool:
    group = earlier.get(place.path)
    return group is not None and (group.thing is None or group.thing is place.thing)


def _are_apart(place: Place, other: Place) -> bool:
    """Return whether two equal states belong to different generators."""
    assert place.state is not None
    assert other.state is not None
    return not set(place.state.generators) & set(other.state.generators)


def pairs_made_equal(places: Iterable[Place], groups: Mapping[str, Group]) -> Iterator[tuple[str, str]]:
    """Yield the paths of generators that are in equal states now, although they are in different groups."""
    first: dict[str, Place] = {}
    for place in places:
        if place.state is None:
            continue
        equal = first.setdefault(place.state.content, place)
        if (
            equal is not place
            and groups[equal.path].name != groups[place.path].name
            and _are_apart(equal, place)
        ):
            yield equal.path, place.path
