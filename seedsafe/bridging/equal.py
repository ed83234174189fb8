"""Find generators that are in equal states."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
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
        self.above = above
        """The hooked object that holds it, in containers if need be."""
        self.far = far
        """Whether a generator is held through other objects too, such as imgaug's around those of NumPy. One that is set there keeps its own numbers."""
        self.keeps_place = False
        """Whether the segments of others are counted as if it had one, although a hook replaces it."""
        self.inside: list[Found] = []
        """The generators that a hooked object holds."""
        self.seeders: list[Found] = []
        """The hooked objects above that pass their seeds on to it, the outermost first: imgaug's Sometimes does so past a Sequential inside."""
        self.seeds: list[Found] = []
        """What a hooked object passes its seed on to."""
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

    def read(self) -> Found:
        """Note the present state: of a hooked object that of its nearest generators."""
        states = _states(self.parts())
        if not states and self.inside:
            depth = min(part.location.depth for part in self.inside)
            near = [part.location for part in self.inside if part.location.depth == depth]
            start = len(self.location.path)
            states = _states({location.path[start:]: location.thing for location in near})
        named = [(name, state) for name, (state, _) in states.items()]
        self.state = repr((self.hook, named)) if states else None
        self.holders = frozenset(holder for _, holder in states.values())
        return self

    def owners(self) -> Iterator[Found]:
        """Yield the hooked objects that may pass a seed on to it."""
        if self.above is not None:
            yield self.above
            yield from self.above.owners()

    def held_below(self, other: Found) -> list[Any]:
        """Return what is now on the way to it from another one. If a hook has replaced any of it, nobody asks this generator again."""
        return [location.stored() for location in self.location.below(other.location)]

    def mark(self) -> tuple[Any, list[Any]]:
        """Return a value that differs after a hook has set it, and the objects that it names, so that they stay alive."""
        parts = list(self.parts().values())
        things = [self.location.stored(), *parts]
        generators = (generator_of("", part) for part in parts)
        marks = [None if generator is None else generator.mark() for generator in generators]
        return ([id(thing) for thing in things], marks), things


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
    generators: Sequence[Found], earlier: Mapping[str, Group], *, joins: bool, by_role: bool
) -> tuple[dict[str, Group], set[str]]:
    """Return the group of each generator, by its path, and the names of the groups whose roles cannot be read.

    Args:
        generators: in the order of the search.
        earlier: the groups of an earlier search. They stay, because the states have moved on since.
        joins: whether generators that are new may join others. If not, each is alone in its group.
        by_role: whether those of more than two in equal states are joined only if they have one role.
    """
    at = {id(group.thing): group for group in earlier.values()}
    kept = {
        generator.path: at.get(id(generator.thing)) or _unpickled_group(generator, earlier)
        for generator in generators
    }
    names = {group.name for group in earlier.values()}
    groups = {path: group for path, group in kept.items() if group is not None}
    equal: dict[str, list[Found]] = {}
    for generator in sorted(generators, key=lambda generator: generator.path not in groups):  # stable
        alone = [generator]
        others = alone if generator.state is None or not joins else equal.setdefault(generator.state, alone)
        if others is not alone and not others[0].holders & generator.holders:
            others.append(generator)
        elif others is not alone and generator.path not in groups:
            _put(groups, alone, names)  # two over one source are no pair
    unread: set[str] = set()
    single = [[generator] for generator in generators if generator.state is None or not joins]
    for members in (*single, *equal.values()):
        is_new = any(member.path not in groups for member in members)
        roles = paired_by_role(members) if by_role and is_new and len(members) > 2 else [members]
        for role in roles or [members]:
            _put(groups, role, names, groups.get(members[0].path))
        if roles is None:
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


def paired_by_role(members: Sequence[Found]) -> list[list[Found]] | None:
    """Return generators in equal states in groups of one role each, or None if the objects' structure shows no roles.

    Two have one role if their paths differ in one step, between two alike objects of which each is a pipeline: a list, or an object that
    holds several. So the k-th of one list goes with the k-th of another, among members of the same class. Attributes and entries of
    dicts come first; the entries of one list are pipelines themselves only if no attributes are.

    Args:
        members: in the order of the search.
    """
    lines = [_line(member.location) for member in members]
    exact, loose = (_roles(lines, counted=counted) for counted in (True, False))
    # Where one list has more of a class than the other, the k-th need not be the k-th.
    if not exact or exact != loose or len(exact) == len(members):
        return None
    return [[members[number] for number in role] for role in exact]


class _Step(NamedTuple):
    """A step on the way to a generator."""

    kind: type
    """The class of the object that it leads to."""
    named: bool
    label: tuple[Any, ...]
    """An attribute's name or a dict's key; in a list, the position among the members of that class."""
    members: int
    """The members of that class in the list."""


def _line(location: Location) -> list[_Step]:
    """Return the steps from the root to a location."""
    line: list[_Step] = []
    while location.above is not None:
        holder, kind = location.above.thing, type(location.thing)
        if isinstance(holder, list | tuple | deque) and location.holder is holder:
            alike = [number for number, entry in enumerate(holder) if type(entry) is kind]
            line.append(_Step(kind, False, (kind, alike.index(location.name)), len(alike)))
        else:
            line.append(_Step(kind, True, (location.step, 0 if location.holder else location.number), 1))
        location = location.above
    return line[::-1]


def _roles(lines: Sequence[list[_Step]], *, counted: bool) -> list[list[int]]:
    """Return the numbers of the lines of each role."""
    labels = [tuple((*step.label, step.members * counted) for step in line) for line in lines]
    below = Counter(label[:end] for label in labels for end in range(len(label) + 1))
    sides: dict[bool, dict[Any, list[int]]] = {True: defaultdict(list), False: defaultdict(list)}
    for number, (line, label) in enumerate(zip(lines, labels, strict=True)):
        for place, step in enumerate(line[:-1]):
            in_list = not all(inner.named for inner in line[place + 1 :])
            alike = label[:place], step.kind, label[place + 1 :]
            sides[step.named][alike, in_list].append(number)
    role_of = list(range(len(lines)))
    for named in (True, False):
        fronts: list[tuple[int, list[int]]] = []
        for (alike, in_list), numbers in sides[named].items():
            place = len(alike[0])
            several = max(below[labels[number][: place + 1]] for number in numbers) > 1
            if len(numbers) > 1 and (in_list or several):
                least = min(role_of[number] for number in numbers)
                joined = {role_of[number] for number in numbers}
                role_of = [least if role in joined else role for role in role_of]
                fronts.append((place, numbers))
        if fronts:
            is_clear = named or not any(_is_grid(lines[one][place + 1 :]) for place, (one, *_) in fronts)
            alone = [number for number, role in enumerate(role_of) if role_of.count(role) == 1]
            ends = [{labels[number][: place + 1] for number in numbers} for place, numbers in fronts]
            if not is_clear or any(_parts_alike(lines, labels, alone, sides) for sides in ends):
                return []
            break
    roles: dict[int, list[int]] = defaultdict(list)
    for number, role in enumerate(role_of):
        roles[role].append(number)
    return list(roles.values())


def _is_grid(line: Sequence[_Step]) -> bool:
    """Return whether a list in a list has several of one class: two pipelines of two members, or two pairs of an image and its mask."""
    return any(not step.named and step.members > 1 for step in line)


def _parts_alike(
    lines: Sequence[list[_Step]], labels: Sequence[Any], alone: Sequence[int], sides: Collection[Any]
) -> bool:
    """Return whether two sides have members of one class that the roles leave alone, so that these may belong together."""
    first: dict[Any, Any] = {}
    for number in alone:
        side = next((side for side in sides if labels[number][: len(side)] == side), None)
        *_, holder, last = [None, *lines[number]]
        kind = holder and holder.kind, last.label[0] if last else None
        if side is not None and first.setdefault(kind, side) != side:
            return True
    return False


def _unpickled_group(generator: Found, earlier: Mapping[str, Group]) -> Group | None:
    group = earlier.get(generator.path)
    return None if group is None or group.thing is not None else group._replace(thing=generator.thing)


def _unlike(path: str, names: Collection[str]) -> str:
    """Return a path as a name that no group has, since the generator that was there may have moved."""
    while path in names:
        path += "'"
    return path
