"""Find generators that are in equal states."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from seedsafe.bridging.hooks import Hook
from seedsafe.bridging.sources import generator_source
from seedsafe.bridging.walk import attributes_of

__all__ = ["Found", "Group", "State", "group_by_state", "pairs_made_equal", "state_of"]


class State(NamedTuple):
    """The state of a generator, or of the generators that a hooked object stores."""

    content: str
    """Equal for equal states of generators of one kind."""
    holders: tuple[int, ...]
    """The ids of the objects that hold it; two generators may share one."""


class Found(NamedTuple):
    """A generator or hooked object that a search has found."""

    path: str
    thing: Any
    state: State | None


class Group(NamedTuple):
    """The group that a search has put a generator into: those in equal states."""

    name: str
    """The path at which the first generator in the group was found, or one like it that no other group has."""
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
    return State(content, tuple(number for state in states.values() for number in state.holders))


def _state_of_generator(thing: Any) -> State | None:
    source = generator_source("", thing, 0)
    if source is None:
        return None
    with suppress(Exception):  # another library's object, perhaps half made
        mark = repr((type(source).__name__, source.mark()))
        holder = getattr(thing, "bit_generator", getattr(thing, "_bit_generator", thing))
        return State(mark, (id(holder),))
    return None


def group_by_state(
    generators: Sequence[Found], earlier: Mapping[str, Group], *, joins: bool
) -> dict[str, Group]:
    """Return the group of each generator, by its path.

    Args:
        generators: in the order of the search.
        earlier: the groups of an earlier search. They stay, because the states have moved on since.
        joins: whether generators that are new may join others. If not, each is alone in its group.
    """
    at = {id(group.thing): group for group in earlier.values()}
    kept = {
        generator.path: at.get(id(generator.thing)) or _unpickled_group(generator, earlier)
        for generator in generators
    }
    names = {group.name for group in earlier.values()}
    groups: dict[str, Group] = {}
    first: dict[str, Found] = {}
    for generator in sorted(generators, key=lambda generator: kept[generator.path] is None):  # stable
        state, path = generator.state, generator.path
        equal = None if state is None else first.setdefault(state.content, generator)
        group = kept[path]
        if group is not None:
            groups[path] = group
        elif joins and equal is not None and equal is not generator and _are_different(equal, generator):
            groups[path] = Group(groups[equal.path].name, generator.thing)
        else:
            groups[path] = Group(_unlike(path, names), generator.thing)
    return groups


def _unpickled_group(generator: Found, earlier: Mapping[str, Group]) -> Group | None:
    group = earlier.get(generator.path)
    return None if group is None or group.thing is not None else Group(group.name, generator.thing)


def _unlike(path: str, names: Collection[str]) -> str:
    """Return a path as a name that no group has, since the generator that was there may have moved."""
    while path in names:
        path += "'"
    return path


def _are_different(first: Found, second: Found) -> bool:
    """Return whether two equal states belong to different generators."""
    assert first.state is not None
    assert second.state is not None
    return not set(first.state.holders) & set(second.state.holders)


def pairs_made_equal(generators: Iterable[Found], groups: Mapping[str, Group]) -> Iterator[tuple[str, str]]:
    """Yield the paths of generators that are in equal states now, although they are in different groups."""
    first: dict[str, Found] = {}
    for generator in generators:
        if generator.state is None:
            continue
        equal = first.setdefault(generator.state.content, generator)
        if (
            equal is not generator
            and groups[equal.path].name != groups[generator.path].name
            and _are_different(equal, generator)
        ):
            yield equal.path, generator.path
