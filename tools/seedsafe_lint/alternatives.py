"""The alternative values of a variable."""

from collections.abc import Iterable
from typing import TypeAlias

__all__ = ["Value", "Values", "join"]

_MANY = 6
_LIMIT = 24


class Value:
    """An abstract value. `seedsafe_lint.values` has its kinds."""

    __slots__ = ()

    @property
    def family(self) -> object:
        """A label that values which can be merged share, or None if this one cannot be merged."""
        return None

    def unite(self, others: "Iterable[Value]") -> "Value":
        """Return one value in place of this one and others of its family."""
        raise NotImplementedError


Values: TypeAlias = tuple[Value, ...]


def join(first: Values, *more: Values) -> Values:
    """Return all the alternatives without duplicates. If there are many, merge those of one family."""
    if not first and len(more) == 1 and len(more[0]) <= _MANY:
        return more[0]
    result = first
    for values in more:
        if not result:
            result = values
        elif values and values is not result and values != result:
            result = tuple(dict.fromkeys(result + values))
    if len(result) > _MANY and result is not first:
        result = _condense(result)
    return result[:_LIMIT]


def _condense(values: Values) -> Values:
    kinds = [value.family for value in values]
    if kinds.count(None) + len({*kinds} - {None}) == len(values):
        return values
    families: dict[object, list[Value]] = {}
    for value in dict.fromkeys(values):
        family = value.family
        families.setdefault(value if family is None else family, []).append(value)
    return tuple(of[0].unite(of[1:]) if len(of) > 1 else of[0] for of in families.values())
