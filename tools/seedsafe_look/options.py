"""The options of the commands, importing little."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from seedsafe.ground.commands import add_removed

__all__ = ["FORMATS", "demo", "explain", "numbers", "preview", "run", "sides"]


FORMATS = (".html", ".png", ".jpg", ".jpeg", ".webp")
"""The endings of the files that `preview` writes."""


class _WrongError(argparse.ArgumentTypeError, ValueError):
    """A ValueError whose text argparse shows."""


def _add_pipeline(parser: argparse.ArgumentParser) -> None:
    """Add the argument PIPELINE, and the option ``--class``, which may come several times."""
    words = "a .json or .yaml file, or MODULE:NAME of a pipeline or a dataset"
    parser.add_argument("pipeline", metavar="PIPELINE", help=words)
    words = "a transform of your own that a file names"
    parser.add_argument(
        "--class", dest="classes", action="append", default=[], metavar="MODULE:NAME", help=words
    )
    parser.add_argument("--seed", type=int, metavar="N", help="of the run (default: a dataset's own, else 0)")


def _count(low: int, high: int) -> Callable[[str], int]:
    """Return a function for ``type=`` that takes a whole number in [low, high]."""

    def convert(text: str) -> int:
        if not text.isdecimal() or not low <= int(text) <= high:
            raise _WrongError(f"must be from {low} to {high}, got {text!r}")
        return int(text)

    return convert


def numbers(text: str, most: int = 2**32) -> list[int]:
    """Return the integers that a text lists, such as ``0-3`` or ``0,5,9-12``.

    Raises:
        ValueError: the text has the wrong form, or lists none.

    Example:
        >>> numbers("0-2,7")
        [0, 1, 2, 7]
    """
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        try:
            low, high = int(first), int(last) if dash else int(first)
        except ValueError:
            raise _WrongError(f"must be numbers such as 0-3 or 0,5,9-12, got {text!r}") from None
        if not low <= high < most or high - low > 10_000:
            raise _WrongError(f"must be ascending, below {most} and at most 10,001 numbers, got {part!r}")
        found += range(low, high + 1)
    return found


def sides(text: str) -> tuple[int, ...]:
    """Return the shape in a text: ``480x640``, ``480x640x3``, ``60x480x640x3`` for a video, or ``16000`` for audio.

    Raises:
        ValueError: the text has the wrong form.

    Example:
        >>> sides("480x640"), sides("16000")
        ((480, 640), (16000,))
    """
    parts = text.lower().replace("×", "x").split("x")
    shape = tuple(int(part) if part.strip().isdecimal() else 0 for part in parts)
    if not 1 <= len(shape) <= 4 or min(shape) < 1:
        raise _WrongError(f"must be HEIGHTxWIDTH in pixels, such as 480x640, got {text!r}")
    return shape


def run(tool: str, work: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    """Do a tool's work, and return its exit code: 2, after one line, for an error of the caller."""
    try:
        return work(options)
    except BrokenPipeError:
        raise
    except (ValueError, TypeError, ImportError, OSError, LookupError, RuntimeError) as error:
        # the str() of a KeyError is in quotes
        reason = error.args[0] if isinstance(error, KeyError) and error.args else error
        # The system's own words have no way out.
        way_out = ": pass another path" if getattr(error, "errno", None) else ""
        print(f"seedsafe {tool}: {reason}{way_out}", file=sys.stderr)
        return 2


def demo() -> argparse.ArgumentParser:
    """Return the parser of the arguments of ``seedsafe demo``."""
    result = argparse.ArgumentParser(
        prog="seedsafe demo",
        description="Show on this machine that worker processes repeat each other's crops, and that keyed ones do not.",
    )
    result.add_argument(
        "--workers", type=_count(2, 16), default=4, metavar="N", help="processes (default: 4)"
    )
    words = "crop this image as both do, and write the crops to --output"
    result.add_argument("--image", metavar="FILE", help=words)
    words = f"one of {', '.join(FORMATS[1:])} (default: demo.png)"
    result.add_argument("--output", "-o", metavar="FILE", help=words)
    result.add_argument("--json", action="store_true", help="print JSON")
    return result


def explain() -> argparse.ArgumentParser:
    """Return the parser of the arguments of ``seedsafe explain``."""
    result = argparse.ArgumentParser(
        prog="seedsafe explain",
        description="Show what a pipeline did to one sample, without rerunning training or loading the image.",
    )
    _add_pipeline(result)
    result.add_argument("--epoch", type=int, default=0, metavar="N", help="default: 0")
    result.add_argument("--index", type=int, default=0, metavar="N", help="of the sample (default: 0)")
    result.add_argument("--view", type=int, default=0, metavar="N", help="default: 0")
    result.add_argument("--occurrence", type=int, default=0, metavar="N", help="default: 0")
    shape = result.add_mutually_exclusive_group()
    words = "of the sample's image, of its video (TxHxWxC), or the length of its audio"
    shape.add_argument("--size", type=sides, metavar="HxW", help=words)
    shape.add_argument("--image", metavar="FILE", help="the sample's image, for its size")
    add_removed(result, "--dtype", "leave it out, no draw depends on it")
    result.add_argument("--boxes", metavar="JSON", help="the sample's boxes, such as [[0,10,64,48]]")
    result.add_argument("--json", action="store_true", help="print JSON")
    return result


def preview() -> argparse.ArgumentParser:
    """Return the parser of the arguments of ``seedsafe preview``."""
    result = argparse.ArgumentParser(
        prog="seedsafe preview",
        description="Draw what a pipeline makes of your images: a row for each sample, a column for each epoch or view.",
    )
    _add_pipeline(result)
    few = _count(1, 10_000)
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
    add_removed(result, "--no-progress", "leave it out, nothing is shown")
    return result
