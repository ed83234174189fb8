"""Lambda: functions of the user's own, one for each part of a sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import seedsafe as ss
from seedsafe_albumentations.table import named

__all__ = ["Lambda", "NoOp"]


class Functions:
    """Calls the function of each part that there is; parts without one come back as they are."""

    def __init__(self, functions: dict[str, Callable[..., Any]]) -> None:
        self.functions = functions

    def __call__(self, **parts: Any) -> dict[str, Any]:
        """Return the parts, each through its function."""
        result = {
            name: self.functions[name](part) if name in self.functions else part
            for name, part in parts.items()
        }
        if "mask" in self.functions and "masks" in parts:
            result["masks"] = [self.functions["mask"](mask) for mask in parts["masks"]]
        return result

    def __repr__(self) -> str:
        return f"Lambda({', '.join(f'{name}={function!r}' for name, function in self.functions.items())})"


@named(ss.Bridged)
def Lambda(
    image: Callable[..., Any] | None = None,
    mask: Callable[..., Any] | None = None,
    keypoints: Callable[..., Any] | None = None,
    bboxes: Callable[..., Any] | None = None,
    name: str | None = None,
    p: float = 1.0,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.bridge`` around functions of an image and a mask: what they draw follows the key.

    Args:
        image: is given the image, uint8 or float32, (H, W) or (H, W, C).
        mask: is given the mask, each of several by itself; in a pipeline with CropNonEmptyMaskIfExists, which looks at all of
            them, one array (H, W, masks), whose shape it must keep.
        keypoints: None; see the error.
        bboxes: None; see the error.
        name: names its stream.
        p: the probability that they are called.
        always_apply: of albumentations 1.x.

    Raises:
        ValueError: there is a function of keypoints or bboxes, which the core has in other coordinates.
    """
    if keypoints is not None or bboxes is not None:
        raise ValueError(
            "Lambda takes functions of image and mask, and got one of keypoints or bboxes: write a seedsafe.SpatialTransform"
        )
    functions = {part: one for part, one in (("image", image), ("mask", mask)) if one is not None}
    called = ss.bridge(Functions(functions), call="named", name=name)
    return called if p == 1 or always_apply else ss.RandomApply([called], p=p)


@named(ss.Compose)
def NoOp(p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return a Compose of nothing."""
    return ss.Compose([])
