"""Pipelines from and to plain data."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, fields
from functools import partial
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, Final, TextIO

import seedsafe as ss
from seedsafe_albumentations.arguments import check_only
from seedsafe_albumentations.functions import Nothing
from seedsafe_albumentations.geometry import PixelAffine, ScaledRotation
from seedsafe_albumentations.noise import ShareNoise
from seedsafe_albumentations.originals import CLASSES, Original, instead, lack, theirs
from seedsafe_albumentations.params import BboxParams, KeypointParams
from seedsafe_albumentations.values import Fraction, Standardized, StandardizedCHW

__all__ = ["from_dict", "load", "save", "to_dict"]

_DROPPED = ("__class_fullname__", "params", "applied", "__version__")
_INHERITED: Final = {
    "PadIfNeeded": ("padding",),
    "RGBShift": ("approximation", "noise_params", "noise_type", "spatial_mode"),
    "SafeRotate": (
        *("balanced_scale", "fit_output", "keep_ratio", "rotate", "scale", "shear"),
        *("translate_percent", "translate_px"),
    ),
}
"""What albumentations 2 writes of a transform's base class, which the transform itself does not take."""


def _gone(name: str) -> type:
    """Return the class of a transform that earlier releases had and wrote; a call says what to do."""

    def refuse(cls: type, **options: Any) -> Any:
        raise ValueError(f"data contain {name}, which is gone: make the pipeline again, with Random{name}")

    return type(name, (), {"__new__": refuse})


_OWN: Final = (
    *(PixelAffine, ScaledRotation, ShareNoise, Standardized, StandardizedCHW, Fraction, Original),
    *map(_gone, ("Fog", "Rain", "Shadow", "Snow", "SunFlare")),
)
"""The transforms that this module adds to seedsafe's."""


def to_dict(transform: Any, on_not_implemented_error: str = "raise") -> dict[str, Any]:
    """Return a pipeline or a transform as plain data, as ``seedsafe.Compose.to_dict`` does. `from_dict` reads it.

    The entry ``extra`` has what seedsafe's own pipeline does not: the parameters of boxes and keypoints, additional targets,
    ToTensorV2. ``seedsafe.Compose.from_dict`` leaves it out.

    Args:
        transform: a Compose, or one transform.
        on_not_implemented_error: must be "raise".

    Raises:
        TypeError: it has code, such as a Lambda or a class of your own.
    """
    check_only(on_not_implemented_error, "on_not_implemented_error", "raise", "leave what is code out")
    here: Any = sys.modules[str(__package__)]
    alone = isinstance(transform, Nothing) or not hasattr(transform, "to_dict")
    plain: dict[str, Any] = (here.Compose([transform]) if alone else transform).to_dict()
    return plain | {"extra": plain.get("extra", {}) | {"alone": True}} if alone else plain


def extra_of(pipeline: Any) -> dict[str, Any]:
    """Return what a Compose has besides the transforms of seedsafe, without defaults."""
    to_tensor = pipeline._to_tensor
    extra = {
        "class": type(pipeline).__name__ if type(pipeline).__name__ != "Compose" else None,
        "p": pipeline.p if pipeline.p != 1 else None,
        "bbox_params": _options(pipeline.bbox_params),
        "keypoint_params": _options(pipeline.keypoint_params),
        "additional_targets": pipeline.additional_targets or None,
        "to_tensor": None if to_tensor is None else {"transpose_mask": to_tensor.transpose_mask},
        "save_applied_params": pipeline.save_applied_params or None,
        "save_key": getattr(pipeline, "save_key", None),
    }
    return {name: value for name, value in extra.items() if value is not None}


def _options(params: Any) -> dict[str, Any] | None:
    """Return the arguments of BboxParams or KeypointParams that are no defaults."""
    if params is None:
        return None
    defaults = {one.name: one.default for one in fields(params)}
    options = {name: value for name, value in asdict(params).items() if value != defaults[name]}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}


def from_dict(transform_dict: dict[str, Any], nonserializable: dict[str, Any] | None = None) -> Any:
    """Return the pipeline that ``to_dict`` described: this module's, seedsafe's, or that of albumentations 1.x or 2.x.

    Args:
        transform_dict: the result of ``to_dict``.
        nonserializable: the Lambdas in albumentations' data, by name.

    Raises:
        ValueError: the data contain a transform that this module does not have, or describe no pipeline.

    Example:
        >>> flip = {"__class_fullname__": "HorizontalFlip", "p": 0.5}
        >>> plain = {"__version__": "2.0.8", "transform": {"__class_fullname__": "Compose", "p": 1.0, "transforms": [flip]}}
        >>> from_dict(plain)
        Compose([HorizontalFlip()])
        >>> from_dict(to_dict(from_dict(plain)))
        Compose([HorizontalFlip()])
    """
    data = transform_dict
    if isinstance(data, dict) and "contract" in data:
        return _from_ours(data)
    if not isinstance(data, dict) or not isinstance(data.get("transform"), dict):
        raise ValueError(
            f"transform_dict must be the result of to_dict, of this module or of albumentations, got {data!r}: pass that"
        )
    return _from_theirs(data["transform"], nonserializable or {})


def _from_ours(data: dict[str, Any]) -> Any:
    """Return the pipeline that this module's or seedsafe's ``to_dict`` described."""
    here: Any = sys.modules[str(__package__)]
    core = ss.Compose.from_dict(data, classes=_OWN)
    extra = dict(data.get("extra", {}))
    name, p, to_tensor = extra.pop("class", "Compose"), extra.get("p", 1), extra.pop("to_tensor", None)
    alone = extra.pop("alone", False)
    transforms: list[Any] = list(core.transforms)
    if p < 1 and transforms:
        transforms = list(transforms[0].transforms)
    if to_tensor is not None:
        transforms.append(here.ToTensorV2(**to_tensor))
    if alone:
        return transforms[0]
    if core.boxes is not None and "bbox_params" not in extra:
        limits = [one.name for one in fields(BboxParams) if hasattr(core.boxes, one.name)]
        extra["bbox_params"] = {limit: getattr(core.boxes, limit) for limit in limits}
    if core.keypoints is not None and "keypoint_params" not in extra:
        each = core.keypoints.check_each_transform
        extra["keypoint_params"] = KeypointParams("xy", None, core.keypoints.outside != "keep", True, each)
    return getattr(here, name)(transforms, **extra)


def _from_theirs(plain: dict[str, Any], nonserializable: dict[str, Any]) -> Any:
    here: Any = sys.modules[str(__package__)]
    if "__name__" in plain:
        known = nonserializable.get(plain["__name__"])
        if known is None:
            raise ValueError(
                f"data contain the Lambda {plain['__name__']!r}, which is code: pass nonserializable={{{plain['__name__']!r}: Lambda(...)}}"
            )
        return known
    name = plain["__class_fullname__"].rpartition(".")[2]
    arguments = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in plain.items()
        if key not in (*_DROPPED, *_INHERITED.get(name, ())) and value is not None
    }
    if "transforms" in plain:
        arguments["transforms"] = [_from_theirs(one, nonserializable) for one in plain["transforms"]]
    if name in CLASSES and not lack():  # their data also have options of base classes
        for key in arguments.keys() - signature(theirs(name)).parameters.keys():
            del arguments[key]
    elif name not in here.__all__:
        raise ValueError(
            f"data contain the transform {name!r}, which this module does not have: {instead(name, here.__all__)}"
        )
    return getattr(here, name)(**arguments)


def load(
    filepath_or_buffer: str | Path | TextIO,
    data_format: str = "json",
    nonserializable: dict[str, Any] | None = None,
) -> Any:
    """Return the pipeline in a file that this module's or albumentations' ``save`` wrote.

    Args:
        filepath_or_buffer: the file's name, or an open file.
        data_format: "json" or "yaml", which needs PyYAML.
        nonserializable: see from_dict.

    Raises:
        ValueError: `data_format` is neither, or see from_dict.
    """
    read, _ = _codec(data_format)
    named = isinstance(filepath_or_buffer, str | Path)
    text: str = Path(filepath_or_buffer).read_text(encoding="utf-8") if named else filepath_or_buffer.read()  # type: ignore[arg-type,union-attr]
    return from_dict(read(text), nonserializable)


def save(
    transform: Any,
    filepath_or_buffer: str | Path | TextIO,
    data_format: str = "json",
    on_not_implemented_error: str = "raise",
) -> None:
    """Write a pipeline to a file, as ``seedsafe.Compose.to_json`` does. `load` reads it, and so does ``seedsafe.Compose.from_json``,
    with ``classes=`` for transforms that seedsafe does not have, such as Fraction.

    Args:
        transform: a Compose, or one transform.
        filepath_or_buffer: the file's name, or an open file.
        data_format: "json" or "yaml", which needs PyYAML.
        on_not_implemented_error: see to_dict.

    Raises:
        TypeError: see to_dict.
        ValueError: `data_format` is neither.
    """
    _, write = _codec(data_format)
    text: str = write(to_dict(transform, on_not_implemented_error))
    if isinstance(filepath_or_buffer, str | Path):
        Path(filepath_or_buffer).write_text(text, encoding="utf-8")
    else:
        filepath_or_buffer.write(text)


def _codec(data_format: str) -> tuple[Callable[[str], Any], Callable[[Any], str]]:
    """Return the functions that read and write a format's text."""
    if data_format == "json":
        return json.loads, partial(json.dumps, indent=2)
    if data_format != "yaml":
        raise ValueError(f"data_format must be 'json' or 'yaml', got {data_format!r}: pass one of them")
    try:
        yaml: Any = import_module("yaml")
    except ImportError as error:
        raise ImportError(
            'YAML needs PyYAML: pip install "seedsafe[yaml]", or pass data_format="json"'
        ) from error
    return yaml.safe_load, partial(yaml.safe_dump, sort_keys=False)
