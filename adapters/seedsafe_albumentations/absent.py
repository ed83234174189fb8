"""What albumentations has and this module has not: it can be imported, and raises an error that names a way out when it is called."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, Final

from seedsafe_albumentations.table import named

__all__ = ["absent", "instead"]

_INSTEAD: Final = {
    "AdditiveNoise": "GaussNoise",
    "AtLeastOneBBoxRandomCrop": "BBoxSafeRandomCrop",
    "ConstrainedCoarseDropout": "CoarseDropout",
    "IAASuperpixels": "seedsafe.bridge(albumentations.Superpixels(...))",
    "Identity": "NoOp",
    "RandomCropNearBBox": "RandomSizedBBoxSafeCrop",
    "ThinPlateSpline": "ElasticTransform or GridDistortion",
    "UnsharpMask": "Sharpen, or seedsafe.bridge(albumentations.UnsharpMask(...))",
    "ZoomBlur": "MotionBlur, or seedsafe.bridge(albumentations.ZoomBlur(...))",
}

_ORIGINALS: Final = (
    "ChromaticAberration",
    "FDA",
    "FrequencyMasking",
    "FromFloat",
    "GridElasticDeform",
    "HEStain",
    "HistogramMatching",
    "Illumination",
    "MaskDropout",
    "Morphological",
    "Mosaic",
    "OverlayElements",
    "PixelDistributionAdaptation",
    "PlanckianJitter",
    "PlasmaBrightnessContrast",
    "PlasmaShadow",
    "RandomGravel",
    "RingingOvershoot",
    "SelectiveChannelTransform",
    "Spatter",
    "Superpixels",
    "TextImage",
    "TimeMasking",
    "TimeReverse",
    "ToRGB",
)
"""Further transforms of albumentations 2.0.8, which a bridge can call."""


def instead(name: str, here: Iterable[str] = ()) -> str:
    """Return what to use instead of a name that this module does not have; `here` are the names that it has."""
    if name in _INSTEAD:
        return f"use {_INSTEAD[name]}"
    if name in _ORIGINALS:
        return f"use seedsafe.bridge(albumentations.{name}(...))"
    if name.endswith("3D") or name == "CubicSymmetry":
        return "volumes are not supported; use MONAI's transforms, with seedsafe.bridge around them"
    if name.islower():
        return "import it from albumentations itself, whose functions are not here"
    folded = {one.lower(): one for one in (*here, *_INSTEAD, *_ORIGINALS)}
    near = difflib.get_close_matches(name.lower(), folded, 1, 0.75)
    return f"use {folded[near[0]]}" if near else "albumentations 2.0.8 has no such name either"


def absent(name: str) -> Any:
    """Return a class that raises an error when it is called, under the name of one of albumentations' transforms; None for others."""
    if name not in _INSTEAD and name not in _ORIGINALS:
        return None

    def missing(*arguments: Any, **options: Any) -> Any:
        raise AttributeError(f"seedsafe_albumentations has no {name}: {instead(name)}")

    missing.__name__ = name
    return named(())(missing)
