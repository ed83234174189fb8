"""Pipelines over clips of 16 frames, 256 by 340 pixels: against torchvision v2 on tensors, and against frame by frame. Prints JSON.

Microseconds of the processor for a clip: the median of the rounds, in which all contenders alternate, since draws differ. torchvision gets
(T, C, H, W), contiguous, and draws once for the clip as well.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import cv2
import numpy as np

import seedsafe as ss

__all__ = ["measure"]

MEAN, STD = (0.45, 0.45, 0.45), (0.225, 0.225, 0.225)
CLIP = np.random.default_rng(0).integers(0, 256, (16, 256, 340, 3), np.uint8)


def ours() -> dict[str, ss.Compose]:
    """Return the pipelines by what they do."""
    model = [ss.HorizontalFlip(), ss.ToFloat(), ss.Normalize(MEAN, STD), ss.ToCHW()]
    return {
        "crop, flip": ss.Compose([ss.RandomCrop(224), ss.HorizontalFlip()]),
        "resized crop, flip, normalise": ss.Compose([ss.RandomResizedCrop(224), *model]),
        "the same with antialias": ss.Compose([ss.RandomResizedCrop(224, antialias=True), *model]),
        "crop, jitter": ss.Compose([ss.RandomCrop(224), ss.ColorJitter(0.4, 0.4, 0.4, 0.1)]),
    }


def theirs() -> dict[str, Callable[[], Any]]:
    """Return the same of torchvision, on a tensor; nothing where it is not installed."""
    try:
        torch: Any = import_module("torch")
        v2: Any = import_module("benchmarks.peers.torchvision").v2
    except ImportError:
        return {}
    torch.set_num_threads(1)
    clip = torch.from_numpy(CLIP).permute(0, 3, 1, 2).contiguous()
    model = [
        v2.RandomHorizontalFlip(),
        v2.ToDtype(torch.float32, scale=True),
        v2.Normalize(MEAN, STD),
    ]
    made = {
        "crop, flip": [v2.RandomCrop(224), v2.RandomHorizontalFlip()],
        "resized crop, flip, normalise": [v2.RandomResizedCrop(224, antialias=False), *model],
        "the same with antialias": [v2.RandomResizedCrop(224, antialias=True), *model],
        "crop, jitter": [v2.RandomCrop(224), v2.ColorJitter(0.4, 0.4, 0.4, 0.1)],
    }

    def call(chain: Any) -> Callable[[], Any]:
        return lambda: chain(clip).contiguous()

    return {name: call(v2.Compose(some)) for name, some in made.items()}


def measure(rounds: int = 60) -> dict[str, dict[str, float]]:
    """Return microseconds for a clip, by pipeline and contender."""
    cv2.setNumThreads(0)
    peers, found = theirs(), {}
    for name, augment in ours().items():

        def at_once(key: ss.SampleKey, augment: ss.Compose = augment) -> Any:
            return augment(video=CLIP, key=key)

        def each(key: ss.SampleKey, augment: ss.Compose = augment) -> Any:
            return np.stack([augment(frame, key=key) for frame in CLIP])

        contenders: dict[str, Callable[..., Any]] = {"seedsafe": at_once, "seedsafe, frame by frame": each}
        if name in peers:
            contenders["torchvision v2"] = lambda key, call=peers[name]: call()
        spent: dict[str, list[float]] = {contender: [] for contender in contenders}
        for number in range(rounds):
            key = ss.SampleKey(42, 0, number)
            for contender, call in contenders.items():
                start = time.process_time()
                call(key)
                spent[contender].append((time.process_time() - start) * 1e6)
        found[name] = {contender: round(float(np.median(times)), 1) for contender, times in spent.items()}
    return found


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
