"""Pipelines of noise and quality: what they draw, and the pixels of those that are exact on every machine."""

from __future__ import annotations

import seedsafe as ss

_SHAPE = (19, 23, 3)
_EXACT = {
    "GaussianNoise variance": ss.GaussianNoise(variance=(10, 50)),
    "GaussianNoise of pixels": ss.GaussianNoise((0.1, 5), per_channel=False, p=0.7),
    "MultiplicativeNoise": ss.MultiplicativeNoise(),
    "MultiplicativeNoise per channel": ss.MultiplicativeNoise((0.5, 1.5), per_channel=True, p=0.8),
    "MultiplicativeNoise per pixel": ss.MultiplicativeNoise(per_pixel=True),
    "SaltAndPepper": ss.SaltAndPepper((0.1, 0.3)),
    "ShotNoise": ss.ShotNoise(),
    "Downscale": ss.Downscale((0.2, 0.9)),
}
_EXACT_IN_UINT8 = {"Downscale smooth": ss.Downscale((0.2, 0.5), down="area", up="bilinear")}
_ELSEWHERE = {
    "ISONoise": ss.ISONoise(),
    "ImageCompression": ss.ImageCompression(),
    "ImageCompression webp": ss.ImageCompression((5, 20), file_format="webp", p=0.5),
}

PIPELINES = {name: (ss.Compose([one]), _SHAPE) for name, one in (_EXACT | _ELSEWHERE).items()} | {
    name: (ss.Compose([one]), ss.Info(_SHAPE, "uint8")) for name, one in _EXACT_IN_UINT8.items()
}
EXACT = (*_EXACT, *_EXACT_IN_UINT8)
