"""The IAA transforms that albumentations had until 1.0, with their arguments, as the core's."""

from __future__ import annotations

from typing import Any, Final

from seedsafe_albumentations.arguments import around, is_number
from seedsafe_albumentations.crops import CropAndPad
from seedsafe_albumentations.geometry import Affine, HorizontalFlip, Perspective, VerticalFlip

__all__ = ["IAAAffine", "IAACropAndPad", "IAAFliplr", "IAAFlipud", "IAAPerspective"]

_ORDERS: Final = {0: 0, 1: 1, 3: 2}
_BORDERS: Final = {"constant": 0, "edge": 1, "symmetric": 2, "reflect": 4}


def IAAAffine(
    scale: Any = 1.0,
    translate_percent: Any = None,
    translate_px: Any = None,
    rotate: Any = 0.0,
    shear: Any = 0.0,
    order: int = 1,
    cval: Any = 0,
    mode: str = "reflect",
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.Affine``; one number of scale or translate_percent reaches from 1 or 0, of rotate or shear to both sides."""
    return Affine(
        _from(1.0, scale),
        None if translate_percent is None else _from(0.0, translate_percent),
        translate_px,
        around(rotate),
        {"x": around(shear)},
        interpolation=_of("order", order, _ORDERS),
        border_mode=_of("mode", mode, _BORDERS),
        fill=cval,
        p=p,
        always_apply=always_apply,
    )


def IAAPerspective(
    scale: Any = (0.05, 0.1), keep_size: bool = True, p: float = 0.5, *, always_apply: bool | None = None
) -> Any:
    """Return ``seedsafe.Perspective``."""
    return Perspective(_from(1.0, scale), keep_size, p=p, always_apply=always_apply)


def IAACropAndPad(
    px: Any = None,
    percent: Any = None,
    pad_mode: str = "constant",
    pad_cval: Any = 0,
    keep_size: bool = True,
    p: float = 1.0,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.CropAndPad``."""
    border = _of("pad_mode", pad_mode, _BORDERS)
    return CropAndPad(
        px, percent, keep_size, border_mode=border, fill=pad_cval, p=p, always_apply=always_apply
    )


def IAAFliplr(p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.HorizontalFlip``."""
    return HorizontalFlip(p, always_apply=always_apply)


def IAAFlipud(p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.VerticalFlip``."""
    return VerticalFlip(p, always_apply=always_apply)


def _from(low: float, value: Any) -> Any:
    """Return a range as these transforms read it: one number reaches from a fixed end."""
    return (min(low, value), max(low, value)) if is_number(value) else value


def _of(name: str, value: Any, known: dict[Any, int]) -> int:
    if not isinstance(value, int | str) or value not in known:
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}: take another one"
        )
    return known[value]
