"""Clips: seedsafe, frame by frame, and torchvision v2.

Prints JSON: the processor's microseconds for a clip of 16 frames, 256 by 340 pixels, the median of the rounds, because draws differ. All
contenders alternate. torchvision gets contiguous tensors (T, C, H, W), and also draws once for a clip.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

import cv2
import numpy as np

import seedsafe as ss
from benchmarks.timing import medians

__all__ = ["measure", "torchvision"]

MEAN, STD = (0.45, 0.45, 0.45), (0.225, 0.225, 0.225)
CLIP = np.random.default_rng(0).integers(0, 256, (16, 256, 340, 3), np.uint8)


def ours() -> dict[str, ss.Compose]:
    """Return the pipelines by name."""
    model = [ss.HorizontalFlip(), ss.ToFloat(), ss.Normalize(MEAN, STD), ss.ToCHW()]
    return {
        "crop, flip": ss.Compose([ss.RandomCrop(224), ss.HorizontalFlip()]),
        "resized crop, flip, normalise": ss.Compose([ss.RandomResizedCrop(224), *model]),
        "the same with antialias": ss.Compose([ss.RandomResizedCrop(224, antialias=True), *model]),
        "crop, jitter": ss.Compose([ss.RandomCrop(224), ss.ColorJitter(0.4, 0.4, 0.4, 0.1)]),
    }


def torchvision() -> tuple[Any, Any] | None:
    """Return torch with one thread and torchvision's v2, or None if they are not installed."""
    try:
        torch: Any = import_module("torch")
        v2: Any = import_module("benchmarks.peers.torchvision").v2
    except ImportError:
        return None
    torch.set_num_threads(1)
    return torch, v2


def theirs() -> dict[str, Callable[[], Any]]:
    """Return torchvision's calls on a tensor, or none if it is not installed."""
    if (both := torchvision()) is None:
        return {}
    torch, v2 = both
    clip = torch.from_numpy(CLIP).permute(0, 3, 1, 2).contiguous()
    model = [
        v2.RandomHorizontalFlip(),
        v2.ToDtype(torch.float32, scale=True),
        v2.Normalize(MEAN, STD),
    ]
    chains = {
        "crop, flip": [v2.RandomCrop(224), v2.RandomHorizontalFlip()],
        "resized crop, flip, normalise": [v2.RandomResizedCrop(224, antialias=False), *model],
        "the same with antialias": [v2.RandomResizedCrop(224, antialias=True), *model],
        "crop, jitter": [v2.RandomCrop(224), v2.ColorJitter(0.4, 0.4, 0.4, 0.1)],
    }

    def call(chain: Any) -> Callable[[], Any]:
        return lambda: chain(clip).contiguous()

    return {name: call(v2.Compose(chain)) for name, chain in chains.items()}


def measure(rounds: int = 60) -> dict[str, dict[str, float]]:
    """Return microseconds for a clip, by pipeline and contender."""
    cv2.setNumThreads(0)
    peers, times = theirs(), {}
    for name, augment in ours().items():

        def at_once(number: int, augment: ss.Compose = augment) -> Any:
            return augment(video=CLIP, key=ss.SampleKey(42, 0, number))

        def each(number: int, augment: ss.Compose = augment) -> Any:
            return np.stack([augment(frame, key=ss.SampleKey(42, 0, number)) for frame in CLIP])

        contenders: dict[str, Callable[..., Any]] = {"seedsafe": at_once, "seedsafe, frame by frame": each}
        if name in peers:
            contenders["torchvision v2"] = lambda number, call=peers[name]: call()
        times[name] = {who: round(value, 1) for who, value in medians(contenders, rounds).items()}
    return times


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
