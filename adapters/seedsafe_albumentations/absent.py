"""Names of albumentations that are not here.

They can be imported. A call returns albumentations' own transform behind a bridge, where 2.0.8 is installed. Elsewhere it raises an
error that says what to use instead.
"""

from __future__ import annotations

import difflib
import inspect
import os
from collections.abc import Iterable
from importlib import import_module, metadata
from typing import Any, Final

from seedsafe_albumentations.caller import bridge
from seedsafe_albumentations.table import name_with

__all__ = ["absent", "instead", "original"]

_INSTEAD: Final = {
    "AdditiveNoise": "GaussNoise",
    "AtLeastOneBBoxRandomCrop": "BBoxSafeRandomCrop",
    "ConstrainedCoarseDropout": "CoarseDropout",
    "IAASuperpixels": "Superpixels",
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
    *("RandomFog", "RandomGravel", "RandomRain", "RandomShadow", "RandomSnow", "RandomSunFlare"),
    *("RingingOvershoot", "SelectiveChannelTransform", "Spatter", "Superpixels"),
    *("TextImage", "TimeMasking", "TimeReverse", "ToRGB"),
)
"""Other transforms of albumentations 2.0.8, which a bridge can call."""


def instead(name: str, here: Iterable[str] = ()) -> str:
    """Return the advice for a name that this module does not have; `here` are the names that it has."""
    if name in _INSTEAD:
        return f"use {_INSTEAD[name]}"
    if name in _ORIGINALS:
        return f"install albumentations 2.0.8, whose {name} then follows the key"
    if name.endswith("3D") or name == "CubicSymmetry":
        return "volumes are not supported, use seedsafe.bridge around MONAI's transforms"
    if name.islower():
        return "import it from albumentations itself"
    folded = {one.lower(): one for one in (*here, *_INSTEAD, *_ORIGINALS)}
    near = difflib.get_close_matches(name.lower(), folded, 1, 0.75)
    return f"use {folded[near[0]]}" if near else "albumentations 2.0.8 has no such name either"


def original(name: str) -> Any:
    """Return albumentations' own class, or None if 2.0.8 is not installed or the name is not in the list of such classes."""
    try:
        # The successor has the same import name, but another one here; 1.x draws other numbers.
        wanted = name in _ORIGINALS and metadata.version("albumentations") == "2.0.8"
    except metadata.PackageNotFoundError:
        return None
    os.environ.setdefault(
        "NO_ALBUMENTATIONS_UPDATE", "1"
    )  # otherwise its import asks a server for newer releases
    return getattr(import_module("albumentations"), name) if wanted else None


def absent(name: str) -> Any:
    """Return a class with the name of an absent transform, or None if there is no such transform.

    A call of it returns the original behind a bridge, or raises an error.
    """
    if name not in _INSTEAD and name not in _ORIGINALS:
        return None

    def call(arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        theirs = original(name)
        if theirs is None:
            raise AttributeError(f"seedsafe_albumentations has no {name}: {instead(name)}")
        return bridge(theirs(*arguments, **options))

    any_call = inspect.signature(lambda *arguments, **options: None)
    return name_with(name, call, (), any_call, "Return the original behind ``seedsafe.bridge``.")
