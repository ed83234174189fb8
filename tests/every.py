"""Every transform of the library, made so that it fires, and the samples that it takes."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from skimage import data
from test_subclasses import ARGUMENTS, PUBLIC

import seedsafe as ss

CONTAINERS = ("Bridged", "Choice", "OneOf", "RandomApply", "SomeOf")
"""What holds transforms or functions, and does nothing by itself."""

OPTIONS = {
    "Affine expand": ss.Affine(30, expand=True, p=1),
    "Affine nearest": ss.Affine(30, interpolation="nearest", p=1),
    "AutoContrast cutoff": ss.AutoContrast(cutoff=5, p=1),
    "CoarseDropout noise": ss.CoarseDropout((1, 8), fill="noise", p=1),
    "CropAndPad percent": ss.CropAndPad(percent=(-0.2, 0.2), p=1),
    "Downscale smooth": ss.Downscale((0.2, 0.9), down="area", up="bilinear", p=1),
    "ElasticTransform": ss.ElasticTransform(120, 6, p=1),
    "ElasticTransform nearest": ss.ElasticTransform(120, 6, interpolation="nearest", p=1),
    "ElasticTransform repeat_edges": ss.ElasticTransform(90, 6, repeat_edges=True, p=1),
    "Equalize opencv": ss.Equalize(method="opencv", p=1),
    "GaussianNoise of audio": ss.GaussianNoise(0.1),
    "GaussianNoise of pixels": ss.GaussianNoise((1, 5), per_channel=False),
    "GaussianNoise strong": ss.GaussianNoise((50, 60)),
    "GlassBlur swap": ss.GlassBlur(swap=True, p=1),
    "GridDropout noise": ss.GridDropout(0.3, (3, 9), fill="noise", p=1),
    "ImageCompression webp": ss.ImageCompression((5, 20), file_format="webp", p=1),
    "LetterBox wide": ss.LetterBox((480, 640)),
    "MedianBlur wide": ss.MedianBlur((7, 9), p=1),
    "MultiplicativeNoise per pixel": ss.MultiplicativeNoise(per_pixel=True, p=1),
    "MultiplicativeNoise per value": ss.MultiplicativeNoise(per_pixel=True, per_channel=True, p=1),
    "PhotoMetricDistortion": ss.PhotoMetricDistortion(p=1),
    "PixelDropout per channel": ss.PixelDropout(0.2, per_channel=True, p=1),
    "RandomErasing noise": ss.RandomErasing((0.5, 1.0), fill="noise", p=1),
    "RandomScale": ss.RandomScale((0.5, 2), p=1),
    "RandomZoomOut": ss.RandomZoomOut(fill=100, p=1),
    "SaltAndPepper strong": ss.SaltAndPepper((0.5, 0.9), p=1),
    "Solarize": ss.Solarize((0.2, 0.8), p=1),
    "ToneCurve per channel": ss.ToneCurve(0.3, per_channel=True, p=1),
}
"""Transforms whose options take another way than their defaults."""

PHOTO = np.ascontiguousarray(data.astronaut()[:256, 100:356])
"""uint8, (256, 256, 3)."""


def plain(name: str) -> ss.Transform:
    """Return a transform with what it cannot be made without, and with p=1 where it has one."""
    kind = getattr(ss, name)
    always = {"p": 1} if "p" in inspect.signature(kind).parameters else {}
    made: ss.Transform = kind(**ARGUMENTS.get(name, {}) | always)
    return made


EVERY = {name: plain(name) for name in PUBLIC if name not in CONTAINERS} | {
    f"{name}, more" if name in PUBLIC else name: one for name, one in OPTIONS.items()
}

CASES = [
    (name, dtype)
    for name, one in EVERY.items()
    for dtype in (("uint8", "float32") if hasattr(one, "apply_image") else ())
    if not name.endswith("of audio")
] + [(name, "audio") for name, one in EVERY.items() if hasattr(one, "apply_audio")]
"""Names of transforms, and what they are given."""


def sample_of(name: str, dtype: str) -> dict[str, Any]:
    """Return a sample for a transform: an image of a dtype, or audio, and what else it needs."""
    if dtype == "audio":
        return {"audio": np.random.default_rng(0).uniform(-1, 1, (2, 32000)).astype(np.float32)}
    image = PHOTO if dtype == "uint8" else (PHOTO / 255).astype(np.float32)
    if name in ("BBoxSafeCrop", "RandomIoUCrop"):
        return {"image": image, "boxes": np.array([[30.0, 40.0, 220.0, 200.0]])}
    if name == "CropNonEmptyMask":
        return {"image": image, "mask": (PHOTO[..., 0] > 100).astype(np.uint8)}
    return {"image": image}
