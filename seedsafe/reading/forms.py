"""Samples of a dataset, augmented: an array, a tuple, or a dict.

A part is an array, a PIL image or a tensor of torch's; see seedsafe.reading.arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from seedsafe.ground.info import TARGETS, Array
from seedsafe.keys.key import SampleKey
from seedsafe.pipeline.compose import Compose, written
from seedsafe.pipeline.naming import Namer
from seedsafe.pipeline.transform import Transform
from seedsafe.reading.arrays import WIDE, opened
from seedsafe.reading.targets import Targets, kind_of, take_apart

__all__ = [
    "Augment",
    "augment_parts",
    "augment_sample",
    "augment_views",
    "draws",
    "joined_views",
    "labels_of",
]

Augment = Callable[..., Any]
"""What is called as ``augment(sample, key=key)``: a Compose or a Transform."""


def draws(augment: Augment | None) -> bool:
    """Return whether anything that an augmentation does follows its key."""
    if isinstance(augment, Compose | Transform):
        return bool(augment.bind(Namer()).ops)
    return augment is not None


def labels_of(augment: Any) -> tuple[str, ...]:
    """Return the entries of a sample that a pipeline may shorten."""
    return augment.labels if isinstance(augment, Compose) else ()


def augment_sample(
    augment: Augment, sample: Any, key: SampleKey, targets: Targets = None, row: Array | None = None
) -> Any:
    """Return a sample of a dataset with its augmentable parts augmented at a key; it is not changed itself.

    Args:
        augment: a Compose or a Transform.
        sample: an array, which is augmented; a tuple or list, of which the first element is, unless `targets` names
            others; or a dict, of which the entries named after targets are, unless `targets` names others.
        key: of the sample.
        targets: by position or by key; see Targets.
        row: memory for the augmented array of a sample that is one or begins with one. It is filled and returned where
            the pipeline can write there; else it holds anything.

    Returns:
        A sample of the same form; other parts are the very same objects.

    Raises:
        TypeError: the sample is None, an augmentable part is not an array, or nothing came back.
        ValueError: targets do not fit the sample.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> augment_sample(ss.HorizontalFlip(p=1), (np.array([[1, 2]], np.uint8), 7), SampleKey(42, 0, 0))
        (array([[2, 1]], dtype=uint8), 7)
    """
    if targets is None:  # what most datasets return, without a detour
        if type(sample) is np.ndarray:
            return augment_parts(augment, sample, key, row)
        if type(sample) is tuple and sample and type(sample[0]) is np.ndarray:
            return augment_parts(augment, sample[0], key, row), *sample[1:]
    parts, join = take_apart(sample, targets)
    return join(augment_parts(augment, parts, key, row))


def augment_views(augment: Augment, sample: Any, keys: Sequence[SampleKey], targets: Targets = None) -> Any:
    """Return a sample in which each augmented part is a tuple of its views, one for each key.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> keys = [SampleKey(42, 0, 0, view=view) for view in range(2)]
        >>> (first, second), label = augment_views(ss.HorizontalFlip(), (np.ones((1, 2), np.uint8), 7), keys)
        >>> first.shape, label
        ((1, 2), 7)
    """
    parts, join = take_apart(sample, targets)
    views = [augment_parts(augment, parts, key) for key in keys]
    if not isinstance(parts, dict):
        return join(tuple(views))
    varied = {*TARGETS, *labels_of(augment)}
    together = {k: tuple(view[k] for view in views) if k in varied else v for k, v in parts.items()}
    if isinstance(parts.get("masks"), list):  # a list of masks, each with its views
        together["masks"] = list(zip(*together["masks"], strict=True))
    return join(together)


def joined_views(samples: Sequence[Any], targets: Targets = None) -> Any:
    """Return the first of several views of a sample, in which each augmentable part is a tuple of all views'.

    Example:
        >>> import numpy as np
        >>> joined_views([(np.array(1), "a"), (np.array(2), "a")])
        ((array(1), array(2)), 'a')
    """
    views = [take_apart(sample, targets)[0] for sample in samples]
    first, join = take_apart(samples[0], targets)
    if not isinstance(first, dict):
        return join(tuple(views))
    return join(
        {
            name: tuple(view[name] for view in views) if name in TARGETS else part
            for name, part in first.items()
        }
    )


def augment_parts(augment: Augment, parts: Any, key: SampleKey, row: Array | None = None) -> Any:
    """Return what was taken apart, augmented; a pipeline of this library gets arrays, and a row for what it makes of one."""
    if type(parts) is np.ndarray and parts.dtype.char not in WIDE:
        made = augment(parts, key=key) if row is None else _made(augment, parts, key, row)
        return _returned(made, parts) if made is None else made
    if not isinstance(augment, Compose | Transform):  # a callable of the user's own takes what there is
        return _returned(augment(parts, key=key), parts)
    if isinstance(augment, Compose) and not (augment.transforms or augment.options()):
        return parts
    if not isinstance(parts, dict):
        array, back = opened(parts, *_takes(augment))
        made = _made(augment, array, key, row if back is None else None)
        return made if back is None else back(made)
    backs = {}
    for target in TARGETS:
        part = parts.get(target)
        if part is not None and (type(part) is not np.ndarray or part.dtype.char in WIDE):
            array, backs[target] = _opened(part, target, _takes(augment)[1])
            parts = parts | {target: array}
    made = augment(parts, key=key)
    if backs:
        made |= {target: back(made[target]) for target, back in backs.items() if back is not None}
    return made


def _made(augment: Augment, array: Any, key: SampleKey, row: Array | None) -> Any:
    """Return what an augmentation makes of an array; a Compose may do it in the row, a user's callable might keep that."""
    if row is not None and isinstance(augment, Compose) and type(augment) is Compose:
        return written(augment, array, key, row)
    return augment(array, key=key)


def _opened(part: Any, target: str, first: bool) -> tuple[Any, Callable[[Any], Any] | None]:
    if target != "masks" or not isinstance(part, list | tuple):
        return opened(part, "mask" if target == "masks" else target, first)
    pairs = [opened(mask, "mask", first) for mask in part]
    backs = [back for _, back in pairs]

    def back(made: Any) -> Any:
        return type(part)([mask if one is None else one(mask) for mask, one in zip(made, backs, strict=True)])

    return type(part)([array for array, _ in pairs]), back


_seen: dict[int, tuple[Any, tuple[str, bool]]] = {}


def _takes(augment: Compose | Transform) -> tuple[str, bool]:
    """Return what a bare array is to a pipeline, and whether it returns images with their channels first."""
    known = _seen.get(id(augment))
    if known is None:
        if len(_seen) > 64:
            _seen.clear()
        known = _seen[id(augment)] = augment, _looked_at(augment)  # kept, so that nothing else has its id
    return known[1]


def _looked_at(augment: Compose | Transform) -> tuple[str, bool]:
    transforms = [leaf.transform for leaf in augment.bind(Namer()).leaves()]
    audio = any("image" not in one.primary for one in transforms)
    return "audio" if audio else "image", any(one.channels == "to first" for one in transforms)


def _returned(made: Any, parts: Any) -> Any:
    """Return what an augmentation made of a sample's parts, or raise an error if it is less than these."""
    if made is None:
        raise TypeError("augment returned None: return the augmented sample from it")
    if isinstance(parts, dict):
        kept = made if isinstance(made, dict) else ()
        lost = [target for target in TARGETS if target in parts and target not in kept]
        if lost:
            raise TypeError(
                f"augment returned {kind_of(made)} without {lost} for a dict: return a dict with all entries that it was given"
            )
    return made
