"""What albumentations has and this module has not: it can be imported, and raises an error that names a way out when it is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

__all__ = ["absent", "instead"]

_INSTEAD: Final = {
    "IAASuperpixels": "seedsafe.bridge around the original",
    "FromFloat": "leave it out: uint8 images stay uint8",
    "UnsharpMask": "Sharpen, or seedsafe.bridge around the original",
    "ZoomBlur": "MotionBlur, or seedsafe.bridge around the original",
    "ConstrainedCoarseDropout": "CoarseDropout",
    "ThinPlateSpline": "ElasticTransform or GridDistortion",
    "RandomCropNearBBox": "RandomSizedBBoxSafeCrop",
    "AtLeastOneBBoxRandomCrop": "BBoxSafeRandomCrop",
    "AdditiveNoise": "GaussNoise",
}

_NAMES: Final = {
    *_INSTEAD,
    *[
        "CenterCrop3D",
        "ChromaticAberration",
        "CoarseDropout3D",
        "CubicSymmetry",
        "FDA",
        "FrequencyMasking",
        "GridElasticDeform",
        "HEStain",
        "HistogramMatching",
        "Illumination",
        "MaskDropout",
        "MixUp",
        "Morphological",
        "Mosaic",
        "OverlayElements",
        "Pad3D",
        "PadIfNeeded3D",
        "PixelDistributionAdaptation",
        "PlanckianJitter",
        "PlasmaBrightnessContrast",
        "PlasmaShadow",
        "RandomCrop3D",
        "RandomFog",
        "RandomGravel",
        "RandomRain",
        "RandomShadow",
        "RandomSnow",
        "RandomSunFlare",
        "RingingOvershoot",
        "SelectiveChannelTransform",
        "Spatter",
        "Superpixels",
        "TemplateTransform",
        "TextImage",
        "TimeMasking",
        "TimeReverse",
        "ToRGB",
        "ToTensor3D",
    ],
}


def instead(name: str) -> str:
    """Return what to use instead of a transform that this module does not have."""
    return f"use {_INSTEAD.get(name, f'seedsafe.bridge(albumentations.{name}(...))')}"


def absent(name: str) -> Callable[..., Any] | None:
    """Return what raises an error when it is called, under the name of one of albumentations' transforms; None for other names."""
    if name not in _NAMES:
        return None

    def missing(*arguments: Any, **named: Any) -> Any:
        raise AttributeError(f"seedsafe_albumentations has no {name}: {instead(name)}")

    missing.__name__ = missing.__qualname__ = name
    return missing
