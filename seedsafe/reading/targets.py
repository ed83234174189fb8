"""Targets: what the parts of a sample are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from seedsafe.ground.info import TARGETS
from seedsafe.pipeline.rules import Rules
from seedsafe.pipeline.unnamed import SCALARS, is_of_frames, likely_target, size_of
from seedsafe.reading.coordinates import are_points
from seedsafe.reading.tv import tv_target
from seedsafe.reading.unmoved import is_picture, require_movable, require_still

__all__ = ["BY_NAME", "TargetPaths", "Targets", "check_targets", "implied_targets", "only_labels", "paths_of"]

Targets = Sequence[Any] | Mapping[Any, Any] | None
"""The target of each part, by position for tuples and by key for dicts, with None for parts that pass through.

A dict of targets stands for a dict in a sample. "image" means the image alone: an array, the first element of a tuple, the
entry ``image`` of a dict. "video" means the video alone. Several parts with the target "image" get one augmentation. "sample" means
the whole sample, for a callable that is no pipeline.
"""

_NAMES: Final = frozenset(TARGETS)
_CONTAINERS: Final = (tuple, list, dict)
_ARRAYS: Final = ("numpy", "torch")
"""The modules of the classes of plain arrays and tensors."""


class TargetPaths(dict[tuple[Any, ...], str]):
    """The targets of parts, by the keys and positions that lead to them."""


BY_NAME: Final = TargetPaths()
"""The targets of a sample whose parts have the names of targets, or of one that begins with its only part to augment."""


def paths_of(targets: Any, path: tuple[Any, ...] = ()) -> TargetPaths:
    """Return named targets with the path that leads to each.

    Example:
        >>> paths_of(("image", None, {"bbox": "boxes"}))
        {(0,): 'image', (2, 'bbox'): 'boxes'}
    """
    paths = TargetPaths()
    for key, target in targets.items() if isinstance(targets, Mapping) else enumerate(targets):
        if isinstance(target, dict | tuple | list):
            paths |= paths_of(target, (*path, key))
        elif target is not None:
            paths[(*path, key)] = target
    return paths


def check_targets(targets: Any, labels: Sequence[str] = ()) -> Targets:
    """Return `targets`, or raise an error that names the wrong one; `labels` are the pipeline's."""
    if targets is None or targets in ("image", "video", "sample"):
        return targets  # type: ignore[no-any-return]
    if isinstance(targets, str) or not isinstance(targets, Sequence | Mapping):
        raise TypeError(
            f'targets must be a tuple such as ("image", "mask", None) or a dict of keys to targets, got {targets!r}'
        )
    named = list(paths_of(targets).values())
    for target in named:
        if target not in TARGETS and target not in labels:
            raise ValueError(
                f"targets must each be one of {', '.join((*TARGETS, *labels))}, or None to pass through, got {target!r}"
            )
    repeated = [
        target for target in set(named) if named.count(target) > 1 and target not in ("mask", "image")
    ]
    mixed = any(
        named.count(single) > 1 and several in named
        for single, several in (("mask", "masks"), ("image", "video"))
    )
    if repeated or mixed or not any(target in TARGETS for target in named):
        raise ValueError(
            f"targets must name at least one target, and each at most once except image and mask, got {targets!r}"
        )
    return targets


def implied_targets(rules: Rules | None, sample: Any) -> TargetPaths:
    """Return the targets that a sample implies, for a dataset without `targets`. They depend on this sample alone.

    Args:
        rules: the rules of the pipeline; None for other code, which gets the sample as it is. Only if the pipeline moves pixels are
            all parts looked at.
        sample: the sample of a dataset.

    Raises:
        ValueError: a part without a target seems to belong to the image, or to the sound.

    Example:
        >>> from seedsafe import Compose, HorizontalFlip
        >>> rules = Compose([HorizontalFlip()])._rules
        >>> image, mask = np.zeros((4, 6, 3), np.uint8), np.zeros((4, 6), np.uint8)
        >>> implied_targets(rules, (image, 7))
        {}
        >>> implied_targets(rules, (image, {"mask": mask, "label": 7}))
        {(0,): 'image', (1, 'mask'): 'mask'}
        >>> implied_targets(rules, (image, mask))
        Traceback (most recent call last):
        ValueError: the sample's [1] looks like it belongs to the image, but would stay as it is while the image moves. Name the \
parts with targets=('image', 'mask'), None for those that pass through, or pass targets="image" to augment the image alone
    """
    if rules is None or not isinstance(sample, _CONTAINERS):
        return BY_NAME
    if rules.shifts:
        require_still(sample, rules.shifts)
    if isinstance(sample, dict):
        if not rules.spatial or _NAMES.isdisjoint(sample) or _are_named(sample, rules):
            return BY_NAME
        return _look(sample, rules)
    if rules.mixed_labels and (labelled := _with_label(sample, rules)) is not None:
        return labelled
    if only_labels(sample[1:]):
        return BY_NAME
    if rules.video:
        _check_frames(sample)
    if not rules.spatial:
        return BY_NAME
    return _look(sample, rules)


def only_labels(parts: Sequence[Any]) -> bool:
    """Return whether no part of a tuple can belong to its image: each is a scalar, or an array of at most one axis.

    Example:
        >>> only_labels((7, "cat", np.zeros(10))), only_labels((None, np.zeros((4, 6))))
        (True, False)
    """
    return SCALARS.issuperset(map(type, parts)) or all(
        type(part) in SCALARS or (type(part).__module__ in _ARRAYS and part.ndim < 2) for part in parts
    )


def _are_named(sample: dict[Any, Any], rules: Rules) -> bool:
    """Return whether each part of a dict is a target by its name, or can be none."""
    for name, part in sample.items():
        if name not in _NAMES and type(part) not in SCALARS and name not in rules.labels:
            return False
    return True


def _check_frames(sample: Sequence[Any]) -> None:
    """Raise an error if a part of a tuple seems to belong to the video before it."""
    for number, part in enumerate(sample[1:], 1):
        if is_of_frames(part, sample[0]):
            named = (
                "video",
                *("video_mask" if is_of_frames(entry, sample[0]) else None for entry in sample[1:]),
            )
            raise ValueError(
                f"the sample's [{number}] looks like it belongs to the frames of the video, but would not be augmented. "
                f'Name the parts with targets={named!r}, or pass targets="video" to augment the video alone'
            )


def _with_label(sample: Any, rules: Rules) -> TargetPaths | None:
    """Return the targets of a pair (image, label) for a pipeline that mixes one label, or None for anything else."""
    if len(sample) != 2 or len(rules.mixed_labels) > 1 or any(isinstance(part, Mapping) for part in sample):
        return None
    image, label = sample
    size = size_of(image)
    if tv_target(label) or likely_target(1, label, size) or np.ndim(label) > 1:
        return None
    return TargetPaths({(0,): "image", (1,): next(iter(rules.mixed_labels))})


def _look(sample: Any, rules: Rules) -> TargetPaths:
    """Return the certain targets of a sample, or raise an error if a part only looks like a target."""
    is_dict = isinstance(sample, dict)
    image: Any = sample.get("image") if is_dict else sample[0] if sample else None
    begins_with_dict = not is_dict and isinstance(image, dict)
    size = size_of(image.get("image") if begins_with_dict else image)
    require_movable(sample, size)
    certain, doubtful = TargetPaths(), TargetPaths()
    parts = _of_dict(sample, rules, size) if is_dict else _of_tuple(sample, rules, size)
    for path, target, is_certain in parts:
        (certain if is_certain else doubtful)[path] = target
    targets = list(certain.values())
    repeated = [path for path, target in certain.items() if target != "mask" and targets.count(target) > 1]
    mixed = "masks" in targets and targets.count("mask") > 1
    plain = all(len(path) == 1 and (path[0] == target or path[0] == 0) for path, target in certain.items())
    if doubtful or repeated or mixed or (begins_with_dict and not plain):
        path = next(iter(doubtful or repeated or certain))
        raise ValueError(
            f"the sample's {''.join(f'[{key!r}]' for key in path)} looks like it belongs to the image, but would stay as it is "
            f"while the image moves. Name the parts with targets={_suggest(sample, certain | doubtful)!r}, None for those that "
            f'pass through, or pass targets="image" to augment the image alone{_of_pictures(sample, doubtful)}{_of_boxes(doubtful)}'
        )
    return BY_NAME if plain else certain


def _of_pictures(sample: Any, doubtful: TargetPaths) -> str:
    """Return the advice for a sample that seems to have several images."""
    pictures = [path for path, target in doubtful.items() if target == "mask" and len(path) == 1]
    if not any(is_picture(sample[path[0]]) for path in pictures):
        return ""
    return '. For a second image, write "image" for it too: both get the same augmentation'


def _of_boxes(doubtful: TargetPaths) -> str:
    """Return the advice for boxes, which may be in any format."""
    if "boxes" not in doubtful.values():
        return ""
    return '. Boxes are x0, y0, x1, y1 in pixels: for others, as in COCO, pass Compose(..., boxes=ss.Boxes("coco")) too'


_Found = tuple[tuple[Any, ...], str, bool]
"""The path of a part, its target, and whether that is certain."""


def _of_dict(sample: dict[Any, Any], rules: Rules, size: Any) -> Iterator[_Found]:
    for key, part in sample.items():
        if key in _NAMES or key in rules.labels:
            yield (key,), key, True
        elif isinstance(part, dict):
            yield from _of_entries(key, part, rules, size, are_ours=False)
        else:
            yield from _of_part(key, part, size)


def _of_tuple(sample: Sequence[Any], rules: Rules, size: Any) -> Iterator[_Found]:
    for position, part in enumerate(sample):
        if position == 0:
            if not isinstance(part, Mapping):
                yield (0,), "image", True
        elif isinstance(part, dict):
            yield from _of_entries(position, part, rules, size, are_ours=True)
        else:
            yield from _of_part(position, part, size)


def _of_part(key: Any, part: Any, size: Any) -> Iterator[_Found]:
    certain = None if type(part) in SCALARS else tv_target(part)
    if certain:
        yield (key,), certain, True
    elif guess := likely_target(key, part, size) or ("keypoints" if are_points(part, size, key) else None):
        yield (key,), guess, False


def _of_entries(
    key: Any, entries: dict[Any, Any], rules: Rules, size: Any, *, are_ours: bool
) -> Iterator[_Found]:
    """Yield the targets in a dict inside a sample. Names of ours are certain in a tuple's dict alone."""
    for name, part in entries.items():
        own = name if name in _NAMES or name in rules.labels else None
        certain = tv_target(part) or (own if are_ours and own != "image" else None)
        if certain:
            if part is not None:
                yield (key, name), certain, True
        elif (
            guess := likely_target(name, part, size)
            or own
            or ("keypoints" if are_points(part, size, name) else None)
        ):
            yield (key, name), guess, False


def _suggest(sample: Any, named: Mapping[tuple[Any, ...], str]) -> Any:
    """Return the argument `targets` to suggest for a sample."""

    def leads_on(path: tuple[Any, ...]) -> bool:
        return any(longer[: len(path)] == path for longer in named)

    def of(path: tuple[Any, ...], part: Any) -> Any:
        if path in named:
            return named[path]
        entries = part.items() if isinstance(part, dict) else ()
        return {key: of((*path, key), entry) for key, entry in entries if leads_on((*path, key))} or None

    if isinstance(sample, dict):
        return {key: of((key,), part) for key, part in sample.items() if leads_on((key,))}
    return tuple(of((key,), part) for key, part in enumerate(sample))
