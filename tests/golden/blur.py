"""Pipelines of blurs: what they draw, and the pixels of those that are exact on every machine."""

from __future__ import annotations

import seedsafe as ss

_SHAPE = (19, 23, 3)
_EXACT_IN_UINT8 = {
    "Blur": ss.Blur(),
    "GaussianBlur": ss.GaussianBlur(),
    "GaussianBlur sizes": ss.GaussianBlur((3, 9), (0.5, 3.0), p=0.7),
    "MedianBlur": ss.MedianBlur(),
    "GlassBlur": ss.GlassBlur(),
    "GlassBlur swap": ss.GlassBlur(swap=True),
}
_ELSEWHERE = {
    "MotionBlur": ss.MotionBlur(),
    "MotionBlur in the middle": ss.MotionBlur((5, 15), angle=(-45, 45), direction=0, shifted=False, p=0.5),
    "AdvancedBlur": ss.AdvancedBlur(),
    "Defocus": ss.Defocus(),
    "Sharpen": ss.Sharpen(),
    "Emboss": ss.Emboss(),
}

PIPELINES = {name: (ss.Compose([one]), _SHAPE) for name, one in _ELSEWHERE.items()} | {
    name: (ss.Compose([one]), ss.Info(_SHAPE, "uint8")) for name, one in _EXACT_IN_UINT8.items()
}
EXACT = tuple(_EXACT_IN_UINT8)
