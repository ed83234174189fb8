"""Images as torch's tensors, for transforms that leave NumPy arrays alone without an error."""

from __future__ import annotations

import sys
from typing import Any, Final

import numpy as np

from seedsafe.bridging.same import as_array
from seedsafe.ground.info import Array

__all__ = ["channels_last", "takes_tensors", "tensor_of"]

_CONVERSIONS: Final = ("ToImage", "ToTensor", "ToPILImage", "Lambda")
"""Transforms of torchvision's that make something of an array themselves."""


def takes_tensors(function: Any) -> bool:
    """Return whether a callable is torchvision's and begins with a transform that needs a tensor."""
    parts = [function]
    while parts:
        function = parts[0]
        composed = type(function).__name__ in ("Compose", "Sequential")
        parts = list(getattr(function, "transforms", function)) if composed else []
    module = getattr(function, "__module__", None) or type(function).__module__
    return module.startswith("torchvision.transforms") and type(function).__name__ not in _CONVERSIONS


def tensor_of(image: Array) -> Any:
    """Return an image (H, W) or (H, W, C) as a tensor (1, H, W) or (C, H, W) of its own.

    Raises:
        RuntimeError: torch has not been imported.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        raise RuntimeError('call="tensor" needs torch, which the program has not imported: import it')
    planes = image[None] if image.ndim == 2 else np.moveaxis(image, -1, 0)
    return torch.from_numpy(np.array(planes, order="C"))


def channels_last(made: Any, dimensions: int) -> Any:
    """Return a tensor (C, H, W) as an array (H, W, C), or (H, W) if the image had 2 dimensions and it has one channel."""
    if not hasattr(made, "detach"):
        return made
    array = as_array(made)
    if array.ndim != 3:
        return array
    return (
        array[0].copy() if dimensions == 2 and len(array) == 1 else np.moveaxis(array, 0, -1).copy(order="C")
    )
