"""Crops, also those that bring what they cut out to a size."""

from __future__ import annotations

from typing import Any

import seedsafe as ss
from seedsafe_albumentations.arguments import (
    NO_AREA,
    fires,
    interpolation_of,
    mask_fill_of,
    mode_of,
    number_of,
    only,
    pair_of,
    several_of,
)

__all__ = [
    "BBoxSafeRandomCrop",
    "CenterCrop",
    "Crop",
    "CropAndPad",
    "CropNonEmptyMaskIfExists",
    "RandomCrop",
    "RandomCropFromBorders",
    "RandomResizedCrop",
    "RandomSizedBBoxSafeCrop",
    "RandomSizedCrop",
]


def RandomResizedCrop(
    size: Any = None,
    *positional: Any,
    height: int | None = None,
    width: int | None = None,
    always_apply: bool | None = None,
    p: float = 1.0,
    mask_interpolation: int = 0,
    area_for_downscale: str | None = None,
    **options: Any,
) -> Any:
    """Return ``seedsafe.RandomResizedCrop``; of a size (2.x), or a height and a width (1.x)."""
    given = list(positional)
    if height is None and width is None and isinstance(size, int):
        if not given or not isinstance(given[0], int):
            raise ValueError(f"size must be (height, width), got {size!r}: pass size=({size}, {size})")
        size = (size, given.pop(0))
    elif size is None:
        if height is None or width is None:
            raise ValueError(
                f"RandomResizedCrop needs size=(height, width), got height={height!r}, width={width!r}"
            )
        size = (height, width)
    elif width is not None or height is not None:
        if isinstance(size, int) and height is None:
            size = (size, width)
        else:
            raise ValueError("RandomResizedCrop takes size, or height and width: leave one of them out")
    named = dict(zip(("scale", "ratio", "interpolation"), given, strict=False))
    options = _merged("RandomResizedCrop", named, options, ("scale", "ratio", "interpolation"))
    only("area_for_downscale", area_for_downscale, None, NO_AREA)
    made = ss.RandomResizedCrop(
        several_of("size", size),
        scale=pair_of(options.get("scale", (0.08, 1.0))),
        ratio=pair_of(options.get("ratio", (0.75, 1.3333333333333333))),
        interpolation=interpolation_of(options.get("interpolation", 1), mask_interpolation),
    )
    return fires(made, p, always_apply)


def RandomSizedCrop(
    min_max_height: tuple[int, int],
    size: Any = None,
    *positional: Any,
    height: int | None = None,
    width: int | None = None,
    always_apply: bool | None = None,
    p: float = 1.0,
    mask_interpolation: int = 0,
    area_for_downscale: str | None = None,
    **options: Any,
) -> Any:
    """Return ``seedsafe.RandomSizedCrop``; of a size (2.x), or a height and a width (1.x)."""
    given = list(positional)
    if isinstance(size, int):
        size = (size, given.pop(0) if given else width)
    elif size is None:
        size = (height, width)
    named = dict(zip(("w2h_ratio", "interpolation"), given, strict=False))
    options = _merged("RandomSizedCrop", named, options, ("w2h_ratio", "interpolation"))
    only("area_for_downscale", area_for_downscale, None, NO_AREA)
    low, high = pair_of(min_max_height)
    made = ss.RandomSizedCrop(
        several_of("size", size),
        heights=(low, high),
        ratio=options.get("w2h_ratio", 1.0),
        interpolation=interpolation_of(options.get("interpolation", 1), mask_interpolation),
    )
    return fires(made, p, always_apply)


def _merged(
    name: str, first: dict[str, Any], options: dict[str, Any], known: tuple[str, ...]
) -> dict[str, Any]:
    unknown = sorted(set(options) - set(known))
    if unknown or set(first) & set(options):
        raise TypeError(
            f"{name} got the arguments {unknown or sorted(set(first) & set(options))}, which it does not take: leave them out"
        )
    return first | options


def _crop(made_by: Any) -> Any:
    def crop(
        height: int,
        width: int,
        pad_if_needed: bool = False,
        pad_position: str = "center",
        border_mode: int = 0,
        fill: Any = 0,
        fill_mask: Any = 0,
        p: float = 1.0,
        *,
        always_apply: bool | None = None,
    ) -> Any:
        only("pad_position", pad_position, "center", "put PadIfNeeded(position=...) before it")
        made = made_by(
            (height, width),
            pad_if_needed=pad_if_needed,
            mode=mode_of(border_mode),
            fill=fill,
            mask_fill=mask_fill_of(fill_mask),
        )
        return fires(made, p, always_apply)

    crop.__name__ = crop.__qualname__ = made_by.__name__
    crop.__doc__ = f"Return ``seedsafe.{made_by.__name__}``."
    return crop


RandomCrop = _crop(ss.RandomCrop)


CenterCrop = _crop(ss.CenterCrop)


def Crop(
    x_min: int = 0,
    y_min: int = 0,
    x_max: int = 1024,
    y_max: int = 1024,
    *,
    pad_if_needed: bool = False,
    p: float = 1.0,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.Crop``."""
    only("pad_if_needed", pad_if_needed, False, "put PadIfNeeded before it")
    for name, value in (("x_min", x_min), ("y_min", y_min), ("x_max", x_max), ("y_max", y_max)):
        number_of(name, value)
    return fires(ss.Crop(y_min, x_min, y_max - y_min, x_max - x_min), p, always_apply)


def CropAndPad(
    px: Any = None,
    percent: Any = None,
    keep_size: bool = True,
    sample_independently: bool = True,
    interpolation: int = 1,
    mask_interpolation: int = 0,
    border_mode: int = 0,
    fill: Any = 0,
    fill_mask: Any = 0,
    p: float = 1.0,
    *,
    pad_mode: int | None = None,
    pad_cval: Any = None,
    pad_cval_mask: Any = None,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.CropAndPad``."""
    made = ss.CropAndPad(
        px,
        percent=percent,
        keep_size=keep_size,
        sample_independently=sample_independently,
        interpolation=interpolation_of(interpolation, mask_interpolation),
        mode=mode_of(border_mode if pad_mode is None else pad_mode),
        fill=fill if pad_cval is None else pad_cval,
        mask_fill=mask_fill_of(fill_mask if pad_cval_mask is None else pad_cval_mask),
    )
    return fires(made, p, always_apply)


def RandomCropFromBorders(
    crop_left: float = 0.1,
    crop_right: float = 0.1,
    crop_top: float = 0.1,
    crop_bottom: float = 0.1,
    p: float = 1.0,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.RandomCropFromBorders``."""
    made = ss.RandomCropFromBorders(
        crop_left=crop_left, crop_right=crop_right, crop_top=crop_top, crop_bottom=crop_bottom
    )
    return fires(made, p, always_apply)


def RandomSizedBBoxSafeCrop(
    height: int,
    width: int,
    erosion_rate: float = 0.0,
    interpolation: int = 1,
    mask_interpolation: int = 0,
    p: float = 1.0,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.BBoxSafeCrop`` with a size."""
    name = interpolation_of(interpolation, mask_interpolation)
    return fires(
        ss.BBoxSafeCrop((height, width), erosion_rate=erosion_rate, interpolation=name), p, always_apply
    )


def BBoxSafeRandomCrop(erosion_rate: float = 0.0, p: float = 1.0, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.BBoxSafeCrop``."""
    return fires(ss.BBoxSafeCrop(erosion_rate=erosion_rate), p, always_apply)


def CropNonEmptyMaskIfExists(
    height: int,
    width: int,
    ignore_values: Any = None,
    ignore_channels: Any = None,
    p: float = 1.0,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.CropNonEmptyMask``."""
    made = ss.CropNonEmptyMask(
        (height, width),
        ignore_values=several_of("ignore_values", () if ignore_values is None else ignore_values),
        ignore_channels=several_of("ignore_channels", () if ignore_channels is None else ignore_channels),
    )
    return fires(made, p, always_apply)
