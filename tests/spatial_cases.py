"""Every transform that moves pixels, for the laws that all of them keep, and scenes that show where things land."""

from __future__ import annotations

from typing import Any

import numpy as np

import seedsafe as ss

KEEPING = {  # boxes and masks stay as exact as pixels allow
    "RandomResizedCrop": ss.RandomResizedCrop((40, 50), scale=(0.3, 1)),
    "RandomSizedCrop": ss.RandomSizedCrop(40, heights=(15, 30)),
    "MultiScaleCrop": ss.MultiScaleCrop((30, 44), places="grid"),
    "Resize": ss.Resize((77, 31)),
    "Resize, shorter side": ss.Resize(50, max_size=60),
    "Resize, keep_ratio": ss.Resize((90, 60), keep_ratio=True),
    "SmallestMaxSize": ss.SmallestMaxSize([30, 60]),
    "LongestMaxSize": ss.LongestMaxSize(64),
    "RandomScale": ss.RandomScale((0.5, 2.0)),
    "RandomScale, sizes": ss.RandomScale(sizes=[(90, 60), (80, 40)], between=True),
    "PadIfNeeded": ss.PadIfNeeded(80, position="random", mask_fill=0),
    "PadIfNeeded, divisor": ss.PadIfNeeded(divisor=32, fill=7),
    "LetterBox": ss.LetterBox((64, 80)),
    "HorizontalFlip": ss.HorizontalFlip(),
    "RandomRotate90": ss.RandomRotate90(),
    "Transpose": ss.Transpose(),
    "D4": ss.D4(),
    "RandomCropFromBorders": ss.RandomCropFromBorders(crop_top=0.3),
    "CropAndPad": ss.CropAndPad((-6, 9), fill=9),
    "RandomZoomOut": ss.RandomZoomOut((1, 2), fill=0),
    "CropAndPad, percent": ss.CropAndPad(percent=(-0.1, 0.2), keep_size=False),
}
WARPING = {  # boxes are those around moved boxes
    "Affine": ss.Affine(30, translate=0.1, scale=(0.8, 1.3), shear=10),
    "Affine, expand": ss.Affine(90, expand=True, rotate_method="ellipse"),
    "ShiftScaleRotate": ss.Affine.shift_scale_rotate(),
    "Rotate": ss.Rotate(180),
    "Rotate, crop_border": ss.Rotate(20, crop_border=True),
    "GridDistortion": ss.GridDistortion(p=1),
    "GridDistortion, not normalized": ss.GridDistortion(3, distort_limit=(-0.2, 0.5), normalized=False, p=1),
    "OpticalDistortion": ss.OpticalDistortion(0.5, p=1),
    "OpticalDistortion, fisheye": ss.OpticalDistortion((-0.2, 0.5), lens="fisheye", p=1),
    "ElasticTransform": ss.ElasticTransform(90, 6, p=1),
    "PiecewiseAffine": ss.PiecewiseAffine((0.02, 0.04), p=1),
    "Perspective": ss.Perspective(p=1),
    "Perspective, fit_output": ss.Perspective((0.05, 0.1), fit_output=True, keep_size=False, p=1),
    "Perspective, distortion_scale": ss.Perspective(distortion_scale=0.4, p=1),
}
PLACED = {  # they look at the boxes or the mask
    "RandomIoUCrop": ss.RandomIoUCrop(),
    "BBoxSafeCrop": ss.BBoxSafeCrop(),
    "BBoxSafeCrop, size": ss.BBoxSafeCrop((44, 50), erosion_rate=0.2),
    "CropNonEmptyMask": ss.CropNonEmptyMask((30, 34)),
}
REPEATING = {  # what is seen twice has one box
    "Affine, reflect": ss.Affine(
        mode="reflect", translate=0.2, shear=((-5, 5), (-5, 5)), scale=((1, 1.2), (0.9, 1))
    ),
}
WINDOWS = {  # too large for the smallest images
    "RandomSizedCrop": KEEPING.pop("RandomSizedCrop"),
    "Crop": ss.Crop(3, 1, 40, 30),
    "FiveCrop": ss.FiveCrop((40, 31)),
    "TenCrop": ss.TenCrop((40, 30)),
    "TenCrop, vertical_flip": ss.TenCrop((40, 30), vertical_flip=True),
}
SPATIAL: dict[str, ss.Transform] = {**KEEPING, **WINDOWS, **WARPING, **REPEATING}


def scene(rows: int, columns: int, y: float, x: float, radius: float) -> dict[str, Any]:
    """Return a white disc on black, as image, mask, box and keypoint."""
    down, right = np.mgrid[:rows, :columns]
    mask = ((down - y) ** 2 + (right - x) ** 2 <= radius**2).astype(np.uint8)
    seen_rows, seen_columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    box = [seen_columns[0], seen_rows[0], seen_columns[-1] + 1, seen_rows[-1] + 1]
    return {
        "image": np.repeat(mask[..., None] * np.uint8(255), 3, axis=2),
        "mask": mask,
        "boxes": np.array([box], np.float64),
        "keypoints": np.array([[x, y]], np.float64),
    }


def landed(result: dict[str, Any], *, loose: bool, near: float = 1.2) -> bool:
    """Raise AssertionError where the parts of a scene lie apart; return whether the disc is seen whole."""
    mask, image = result["mask"], result["image"]
    height, width = mask.shape
    assert image.shape[:2] == mask.shape
    (x, y), (x0, y0, x1, y1) = result["keypoints"][0], result["boxes"][0]
    assert 0 <= x0 <= x1 <= width
    assert 0 <= y0 <= y1 <= height
    if not mask.any():
        return False
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    seen = np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1])
    room = 1.6  # a pixel of the mask goes to the nearest, once a transform
    assert (np.array([x0, y0, -x1, -y1]) <= seen * [1, 1, -1, -1] + room).all(), (
        "the box leaves out what is seen"
    )
    whole = rows[0] > 2 and columns[0] > 2 and rows[-1] < height - 3 and columns[-1] < width - 3
    bright = image[..., 0] > 127
    assert (bright != (mask > 0)).sum() <= 0.5 * (bright | (mask > 0)).sum() + 6, "image and mask lie apart"
    if whole:
        down, right = np.nonzero(mask)
        assert abs(right.mean() - x) <= near, "the keypoint lies beside the disc"
        assert abs(down.mean() - y) <= near, "the keypoint lies beside the disc"
        if not loose:
            assert np.abs(seen - [x0, y0, x1, y1]).max() <= room, "the box is larger than what is seen"
    return bool(whole)
