"""torchvision's Compose against ``convert=True``.

Prints JSON: ratios of the processor's time for passes of a DataLoader over JPEGs of 500 by 375 pixels, both with Pillow's smoothing.
Passes alternate, and the median of the ratios of neighbours counts. A pass with workers includes their start.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import torch
from torch.utils.data import DataLoader

from benchmarks.photographs import Photographs
from seedsafe_torch import AugmentedDataset, loader

__all__ = ["measure"]

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def pipelines() -> dict[str, Any]:
    """Return torchvision's pipelines by name."""
    from torchvision import transforms as v1

    crop, tail = v1.RandomResizedCrop(224), [v1.ToTensor(), v1.Normalize(MEAN, STD)]
    flip = v1.RandomHorizontalFlip()
    colours = v1.ColorJitter(0.4, 0.4, 0.4, 0.1)
    return {
        "crop, flip": v1.Compose([crop, flip, *tail]),
        "crop, flip, ColorJitter": v1.Compose([crop, flip, colours, *tail]),
        "crop, flip, ColorJitter in RandomApply, RandomGrayscale": v1.Compose(
            [crop, flip, v1.RandomApply([colours], p=0.8), v1.RandomGrayscale(0.2), *tail]
        ),
        "rotation, crop, flip": v1.Compose([v1.RandomRotation(15), crop, flip, *tail]),
        "Resize, CenterCrop": v1.Compose([v1.Resize(256), v1.CenterCrop(224), *tail]),
    }


def seconds(work: Callable[[], Any]) -> float:
    """Return the processor's seconds of this process, and of its children that ended."""
    before = os.times()
    work()
    return sum(os.times()[:4]) - sum(before[:4])


def measure(passes: int = 5, workers: tuple[int, ...] = (0, 2)) -> dict[str, list[float]]:
    """Return the ratios for each pipeline, torchvision's time ÷ ours, by the number of workers."""
    from torchvision.datasets import ImageFolder

    cv2.setNumThreads(0)
    torch.set_num_threads(1)
    medians: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "class").mkdir()
        for number, image in enumerate(Photographs(500, False, 256).images):
            pixels = cv2.cvtColor(image[:375], cv2.COLOR_RGB2BGR)
            cv2.imwrite(f"{folder}/class/{number}.jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, 90])
        for name, transform in pipelines().items():
            base = ImageFolder(folder, transform=transform)
            base.samples = base.imgs = base.samples * 3
            dataset = AugmentedDataset(base, seed=42, convert=True)
            medians[name] = []
            for count in workers:
                theirs, ours = (
                    lambda base=base, count=count: sum(
                        1 for _ in DataLoader(base, 32, shuffle=True, num_workers=count)
                    ),
                    lambda dataset=dataset, count=count: sum(
                        1 for _ in loader(dataset, batch_size=32, shuffle=True, num_workers=count)
                    ),
                )
                seconds(theirs), seconds(ours)
                ratios = [seconds(theirs) / seconds(ours) for _ in range(passes)]
                medians[name].append(round(statistics.median(ratios), 2))
            print(name, medians[name], file=sys.stderr, flush=True)
    return medians


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 5)))
