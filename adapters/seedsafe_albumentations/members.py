"""Transforms of all kinds as those of seedsafe."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import seedsafe as ss
from seedsafe_albumentations.base import Own
from seedsafe_albumentations.caller import bridge, is_original
from seedsafe_albumentations.functions import Nothing
from seedsafe_albumentations.named import Named
from seedsafe_albumentations.pytorch import ToTensorV2

__all__ = ["list_of", "members_of"]


def list_of(transforms: Any) -> list[Any]:
    """Return the transforms as a list. A single one is accepted with a warning, as in albumentations."""
    if isinstance(transforms, Named | ss.Transform | ss.Compose | ToTensorV2):
        warnings.warn(
            f"transforms should be a list, got {transforms!r} alone: put it in a list",
            stacklevel=3,
        )
        return [transforms]
    if not isinstance(transforms, Iterable) or getattr(transforms, "shape", None) == ():
        raise TypeError(f"transforms must be a list of transforms, got {transforms!r}: pass [] for none")
    return list(transforms)


def members_of(transforms: Sequence[Any]) -> tuple[list[Any], ToTensorV2 | None]:
    """Return the transforms as seedsafe's, and the ToTensorV2 at their end or None."""
    members: list[Any] = []
    to_tensor = None
    for one in list_of(transforms):
        if one is None:
            continue
        if to_tensor is not None:
            raise ValueError(f"ToTensorV2 must stand last, but {one!r} follows it: put ToTensorV2 at the end")
        if isinstance(one, ToTensorV2):
            to_tensor = one
        elif isinstance(one, Named):
            inner, to_tensor = members_of(one.transforms)
            core = ss.Compose(inner)
            members.append(ss.RandomApply([core], p=one.p) if one.p < 1 and inner else core)
        elif isinstance(one, Own) or is_original(one):
            members.append(bridge(one))
        elif isinstance(one, ss.Bridged) and is_original(one.function):
            members.append(bridge(one.function, name=one.name, options=one.options, returns=one.returns))
        elif isinstance(one, ss.Transform | ss.Compose):
            members.append(ss.Compose([]) if isinstance(one, Nothing) else one)
        else:
            raise TypeError(
                f"a transform must be of seedsafe_albumentations or seedsafe, got {one!r}: wrap it in seedsafe.bridge"
            )
    return members, to_tensor
