"""Pipelines of seedsafe_albumentations beside the same in albumentations 2.0.8, both called with a whole sample.

Prints how many times as long albumentations takes, in CPU time: for each pipeline the median over rounds, in which both take turns.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from statistics import geometric_mean, median
from typing import Any

import albumentations
import albumentations.pytorch
import cv2
import numpy as np

import seedsafe as ss
import seedsafe_albumentations

__all__ = ["measure"]

ROUNDS, CALLS = 20, 30
WARM = 64
"""Calls before the first round: a bridge checks its first 32."""

rng = np.random.Generator(np.random.Philox(3))
IMAGE = cv2.GaussianBlur(rng.integers(0, 256, (256, 256, 3), np.uint8), (0, 0), 2)
PARTS: dict[str, dict[str, Any]] = {
    "detection": {"bboxes": [[10, 20, 60, 90], [100, 100, 200, 220]], "labels": [1, 2]},
    "segmentation": {"mask": (IMAGE[..., 0] > 128).astype(np.uint8)},
    "keypoints": {"keypoints": [[10, 20], [100, 100], [200, 90]]},
}
"""The parts of a sample besides the image."""


def inverted(image: Any, **params: Any) -> Any:
    """Return the negative of an image."""
    return 255 - image


def darker(library: Any) -> Any:
    """Return a class as users write it."""

    class Darker(library.DualTransform):  # type: ignore[misc,name-defined]
        own_draws = True

        def get_params(self) -> dict[str, Any]:
            return {"shift": self.py_random.randint(0, 50)}

        def apply(self, img: Any, shift: int = 0, **params: Any) -> Any:
            return np.maximum(img, shift) - np.uint8(shift)

    return Darker


def pipelines(a: Any) -> dict[str, Any]:
    """Return the pipelines of a library, by what they are for."""
    ends = [a.Normalize(), a.ToTensorV2()]
    flip, light = a.HorizontalFlip(p=0.5), a.RandomBrightnessContrast(p=0.5)
    crop, resized = a.RandomCrop(224, 224), a.RandomResizedCrop((224, 224))
    blurs = a.OneOf([a.GaussNoise(), a.GaussianBlur(), a.MotionBlur()], p=0.5)
    tones = a.OneOf([a.CLAHE(), a.RandomGamma(), a.Sharpen()], p=0.5)
    warps = a.OneOf([a.ElasticTransform(), a.GridDistortion(), a.OpticalDistortion()], p=0.5)
    turned = a.Affine(scale=(0.9, 1.1), rotate=(-9, 9), p=0.5)
    holes = a.CoarseDropout((1, 8), (8, 32), (8, 32), p=0.5)
    boxes = a.BboxParams("pascal_voc", label_fields=["labels"], min_area=16)
    return {
        "classification": a.Compose([resized, flip, a.ColorJitter(0.4, 0.4, 0.4, 0.1, p=0.8), *ends]),
        "a crop of a pad": a.Compose([a.PadIfNeeded(264, 264), crop, flip, *ends]),
        "a resize": a.Compose([a.Resize(224, 224), flip, light, a.Normalize()]),
        "usual": a.Compose([a.ShiftScaleRotate(p=0.5), light, a.HueSaturationValue(p=0.5), flip]),
        "choices": a.Compose([blurs, tones, flip]),
        "detection": a.Compose([flip, a.RandomSizedBBoxSafeCrop(224, 224, p=0.5), turned, light], boxes),
        "segmentation": a.Compose([resized, a.VerticalFlip(p=0.5), a.RandomRotate90(p=0.5), *ends]),
        "keypoints": a.Compose([a.Rotate((-30, 30), p=0.7), flip, crop], None, a.KeypointParams("xy")),
        "holes": a.Compose([flip, holes, a.GridDropout(p=0.2), a.Normalize()]),
        "from above": a.Compose([a.D4(p=1), crop, light]),
        "warps": a.Compose([warps, a.VerticalFlip(p=0.5), a.CLAHE(p=0.5)]),
        "Lambda": a.Compose([flip, a.Lambda(image=inverted), light, a.Normalize()]),
        "an own DualTransform": a.Compose([flip, darker(a)(p=1), light, a.Normalize()]),
    }


def measure() -> dict[str, float]:
    """Return the ratios by pipeline."""
    cv2.setNumThreads(1)
    albumentations.ToTensorV2 = albumentations.pytorch.ToTensorV2
    ours, theirs = pipelines(seedsafe_albumentations), pipelines(albumentations)
    ratios = {}
    for name, keyed in ours.items():
        sample = {"image": IMAGE} | PARTS.get(name, {})

        def one(index: int, keyed: Any = keyed, sample: Any = sample) -> Any:
            return keyed(**sample, key=ss.SampleKey(42, 0, index))

        def other(index: int, plain: Any = theirs[name], sample: Any = sample) -> Any:
            return plain(**sample)

        for call in (one, other):
            _seconds(call, 0, WARM)
        starts = range(WARM, WARM + ROUNDS * CALLS, CALLS)
        ratios[name] = median(_seconds(other, start, CALLS) / _seconds(one, start, CALLS) for start in starts)
    return ratios


def _seconds(call: Callable[[int], Any], start: int, calls: int) -> float:
    begin = time.process_time()
    for index in range(start, start + calls):
        call(index)
    return time.process_time() - begin


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = measure()
    for name, ratio in result.items():
        print(f"{name}: {ratio:.2f}")
    print(f"geometric mean: {geometric_mean(result.values()):.2f}")
