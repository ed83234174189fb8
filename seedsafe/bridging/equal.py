"""Find generators that are in equal states."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from seedsafe.bridging.generators import generator_of
from seedsafe.bridging.options import Hook
from seedsafe.bridging.walk import Location, attributes_of

__all__ = ["Found", "Group", "group_by_state", "paired_by_role"]


class Found:
    """A generator or hooked object that a search has found."""

    def __init__(
        self, location: Location, hook: Hook | None = None, above: Found | None = None, *, far: bool = False
    ) -> None:
        self.location, self.hook, self.thing = location, hook, location.thing
        self.path = location.path or "itself"
        """The path from the root. A search numbers equal ones."""
        self.owners: list[Found] = [] if above is None else [above, *above.owners]
        """The hooked objects that may pass a seed on to it, the nearest first."""
        self.far = far
        """Whether a generator is held through other objects too, such as imgaug's around those of NumPy. One that is set there keeps its own numbers."""
        self.keeps_place = False
        """Whether the segments of others are counted as if it had one, although a hook replaces it."""
        self.inside: list[Location] = []
        """The generators that a hooked object holds."""
        self.seeders: list[Found] = []
        """The hooked objects above that pass their seeds on to it, the outermost first: imgaug's Sometimes does so past a Sequential inside."""
        self.state: str | None = None
        """Equal for equal states, its own or of the generators that it stores; None if it cannot be read."""
        self.holders: frozenset[int] = frozenset()
        """The ids of the objects that hold the state; two generators may share one."""

    def parts(self) -> dict[str, Any]:
        """Return what may hold its state: itself, or the attributes of a hooked object."""
        return {"": self.thing} if self.hook is None else attributes_of(self.thing) or {}

    @property
    def seeded_by(self) -> Found | None:
        """The hooked object whose seed it has before any other sets it."""
        return next(iter(self.seeders), None)

    def read(self) -> None:
        """Note the present state. A hooked object has that of its nearest generators."""
        states = _states(self.parts())
        if not states:
            depth = min((location.depth for location in self.inside), default=0)
            near = [location for location in self.inside if location.depth == depth]
            start = len(self.location.path)
            states = _states({location.path[start:]: location.thing for location in near})
        named = [(name, state) for name, (state, _) in states.items()]
        self.state = repr((self.hook, named)) if states else None
        self.holders = frozenset(holder for _, holder in states.values())

    def held_below(self, other: Found) -> list[Any]:
        """Return what is now on the way to it from another one. If a hook has replaced any of it, nobody asks this generator again."""
        return [location.stored() for location in self.location.below(other.location)]

    def mark(self) -> tuple[Any, list[Any]]:
        """Return a value that differs after a hook has set it, and the objects that it names, so that they stay alive."""
        parts = self.parts()
        things = [self.location.stored(), *parts.values()]
        return ([id(thing) for thing in things], _states(parts)), things


def _states(parts: Mapping[str, Any]) -> dict[str, tuple[str, int]]:
    """Return the state of each generator among some parts, and the id of what holds it."""
    states = {}
    for name, part in parts.items():
        with suppress(Exception):  # another library's object, perhaps half made
            generator = generator_of("", part)
            if generator is not None:
                states[name] = repr((type(generator).__name__, generator.mark())), id(generator.holder)
    return states


class Group(NamedTuple):
    """The group that a search has put a generator into: those in equal states."""

    name: str
    """The path at which the first generator in the group was found, or one like it that no other group has."""
    thing: Any
    """The generator, or None in a process that has unpickled it."""
    family: str
    """The name of the group that it would be in if roles did not tell those in equal states apart."""
    late: bool = False
    """Whether a read has made it that other processes may not make, or in another order: its position follows from its name."""


def group_by_state(
    generators: Sequence[Found], earlier: Mapping[str, Group], equal: str | None
) -> tuple[dict[str, Group], set[str]]:
    """Return the group of each generator, by its path, and the names of the groups whose roles cannot be read.

    Args:
        generators: in the order of the search.
        earlier: the groups of an earlier search. They stay, because the states have moved on since.
        equal: "apart" leaves each generator that is new alone in its group, "together" joins those in equal states, and None of more
            than two those of one role.
    """
    at = {id(group.thing): group for group in earlier.values()}
    kept = {
        generator.path: at.get(id(generator.thing)) or _unpickled_group(generator, earlier)
        for generator in generators
    }
    names = {group.name for group in earlier.values()}
    groups = {path: group for path, group in kept.items() if group is not None}
    alike: dict[str, list[Found]] = {}
    for generator in sorted(generators, key=lambda generator: generator.path not in groups):  # stable
        is_alone = generator.state is None or equal == "apart"
        others = alike.setdefault(generator.path if is_alone else str(generator.state), [])
        if not others or not others[0].holders & generator.holders:
            others.append(generator)
        elif generator.path not in groups:
            _put(groups, [generator], names)  # two over one source are no pair
    unread: set[str] = set()
    for members in alike.values():
        is_new = any(member.path not in groups for member in members)
        roles = paired_by_role(members) if equal is None and is_new and len(members) > 2 else [members]
        for role in roles or [members]:
            _put(groups, role, names, groups.get(members[0].path))
        if not roles:
            unread.add(groups[members[0].path].name)
    return groups, unread


def _put(
    groups: dict[str, Group], members: Sequence[Found], names: Collection[str], family: Group | None = None
) -> None:
    """Put those of some generators that have no group into that of the first one."""
    first = groups.get(members[0].path)
    name = _unlike(members[0].path, names) if first is None else first.name
    for member in members:
        if member.path not in groups:
            groups[member.path] = Group(name, member.thing, name if family is None else family.family)


class _Step(NamedTuple):
    """A step on the way to a generator."""

    kind: type
    """The class of the object that it leads to."""
    named: bool
    label: tuple[Any, ...]
    """An attribute's name or a dict's key; in a list, the class, the position among the members of that class, and their number."""


def _line(location: Location) -> list[_Step]:
    """Return the steps from the root to a location."""
    line: list[_Step] = []
    while location.above is not None:
        holder, kind = location.above.thing, type(location.thing)
        if isinstance(holder, list | tuple | deque) and location.holder is holder:
            alike = [number for number, entry in enumerate(holder) if type(entry) is kind]
            line.append(_Step(kind, False, (kind, alike.index(location.name), len(alike))))
        else:
            line.append(_Step(kind, True, (location.step, 0 if location.holder else location.number)))
        location = location.above
    return line[::-1]


def paired_by_role(members: Sequence[Found]) -> list[list[Found]]:
    """Return generators in equal states in groups of one role each; none if the objects' structure shows no roles, or may be read in two ways.

    Two have one role if their paths differ in one step, between two alike objects of which each is a pipeline: a list, or an object that
    holds several. So the k-th of one list goes with the k-th of another, among members of the same class. Attributes and entries of
    dicts come first; the entries of one list are pipelines themselves only if no attributes are.

    Args:
        members: in the order of the search.
    """
    lines = [_line(member.location) for member in members]
    labels = [tuple(step.label for step in line) for line in lines]
    below = Counter(label[:end] for label in labels for end in range(len(label) + 1))
    sides: dict[bool, dict[Any, list[int]]] = {True: defaultdict(list), False: defaultdict(list)}
    for number, (line, label) in enumerate(zip(lines, labels, strict=True)):
        for place, step in enumerate(line[:-1]):
            sides[step.named][label[:place], step.kind, label[place + 1 :]].append(number)
    role_of = list(range(len(lines)))
    fronts: list[tuple[int, list[int]]] = []
    for named in (True, False):
        for (above, *_), numbers in sides[named].items():
            place = len(above)
            in_list = not all(inner.named for inner in lines[numbers[0]][place + 1 :])
            several = max(below[labels[number][: place + 1]] for number in numbers) > 1
            if len(numbers) > 1 and (in_list or several):
                joined = {role_of[number] for number in numbers}
                role_of = [min(joined) if role in joined else role for role in role_of]
                fronts.append((place + 1, numbers))
        if fronts:
            break
    roles: dict[int, list[int]] = defaultdict(list)
    for number, role in enumerate(role_of):
        roles[role].append(number)
    alone = [role for role, numbers in roles.items() if len(numbers) == 1]
    if len(alone) == len(members) or any(_is_torn(lines, labels, alone, *front) for front in fronts):
        return []
    return [[members[number] for number in numbers] for numbers in roles.values()]


def _is_torn(
    lines: Sequence[list[_Step]],
    labels: Sequence[Any],
    alone: Sequence[int],
    end: int,
    numbers: Sequence[int],
) -> bool:
    """Return whether two sides, whose lines differ in the step before `end`, may belong together in another way.

    Two lists in a list may be two pipelines, or, with several of one class, pairs of an image and its mask. And what the roles leave
    alone on both sides, of one class, may be a pair.
    """
    first, inner = lines[numbers[0]][end - 1], lines[numbers[0]][end:]
    is_grid = not first.named and any(not step.named and step.label[-1] > 1 for step in inner)
    sides = {labels[number][:end] for number in numbers}
    left = {
        (labels[number][:end], lines[number][-2].kind, lines[number][-1].label[0])
        for number in alone
        if labels[number][:end] in sides
    }
    return is_grid or len(left) > len({left_over[1:] for left_over in left})


def _unpickled_group(generator: Found, earlier: Mapping[str, Group]) -> Group | None:
    group = earlier.get(generator.path)
    return None if group is None or group.thing is not None else group._replace(thing=generator.thing)


def _unlike(path: str, names: Collection[str]) -> str:
    """Return a path as a name that no group has, since the generator that was there may have moved."""
    while path in names:
        path += "'"
    return path
