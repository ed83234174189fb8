"""ToTensorV2: arrays become tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import seedsafe as ss

__all__ = ["ToTensor", "ToTensorV2", "stacked", "tensor"]


@dataclass(frozen=True)
class ToTensorV2:
    """Turn an image into a tensor (C, H, W), and masks into tensors of the same shape. It must stand last.

    Args:
        transpose_mask: turn masks (H, W, C) into tensors (C, H, W) as well.
        p: must be 1.
        always_apply: an argument of albumentations 1.x.
    """

    transpose_mask: bool = False
    p: float = 1.0
    always_apply: bool | None = None

    def __post_init__(self) -> None:
        if self.p != 1 and not self.always_apply:
            raise ValueError(
                f"p must be 1, got {self.p!r}: leave it out, a batch cannot mix tensors and arrays"
            )

    def __call__(self, *, key: Any = None, force_apply: bool = False, **data: Any) -> dict[str, Any]:
        """Return the parts of a sample with ``image``, ``mask`` and ``masks`` as tensors."""
        kinds: dict[str, Any] = {
            "image": self.image,
            "mask": self.mask,
            "masks": lambda masks: stacked([*map(self.mask, masks)], masks),
        }
        return {name: kinds[name](part) if name in kinds else part for name, part in data.items()}

    def image(self, image: Any) -> Any:
        """Return an image (H, W) or (H, W, C) as a tensor (C, H, W)."""
        return tensor(ss.ToCHW().apply_image(image, ()))

    def mask(self, mask: Any) -> Any:
        """Return a mask as a tensor."""
        return tensor(mask.transpose(2, 0, 1) if self.transpose_mask and mask.ndim == 3 else mask)


ToTensor = ToTensorV2


def stacked(parts: list[Any], original: Any) -> Any:
    """Return images or masks in the form of the original: a list, or one array or tensor."""
    if not isinstance(original, np.ndarray) or not parts:
        return parts
    if isinstance(parts[0], np.ndarray):
        return np.stack(parts)
    import torch

    return torch.stack(parts)


def tensor(array: Any) -> Any:
    """Return an array as a tensor, which shares its memory if it is contiguous."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(array))
