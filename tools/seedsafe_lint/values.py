"""The abstract values that the interpreter computes with: only what matters to where random numbers come from."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, Self

from seedsafe_lint.alternatives import Value, Values, join
from seedsafe_lint.index import Class, Frame, Function, Module

__all__ = [
    "GIVEN",
    "STATIC",
    "UNKNOWN",
    "Bound",
    "Cls",
    "Const",
    "Ext",
    "Fn",
    "Gen",
    "Group",
    "Inst",
    "Mod",
    "Opaque",
    "Saved",
    "Super",
    "constant",
    "contents",
    "is_plain",
]


class _Hashed:
    """Keeps its hash: values nest deeply and are looked up all the time."""

    __slots__ = ("_hash",)
    _hash: int

    def __post_init__(self) -> None:
        parts = tuple(getattr(self, name) for name in type(self).__match_args__)  # type: ignore[attr-defined]
        object.__setattr__(self, "_hash", hash((type(self), *parts)))

    def __hash__(self) -> int:
        return self._hash


class _Single:
    """One object for each content, which is compared and hashed as an object."""

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
    """Something of a library, by its dotted name; `()` in it marks the result of a call."""

    name: str


@dataclass(frozen=True, init=False, eq=False)
class Const(_Single, Value):
    """A literal."""

    value: str | bytes | int | float | complex | bool | None


@dataclass(frozen=True, init=False, eq=False)
class Opaque(_Single, Value):
    """A value without structure.

    `static` ones were fixed before the workers started; `given` ones are arguments that a caller passed.
    """

    static: bool = False
    given: bool = False


@dataclass(frozen=True, slots=True)
class Gen(Value):
    """A random generator.

    Args:
        kind: How it was made, ``np.random.default_rng`` and so on; ``argument`` for a parameter that is one.
        module: Where it was made.
        node: The call (or the parameter) that made it.
        stored: Made before the workers started.
        seed: ``none`` for the system's entropy, ``constant`` for the same seed everywhere, else ``varying``.
    """

    kind: str
    module: Module
    node: ast.AST
    stored: bool
    seed: Literal["none", "constant", "varying"]


@dataclass(frozen=True, slots=True)
class Saved(Value):
    """The state of a process-wide generator, and how it was seeded when worker code saved it; empty if it was not."""

    generator: str
    seed: str


@dataclass(frozen=True, slots=True)
class Bound(Value):
    """A method of a generator."""

    gen: Gen
    name: str


@dataclass(frozen=True, slots=True)
class Fn(_Hashed, Value):
    """A function of the analysed code, with what is bound to it."""

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
    """An instance of a class of the analysed code, with the arguments of its constructor as far as known."""

    cls: Class
    args: tuple[tuple[str, Values], ...] = ()
    stored: bool = True
    __hash__ = _Hashed.__hash__

    @property
    def key(self) -> object:
        """What its attributes are kept under: those that worker code made apart from those that were there before."""
        return self.cls if self.stored else (self.cls,)

    @property
    def family(self) -> object:
        """Its class, if worker code made it."""
        return None if self.stored else (Inst, self.cls)

    def united(self, others: Iterable[Value]) -> "Inst":
        """Return an instance of which the arguments are not known."""
        return Inst(self.cls, (), stored=False)


@dataclass(frozen=True, slots=True)
class Super(Value):
    """`super()` in a method of `after`, called on `owner`."""

    owner: "Inst | Cls"
    after: Class


@dataclass(frozen=True, slots=True)
class Group(_Hashed, Value):
    """A container, or (`calls`) an object of a library that calls what it holds."""

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
        """True if it holds nothing that could draw."""
        return all(map(is_plain, self.items))

    @property
    def family(self) -> object:
        """What it does with what it holds."""
        return (Group, self.calls, self.origin)

    def united(self, others: Iterable[Value]) -> "Group":
        """Return a container of what all of them hold."""
        items = join(self.items, *(other.items for other in others if isinstance(other, Group)))
        return Group(items, self.calls, self.origin)


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
GIVEN: Values = (Opaque(given=True),)
STATIC: Values = (Opaque(static=True),)


_LOUD = re.compile(
    r"rand|rng|imgaug|seed|[gG]enerator|^(numpy|random|cv2|scipy|sklearn|torch|np|iaa)$|^\?\.\w+$"
)


@cache
def _loud(name: str) -> bool:
    return _LOUD.search(name) is not None


def is_plain(value: Value) -> bool:
    """Return True for a value that cannot draw, nor lead to something that does."""
    kind = type(value)
    if kind is Const or kind is Opaque:
        return True
    if isinstance(value, Ext):
        return not _loud(value.name)
    return isinstance(value, Group) and not value.calls and value.quiet


def constant(values: Values) -> bool:
    """Return True if the value was the same in every worker and for every sample."""
    return all(isinstance(v, Const) or (isinstance(v, Opaque) and v.static) for v in values)


def contents(values: Values) -> Values:
    """Return what iterating over these values, or indexing them, can give."""
    found: Values = ()
    for value in values:
        if isinstance(value, Group):
            found = join(found, value.items)
        elif isinstance(value, Const) or (isinstance(value, Opaque) and value.static):
            found = join(found, STATIC)
        else:
            found = join(found, UNKNOWN)
    return found or UNKNOWN
