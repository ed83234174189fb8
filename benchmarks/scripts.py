"""Well-known training scripts as they are, against ``convert=True``.

Prints JSON: the ratios of the processor's time for passes over JPEGs of 500 by 375 pixels, each script with its own transforms at its
own sizes, read without workers. Passes alternate, and the median of the ratios of neighbours counts. `in memory` are the same scripts
over decoded pictures.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import cv2
import torch

import tests.bridge.operators  # noqa: F401  # it declares what torchvision misses
from benchmarks.photographs import Photographs
from seedsafe_torch import AugmentedDataset
from tests.bridge import preset_scripts, view_scripts

__all__ = ["measure"]

SCRIPTS = {**preset_scripts.SCRIPTS, **view_scripts.SCRIPTS}


def seconds(dataset: Any) -> float:
    """Return the processor's seconds of a pass."""
    before = time.process_time()
    for index in range(len(dataset)):
        dataset[index]
    return time.process_time() - before


def ratio(base: Any, passes: int) -> float:
    """Return a dataset's time as it is, divided by its time with convert=True."""
    dataset = AugmentedDataset(base, seed=42, convert=True)
    dataset.set_epoch(0)
    seconds(base), seconds(dataset)
    return round(statistics.median([seconds(base) / seconds(dataset) for _ in range(passes)]), 2)


def measure(passes: int = 7, names: tuple[str, ...] = ()) -> dict[str, dict[str, float]]:
    """Return the ratios of each script, torchvision's time ÷ ours, from JPEGs and from memory, with their geometric means."""
    from PIL import Image

    cv2.setNumThreads(0)
    torch.set_num_threads(1)
    found: dict[str, dict[str, float]] = {"JPEG": {}, "in memory": {}}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "class").mkdir()
        for number, image in enumerate(Photographs(500, False, 48).images):
            pixels = cv2.cvtColor(image[:375], cv2.COLOR_RGB2BGR)
            cv2.imwrite(f"{folder}/class/{number}.jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, 90])
        for name in names or SCRIPTS:
            base = SCRIPTS[name](folder, 224)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if hasattr(base, "loader"):
                    found["JPEG"][name] = ratio(base, passes)
                    pictures = {path: Image.open(path).convert("RGB") for path, _ in base.samples}
                    base.loader = pictures.get
                found["in memory"][name] = ratio(base, passes)
            print(name, found["JPEG"].get(name, ""), found["in memory"][name], file=sys.stderr, flush=True)
    for ratios in found.values():
        ratios["geometric mean"] = round(math.exp(statistics.mean(map(math.log, ratios.values()))), 2)
    return found


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 7, tuple(sys.argv[2:])), indent=1))
