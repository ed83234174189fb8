"""Abstract values and their parts that can draw."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, Self

from seedsafe_lint.index import Class, Frame, Function, Module, Value, Values, join, union
from seedsafe_lint.tables import patterns

__all__ = [
    "ARGUMENT",
    "STATIC",
    "UNKNOWN",
    "Bound",
    "Cls",
    "Const",
    "Drawn",
    "Ext",
    "Fn",
    "Gen",
    "Group",
    "Inst",
    "Mod",
    "Opaque",
    "Saved",
    "Super",
    "Table",
    "constant",
    "contents",
    "drawn",
    "hide_plain",
    "is_plain",
    "mixed",
    "shape",
]

_RE = patterns("values")


class _Hashed:
    """Stores its hash, because values nest deeply and are looked up often (benchmarks/lint_speed.py)."""

    __slots__ = ("_hash",)
    _hash: int

    def __post_init__(self) -> None:
        parts = tuple(getattr(self, name) for name in type(self).__match_args__)  # type: ignore[attr-defined]
        object.__setattr__(self, "_hash", hash((type(self), *parts)))

    def __hash__(self) -> int:
        return self._hash


class _Single:
    """One object for each content, compared and hashed by identity."""

    __slots__ = ()

    def __new__(cls, *parts: Any, **named: Any) -> Self:
        key = (cls, parts, type(parts[0])) if parts else (cls, *named)  # 1 and True are equal
        result = _singles.get(key)
        if result is None:
            result = _singles[key] = object.__new__(cls)
            for field, part in [*zip(cls.__match_args__, parts, strict=False), *named.items()]:  # type: ignore[attr-defined]
                object.__setattr__(result, field, part)
        return result


_singles: dict[object, Any] = {}


@dataclass(frozen=True, init=False, eq=False)
class Ext(_Single, Value):
    """A library's object by its dotted name, in which `()` marks the result of a call."""

    name: str


@dataclass(frozen=True, init=False, eq=False)
class Const(_Single, Value):
    """A literal."""

    value: str | bytes | int | float | complex | bool | None

    @property
    def family(self) -> object:
        """The family of numbers, which all count as alike."""
        return Const if isinstance(self.value, int | float) else None

    def unite(self, others: Iterable[Value]) -> Value:
        """Return a fixed value."""
        return STATIC[0]


@dataclass(frozen=True, init=False, eq=False)
class Opaque(_Single, Value):
    """A value without structure: fixed before the workers start, or an argument that a caller passes."""

    static: bool = False
    argument: bool = False


@dataclass(frozen=True, init=False, eq=False)
class Drawn(_Single, Value):
    """What a generator (its name or its place) has drawn. It is `pure` if it depends on nothing else but fixed values."""

    source: str
    pure: bool


@dataclass(frozen=True, slots=True)
class Gen(Value):
    """A random generator: the call that makes it (``argument`` for a parameter), whether it is made before the workers start,
    and whether its seed is the system's entropy (``none``), the same everywhere (``constant``) or ``varying``.
    """

    kind: str
    module: Module
    node: ast.AST
    stored: bool
    seed: Literal["none", "constant", "varying"]

    @property
    def source(self) -> str:
        """Its place, by which `Drawn` names it."""
        return f"{self.module.path}:{getattr(self.node, 'lineno', 0)}:{getattr(self.node, 'col_offset', 0)}"


@dataclass(frozen=True, slots=True)
class Saved(Value):
    """The state of a process-wide generator that worker code saved, and its seed then (empty if it had none)."""

    generator: str
    seed: str


@dataclass(frozen=True, slots=True)
class Bound(Value):
    """A method of a generator."""

    gen: Gen
    name: str


@dataclass(frozen=True, slots=True)
class Fn(_Hashed, Value):
    """A function of the analysed code, with its object and bound arguments."""

    function: Function
    owner: "Inst | Cls | None" = None
    frame: Frame | None = None
    args: tuple[Values, ...] = ()
    kwargs: tuple[tuple[str, Values], ...] = ()
    __hash__ = _Hashed.__hash__


@dataclass(frozen=True, slots=True)
class Cls(Value):
    """A class of the analysed code."""

    cls: Class


@dataclass(frozen=True, slots=True)
class Inst(_Hashed, Value):
    """An instance of a class of the analysed code, with the known arguments of its constructor."""

    cls: Class
    args: tuple[tuple[str, Values], ...] = ()
    stored: bool = True
    __hash__ = _Hashed.__hash__

    @property
    def key(self) -> object:
        """The key of its attributes in `State`. Instances that worker code makes have another key."""
        return self.cls if self.stored else (self.cls,)

    @property
    def family(self) -> object:
        """Its class, if worker code makes it."""
        return None if self.stored else (Inst, self.cls)

    def unite(self, others: Iterable[Value]) -> "Inst":
        """Return an instance with unknown arguments."""
        return Inst(self.cls, (), stored=False)


@dataclass(frozen=True, slots=True)
class Super(Value):
    """`super()` in a method of `after`, called on `owner`."""

    owner: "Inst | Cls"
    after: Class


@dataclass(frozen=True, slots=True)
class Group(_Hashed, Value):
    """A container, or (`calls`) a library's object that calls its items."""

    items: Values
    calls: bool = False
    origin: str = ""
    depth: int = field(default=1, init=False, repr=False, compare=False)
    __hash__ = _Hashed.__hash__

    def __post_init__(self) -> None:
        within = max((item.depth for item in self.items if isinstance(item, Group)), default=0)
        if within >= _DEPTH:
            object.__setattr__(self, "items", tuple(dict.fromkeys(_flat(self.items, 1))))
        object.__setattr__(self, "depth", min(within + 1, _DEPTH))
        object.__setattr__(self, "_hash", hash((Group, self.items, self.calls, self.origin)))

    @property
    def quiet(self) -> bool:
        """Whether none of its items can draw."""
        return all(map(is_plain, self.items))

    @property
    def family(self) -> object:
        """How it uses its items."""
        return (Group, self.calls, self.origin)

    def unite(self, others: Iterable[Value]) -> "Group":
        """Return a container of all their items."""
        items = join(self.items, *(other.items for other in others if isinstance(other, Group)))
        return Group(items, self.calls, self.origin)


@dataclass(frozen=True, slots=True)
class Table(Group):
    """A dictionary, with the values of its keys that are written as strings."""

    named: tuple[tuple[str, Values], ...] = ()
    __hash__ = _Hashed.__hash__


@dataclass(frozen=True, slots=True)
class Mod(Value):
    """A module of the analysed code."""

    module: Module


def _flat(items: Values, depth: int) -> Iterator[Value]:
    for item in items:
        if not isinstance(item, Group) or item.depth + depth <= _DEPTH:
            yield item
        elif depth < _DEPTH:
            yield Group(tuple(dict.fromkeys(_flat(item.items, depth + 1))), item.calls, item.origin)
        else:
            yield from _flat(item.items, depth)


_DEPTH = 3  # containers within containers

UNKNOWN: Values = (Opaque(),)

ARGUMENT: Values = (Opaque(argument=True),)

STATIC: Values = (Opaque(static=True),)


@cache
def _loud(name: str) -> bool:
    return _RE.LOUD.search(name) is not None


def is_plain(value: Value) -> bool:
    """Return whether a value can neither draw nor lead to one that draws."""
    kind = type(value)
    if kind is Const or kind is Opaque or kind is Drawn:
        return True
    if isinstance(value, Ext):
        return not _loud(value.name)
    return isinstance(value, Group) and not value.calls and value.quiet


def constant(values: Values) -> bool:
    """Return whether a value is the same in every worker and for every sample."""
    return all(isinstance(v, Const) or (isinstance(v, Opaque) and v.static) for v in values)


def contents(values: Values) -> Values:
    """Return the values that a loop over these values, or a subscript, can give."""
    parts = (v.items if isinstance(v, Group) else _part_of(v) for v in values)
    return union(parts) or UNKNOWN


def drawn(values: Values) -> bool:
    """Return whether one of some values, or of their items, was drawn."""
    return any(isinstance(value, Drawn) for value in (*values, *contents(values)))


def _part_of(value: Value) -> Values:
    return (value,) if isinstance(value, Drawn) else STATIC if constant((value,)) else UNKNOWN


def mixed(values: Values) -> Values:
    """Return what of some values was drawn, as a computation with all of them gives it."""
    pure = all(isinstance(v, Drawn) or constant((v,)) for v in values)
    return tuple(dict.fromkeys(Drawn(v.source, v.pure and pure) for v in values if isinstance(v, Drawn)))


_FEW = 2  # up to this many alternatives, each string counts, because it may be the name of a method


def shape(values: Values) -> frozenset[object]:
    """Return the parts of values that can draw. Plain values count by whether they can be None, a worker's objects by class."""
    kinds: set[object] = set()
    plain: list[Value] = []
    groups: dict[tuple[bool, str], Values] = {}
    for value in values:
        if is_plain(value):
            plain.append(value)
        elif isinstance(value, Group):
            how = value.calls, value.origin
            groups[how] = groups.get(how, ()) + value.items
        else:
            kinds.add(_kind(value))
    for how, items in groups.items():
        loud = frozenset(_kind(item) for item in items if not is_plain(item))
        kinds.add((how, loud, len(loud) < len(items)))
    if plain:
        some = [value for value in plain if value != _NONE]
        argument = all(isinstance(value, Opaque) and value.argument for value in some)
        kinds.add((bool(some), len(some) < len(plain), argument, *(v for v in some if isinstance(v, Drawn))))
        if len(values) <= _FEW:
            kinds.update(v for v in some if isinstance(v, Const) and isinstance(v.value, str))
    return frozenset(kinds)


def hide_plain(value: Value) -> Value:
    """Return the value, or an unknown value for a plain one that is neither a literal, nor drawn, nor an argument."""
    counts = isinstance(value, Const | Drawn) or (isinstance(value, Opaque) and value.argument)
    return UNKNOWN[0] if is_plain(value) and not counts else value


def _kind(value: Value) -> object:
    match value:
        case Inst(cls=cls, stored=False):
            return cls
        case Group(calls=calls):
            return Group, calls
        case Fn(function=function, owner=Inst(cls=cls, stored=False)):
            return function.node, cls
        case _:
            return value


_NONE = Const(None)
