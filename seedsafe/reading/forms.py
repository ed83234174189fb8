"""Parts of samples, in all their forms.

A sample is an array, a tuple or a dict. Its parts are arrays, or images of PIL and tensors of torch. Neither library is imported. A
video is an array (T, H, W, C) or (T, H, W), a tensor (T, C, H, W), or a list of frames, each an array, an image of PIL or a tensor. A
list of tensors becomes one tensor, any other list one array.

A tensor stays a tensor, in its layout (C, H, W). An image of 32-bit or 64-bit integers that are all in 0 … 255, as in datasets of
Hugging Face, is augmented as uint8. If the result is uint8, it gets its own dtype back.

An image of PIL becomes an array, because the result of a pipeline may not fit into an image of PIL. Every mode keeps its values:

=======================  ======================================================================================
mode                     array
=======================  ======================================================================================
RGB, L, RGBA, LA         its channels, uint8, (H, W) or (H, W, C)
CMYK                     an error: its channels are inks, which colour transforms would take for colours
P, PA                    as a mask its indices, (H, W); else its colours: RGB, or RGBA if it has transparency
1                        as a mask its bits, bool; else 0 and 255, uint8
I;16, I, F               uint16, int32, float32, (H, W)
=======================  ======================================================================================
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, Final

import numpy as np

from seedsafe.functional.pictures import pixels
from seedsafe.ground.info import Array
from seedsafe.ground.tree import entries, mapped
from seedsafe.pipeline.boxes import from_edges, to_edges
from seedsafe.pipeline.rules import Rules
from seedsafe.pipeline.unnamed import SCALARS

__all__ = [
    "WIDE",
    "Back",
    "can_begin",
    "copy_parts",
    "form_of",
    "kind_of",
    "narrowed",
    "opened",
    "pixels",
    "tv_target",
    "unwrap",
]

Back = Callable[[Any], Any] | None
"""A function that gives the array that a pipeline returns a part's own form; None if it stays an array."""

WIDE: Final = frozenset("ilqILQ")
"""The letters of the integer dtypes that are wider than those of images."""

_CLASSES: Final = (("PIL.Image", "Image"), ("torch", "Tensor"))
"""The module and the name of each class of another library whose objects may be parts of a sample."""

_INDEXED: Final = {"P": "RGB", "PA": "RGBA"}
"""The modes of PIL with indices, and that of their colours."""

_CHANNELS: Final = {"image": 0, "mask": 0, "video": 1, "video_mask": 1}
"""The axis of the channels in a tensor of each target that may have them."""

_FORMATS: Final = {"XYXY": "pascal_voc", "XYWH": "coco", "CXCYWH": "cxcywh"}


def form_of(part: Any) -> str | None:
    """Return "Image" for an image of PIL, "Tensor" for a tensor of torch, and None for arrays and everything else.

    Example:
        >>> import torch
        >>> form_of(torch.zeros(2)), form_of(np.zeros(2))
        ('Tensor', None)
    """
    for module, name in _CLASSES:
        kind: Any = getattr(sys.modules.get(module), name, None)
        if kind is not None and isinstance(part, kind):
            return name
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
    if form == "Image":
        return _image_array(part, target), None
    if form == "Tensor":
        return _open_tensor(part, target, channels_first)
    if isinstance(part, list | tuple) and target in ("video", "video_mask"):
        return _of_frames(part, target, channels_first)
    if isinstance(part, list | tuple) and target == "masks":
        return _of_masks(part, channels_first)
    return narrowed(part) if target in ("image", "video") and type(part) is np.ndarray else (part, None)


def _of_frames(frames: Sequence[Any], target: str, channels_first: bool) -> tuple[Any, Back]:
    """Return the frames of a video as one array."""
    of_frame = "image" if target == "video" else "mask"
    arrays = [_image_array(frame, of_frame) if form_of(frame) == "Image" else frame for frame in frames]
    shapes = {tuple(getattr(array, "shape", ())) for array in arrays}
    if len(shapes) != 1:
        raise ValueError(
            f"{target} must have at least one frame, and all frames the same shape, got the shapes {sorted(shapes)}: resize the "
            "frames when you read them, or leave such samples out"
        )
    stack = sys.modules["torch"].stack if form_of(arrays[0]) == "Tensor" else np.stack
    return opened(stack(arrays), target, channels_first)


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
    return mapped(_copy_part, sample, SCALARS)


def _copy_part(part: Any) -> Any:
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
    if form == "Image" and type(part) is sys.modules["PIL.Image"].Image:  # else it is an open file
        return part.copy()
    if form == "Tensor" and not part.requires_grad:  # a clone of a leaf would be none
        clone = part.clone()
        return clone if type(clone) is type(part) else part  # its class does not keep itself
    return part


def kind_of(value: Any) -> str:
    """Return the full name of a value's type."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _image_array(image: Any, target: str) -> Array:
    """Return an image as a new array: its indices or bits if the target is a mask, else its colours.

    Raises:
        ValueError: it has inks instead of colours.
    """
    mode = image.mode
    is_mask = target in ("mask", "masks")
    if mode == "CMYK":
        raise ValueError(
            f'{target} is an image of PIL in the mode CMYK, whose 4 channels are inks: pass {target}.convert("RGB"), or '
            f"numpy.asarray({target}) for the inks"
        )
    if not is_mask and mode in _INDEXED:
        image = image.convert("RGBA" if "transparency" in image.info else _INDEXED[mode])
    elif not is_mask and mode == "1":
        image = image.convert("L")
    array = pixels(image)
    if is_mask and mode == "PA":
        array = array[..., 0].copy()
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def narrowed(array: Array) -> tuple[Array, Back]:
    """Return an image of small integers as uint8, and a function that gives a result the image's dtype, or None.

    Example:
        >>> array, back = narrowed(np.array([[1, 255]], np.int64))
        >>> array.dtype, back(array).dtype
        (dtype('uint8'), dtype('int64'))
        >>> narrowed(np.array([[1, 256]], np.int64))[0].dtype
        dtype('int64')
    """
    if array.dtype.char not in WIDE or not array.size or array.min() < 0 or array.max() > 255:
        return array, None
    dtype = array.dtype

    def widen(result: Any) -> Any:
        is_narrow = isinstance(result, np.ndarray) and result.dtype == np.uint8
        return result.astype(dtype) if is_narrow else result

    return array.astype(np.uint8), widen


def _open_tensor(tensor: Any, target: str, channels_first: bool) -> tuple[Array, Back]:
    """Return a tensor as an array with its channels last, and the way back.

    Args:
        tensor: any tensor in the memory of the CPU.
        target: its target.
        channels_first: whether the pipeline returns images as (C, H, W), so that they stay where they are.

    Raises:
        TypeError: NumPy cannot hold it.
        ValueError: its channels seem to be last already.
    """
    array = _array_of(tensor, target)
    axis = _CHANNELS.get(target, -1)
    has_channels = axis >= 0 and array.ndim == 3 + axis
    if has_channels:
        _require_channels_first(array.shape, target, axis)
        array = np.moveaxis(array, axis, -1)
    is_image = target in ("image", "video")
    narrow, widen = narrowed(array) if is_image else (array, None)
    moves_back = has_channels and not (channels_first and is_image)

    def back(result: Any) -> Any:
        result = result if widen is None else widen(result)
        if moves_back and result.ndim == 3 + axis:
            result = np.ascontiguousarray(np.moveaxis(result, -1, axis))
        return sys.modules["torch"].from_numpy(result)

    return narrow, back


def _array_of(tensor: Any, target: str) -> Array:
    if tensor.device.type != "cpu":
        raise TypeError(
            f"{target} must be a tensor on the CPU, got one on {tensor.device}: return CPU tensors from the dataset"
        )
    try:
        return tensor.detach().numpy()  # type: ignore[no-any-return]
    except (RuntimeError, TypeError) as error:
        raise TypeError(
            f"{target} must be a tensor that NumPy can hold, got one of {tensor.dtype} and {tensor.layout}: convert it, for "
            f"instance with .float() or .to_dense() ({error})"
        ) from None


def _require_channels_first(shape: tuple[int, ...], target: str, axis: int) -> None:
    if shape[axis] > 4 >= shape[axis + 2]:
        frames, last, order = ("", "H, W, C", "2, 0, 1") if not axis else ("T, ", "T, H, W, C", "0, 3, 1, 2")
        raise ValueError(
            f"{target} must be a tensor of ({frames}C, H, W), got the shape {shape}, which looks like ({last}): pass "
            f"tensor.permute({order}), or an array"
        )


def tv_target(part: Any) -> str | None:
    """Return the target of a tv_tensor, or None for anything else. torchvision is not imported."""
    module: Any = sys.modules.get("torchvision.tv_tensors")
    if module is None:
        return None
    for name, target in (
        ("BoundingBoxes", "boxes"),
        ("Mask", "mask"),
        ("KeyPoints", "keypoints"),
        ("Video", "video"),
    ):
        kind: Any = getattr(module, name, ())
        if isinstance(part, kind):
            return "masks" if target == "mask" and part.ndim == 3 else target
    return None


def unwrap(part: Any, target: str, rules: Rules) -> tuple[Any, Callable[[Any, tuple[int, int]], Any]]:
    """Return a tv_tensor as the plain tensor that a pipeline takes, and a function for the way back.

    The function takes the pipeline's result and the image's (height, width), and returns a tv_tensor.

    Raises:
        ValueError: the boxes have a format other than that of the pipeline.
    """
    torch, module = sys.modules["torch"], sys.modules["torchvision.tv_tensors"]
    plain = part.as_subclass(torch.Tensor)
    name = getattr(getattr(part, "format", None), "name", None) if target == "boxes" else None
    format = _FORMATS.get(name) if name else None  # the usual name
    if target == "boxes" and (format is None or (rules.boxes and rules.boxes.format != format)):
        wanted = repr(rules.boxes.format) if rules.boxes else "XYXY, XYWH or CXCYWH"
        raise ValueError(
            f"boxes of the format {name} cannot go through a pipeline for {wanted}: convert them, or change the pipeline's Boxes"
        )
    if target == "boxes" and rules.boxes and rules.boxes.out not in (None, format):
        raise ValueError(
            f"boxes of torchvision keep their format, {name}, got Boxes(out={rules.boxes.out!r}): leave out= out, and convert them after"
        )
    converts = target == "boxes" and not rules.boxes and format != "pascal_voc"
    if converts:
        plain = torch.from_numpy(to_edges(plain.numpy(), str(format), (0, 0)))
    several = target == "keypoints" and plain.ndim > 2
    if several:
        plain = plain.reshape(-1, part.shape[-1])

    def wrap(result: Any, size: tuple[int, int]) -> Any:
        if converts:
            edges = from_edges(result.numpy(), str(format), (0, 0))
            result = torch.from_numpy(np.ascontiguousarray(edges)).to(part.dtype)
        if several:
            if result.shape[0] * part.shape[-1] != part.numel():
                raise ValueError(
                    f"keypoints of the shape {tuple(part.shape)} cannot be dropped one by one: pass the shape (N, 2)"
                )
            result = result.reshape(part.shape)
        if target in ("mask", "masks", "video"):
            return module.wrap(result, like=part)
        return module.wrap(result, like=part, canvas_size=size)

    return plain, wrap
