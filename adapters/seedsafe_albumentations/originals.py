"""albumentations' own transforms, for what is missing here.

A class or an option that this package lacks is the original of albumentations 2.0.8 behind a bridge, where that release is installed.
"""

from __future__ import annotations

import difflib
import inspect
import os
import sys
import warnings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module, metadata
from typing import Any, Final

import numpy as np

import seedsafe as ss
from seedsafe_albumentations.arguments import flag_of
from seedsafe_albumentations.base import bare_pipeline
from seedsafe_albumentations.caller import Caller

__all__ = ["CLASSES", "INSTEAD", "Original", "absent", "bound", "instead", "lack", "original", "theirs"]

CLASSES: Final = (
    *("AdditiveNoise", "AtLeastOneBBoxRandomCrop", "ChromaticAberration", "ConstrainedCoarseDropout", "FDA"),
    *("FrequencyMasking", "FromFloat", "GridElasticDeform", "HEStain", "HistogramMatching", "Illumination"),
    *("MaskDropout", "Morphological", "Mosaic", "OverlayElements", "PixelDistributionAdaptation"),
    *("PlanckianJitter", "PlasmaBrightnessContrast", "PlasmaShadow", "RandomCropNearBBox", "RandomFog"),
    *("RandomGravel", "RandomRain", "RandomShadow", "RandomSnow", "RandomSunFlare", "RingingOvershoot"),
    *("Spatter", "Superpixels", "TextImage", "ThinPlateSpline", "TimeMasking", "TimeReverse", "ToRGB"),
    *("UnsharpMask", "ZoomBlur"),
)
"""The transforms of albumentations 2.0.8 that are not written again here."""

INSTEAD: Final = {
    "CubicSymmetry": "volumes are not supported, use seedsafe.bridge around MONAI's transforms",
    "IAASuperpixels": "use Superpixels",
    "Identity": "use NoOp",
    "SelectiveChannelTransform": "derive a class of your own from BaseCompose",
}
"""What to do instead of a call of some other names."""

_RENAMED: Final = {
    **dict.fromkeys(("mode", "pad_mode"), "border_mode"),
    **dict.fromkeys(("value", "fill_value", "cval", "pad_cval", "pad_val", "image_fill_value"), "fill"),
    **dict.fromkeys(
        ("mask_value", "mask_fill_value", "cval_mask", "pad_cval_mask", "mask_pad_val"), "fill_mask"
    ),
    "cropping_box_key": "cropping_bbox_key",
    "interpolation": "interpolation_pair",
    "sigmaX_limit": "sigma_x_limit",
    "sigmaY_limit": "sigma_y_limit",
}
"""Arguments of 1.x that have another name in 2.x."""

_ENDS: Final = {"lower": 0, "upper": 1, "min": 0, "max": 1, "x": 0, "y": 1}
"""The last words of arguments of 1.x that are a part of one in 2.x."""

_WITHOUT_EFFECT: Final = {
    "alpha_affine": "put an Affine before it",
    "crop_value": "use CropAndPad to fill the edges",
    "eps": "",
    "keypoints_threshold": "",
    "shift_limit": "put an Affine with translate_percent before it",
}
"""Arguments of 1.x that 2.0.8 does not use, and what to do instead."""

_ALIKE: Final = {"AdditiveNoise": "GaussNoise", "UnsharpMask": "Sharpen", "ZoomBlur": "MotionBlur"}
"""What is here and does about the same."""

_SUCCESSOR: Final = "albumentationsx"


def lack() -> str:
    """Return why albumentations 2.0.8 cannot be used, or an empty text."""
    for name in (_SUCCESSOR, "albumentations"):
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
        if name == _SUCCESSOR or version != "2.0.8":
            return f"{name} {version} is installed, which has the same import name and draws other numbers: uninstall it, and install albumentations 2.0.8"
        return ""
    return "install albumentations 2.0.8"


def instead(name: str, here: Iterable[str] = ()) -> str:
    """Return the advice for a name that this module does not have; `here` are the names that it has."""
    if name.endswith("3D"):
        name = "CubicSymmetry"
    if name in INSTEAD:
        return INSTEAD[name]
    if name in CLASSES:
        alike = f"use {_ALIKE[name]}, or " if name in _ALIKE else ""
        return f"{alike}{lack()}, whose {name} then follows the key"
    if name.islower():
        return "import it from albumentations itself"
    folded = {one.lower(): one for one in (*here, *INSTEAD)}
    near = difflib.get_close_matches(name.lower(), folded, 1, 0.75)
    return f"use {folded[near[0]]}" if near else "albumentations 2.0.8 has no such name either"


def theirs(name: str) -> Any:
    """Return albumentations' transform of this name.

    Raises:
        ImportError: albumentations 2.0.8 is not installed.
        AttributeError: it has no such transform.
    """
    if why := lack():
        raise ImportError(f"albumentations' own {name} is not at hand: {why}")
    # Otherwise its import asks a server for newer releases.
    os.environ.setdefault("NO_ALBUMENTATIONS_UPDATE", "1")
    # This package may stand under that name.
    own = {path: one for path, one in sys.modules.items() if path.startswith("albumentations")}
    own = {path: one for path, one in own.items() if one.__name__.startswith(str(__package__))}
    for path in own:
        del sys.modules[path]
    try:
        module = import_module("albumentations")
    finally:
        sys.modules.update(own)
    kind = getattr(module, name)
    if not issubclass(kind, module.BasicTransform):
        raise AttributeError(f"{name} of albumentations is not a transform")
    return kind


def original(name: str, arguments: tuple[Any, ...], options: dict[str, Any], why: str) -> Original:
    """Return albumentations' own transform for the arguments of a call.

    Args:
        name: the name of the transform.
        arguments: the call's positional arguments.
        options: the call's named arguments.
        why: what this package lacks.

    Raises:
        AttributeError, ImportError, TypeError, ValueError: albumentations takes them no more than this package does.
    """
    signature = inspect.signature(theirs(name))
    named = bound(name, signature, arguments, options).arguments
    p = named.pop("p", signature.parameters["p"].default)
    result = Original(name, tuple(named.items()), p)
    _tell(name, why)
    return result


def bound(name: str, signature: inspect.Signature, arguments: Any, options: Any) -> inspect.BoundArguments:
    """Return a call's arguments by name, those of 1.x by their names in 2.x.

    Raises:
        TypeError: the signature does not take them.
    """
    try:
        return signature.bind(*arguments, **_of_older(options, signature.parameters))
    except TypeError as error:
        takes = ", ".join(signature.parameters) or "no arguments"
        raise TypeError(f"{name}() {error}: it takes {takes}") from None


def _of_older(options: dict[str, Any], parameters: Any) -> dict[str, Any]:
    """Return the options of 1.x as those of 2.x: always_apply as p, new names, and slant_lower and slant_upper as the ends of slant_range."""
    if "options" in parameters:  # of any name
        return options
    result = {name: value for name, value in options.items() if (name, value) != ("rain_type", None)}
    if flag_of(result.pop("always_apply", False) or False, "always_apply"):
        result["p"] = 1.0
    for name in [name for name in result if name not in parameters]:
        stem, _, end = name.rpartition("_")
        parts = {f"{stem}_range", f"{stem}_limit", f"{stem}_xy"} & parameters.keys()
        now = _RENAMED.get(name, "")
        if not (parts and end in _ENDS) and now not in parameters and name not in _WITHOUT_EFFECT:
            continue
        value = result.pop(name)
        if value is None:
            continue
        if now in parameters:
            result[now] = value
        elif parts:
            whole = parts.pop()
            ends = list(result.get(whole, parameters[whole].default) or (None, None))
            ends[_ENDS[end]] = value
            result[whole] = tuple(ends)
        elif _WITHOUT_EFFECT[name] and value not in (0, (0, 0)):
            warnings.warn(
                f"{name}={value!r} has no effect, as in albumentations 2: {_WITHOUT_EFFECT[name]}, or leave it out",
                stacklevel=4,
            )
    return result


def absent(name: str) -> Any:
    """Return the function of a name that is missing here: albumentations' own transform, or an error that says what to do."""

    def call(arguments: tuple[Any, ...], options: dict[str, Any]) -> Original:
        if name not in CLASSES or lack():
            raise AttributeError(f"seedsafe_albumentations has no {name}: {instead(name)}")
        return original(name, arguments, options, "it is not written again here")

    return call


@cache
def _tell(name: str, why: str) -> None:
    warnings.warn(
        f"{name} is albumentations' own, keyed by a bridge, with its own draws and at its own speed: {why}",
        stacklevel=4,
    )


@dataclass(frozen=True, repr=False, eq=False)
class Original(ss.Bridged):
    """A transform of albumentations 2.0.8, whose draws follow the key.

    Args:
        kind: its name there.
        arguments: pairs of the arguments' names and values, without p.
        p: the probability that it is applied.

    Raises:
        ImportError: albumentations 2.0.8 is not installed.
    """

    function: Any = field(init=False)
    call: str = field(init=False, default="dict")
    kind: str
    arguments: tuple[tuple[str, Any], ...] = ()
    p: float = 0.5

    def __post_init__(self) -> None:
        arguments = {name: _tuples(value) for name, value in self.arguments}
        object.__setattr__(self, "arguments", tuple(arguments.items()))
        object.__setattr__(self, "function", Caller(theirs(self.kind)(**arguments, p=1.0)))
        ss.Bridged.__post_init__(self)

    def __call__(self, sample: Any = None, *, key: Any = None, **parts: Any) -> Any:
        """Return the changed image, or the changed parts, also by what else the transform reads."""
        if not parts:
            return ss.Transform.__call__(self, sample, key=key)
        return bare_pipeline([self])(key=key, **parts)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Original, name=self.name), (self.kind, self.arguments, self.p)

    def __repr__(self) -> str:
        options = "".join(f"{name}={value!r}, " for name, value in self.arguments)
        return f"{self.kind}({options}p={self.p!r}) of albumentations"

    def out_info(self, info: ss.Info, params: Any) -> ss.Info:
        """Return the info of its result. Where that depends on no other part of the sample, a blank image shows it."""
        unknown = ss.Bridged.out_info(self, info, params)
        if self.function.transform.targets_as_params:
            return unknown
        for shown in (info, ss.Info(info.shape, np.uint8), ss.Info(info.shape, np.float32)):
            with suppress(Exception):
                shape = self.apply_image(np.zeros(shown.shape, shown.dtype), params).shape
                return ss.Info(shape, info.dtype if shown is info else None)
        return unknown


def _tuples(value: Any) -> Any:
    """Return a value with tuples instead of lists, as albumentations checks it."""
    return tuple(map(_tuples, value)) if isinstance(value, list | tuple) else value
