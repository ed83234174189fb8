"""The options of ``seedsafe explain``, importing little."""

from __future__ import annotations

import argparse

from seedsafe_look.arguments import add_pipeline, sides

__all__ = ["parser"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    result = argparse.ArgumentParser(
        prog="seedsafe explain",
        description="Tell what a pipeline did to one sample of a run, without the run and without its pixels.",
    )
    add_pipeline(result)
    result.add_argument("--epoch", type=int, default=0, metavar="N", help="default: 0")
    result.add_argument("--index", type=int, default=0, metavar="N", help="of the sample (default: 0)")
    result.add_argument("--view", type=int, default=0, metavar="N", help="default: 0")
    result.add_argument("--occurrence", type=int, default=0, metavar="N", help="default: 0")
    shape = result.add_mutually_exclusive_group()
    words = "of the sample's image, of its video (TxHxWxC), or the length of its audio"
    shape.add_argument("--size", type=sides, metavar="HxW", help=words)
    shape.add_argument("--image", metavar="FILE", help="the sample's image, for its size")
    result.add_argument("--dtype", default="uint8", help="of the sample's image or audio (default: uint8)")
    result.add_argument("--boxes", metavar="JSON", help="the sample's boxes, such as [[0,10,64,48]]")
    result.add_argument("--json", action="store_true", help="print JSON")
    return result
