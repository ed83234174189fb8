"""The command ``seedsafe stats``."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from seedsafe.data.folder.index import ListingIndex
from seedsafe.data.folder.read import read_image
from seedsafe.data.options import stats as parser
from seedsafe.data.stats.result import ChannelStats
from seedsafe.data.stats.run import channel_stats
from seedsafe.ground.checks import checked_int
from seedsafe.ground.commands import check_output

__all__ = ["main"]


class _Images(ListingIndex):
    def __getitem__(self, position: int) -> Any:
        return read_image(self.path(position))


def main(argv: list[str]) -> int:
    """Run the command.

    Args:
        argv: the arguments after `stats`.

    Returns:
        0; 1 if an image cannot be read; 2 if the arguments are wrong or name something that is missing or unusable.

    Example:
        >>> import cv2, numpy as np, pathlib, tempfile
        >>> root = tempfile.mkdtemp()
        >>> _ = cv2.imwrite(str(pathlib.Path(root, "a.png")), np.array([[[0, 51, 255]]], np.uint8))
        >>> main([root])
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
        images = _Images(options.path, labelled=False)
        code = 1  # for faults of the images
        images.raise_problems()
        if not len(images):
            raise ValueError(f"{options.path!r} has no images below it: name a folder with images")
        stats = channel_stats(images, num_workers=options.workers)
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
    return 0


def _as_text(stats: ChannelStats) -> str:
    values = stats.count[0]
    images = f"{stats.images:,} image{'s' * (stats.images != 1)}"
    pixels = f"{values:,} value{'s' * (values != 1)} each"
    lines = [
        f"{images}, 3 channels of uint8, {pixels}",
        " " * 11 + "".join(f"{name:>11}" for name in ("red", "green", "blue")),
    ]
    for name in ("mean", "std", "image_mean", "image_std", "minimum", "maximum"):
        cells = (f"{value / 255:.6g}" for value in getattr(stats, name))
        lines.append(f"{name.replace('_', ' '):<11}" + "".join(f"{cell:>11}" for cell in cells))
    lines.append("in units of 255")
    with suppress(ValueError):  # of a channel without contrast
        scaling = stats.normalize()
        mean, std = (", ".join(f"{value:.6g}" for value in values) for values in (scaling.mean, scaling.std))
        lines.append(f"ss.Normalize(mean=({mean}), std=({std}))")
    return "\n".join(lines)
