"""Measures the contenders in one environment.

They are seedsafe, a copy of the output bytes, and the peers that are installed there. ``python -m benchmarks`` runs this module with each
environment's interpreter. It writes one JSON file.
"""

from __future__ import annotations

import argparse
import json
import platform
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch

from benchmarks.peers import ours
from benchmarks.same_work import check, with_copy
from benchmarks.scene import AUDIO, Scene
from benchmarks.timing import Call, minima

__all__ = ["main"]

SIZES = (32, 256, 512)
COPY, OURS = "copy", "seedsafe"


def main() -> None:
    """Measure, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peers", nargs="+", help="modules of benchmarks.peers")
    parser.add_argument("--distributions", nargs="+", help="distributions, for their versions")
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=80)
    parser.add_argument("--only", default="", help="measure only the cases whose name contains this")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # the peers' deprecations
    cv2.setNumThreads(0)
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    peers = [import_module(f"benchmarks.peers.{name}") for name in options.peers]
    images = ours.calls(Scene.of(32), "uint8")
    cases = [(size, case) for size in options.sizes for case in images] + [(0, case) for case in AUDIO]
    rows: list[dict[str, Any]] = []
    versions = {name: version(name) for name in options.distributions} | {"Python": platform.python_version()}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    for size, case in cases:
        if options.only in case:
            rows += _rows(peers, size, case, options.rounds)
            options.out.write_text(json.dumps({"versions": versions, "rows": rows}, indent=1))


def _rows(peers: list[Any], size: int, case: str, rounds: int) -> Iterator[dict[str, Any]]:
    """Yield the measurements of one case at one size, a row for each dtype, so that only equals are compared."""
    scene, theirs = _contenders(tuple(peers), size or 32)
    for dtype in ("uint8", "float32"):
        calls = {p.NAME: theirs[p][case] for p in peers if case in theirs[p] and _dtype(p, case) == dtype}
        if not calls:
            continue
        calls = {OURS: _ours(size, dtype)[case]} | calls
        copied = []
        for name in calls:
            calls[name], added = with_copy(calls[name], scene)
            copied += [name] if added else []
            try:
                check(case, calls[name], scene, dtype)
            except AssertionError as error:
                raise AssertionError(f"{name} does not do the work of {case} at {size}: {error}") from None
        result = calls[OURS]()
        calls[COPY] = lambda result=result: np.array(result)
        yield {
            "size": size,
            "case": case,
            "microseconds": minima(calls, rounds),
            "copied": copied,
            "converted": dtype != _dtype(ours, case),
        }


@cache
def _contenders(peers: tuple[Any, ...], size: int) -> tuple[Scene, dict[Any, Any]]:
    """Return the scene of a size, and the peers' calls on it."""
    scene = Scene.of(size)
    return scene, {peer: peer.calls(scene) for peer in peers}


@cache
def _ours(size: int, dtype: str) -> dict[str, Call]:
    """Return our calls for images of a size, or for sounds."""
    return ours.calls(Scene.of(size), dtype) if size else ours.sounds(Scene.of(32))


def _dtype(peer: Any, case: str) -> str:
    return "float32" if case in ("GaussianNoise float32", *AUDIO) else str(peer.DTYPE)


if __name__ == "__main__":
    main()
