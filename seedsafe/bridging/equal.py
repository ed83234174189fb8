"""Find generators that are in equal states."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from seedsafe.bridging.generators import generator_of
from seedsafe.bridging.options import Hook
from seedsafe.bridging.walk import attributes_of

__all__ = ["Found", "Group", "found", "group_by_state", "pairs_made_equal"]


class Found(NamedTuple):
    """A generator or hooked object that a search has found."""

    path: str
    thing: Any
    state: str | None
    """Equal for equal states, its own or of the generators that it stores; None if it cannot be read."""
    holders: frozenset[int]
    """The ids of the objects that hold the state; two generators may share one."""


class Group(NamedTuple):
    """The group that a search has put a generator into: those in equal states."""

    name: str
    """The path at which the first generator in the group was found, or one like it that no other group has."""
    thing: Any
    """The generator, or None in a process that has unpickled it."""


def found(path: str, thing: Any, hook: Hook | None) -> Found:
    """Return a generator, or a hooked object with the generators that it stores, in the present state."""
    states = {}
    for name, part in {"": thing}.items() if hook is None else (attributes_of(thing) or {}).items():
        with suppress(Exception):  # another library's object, perhaps half made
            generator = generator_of("", part)
            if generator is not None:
                states[name] = repr((type(generator).__name__, generator.mark())), id(generator.holder)
    state = repr((hook, [(name, state) for name, (state, _) in states.items()])) if states else None
    return Found(path, thing, state, frozenset(holder for _, holder in states.values()))


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
        equal = None if state is None else first.setdefault(state, generator)
        group = kept[path]
        if group is not None:
            groups[path] = group
        elif joins and equal is not None and equal is not generator and not equal.holders & generator.holders:
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


def pairs_made_equal(generators: Iterable[Found], groups: Mapping[str, Group]) -> Iterator[tuple[str, str]]:
    """Yield the paths of generators that are in equal states now, although they are in different groups."""
    first: dict[str, Found] = {}
    for generator in generators:
        if generator.state is None:
            continue
        equal = first.setdefault(generator.state, generator)
        if (
            equal is not generator
            and groups[equal.path].name != groups[generator.path].name
            and not equal.holders & generator.holders
        ):
            yield equal.path, generator.path
