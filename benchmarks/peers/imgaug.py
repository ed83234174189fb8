"""imgaug 0.4, with the names that NumPy dropped."""

from __future__ import annotations

import numpy as np

from benchmarks.scene import Scene
from benchmarks.timing import Call

for _kind in (bool, int, float, complex, object):
    if _kind.__name__ not in vars(np):
        setattr(np, _kind.__name__, _kind)
if not hasattr(np, "sctypes"):
    np.sctypes = {  # type: ignore[attr-defined]
        "float": [np.float16, np.float32, np.float64],
        "int": [np.int8, np.int16, np.int32, np.int64],
        "uint": [np.uint8, np.uint16, np.uint32, np.uint64],
    }

import imgaug.augmenters as ia

__all__ = ["DTYPE", "NAME", "calls"]

DTYPE = "uint8"
NAME = "imgaug"


def calls(scene: Scene) -> dict[str, Call]:
    size = scene.crop

    def call(augment: ia.Augmenter) -> Call:
        return lambda: augment.augment_image(scene.uint8)

    return {
        "RandomCrop": call(ia.CropToFixedSize(size, size)),
        "HorizontalFlip": call(ia.Fliplr(1.0)),
        "VerticalFlip": call(ia.Flipud(1.0)),
        "Resize": call(ia.Resize({"height": size, "width": size}, interpolation="linear")),
        "Affine": call(ia.Affine((0.9, 1.1), (-0.1, 0.1), rotate=(-15, 15), shear=(-5, 5))),
        "Rotate": call(ia.Rotate((-45, 45))),
        "ElasticTransform": call(ia.ElasticTransformation(50.0, 5.0)),
        "GaussianBlur": call(ia.GaussianBlur((0.1, 2.0))),
        "MedianBlur": call(ia.MedianBlur(5)),
        "MotionBlur": call(ia.MotionBlur(7)),
        "Gamma": call(ia.GammaContrast((0.8, 1.2))),
        "CLAHE": call(ia.CLAHE()),
        "Sharpen": call(ia.Sharpen((0.2, 0.5), (0.5, 1.0))),
        "Emboss": call(ia.Emboss((0.2, 0.5), (0.2, 0.7))),
        "Invert": call(ia.Invert(1.0)),
        "Solarize": call(ia.Solarize(1.0, threshold=128)),
        "ImageCompression": call(ia.JpegCompression(20)),
    }
