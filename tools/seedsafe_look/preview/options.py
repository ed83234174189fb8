"""The options of ``seedsafe preview``, importing little."""

from __future__ import annotations

import argparse

from seedsafe_look.arguments import add_pipeline, count, numbers

__all__ = ["FORMATS", "parser"]

FORMATS = (".html", ".png", ".jpg", ".jpeg", ".webp")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    result = argparse.ArgumentParser(
        prog="seedsafe preview",
        description="Draw what a pipeline makes of your images: a row for each sample, a column for each epoch or view.",
    )
    add_pipeline(result)
    few = count(1, 10_000)
    result.add_argument("--images", metavar="DIR", help="a folder of images; a dataset has its own")
    result.add_argument("--masks", metavar="DIR", help="masks, with the names of the images and any ending")
    words = 'boxes and keypoints: JSON of COCO, or {"file name": {"boxes": …, "keypoints": …}}'
    result.add_argument("--annotations", metavar="FILE", help=words)
    words = "default: preview.html"
    result.add_argument("--output", "-o", metavar="FILE", default="preview.html", help=words)
    result.add_argument("--epochs", type=numbers, default=[0, 1, 2], metavar="N-N", help="default: 0-2")
    result.add_argument("--views", type=few, metavar="N", help="columns are N views of the first epoch")
    rows = result.add_mutually_exclusive_group()
    rows.add_argument("--samples", type=few, default=4, metavar="N", help="the first N (default: 4)")
    rows.add_argument("--indices", type=numbers, metavar="N,N-N", help="these samples")
    words = "longest side of an image (default: 224)"
    result.add_argument("--cell", type=few, default=224, metavar="N", help=words)
    result.add_argument("--json", action="store_true", help="print the drawn parameters as JSON")
    result.add_argument("--no-progress", action="store_true", help="show no progress bar")
    return result
