"""``seedsafe preview``: augmented images on one sheet.

They are images of a folder with their masks, boxes and keypoints, or samples of a dataset.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import redirect_stdout
from functools import partial
from glob import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from seedsafe.data.folder.index import ListingIndex
from seedsafe.data.folder.read import read_image, read_image_as_stored
from seedsafe.ground.commands import check_output
from seedsafe.keys.key import SampleKey
from seedsafe.pipeline.boxes import Edges, from_edges, to_edges
from seedsafe.pipeline.compose import Compose
from seedsafe_look.cells import columns, drawn
from seedsafe_look.options import FORMATS, run
from seedsafe_look.options import preview as parser
from seedsafe_look.page import Row, fit, page
from seedsafe_look.picture import Cell
from seedsafe_look.subject import Subject, load

__all__ = ["main"]


def main(argv: list[str]) -> int:
    """Run the command.

    Args:
        argv: the arguments after `preview`.

    Returns:
        0, or 1 if a sample could not be read or augmented (the sheet shows the error), or 2 if there is no such pipeline, folder
        or sample, or the file cannot be written.

    Example:
        >>> import cv2, numpy as np, pathlib, tempfile
        >>> import seedsafe as ss
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = cv2.imwrite(str(folder / "a.png"), np.zeros((40, 60, 3), np.uint8))
        >>> _ = (folder / "pipeline.json").write_text(ss.Compose([ss.RandomCrop(32)]).to_json())
        >>> out = folder / "sheet.html"
        >>> main([str(folder / "pipeline.json"), "--images", str(folder), "-o", str(out)])  # doctest: +ELLIPSIS
        Wrote ...sheet.html.
        0
        >>> out.read_text(encoding="utf-8")[:15]
        '<!doctype html>'
    """
    return run("preview", _preview, parser().parse_args(argv))


def _preview(options: argparse.Namespace) -> int:
    if find_spec("cv2") is None:
        raise ImportError('preview needs OpenCV: pip install "seedsafe[image]"')
    output = Path(options.output)
    if output.suffix.lower() not in FORMATS:
        raise ValueError(f"--output must end in {', '.join(FORMATS)}, got {options.output!r}")
    check_output("--output", options.output)
    with redirect_stdout(sys.stderr):  # the user's module may print
        subject = load(options.pipeline, seed=options.seed or 0, classes=options.classes)
    folder = _folder_of(subject, options)
    seed = SampleKey(options.seed or 0, 0, 0).seed if subject.reader is None else subject.reader.seed
    indices = _indices(options, folder if folder is not None else subject.reader.base)
    with redirect_stdout(sys.stderr):
        rows = [_row(subject, folder, number, seed, options) for number in indices]
    title = f"{subject.name}, seed {seed}"
    if output.suffix.lower() == ".html":
        output.write_text(page(title, rows, options.cell), encoding="utf-8")
    else:
        from seedsafe_look.show import draw  # which needs matplotlib

        cells = [[cell._replace(title=f"{row.title}, {cell.title}") for cell in row.cells] for row in rows]
        draw(cells, title, options.cell / 100).savefig(output)
    failed = [row for row in rows if row.error is not None]
    for row in failed:
        print(f"{row.title}: {row.error}", file=sys.stderr)
    print(json.dumps(_facts(subject, output, rows), indent=1) if options.json else f"Wrote {output}.")
    return 1 if failed else 0


def _facts(subject: Subject, output: Path, rows: list[Any]) -> dict[str, Any]:
    def facts_of(row: Any) -> dict[str, Any]:
        cells = [{"title": one.title, "applied": one.applied} for one in row.cells]
        return {"sample": row.title, "error": row.error, "cells": cells}

    return {"pipeline": subject.name, "output": str(output), "rows": [facts_of(row) for row in rows]}


def _folder_of(subject: Subject, options: argparse.Namespace) -> _Folder | None:
    """Return the folder of images for a pipeline, or None for a dataset, which has its own samples."""
    if subject.reader is None:
        return _Folder(subject, options)
    unused = [f"--{name}" for name in ("images", "masks", "annotations") if getattr(options, name)]
    if unused:
        raise ValueError(f"{subject.name} has its own samples: leave out {', '.join(unused)}")
    subject.check_seed(options.seed)
    return None


def _indices(options: argparse.Namespace, samples: Any) -> list[int]:
    length = len(samples) if hasattr(samples, "__len__") else 2**32
    indices = list(options.indices or range(min(options.samples, length)))
    beyond = [number for number in indices if number >= length]
    if beyond:
        raise IndexError(f"--indices must be below {length}, the number of samples, got {beyond[0]}")
    return indices


def _row(
    subject: Subject, folder: _Folder | None, number: int, seed: int, options: argparse.Namespace
) -> Any:
    """Return the row of a sample: what it is, and what is made of it in each epoch or view."""
    title = f"sample {number}" if folder is None else folder.title(number)
    try:
        sample = None if folder is None else folder.sample(number)
    except (ValueError, OSError) as error:
        return Row(title, [Cell("", None, [str(error)])], str(error))
    cells: list[Cell] = []
    failure = None
    for name, at in columns(number, options.epochs, options.views):
        try:
            before, after = drawn(subject, sample, at, seed, name, partial(fit, cell=options.cell))
            cells += [after] if cells else [before, after]
        except Exception as error:  # noqa: BLE001  # from the user's pipeline or dataset
            failure = f"{type(error).__name__}: {error}"
            cells.append(Cell(name, None, [failure]))
    return Row(title, cells, failure)


class _Folder:
    """A folder of images, with masks and annotations."""

    def __init__(self, subject: Subject, options: argparse.Namespace) -> None:
        if options.images is None:
            raise ValueError(f"{subject.name} is a pipeline: pass --images DIR, a folder of images")
        self.index = ListingIndex(options.images, labelled=False)
        if not len(self.index):
            raise FileNotFoundError(f"--images must be a folder with images, but {options.images!r} has none")
        if options.masks is not None and not Path(options.masks).is_dir():
            raise FileNotFoundError(f"--masks must be a folder, got {options.masks!r}")
        self.masks = options.masks
        self.notes = {} if options.annotations is None else _notes_of(options.annotations)
        self.augment = subject.augment

    def __len__(self) -> int:
        return len(self.index)

    def title(self, number: int) -> str:
        return f"{number}: {self.index.relative(number)}"

    def sample(self, number: int) -> dict[str, Any]:
        name = Path(self.index.relative(number))
        parts: dict[str, Any] = {"image": read_image(self.index.path(number))}
        if self.masks is not None:
            files = sorted(Path(self.masks).glob(f"{escape(name.with_suffix('').as_posix())}.*"))
            if not files:
                raise FileNotFoundError(f"no mask {name.stem}.* in {self.masks}")
            mask = read_image_as_stored(files[0])
            parts["mask"] = mask if mask.ndim == 2 else np.ascontiguousarray(mask[..., 0])
        note = self.notes.get(name.as_posix(), self.notes.get(name.name))
        if self.notes and note is None:
            print(f"{name.as_posix()} has no entry in --annotations: drawn without", file=sys.stderr)
        if self.notes:
            parts |= _annotations(note or {"boxes": []}, parts["image"].shape[:2], self.augment)
        return parts


def _annotations(note: dict[str, Any], size: tuple[int, int], augment: Compose | None) -> dict[str, Any]:
    """Return boxes and keypoints with their labels, in the formats of a pipeline."""
    boxes, keypoints = (None, None) if augment is None else (augment.boxes, augment.keypoints)
    parts: dict[str, Any] = {}
    if note.get("boxes") is not None:
        rows = np.array(note["boxes"], np.float64).reshape(-1, 4)
        if note.get("format") == "coco":
            form = "pascal_voc" if boxes is None else boxes.format
            rows = from_edges(to_edges(rows, "coco", size), form, size)
        parts["boxes"] = rows if boxes is not None else rows.view(Edges)
        labels = note.get("labels", list(range(len(rows))))
        parts |= {label: note.get(label, labels) for label in (() if boxes is None else boxes.labels)}
    if note.get("keypoints"):
        rows = parts["keypoints"] = np.array(note["keypoints"], np.float64)
        labels = list(range(len(rows)))
        parts |= {label: note.get(label, labels) for label in (() if keypoints is None else keypoints.labels)}
    return parts


def _notes_of(file: str) -> dict[str, Any]:
    """Return boxes, keypoints and labels by file name, from the JSON of COCO, or from JSON in the form of the result.

    Raises:
        ValueError: the file is neither.
    """
    try:
        data = json.loads(Path(file).read_text(encoding="utf-8"))
        if not ("images" in data and "annotations" in data):
            if not all(
                isinstance(one, dict) and {"boxes", "keypoints"} & one.keys() for one in data.values()
            ):
                raise TypeError('each file name must have an object with "boxes" or "keypoints"')
            return dict(data)
        names = {one["id"]: one["file_name"] for one in data["images"]}
        kinds = {one["id"]: one["name"] for one in data.get("categories", ())}
        notes: dict[str, Any] = {
            name: {"boxes": [], "keypoints": [], "labels": [], "format": "coco"} for name in names.values()
        }
        for one in data["annotations"]:
            note = notes[names[one["image_id"]]]
            if "bbox" in one:
                note["boxes"].append(one["bbox"])
                note["labels"].append(kinds.get(one.get("category_id"), one.get("category_id")))
            note["keypoints"] += np.reshape(one.get("keypoints", []), (-1, 3)).tolist()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f'{file} must be the JSON of COCO, or {{"file name": {{"boxes": [[x0, y0, x1, y1]]}}}}: '
            f"{type(error).__name__} {error}"
        ) from error
    return notes
