"""The samples of a preview: images of a folder with their masks, boxes and keypoints, or those of a dataset."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from seedsafe.data.folder.index import FolderIndex
from seedsafe.data.folder.read import read_image, read_image_as_stored
from seedsafe.ground.info import TARGETS
from seedsafe.keys.key import SampleIndex
from seedsafe.pipeline.boxes import from_edges, to_edges
from seedsafe.reading.forms import opened
from seedsafe_look.parameters import plain, text
from seedsafe_look.picture import drawn
from seedsafe_look.subject import Subject

__all__ = ["Cell", "Row", "notes_of", "of_dataset", "of_folder"]


class Cell(NamedTuple):
    """One picture of a sheet."""

    title: str
    image: Any
    """uint8 (H, W, 3), or None where there is an error."""

    lines: list[str]
    """What was drawn, a line for each transform; or the error."""

    applied: Any
    """What was drawn, as plain data."""


class Row(NamedTuple):
    """One sample of a sheet."""

    title: str
    cells: list[Cell]
    error: str | None


Scaled = Callable[[Any], Any]


def of_folder(
    subject: Subject,
    index: FolderIndex,
    number: int,
    columns: list[SampleIndex],
    *,
    seed: int,
    masks: str | None,
    notes: dict[str, Any],
    scaled: Scaled,
) -> Row:
    """Return the row of an image of a folder."""
    path = index.path(number)
    name = Path(path).relative_to(index.root).as_posix()
    try:
        sample = _sample(subject, Path(path), name, masks, notes)
    except (ValueError, OSError) as error:
        return Row(f"{number}: {name}", [Cell("", None, [str(error)], None)], str(error))
    return _row(subject, f"{number}: {name}", columns, seed, scaled, lambda at: (sample, None))


def of_dataset(
    subject: Subject, number: int, columns: list[SampleIndex], *, seed: int, scaled: Scaled
) -> Row:
    """Return the row of a sample of a dataset."""
    return _row(subject, f"sample {number}", columns, seed, scaled, subject.read)


def _row(
    subject: Subject, title: str, columns: list[SampleIndex], seed: int, scaled: Scaled, read: Any
) -> Row:
    cells: list[Cell] = []
    failed = None
    written = "pascal_voc"
    if subject.augment is not None and subject.augment.boxes is not None:
        written = subject.augment.boxes.format
    for at in columns:
        try:
            before, after = read(at)
            key = subject.key(at, seed)
            if subject.reader is None:
                after = subject.augment(before, key=key)  # type: ignore[misc]  # one of the two is there
            else:
                before, after = _parts(subject, before), _parts(subject, after)
            if not cells:
                cells.append(Cell("original", drawn(before, boxes=written, scaled=scaled), [], None))
            lines, applied = _applied(subject, key, before, at)
            title_of = f"epoch {at.epoch}" if not at.view else f"epoch {at.epoch}, view {at.view}"
            cells.append(Cell(title_of, drawn(after, boxes=written, scaled=scaled), lines, applied))
        except Exception as error:  # noqa: BLE001  # of the pipeline, the dataset, or anybody's code in them
            failed = f"{type(error).__name__}: {error}"
            cells.append(Cell(f"epoch {at.epoch}", None, [failed], None))
    return Row(title, cells, failed)


def _applied(subject: Subject, key: Any, before: Any, at: SampleIndex) -> tuple[list[str], Any]:
    if subject.augment is None:
        return ["drawn by the dataset itself"], None
    try:
        applied = subject.augment.params(key, subject.described(before, at))
    except (ValueError, TypeError) as error:
        return [f"not known without the pixels: {error}"], None
    fired = [one for one in applied if one.params is not None]
    return [f"{one.name} {text(one.params)}".rstrip() for one in fired] or ["nothing fired"], [
        {"name": one.name, "params": plain(one.params)} for one in applied
    ]


def _parts(subject: Subject, sample: Any) -> Any:
    parts = subject.parts(sample)
    if not isinstance(parts, dict):
        return opened(parts, "image", False)[0]
    return {
        name: opened(part, name, False)[0] if name in TARGETS and name != "masks" else part
        for name, part in parts.items()
    }


def _sample(subject: Subject, path: Path, name: str, masks: str | None, notes: dict[str, Any]) -> Any:
    image = read_image(path)
    parts: dict[str, Any] = {"image": image}
    if masks is not None:
        found = sorted(Path(masks).glob(f"{_escaped(Path(name).with_suffix('').as_posix())}.*"))
        if not found:
            raise FileNotFoundError(f"no mask {Path(name).stem}.* in {masks}")
        mask = read_image_as_stored(found[0])
        parts["mask"] = mask if mask.ndim == 2 else np.ascontiguousarray(mask[..., 0])
    own = notes.get(name, notes.get(Path(name).name))
    if own is not None:
        boxes = subject.augment.boxes if subject.augment is not None else None
        if own.get("boxes") is not None:
            rows = np.array(own["boxes"], np.float64).reshape(-1, 4)
            if own.get("format") == "coco":  # as COCO writes them, whatever the pipeline wants
                edges = to_edges(rows, "coco", image.shape[:2])
                rows = from_edges(edges, "pascal_voc" if boxes is None else boxes.format, image.shape[:2])
            parts["boxes"] = rows
            for label in () if boxes is None else boxes.labels:
                parts[label] = own.get(label, own.get("labels", list(range(len(rows)))))
        if own.get("keypoints"):
            parts["keypoints"] = np.array(own["keypoints"], np.float64)
            points = subject.augment.keypoints if subject.augment is not None else None
            for label in () if points is None else points.labels:
                parts[label] = own.get(label, list(range(len(parts["keypoints"]))))
    return parts


def _escaped(text_of_name: str) -> str:
    return "".join(f"[{sign}]" if sign in "[*?" else sign for sign in text_of_name)


def notes_of(file: str) -> dict[str, Any]:
    """Return boxes, keypoints and labels by file name: of COCO's JSON, or of JSON that has that form.

    Raises:
        ValueError: it is neither.
    """
    try:
        data = json.loads(Path(file).read_text(encoding="utf-8"))
        if not ("images" in data and "annotations" in data):
            if not all(isinstance(one, dict) for one in data.values()):
                raise TypeError("the value of each file name must be an object")
            return dict(data)
        names = {one["id"]: one["file_name"] for one in data["images"]}
        kinds = {one["id"]: one["name"] for one in data.get("categories", ())}
        found: dict[str, Any] = {
            name: {"boxes": [], "keypoints": [], "labels": [], "format": "coco"} for name in names.values()
        }
        for one in data["annotations"]:
            of_image = found[names[one["image_id"]]]
            if "bbox" in one:
                of_image["boxes"].append(one["bbox"])
                of_image["labels"].append(kinds.get(one.get("category_id"), one.get("category_id")))
            points = one.get("keypoints", [])
            of_image["keypoints"] += [points[place : place + 3] for place in range(0, len(points), 3)]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f'{file} must be the JSON of COCO, or {{"file name": {{"boxes": [[x0, y0, x1, y1]]}}}}: '
            f"{type(error).__name__} {error}"
        ) from error
    return found
