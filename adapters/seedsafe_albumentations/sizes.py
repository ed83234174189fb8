"""Transforms that bring an image to a size: crops, pads and resizes."""

from __future__ import annotations

from typing import Any

import seedsafe as ss
from seedsafe_albumentations.arguments import fires, interpolation_of, mask_fill_of, mode_of, only, pair_of

__all__ = [
    "BBoxSafeRandomCrop",
    "CenterCrop",
    "Crop",
    "CropAndPad",
    "CropNonEmptyMaskIfExists",
    "LongestMaxSize",
    "Pad",
    "PadIfNeeded",
    "RandomCrop",
    "RandomCropFromBorders",
    "RandomResizedCrop",
    "RandomScale",
    "RandomSizedBBoxSafeCrop",
    "RandomSizedCrop",
    "Resize",
    "SmallestMaxSize",
]

_NO_AREA = "put a Resize with interpolation=cv2.INTER_AREA before it"


def Resize(
    height: int,
    width: int,
    interpolation: int = 1,
    mask_interpolation: int = 0,
    area_for_downscale: str | None = None,
    p: float = 1.0,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.Resize``."""
    only("area_for_downscale", area_for_downscale, None, _NO_AREA)
    made = ss.Resize((height, width), interpolation=interpolation_of(interpolation, mask_interpolation))
    return fires(made, p, always_apply)


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
    only("area_for_downscale", area_for_downscale, None, _NO_AREA)
    made = ss.RandomResizedCrop(
        tuple(size),
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
    only("area_for_downscale", area_for_downscale, None, _NO_AREA)
    low, high = pair_of(min_max_height)
    made = ss.RandomSizedCrop(
        tuple(size),
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
            f"{name} got the arguments {unknown or sorted(set(first) & set(options))}, which it cannot take"
        )
    return first | options


def RandomScale(
    scale_limit: Any = (-0.1, 0.1),
    interpolation: int = 1,
    mask_interpolation: int = 0,
    area_for_downscale: str | None = None,
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.RandomScale`` by a factor of 1 + the limit."""
    only("area_for_downscale", area_for_downscale, None, _NO_AREA)
    low, high = (-scale_limit, scale_limit) if isinstance(scale_limit, int | float) else scale_limit
    made = ss.RandomScale(
        (1.0 + low, 1.0 + high), interpolation=interpolation_of(interpolation, mask_interpolation)
    )
    return fires(made, p, always_apply)


def LongestMaxSize(
    max_size: Any = None,
    interpolation: int = 1,
    *,
    max_size_hw: Any = None,
    mask_interpolation: int = 0,
    area_for_downscale: str | None = None,
    p: float = 1.0,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.LongestMaxSize``; of several sizes one is drawn."""
    only(
        "max_size_hw",
        max_size_hw,
        None,
        "seedsafe.Resize((larger, smaller), keep_ratio=True) keeps both limits",
    )
    only("area_for_downscale", area_for_downscale, None, _NO_AREA)
    name = interpolation_of(interpolation, mask_interpolation)
    return _sided(ss.LongestMaxSize, 1024 if max_size is None else max_size, name, p, always_apply)


def SmallestMaxSize(
    max_size: Any = None,
    interpolation: int = 1,
    *,
    max_size_hw: Any = None,
    mask_interpolation: int = 0,
    area_for_downscale: str | None = None,
    p: float = 1.0,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.SmallestMaxSize``; of several sizes one is drawn."""
    only("max_size_hw", max_size_hw, None, "name one side's size with max_size=")
    only("area_for_downscale", area_for_downscale, None, _NO_AREA)
    name = interpolation_of(interpolation, mask_interpolation)
    return _sided(ss.SmallestMaxSize, 1024 if max_size is None else max_size, name, p, always_apply)


def _sided(made_by: Any, max_size: Any, interpolation: str, p: float, always_apply: bool | None) -> Any:
    if isinstance(max_size, int):
        return fires(made_by(max_size, interpolation=interpolation), p, always_apply)
    return fires(ss.OneOf([made_by(one, interpolation=interpolation) for one in max_size]), p, always_apply)


def PadIfNeeded(
    min_height: int | None = 1024,
    min_width: int | None = 1024,
    pad_height_divisor: int | None = None,
    pad_width_divisor: int | None = None,
    position: Any = "center",
    border_mode: int = 0,
    fill: Any = 0,
    fill_mask: Any = 0,
    p: float = 1.0,
    *,
    value: Any = None,
    mask_value: Any = None,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.PadIfNeeded``."""
    if pad_height_divisor is not None and min_height == 1024:
        min_height = None  # one of the two counts, and the divisor was named
    if pad_width_divisor is not None and min_width == 1024:
        min_width = None
    if (min_height is None) == (pad_height_divisor is None) or (min_width is None) == (
        pad_width_divisor is None
    ):
        raise ValueError(
            f"PadIfNeeded takes a minimum or a divisor for each side, got min_height={min_height!r}, min_width={min_width!r}, "
            f"pad_height_divisor={pad_height_divisor!r}, pad_width_divisor={pad_width_divisor!r}: pass None for the others"
        )
    size = None if min_height is min_width is None else (min_height or 1, min_width or 1)
    divisor = None
    if pad_height_divisor is not None or pad_width_divisor is not None:
        divisor = (pad_height_divisor or 1, pad_width_divisor or 1)
    made = ss.PadIfNeeded(
        size,
        divisor=divisor,
        position=str(getattr(position, "value", position)),
        mode=mode_of(border_mode),
        fill=fill if value is None else value,
        mask_fill=mask_fill_of(fill_mask if mask_value is None else mask_value),
    )
    return fires(made, p, always_apply)


def Pad(
    padding: Any = 0,
    fill: Any = 0,
    fill_mask: Any = 0,
    border_mode: int = 0,
    p: float = 1.0,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.Pad``; four numbers are (left, top, right, bottom), two (horizontal, vertical)."""
    if not isinstance(padding, int):
        if len(padding) == 2:
            padding = (padding[1], padding[0])
        elif len(padding) == 4:
            left, top, right, bottom = padding
            padding = (top, bottom, left, right)
    made = ss.Pad(padding, mode=mode_of(border_mode), fill=fill, mask_fill=mask_fill_of(fill_mask))
    return fires(made, p, always_apply)


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
        ignore_values=tuple(ignore_values or ()),
        ignore_channels=tuple(ignore_channels or ()),
    )
    return fires(made, p, always_apply)
