"""The command ``seedsafe stats``."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from seedsafe.data.folder.index import ListingIndex
from seedsafe.data.folder.read import read_image, read_image_as_stored
from seedsafe.data.options import stats as parser
from seedsafe.data.stats.result import ChannelStats
from seedsafe.data.stats.run import channel_stats
from seedsafe.ground.checks import checked_int
from seedsafe.ground.commands import check_output

__all__ = ["main"]


class _Images(ListingIndex):
    read: Callable[[str], Any]

    def __getitem__(self, position: int) -> Any:
        return self.read(self.path(position))


def main(argv: list[str]) -> int:
    """Run the command.

    Args:
        argv: the arguments after `stats`.

    Returns:
        0; 1 if an image cannot be read or the images differ in dtype or channels (with ``--strict``, also if there are NaN or
        infinite values); 2 if the arguments are wrong or name something that is missing or unusable.

    Example:
        >>> import cv2, numpy as np, pathlib, tempfile
        >>> root = tempfile.mkdtemp()
        >>> _ = cv2.imwrite(str(pathlib.Path(root, "a.png")), np.array([[[0, 51, 255]]], np.uint8))
        >>> main([root, "--no-progress"])
        1 image, 3 channels of uint8, 1 value each
                           red      green       blue
        mean                 1        0.2          0
        std                  0          0          0
        image mean           1        0.2          0
        image std            0          0          0
        minimum              1        0.2          0
        maximum              1        0.2          0
        in units of 255
        0
    """
    options = parser().parse_args(argv)
    if options.path is None and options.json is not None and os.path.isdir(options.json):
        options.path, options.json = options.json, "-"  # `stats --json FOLDER`
    if options.path is None:
        print("seedsafe stats: name a folder of images", file=sys.stderr)
        return 2
    code = 2  # for faults of the arguments
    try:
        checked_int("--workers", options.workers, 0, 2**15, "pass the number of processes, 0 for none")
        check_output("--json", options.json or "-")
        progress = _shows_progress(options.no_progress)
        images = _Images(options.path, labelled=False)
        images.read = read_image_as_stored if options.as_stored else read_image
        code = 1  # for faults of the images
        images.raise_problems()
        if not len(images):
            raise ValueError(f"{options.path!r} has no images below it: name a folder with images")
        stats = channel_stats(images, num_workers=options.workers, progress=progress)
    except (OSError, ValueError, TypeError, ImportError) as error:
        print("\n  ".join([f"seedsafe stats: {error}", *getattr(error, "__notes__", [])]), file=sys.stderr)
        return code
    print(stats.to_json() if options.json == "-" else _as_text(stats))
    try:
        if options.json not in (None, "-"):
            Path(options.json).write_text(stats.to_json(), encoding="utf-8")
    except OSError as error:
        print(f"seedsafe stats: {error}", file=sys.stderr)
        return 2
    return 1 if options.strict and (stats.nan or stats.inf) else 0


def _shows_progress(off: bool) -> bool:
    """Return whether a command shows progress: on a terminal, if rich is installed, unless it is switched off."""
    return not off and sys.stderr.isatty() and find_spec("rich") is not None


_COLOURS = {1: ("grey",), 3: ("red", "green", "blue"), 4: ("red", "green", "blue", "alpha")}


def _as_text(stats: ChannelStats) -> str:
    top = {"uint8": 255, "uint16": 65535, "float32": 1}[stats.dtype]
    values = stats.count[0]
    images = f"{stats.images:,} image{'s' * (stats.images != 1)}"
    pixels = f"{values:,} value{'s' * (values != 1)} each"
    lines = [
        f"{images}, {len(stats.count)} channels of {stats.dtype}, {pixels}",
        " " * 11 + "".join(f"{name:>11}" for name in _COLOURS[len(stats.count)]),
    ]
    for name in ("mean", "std", "image_mean", "image_std", "minimum", "maximum"):
        cells = ("-" if value is None else f"{value / top:.6g}" for value in getattr(stats, name))
        lines.append(f"{name.replace('_', ' '):<11}" + "".join(f"{cell:>11}" for cell in cells))
    if top > 1:
        lines.append(f"in units of {top}")
    if stats.nan or stats.inf:
        first = ", ".join(str(number) for number, *_ in stats.faulty[:10])
        lines.append(
            f"left out: {stats.nan:,} NaN and {stats.inf:,} infinite values; the first images: {first}"
        )
    with suppress(ValueError):  # of a dtype that has no usual unit, or a channel without contrast
        scaling = stats.normalize()
        mean, std = (", ".join(f"{value:.6g}" for value in values) for values in (scaling.mean, scaling.std))
        comma = "," * (len(stats.count) == 1)
        lines.append(f"ss.Normalize(mean=({mean}{comma}), std=({std}{comma}))")
    return "\n".join(lines)
