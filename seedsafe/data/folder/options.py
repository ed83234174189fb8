"""The options of ``seedsafe index``."""

from __future__ import annotations

import argparse

from seedsafe.ground.removed import add_removed

__all__ = ["parser"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    result = argparse.ArgumentParser(prog="seedsafe index", description="Index a folder of images.")
    result.add_argument("path", help="the folder; each folder in it is a class")
    result.add_argument("--flat", action="store_true", help="all files below the path, without classes")
    result.add_argument("--cache", help="file to keep the index in, outside the folder")
    result.add_argument("--keep", action="store_true", help="keep the index in PATH.seedsafe-index")
    result.add_argument("--json", action="store_true", help="print JSON")
    result.add_argument("--no-progress", action="store_true", help="show no counter")
    add_removed(result, "--threads", "leave it out, one thread reads as fast as two")
    return result
