"""Samples of datasets, in all their forms.

A sample is an array, a tuple or a dict. Its parts are arrays, PIL images or torch tensors. A tensor stays a tensor, in its
layout (C, H, W). A PIL image becomes an array, because the result of a pipeline may not fit into a PIL image. Neither library
is imported. Every mode keeps its values:

========================  ==========================================================================================
mode of a PIL image       array
========================  ==========================================================================================
RGB, L, RGBA, LA, CMYK …  its channels, uint8, (H, W) or (H, W, C)
P, PA                     as a mask its indices, (H, W); else its colours: RGB, or RGBA if it has transparency
1                         as a mask its bits, bool; else 0 and 255, uint8
I;16, I, F                uint16, int32, float32, (H, W)
========================  ==========================================================================================

A video is an array (T, H, W, C) or (T, H, W), a tensor (T, C, H, W), or a list of frames, each an array, a PIL image or a tensor.
A list of tensors becomes one tensor, any other list one array.

An image of 32-bit or 64-bit integers that are all in 0 … 255, as in datasets of Hugging Face, is augmented as uint8. If the
result is uint8, it gets its own dtype back.
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
from seedsafe.pipeline.blame import blame, code_name
from seedsafe.pipeline.compose import Compose, among, written
from seedsafe.pipeline.mixer import Mixer
from seedsafe.pipeline.naming import Namer
from seedsafe.pipeline.primitive import marks_of
from seedsafe.pipeline.rules import Rules
from seedsafe.pipeline.state import Partners
from seedsafe.pipeline.transform import Transform
from seedsafe.pipeline.unnamed import SCALARS, check_names, is_of_frames, likely_target, size_of
from seedsafe.reading.tv import tv_target, unwrap

__all__ = [
    "WIDE",
    "Augment",
    "Targets",
    "as_arrays",
    "augment_parts",
    "augment_sample",
    "augment_views",
    "check_entries",
    "check_targets",
    "copy_parts",
    "draws",
    "implied",
    "is_compose",
    "is_foreign",
    "is_foreign_code",
    "joined_views",
    "kind_of",
    "labels_of",
    "mixer_of",
    "only_labels",
    "opened",
    "take_apart",
]


WIDE: Final = frozenset("ilqILQ")
"""The letters of the integer dtypes that are wider than those of images."""

_INDEXED: Final = {"P": "RGB", "PA": "RGBA"}


def is_foreign(part: Any) -> bool:
    """Return whether a part of a sample is a PIL image or a torch tensor."""
    return _is_pil(part) or _is_tensor(part)


def opened(part: Any, target: str, channels_first: bool) -> tuple[Any, Callable[[Any], Any] | None]:
    """Return a part of a sample as an array, and a function that gives an array the part's form, or None if it stays an array.

    Args:
        part: a tensor, a PIL image, or frames; anything else comes back unchanged.
        target: the target of the part: "image", "mask" ….
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
    if _is_pil(part):
        return _of_pil(part, target), None
    if _is_tensor(part):
        return _of_tensor(part, target, channels_first)
    if target in ("video", "video_mask") and isinstance(part, list | tuple):
        return _of_frames(part, target, channels_first)
    return _narrow(part) if target in ("image", "video") and type(part) is np.ndarray else (part, None)


def _copy_foreign(part: Any) -> Any:
    """Return a copy of a tensor, or of a PIL image that is not an open file, and anything else unchanged."""
    if _is_tensor(part):
        result = part if part.requires_grad else part.clone()  # a clone of a leaf would be none
        return result if type(result) is type(part) else part
    return part.copy() if _is_pil(part) and type(part) is sys.modules["PIL.Image"].Image else part


def copy_parts(sample: Any) -> Any:
    """Return a sample with copies of its arrays and tensors, whose memory a base may reuse for its next sample.

    Parts of a class that cannot be copied, or changed, stay the same objects.
    """
    if type(sample) in SCALARS:
        return sample
    if isinstance(sample, np.ndarray):
        return sample.copy()
    if isinstance(sample, dict | list):
        values = sample.values() if isinstance(sample, dict) else sample
        try:
            result = copy(sample)
            if not SCALARS.issuperset(map(type, values)):  # a list may have thousands of numbers
                for entry, part in list(sample.items() if isinstance(sample, dict) else enumerate(sample)):
                    result[entry] = copy_parts(part)
        except (TypeError, AttributeError):  # its class does not allow that
            return sample
        return result
    named: Any = getattr(sample, "_make", None) if isinstance(sample, tuple) else None
    if type(sample) is tuple or named is not None:
        parts = map(copy_parts, sample)
        return tuple(parts) if named is None else named(parts)
    return _copy_foreign(sample)


def _is_pil(part: Any) -> bool:
    module: Any = sys.modules.get("PIL.Image")
    return module is not None and isinstance(part, module.Image)


def _is_tensor(part: Any) -> bool:
    module: Any = sys.modules.get("torch")
    return module is not None and isinstance(part, getattr(module, "Tensor", ()))


def _of_pil(image: Any, target: str) -> Array:
    mode = image.mode
    if target != "mask":
        if mode in _INDEXED:
            image = image.convert("RGBA" if "transparency" in image.info else _INDEXED[mode])
        elif mode == "1":
            image = image.convert("L")
    array = np.array(image)
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
    axis = {"image": 0, "mask": 0, "video": 1, "video_mask": 1}.get(target, -1)
    has_channels = array.ndim == 3 + axis and axis >= 0
    if has_channels:
        one, last, order = ("", "H, W, C", "2, 0, 1") if not axis else ("T, ", "T, H, W, C", "0, 3, 1, 2")
        if array.shape[axis] > 4 >= array.shape[axis + 2]:
            raise ValueError(
                f"{target} must be a tensor of ({one}C, H, W), got the shape {array.shape}, which looks like ({last}): pass "
                f"tensor.permute({order}), or an array"
            )
        array = np.moveaxis(array, axis, -1)
    narrow, widen = _narrow(array) if target in ("image", "video") else (array, None)
    moves_channels = has_channels and not (channels_first and target in ("image", "video"))

    def back(result: Any) -> Any:
        result = result if widen is None else widen(result)
        if moves_channels and result.ndim == 3 + axis:
            result = np.ascontiguousarray(np.moveaxis(result, -1, axis))
        return sys.modules["torch"].from_numpy(result)

    return narrow, back


def _narrow(array: Array) -> tuple[Array, Callable[[Any], Any] | None]:
    """Return an image of small integers as uint8, and a function that gives a result the image's dtype, or None."""
    if array.dtype.char not in WIDE or not array.size or array.min() < 0 or array.max() > 255:
        return array, None
    dtype = array.dtype

    def widen(result: Any) -> Any:
        is_narrow = isinstance(result, np.ndarray) and result.dtype == np.uint8
        return result.astype(dtype) if is_narrow else result

    return array.astype(np.uint8), widen


Targets = Sequence[Any] | Mapping[Any, Any] | None
"""The target of each part, by position for tuples and by key for dicts, with None for parts that pass through.

A dict of targets stands for a dict in a sample. "image" means the image alone: an array, the first element of a tuple, the
entry ``image`` of a dict. "video" means the video alone.
"""

_NAMES: Final = frozenset(TARGETS)


class _Paths(dict[tuple[Any, ...], str]):
    """The targets of parts, by the keys and positions that lead to them."""


_BY_NAME: Final = _Paths()
"""The targets of a sample whose parts have the names of targets, or of a bare image."""


def _paths(targets: Any, path: tuple[Any, ...] = ()) -> _Paths:
    paths = _Paths()
    for key, target in targets.items() if isinstance(targets, Mapping) else enumerate(targets):
        if isinstance(target, dict):
            paths |= _paths(target, (*path, key))
        elif target is not None:
            paths[(*path, key)] = target
    return paths


def check_targets(targets: Any, labels: Sequence[str] = ()) -> Targets:
    """Return `targets`, or raise an error that names the wrong one; `labels` are those of `labels_of`."""
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
    mixed = named.count("mask") > 1 and "masks" in named
    if twice or mixed or not any(target in TARGETS for target in named):
        raise ValueError(
            f"targets must name at least one target, and each at most once except mask, got {targets!r}"
        )
    return targets


def take_apart(sample: Any, targets: Targets) -> tuple[Any, Callable[[Any], Any]]:
    """Return the parts of a sample for the pipeline, and a function that puts its result back into the sample's form."""
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
    return sample, lambda result: result


def _of_video(sample: Any) -> tuple[Any, Callable[[Any], Any]]:
    if isinstance(sample, dict):
        return _from_dict(sample, {"video": "video"})
    frames = isinstance(sample, list) and all(
        isinstance(one, np.ndarray) or is_foreign(one) for one in sample
    )
    if isinstance(sample, tuple | list) and sample and not frames:
        return _from_tuple(sample, ("video", *[None] * (len(sample) - 1)))
    return {"video": sample}, lambda result: result["video"]


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
        return sample[0], lambda result: _rebuild(sample, [result, *sample[1:]])
    if len(targets) != len(sample):
        raise ValueError(
            f"targets={targets!r} name {len(targets)} parts, but the sample has {len(sample)}: name each part, or pass None "
            "for a part that passes through"
        )
    named = {position: target for position, target in enumerate(targets) if target is not None}
    if dict in map(type, named.values()):
        return _from_paths(sample, _paths(targets))

    def join(result: Any) -> Any:
        parts = list(sample)
        for position, part in _spread(result, named).items():
            parts[position] = part
        return _rebuild(sample, parts)

    return _gather(sample, named), join


def _from_dict(sample: dict[Any, Any], targets: Targets) -> tuple[Any, Callable[[Any], Any]]:
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
    if dict in map(type, named.values()):
        return _from_paths(sample, _paths(targets))
    return _gather(sample, named), lambda result: sample | _spread(result, named)


def _from_paths(sample: Any, named: _Paths) -> tuple[Any, Callable[[Any], Any]]:
    try:
        parts = {path: reduce(getitem, path, sample) for path in named}
    except (KeyError, IndexError, TypeError) as error:
        raise ValueError(
            f"targets name a part that the sample lacks ({type(error).__name__}: {error}): correct the names"
        ) from None

    def join(result: Any) -> Any:
        whole = sample
        for path, part in _spread(result, named).items():
            whole = _replace(whole, path, part)
        return whole

    return _gather(parts, named), join


def _replace(whole: Any, path: tuple[Any, ...], part: Any) -> Any:
    """Return a sample, or a part of one, with a new part at a path."""
    if not path:
        return part
    key, *rest = path
    inner = _replace(whole[key], tuple(rest), part)
    if isinstance(whole, Mapping):
        return whole | {key: inner}  # type: ignore[operator]  # of dicts
    return _rebuild(whole, [*whole[:key], inner, *whole[key + 1 :]])


def implied(augment: Any, sample: Any) -> Any:
    """Return the certain targets of a sample, for a dataset without `targets`.

    Args:
        augment: the augmentation. Only if it moves pixels are the other parts checked.
        sample: the sample of a dataset.

    Raises:
        ValueError: another part seems to belong to the image.
    """
    if isinstance(augment, Compose | Transform) and isinstance(sample, tuple | list | dict):
        rules = _traits(augment).rules
        if rules.mixed_labels and not isinstance(sample, dict):
            labelled = _with_label(sample, rules)
            if labelled is not None:
                return labelled
        if not isinstance(sample, dict):
            if only_labels(sample[1:]):
                return _BY_NAME
            if rules.video:
                _check_frames(sample)
        if rules.spatial:
            return _certain_targets(sample, rules)
    return _BY_NAME


def only_labels(parts: Sequence[Any]) -> bool:
    """Return whether no part of a tuple can belong to its image: each is a scalar, or an array of at most one axis."""
    return all(type(part) in SCALARS or (type(part) is np.ndarray and part.ndim < 2) for part in parts)


def _check_frames(sample: Sequence[Any]) -> None:
    """Raise an error if a part of a tuple seems to belong to the video before it."""
    for number, part in enumerate(sample[1:], 1):
        if is_of_frames(part, sample[0]):
            named = ("video", *("video_mask" if is_of_frames(one, sample[0]) else None for one in sample[1:]))
            raise ValueError(
                f"the sample's [{number}] looks like it belongs to the frames of the video, but would not be augmented. "
                f'Name the parts with targets={named!r}, or pass targets="video" to augment the video alone'
            )


def _with_label(sample: Any, rules: Rules) -> _Paths | None:
    """Return the targets of a pair (image, label) for a pipeline that mixes one label, or None for anything else."""
    if len(sample) != 2 or len(rules.mixed_labels) > 1 or any(isinstance(part, Mapping) for part in sample):
        return None
    image, label = sample
    size = size_of(image)
    if tv_target(label) or likely_target(1, label, size) or np.ndim(label) > 1:
        return None
    return _Paths({(0,): "image", (1,): next(iter(rules.mixed_labels))})


def _certain_targets(sample: Any, rules: Rules) -> _Paths:
    """Return the certain targets of a sample, or raise an error if a part only looks like a target."""
    is_dict = isinstance(sample, dict)
    if is_dict and _NAMES.isdisjoint(sample):
        return _BY_NAME
    image: Any = sample.get("image") if is_dict else sample[0] if sample else None
    inside = not is_dict and isinstance(image, dict)  # a tuple that begins with a dict of targets
    size = size_of(image.get("image") if inside else image)
    named, doubtful = _Paths(), _Paths()
    first = {"image"} if is_dict else {0}
    for key, part in sample.items() if is_dict else enumerate(sample):
        if key in first and not isinstance(part, Mapping):
            named[(key,)] = "image"
        elif is_dict and (key in _NAMES or key in rules.labels):
            named[(key,)] = key
        elif type(part) in SCALARS:
            continue
        elif isinstance(part, dict) and key not in first:
            for name, one in part.items():
                ours = name in _NAMES or name in rules.labels
                certain = tv_target(one) or (name if ours and name != "image" and not is_dict else None)
                guess = None if certain else likely_target(name, one, size) or (name if ours else None)
                if certain and one is not None:
                    named[(key, name)] = certain
                elif guess:
                    doubtful[(key, name)] = guess
        elif key not in first:
            certain = tv_target(part)
            guess = None if certain else likely_target(key, part, size)
            if certain:
                named[(key,)] = certain
            elif guess:
                doubtful[(key,)] = guess
    targets = list(named.values())
    twice = [path for path, one in named.items() if one != "mask" and targets.count(one) > 1]
    mixed = "masks" in targets and targets.count("mask") > 1
    plain = all(len(path) == 1 and (path[0] == target or path[0] == 0) for path, target in named.items())
    if doubtful or twice or mixed or (inside and not plain):
        path = next(iter(doubtful or twice or named))
        raise ValueError(
            f"the sample's {''.join(f'[{key!r}]' for key in path)} looks like it belongs to the image, but would stay as it is "
            f"while the image moves. Name the parts with targets={_suggest(sample, named | doubtful)!r}, None for those that "
            'pass through, or pass targets="image" to augment the image alone'
        )
    return _BY_NAME if plain else named


def _suggest(sample: Any, named: Mapping[tuple[Any, ...], str]) -> Any:
    """Return the argument `targets` to suggest for a sample."""

    def leads_on(path: tuple[Any, ...]) -> bool:
        return any(one[: len(path)] == path for one in named)

    def of(path: tuple[Any, ...], part: Any) -> Any:
        if path in named:
            return named[path]
        entries = part.items() if isinstance(part, dict) else ()
        return {key: of((*path, key), one) for key, one in entries if leads_on((*path, key))} or None

    if isinstance(sample, dict):
        return {key: of((key,), part) for key, part in sample.items() if leads_on((key,))}
    return tuple(of((key,), part) for key, part in enumerate(sample))


def _gather(sample: Any, named: Mapping[Any, str]) -> dict[str, Any]:
    """Return the named parts of a sample by target, with several masks as one list."""
    several = [key for key, target in named.items() if target == "mask"]
    parts = {target: sample[key] for key, target in named.items()}
    if len(several) > 1:
        del parts["mask"]
        parts["masks"] = [sample[key] for key in several]
    return parts


def _spread(result: Mapping[str, Any], named: Mapping[Any, str]) -> dict[Any, Any]:
    """Return augmented parts by their keys or paths in the sample."""
    several = [key for key, target in named.items() if target == "mask"]
    masks = dict(enumerate(result["masks"])) if len(several) > 1 else {}
    if masks and len(masks) != len(several):
        raise ValueError(
            f"targets name {len(several)} masks, but mixing in objects of other samples gave {len(masks)}: pass the masks of "
            'all objects as one part with the target "masks"'
        )
    return {
        key: masks[several.index(key)] if masks and target == "mask" else result[target]
        for key, target in named.items()
    }


def _rebuild(sample: Any, parts: list[Any]) -> Any:
    if isinstance(sample, list):
        return parts
    return sample._make(parts) if hasattr(sample, "_make") else tuple(parts)


def kind_of(value: Any) -> str:
    """Return the full name of a value's type."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


Augment = Callable[..., Any]
"""A Compose, a Transform, or another callable, called as ``augment(sample, key=key)``."""


def draws(augment: Augment | None) -> bool:
    """Return whether an augmentation draws anything from its key."""
    if isinstance(augment, Compose | Transform):
        return bool(augment.bind(Namer()).ops)
    return augment is not None


def is_compose(augment: Any) -> bool:
    """Return whether an augmentation is a Compose, or of a subclass that does not override its call."""
    kind = type(augment)
    return issubclass(kind, Compose) and (kind.__call__, kind.bind) == (Compose.__call__, Compose.bind)


def is_foreign_code(augment: Augment | None) -> bool:
    """Return whether an augmentation runs code from outside this library."""
    if augment is None:
        return False
    if not is_compose(augment) and not (isinstance(augment, Transform) and marks_of(type(augment)).own):
        return True
    pipeline: Any = augment
    return any(not marks_of(type(leaf.transform)).own for leaf in pipeline.bind(Namer()).leaves())


def labels_of(augment: Any) -> tuple[str, ...]:
    """Return the names of the entries of a sample that a pipeline may shorten or mix."""
    return _traits(augment).rules.labels if isinstance(augment, Compose | Transform) else ()


def check_entries(augment: Compose, sample: dict[Any, Any]) -> None:
    """Raise the error of a pipeline for a dict with an entry that seems to belong to the image but is not a target."""
    rules = augment._rules  # pyright: ignore[reportPrivateUsage]
    if rules.spatial or rules.video:
        check_names(sample, rules)


def mixer_of(augment: Any) -> str | None:
    """Return the name of the first transform of a pipeline that mixes samples of a dataset, or None."""
    return _traits(augment).mixer if isinstance(augment, Compose | Transform) else None


def augment_sample(
    augment: Augment,
    sample: Any,
    key: SampleKey,
    targets: Targets = None,
    row: Array | None = None,
    partners: Partners | None = None,
) -> Any:
    """Augment the targets of a sample at a key, and return a new sample of the same form.

    Args:
        augment: a Compose or a Transform.
        sample: an array; a tuple or list, whose first element is augmented unless `targets` names others; or a dict, whose
            entries named after targets are augmented unless `targets` names others.
        key: the key of the sample.
        targets: the targets by position or by key; see Targets.
        row: memory for the augmented array of a sample that is an array or begins with one. If the pipeline can write
            there, the result is in it; if not, its content is undefined.
        partners: the other samples of the dataset, for a pipeline that mixes them.

    Returns:
        A sample of the same form. The parts that are not augmented are the very same objects.

    Raises:
        TypeError: the sample or the result is None, or an augmentable part is not an array.
        ValueError: the targets do not fit the sample.

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
    if targets is None:  # a shortcut for the samples of most datasets, timed by benchmarks/sample_checks.py
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
    """Return a sample in which each augmented part is a tuple of its views, one view for each key.

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
    objects = partners is not None and "boxes" in parts  # each view has objects of its own
    if isinstance(parts.get("masks"), list) and not objects:  # a list of masks, each with its views
        together["masks"] = list(zip(*together["masks"], strict=True))
    return join(together)


def joined_views(samples: Sequence[Any], targets: Targets = None) -> Any:
    """Return one sample from several views of it, in which each augmentable part is a tuple of its views.

    Example:
        >>> import numpy as np
        >>> joined_views([(np.array(1), "a"), (np.array(2), "a")])
        ((array(1), array(2)), 'a')
    """
    views = [take_apart(sample, targets)[0] for sample in samples]
    first, join = take_apart(samples[0], targets)
    if not isinstance(first, dict):
        return join(tuple(views))
    return join({k: tuple(view[k] for view in views) if k in TARGETS else v for k, v in first.items()})


def augment_parts(
    augment: Augment, parts: Any, key: SampleKey, row: Array | None = None, partners: Partners | None = None
) -> Any:
    """Return the parts from `take_apart`, augmented. A pipeline of this library gets arrays; see `augment_sample`."""
    if partners is not None:
        augment = _WithPartners(augment, partners)
    if type(parts) is np.ndarray and parts.dtype.char not in WIDE:
        result = _run(augment, parts, key, row)
        return _require_parts(result, parts) if result is None else result
    if partners is None and not isinstance(
        augment, Compose | Transform
    ):  # any other callable gets the parts unchanged
        return _require_parts(_run(augment, parts, key), parts)
    if isinstance(augment, Compose) and not (augment.transforms or augment.options()):
        return parts
    if not isinstance(parts, dict):
        traits = _traits(augment)
        array, back = opened(parts, traits.target, traits.channels_first)
        result = _run(augment, array, key, row if back is None else None)
        return result if back is None else back(result)
    backs, wraps = {}, {}
    for target in TARGETS:
        part = parts.get(target)
        if part is not None and (type(part) is not np.ndarray or part.dtype.char in WIDE):
            if tv_target(part) is not None:
                part, wraps[target] = unwrap(part, target, _traits(augment).rules)
            array, backs[target] = _open_part(part, target, _traits(augment).channels_first)
            parts = parts | {target: array}
    result = _run(augment, parts, key)
    if backs:
        shape: Any = result["image"].shape if "image" in result else ()
        result |= {target: back(result[target]) for target, back in backs.items() if back is not None}
        for target, wrap in wraps.items():
            size = shape[-2:] if _traits(augment).channels_first else shape[:2]
            result[target] = wrap(result[target], size)
    return result


def _run(augment: Augment, parts: Any, key: SampleKey, row: Array | None = None) -> Any:
    """Augment parts, in the row if the augmentation is a Compose. Any other callable might keep the row."""
    if row is not None and isinstance(augment, Compose) and is_compose(augment):
        return written(augment, parts, key, row)
    try:
        return augment(parts, key=key)
    except Exception as error:
        if type(augment).__call__ not in _CALLS:
            blame(error, code_name(augment))
        raise


def _open_part(part: Any, target: str, channels_first: bool) -> tuple[Any, Callable[[Any], Any] | None]:
    """Do as `opened`, for a list of masks as well."""
    if target != "masks" or not isinstance(part, list | tuple):
        return opened(part, "mask" if _is_pil(part) and target == "masks" else target, channels_first)
    pairs = [opened(mask, "mask", channels_first) for mask in part]
    arrays, backs = type(part)([array for array, _ in pairs]), [back for _, back in pairs]
    if all(one is None for one in backs):
        return arrays, None

    def back(result: Any) -> Any:
        # The number of masks differs if objects of other samples have come or some have gone.
        own = backs if len(result) == len(backs) else backs[:1] * len(result)
        return type(part)([mask if one is None else one(mask) for mask, one in zip(result, own, strict=True)])

    return arrays, back


def as_arrays(augment: Augment, parts: Any) -> Any:
    """Return the parts from `take_apart` as the arrays that a pipeline gets."""
    traits = _traits(augment)
    if not isinstance(parts, dict):
        return opened(parts, traits.target, traits.channels_first)[0]
    result = dict(parts)
    for target in TARGETS:
        part = result.get(target)
        if part is not None and (type(part) is not np.ndarray or part.dtype.char in WIDE):
            if tv_target(part) is not None:
                part, _ = unwrap(part, target, traits.rules)
            result[target], _ = _open_part(part, target, traits.channels_first)
    return result


class _WithPartners:
    """A pipeline that mixes samples, with their dataset."""

    __slots__ = ("augment", "partners")

    def __init__(self, augment: Any, partners: Partners) -> None:
        self.augment = augment
        self.partners = partners

    def __call__(self, sample: Any, *, key: SampleKey) -> Any:
        return among(self.augment, sample, key, self.partners)


_CALLS: Final = (Compose.__call__, Transform.__call__, _WithPartners.__call__)
"""The calls that name the transform that failed by themselves."""


def _of_frames(frames: Any, target: str, channels_first: bool) -> tuple[Any, Callable[[Any], Any] | None]:
    """Return a list of frames in the way that `opened` returns a video."""
    one = "image" if target == "video" else "mask"
    arrays = [_of_pil(frame, one) if _is_pil(frame) else frame for frame in frames]
    shapes = {tuple(getattr(array, "shape", ())) for array in arrays}
    if len(shapes) != 1:
        raise ValueError(
            f"{target} must have at least one frame, and all frames the same shape, got the shapes {sorted(shapes)}: resize the "
            "frames when you read them, or leave such samples out"
        )
    stack = sys.modules["torch"].stack if _is_tensor(arrays[0]) else np.stack
    return opened(stack(arrays), target, channels_first)


class _Traits(NamedTuple):
    """Properties of a pipeline that take some time to find."""

    augment: Any
    """The pipeline, referenced so that no other object gets its id."""

    target: str
    """The target of a bare array."""

    channels_first: bool
    """Whether the pipeline returns images as (C, H, W)."""

    rules: Rules

    mixer: str | None
    """The name of the first transform that mixes samples."""


_cache: dict[int, _Traits] = {}


def _traits(augment: Any) -> _Traits:
    if type(augment) is _WithPartners:
        augment = augment.augment
    traits = _cache.get(id(augment))
    if traits is None:
        if len(_cache) > 64:
            _cache.clear()
        namer = Namer()
        leaves = list(augment.bind(namer).leaves())
        transforms = [leaf.transform for leaf in leaves]
        mixer = next((leaf.name for leaf in leaves if isinstance(leaf, Mixer)), None)
        audio = any("image" not in one.primary for one in transforms)
        channels_first = any(one.channels == "to first" for one in transforms)
        target = "video" if namer.rules.video else "audio" if audio else "image"
        traits = _cache[id(augment)] = _Traits(augment, target, channels_first, namer.rules, mixer)
    return traits


def _require_parts(result: Any, parts: Any) -> Any:
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
