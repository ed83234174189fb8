"""What matters of a value to whether a function draws."""

from seedsafe_lint.alternatives import Value, Values
from seedsafe_lint.values import UNKNOWN, Const, Ext, Fn, Group, Inst, Opaque, is_plain

__all__ = ["opened", "plainer", "shape"]

_SILENT = {True, Const, Group}  # kinds of values
_NOTHING = frozenset({False})


def shape(values: Values) -> frozenset[object]:
    """Return what matters of some values: of plain ones their kinds, of objects made for the sample their classes."""
    kinds: set[object] = set()
    held: dict[tuple[bool, str], set[object]] = {}
    for value in values:
        if isinstance(value, Group):
            held.setdefault((value.calls, value.origin), set()).update(map(_kind, value.items))
        else:
            kinds.add(_kind(value))
    for how, what in held.items():
        within = _fewer(what)
        kinds.add(Group if within == _NOTHING and not how[0] else (how, within))
    return _fewer(kinds)


def _fewer(kinds: set[object]) -> frozenset[object]:
    """Return the kinds without those that say nothing beside a value of which nothing is known."""
    return frozenset(kinds - _SILENT) if False in kinds else frozenset(kinds)


def plainer(values: Values) -> Values:
    """Return the values without what no rule asks for, so that few different ones are left."""
    return tuple(dict.fromkeys(map(_plainer, values)))


def opened(value: Value) -> Value:
    """Return the value, or for a container of plain values one of which nothing is known."""
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
        case Const(value=None) | Const(value=str()):
            return value
        case Opaque(given=given):
            return given
        case Ext() if is_plain(value):
            return False
        case Inst(cls=cls, stored=False):
            return cls
        case Group(calls=calls):
            return type(value), calls
        case Fn(function=function, owner=Inst(cls=cls, stored=False)):
            return function.node, cls
        case _:
            return type(value) if is_plain(value) else value
