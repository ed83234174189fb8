"""Tensors of torch, and wide integers, as arrays.

torch is not imported. A tensor stays a tensor, in its layout (C, H, W). An image of 32-bit or 64-bit integers that are all in
0 … 255, as in datasets of Hugging Face, is augmented as uint8. If the result is uint8, it gets its own dtype back.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from seedsafe.ground.info import Array

__all__ = ["WIDE", "Back", "copy_tensor", "narrowed", "open_tensor", "stack_tensors"]

Back = Callable[[Any], Any] | None
"""A function that gives the array that a pipeline returns a part's own form; None if it stays an array."""

WIDE: Final = frozenset("ilqILQ")
"""The letters of the integer dtypes that are wider than those of images."""

_CHANNELS: Final = {"image": 0, "mask": 0, "video": 1, "video_mask": 1}
"""The axis of the channels in a tensor of each target that may have them."""


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


def open_tensor(tensor: Any, target: str, channels_first: bool) -> tuple[Array, Back]:
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


def copy_tensor(tensor: Any) -> Any:
    """Return a copy of a tensor; one that needs gradients, or whose class does not keep itself, stays the same."""
    result = tensor if tensor.requires_grad else tensor.clone()  # a clone of a leaf would be none
    return result if type(result) is type(tensor) else tensor


def stack_tensors(tensors: Sequence[Any]) -> Any:
    """Return frames as one tensor."""
    return sys.modules["torch"].stack(tensors)
