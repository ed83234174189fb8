"""PIL images and tensors of torch's as arrays, and back, without importing either.

What comes in as a tensor goes out as one, in its layout: (C, H, W). What comes in as a PIL image goes out as an array,
since what a pipeline makes of it need not be a PIL image. Nothing is lost on the way:

========================  ==========================================================================================
mode of a PIL image       array
========================  ==========================================================================================
RGB, L, RGBA, LA, CMYK …  its channels as they are, uint8, (H, W) or (H, W, C)
P, PA                     as a mask its indices, (H, W); else its colours: RGB, or RGBA where it has transparency
1                         as a mask its bits, bool; else 0 and 255, uint8
I;16, I, F                uint16, int32, float32, (H, W)
========================  ==========================================================================================

An image of integers of 32 or 64 bits that are all in 0 … 255 (datasets of Hugging Face) is taken for the uint8 that it is, and
goes back into its own dtype where the pipeline leaves it uint8.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from seedsafe.ground.info import Array

__all__ = ["WIDE", "is_foreign", "opened"]

WIDE: Final = frozenset("ilqILQ")
"""The dtypes, by their letters, of integers that are wider than those of images."""

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
        ValueError: a tensor is not an image of (C, H, W).
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
    return _narrow(part) if target == "image" and type(part) is np.ndarray else (part, None)


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
    planes = target in ("image", "mask") and array.ndim == 3
    if planes:
        if array.shape[0] > 4 >= array.shape[2]:
            raise ValueError(
                f"{target} must be a tensor of (C, H, W), got the shape {array.shape}, which looks like (H, W, C): pass "
                "tensor.permute(2, 0, 1), or an array"
            )
        array = array.transpose(1, 2, 0)
    narrow, widen = _narrow(array) if target == "image" else (array, None)
    first = planes and not (channels_first and target == "image")

    def back(made: Any) -> Any:
        made = made if widen is None else widen(made)
        if first and made.ndim == 3:
            made = np.ascontiguousarray(made.transpose(2, 0, 1))
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
