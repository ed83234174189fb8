"""What the compiled kernels do, beside torchvision and Pillow: the processor's time in user mode.

``python -m benchmarks.kernels [ROUNDS [CASE]]`` prints a table, of the cases with this text in their names. Each case has blocks of calls of all contenders, which take turns in one process,
with one thread. The processor's time in user mode leaves out the pages that the system gives to fresh arrays, which cost from 0.1 to 28 µs,
as the machine may have it; the wall clock is beside it. torchvision v2 gets tensors whose channels lie last in memory, its fastest form. It
needs torchvision, as the environment of `make test-bridge` has it.
"""

from __future__ import annotations

import itertools
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import cv2
import numpy as np
import torch
from PIL import Image
from torchvision import datasets
from torchvision import transforms as v1
from torchvision.transforms import v2

import seedsafe as ss
import seedsafe_torch
from benchmarks.clips import CLIP
from benchmarks.clips import ours as our_clips
from benchmarks.clips import theirs as their_clips
from seedsafe.reading import KeyedReader

__all__ = ["main"]

BLOCK = 0.06
"""The length of a block in seconds, many of the system's ticks."""

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)

Call = Callable[[int], Any]


def photo(rows: int, columns: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """Return an image with the edges and the noise of a photograph."""
    rng = np.random.default_rng(seed)
    few = rng.integers(0, 256, (rows // 12, columns // 12, 3)).astype(np.uint8)
    image = cv2.resize(few, (columns, rows), interpolation=cv2.INTER_CUBIC)
    return cv2.add(image, rng.integers(0, 9, image.shape).astype(np.uint8))


def last(image: np.ndarray[Any, Any]) -> torch.Tensor:
    """Return a tensor (C, H, W) whose channels lie last in memory."""
    return torch.from_numpy(image).permute(2, 0, 1)


def keyed(augment: ss.Compose, image: np.ndarray[Any, Any]) -> Call:
    """Return the call of a pipeline at the keys of an epoch."""
    return lambda number: augment(image, key=ss.SampleKey(42, 0, number))


class Listed(torch.utils.data.Dataset[Any]):
    """Images under a transform of torchvision v2."""

    def __init__(self, images: list[Any], transform: Any) -> None:
        self.images, self.transform = images, transform

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> Any:
        return self.transform(self.images[index])


def loaders() -> dict[str, Any]:
    """Return loaders of 256 images in memory, without workers."""
    images = [photo(256, 320, seed) for seed in range(256)]
    augment = ss.Compose([ss.RandomCrop(224), ss.HorizontalFlip(), ss.Normalize(MEAN, STD), ss.ToCHW()])
    theirs = v2.Compose(
        [
            v2.RandomCrop(224),
            v2.RandomHorizontalFlip(),
            v2.ToDtype(torch.float32, scale=True),
            v2.Normalize(MEAN, STD),
        ]
    )
    dataset = seedsafe_torch.AugmentedDataset(images, augment, seed=1)
    options: dict[str, Any] = {"batch_size": 64, "shuffle": True, "drop_last": True}
    return {
        "seedsafe": seedsafe_torch.loader(dataset, **options),
        "seedsafe, in_place=False": seedsafe_torch.loader(dataset, in_place=False, **options),
        "torchvision v2": torch.utils.data.DataLoader(
            Listed([last(image) for image in images], theirs), **options
        ),
    }


def batches(loading: Any) -> Call:
    """Return a call that gives the next batch of a loader, pass after pass."""
    batch = itertools.chain.from_iterable(itertools.repeat(loading))
    return lambda _: next(batch)


def cases(folder: Path) -> Iterator[tuple[str, float | None, dict[str, Call]]]:
    """Yield the name of each case, the goal for the first of the others, and the calls, ours first."""
    for rows, columns, torchs in ((300, 260, 1.3), (512, 512, 1.0)):
        image = photo(rows, columns)
        picture, tensor = Image.fromarray(image), last(image)[None]
        yield f"resize {rows} × {columns} → 224²", torchs, {
            "seedsafe": keyed(ss.Compose([ss.Resize((224, 224), antialias=True)]), image),
            "torch": lambda _, tensor=tensor: torch.nn.functional.interpolate(
                tensor, (224, 224), mode="bilinear", antialias=True
            ),
            "Pillow": lambda _, picture=picture: picture.resize((224, 224), Image.Resampling.BILINEAR),
        }  # fmt: skip
    image = photo(375, 500)
    picture, tensor = Image.fromarray(image), last(image)
    ours = ss.Compose(
        [
            ss.RandomResizedCrop(224, antialias=True),
            ss.HorizontalFlip(),
            ss.Normalize(MEAN, STD),
            ss.ToCHW(),
        ]
    )
    on_tensors = v2.Compose(
        [
            v2.RandomResizedCrop(224, antialias=True),
            v2.RandomHorizontalFlip(),
            v2.ToDtype(torch.float32, scale=True),
            v2.Normalize(MEAN, STD),
        ]
    )
    on_pictures = v1.Compose(
        [v1.RandomResizedCrop(224), v1.RandomHorizontalFlip(), v1.ToTensor(), v1.Normalize(MEAN, STD)]
    )
    yield "resized crop, flip, normalise, from memory", 3.5, {
        "seedsafe": keyed(ours, image),
        "torchvision v2": lambda _: on_tensors(tensor).contiguous(),
        "torchvision on PIL": lambda _: on_pictures(picture),
    }  # fmt: skip
    base = ss.ImageFolder(folder)
    reader, count = KeyedReader(base, ours, seed=1), len(base)
    theirs = datasets.ImageFolder(folder, on_pictures)
    converted = seedsafe_torch.AugmentedDataset(theirs, seed=1, convert=True)
    yield "the same from a JPEG of 500 × 375", 1.8, {
        "seedsafe": lambda number: reader.sample(ss.SampleIndex(number % count, epoch=number // count)),
        "cv2 and torchvision v2": lambda number: on_tensors(last(base[number % count][0])).contiguous(),
        "cv2 and seedsafe": lambda number: ours(base[number % count][0], key=ss.SampleKey(42, 0, number)),
        "torchvision on PIL": lambda number: theirs[number % count],
        "torchvision with convert=True": lambda number: converted.at(number % count, epoch=number // count),
    }  # fmt: skip
    yield "batch of 64 by a DataLoader: crop, flip, normalise", None, {
        name: batches(loading) for name, loading in loaders().items()
    }  # fmt: skip
    clips = their_clips()
    for name, augment in our_clips().items():
        yield f"clip of 16: {name}", 1.5, {
            "seedsafe": lambda number, augment=augment: augment(video=CLIP, key=ss.SampleKey(42, 0, number)),
            "torchvision v2": lambda _, call=clips[name]: call(),
        }  # fmt: skip
    image = photo(256, 256)
    picture = Image.fromarray(image)
    for transform, goal in (
        (v1.RandAugment(), 1.5),
        (v1.TrivialAugmentWide(), 1.5),
        (v1.AugMix(), 1.5),
        (v1.RandomRotation(30), 1.0),
        (v1.RandomAffine(30, (0.1, 0.1), (0.8, 1.2), 10), 1.0),
    ):
        pipeline = seedsafe_torch.convert(transform)
        yield f"{type(transform).__name__}, 256²", goal, {
            "seedsafe": keyed(pipeline, image),
            "torchvision on PIL": lambda _, transform=transform: np.asarray(transform(picture)),
        }  # fmt: skip


def _seconds() -> tuple[float, float]:
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime, time.perf_counter()


def measured(calls: dict[str, Call], rounds: int) -> dict[str, tuple[float, float]]:
    """Return microseconds of user time and of the wall clock for a call of each contender, the median of the rounds."""
    counts = {}
    for name, call in calls.items():
        call(0)
        start = time.perf_counter()
        for number in range(3):
            call(number)
        counts[name] = max(int(BLOCK * 3 / (time.perf_counter() - start)), 3)
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    order, number = list(calls), 0
    for _ in range(rounds):
        random.Random(number).shuffle(order)
        for name in order:
            call, count = calls[name], counts[name]
            user, wall = _seconds()
            for at in range(number, number + count):
                call(at)
            user, wall = (after - before for after, before in zip(_seconds(), (user, wall), strict=True))
            times[name].append((user / count * 1e6, wall / count * 1e6))
        number += 1000
    return {name: (median(u for u, _ in each), median(w for _, w in each)) for name, each in times.items()}


def main() -> None:
    """Print a table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    torch.set_num_threads(1)
    cv2.setNumThreads(0)
    if reason := ss.kernels.why_not():
        print(reason)
    print(
        "| case | contender | user µs | wall µs | times, user | times, wall | goal |\n|---|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "photos").mkdir()
        for number in range(32):
            data = cv2.imencode(".jpg", photo(375, 500, number), [cv2.IMWRITE_JPEG_QUALITY, 85])[1]
            (folder / "photos" / f"{number:02}.jpg").write_bytes(data.tobytes())
        for case, goal, calls in cases(folder):
            if len(sys.argv) > 2 and sys.argv[2] not in case:
                continue
            rows = measured(calls, rounds)
            own_user, own_wall = rows["seedsafe"]
            for contender, (user, wall) in rows.items():
                times = (
                    f"{user / own_user:.2f} | {wall / own_wall:.2f}" if contender != "seedsafe" else "– | –"
                )
                end = "" if contender == "seedsafe" or goal is None else f"{goal}"
                print(f"| {case} | {contender} | {user:.0f} | {wall:.0f} | {times} | {end} |", flush=True)
                case, goal = "", goal if contender == "seedsafe" else None


if __name__ == "__main__":
    main()
