"""OneOf and its kin."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, permutations, product
from typing import Any, Final

import seedsafe as ss
from seedsafe_albumentations.arguments import flag_of, is_number, number_of
from seedsafe_albumentations.functions import Nothing
from seedsafe_albumentations.members import list_of, members_of
from seedsafe_albumentations.table import name_for, with_p

__all__ = ["OneOf", "OneOrOther", "RandomOrder", "SomeOf"]

_ORDERS: Final = 720
"""How many orders RandomOrder may choose from: those of six transforms."""


@name_for(ss.Choice)
def OneOf(transforms: Sequence[Any], p: float = 0.5) -> Any:
    """Return a choice of one transform, each weighted by its p; the chosen one always fires."""
    given = [one for one in list_of(transforms) if one is not None]
    members = _without_tensors(given)
    weighted = (mine if isinstance(mine, Nothing) else one for mine, one in zip(given, members, strict=True))
    weights = [float(getattr(one, "p", 1.0)) for one in weighted]
    return ss.Choice([with_p(one, 1.0) for one in members], weights=weights, p=p)


@name_for(ss.Choice)
def OneOrOther(
    first: Any = None, second: Any = None, transforms: Sequence[Any] | None = None, p: float = 0.5
) -> Any:
    """Return a choice of two: the first with probability p, else the second."""
    members = _without_tensors([first, second] if transforms is None else transforms)
    return ss.Choice([with_p(one, 1.0) for one in members], weights=[number_of(p, "p"), 1 - p])


@name_for(ss.SomeOf)
def SomeOf(transforms: Sequence[Any], n: int = 1, replace: bool = False, p: float = 1) -> Any:
    """Return a choice of n transforms, all equally likely, which fire with their own p."""
    members = _without_tensors(transforms)
    return ss.SomeOf(members, n=_count(n, members, replace), replace=replace, p=p)


@name_for(ss.OneOf)
def RandomOrder(transforms: Sequence[Any], n: int = 1, replace: bool = False, p: float = 1) -> Any:
    """Return a choice of n transforms in any order, all orders equally likely, which fire with their own p.

    Raises:
        ValueError: there are more than 720 orders.
    """
    members = _without_tensors(transforms)
    count = _count(n, members, replace)
    sequences = product(members, repeat=count) if replace else permutations(members, count)
    orders = [ss.Compose(list(one)) for one in islice(sequences, _ORDERS + 1)]
    if len(orders) > _ORDERS:
        raise ValueError(
            f"RandomOrder chooses from at most {_ORDERS} orders, got {count} of {len(members)} transforms: pass fewer transforms or a "
            "smaller n, or use SomeOf"
        )
    return ss.OneOf(orders, p=p)


def _count(n: Any, members: list[Any], replace: Any) -> int:
    """Return how many members are chosen; without replacement these are at most all."""
    if not is_number(n) or n != n // 1 or n < 1:
        raise ValueError(
            f"n must be a whole number from 1 on, got {n!r}: pass the number of transforms to apply"
        )
    return int(n) if flag_of(replace, "replace") else min(int(n), len(members))


def _without_tensors(transforms: Sequence[Any]) -> list[Any]:
    members, to_tensor = members_of(transforms)
    if to_tensor is not None:
        raise ValueError("ToTensorV2 must stand last in the outermost Compose: move it there")
    return members
