"""``seedsafe preview``: augmented images on one sheet."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from seedsafe.data.folder.progress import reporting
from seedsafe.keys.key import SampleIndex, SampleKey
from seedsafe_look.preview.options import FORMATS, parser
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
    options = parser().parse_args(argv)
    try:
        if find_spec("cv2") is None:
            raise ImportError('preview needs OpenCV: pip install "seedsafe[image]"')
        return _preview(options)
    except BrokenPipeError:
        raise
    except (ValueError, TypeError, ImportError, OSError, LookupError, RuntimeError) as error:
        print(f"seedsafe preview: {error}", file=sys.stderr)
        return 2


def _preview(options: argparse.Namespace) -> int:
    from seedsafe_look.preview.samples import Row
    from seedsafe_look.preview.sheet import encode, page, sheet

    output = Path(options.output)
    _check_output(output)
    with redirect_stdout(sys.stderr):  # the user's module may print
        subject = load(options.pipeline, seed=options.seed or 0, classes=options.classes)
    columns = _columns(options)
    indices, read = _source(subject, options)
    rows: list[Row] = []
    quiet = options.no_progress or not sys.stderr.isatty() or find_spec("rich") is None
    with redirect_stdout(sys.stderr), reporting(not quiet, "drawing") as report:
        for done, number in enumerate(indices):
            rows.append(read(number, [SampleIndex(number, at.epoch, view=at.view) for at in columns]))
            report(done + 1, len(indices))
    title = f"{subject.name}, seed {options.seed or 0 if subject.reader is None else subject.reader.seed}"
    if output.suffix.lower() == ".html":
        output.write_text(page(title, rows, options.cell), encoding="utf-8")
    else:
        output.write_bytes(encode(sheet(title, rows, options.cell), output.suffix.lower()))
    failed = [row for row in rows if row.error is not None]
    for row in failed:
        print(f"{row.title}: {row.error}", file=sys.stderr)
    if options.json:
        print(json.dumps(_facts(subject, output, rows), indent=1))
    else:
        print(f"Wrote {output}.")
    return 1 if failed else 0


def _facts(subject: Subject, output: Path, rows: list[Any]) -> dict[str, Any]:
    return {
        "pipeline": subject.name,
        "output": str(output),
        "rows": [
            {
                "sample": row.title,
                "error": row.error,
                "cells": [{"title": one.title, "applied": one.applied} for one in row.cells],
            }
            for row in rows
        ],
    }


def _check_output(output: Path) -> None:
    """Raise errors about the output file before anything is drawn."""
    if output.suffix.lower() not in FORMATS:
        raise ValueError(f"--output must end in {', '.join(FORMATS)}, got {str(output)!r}")
    if output.is_dir():
        raise IsADirectoryError(f"--output must be a file, got the folder {str(output)!r}: add a file name")
    if not output.absolute().parent.is_dir():
        raise FileNotFoundError(f"--output must be in a folder that exists, got {str(output)!r}: create it")


def _columns(options: argparse.Namespace) -> list[SampleIndex]:
    if options.views is not None:
        return [SampleIndex(0, options.epochs[0], view=view) for view in range(options.views)]
    return [SampleIndex(0, epoch) for epoch in options.epochs]


def _source(subject: Subject, options: argparse.Namespace) -> tuple[list[int], Callable[..., Any]]:
    """Return the numbers of the samples to draw, and a function that returns the row of one."""
    from seedsafe.data.folder.index import ListingIndex
    from seedsafe_look.preview.samples import notes_of, of_dataset, of_folder

    scale = _scaler(options.cell)
    if subject.reader is not None:
        unused = [f"--{name}" for name in ("images", "masks", "annotations") if getattr(options, name)]
        own = subject.reader.seed
        if unused:
            raise ValueError(
                f"{subject.name} is a dataset and has its own samples: leave out {', '.join(unused)}"
            )
        if options.seed is not None and options.seed != own:
            raise ValueError(f"{subject.name} has the seed {own}, got --seed {options.seed}: leave it out")
        base = subject.reader.base
        length = len(base) if hasattr(base, "__len__") else 2**32
        return _choose(options, length), lambda number, at: of_dataset(
            subject, number, at, seed=0, scale=scale
        )
    if options.images is None:
        raise ValueError(f"{subject.name} is a pipeline: pass --images DIR, a folder of images")
    seed = SampleKey(options.seed or 0, 0, 0).seed
    index = ListingIndex(options.images, labelled=False)
    if not len(index):
        raise FileNotFoundError(f"--images must be a folder with images, but {options.images!r} has none")
    if options.masks is not None and not Path(options.masks).is_dir():
        raise FileNotFoundError(f"--masks must be a folder, got {options.masks!r}")
    notes = {} if options.annotations is None else notes_of(options.annotations)
    return _choose(options, len(index)), lambda number, at: of_folder(
        subject, index, number, at, seed=seed, masks=options.masks, notes=notes, scale=scale
    )


def _choose(options: argparse.Namespace, length: int) -> list[int]:
    if options.indices is None:
        return list(range(min(options.samples, length)))
    beyond = [number for number in options.indices if number >= length]
    if beyond:
        raise IndexError(f"--indices must be below {length}, the number of samples, got {beyond[0]}")
    return list(options.indices)


def _scaler(cell: int) -> Callable[[Any], Any]:
    import cv2

    def scale(image: Any) -> Any:
        """Return an image whose longest side fits a cell. Small images grow by a whole factor."""
        height, width = image.shape[:2]
        times = cell // max(height, width)
        if times:
            return image.repeat(times, 0).repeat(times, 1)
        share = cell / max(height, width)
        size = max(1, round(width * share)), max(1, round(height * share))
        return cv2.resize(image, size, interpolation=cv2.INTER_AREA)

    return scale
