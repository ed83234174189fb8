"""A picture for each transform: a photograph or a sound, and what three keys make of it; made while the pages are built.

How each is made stands in its case (tests/cases). The picture and its code are put at the end of the transform's
docstring. Boxes, masks and keypoints are drawn where the transform moves them.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import sounds
from skimage import data

import seedsafe as ss
from seedsafe.pipeline.boxes import Edges
from seedsafe.pipeline.primitive import marks_of
from seedsafe.reading import KeyedReader

sys.path.append(str(Path(__file__).parents[2] / "tests"))

from cases import CASES, IMAGES

__all__ = [
    "CELL",
    "FILM",
    "MIXING",
    "PARTS",
    "PHOTO",
    "TRANSFORMS",
    "cell",
    "draw",
    "filmed",
    "keys",
    "mixed",
    "moves",
    "seen",
    "setup",
    "shrunk",
    "write",
]

TRANSFORMS = sorted(
    name
    for name, case in CASES.items()
    if name in IMAGES or case.kind.__module__.startswith("seedsafe.image.")
)
"""Names of the transforms that have a picture."""

MIXING = sorted(name for name, case in CASES.items() if case.needs == "dataset")
"""Names of the transforms that mix samples of a dataset, and have a picture as well."""

CELL = 192
"""The side of one image of a picture, in pixels."""

FACE = np.array([[62.0, 8.0, 104.0, 78.0]])  # x0, y0, x1, y1 in PHOTO
EYES = np.array([[75.0, 38.0], [93.0, 38.0]])


def _photograph() -> tuple[np.ndarray, np.ndarray]:
    image = cv2.resize(data.astronaut(), (CELL, CELL), interpolation=cv2.INTER_AREA)
    mask = np.zeros((CELL, CELL), np.uint8)
    x0, y0, x1, y1 = FACE[0].astype(int)
    cv2.ellipse(mask, ((x0 + x1) // 2, (y0 + y1) // 2), ((x1 - x0) // 2, (y1 - y0) // 2), 0, 0, 360, 1, -1)
    return image, mask


PHOTO, MASK = _photograph()
"""The astronaut Eileen Collins, a photograph of NASA's in the public domain, RGB; and where her face is."""

PARTS = {"image": PHOTO, "mask": MASK, "boxes": FACE.view(Edges), "keypoints": EYES}
"""The photograph, her face as a mask and a box, and her eyes."""


def _film() -> np.ndarray:
    side, frames = CELL // 3, []
    wide = cv2.resize(data.astronaut(), (2 * side, 2 * side), interpolation=cv2.INTER_AREA)
    for number in range(60):
        left = number * side // 59
        frame = np.ascontiguousarray(wide[side // 4 : side // 4 + side, left : left + side])
        frame[:2], frame[-2:] = 255, 255
        at = (3, side - 6)
        cv2.putText(frame, str(number), at, cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 0), 3, cv2.LINE_AA)
        cv2.putText(frame, str(number), at, cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 220, 0), 1, cv2.LINE_AA)
        frames.append(frame)
    return np.stack(frames)


FILM = _film()
"""A clip of 60 frames that moves over the photograph, each with its number, RGB."""


def filmed(video: np.ndarray) -> dict[str, np.ndarray]:
    """Return nine frames of a clip as one image, those that lie evenly in it."""
    shown = video[np.arange(9) * len(video) // 9]
    return {"image": np.vstack([np.hstack(list(shown[row : row + 3])) for row in (0, 3, 6)])}


def _around(image: np.ndarray, x: int, y: int, across: int, down: int, name: str) -> dict[str, Any]:
    """Return a sample with one object, an ellipse around a point."""
    mask = np.zeros((CELL, CELL), np.uint8)
    cv2.ellipse(mask, (x, y), (across, down), 0, 0, 360, 1, -1)
    rows, columns = np.nonzero(mask)
    box = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
    small = cv2.resize(image, (CELL, CELL), interpolation=cv2.INTER_AREA)
    return {"image": small, "masks": [mask], "boxes": np.array([box], np.float64), "names": [name]}


def _dataset(name: str) -> tuple[list[Any], ss.Compose]:
    """Return four photographs and the pipeline that a transform which mixes samples has its picture of."""
    photos = [
        _around(data.astronaut(), 83, 43, 21, 35, "face"),
        _around(data.chelsea()[:, 75:375], 90, 80, 55, 55, "cat"),
        _around(data.coffee()[:, 100:500], 98, 92, 62, 62, "cup"),
        _around(data.rocket()[:, 107:534], 98, 105, 12, 70, "rocket"),
    ]
    transform = eval(sounds.call(name), {"ss": ss})
    if name in ("MixUp", "CutMix"):
        return [(one["image"], number) for number, one in enumerate(photos)], ss.Compose([transform])
    return photos, ss.Compose([transform], boxes=ss.Boxes("pascal_voc", labels="names"))


def mixed(name: str) -> list[dict[str, Any]]:
    """Return the first photograph, and what a transform that mixes samples makes of it in three epochs."""
    photos, augment = _dataset(name)
    reader = KeyedReader(photos, augment, seed=1)
    made = [photos[0], *(reader.sample(ss.SampleIndex(0, epoch=epoch)) for epoch in range(3))]
    return [{"image": one[0]} if isinstance(one, tuple) else _shown(one) for one in made]


def _shown(sample: dict[str, Any]) -> dict[str, Any]:
    """Return a sample with the masks of its objects as one."""
    whole = np.zeros(sample["image"].shape[:2], np.uint8)
    for mask in sample["masks"]:
        whole |= mask
    return {"image": sample["image"], "mask": whole, "boxes": sample["boxes"]}


def keys(name: str) -> list[str]:
    """Return the code of the three keys of a picture."""
    if CASES[name].views:
        return [f"SampleKey(0, 0, 0, view={view})" for view in range(3)]
    return [f"SampleKey(0, 0, {index})" for index in range(3)]


def seen(image: np.ndarray) -> np.ndarray:
    """Return an augmented image as uint8 RGB, its channels last and its values stretched to 0-255 if they need it."""
    image = np.moveaxis(image, 0, -1) if image.shape[0] == 3 else image
    if image.dtype != np.uint8:
        low, high = (0, 1) if image.min() >= 0 and image.max() <= 1 else (image.min(), image.max())
        image = ((image - low) * (255 / (high - low))).astype(np.uint8)
    return np.ascontiguousarray(image)


def moves(name: str) -> bool:
    """Return whether a transform, or one that it holds, takes masks, boxes and keypoints along."""
    parts = getattr(eval(sounds.call(name), {"ss": ss, "np": np}), "transforms", (CASES[name].kind,))
    return not CASES[name].alone and any(hasattr(one, "apply_boxes") for one in parts)


def cell(sample: dict[str, Any], title: str = "") -> np.ndarray:
    """Return an image with what else a sample has drawn on it: a mask's outline, boxes, keypoints; and a title below."""
    image = np.ascontiguousarray(sample["image"]).copy()
    if "mask" in sample:
        inside = np.asarray(sample["mask"]) > 0
        image[inside] = (image[inside] * 0.7 + np.array([255, 220, 0]) * 0.3).astype(np.uint8)
        outlines, _ = cv2.findContours(sample["mask"], cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        cv2.drawContours(image, outlines, -1, (255, 220, 0), 1)
    for x0, y0, x1, y1 in np.asarray(sample.get("boxes", ())).reshape(-1, 4)[:, :4]:
        cv2.rectangle(image, (round(x0), round(y0)), (round(x1) - 1, round(y1) - 1), (0, 255, 120), 1)
    for x, y in np.asarray(sample.get("keypoints", ())).reshape(-1, 2):
        cv2.circle(image, (round(x), round(y)), 3, (0, 0, 0), -1)
        cv2.circle(image, (round(x), round(y)), 2, (0, 220, 255), -1)
    scale = min(1.0, CELL / max(image.shape[:2]))
    if scale < 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    made = np.full((CELL + 22 * bool(title), CELL, 3), 255, np.uint8)
    height, width = image.shape[:2]
    top, left = (CELL - height) // 2, (CELL - width) // 2
    made[top : top + height, left : left + width] = image
    if title:
        cv2.putText(made, title, (2, CELL + 15), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (60, 60, 60), 1, cv2.LINE_AA)
    return made


def draw(name: str) -> np.ndarray:
    """Return the picture of a transform: the photograph, and what it becomes for three keys, RGB."""
    if name in MIXING:
        titles = ["original", *(f"epoch {epoch}" for epoch in range(3))]
        return _row([cell(one, title) for one, title in zip(mixed(name), titles, strict=True)])
    transform = eval(sounds.call(name), {"ss": ss})
    augment = ss.Compose([transform])
    film = CASES[name].takes == ("video",)
    before = {"video": FILM} if film else PARTS if moves(name) else {"image": PHOTO}
    cells = [cell(filmed(FILM) if film else before, "original")]
    for title in keys(name):
        after = augment(dict(before), key=eval(title, {"SampleKey": ss.SampleKey}))
        cells.append(
            cell(filmed(after["video"]) if film else {**after, "image": seen(after["image"])}, title)
        )
    return _row(cells)


def _row(cells: list[np.ndarray]) -> np.ndarray:
    gap = np.full((cells[0].shape[0], 8, 3), 255, np.uint8)
    return np.hstack([part for one in cells for part in (one, gap)][:-1])


def shrunk() -> np.ndarray:
    """Return a photograph shrunk four times, without and with antialias, each pixel four wide, RGB."""
    cat = data.chelsea()[100:300, :300]
    small = [ss.Resize((50, 75), antialias=flag)(cat, key=ss.SampleKey(0, 0, 0)) for flag in (False, True)]
    gap = np.full((200, 8, 3), 255, np.uint8)
    return np.hstack([small[0].repeat(4, 0).repeat(4, 1), gap, small[1].repeat(4, 0).repeat(4, 1)])


def write(path: Path, picture: np.ndarray) -> None:
    """Write a picture, RGB, as a JPEG or PNG file, unless it is there already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    quality = [cv2.IMWRITE_JPEG_QUALITY, 88] if path.suffix == ".jpg" else []
    fit, made = cv2.imencode(path.suffix, picture[..., ::-1], quality)
    if not fit:
        raise ValueError(f"{path} could not be encoded")
    if not path.exists() or path.read_bytes() != made.tobytes():  # an unchanged one is not copied again
        path.write_bytes(made.tobytes())


def _make(app: Any) -> None:
    folder = Path(app.srcdir, "_pictures")
    write(folder / "antialias.png", shrunk())
    write(folder / "photograph.jpg", cv2.resize(data.astronaut(), (240, 240), interpolation=cv2.INTER_AREA))
    for name in (*TRANSFORMS, *MIXING):
        write(folder / f"{name}.jpg", draw(name))
    for name in sounds.TRANSFORMS:
        write(folder / f"{name}.png", sounds.waveforms(name))


def _copy(app: Any, error: Exception | None) -> None:
    """Copy the photograph to where scripts find it."""
    if error is None and app.builder.format == "html":
        shutil.copy(Path(app.srcdir, "_pictures", "photograph.jpg"), Path(app.outdir, "_static"))


def _add(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    short = name.rpartition(".")[2]
    if what != "class" or short not in (*TRANSFORMS, *MIXING, *sounds.TRANSFORMS):
        return
    heard = short in sounds.TRANSFORMS
    film = CASES[short].takes == ("video",)
    call, shown = (
        sounds.call(short),
        "A spoken word" if heard else "Frames of a clip" if film else "A photograph",
    )
    kind, sample = ("png", CASES[short].takes[0]) if heard else ("jpg", "sample")
    alt = f"{shown}, and the results of {call} for three keys."
    key = keys(short)[0].replace("0)", "k)")
    lines += [
        "",
        f".. image:: /_pictures/{short}.{kind}",
        f"   :alt: {alt}",
        "",
        ".. code-block:: python",
        "",
    ]
    if short in MIXING:
        boxes = "" if short in ("MixUp", "CutMix") else ', boxes=ss.Boxes("pascal_voc", labels="names")'
        lines += [f"   augment = ss.Compose([{call}]{boxes})"]
        lines += ["   dataset = AugmentedDataset(photographs, augment, seed=1)"]
        lines += ["   [dataset.at(0, epoch=epoch) for epoch in range(3)]", ""]
        return
    lines += [f"   augment = ss.Compose([{call}])"]
    lines += [f"   [augment({sample}, key=ss.{key}) for k in range(3)]", ""]


def _skip(app: Any, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what says nothing: fields of a tuple without a text, and a transform's methods, which its base describes."""
    if getattr(thing, "__doc__", None) and str(thing.__doc__).startswith("Alias for field number"):
        return True
    if not re.fullmatch(r"draw|settle|out_info|apply(_\w+)?", name):
        return None
    kind = getattr(
        sys.modules.get(getattr(thing, "__module__", "")),
        getattr(thing, "__qualname__", "").partition(".")[0],
        None,
    )
    return True if isinstance(kind, type) and marks_of(kind).own else None


def setup(app: Any) -> dict[str, bool]:
    """Connect the pictures to a build."""
    app.connect("builder-inited", _make)
    app.connect("autodoc-process-docstring", _add)
    app.connect("autodoc-skip-member", _skip)
    app.connect("build-finished", _copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
