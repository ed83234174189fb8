"""torchvision's tv_tensors: boxes, masks and keypoints that say themselves what they are."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from seedsafe.pipeline.boxes import from_edges, to_edges
from seedsafe.pipeline.rules import Rules

__all__ = ["tv_target", "unwrapped"]

_FORMATS: Final = {"XYXY": "pascal_voc", "XYWH": "coco", "CXCYWH": "cxcywh"}


def tv_target(part: Any) -> str | None:
    """Return the target that a tv_tensor is; None for all else. torchvision is not imported."""
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


def unwrapped(part: Any, target: str, rules: Rules) -> tuple[Any, Callable[[Any, tuple[int, int]], Any]]:
    """Return a tv_tensor as the tensor that a pipeline takes, and what makes a tv_tensor of its result and the image's size.

    Raises:
        ValueError: its boxes have a format that the pipeline has not.
    """
    torch, module = sys.modules["torch"], sys.modules["torchvision.tv_tensors"]
    plain = part.as_subclass(torch.Tensor)
    written = getattr(getattr(part, "format", None), "name", None) if target == "boxes" else None
    format = _FORMATS.get(written) if written else None  # the field's word
    if target == "boxes" and (format is None or (rules.boxes and rules.boxes.format != format)):
        wanted = repr(rules.boxes.format) if rules.boxes else "XYXY, XYWH or CXCYWH"
        raise ValueError(
            f"boxes of the format {written} cannot go through a pipeline for {wanted}: convert them, or change the pipeline's Boxes"
        )
    turned = target == "boxes" and not rules.boxes and format != "pascal_voc"
    if turned:
        plain = torch.from_numpy(to_edges(plain.numpy(), str(format), (0, 0)))
    many = target == "keypoints" and plain.ndim > 2
    if many:
        plain = plain.reshape(-1, part.shape[-1])

    def wrap(made: Any, size: tuple[int, int]) -> Any:
        if turned:
            made = torch.from_numpy(np.ascontiguousarray(from_edges(made.numpy(), str(format), (0, 0)))).to(
                part.dtype
            )
        if many:
            if made.shape[0] * part.shape[-1] != part.numel():
                raise ValueError("keypoints of several points each cannot be dropped one by one: pass (N, 2)")
            made = made.reshape(part.shape)
        return (
            module.wrap(made, like=part)
            if target in ("mask", "masks", "video")
            else module.wrap(made, like=part, canvas_size=size)
        )

    return plain, wrap
