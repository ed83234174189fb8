"""Callables that stay as they are, bridged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

import seedsafe as ss
from seedsafe_torch.conversion.pixels import array_of, picture_of

__all__ = ["EITHER", "PICTURE", "TENSOR", "Theirs", "bridge_of", "name_of"]

PICTURE, TENSOR, EITHER = "a PIL image", "a tensor", "a PIL image, a tensor or an array"
"""The forms that a transform takes and returns."""


def name_of(function: Any) -> str:
    """Return the name of a function, of the function in a Lambda, or of a class."""
    function = getattr(function, "lambd", function)
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):
        return type(function).__name__
    return "Lambda" if name == "<lambda>" else name


class Theirs:
    """One callable, or several in turn, for a bridge.

    Args:
        functions: the callables.
        takes: the form that the first takes, PICTURE or TENSOR.
        returns: the form that the last returns, PICTURE, TENSOR or EITHER, or None if it ends the pipeline and may return any.
    """

    def __init__(self, functions: Sequence[Callable[[Any], Any]], takes: str, returns: str | None) -> None:
        self.functions = tuple(functions)
        self.takes = takes
        self.returns = returns
        self.__name__ = "_".join(map(name_of, self.functions))[:64]

    def __call__(self, image: Any) -> Any:
        """Call the functions on an array (H, W) or (H, W, C), and return such an array, or any form at the pipeline's end."""
        result: Any = picture_of(image) if self.takes == PICTURE else _tensor_of(image)
        for function in self.functions:
            result = function(result)
        if isinstance(result, tuple | list | dict):
            raise TypeError(
                f"{self.__name__} must return one image, got a {type(result).__name__} of {len(result)}: convert its steps for one "
                "image, and pass views= for several of one sample; or pass bridge=True instead of convert=True, which keeps the dataset as it is"
            )
        tensor = isinstance(result, torch.Tensor)
        if self.returns is None:
            return result if tensor or isinstance(result, np.ndarray) else array_of(result)
        if self.returns != EITHER and tensor != (self.returns == TENSOR):
            raise TypeError(
                f"{self.__name__} must return {self.returns} for the next transform, got {_kind(result)}: convert the list up to it, "
                "and put seedsafe.bridge around the rest"
            )
        if tensor:
            return _channels_last(result)
        return result if isinstance(result, np.ndarray) else array_of(result)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Theirs) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.functions, self.takes, self.returns))

    def __repr__(self) -> str:
        return self.__name__


def bridge_of(functions: Sequence[Callable[[Any], Any]], takes: str, returns: str | None) -> ss.Transform:
    """Return callables as one transform whose draws follow the key; see Theirs."""
    return ss.bridge(Theirs(functions, takes, returns), call="array")


def _kind(result: Any) -> str:
    kind = type(result)
    return TENSOR if isinstance(result, torch.Tensor) else f"{kind.__module__}.{kind.__qualname__}"


def _tensor_of(image: Any) -> torch.Tensor:
    planes = image[None] if image.ndim == 2 else np.moveaxis(image, -1, 0)
    return torch.from_numpy(np.array(planes, order="C"))


def _channels_last(tensor: torch.Tensor) -> Any:
    array = tensor.detach().cpu().numpy()
    if array.ndim != 3:
        raise TypeError(
            f"the next transform needs an image (C, H, W), got a tensor of shape {tuple(tensor.shape)}: put the transform that "
            "returns it last"
        )
    return array[0].copy() if len(array) == 1 else np.moveaxis(array, 0, -1).copy(order="C")
