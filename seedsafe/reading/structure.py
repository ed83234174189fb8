"""Samples, taken apart and put together again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import getitem
from typing import Any, Final

import numpy as np

from seedsafe.ground.info import TARGETS
from seedsafe.ground.tree import rebuilt, replaced
from seedsafe.pipeline.unnamed import shape_of
from seedsafe.reading.forms import can_begin, form_of, kind_of
from seedsafe.reading.targets import TargetPaths, Targets, paths_of

__all__ = ["Images", "Join", "take_apart"]

Join = Callable[[Any], Any]
"""Puts the augmented parts of a sample back into the sample's form."""

_NAMES: Final = frozenset(TARGETS)


def take_apart(sample: Any, targets: Targets) -> tuple[Any, Join]:
    """Return the parts of a sample for the pipeline, and a function that puts its result back into the sample's form."""
    if sample is None:
        raise TypeError("the dataset returned None: return a sample, or leave the index out of the dataset")
    if targets == "sample":
        return sample, lambda result: result
    if type(targets) is TargetPaths:
        if targets:
            return _from_paths(sample, targets)
        targets = None
    if targets == "video":
        return _of_video(sample)
    if isinstance(sample, dict):
        return _from_dict(sample, {"image": "image"} if targets == "image" else targets)
    if isinstance(sample, tuple | list):
        return _from_tuple(sample, None if targets == "image" else targets)
    if targets is not None and targets != "image":
        raise ValueError(
            f"targets={targets!r} name parts of a tuple or dict, but the sample is {kind_of(sample)}: leave targets out"
        )
    return sample, lambda result: result


def _of_video(sample: Any) -> tuple[Any, Join]:
    if isinstance(sample, dict):
        return _from_dict(sample, {"video": "video"})
    frames = isinstance(sample, list) and all(
        isinstance(frame, np.ndarray) or form_of(frame) is not None for frame in sample
    )
    if isinstance(sample, tuple | list) and sample and not frames:
        return _from_tuple(sample, ("video", *[None] * (len(sample) - 1)))
    return {"video": sample}, lambda result: result["video"]


def _from_tuple(sample: Any, targets: Targets) -> tuple[Any, Join]:
    if targets is None:
        if not sample:
            raise ValueError("the dataset returned an empty tuple: return a sample")
        if not can_begin(sample[0]):
            names = _names_of(sample)
            raise TypeError(
                f"the first element of a sample is augmented and must be a NumPy array, got {kind_of(sample[0])}: "
                f"convert it with numpy.asarray, or name the parts with targets={names}"
            )
        return sample[0], lambda result: rebuilt(sample, [result, *sample[1:]])
    if isinstance(targets, Mapping):
        raise ValueError(
            f"targets={targets!r} name keys, but the sample is {kind_of(sample)}: pass a tuple of targets"
        )
    if len(targets) != len(sample):
        raise ValueError(
            f"targets={targets!r} name {len(targets)} parts, but the sample has {len(sample)}: name each part, or pass None "
            "for a part that passes through"
        )
    named = {position: target for position, target in enumerate(targets) if target is not None}
    if not all(isinstance(target, str) for target in named.values()):
        return _from_paths(sample, paths_of(targets))

    def join(result: Any) -> Any:
        parts = list(sample)
        for position, part in _spread(result, named).items():
            parts[position] = part
        return rebuilt(sample, parts)

    return _gather(sample, named), join


def _names_of(sample: Any) -> Any:
    """Return the `targets` of a sample that begins with several images, or with the frames of a video; "" for any other."""
    first = sample[0]
    if not (isinstance(first, tuple | list) and first and len(shape_of(first[0])) >= 2):
        return ""
    several = ("image",) * len(first) if len(first) <= 4 else "video"
    return (several, *[None] * (len(sample) - 1))


def _from_dict(sample: dict[Any, Any], targets: Targets) -> tuple[Any, Join]:
    if targets is None:
        if _NAMES.isdisjoint(sample):
            raise ValueError(
                f"none of the sample's keys {list(sample)} is one of {', '.join(TARGETS)}: "
                "name the parts with targets={key: target}"
            )
        return sample, lambda result: result
    if not isinstance(targets, Mapping):
        raise ValueError(
            f"targets={targets!r} name positions, but the sample is a dict: pass a dict of targets"
        )
    missing = [key for key in targets if key not in sample]
    if missing:
        raise ValueError(
            f"targets name the keys {missing}, which the sample lacks; it has {list(sample)}: correct the names"
        )
    named = {key: target for key, target in targets.items() if target is not None}
    if not all(isinstance(target, str) for target in named.values()):
        return _from_paths(sample, paths_of(targets))
    return _gather(sample, named), lambda result: sample | _spread(result, named)


def _from_paths(sample: Any, named: TargetPaths) -> tuple[Any, Join]:
    try:
        parts = {path: reduce(getitem, path, sample) for path in named}
    except (KeyError, IndexError, TypeError) as error:
        raise ValueError(
            f"targets name a part that the sample lacks ({type(error).__name__}: {error}): correct the names"
        ) from None

    def join(result: Any) -> Any:
        whole = sample
        for path, part in _spread(result, named).items():
            whole = replaced(whole, path, part)
        return whole

    return _gather(parts, named), join


def _gather(sample: Any, named: Mapping[Any, str]) -> dict[str, Any]:
    """Return the named parts of a sample by target, with several masks as one list and several images as one video."""
    parts = {target: sample[key] for key, target in named.items()}
    for single, several, kind in (("mask", "masks", list), ("image", "video", Images)):
        keys = [key for key, target in named.items() if target == single]
        if len(keys) > 1:
            del parts[single]
            parts[several] = kind(sample[key] for key in keys)
    if type(parts.get("video")) is Images:
        _require_alike(parts["video"])
    return parts


class Images(list[Any]):
    """Several images of a sample, which get one augmentation like the frames of a video."""


def _require_alike(images: Images) -> None:
    shapes = [shape_of(image) for image in images]
    if len(set(shapes)) > 1:
        raise ValueError(
            f"targets name {len(images)} images, which get one augmentation and must have one shape, got {shapes}: resize them to one "
            "size where the dataset reads them, or leave one out of targets"
        )


def _spread(result: Mapping[str, Any], named: Mapping[Any, str]) -> dict[Any, Any]:
    """Return augmented parts by their keys or paths in the sample."""
    several = [key for key, target in named.items() if target == "mask"]
    images = [key for key, target in named.items() if target == "image"]
    masks = dict(enumerate(result["masks"])) if len(several) > 1 else {}
    if masks and len(masks) != len(several):
        raise ValueError(
            f"targets name {len(several)} masks, but mixing in objects of other samples gave {len(masks)}: pass the masks of "
            'all objects as one part with the target "masks"'
        )

    def part_of(key: Any, target: str) -> Any:
        if target == "image" and len(images) > 1:
            return result["video"][images.index(key)]
        return masks[several.index(key)] if masks and target == "mask" else result[target]

    return {key: part_of(key, target) for key, target in named.items()}
