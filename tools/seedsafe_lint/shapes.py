"""The part of a value that can draw."""

from seedsafe_lint.alternatives import Value, Values
from seedsafe_lint.values import UNKNOWN, Const, Ext, Fn, Group, Inst, Opaque, is_plain

__all__ = ["hide_plain", "plainer", "shape"]

_FEW = 2  # up to this many alternatives, each string counts, because it may be the name of a method


def shape(values: Values) -> frozenset[object]:
    """Return the parts of values that can draw: for plain values whether they can be None, for a worker's objects the class."""
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
        kinds.add((bool(some), len(some) < len(plain), argument))
        if len(values) <= _FEW:
            kinds.update(v for v in some if isinstance(v, Const) and isinstance(v.value, str))
    return frozenset(kinds)


def plainer(values: Values) -> Values:
    """Return the values without the details that no rule needs, so that few are different."""
    return tuple(dict.fromkeys(map(_plainer, values)))


def hide_plain(value: Value) -> Value:
    """Return the value, or an unknown value for a container of plain ones."""
    return UNKNOWN[0] if isinstance(value, Group) and is_plain(value) else value


def _plainer(value: Value, within: bool = False) -> Value:
    match value:
        case Opaque(static=True):
            return UNKNOWN[0]
        case Inst(cls=cls, args=args, stored=False) if args:
            return Inst(cls, (), stored=False)
        case Ext() if is_plain(value):
            return UNKNOWN[0]
        case Group() if is_plain(value):
            return UNKNOWN[0]
        case Group() if within:
            return value
        case Group(items=items, calls=calls, origin=origin):
            return Group(tuple(dict.fromkeys(_plainer(item, True) for item in items)), calls, origin)
        case _:
            return value


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
