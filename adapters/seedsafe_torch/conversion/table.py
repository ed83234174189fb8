"""Table of torchvision's transforms and their counterparts."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import torch

import seedsafe as ss
from seedsafe_torch.conversion.pixels import (
    EITHER,
    PICTURE,
    TENSOR,
    MiddleCrop,
    PillowAffine,
    PillowPerspective,
    PillowRotate,
    PillowSharpness,
    ThreeChannels,
    ToGreyscale,
    ToPicture,
    Unscaled,
)

__all__ = ["BRIDGED", "JOINT", "ROWS", "Row", "UnlikeError"]


class UnlikeError(Exception):
    """A transform, or an option of it, without a counterpart: it is bridged. The text completes "since it"."""


@dataclass(frozen=True)
class Row:
    """One torchvision transform.

    Args:
        build: returns the counterpart: a transform, or a list of them. Its parameters are the object's attributes,
            ``form`` (PIL images or tensors) and ``v2``. It raises UnlikeError if there is no counterpart.
        within: the largest difference of a uint8 value from torchvision's on a PIL image, for equal draws.
        differs: the difference in words, or empty if there is none.
        returns: the form of the result, or empty if it is the form of the input.
        needs: the only form that it takes, or empty if it takes PIL images and tensors.
    """

    build: Callable[..., Any]
    within: int = 0
    differs: str = ""
    returns: str = ""
    needs: str = ""

    def counterpart(self, theirs: Any, form: str) -> Any:
        """Return the counterpart of a torchvision transform.

        Raises:
            UnlikeError: it has an unknown attribute, or an unknown value of one.
        """
        if self.needs == TENSOR and form == PICTURE:
            raise UnlikeError("needs a tensor, but would get a PIL image")
        stored = vars(theirs).items()
        options = {name: value for name, value in stored if name[:1] != "_" and name != "training"}
        if any(getattr(theirs, f"_forward{one}hooks", None) for one in ("_", "_pre_")):  # of torch.nn.Module
            raise UnlikeError("has a hook")
        v2 = any(".transforms.v2" in cls.__module__ for cls in type(theirs).__mro__)
        options |= {"form": form, "v2": v2}
        known = inspect.signature(self.build).parameters
        unknown = sorted(set(options) - set(known) - {"form", "v2"})
        if unknown:
            raise UnlikeError(
                f"has {'an unknown argument' if len(unknown) == 1 else 'unknown arguments'}: "
                f"{', '.join(f'{name}={options[name]!r}' for name in unknown)}"
            )
        needed = {name for name, one in known.items() if one.default is one.empty}
        if needed - set(options):
            raise UnlikeError(f"lacks attributes of its class: {', '.join(sorted(needed - set(options)))}")
        try:
            return self.build(**{name: value for name, value in options.items() if name in known})
        except (TypeError, ValueError) as error:
            raise UnlikeError(f"has an unknown value ({error})") from error


_INTERPOLATIONS: Final[dict[int | str, str]] = {
    **dict(enumerate(("nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"))),  # Pillow's numbers
    **{one: one for one in ("nearest", "nearest-exact", "bilinear", "bicubic", "box", "hamming", "lanczos")},
}


def _interpolation(value: Any) -> str:
    word = getattr(value, "value", value)
    if isinstance(word, bool) or word not in _INTERPOLATIONS:
        raise ValueError(f"interpolation={value!r}")
    return _INTERPOLATIONS[word]


def _resize_options(interpolation: Any, antialias: Any, form: str) -> dict[str, Any]:
    """Return the options of a resize: Pillow always smooths, torch only with antialias."""
    word = _interpolation(interpolation)
    if form == TENSOR and word == "nearest":
        raise UnlikeError("picks the nearest pixel differently for a tensor than for a PIL image")
    if word in ("nearest", "nearest-exact"):
        return {"interpolation": "nearest"}
    if word == "hamming":
        raise UnlikeError("has interpolation=hamming, which seedsafe lacks")
    word = "area" if word == "box" else word
    return {"interpolation": word, "antialias": form == PICTURE or antialias is True}


def _warp_options(interpolation: Any, fill: Any) -> dict[str, Any]:
    word = _interpolation(interpolation)
    if word not in ("nearest", "bilinear", "bicubic"):
        raise UnlikeError(f"has interpolation={word}, which seedsafe lacks here")
    return {"interpolation": word, "fill": _fill(fill)}


def _fill(fill: Any) -> Any:
    if isinstance(fill, dict):
        raise UnlikeError("has a fill for each type")
    if fill is None:
        return 0
    return tuple(fill) if isinstance(fill, tuple | list) else fill


def _size(size: Any) -> Any:
    """Return one number, or (height, width)."""
    if isinstance(size, tuple | list):
        return int(size[0]) if len(size) == 1 else tuple(int(one) for one in size)
    return int(size)


def _both(size: Any) -> Any:
    size = _size(size)
    return (size, size) if isinstance(size, int) else size


def _resize(size: Any, form: str, interpolation: Any = 2, max_size: Any = None, antialias: Any = True) -> Any:
    options = _resize_options(interpolation, antialias, form)
    if size is None:
        raise UnlikeError("limits only the longer side")
    return ss.Resize(_size(size), max_size=max_size, **options)


def _random_resized_crop(
    size: Any, form: str, scale: Any, ratio: Any, interpolation: Any = 2, antialias: Any = True
) -> Any:
    return ss.RandomResizedCrop(
        _both(size),
        scale=tuple(scale),
        ratio=tuple(ratio),
        **_resize_options(interpolation, antialias, form),
    )


def _sides(padding: Any) -> Any:
    """Return (top, bottom, left, right) for one number, (horizontal, vertical) or (left, top, right, bottom)."""
    if not isinstance(padding, tuple | list):
        return int(padding)
    sides = [int(one) for one in padding]
    if len(sides) == 1:
        return sides[0]
    left, top, right, bottom = sides if len(sides) == 4 else sides * 2
    return top, bottom, left, right


def _random_crop(
    size: Any,
    padding: Any = None,
    pad_if_needed: Any = False,
    fill: Any = 0,
    padding_mode: Any = "constant",
    *,
    v2: bool,
) -> Any:
    if v2 and padding is not None:  # v2 stores left, right, top, bottom
        left, right, top, bottom = padding
        padding = (left, top, right, bottom)
    if padding is not None and pad_if_needed and padding_mode in ("reflect", "symmetric"):
        raise UnlikeError(f"mirrors what it has padded by padding_mode={padding_mode!r} once more")
    return ss.RandomCrop(
        _both(size),
        padding=0 if padding is None else _sides(padding),
        pad_if_needed=pad_if_needed,
        fill=_fill(fill),
        mode=padding_mode,
    )


def _pad(padding: Any, fill: Any = 0, padding_mode: Any = "constant") -> Any:
    return ss.Pad(_sides(padding), fill=_fill(fill), mode=padding_mode)


def _color_jitter(brightness: Any, contrast: Any, saturation: Any, hue: Any) -> Any:
    factors: Any = [(1.0, 1.0) if one is None else tuple(one) for one in (brightness, contrast, saturation)]
    turn: Any = (0.0, 0.0) if hue is None else tuple(map(float, hue))
    return ss.ColorJitter(factors[0], factors[1], factors[2], hue=turn)


def _rotation(
    degrees: Any, interpolation: Any = 0, expand: Any = False, center: Any = None, fill: Any = 0
) -> Any:
    if center is not None:
        raise UnlikeError("turns around a point other than the middle")
    return PillowRotate(tuple(degrees), expand=bool(expand), **_warp_options(interpolation or 0, fill))


def _affine(
    degrees: Any,
    translate: Any = None,
    scale: Any = None,
    shear: Any = None,
    interpolation: Any = 0,
    fill: Any = 0,
    center: Any = None,
) -> Any:
    if center is not None:
        raise UnlikeError("turns around a point other than the middle")
    low, high = degrees
    leans: Any = tuple(shear or (0.0, 0.0))
    return PillowAffine(
        (0.0 - high, 0.0 - low),  # ours count counter-clockwise
        translate=tuple(translate or (0.0, 0.0)),
        scale=tuple(scale or (1.0, 1.0)),
        shear=leans if len(leans) == 2 else (leans[:2], leans[2:]),
        **_warp_options(interpolation or 0, fill),
    )


def _perspective(distortion_scale: Any, p: Any, interpolation: Any = 2, fill: Any = 0) -> Any:
    return PillowPerspective(distortion_scale=distortion_scale, p=p, **_warp_options(interpolation, fill))


def _grayscale(num_output_channels: Any = 1) -> Any:
    if num_output_channels not in (1, 3):
        raise UnlikeError(f"has num_output_channels={num_output_channels!r}")
    return ToGreyscale(int(num_output_channels))


def _gaussian_blur(kernel_size: Any, sigma: Any) -> Any:
    wide, high = _both(kernel_size)
    if wide != high:
        raise UnlikeError("has a kernel that is not square")
    return ss.GaussianBlur(wide, tuple(sigma))


def _erasing(p: Any, scale: Any, ratio: Any, form: str, value: Any = 0, inplace: Any = False) -> Any:
    if value is None or value == "random":
        fill: Any = "normal"
    else:
        values = tuple(value) if isinstance(value, tuple | list) else (value,)
        fill = values[0] if len(values) == 1 else values
    return ss.RandomErasing(tuple(scale), tuple(ratio), fill=fill, p=p)


def _solarize(threshold: Any, form: str, p: Any = 0.5) -> Any:
    if form == TENSOR:
        return ss.Solarize(float(threshold), p=p)
    if threshold > 255:
        return []
    return ss.Solarize(max(float(threshold), 0.0) / 255.0, p=p)


def _sharpness(sharpness_factor: Any, form: str, p: Any = 0.5) -> Any:
    if form == TENSOR:
        raise UnlikeError("sharpens tensors differently from PIL images")
    return PillowSharpness(float(sharpness_factor), p=p)


def _numbers(values: Any) -> tuple[float, ...]:
    listed = values.tolist() if hasattr(values, "tolist") else values
    return tuple(float(one) for one in (listed if isinstance(listed, tuple | list) else (listed,)))


def _normalize(mean: Any, std: Any, inplace: Any = False) -> Any:
    return ss.Normalize(_numbers(mean), _numbers(std))


def _to_dtype(dtype: Any, form: str, scale: Any = False) -> Any:
    if form == PICTURE:
        return []  # ToDtype ignores PIL images
    if dtype is not torch.float32:
        raise UnlikeError(f"converts to {dtype}")
    return ss.ToFloat() if scale else Unscaled()


def _policy(kind: Any, interpolation: Any, fill: Any, form: str, **options: Any) -> Any:
    if form == TENSOR:
        raise UnlikeError("is a policy on tensors, but seedsafe's follow PIL images")
    return kind(**options, **_warp_options(interpolation, fill))


def _rand_augment(
    num_ops: Any, magnitude: Any, num_magnitude_bins: Any, interpolation: Any, form: str, fill: Any = None
) -> Any:
    options = {"n": num_ops, "magnitude": magnitude, "bins": num_magnitude_bins}
    return _policy(ss.RandAugment, interpolation, fill, form, **options)


def _trivial_augment(num_magnitude_bins: Any, interpolation: Any, form: str, fill: Any = None) -> Any:
    return _policy(ss.TrivialAugmentWide, interpolation, fill, form, bins=num_magnitude_bins)


def _auto_augment(policy: Any, interpolation: Any, form: str, fill: Any = None, policies: Any = None) -> Any:
    return _policy(ss.AutoAugment, interpolation, fill, form, policy=policy.value)


def _aug_mix(
    severity: Any,
    mixture_width: Any,
    chain_depth: Any,
    alpha: Any,
    all_ops: Any,
    interpolation: Any,
    form: str,
    fill: Any = None,
) -> Any:
    options = {"severity": severity, "mixture_width": mixture_width, "chain_depth": chain_depth}
    return _policy(ss.AugMix, interpolation, fill, form, **options, alpha=float(alpha), all_ops=all_ops)


def _timm_crop(size: Any, scale: Any, ratio: Any, interpolation: Any, form: str) -> Any:
    if not isinstance(interpolation, tuple | list):
        return _random_resized_crop(size, form, scale, ratio, interpolation)
    return ss.OneOf([_random_resized_crop(size, form, scale, ratio, word) for word in interpolation])


def _timm_policy(ops: Any, num_layers: Any, form: str, choice_weights: Any = None) -> Any:
    if form == TENSOR:
        raise UnlikeError("is a policy on tensors, but seedsafe's follow PIL images")
    if choice_weights is not None:
        raise UnlikeError("chooses its operations by weights")
    first = ops[0]
    increasing = any(op.name.endswith("Increasing") for op in ops)
    named = sorted(one + "Increasing" * (increasing and one in _GROWING) for one in _TIMM_OPS)
    if sorted(op.name for op in ops) != named:
        raise UnlikeError("has other operations than timm's fifteen")
    if (
        any(vars(op) | _OWN != vars(first) | _OWN for op in ops)
        or first.hparams.get("translate_pct", 0.45) != 0.45
    ):
        raise UnlikeError("has operations with settings of their own")
    std = f"-mstd{first.magnitude_std}" if first.magnitude_std else ""
    most = f"-mmax{first.magnitude_max}" if first.magnitude_max else ""
    resample = first.kwargs["resample"]
    words = tuple(map(_interpolation, resample if isinstance(resample, tuple | list) else (resample,)))
    return ss.policy(
        f"rand-m{first.magnitude}-n{num_layers}-p{first.prob}{std}{most}-inc{int(increasing)}",
        interpolation=words if len(words) > 1 else words[0],
        fill=_fill(first.kwargs["fillcolor"]),
    )


_GROWING: Final = ("Posterize", "Solarize", "Color", "Contrast", "Brightness", "Sharpness")
_TIMM_OPS: Final = sorted(
    (
        *("AutoContrast", "Equalize", "Invert", "Rotate", "SolarizeAdd"),
        *("ShearX", "ShearY", "TranslateXRel", "TranslateYRel", *_GROWING),
    )
)
_OWN: Final = {"name": None, "aug_fn": None, "level_fn": None}
"""The attributes in which timm's operations differ."""


def _timm_erasing(
    probability: Any,
    min_area: Any,
    max_area: Any,
    log_aspect_ratio: Any,
    mode: Any,
    min_count: Any,
    max_count: Any,
    num_splits: Any = 0,
    rand_color: Any = False,
    per_pixel: Any = False,
    device: Any = "cpu",
) -> Any:
    if (min_count, max_count) != (1, 1):
        raise UnlikeError("erases several rectangles")
    if mode == "rand":
        raise UnlikeError("fills a rectangle with one random colour")
    low, high = map(math.exp, log_aspect_ratio)
    return ss.RandomErasing(
        (min_area, max_area), (low, high), fill="normal" if mode == "pixel" else 0, p=probability
    )


def _nothing() -> Any:
    return []


def _to_float_or_not(form: str) -> Any:
    return [] if form == TENSOR else ss.ToFloat()


def _to_picture(mode: Any = None) -> Any:
    if mode is not None:
        raise UnlikeError(f"has mode={mode!r}")
    return ToPicture()


_TO_FLOAT: Final = Row(
    lambda dtype: _to_dtype(dtype, TENSOR, True), differs="a step of float32", needs=TENSOR
)

ROWS: Final[Mapping[str, Row]] = {
    "RandomHorizontalFlip": Row(ss.HorizontalFlip),
    "RandomVerticalFlip": Row(ss.VerticalFlip),
    "Resize": Row(_resize),
    "RandomResizedCrop": Row(_random_resized_crop),
    "CenterCrop": Row(lambda size: MiddleCrop(_both(size), pad_if_needed=True)),
    "RandomCrop": Row(_random_crop),
    "Pad": Row(_pad),
    "ColorJitter": Row(
        _color_jitter,
        40,
        "of 255, brightness is within 1, contrast and saturation within 2 for factors up to 2, and within 4 up to 5; hue, which Pillow "
        "turns in 256 steps, is within 18; later steps multiply that",
    ),
    "RandomRotation": Row(_rotation),
    "RandomAffine": Row(
        _affine, differs="none for v1; v2 rounds its matrix: bilinear within 1, but at edges"
    ),
    "RandomPerspective": Row(_perspective),
    "Grayscale": Row(_grayscale),
    "RandomGrayscale": Row(lambda p=0.1: ToGreyscale(None, p)),
    "GaussianBlur": Row(_gaussian_blur, 1, "within 1 of 255"),
    "RandomErasing": Row(_erasing),
    "RandomSolarize": Row(_solarize),
    "RandomPosterize": Row(lambda bits, p=0.5: ss.Posterize(int(bits), p=p)),
    "RandomInvert": Row(ss.Invert),
    "RandomAutocontrast": Row(ss.AutoContrast),
    "RandomEqualize": Row(ss.Equalize),
    "RandomAdjustSharpness": Row(_sharpness),
    "RandomChannelPermutation": Row(lambda: ss.ChannelShuffle()),
    "RandAugment": Row(_rand_augment),
    "TrivialAugmentWide": Row(_trivial_augment),
    "AutoAugment": Row(_auto_augment),
    "AugMix": Row(_aug_mix, differs="the same operations and shares, blended in another order of roundings"),
    "RGB": Row(lambda: ThreeChannels()),
    "Identity": Row(_nothing),
    "ToPureTensor": Row(_nothing),
    "ToTensor": Row(lambda: ss.ToFloat(), returns=TENSOR, needs=PICTURE),
    "PILToTensor": Row(_nothing, returns=TENSOR, needs=PICTURE),
    "ToImage": Row(_nothing, returns=TENSOR, needs=EITHER),
    "ToPILImage": Row(_to_picture, returns=PICTURE, needs=EITHER),
    "ToDtype": Row(_to_dtype),
    "timm.RandomResizedCropAndInterpolation": Row(_timm_crop),
    "timm.RandAugment": Row(_timm_policy),
    "timm.RandomErasing": Row(_timm_erasing, needs=TENSOR),
    "timm.MaybeToTensor": Row(_to_float_or_not, returns=TENSOR, needs=PICTURE),
    "timm.MaybePILToTensor": Row(_nothing, returns=TENSOR, needs=PICTURE),
    "timm.ToNumpy": Row(_nothing, returns=TENSOR, needs=PICTURE),
    "ConvertImageDtype": _TO_FLOAT,
    "ConvertDtype": _TO_FLOAT,
    "Normalize": Row(_normalize, differs="within 5e-7 of float32", needs=TENSOR),
}
"""The torchvision transforms with a counterpart, by the names of their classes."""


BRIDGED: Final = {
    "ElasticTransform": "draws the displacement of each pixel differently",
    "RandomPhotometricDistort": "draws its steps differently",
    "LinearTransformation": "has no counterpart",
}
"""The torchvision transforms that are bridged, and why."""

JOINT: Final = {
    **dict.fromkeys(
        (
            *("RandomIoUCrop", "SanitizeBoundingBoxes", "SanitizeBoundingBox", "SanitizeKeyPoints"),
            *("ClampBoundingBoxes", "ClampBoundingBox", "ClampKeyPoints"),
            *("ConvertBoundingBoxFormat", "SetClampingMode"),
        ),
        "needs the boxes or keypoints of a sample: write the pipeline with seedsafe's transforms, boxes=Boxes(...), and name "
        "the parts of a sample with targets=",
    ),
    **dict.fromkeys(
        ("MixUp", "CutMix", "RandomMixUp", "RandomCutMix"),
        "mixes batches: leave it out, and pass collate_fn=seedsafe_torch.mix(classes) to seedsafe_torch.loader",
    ),
}
"""Transforms that do not fit into a pipeline of images, and the way out."""
