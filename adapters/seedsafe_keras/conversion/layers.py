"""Table of Keras's layers and their counterparts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import seedsafe as ss
from seedsafe_keras.conversion.pixels import AddNumber, LayerZoom, MeanContrast, Rescale

__all__ = ["LAYERS", "UnlikeError"]


class UnlikeError(Exception):
    """A layer has an option without a counterpart: it is bridged."""


_MODES: Final = {"constant": "constant", "nearest": "edge", "reflect": "symmetric"}
"""Keras's names of the ways to fill what lies outside an image, and those of `seedsafe.Affine`."""


def _warp_options(layer: Any) -> dict[str, Any]:
    if layer.fill_mode not in _MODES:
        raise UnlikeError
    return {
        "mode": _MODES[layer.fill_mode],
        "fill": float(layer.fill_value),
        "interpolation": layer.interpolation,
    }


def _flip(layer: Any) -> list[ss.Transform]:
    if layer.mode == "horizontal_and_vertical":  # both or none
        return [ss.RandomApply([ss.HorizontalFlip(p=1.0), ss.VerticalFlip(p=1.0)], p=0.5)]
    return [ss.HorizontalFlip() if layer.mode == "horizontal" else ss.VerticalFlip()]


def _rotation(layer: Any) -> list[ss.Transform]:
    low, high = (360.0 * float(part) for part in layer.factor)
    return [ss.Affine((low, high), **_warp_options(layer))]


def _translation(layer: Any) -> list[ss.Transform]:
    across = float(layer.width_lower), float(layer.width_upper)
    down = float(layer.height_lower), float(layer.height_upper)
    return [ss.Affine(translate=(across, down), **_warp_options(layer))]


def _zoom(layer: Any) -> list[ss.Transform]:
    down = 1.0 + float(layer.height_lower), 1.0 + float(layer.height_upper)
    across = None
    if layer.width_factor is not None:
        across = 1.0 + float(layer.width_lower), 1.0 + float(layer.width_upper)
    return [LayerZoom(down=down, across=across, **_warp_options(layer))]


def _resizing(layer: Any) -> list[ss.Transform]:
    plain = not (layer.crop_to_aspect_ratio or layer.pad_to_aspect_ratio or layer.antialias)
    if not plain or layer.interpolation != "bilinear":
        raise UnlikeError
    return [ss.Resize((int(layer.height), int(layer.width)))]


def _contrast(layer: Any) -> list[ss.Transform]:
    low, high = (float(part) for part in layer.factor)
    return [MeanContrast((1.0 - low, 1.0 + high), _range(layer))]


def _brightness(layer: Any) -> list[ss.Transform]:
    bottom, top = _range(layer)
    low, high = (float(part) * (top - bottom) for part in layer.factor)
    return [AddNumber((low, high), (bottom, top))]


def _range(layer: Any) -> tuple[float, float]:
    low, high = map(float, layer.value_range)
    return low, high


def _rescaling(layer: Any) -> list[ss.Transform]:
    if not all(isinstance(part, int | float) for part in (layer.scale, layer.offset)):
        raise UnlikeError
    return [Rescale(float(layer.scale), float(layer.offset))]


LAYERS: Final[dict[str, Callable[[Any], list[ss.Transform]]]] = {
    "RandomFlip": _flip,
    "RandomRotation": _rotation,
    "RandomTranslation": _translation,
    "RandomZoom": _zoom,
    "RandomCrop": lambda layer: [ss.RandomCrop((int(layer.height), int(layer.width)))],
    "CenterCrop": lambda layer: [ss.CenterCrop((int(layer.height), int(layer.width)))],
    "Resizing": _resizing,
    "RandomContrast": _contrast,
    "RandomBrightness": _brightness,
    "Rescaling": _rescaling,
}
"""By the name of the layer's class, what makes its counterpart."""
