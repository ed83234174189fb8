"""Targets: what the parts of a sample are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import getitem
from typing import Any, Final

from seedsafe.ground.info import TARGETS
from seedsafe.ground.tree import Path, entries, leaves, written
from seedsafe.pipeline.rules import Rules
from seedsafe.pipeline.unnamed import SCALARS, described_part, likely_target, must_be_named, shape_of
from seedsafe.reading.forms import can_begin, tv_target

__all__ = [
    "BY_NAME",
    "SAID",
    "TargetPaths",
    "Targets",
    "check_targets",
    "implied_targets",
    "only_labels",
    "paths_of",
    "require_named",
]

Targets = Sequence[Any] | Mapping[Any, Any] | None
"""The target of each part, by position for tuples and by key for dicts, with None for parts that pass through.

A dict of targets stands for a dict in a sample. "image" means the image alone: an array, the first element of a tuple, the
entry ``image`` of a dict. "video" means the video alone. Several parts with the target "image" get one augmentation. "sample" means
the whole sample, for a callable that is no pipeline.
"""

_NAMES: Final = frozenset(TARGETS)
_CONTAINERS: Final = (tuple, list, dict)
SAID: Final = frozenset((str, type(None)))
"""The types of what is said of one part."""
_ARRAYS: Final = ("numpy", "torch")
"""The modules of the classes of plain arrays and tensors."""


class TargetPaths(dict[Path, str]):
    """The targets of parts, by the keys and positions that lead to them."""


BY_NAME: Final = TargetPaths()
"""The targets of a sample whose parts have the names of targets, or of one that begins with its only part to augment."""


def paths_of(targets: Any) -> TargetPaths:
    """Return named targets with the path that leads to each.

    Example:
        >>> paths_of(("image", None, {"bbox": "boxes"}))
        {(0,): 'image', (2, 'bbox'): 'boxes'}
    """
    return TargetPaths((path, target) for path, target in leaves(targets) if target is not None)


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

    These are certain: the first part of a tuple, entries named after targets in a dict that is the sample or a part of a tuple, and
    tv_tensors.

    Args:
        rules: the rules of the pipeline; None for other code, which gets the sample as it is. All parts are looked at only if the pipeline
            moves pixels or frames.
        sample: the sample of a dataset.

    Raises:
        ValueError: a part must be named, or is as long as the sound.

    Example:
        >>> import numpy as np
        >>> from seedsafe import Compose, HorizontalFlip
        >>> rules = Compose([HorizontalFlip()])._rules
        >>> image, mask = np.zeros((4, 6, 3), np.uint8), np.zeros((4, 6), np.uint8)
        >>> implied_targets(rules, (image, 7))
        {}
        >>> implied_targets(rules, (image, {"mask": mask, "label": 7}))
        {(0,): 'image', (1, 'mask'): 'mask'}
        >>> implied_targets(rules, (image, mask))
        Traceback (most recent call last):
        ValueError: the sample's [1], an array of shape (4, 6), must be named: the pipeline moves the image, and this would stay as it is. \
Write targets=('image', 'mask'), with None for a part that passes through, or targets="image" to augment the image alone
    """
    if rules is None or not isinstance(sample, _CONTAINERS):
        return BY_NAME
    if rules.shifts:
        _require_still(sample, rules.shifts)
    if isinstance(sample, dict):
        if _NAMES.isdisjoint(sample) or _are_named(sample, rules):
            return BY_NAME
    elif rules.mixed_labels and (labelled := _with_label(sample, rules)) is not None:
        return labelled
    elif only_labels(sample[1:]) or not can_begin(sample[0]):  # the latter is an error of `take_apart`
        return BY_NAME
    if not rules.asks:
        return BY_NAME
    certain = TargetPaths(_certain(sample, rules))
    _require_rest(sample, certain, rules, implied=True)
    # A dict at the front is augmented by its names, and nothing beside it.
    in_dict = not isinstance(sample, dict) and isinstance(sample[0], Mapping)
    targets = [target for target in certain.values() if target != "mask"]
    mixed = "masks" in targets and len(targets) < len(certain) - 1
    outside = [path for path in certain if in_dict and path[0] != 0]
    if len(set(targets)) < len(targets) or mixed or outside:
        raise _unnamed(sample, (outside or list(certain))[-1], certain, rules, implied=True)
    plain = in_dict or all(len(path) == 1 and path[0] in (target, 0) for path, target in certain.items())
    return BY_NAME if plain else certain


def require_named(sample: Any, targets: Targets, rules: Rules | None) -> None:
    """Raise an error if a part of a sample must be named, and the argument `targets` neither names it nor says None.

    Example:
        >>> import numpy as np
        >>> from seedsafe import Compose, HorizontalFlip
        >>> sample, rules = {"photo": np.zeros((4, 6)), "seen": [[1, 2]]}, Compose([HorizontalFlip()])._rules
        >>> require_named(sample, {"photo": "image", "seen": None}, rules)
        >>> require_named(sample, {"photo": "image"}, rules)
        Traceback (most recent call last):
        ValueError: the sample's ['seen'], a list of shape (1, 2), must be named: the pipeline moves the image, and this would stay as it \
is. Write targets={'photo': 'image', 'seen': 'keypoints'}, with None for a part that passes through
    """
    if rules is None or not rules.asks or isinstance(targets, str) or _say_all(targets, sample):
        return
    said = dict(leaves(targets))
    try:
        for path in paths_of(targets):
            reduce(getitem, path, sample)
    except (KeyError, IndexError, TypeError):
        return  # `take_apart` raises it
    _require_rest(sample, said, rules, implied=False)


def _say_all(targets: Any, sample: Any) -> bool:
    """Return whether targets plainly leave nothing out; most do, in each read."""
    if isinstance(targets, Mapping):
        if not isinstance(sample, dict):
            return True  # `take_apart` raises it
        for key, part in sample.items():
            if key not in targets and type(part) not in SCALARS:
                return False
        return SAID.issuperset(map(type, targets.values()))
    return SAID.issuperset(map(type, targets))


def _require_rest(sample: Any, said: Mapping[Path, str | None], rules: Rules, *, implied: bool) -> None:
    """Raise an error if a part of a sample must be named, but nothing is said of it."""
    for path in _rest(sample, said, ()):
        raise _unnamed(sample, path, said, rules, implied=implied)


def _rest(part: Any, said: Mapping[Path, str | None], path: Path) -> Iterator[Path]:
    """Yield the paths of the parts that must be named and are not."""
    if path in said:
        return
    inside = entries(part) if not path or _holds_several(part) or _leads_on(path, said) else None
    if inside is not None:
        for key, entry in inside:
            if type(entry) not in SCALARS:
                yield from _rest(entry, said, (*path, key))
    elif must_be_named(path[-1], part) or (len(path) > 1 and path[-1] in _NAMES):
        yield path


def _holds_several(part: Any) -> bool:
    """Return whether the entries of a part are parts of their own: those of a dict, or of a tuple with arrays among other things."""
    if isinstance(part, Mapping):
        return True
    several = isinstance(part, tuple) and len(set(map(type, part))) > 1
    return several and any(hasattr(entry, "ndim") or isinstance(entry, Mapping) for entry in part)


def _leads_on(path: Path, said: Mapping[Path, Any]) -> bool:
    """Return whether a path is, or leads to, one of those of which something is said."""
    return any(longer[: len(path)] == path for longer in said)


def _certain(sample: Any, rules: Rules) -> Iterator[tuple[Path, str]]:
    """Yield the paths of the parts of a sample whose targets are certain."""
    of_dict = isinstance(sample, dict)
    for key, part in entries(sample) or ():
        if of_dict and (key in _NAMES or key in rules.labels):
            yield (key,), key
        elif not of_dict and key == 0 and not isinstance(part, Mapping):
            yield (0,), "video" if rules.video else "image"
        elif type(part) not in SCALARS:
            yield from _certain_inside(part, (key,), rules, are_ours=not of_dict)


def _certain_inside(part: Any, path: Path, rules: Rules, *, are_ours: bool) -> Iterator[tuple[Path, str]]:
    target = tv_target(part)
    if target is not None:
        yield path, target
    elif _holds_several(part):
        for name, entry in entries(part) or ():
            own = are_ours and isinstance(part, Mapping) and (name in _NAMES or name in rules.labels)
            if own and entry is not None and (name != "image" or path == (0,)):
                yield (*path, name), name
            elif type(entry) not in SCALARS:
                yield from _certain_inside(entry, (*path, name), rules, are_ours=False)


def only_labels(parts: Sequence[Any]) -> bool:
    """Return whether no part of a tuple can belong to its image: each is a scalar, or an array of at most one axis.

    Example:
        >>> import numpy as np
        >>> only_labels((7, "cat", np.zeros(10))), only_labels((None, np.zeros((4, 6))))
        (True, False)
    """
    return SCALARS.issuperset(map(type, parts)) or all(
        type(part) in SCALARS
        or (
            type(part).__module__ in _ARRAYS
            and getattr(part, "ndim", 2) < 2
            and not getattr(part.dtype, "hasobject", False)  # torch's have none
        )
        for part in parts
    )


def _are_named(sample: dict[Any, Any], rules: Rules) -> bool:
    """Return whether each part of a dict is a target by its name, or can be none."""
    for name, part in sample.items():  # asked in each read, and a generator would cost more
        if name not in _NAMES and type(part) not in SCALARS and name not in rules.labels:
            return False
    return True


def _with_label(sample: Any, rules: Rules) -> TargetPaths | None:
    """Return the targets of a pair (image, label) for a pipeline that mixes one label, or None for anything else."""
    if len(sample) != 2 or len(rules.mixed_labels) > 1 or any(isinstance(part, Mapping) for part in sample):
        return None
    if must_be_named(1, sample[1]):
        return None
    return TargetPaths({(0,): "image", (1,): next(iter(rules.mixed_labels))})


_SHORT: Final = 256
"""Sound has more samples than a label has classes."""


def _require_still(sample: Any, shifts: str) -> None:
    """Raise an error if a part of a sample is as long as its sound, which a transform moves in time.

    Args:
        sample: the sample.
        shifts: the name of the transform.
    """
    is_dict = isinstance(sample, dict)
    sound = shape_of(sample.get("audio") if is_dict else sample[0] if sample else None)
    if not 1 <= len(sound) <= 2 or sound[-1] < _SHORT:
        return
    for key, part in entries(sample) or ():
        if type(part) in SCALARS or (key in TARGETS if is_dict else key == 0) or not hasattr(part, "dtype"):
            continue
        shape = shape_of(part)
        if 1 <= len(shape) <= 2 and shape[-1] == sound[-1]:
            targets = {"audio": "audio"} if is_dict else ("audio", *[None] * (len(sample) - 1))
            raise ValueError(
                f"the sample's [{key!r}] is as long as its sound, and would stay as it is while {shifts} moves that in time: return "
                f"numpy.stack([sound, part]), whose channels get one augmentation, or pass targets={targets!r} to augment the sound alone"
            )


def _unnamed(
    sample: Any, path: Path, said: Mapping[Path, str | None], rules: Rules, *, implied: bool
) -> ValueError:
    """Return the error for a part of a sample that must be named, with the line to write; `implied` if there is no argument `targets`."""
    what, of = ("video", "the frames of the video") if rules.video else ("image", "the image")
    alone = f', or targets="{what}" to augment the {what} alone' if implied else ""
    moves = "moves" if rules.video or rules.spatial else "may move"
    by_target = {target: reduce(getitem, at, sample) for at, target in said.items() if target is not None}
    named = dict(said)
    for unsaid in _rest(sample, said, ()):
        part = reduce(getitem, unsaid, sample)
        named[unsaid] = likely_target(unsaid[-1], part, by_target.get("image"), by_target.get("video"))
    part = reduce(getitem, path, sample)
    line = f"targets={_line(sample, named, ())!r}"
    return ValueError(
        f"the sample's {written(path)}, {described_part(part)}, must be named: the pipeline {moves} {of}, and this would stay as it "
        f"is. {_way_out(part, line, named.get(path), rules)}{alone}"
    )


def _line(part: Any, named: Mapping[Path, str | None], path: Path) -> Any:
    """Return the argument `targets` that names parts of a sample."""
    if path in named:
        return named[path]
    if path and not _leads_on(path, named):
        return None
    if isinstance(part, Mapping):
        lines = ((key, (*path, key), entry) for key, entry in part.items())
        return {key: _line(entry, named, at) for key, at, entry in lines if _leads_on(at, named)}
    return tuple(_line(entry, named, (*path, key)) for key, entry in enumerate(part))


def _way_out(part: Any, line: str, target: str | None, rules: Rules) -> str:
    """Return what to write for a part that must be named."""
    if isinstance(part, list | tuple) and any(isinstance(entry, Mapping) for entry in part):
        first = next(entry for entry in part if isinstance(entry, Mapping))
        return f"No target is a list of dicts: {_of_coco(first) if 'bbox' in first else _OF_OBJECTS}, or write {line} if it may stay"
    more = ""
    if target == "image":
        more = ', "mask" if its colours are labels'
    elif target == "boxes" and rules.boxes is None:
        more = ', and pass the format of the boxes, Compose(..., boxes=ss.Boxes("coco")) or another'
    return f"Write {line}, with None for a part that passes through{more}"


_OF_OBJECTS: Final = 'return their boxes as one array (N, 4) in {"image": image, "boxes": boxes}, or their points as "keypoints", (N, 2)'


def _of_coco(first: Mapping[Any, Any]) -> str:
    """Return what makes arrays of objects as COCO has them."""
    label = next((name for name in ("category_id", "category", "label") if name in first), None)
    labels = "" if label is None else f', "labels": [each["{label}"] for each in objects]'
    return (
        'return image, objects from your __getitem__ as {"image": image, "boxes": numpy.array([each["bbox"] for each in objects], '
        f'numpy.float32).reshape(-1, 4){labels}}}, and pass Compose(..., boxes=ss.Boxes("coco"{", labels=" + repr("labels") if label else ""}))'
    )
