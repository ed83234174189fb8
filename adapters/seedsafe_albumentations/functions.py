"""Lambda, for the user's own functions, and NoOp."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import seedsafe as ss
from seedsafe_albumentations.arguments import number_of
from seedsafe_albumentations.table import name_for

__all__ = ["Lambda", "NoOp"]


class Functions:
    """Call the function of each part, with the image's shape if it takes that. Parts without a function come back unchanged."""

    def __init__(self, functions: dict[str, Callable[..., Any]]) -> None:
        self.functions = functions
        self._taken = {name: _sizes_of(function) for name, function in functions.items()}

    def __call__(self, **parts: Any) -> dict[str, Any]:
        """Return the changed parts."""
        shape = parts["image"].shape
        sizes = {"shape": shape, "rows": shape[0], "cols": shape[1]}
        result = dict(parts)
        for name, function in self.functions.items():
            taken = {size: sizes[size] for size in self._taken[name]}
            if name in parts:
                result[name] = function(parts[name], **taken)
            elif name == "mask" and "masks" in parts:
                result["masks"] = [function(mask, **taken) for mask in parts["masks"]]
        return result

    def __repr__(self) -> str:
        return f"Lambda({', '.join(f'{name}={function!r}' for name, function in self.functions.items())})"


def _sizes_of(function: Callable[..., Any]) -> list[str]:
    """Return which of albumentations' sizes a function takes: all with ``**params``, none if its parameters are unknown."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # written in C
        return []
    takes_all = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    return [size for size in ("shape", "rows", "cols") if takes_all or size in parameters]


@name_for(ss.Bridged)
def Lambda(
    image: Callable[..., Any] | None = None,
    mask: Callable[..., Any] | None = None,
    keypoints: Callable[..., Any] | None = None,
    bboxes: Callable[..., Any] | None = None,
    name: str | None = None,
    p: float = 1.0,
) -> Any:
    """Return ``seedsafe.bridge`` around functions of an image and a mask, whose draws follow the key.

    Args:
        image: gets the image, uint8 or float32, (H, W) or (H, W, C). A function with ``**params``, or with parameters of these names, also gets
            the image's shape, rows and cols.
        mask: gets each mask separately, and the same.
        keypoints: None, or albumentations 2.0.8 must be installed, whose own Lambda is then used.
        bboxes: the same.
        name: the name of its stream.
        p: the probability that they are called.

    Raises:
        ValueError: there is a function of keypoints or bboxes, which seedsafe has in other coordinates.
    """
    if keypoints is not None or bboxes is not None:
        raise ValueError(
            "Lambda takes functions of image and mask, but got one of keypoints or bboxes: write a seedsafe.SpatialTransform"
        )
    functions = {part: one for part, one in (("image", image), ("mask", mask)) if one is not None}
    result = ss.bridge(Functions(functions), call="named", name=name)
    return result if p == 1 else ss.RandomApply([result], p=p)


class Nothing(ss.Compose):
    """An empty Compose. Its p is its weight in OneOf."""

    p: float


@name_for(ss.Compose)
def NoOp(p: float = 0.5) -> Any:
    """Return an empty Compose."""
    result = Nothing([])
    result.p = number_of(p, "p")
    return result
