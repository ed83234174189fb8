"""Names of albumentations that are not here.

They can be imported. A call raises an error that says what to use instead.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, Final

from seedsafe_albumentations.table import name_for

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
    *("ChromaticAberration", "FDA", "FrequencyMasking", "FromFloat", "GridElasticDeform", "HEStain"),
    *("HistogramMatching", "Illumination", "MaskDropout", "Morphological", "Mosaic", "OverlayElements"),
    *("PixelDistributionAdaptation", "PlanckianJitter", "PlasmaBrightnessContrast", "PlasmaShadow"),
    *("RandomGravel", "RingingOvershoot", "SelectiveChannelTransform", "Spatter", "Superpixels"),
    *("TextImage", "TimeMasking", "TimeReverse", "ToRGB"),
)
"""Other transforms of albumentations 2.0.8, which a bridge can call."""


def instead(name: str, here: Iterable[str] = ()) -> str:
    """Return the advice for a name that this module does not have; `here` are the names that it has."""
    if name in _INSTEAD:
        return f"use {_INSTEAD[name]}"
    if name in _ORIGINALS:
        return f"use seedsafe.bridge(albumentations.{name}(...))"
    if name.endswith("3D") or name == "CubicSymmetry":
        return "volumes are not supported, use seedsafe.bridge around MONAI's transforms"
    if name.islower():
        return "import it from albumentations itself"
    folded = {one.lower(): one for one in (*here, *_INSTEAD, *_ORIGINALS)}
    near = difflib.get_close_matches(name.lower(), folded, 1, 0.75)
    return f"use {folded[near[0]]}" if near else "albumentations 2.0.8 has no such name either"


def absent(name: str) -> Any:
    """Return a class with the name of an absent transform, whose call raises an error, or None if there is no such transform."""
    if name not in _INSTEAD and name not in _ORIGINALS:
        return None

    def missing(*arguments: Any, **options: Any) -> Any:
        raise AttributeError(f"seedsafe_albumentations has no {name}: {instead(name)}")

    missing.__name__ = name
    return name_for(())(missing)
