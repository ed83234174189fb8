"""A picture for each transform: a photograph or a sound, and what three keys make of it; made while the pages are built.

The picture and its code are put at the end of the transform's docstring. Boxes and masks are drawn where the transform
moves them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import sounds
from skimage import data

import seedsafe as ss
import seedsafe.image

__all__ = ["CELL", "SAMPLES", "TRANSFORMS", "code", "draw", "keys", "setup"]

TRANSFORMS = seedsafe.image.__all__
"""Names of the transforms that have a picture."""

CELL = 192
"""The side of one image of a picture, in pixels."""

VIEWS = {"FiveCrop", "TenCrop"}
"""Transforms that give each view of a sample another crop: their pictures count views instead of indices."""

SAMPLES = {  # how each transform is made for its picture; p=1 shows it at every key
    "AdvancedBlur": "size=(7, 13), sigma_x=(2, 5), sigma_y=(2, 5)",
    "Affine": "degrees=20, translate=(0.1, 0.1), scale=(0.8, 1.2), shear=10",
    "AutoContrast": "p=1, cutoff=5",
    "BBoxSafeCrop": "size=(160, 160)",
    "Blur": "size=(5, 13)",
    "CenterCrop": "128",
    "CoarseDropout": "count=(2, 5)",
    "ColorJitter": "brightness=0.4, contrast=0.4, saturation=0.4, hue=0.1",
    "Crop": "top=0, left=48, height=128, width=128",
    "CropAndPad": "percent=(-0.2, 0.2)",
    "CropNonEmptyMask": "96",
    "ElasticTransform": "alpha=400, sigma=8, p=1",
    "Equalize": "p=1",
    "FancyPCA": "alpha=1",
    "FiveCrop": "128",
    "GaussianBlur": "sigma=(0.5, 4)",
    "GaussianNoise": "std=(10, 40)",
    "GridDistortion": "p=1",
    "HorizontalFlip": "",
    "ISONoise": "color_shift=(0.05, 0.1), intensity=(0.5, 1)",
    "ImageCompression": "quality=(5, 30)",
    "Invert": "",
    "LetterBox": "size=(160, 192)",
    "LinearColorJitter": "brightness=0.4, contrast=0.4, saturation=0.4, hue=0.1",
    "LongestMaxSize": "96",
    "MotionBlur": "size=(7, 15)",
    "MedianBlur": "size=(5, 9)",
    "MultiScaleCrop": "size=128",
    "MultiplicativeNoise": "factor=(0.5, 1.5), per_pixel=True",
    "Normalize": "mean=0.5, std=0.25",
    "OpticalDistortion": "distort_limit=0.5, p=1",
    "Pad": "24",
    "PadIfNeeded": "size=(224, 256)",
    "Perspective": "scale=(0.1, 0.2), p=1",
    "PiecewiseAffine": "p=1",
    "PixelDropout": "share=0.1",
    "Posterize": "bits=2, p=1",
    "RandomBrightnessContrast": "brightness=0.4, contrast=0.4",
    "RandomCrop": "128",
    "RandomErasing": "p=1",
    "RandomResizedCrop": "128",
    "RandomScale": "scale=0.4",
    "RandomSizedCrop": "size=128, heights=(64, 160)",
    "RandomZoomOut": "p=1",
    "Resize": "(96, 160)",
    "SmallestMaxSize": "96",
    "Solarize": "",
    "TenCrop": "128",
    "ToGray": "p=1",
    "ToSepia": "p=1",
    "ToneCurve": "scale=0.3",
    "Transpose": "p=1",
    "VerticalFlip": "",
    "XYMasking": "columns=2, rows=2, width=(0.05, 0.15), height=(0.05, 0.15)",
}
FACE = np.array([[62.0, 8.0, 104.0, 78.0]])  # x0, y0, x1, y1 in PHOTO


def _photograph() -> tuple[np.ndarray, np.ndarray]:
    image = cv2.resize(data.astronaut(), (CELL, CELL), interpolation=cv2.INTER_AREA)
    mask = np.zeros((CELL, CELL), np.uint8)
    x0, y0, x1, y1 = FACE[0].astype(int)
    cv2.ellipse(mask, ((x0 + x1) // 2, (y0 + y1) // 2), ((x1 - x0) // 2, (y1 - y0) // 2), 0, 0, 360, 1, -1)
    return image, mask


PHOTO, MASK = _photograph()
"""The astronaut Eileen Collins, a photograph of NASA's in the public domain, RGB; and where her face is."""


def code(name: str) -> str:
    """Return the constructor call of the transform of a picture."""
    return f"ss.{name}({SAMPLES.get(name, '')})"


def keys(name: str) -> list[str]:
    """Return the code of the three keys of a picture."""
    if name in VIEWS:
        return [f"SampleKey(0, 0, 0, view={view})" for view in range(3)]
    return [f"SampleKey(0, 0, {index})" for index in range(3)]


def _moves(transform: Any) -> bool:
    return isinstance(transform, ss.SpatialTransform) or hasattr(transform, "apply_boxes")


def _shown(image: np.ndarray) -> np.ndarray:
    """Return an augmented image as uint8 RGB, its channels last and its values stretched to 0-255 if they need it."""
    image = np.moveaxis(image, 0, -1) if image.shape[0] == 3 else image
    if image.dtype != np.uint8:
        low, high = (0, 1) if image.min() >= 0 and image.max() <= 1 else (image.min(), image.max())
        image = ((image - low) * (255 / (high - low))).astype(np.uint8)
    return np.ascontiguousarray(image)


def _cell(image: np.ndarray, mask: np.ndarray | None, boxes: Any, title: str) -> np.ndarray:
    image = image.copy()
    if mask is not None:
        outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        cv2.drawContours(image, outlines, -1, (255, 220, 0), 1)
    for x0, y0, x1, y1 in np.asarray(boxes if boxes is not None else ()).reshape(-1, 4)[:, :4]:
        cv2.rectangle(image, (round(x0), round(y0)), (round(x1) - 1, round(y1) - 1), (0, 255, 120), 1)
    scale = min(1.0, CELL / max(image.shape[:2]))
    if scale < 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    cell = np.full((CELL + 22, CELL, 3), 255, np.uint8)
    height, width = image.shape[:2]
    top, left = (CELL - height) // 2, (CELL - width) // 2
    cell[top : top + height, left : left + width] = image
    cv2.putText(cell, title, (2, CELL + 15), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (60, 60, 60), 1, cv2.LINE_AA)
    return cell


def draw(name: str) -> np.ndarray:
    """Return the picture of a transform: the photograph, and what it becomes for three keys, RGB."""
    transform = eval(code(name), {"ss": ss})
    augment = ss.Compose([transform])
    moves = _moves(transform)
    before = {"image": PHOTO, "mask": MASK, "boxes": FACE} if moves else {"image": PHOTO}
    cells = [_cell(PHOTO, before.get("mask"), before.get("boxes"), "original")]
    for title in keys(name):
        after = augment(dict(before), key=eval(title, {"SampleKey": ss.SampleKey}))
        cells.append(_cell(_shown(after["image"]), after.get("mask"), after.get("boxes"), title))
    gap = np.full((cells[0].shape[0], 8, 3), 255, np.uint8)
    return np.hstack([part for cell in cells for part in (cell, gap)][:-1])


def _make(app: Any) -> None:
    folder = Path(app.srcdir, "_pictures")
    folder.mkdir(exist_ok=True)
    for name in TRANSFORMS:
        cv2.imwrite(str(folder / f"{name}.png"), draw(name)[..., ::-1])
    for name in sounds.TRANSFORMS:
        cv2.imwrite(str(folder / f"{name}.png"), sounds.waveforms(name)[..., ::-1])


def _add(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    short = name.rpartition(".")[2]
    if what != "class" or short not in (*TRANSFORMS, *sounds.TRANSFORMS):
        return
    heard = short in sounds.TRANSFORMS
    call, seen = (sounds.call(short), "A spoken word") if heard else (code(short), "A photograph")
    alt = f"{seen}, and what {call} makes of it for three keys."
    lines += ["", f".. image:: /_pictures/{short}.png", f"   :alt: {alt}", ""]
    lines += ["The figure's code:", "", ".. code-block:: python", "", f"   augment = ss.Compose([{call}])"]
    lines += [*(f"   augment({'audio' if heard else 'sample'}, key=ss.{key})" for key in keys(short)), ""]


def setup(app: Any) -> dict[str, bool]:
    """Connect the pictures to a build."""
    app.connect("builder-inited", _make)
    app.connect("autodoc-process-docstring", _add)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
