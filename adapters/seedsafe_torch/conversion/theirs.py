"""Callables that stay as they are: bridged in place, and given what torchvision would give them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

import seedsafe as ss
from seedsafe_torch.conversion.pixels import array_of, picture_of

__all__ = ["EITHER", "PICTURE", "TENSOR", "Theirs", "bridged", "name_of"]

PICTURE, TENSOR, EITHER = "a PIL image", "a tensor", "a PIL image, a tensor or an array"
"""What a transform is given and returns."""


def name_of(function: Any) -> str:
    """Return the name of a function, of the function in a Lambda, or of a class."""
    function = getattr(function, "lambd", function)
    named = getattr(function, "__name__", None)
    if not isinstance(named, str):
        return type(function).__name__
    return "Lambda" if named == "<lambda>" else named


class Theirs:
    """What a bridge calls in place of one callable, or of several one after another.

    Args:
        functions: the callables.
        given: what the first takes, PICTURE or TENSOR.
        returned: what the last returns, PICTURE, TENSOR or EITHER, where something follows; None to hand its result on as it is.
    """

    def __init__(self, functions: Sequence[Callable[[Any], Any]], given: str, returned: str | None) -> None:
        self.functions = tuple(functions)
        self.given = given
        self.returned = returned
        self.__name__ = "_".join(map(name_of, self.functions))[:64]

    def __call__(self, image: Any) -> Any:
        """Return what they make of an array (H, W) or (H, W, C): such an array, or any if it is the pipeline's result."""
        result: Any = picture_of(image) if self.given == PICTURE else _tensor_of(image)
        for function in self.functions:
            result = function(result)
        if isinstance(result, tuple | list | dict):
            raise TypeError(
                f"{self.__name__} returned a {type(result).__name__} of {len(result)}, and a pipeline makes one image: convert what it "
                "does to each, and pass views= for several of one sample"
            )
        tensor = isinstance(result, torch.Tensor)
        if self.returned is None:
            return result if tensor or isinstance(result, np.ndarray) else array_of(result).copy()
        if self.returned != EITHER and tensor != (self.returned == TENSOR):
            raise TypeError(
                f"{self.__name__} returned {_kind(result)}, and what follows it was thought to get {self.returned}: convert the list up "
                "to it, and put seedsafe.bridge around the rest"
            )
        if tensor:
            return _channels_last(result)
        return result if isinstance(result, np.ndarray) else array_of(result).copy()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Theirs) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.functions, self.given, self.returned))

    def __repr__(self) -> str:
        return self.__name__


def bridged(functions: Sequence[Callable[[Any], Any]], given: str, returned: str | None) -> ss.Transform:
    """Return callables as one transform whose draws follow the key."""
    return ss.bridge(Theirs(functions, given, returned), call="array")


def _kind(made: Any) -> str:
    return TENSOR if isinstance(made, torch.Tensor) else f"{type(made).__module__}.{type(made).__qualname__}"


def _tensor_of(image: Any) -> torch.Tensor:
    planes = image[None] if image.ndim == 2 else np.moveaxis(image, -1, 0)
    return torch.from_numpy(np.array(planes, order="C"))


def _channels_last(tensor: torch.Tensor) -> Any:
    array = tensor.detach().cpu().numpy()
    if array.ndim != 3:
        raise TypeError(
            f"what follows needs an image (C, H, W), got a tensor of shape {tuple(tensor.shape)}: let it stand last"
        )
    return array[0].copy() if len(array) == 1 else np.moveaxis(array, 0, -1).copy(order="C")
