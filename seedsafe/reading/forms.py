"""Parts of samples, in all their forms.

A sample is an array, a tuple or a dict. Its parts are arrays, or what `FORMS` lists: PIL images and tensors of torch. Neither
library is imported. A video is an array (T, H, W, C) or (T, H, W), a tensor (T, C, H, W), or a list of frames, each an array, a PIL
image or a tensor. A list of tensors becomes one tensor, any other list one array.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, Final, NamedTuple

import numpy as np

from seedsafe.ground.tree import entries, mapped
from seedsafe.pipeline.unnamed import SCALARS
from seedsafe.reading.pil import copy_image, image_array, open_image
from seedsafe.reading.tensors import Back, copy_tensor, narrowed, open_tensor, stack_tensors

__all__ = ["FORMS", "Form", "can_begin", "copy_parts", "form_of", "kind_of", "opened"]


class Form(NamedTuple):
    """A class of another library whose objects may be parts of a sample."""

    module: str
    name: str
    open: Callable[[Any, str, bool], tuple[Any, Back]]
    """Returns a part as an array, for its target and whether the pipeline puts channels first, and the way back."""
    copy: Callable[[Any], Any]
    frame: Callable[[Any, str], Any]
    """Returns a frame of a video in the form in which frames are stacked, for the target of a frame."""
    stack: Callable[[Sequence[Any]], Any]


FORMS: Final = (
    Form("PIL.Image", "Image", open_image, copy_image, image_array, np.stack),
    Form("torch", "Tensor", open_tensor, copy_tensor, lambda tensor, target: tensor, stack_tensors),
)


def form_of(part: Any) -> Form | None:
    """Return the form of a part that is of another library, or None for arrays and everything else.

    Example:
        >>> import torch
        >>> form_of(torch.zeros(2)).name, form_of(np.zeros(2))
        ('Tensor', None)
    """
    for form in FORMS:
        kind: Any = getattr(sys.modules.get(form.module), form.name, None)
        if kind is not None and isinstance(part, kind):
            return form
    return None


def can_begin(part: Any) -> bool:
    """Return whether a tuple that begins with this part has an image, or a dict of targets, there."""
    return isinstance(part, np.ndarray | dict) or form_of(part) is not None


def opened(part: Any, target: str, channels_first: bool) -> tuple[Any, Back]:
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
        >>> array, back = opened([np.zeros((4, 6))] * 8, "video", False)
        >>> array.shape, back
        ((8, 4, 6), None)
    """
    form = form_of(part)
    if form is not None:
        return form.open(part, target, channels_first)
    if isinstance(part, list | tuple) and target in ("video", "video_mask"):
        return _of_frames(part, target, channels_first)
    if isinstance(part, list | tuple) and target == "masks":
        return _of_masks(part, channels_first)
    return narrowed(part) if target in ("image", "video") and type(part) is np.ndarray else (part, None)


def _of_frames(frames: Sequence[Any], target: str, channels_first: bool) -> tuple[Any, Back]:
    """Return the frames of a video as one array."""
    of_frame = "image" if target == "video" else "mask"
    arrays = [frame if (form := form_of(frame)) is None else form.frame(frame, of_frame) for frame in frames]
    shapes = {tuple(getattr(array, "shape", ())) for array in arrays}
    if len(shapes) != 1:
        raise ValueError(
            f"{target} must have at least one frame, and all frames the same shape, got the shapes {sorted(shapes)}: resize the "
            "frames when you read them, or leave such samples out"
        )
    form = form_of(arrays[0])
    return opened((np.stack if form is None else form.stack)(arrays), target, channels_first)


def _of_masks(masks: list[Any] | tuple[Any, ...], channels_first: bool) -> tuple[Any, Back]:
    """Return a list of masks as a list of arrays."""
    pairs = [opened(mask, "mask", channels_first) for mask in masks]
    arrays, backs = type(masks)([array for array, _ in pairs]), [back for _, back in pairs]
    if not any(backs):
        return arrays, None

    def back(result: Any) -> Any:
        # The number of masks differs if objects of other samples have come or some have gone.
        own = backs if len(result) == len(backs) else backs[:1] * len(result)
        return type(masks)([mask if to is None else to(mask) for mask, to in zip(result, own, strict=True)])

    return arrays, back


def copy_parts(sample: Any) -> Any:
    """Return a sample with copies of its arrays and tensors, whose memory a base may reuse for its next sample.

    Parts of a class that cannot be copied, or changed, stay the same objects.
    """
    return mapped(_copied, sample, SCALARS)


def _copied(part: Any) -> Any:
    if isinstance(part, np.ndarray):
        return part.copy()
    if isinstance(part, dict | list):  # of a class of its own, which a copy keeps
        try:
            result: Any = copy(part)
            for key, entry in list(entries(part) or ()):
                result[key] = copy_parts(entry)
        except (TypeError, AttributeError):  # its class does not allow that
            return part
        return result
    form = form_of(part)
    return part if form is None else form.copy(part)


def kind_of(value: Any) -> str:
    """Return the full name of a value's type."""
    return f"{type(value).__module__}.{type(value).__qualname__}"
