"""The samples of a preview.

They are images of a folder with their masks, boxes and keypoints, or samples of a dataset.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from glob import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from seedsafe.data.folder.index import FolderIndex
from seedsafe.data.folder.read import read_image, read_image_as_stored
from seedsafe.ground.info import TARGETS
from seedsafe.keys.key import SampleIndex
from seedsafe.pipeline.boxes import Edges, from_edges, to_edges
from seedsafe.reading.forms import opened
from seedsafe_look.parameters import plain, text
from seedsafe_look.picture import picture_of
from seedsafe_look.subject import Subject

__all__ = ["Cell", "Row", "notes_of", "of_dataset", "of_folder"]


class Cell(NamedTuple):
    """One picture of a sheet."""

    title: str
    image: Any
    """uint8 (H, W, 3), or None if there is an error."""

    lines: list[str]
    """The parameters, a line for each transform, or the error."""

    applied: Any
    """The parameters as plain data."""


class Row(NamedTuple):
    """One sample of a sheet."""

    title: str
    cells: list[Cell]
    error: str | None


Scale = Callable[[Any], Any]


def of_folder(
    subject: Subject,
    index: FolderIndex,
    number: int,
    columns: list[SampleIndex],
    *,
    seed: int,
    masks: str | None,
    notes: dict[str, Any],
    scale: Scale,
) -> Row:
    """Return the row of an image in a folder."""
    path = index.path(number)
    name = Path(path).relative_to(index.root).as_posix()
    try:
        sample = _sample(subject, Path(path), name, masks, notes)
    except (ValueError, OSError) as error:
        return Row(f"{number}: {name}", [Cell("", None, [str(error)], None)], str(error))
    return _row(subject, f"{number}: {name}", columns, seed, scale, lambda at: (sample, None))


def of_dataset(subject: Subject, number: int, columns: list[SampleIndex], *, seed: int, scale: Scale) -> Row:
    """Return the row of a sample in a dataset."""
    return _row(
        subject, f"sample {number}", columns, seed, scale, lambda at: subject.of_view(at.view).read(at)
    )


def _row(subject: Subject, title: str, columns: list[SampleIndex], seed: int, scale: Scale, read: Any) -> Row:
    cells: list[Cell] = []
    failure = None
    whole = subject
    for at in columns:
        subject, boxes = whole.of_view(at.view), "pascal_voc"
        if subject.augment is not None and subject.augment.boxes is not None:
            boxes = subject.augment.boxes.format
        try:
            before, after = read(at)
            key = subject.key(at, seed)
            if subject.reader is None:
                after = subject.augment(before, key=key)  # type: ignore[misc]  # one of the two is there
            else:
                before, after = _parts(subject, before), _parts(subject, after)
            if not cells:
                cells.append(Cell("original", picture_of(before, boxes=boxes, scale=scale), [], None))
            lines, applied = _applied(subject, key, before, at)
            title_of = f"epoch {at.epoch}" if not at.view else f"epoch {at.epoch}, view {at.view}"
            cells.append(Cell(title_of, picture_of(after, boxes=boxes, scale=scale), lines, applied))
        except Exception as error:  # noqa: BLE001  # from the user's pipeline or dataset
            failure = f"{type(error).__name__}: {error}"
            cells.append(Cell(f"epoch {at.epoch}", None, [failure], None))
    return Row(title, cells, failure)


def _applied(subject: Subject, key: Any, before: Any, at: SampleIndex) -> tuple[list[str], Any]:
    if subject.augment is None:
        return ["drawn by the dataset itself"], None
    try:
        applied = subject.augment.params(key, subject.infos(before, at))
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
        files = sorted(Path(masks).glob(f"{escape(Path(name).with_suffix('').as_posix())}.*"))
        if not files:
            raise FileNotFoundError(f"no mask {Path(name).stem}.* in {masks}")
        mask = read_image_as_stored(files[0])
        parts["mask"] = mask if mask.ndim == 2 else np.ascontiguousarray(mask[..., 0])
    own = notes.get(name, notes.get(Path(name).name))
    if own is not None:
        boxes = subject.augment.boxes if subject.augment is not None else None
        if own.get("boxes") is not None:
            rows = np.array(own["boxes"], np.float64).reshape(-1, 4)
            if own.get("format") == "coco":  # whatever format the pipeline wants
                edges = to_edges(rows, "coco", image.shape[:2])
                rows = from_edges(edges, "pascal_voc" if boxes is None else boxes.format, image.shape[:2])
            parts["boxes"] = rows if boxes is not None else rows.view(Edges)
            for label in () if boxes is None else boxes.labels:
                parts[label] = own.get(label, own.get("labels", list(range(len(rows)))))
        if own.get("keypoints"):
            parts["keypoints"] = np.array(own["keypoints"], np.float64)
            points = subject.augment.keypoints if subject.augment is not None else None
            for label in () if points is None else points.labels:
                parts[label] = own.get(label, list(range(len(parts["keypoints"]))))
    return parts


def notes_of(file: str) -> dict[str, Any]:
    """Return boxes, keypoints and labels by file name, from the JSON of COCO, or from JSON in the form of the result.

    Raises:
        ValueError: the file is neither.
    """
    try:
        data = json.loads(Path(file).read_text(encoding="utf-8"))
        if not ("images" in data and "annotations" in data):
            if not all(isinstance(one, dict) for one in data.values()):
                raise TypeError("the value of each file name must be an object")
            return dict(data)
        names = {one["id"]: one["file_name"] for one in data["images"]}
        kinds = {one["id"]: one["name"] for one in data.get("categories", ())}
        notes: dict[str, Any] = {
            name: {"boxes": [], "keypoints": [], "labels": [], "format": "coco"} for name in names.values()
        }
        for one in data["annotations"]:
            of_image = notes[names[one["image_id"]]]
            if "bbox" in one:
                of_image["boxes"].append(one["bbox"])
                of_image["labels"].append(kinds.get(one.get("category_id"), one.get("category_id")))
            points = one.get("keypoints", [])
            of_image["keypoints"] += [points[first : first + 3] for first in range(0, len(points), 3)]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f'{file} must be the JSON of COCO, or {{"file name": {{"boxes": [[x0, y0, x1, y1]]}}}}: '
            f"{type(error).__name__} {error}"
        ) from error
    return notes
