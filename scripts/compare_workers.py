"""Check whether a library draws the same for a sample with 0, 2 and 4 workers: python scripts/compare_workers.py LIBRARY.

The figures of docs/explanation/comparison.md come from it. A sample's draws are read off its pixels: images are of one
number each, all different, and are cropped and made noisy as the library offers it. One seed is given, in the way that the
library's documentation shows; libraries need not be installed but for their own row.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

COUNT, SIDE, CROP, EPOCHS = 24, 64, 48, 2
WORKERS = (0, 2, 4)
IMAGES = np.random.default_rng(1).integers(0, 256, (COUNT, SIDE, SIDE, 3), np.uint8)

Crops = list[dict[int, str]]
"""For each epoch: the hash of what became of each sample."""


def digest(array: Any) -> str:
    """Return a hash of an array's bytes."""
    return hashlib.blake2b(np.ascontiguousarray(array).tobytes(), digest_size=8).hexdigest()


class Images:
    """The samples as a map-style dataset: (what becomes of an image, its position)."""

    def __init__(self, transform: Callable[[Any], Any]) -> None:
        self.transform = transform

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, index: int) -> tuple[Any, int]:
        return np.asarray(self.transform(IMAGES[index])), index


def with_torch(transform: Callable[[Any], Any], workers: int) -> Crops:
    """Return what torch's own DataLoader delivers, shuffled, after torch.manual_seed(0)."""
    import torch
    from torch.utils.data import DataLoader

    torch.manual_seed(0)
    loading: Any = DataLoader(
        Images(transform), 4, shuffle=True, num_workers=workers, generator=torch.Generator().manual_seed(0)
    )
    return [
        {int(i): digest(one) for batch, many in loading for one, i in zip(batch, many, strict=True)}
        for _ in range(EPOCHS)
    ]


def by_hand(workers: int) -> Crops:
    """Return crops at corners of NumPy's global generator, which torch seeds in each worker."""

    def crop(image: Any) -> Any:
        top, left = np.random.randint(0, SIDE - CROP + 1, 2)
        return image[top : top + CROP, left : left + CROP]

    np.random.seed(0)
    return with_torch(crop, workers)


def stored(workers: int) -> Crops:
    """Return crops at corners of a generator that the dataset keeps."""
    rng = np.random.default_rng(0)

    def crop(image: Any) -> Any:
        top, left = rng.integers(0, SIDE - CROP + 1, 2)
        return image[top : top + CROP, left : left + CROP]

    return with_torch(crop, workers)


def torchvision(workers: int) -> Crops:
    """Return RandomCrop of transforms v2."""
    import torch

    library = torch.library.Library("torchvision", "DEF")  # what its build for CUDA leaves undeclared without
    for name in ("nms", "qnms"):
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    from torchvision.transforms import v2

    crop = v2.RandomCrop(CROP)
    return with_torch(lambda image: crop(torch.from_numpy(image).permute(2, 0, 1)).numpy(), workers)


def albumentations(workers: int) -> Crops:
    """Return RandomCrop of whichever albumentations is installed, with Compose(seed=)."""
    import albumentations as A  # noqa: N812

    crop = A.Compose([A.RandomCrop(CROP, CROP)], seed=0)
    return with_torch(lambda image: crop(image=image)["image"], workers)


def grain(workers: int) -> Crops:
    """Return what MapDataset.random_map delivers."""
    import grain

    def crop(index: int, rng: Any) -> Any:
        top, left = rng.integers(0, SIDE - CROP + 1, 2)
        return IMAGES[index][top : top + CROP, left : left + CROP].copy(), index

    chain = grain.MapDataset.range(COUNT).seed(0).shuffle().random_map(crop).repeat(EPOCHS)
    reading = chain.to_iter_dataset(grain.ReadOptions(num_threads=1))
    if workers:
        reading = reading.mp_prefetch(grain.MultiprocessingOptions(num_workers=workers))
    served = [(int(index), digest(image)) for image, index in reading]
    return [dict(served[epoch * COUNT : (epoch + 1) * COUNT]) for epoch in range(EPOCHS)]


def keras(workers: int) -> Crops:
    """Return the layer RandomCrop in a map of tf.data with so many parallel calls."""
    import tensorflow as tf
    from keras import layers, utils

    utils.set_random_seed(0)
    crop = layers.RandomCrop(CROP, CROP, seed=0)
    chain = tf.data.Dataset.range(COUNT).map(
        lambda index: (crop(tf.gather(tf.constant(IMAGES), index), training=True), index),
        num_parallel_calls=workers or None,
        deterministic=True,
    )
    return [{int(index): digest(image) for image, index in chain} for _ in range(EPOCHS)]


def seedsafe(workers: int) -> Crops:
    """Return RandomCrop of this library, in its loader."""
    import seedsafe as ss
    from seedsafe_torch import AugmentedDataset, loader

    dataset = AugmentedDataset(Images(lambda image: image), ss.RandomCrop(CROP), seed=0)
    loading = loader(dataset, batch_size=4, shuffle=True, num_workers=workers)
    return [
        {int(i): digest(one) for batch, many in loading for one, i in zip(batch, many, strict=True)}
        for _ in range(EPOCHS)
    ]


LIBRARIES = {
    one.__name__: one for one in (seedsafe, albumentations, torchvision, grain, keras, by_hand, stored)
}


def main() -> None:
    """Print how many samples are cropped as without workers, and as in the epoch before."""
    name = sys.argv[1] if len(sys.argv) == 2 else ""
    if name not in LIBRARIES:
        sys.exit(f"usage: compare_workers.py {'|'.join(LIBRARIES)}")
    first = LIBRARIES[name](0)
    for workers in WORKERS:
        crops = first if not workers else LIBRARIES[name](workers)
        same = sum(crops[e][i] == first[e][i] for e in range(EPOCHS) for i in range(COUNT))
        again = sum(crops[0][i] == crops[1][i] for i in range(COUNT))
        print(
            f"{workers} workers: {same} of {EPOCHS * COUNT} samples as without workers, {again} of {COUNT} as in epoch 0"
        )


if __name__ == "__main__":
    main()
