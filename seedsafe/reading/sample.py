"""Samples, taken apart, augmented, put together again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import getitem
from typing import Any, Final

import numpy as np

from seedsafe.ground.info import TARGETS, Array
from seedsafe.ground.tree import replaced, with_parts
from seedsafe.keys.key import SampleKey
from seedsafe.pipeline.boxes import Edges
from seedsafe.pipeline.unnamed import shape_of
from seedsafe.pipeline.views import joined, keys_of_views
from seedsafe.reading.bound import Augment, BoundAugment
from seedsafe.reading.forms import WIDE, Back, can_begin, form_of, kind_of, opened, tv_target, unwrap
from seedsafe.reading.targets import (
    BY_NAME,
    SAID,
    TargetPaths,
    Targets,
    implied_targets,
    paths_of,
    require_named,
)

__all__ = [
    "Images",
    "Join",
    "Opened",
    "augment_parts",
    "augment_sample",
    "augment_views",
    "bound_of",
    "in_views",
    "joined_views",
    "take_apart",
    "targets_of",
    "views_of_parts",
]


Join = Callable[[Any], Any]
"""Puts the augmented parts of a sample back into the sample's form."""

_TARGETS: Final = frozenset(TARGETS)
_LISTS: Final = (tuple, list)


def take_apart(sample: Any, targets: Targets) -> tuple[Any, Join]:
    """Return the parts of a sample for the pipeline, and a function that puts its result back into the sample's form."""
    if sample is None:
        raise TypeError("the dataset returned None: return a sample, or leave the index out of the dataset")
    if targets == "sample":
        return sample, _itself
    named = targets if type(targets) is TargetPaths else _named_in(sample, targets)
    if not named:
        return _take_by_name(sample)
    if type(named) is not TargetPaths:
        return _gather(sample, named), lambda result: with_parts(sample, _spread(result, named))
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


def _itself(result: Any) -> Any:
    return result


def _take_by_name(sample: Any) -> tuple[Any, Join]:
    """Take a sample apart without targets: by the names in a dict, else at the front."""
    if isinstance(sample, dict):
        if _TARGETS.isdisjoint(sample):
            raise ValueError(
                f"none of the sample's keys {list(sample)} is one of {', '.join(TARGETS)}: "
                "name the parts with targets={key: target}"
            )
        return sample, _itself
    if not isinstance(sample, tuple | list):
        return sample, _itself
    if not sample:
        raise ValueError("the dataset returned an empty tuple: return a sample")
    if not can_begin(sample[0]):
        raise TypeError(
            f"the first element of a sample is augmented and must be a NumPy array, got {kind_of(sample[0])}: "
            f"convert it with numpy.asarray, or name the parts with targets={_names_of(sample)}"
        )
    return sample[0], lambda result: with_parts(sample, {0: result})


def _names_of(sample: Any) -> Any:
    """Return the `targets` of a sample that begins with several images, or with the frames of a video; "" for any other."""
    first = sample[0]
    if not (isinstance(first, tuple | list) and first and len(shape_of(first[0])) >= 2):
        return ""
    several = ("image",) * len(first) if len(first) <= 4 else "video"
    return (several, *[None] * (len(sample) - 1))


def _named_in(sample: Any, targets: Targets) -> Mapping[Any, str]:
    """Return the targets of a sample's parts by key, or by path if some are deeper; none if its parts are found by name.

    Raises:
        ValueError: the sample has another form, or lacks a part.
    """
    is_dict, is_tuple = isinstance(sample, dict), isinstance(sample, _LISTS)
    if targets is None or (targets == "image" and not is_dict):
        return BY_NAME
    if targets == "video" and not is_dict:
        return TargetPaths({(0,) if is_tuple and sample and not _are_frames(sample) else (): "video"})
    named: Any = {targets: targets} if isinstance(targets, str) else targets
    if not (is_dict or is_tuple):
        raise ValueError(
            f"targets={targets!r} name parts of a tuple or dict, but the sample is {kind_of(sample)}: leave targets out"
        )
    of_dict = hasattr(named, "keys")  # several times faster than to ask for a Mapping
    if of_dict != is_dict:
        what, form, way_out = (
            ("positions", "a dict", "dict") if is_dict else ("keys", kind_of(sample), "tuple")
        )
        raise ValueError(
            f"targets={targets!r} name {what}, but the sample is {form}: pass a {way_out} of targets"
        )
    missing = [key for key in named if key not in sample] if is_dict else []
    if missing:
        raise ValueError(
            f"targets name the keys {missing}, which the sample lacks; it has {list(sample)}: correct the names"
        )
    if not is_dict and len(named) != len(sample):
        raise ValueError(
            f"targets={targets!r} name {len(named)} parts, but the sample has {len(sample)}: name each part, or pass None "
            "for a part that passes through"
        )
    each = named.items() if of_dict else enumerate(named)
    by_key = {key: target for key, target in each if target is not None}
    return by_key if SAID.issuperset(map(type, by_key.values())) else paths_of(named)


def _are_frames(sample: Any) -> bool:
    """Return whether a sample is a list of images, and so a video by itself."""
    return isinstance(sample, list) and all(
        isinstance(frame, np.ndarray) or form_of(frame) is not None for frame in sample
    )


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


def bound_of(augment: Augment | BoundAugment) -> BoundAugment:
    """Return the BoundAugment of an augmentation, which may be one already."""
    return augment if isinstance(augment, BoundAugment) else BoundAugment(augment)


def targets_of(augment: BoundAugment, sample: Any, targets: Targets = None) -> Targets:
    """Return the argument `targets`, or the targets that a sample implies. A dict that implies none goes to a callable whole.

    Raises:
        ValueError: a part must be named; see `implied_targets` and `require_named`.
    """
    if targets is not None:
        if type(targets) is tuple and SAID.issuperset(map(type, targets)):
            return targets  # a flat line names each part; asked here, since it is asked in each read
        for view in augment.views or (augment,):
            require_named(sample, targets, view.rules_of_parts)
        return targets
    if augment.views:
        each = [targets_of(view, sample) for view in augment.views]
        return next((targets for targets in each if targets), BY_NAME)
    if not augment.takes_arrays and isinstance(sample, dict) and _TARGETS.isdisjoint(sample):
        return "sample"
    return implied_targets(augment.rules_of_parts, sample)


def augment_sample(
    augment: Augment | BoundAugment,
    sample: Any,
    key: SampleKey,
    targets: Targets = None,
    row: Array | None = None,
) -> Any:
    """Augment the targets of a sample at a key, and return a new sample of the same form.

    Args:
        augment: a Compose or a Transform. A caller with many samples binds it once: ``BoundAugment(augment)``.
        sample: an array; a tuple or list, whose first element is augmented unless `targets` names others; or a dict, whose
            entries named after targets are augmented unless `targets` names others. A callable gets a dict as it is.
        key: the key of the sample.
        targets: the targets by position or by key; see Targets.
        row: memory for the augmented array of a sample that is an array or begins with one. If the pipeline can write
            there, the result is in it; if not, its content is undefined.

    Returns:
        A sample of the same form. The parts that are not augmented are the very same objects.

    Raises:
        TypeError: the sample or the result is None, or an augmentable part is not an array.
        ValueError: the targets do not fit the sample.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> flip, key = ss.HorizontalFlip(p=1), SampleKey(42, 0, 0)
        >>> augment_sample(flip, np.array([[1, 2]], np.uint8), key)
        array([[2, 1]], dtype=uint8)
        >>> augment_sample(flip, (np.array([[1, 2]], np.uint8), 7), key)
        (array([[2, 1]], dtype=uint8), 7)
        >>> augment_sample(flip, {"photo": np.array([[1, 2]], np.uint8), "label": 7}, key, {"photo": "image"})
        {'photo': array([[2, 1]], dtype=uint8), 'label': 7}
    """
    bound = bound_of(augment)
    if bound.views:
        return augment_views(bound, sample, keys_of_views(key, len(bound.views)), targets)
    if targets is None and type(sample) is np.ndarray:
        return augment_parts(bound, sample, key, row)
    targets = targets_of(bound, sample, targets)
    parts, join = take_apart(sample, targets)
    return join(augment_parts(bound, parts, key, row))


def augment_views(
    augment: Augment | BoundAugment, sample: Any, keys: Sequence[SampleKey], targets: Targets = None
) -> Any:
    """Return a sample in which each augmented part is a tuple of its views, one view for each key.

    Args:
        augment: the pipeline of all views, or Views with one for each.
        sample: see `augment_sample`.
        keys: the keys of the views.
        targets: the targets by position or by key; see Targets.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> keys = [SampleKey(42, 0, 0, view=view) for view in range(2)]
        >>> (first, second), label = augment_views(ss.HorizontalFlip(), (np.ones((1, 2), np.uint8), 7), keys)
        >>> first.shape, label
        ((1, 2), 7)
    """
    bound = bound_of(augment)
    each = list(zip(bound.views or [bound] * len(keys), keys, strict=True))
    return in_views(
        bound, sample, targets, lambda parts: [augment_parts(view, parts, key) for view, key in each]
    )


def in_views(
    bound: BoundAugment, sample: Any, targets: Targets, views: Callable[[Any], Sequence[Any]]
) -> Any:
    """Return a sample in which each augmented part is a tuple of its views, which a function makes of the parts."""
    targets = targets_of(bound, sample, targets)
    parts, join = take_apart(sample, targets)
    return join(views_of_parts(bound, parts, views(parts), targets))


def views_of_parts(bound: BoundAugment, parts: Any, views: Sequence[Any], targets: Targets) -> Any:
    """Return the parts of a sample with their views, from the parts of each view."""
    if targets == "sample":
        return tuple(views)
    objects = bound.mixer is not None and isinstance(parts, dict) and "boxes" in parts
    in_lists = not objects  # else each view has objects of its own
    result = joined(parts, views, bound.labels, in_lists=in_lists, arrange=bound.arrange)
    return _image_by_image(parts, result)


def _image_by_image(parts: Any, result: Any) -> Any:
    """Return the views of parts; several images of a sample are a list in which each has its views."""
    if isinstance(parts, dict) and type(parts.get("video")) is Images:
        result["video"] = list(zip(*result["video"], strict=True))
    return result


def joined_views(samples: Sequence[Any], targets: Targets = None) -> Any:
    """Return one sample from several views of it, in which each augmentable part is a tuple of its views.

    Example:
        >>> import numpy as np
        >>> joined_views([(np.array(1), "a"), (np.array(2), "a")])
        ((array(1), array(2)), 'a')
    """
    views = [take_apart(sample, targets)[0] for sample in samples]
    first, join = take_apart(samples[0], targets)
    return join(_image_by_image(first, joined(first, views, in_lists=False)))


def augment_parts(bound: BoundAugment, parts: Any, key: SampleKey | None, row: Array | None = None) -> Any:
    """Return the parts from `take_apart`, augmented. A pipeline of this library gets arrays; see `augment_sample`."""
    if bound.is_empty:
        return parts
    if type(parts) is np.ndarray and parts.dtype.char not in WIDE:
        result = bound(parts, key, row)
        return _require_targets(result, parts) if result is None else result
    if not bound.takes_arrays:
        return _require_targets(bound(parts, key), parts)
    if not isinstance(parts, dict):
        array, back = opened(parts, bound.target, bound.channels_first)
        result = bound(array, key, row if back is None else None)
        return result if back is None else back(result)
    in_arrays = Opened(bound, parts)
    return in_arrays.closed(bound(in_arrays.arrays, key))


class Opened:
    """The targets of a sample as arrays, and the functions that give results the form of the parts.

    Args:
        bound: the pipeline that gets them.
        parts: the parts from `take_apart`.
    """

    def __init__(self, bound: BoundAugment, parts: dict[Any, Any]) -> None:
        self.arrays = parts
        """The parts as arrays."""
        self._bound = bound
        self._backs: dict[str, Back] = {}
        self._wraps: dict[str, Any] = {}
        for target, part in parts.items():
            if (
                target in _TARGETS
                and part is not None
                and (type(part) is not np.ndarray or part.dtype.char in WIDE)
            ):
                if tv_target(part) is not None:
                    part, self._wraps[target] = unwrap(part, target, bound.rules)
                array, self._backs[target] = opened(part, target, bound.channels_first)
                if target == "boxes" and target in self._wraps:
                    array = array.view(Edges)
                self.arrays = self.arrays | {target: array}

    def closed(self, result: dict[Any, Any]) -> dict[Any, Any]:
        """Return what the pipeline returned, with each part in the form that it had."""
        if not self._backs:
            return result
        shape: Any = result["image"].shape if "image" in result else ()
        result |= {target: back(result[target]) for target, back in self._backs.items() if back is not None}
        for target, wrap in self._wraps.items():
            result[target] = wrap(result[target], shape[-2:] if self._bound.channels_first else shape[:2])
        return result


def _require_targets(result: Any, parts: Any) -> Any:
    """Return the result of an augmentation, or raise an error if it is None or lacks targets of the parts."""
    if result is None:
        raise TypeError("augment returned None: return the augmented sample from it")
    if isinstance(parts, dict):
        entries = result if isinstance(result, dict) else ()
        lost = [target for target in TARGETS if target in parts and target not in entries]
        if lost:
            raise TypeError(
                f"augment returned {kind_of(result)} without {lost} for a dict: return a dict with the same entries"
            )
    return result
