"""The targets of torchvision's tv_tensors."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from seedsafe.pipeline.boxes import from_edges, to_edges
from seedsafe.pipeline.rules import Rules

__all__ = ["tv_target", "unwrap"]

_FORMATS: Final = {"XYXY": "pascal_voc", "XYWH": "coco", "CXCYWH": "cxcywh"}


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
