"""Samples of datasets, augmented: an array, a tuple, or a dict, whose parts are arrays, PIL images or tensors of torch's.

What comes in as a tensor goes out as one, in its layout: (C, H, W). What comes in as a PIL image goes out as an array,
since what a pipeline makes of it need not be a PIL image. Neither library is imported. Nothing is lost on the way:

========================  ==========================================================================================
mode of a PIL image       array
========================  ==========================================================================================
RGB, L, RGBA, LA, CMYK …  its channels as they are, uint8, (H, W) or (H, W, C)
P, PA                     as a mask its indices, (H, W); else its colours: RGB, or RGBA where it has transparency
1                         as a mask its bits, bool; else 0 and 255, uint8
I;16, I, F                uint16, int32, float32, (H, W)
========================  ==========================================================================================

A video is an array (T, H, W, C) or (T, H, W), a tensor (T, C, H, W), or a list of frames, each an array, a PIL image or a tensor;
what is made of a list is an array, or a tensor if it is of tensors.

An image of integers of 32 or 64 bits that are all in 0 … 255 (datasets of Hugging Face) is taken for the uint8 that it is, and
goes back into its own dtype where the pipeline leaves it uint8.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import reduce
from operator import getitem
from typing import Any, Final, NamedTuple

import numpy as np

from seedsafe.ground.info import TARGETS, Array
from seedsafe.keys.key import SampleKey
from seedsafe.pipeline.compose import Compose, among, written
from seedsafe.pipeline.mixer import Mixer
from seedsafe.pipeline.naming import Namer
from seedsafe.pipeline.primitive import marks_of
from seedsafe.pipeline.rules import Rules
from seedsafe.pipeline.state import Partners
from seedsafe.pipeline.transform import Transform
from seedsafe.pipeline.unnamed import meant, of_frames, size_of
from seedsafe.reading.tv import tv_target, unwrap

__all__ = [
    "WIDE",
    "Augment",
    "Targets",
    "as_arrays",
    "augment_parts",
    "augment_sample",
    "augment_views",
    "check_targets",
    "copied",
    "draws",
    "implied",
    "is_compose",
    "is_foreign",
    "is_foreign_code",
    "joined_views",
    "kind_of",
    "labels_of",
    "mixer_of",
    "opened",
    "take_apart",
]


WIDE: Final = frozenset("ilqILQ")
"""The dtypes, by their letters, of integers that are wider than those of images."""

_SCALARS: Final = frozenset({int, float, str, bytes, bool, type(None)})

_INDEXED: Final = {"P": "RGB", "PA": "RGBA"}


def is_foreign(part: Any) -> bool:
    """Return whether a part of a sample is a PIL image or a tensor of torch's."""
    return _is_picture(part) or _is_tensor(part)


def opened(part: Any, target: str, channels_first: bool) -> tuple[Any, Callable[[Any], Any] | None]:
    """Return a part of a sample as an array, and how an array goes back into its form; None for as it is.

    Args:
        part: of the sample; what has no other form than an array is returned as it is.
        target: what it is: "image", "mask" ….
        channels_first: whether the pipeline returns images as (C, H, W).

    Raises:
        ValueError: a tensor is not an image of (C, H, W) or a video of (T, C, H, W), or the frames of a list differ in shape.
        TypeError: a tensor is not in the memory of the CPU, or has a dtype that NumPy does not have.

    Example:
        >>> import torch
        >>> array, back = opened(torch.zeros(3, 4, 6), "image", False)
        >>> array.shape, back(array[:, ::-1]).shape
        ((4, 6, 3), torch.Size([3, 4, 6]))
    """
    if _is_picture(part):
        return _of_picture(part, target), None
    if _is_tensor(part):
        return _of_tensor(part, target, channels_first)
    if target in ("video", "video_mask") and isinstance(part, list | tuple):
        return _of_frames(part, target, channels_first)
    return _narrow(part) if target in ("image", "video") and type(part) is np.ndarray else (part, None)


def _copied_foreign(part: Any) -> Any:
    """Return a copy of a tensor or of a PIL image that is no open file; anything else as it is."""
    if _is_tensor(part):
        return part.clone()
    return part.copy() if _is_picture(part) and type(part) is sys.modules["PIL.Image"].Image else part


def copied(sample: Any) -> Any:
    """Return a sample with copies of its arrays and tensors, whose memory a base may reuse for its next sample."""
    if type(sample) in _SCALARS:
        return sample
    if isinstance(sample, np.ndarray):
        return sample.copy()
    if isinstance(sample, dict | list):
        result = copy(sample)
        for entry, part in list(sample.items() if isinstance(sample, dict) else enumerate(sample)):
            result[entry] = copied(part)
        return result
    named: Any = getattr(sample, "_make", None)
    if type(sample) is tuple or named is not None:
        parts = map(copied, sample)
        return tuple(parts) if named is None else named(parts)
    return _copied_foreign(sample)


def _is_picture(part: Any) -> bool:
    module: Any = sys.modules.get("PIL.Image")
    return module is not None and isinstance(part, module.Image)


def _is_tensor(part: Any) -> bool:
    module: Any = sys.modules.get("torch")
    return module is not None and isinstance(part, getattr(module, "Tensor", ()))


def _of_picture(picture: Any, target: str) -> Array:
    mode = picture.mode
    if target != "mask":
        if mode in _INDEXED:
            picture = picture.convert("RGBA" if "transparency" in picture.info else _INDEXED[mode])
        elif mode == "1":
            picture = picture.convert("L")
    array = np.array(picture)
    if mode == "PA" and target == "mask":
        array = array[..., 0].copy()
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _of_tensor(tensor: Any, target: str, channels_first: bool) -> tuple[Array, Callable[[Any], Any] | None]:
    if tensor.device.type != "cpu":
        raise TypeError(
            f"{target} must be a tensor on the CPU, got one on {tensor.device}: return CPU tensors from the dataset"
        )
    try:
        array = tensor.detach().numpy()
    except (RuntimeError, TypeError) as error:
        raise TypeError(
            f"{target} must be a tensor that NumPy can hold, got one of {tensor.dtype} and {tensor.layout}: convert it, for "
            f"instance with .float() or .to_dense() ({error})"
        ) from None
    before = {"image": 0, "mask": 0, "video": 1, "video_mask": 1}.get(target, -1)
    planes = array.ndim == 3 + before and before >= 0
    if planes:
        one, last, order = ("", "H, W, C", "2, 0, 1") if not before else ("T, ", "T, H, W, C", "0, 3, 1, 2")
        if array.shape[before] > 4 >= array.shape[before + 2]:
            raise ValueError(
                f"{target} must be a tensor of ({one}C, H, W), got the shape {array.shape}, which looks like ({last}): pass "
                f"tensor.permute({order}), or an array"
            )
        array = np.moveaxis(array, before, -1)
    narrow, widen = _narrow(array) if target in ("image", "video") else (array, None)
    first = planes and not (channels_first and target in ("image", "video"))

    def back(made: Any) -> Any:
        made = made if widen is None else widen(made)
        if first and made.ndim == 3 + before:
            made = np.ascontiguousarray(np.moveaxis(made, -1, before))
        return sys.modules["torch"].from_numpy(made)

    return narrow, back


def _narrow(array: Array) -> tuple[Array, Callable[[Any], Any] | None]:
    """Return an image of small integers as uint8, and how the result gets its dtype back."""
    if array.dtype.char not in WIDE or not array.size or array.min() < 0 or array.max() > 255:
        return array, None
    dtype = array.dtype

    def widen(made: Any) -> Any:
        return made.astype(dtype) if isinstance(made, np.ndarray) and made.dtype == np.uint8 else made

    return array.astype(np.uint8), widen


Targets = Sequence[Any] | Mapping[Any, Any] | None
"""The target of each part: by position for tuples, by key for dicts; None for parts that pass through.

A dict of targets stands for a dict in a sample, and "image" says that the image alone is meant: an array, a tuple's first
element, a dict's entry ``image``; "video" says the same of a video.
"""

_NAMES: Final = frozenset(TARGETS)


class _Paths(dict[tuple[Any, ...], str]):
    """The targets of parts by the keys and positions that lead to them."""


_BY_NAME: Final = _Paths()
"""The targets of a sample that has them under their names, or has nothing but an image."""


def _paths(targets: Any, at: tuple[Any, ...] = ()) -> _Paths:
    found = _Paths()
    for key, target in targets.items() if isinstance(targets, Mapping) else enumerate(targets):
        if isinstance(target, dict):
            found |= _paths(target, (*at, key))
        elif target is not None:
            found[(*at, key)] = target
    return found


def check_targets(targets: Any, labels: Sequence[str] = ()) -> Targets:
    """Return `targets`, or raise an error that names the wrong one; `labels` are names of labels that a pipeline knows."""
    if targets is None or targets == "image" or targets == "video":
        return targets  # type: ignore[no-any-return]
    if isinstance(targets, str) or not isinstance(targets, Sequence | Mapping):
        raise TypeError(
            f'targets must be a tuple such as ("image", "mask", None) or a dict of keys to targets, got {targets!r}'
        )
    named = list(_paths(targets).values())
    for target in named:
        if target not in TARGETS and target not in labels:
            raise ValueError(
                f"targets must each be one of {', '.join((*TARGETS, *labels))}, or None to pass through, got {target!r}"
            )
    twice = [target for target in set(named) if named.count(target) > 1 and target != "mask"]
    if (
        not any(target in TARGETS for target in named)
        or twice
        or (named.count("mask") > 1 and "masks" in named)
    ):
        raise ValueError(
            f"targets must name at least one target, and each at most once except mask, got {targets!r}"
        )
    return targets


def take_apart(sample: Any, targets: Targets) -> tuple[Any, Callable[[Any], Any]]:
    """Return what the pipeline is given, and how its result goes back into the sample's form."""
    if sample is None:
        raise TypeError("the dataset returned None: return a sample, or leave the index out of the dataset")
    if type(targets) is _Paths:
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
    return sample, lambda made: made


def _of_video(sample: Any) -> tuple[Any, Callable[[Any], Any]]:
    if isinstance(sample, dict):
        return _from_dict(sample, {"video": "video"})
    frames = isinstance(sample, list) and all(
        isinstance(one, np.ndarray) or is_foreign(one) for one in sample
    )
    if isinstance(sample, tuple | list) and sample and not frames:
        return _from_tuple(sample, ("video", *[None] * (len(sample) - 1)))
    return {"video": sample}, lambda made: made["video"]


def _from_tuple(sample: Any, targets: Targets) -> tuple[Any, Callable[[Any], Any]]:
    if isinstance(targets, Mapping):
        raise ValueError(
            f"targets={targets!r} name keys, but the sample is {kind_of(sample)}: pass a tuple of targets"
        )
    if targets is None:
        if not sample:
            raise ValueError("the dataset returned an empty tuple: return a sample")
        if not isinstance(sample[0], np.ndarray | dict) and not is_foreign(sample[0]):
            raise TypeError(
                f"the first element of a sample is augmented and must be a NumPy array, got {kind_of(sample[0])}: "
                "convert it with numpy.asarray, or name the parts with targets="
            )
        return sample[0], lambda made: _like(sample, [made, *sample[1:]])
    if len(targets) != len(sample):
        raise ValueError(
            f"targets={targets!r} name {len(targets)} parts, but the sample has {len(sample)}: name each, None for those "
            "that pass through"
        )
    named = {position: target for position, target in enumerate(targets) if target is not None}
    if dict in map(type, named.values()):
        return _from_paths(sample, _paths(targets))

    def join(made: Any) -> Any:
        parts = list(sample)
        for position, part in _spread(made, named).items():
            parts[position] = part
        return _like(sample, parts)

    return _gathered(sample, named), join


def _from_dict(sample: dict[Any, Any], targets: Targets) -> tuple[Any, Callable[[Any], Any]]:
    if targets is None:
        if _NAMES.isdisjoint(sample):
            raise ValueError(
                f"none of the sample's keys {list(sample)} is one of {', '.join(TARGETS)}: "
                "name the parts with targets={key: target}"
            )
        return sample, lambda made: made
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
    if dict in map(type, named.values()):
        return _from_paths(sample, _paths(targets))
    return _gathered(sample, named), lambda made: sample | _spread(made, named)


def _from_paths(sample: Any, named: _Paths) -> tuple[Any, Callable[[Any], Any]]:
    try:
        parts = {path: reduce(getitem, path, sample) for path in named}
    except (KeyError, IndexError, TypeError) as error:
        raise ValueError(
            f"targets name a part that the sample lacks ({type(error).__name__}: {error}): correct the names"
        ) from None

    def join(made: Any) -> Any:
        whole = sample
        for path, part in _spread(made, named).items():
            whole = _with(whole, path, part)
        return whole

    return _gathered(parts, named), join


def _with(whole: Any, path: tuple[Any, ...], part: Any) -> Any:
    """Return a sample, or a part of one, with another part at a path."""
    if not path:
        return part
    key, *rest = path
    inner = _with(whole[key], tuple(rest), part)
    if isinstance(whole, Mapping):
        return whole | {key: inner}  # type: ignore[operator]  # of dicts
    return _like(whole, [*whole[:key], inner, *whole[key + 1 :]])


def implied(augment: Any, sample: Any) -> Any:
    """Return the targets of a sample for which none were given: those that are certain.

    Args:
        augment: only one that moves pixels needs a look.
        sample: of a dataset.

    Raises:
        ValueError: another part seems to belong to the image.
    """
    if isinstance(augment, Compose | Transform) and isinstance(sample, tuple | list | dict):
        rules = _known(augment).rules
        if rules.mixed and not isinstance(sample, dict):
            labelled = _with_label(sample, rules)
            if labelled is not None:
                return labelled
        if rules.video and not isinstance(sample, dict):
            _check_frames(sample)
        if rules.spatial:
            return _found(sample, rules)
    return _BY_NAME


def _check_frames(sample: Sequence[Any]) -> None:
    """Raise an error if a part of a tuple seems to belong to the video before it."""
    for number, part in enumerate(sample[1:], 1):
        if of_frames(part, sample[0]):
            named = ("video", *("video_mask" if of_frames(one, sample[0]) else None for one in sample[1:]))
            raise ValueError(
                f"the sample's [{number}] looks like something that belongs to the frames of the video, and would stay as it is: "
                f'name the parts with targets={named!r}, or pass targets="video" if the video alone is meant'
            )


def _with_label(sample: Any, rules: Rules) -> _Paths | None:
    """Return the targets of a pair (image, label) for a pipeline that mixes one label; None for all else."""
    if len(sample) != 2 or len(rules.mixed) > 1 or any(isinstance(part, Mapping) for part in sample):
        return None
    image, label = sample
    size = size_of(image)
    if tv_target(label) or meant(1, label, size) or np.ndim(label) > 1:
        return None
    return _Paths({(0,): "image", (1,): next(iter(rules.mixed))})


def _found(sample: Any, rules: Rules) -> _Paths:
    """Return the certain targets of a sample, or raise an error where a part only looks like one."""
    whole = isinstance(sample, dict)
    if whole and _NAMES.isdisjoint(sample):
        return _BY_NAME
    image: Any = sample.get("image") if whole else sample[0] if sample else None
    inside = not whole and isinstance(image, dict)  # a dict of targets, and what stands beside it
    size = size_of(image.get("image") if inside else image)
    named, doubtful = _Paths(), _Paths()
    first = {"image"} if whole else {0}
    for key, part in sample.items() if whole else enumerate(sample):
        if key in first and not isinstance(part, Mapping):
            named[(key,)] = "image"
        elif whole and (key in _NAMES or key in rules.labels):
            named[(key,)] = key
        elif isinstance(part, dict) and key not in first:
            for name, one in part.items():
                ours = name in _NAMES or name in rules.labels
                certain = tv_target(one) or (name if ours and name != "image" and not whole else None)
                guess = None if certain else meant(name, one, size) or (name if ours else None)
                if certain and one is not None:
                    named[(key, name)] = certain
                elif guess:
                    doubtful[(key, name)] = guess
        elif key not in first:
            certain = tv_target(part)
            guess = None if certain else meant(key, part, size)
            if certain:
                named[(key,)] = certain
            elif guess:
                doubtful[(key,)] = guess
    given = list(named.values())
    twice = [path for path, one in named.items() if one != "mask" and given.count(one) > 1]
    mixed = "masks" in given and given.count("mask") > 1
    plain = all(len(path) == 1 and (path[0] == target or path[0] == 0) for path, target in named.items())
    if doubtful or twice or mixed or (inside and not plain):
        path = next(iter(doubtful or twice or named))
        raise ValueError(
            f"the sample's {''.join(f'[{key!r}]' for key in path)} looks like something that belongs to the image, and would "
            f"stay as it is while the image is moved: name the parts with targets={_shown(sample, named | doubtful)!r}, None "
            'for those that pass through, or pass targets="image" if the image alone is meant'
        )
    return _BY_NAME if plain else named


def _shown(sample: Any, named: Mapping[tuple[Any, ...], str]) -> Any:
    """Return the targets to write for a sample."""

    def of(path: tuple[Any, ...], part: Any) -> Any:
        if path in named:
            return named[path]
        inner = (
            {key: of((*path, key), one) for key, one in part.items() if _begins(named, (*path, key))}
            if isinstance(part, dict)
            else None
        )
        return inner or None

    if isinstance(sample, dict):
        return {key: of((key,), part) for key, part in sample.items() if _begins(named, (key,))}
    return tuple(of((key,), part) for key, part in enumerate(sample))


def _begins(named: Mapping[tuple[Any, ...], str], path: tuple[Any, ...]) -> bool:
    return any(one[: len(path)] == path for one in named)


def _gathered(sample: Any, named: Mapping[Any, str]) -> dict[str, Any]:
    """Return the named parts of a sample by target; several masks as a list of them."""
    several = [key for key, target in named.items() if target == "mask"]
    parts = {target: sample[key] for key, target in named.items()}
    if len(several) > 1:
        del parts["mask"]
        parts["masks"] = [sample[key] for key in several]
    return parts


def _spread(made: Mapping[str, Any], named: Mapping[Any, str]) -> dict[Any, Any]:
    """Return augmented parts by where they stood in the sample."""
    several = [key for key, target in named.items() if target == "mask"]
    masks = dict(enumerate(made["masks"])) if len(several) > 1 else {}
    if masks and len(masks) != len(several):
        raise ValueError(
            f"targets name {len(several)} masks, and there are {len(masks)} after objects of others were put beside them: put "
            'masks of objects together, under one name with the target "masks"'
        )
    return {
        key: masks[several.index(key)] if masks and target == "mask" else made[target]
        for key, target in named.items()
    }


def _like(sample: Any, parts: list[Any]) -> Any:
    if isinstance(sample, list):
        return parts
    return sample._make(parts) if hasattr(sample, "_make") else tuple(parts)


def kind_of(value: Any) -> str:
    """Return the full name of a value's type, for an error."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


Augment = Callable[..., Any]
"""What is called as ``augment(sample, key=key)``: a Compose or a Transform."""


def draws(augment: Augment | None) -> bool:
    """Return whether anything that an augmentation does follows its key."""
    if isinstance(augment, Compose | Transform):
        return bool(augment.bind(Namer()).ops)
    return augment is not None


def is_compose(augment: Any) -> bool:
    """Return whether an augmentation is a Compose, or of a class that adds to it and leaves its call as it is."""
    kind = type(augment)
    return issubclass(kind, Compose) and (kind.__call__, kind.bind) == (Compose.__call__, Compose.bind)


def is_foreign_code(augment: Augment | None) -> bool:
    """Return whether an augmentation runs code that is not the library's own."""
    if augment is None:
        return False
    if not is_compose(augment) and not (isinstance(augment, Transform) and marks_of(type(augment)).own):
        return True
    pipeline: Any = augment
    return any(not marks_of(type(leaf.transform)).own for leaf in pipeline.bind(Namer()).leaves())


def labels_of(augment: Any) -> tuple[str, ...]:
    """Return the entries of a sample that a pipeline may shorten or mix."""
    return _known(augment).rules.labels if isinstance(augment, Compose | Transform) else ()


def mixer_of(augment: Any) -> str | None:
    """Return the name of the first transform of a pipeline that mixes samples of a dataset; None if there is none."""
    return _known(augment).mixer if isinstance(augment, Compose | Transform) else None


def augment_sample(
    augment: Augment,
    sample: Any,
    key: SampleKey,
    targets: Targets = None,
    row: Array | None = None,
    partners: Partners | None = None,
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
        partners: the other samples of the dataset, for a pipeline that mixes them.

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
    if partners is not None:
        targets = implied(augment, sample) if targets is None else targets
        parts, join = take_apart(sample, targets)
        return join(augment_parts(augment, parts, key, None, partners))
    if targets is None:  # what most datasets return, without a detour
        if type(sample) is np.ndarray:
            return augment_parts(augment, sample, key, row)
        targets = implied(augment, sample)
    if not targets and type(sample) is tuple and sample and type(sample[0]) is np.ndarray:
        return augment_parts(augment, sample[0], key, row), *sample[1:]
    parts, join = take_apart(sample, targets)
    return join(augment_parts(augment, parts, key, row))


def augment_views(
    augment: Augment,
    sample: Any,
    keys: Sequence[SampleKey],
    targets: Targets = None,
    partners: Partners | None = None,
) -> Any:
    """Return a sample in which each augmented part is a tuple of its views, one for each key.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> keys = [SampleKey(42, 0, 0, view=view) for view in range(2)]
        >>> (first, second), label = augment_views(ss.HorizontalFlip(), (np.ones((1, 2), np.uint8), 7), keys)
        >>> first.shape, label
        ((1, 2), 7)
    """
    targets = implied(augment, sample) if targets is None else targets
    parts, join = take_apart(sample, targets)
    views = [augment_parts(augment, parts, key, None, partners) for key in keys]
    if not isinstance(parts, dict):
        return join(tuple(views))
    varied = {*TARGETS, *labels_of(augment)}
    together = {k: tuple(view[k] for view in views) if k in varied else v for k, v in parts.items()}
    objects = partners is not None and "boxes" in parts  # of which each view has its own
    if isinstance(parts.get("masks"), list) and not objects:  # a list of masks, each with its views
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


def augment_parts(
    augment: Augment, parts: Any, key: SampleKey, row: Array | None = None, partners: Partners | None = None
) -> Any:
    """Return what was taken apart, augmented; a pipeline of this library gets arrays, and a row for what it makes of one."""
    if partners is not None:
        augment = _Beside(augment, partners)
    if type(parts) is np.ndarray and parts.dtype.char not in WIDE:
        result = augment(parts, key=key) if row is None else _made(augment, parts, key, row)
        return _returned(result, parts) if result is None else result
    if partners is None and not isinstance(
        augment, Compose | Transform
    ):  # somebody's own takes what there is
        return _returned(augment(parts, key=key), parts)
    if isinstance(augment, Compose) and not (augment.transforms or augment.options()):
        return parts
    if not isinstance(parts, dict):
        known = _known(augment)
        array, back = opened(parts, known.kind, known.first)
        result = _made(augment, array, key, row if back is None else None)
        return result if back is None else back(result)
    backs, wraps = {}, {}
    for target in TARGETS:
        part = parts.get(target)
        if part is not None and (type(part) is not np.ndarray or part.dtype.char in WIDE):
            if tv_target(part) is not None:
                part, wraps[target] = unwrap(part, target, _known(augment).rules)
            array, backs[target] = _opened(part, target, _known(augment).first)
            parts = parts | {target: array}
    result = augment(parts, key=key)
    if backs:
        shape: Any = result["image"].shape if "image" in result else ()
        result |= {target: back(result[target]) for target, back in backs.items() if back is not None}
        for target, wrap in wraps.items():
            size = shape[-2:] if _known(augment).first else shape[:2]
            result[target] = wrap(result[target], size)
    return result


def _made(augment: Augment, array: Any, key: SampleKey, row: Array | None) -> Any:
    """Return what an augmentation makes of an array; a Compose may do it in the row, a user's callable might keep that."""
    if row is not None and isinstance(augment, Compose) and is_compose(augment):
        return written(augment, array, key, row)
    return augment(array, key=key)


def _opened(part: Any, target: str, first: bool) -> tuple[Any, Callable[[Any], Any] | None]:
    if target != "masks" or not isinstance(part, list | tuple):
        return opened(part, "mask" if _is_picture(part) and target == "masks" else target, first)
    pairs = [opened(mask, "mask", first) for mask in part]
    arrays, backs = type(part)([array for array, _ in pairs]), [back for _, back in pairs]
    if all(one is None for one in backs):
        return arrays, None

    def back(made: Any) -> Any:
        own = (
            backs if len(made) == len(backs) else backs[:1] * len(made)
        )  # others' objects have come, or some have gone
        return type(part)([mask if one is None else one(mask) for mask, one in zip(made, own, strict=True)])

    return arrays, back


def as_arrays(augment: Augment, parts: Any) -> Any:
    """Return what was taken apart as the arrays that a pipeline is given."""
    known = _known(augment)
    if not isinstance(parts, dict):
        return opened(parts, known.kind, known.first)[0]
    result = dict(parts)
    for target in TARGETS:
        part = result.get(target)
        if part is not None and (type(part) is not np.ndarray or part.dtype.char in WIDE):
            if tv_target(part) is not None:
                part, _ = unwrap(part, target, known.rules)
            result[target], _ = _opened(part, target, known.first)
    return result


class _Beside:
    """A pipeline that mixes samples, with the dataset that they are of."""

    __slots__ = ("augment", "partners")

    def __init__(self, augment: Any, partners: Partners) -> None:
        self.augment = augment
        self.partners = partners

    def __call__(self, sample: Any, *, key: SampleKey) -> Any:
        """Return the sample, augmented."""
        return among(self.augment, sample, key, self.partners)


def _of_frames(frames: Any, target: str, first: bool) -> tuple[Any, Callable[[Any], Any] | None]:
    """Return a list of frames as `opened` returns a video."""
    one = "image" if target == "video" else "mask"
    arrays = [_of_picture(frame, one) if _is_picture(frame) else frame for frame in frames]
    shapes = {tuple(getattr(array, "shape", ())) for array in arrays}
    if len(shapes) != 1:
        raise ValueError(
            f"{target} must be at least one frame, and all of one shape, got the shapes {sorted(shapes)}: resize frames when they "
            "are read, or leave such samples out"
        )
    stack = sys.modules["torch"].stack if _is_tensor(arrays[0]) else np.stack
    return opened(stack(arrays), target, first)


class _Known(NamedTuple):
    """What is known of a pipeline, from one look at it."""

    augment: Any
    """The pipeline, kept so that nothing else has its id."""

    kind: str
    """What a bare array is to it."""

    first: bool
    """Whether it returns images with their channels first."""

    rules: Rules

    mixer: str | None
    """The first transform that mixes samples."""


_seen: dict[int, _Known] = {}


def _known(augment: Any) -> _Known:
    if type(augment) is _Beside:
        augment = augment.augment
    known = _seen.get(id(augment))
    if known is None:
        if len(_seen) > 64:
            _seen.clear()
        namer = Namer()
        leaves = list(augment.bind(namer).leaves())
        transforms = [leaf.transform for leaf in leaves]
        mixer = next((leaf.name for leaf in leaves if isinstance(leaf, Mixer)), None)
        audio = any("image" not in one.primary for one in transforms)
        first = any(one.channels == "to first" for one in transforms)
        kind = "video" if namer.rules.video else "audio" if audio else "image"
        known = _seen[id(augment)] = _Known(augment, kind, first, namer.rules, mixer)
    return known


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
