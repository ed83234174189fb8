"""What a variable may hold: a few alternatives, each an abstract value."""

from typing import TypeAlias

__all__ = ["Value", "Values", "join"]

_LIMIT = 24


class Value:
    """An abstract value; `seedsafe_lint.values` has the kinds of it."""

    __slots__ = ()


Values: TypeAlias = tuple[Value, ...]


def join(first: Values, *more: Values) -> Values:
    """Return the alternatives of several values, without duplicates."""
    merged = first
    for values in more:
        if values is not merged and values != merged:
            merged = tuple(dict.fromkeys(merged + values))
    return merged[:_LIMIT]
