"""The options of ``seedsafe index`` and ``stats``."""

from __future__ import annotations

import argparse

from seedsafe.ground.commands import add_removed

__all__ = ["index", "stats"]


def index() -> argparse.ArgumentParser:
    """Return the parser of the arguments of ``seedsafe index``."""
    result = argparse.ArgumentParser(prog="seedsafe index", description="Index a folder of images.")
    result.add_argument("path", help="the folder; each folder in it is a class")
    result.add_argument("--flat", action="store_true", help="all files below the path, without classes")
    result.add_argument("--cache", help="file to keep the index in, outside the folder")
    result.add_argument("--json", action="store_true", help="print JSON")
    add_removed(result, "--keep", "pass --cache PATH.seedsafe-index")
    add_removed(result, "--no-progress", "leave it out, nothing is shown")
    add_removed(result, "--threads", "leave it out, one thread reads as fast as two")
    return result


def stats() -> argparse.ArgumentParser:
    """Return the parser of the arguments of ``seedsafe stats``."""
    result = argparse.ArgumentParser(
        prog="seedsafe stats", description="Exact channel statistics of a folder's images."
    )
    result.add_argument("path", nargs="?", help="the folder; folders in it are read as well")
    result.add_argument("--workers", type=int, default=0, help="worker processes (default: 0, none)")
    result.add_argument(
        "--json",
        metavar="FILE",
        nargs="?",
        const="-",
        help="print all results as JSON, for ChannelStats.from_json, or write them into FILE besides",
    )
    parts = "compute parts of the folder one by one, and merge them: a | b of two ChannelStats"
    add_removed(result, "--resume", parts)
    as_stored = "give ImageFolder(path, loader=seedsafe.data.folder.read_image_as_stored) to channel_stats"
    add_removed(result, "--as-stored", as_stored)
    add_removed(result, "--strict", "leave it out, 8-bit RGB has no NaN")
    add_removed(result, "--no-progress", "leave it out, nothing is shown")
    add_removed(result, "--histogram", "leave it out, or add up numpy.bincount(image.ravel(), minlength=256)")
    return result
