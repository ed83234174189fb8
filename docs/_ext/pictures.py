"""A picture for each transform: a photograph or a sound, and what three keys make of it; made while the pages are built.

How each is made stands in its case (tests/cases). The picture and its code are put at the end of the transform's
docstring. Boxes and masks are drawn where the transform moves them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import sounds
from skimage import data

import seedsafe as ss

sys.path.append(str(Path(__file__).parents[2] / "tests"))

from cases import CASES, IMAGES

__all__ = ["CELL", "TRANSFORMS", "code", "draw", "keys", "setup", "shrunk"]

TRANSFORMS = sorted(IMAGES)
"""Names of the transforms that have a picture."""

CELL = 192
"""The side of one image of a picture, in pixels."""

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
    return f"ss.{name}({CASES[name].picture})"


def keys(name: str) -> list[str]:
    """Return the code of the three keys of a picture."""
    if CASES[name].views:
        return [f"SampleKey(0, 0, 0, view={view})" for view in range(3)]
    return [f"SampleKey(0, 0, {index})" for index in range(3)]


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
    moves = hasattr(transform, "apply_boxes") and not CASES[name].alone
    before = {"image": PHOTO, "mask": MASK, "boxes": FACE} if moves else {"image": PHOTO}
    cells = [_cell(PHOTO, before.get("mask"), before.get("boxes"), "original")]
    for title in keys(name):
        after = augment(dict(before), key=eval(title, {"SampleKey": ss.SampleKey}))
        cells.append(_cell(_shown(after["image"]), after.get("mask"), after.get("boxes"), title))
    gap = np.full((cells[0].shape[0], 8, 3), 255, np.uint8)
    return np.hstack([part for cell in cells for part in (cell, gap)][:-1])


def shrunk() -> np.ndarray:
    """Return a photograph shrunk four times, without and with antialias, each pixel four wide, RGB."""
    cat = data.chelsea()[100:300, :300]
    small = [ss.Resize((50, 75), antialias=flag)(cat, key=ss.SampleKey(0, 0, 0)) for flag in (False, True)]
    gap = np.full((200, 8, 3), 255, np.uint8)
    return np.hstack([small[0].repeat(4, 0).repeat(4, 1), gap, small[1].repeat(4, 0).repeat(4, 1)])


def _make(app: Any) -> None:
    folder = Path(app.srcdir, "_pictures")
    folder.mkdir(exist_ok=True)
    cv2.imwrite(str(folder / "antialias.png"), shrunk()[..., ::-1])
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
