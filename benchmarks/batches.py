"""Batches of small images, alone and in loaders.

``python -m benchmarks.batches`` prints figures of the processor's time as JSON, for the libraries that are installed, and ``python -m
benchmarks.batches --page NOTE FILE…`` writes them into docs/reference/speed.md. The loaders run CIFAR-10's chain: a crop of 32 from an
image padded by 4, a flip, normalization, and channels first.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np

__all__ = ["main", "section"]

COUNT, BATCH, ROUNDS = 8192, 256, 7
MEAN, STD = (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)
IMAGES = np.random.default_rng(0).integers(0, 256, (COUNT, 32, 32, 3), np.uint8)
LABELS = np.random.default_rng(1).integers(0, 10, COUNT).tolist()
Pass = Callable[[], Iterator[Any]]


class Cifar:
    """Pairs of an image and a label."""

    def __init__(self, transform: Callable[[Any], Any] = lambda image: image) -> None:
        self.transform = transform

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, index: int) -> tuple[Any, int]:
        return self.transform(IMAGES[index]), LABELS[index]


def _chain(size: int) -> list[Any]:
    import seedsafe as ss

    return [
        ss.RandomCrop(size, padding=size // 8),
        ss.HorizontalFlip(),
        ss.Normalize(MEAN, STD),
        ss.ToCHW(),
    ]


def _seedsafe() -> dict[str, Pass]:
    import seedsafe as ss
    from seedsafe_torch import AugmentedDataset, loader

    passes: dict[str, Pass] = {}
    for name in ("seedsafe", "seedsafe, one by one"):
        dataset = AugmentedDataset(Cifar(), ss.Compose(_chain(32)), seed=42)
        if name != "seedsafe":
            dataset.reader.group_reader = None
        passes[name] = loader(dataset, batch_size=BATCH, shuffle=True).__iter__
    return passes


def _torchvision() -> dict[str, Pass]:
    import torch
    from torch.utils.data import DataLoader

    v2: Any = import_module("benchmarks.peers.torchvision").v2
    chain = v2.Compose(
        [
            v2.RandomCrop(32, padding=4),
            v2.RandomHorizontalFlip(),
            v2.ToDtype(torch.float32, scale=True),
            v2.Normalize(MEAN, STD),
        ]
    )
    pictures = torch.from_numpy(IMAGES).permute(0, 3, 1, 2).contiguous()
    labels = torch.tensor(LABELS)

    def of_batches() -> Iterator[Any]:
        for part in torch.randperm(COUNT).split(BATCH):
            yield chain(pictures[part]), labels[part]

    def one(image: Any) -> Any:
        return chain(torch.from_numpy(image).permute(2, 0, 1))

    return {
        "torchvision v2": DataLoader(Cifar(one), batch_size=BATCH, shuffle=True).__iter__,
        "torchvision v2, one draw for a batch": of_batches,
    }


def _kornia() -> dict[str, Pass]:
    import torch
    from torch.utils.data import DataLoader

    kornia: Any = import_module("kornia.augmentation")
    chain = torch.nn.Sequential(
        kornia.RandomCrop((32, 32), padding=4),
        kornia.RandomHorizontalFlip(),
        kornia.Normalize(torch.tensor(MEAN), torch.tensor(STD)),
    )

    def batches() -> Iterator[Any]:
        loading = DataLoader(Cifar(), batch_size=BATCH, shuffle=True)
        for images, labels in loading:
            yield chain(images.permute(0, 3, 1, 2).float() / 255), labels

    return {"kornia, on batches": batches}


def _tensorflow() -> dict[str, Pass]:
    tf: Any = import_module("tensorflow")
    keras: Any = import_module("keras")
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    labels = np.array(LABELS)

    def changed(image: Any, label: Any) -> Any:
        image = tf.image.random_crop(tf.pad(image, [[4, 4], [4, 4], [0, 0]]), (32, 32, 3))
        image = tf.image.random_flip_left_right(image)
        image = (tf.cast(image, tf.float32) / 255 - MEAN) / STD
        return tf.transpose(image, (2, 0, 1)), label

    layers = keras.Sequential(
        [
            keras.layers.RandomTranslation(0.125, 0.125, fill_mode="constant", interpolation="nearest"),
            keras.layers.RandomFlip("horizontal"),
            keras.layers.Rescaling(1 / 255),
            keras.layers.Normalization(mean=MEAN, variance=np.square(STD)),
        ]
    )
    options = tf.data.Options()
    options.threading.private_threadpool_size = 1
    source = tf.data.Dataset.from_tensor_slices((IMAGES, labels)).with_options(options)
    shuffled = source.shuffle(COUNT)
    each = shuffled.map(changed).batch(BATCH)
    whole = shuffled.batch(BATCH).map(lambda images, labels: (layers(images, training=True), labels))
    return {"tf.data": each.__iter__, "Keras layers, on batches": whole.__iter__}


def _loaders() -> dict[str, float]:
    """Return the median images for a second of the processor's time, for each loader that is installed."""
    passes: dict[str, Pass] = {}
    for make in (_seedsafe, _torchvision, _kornia, _tensorflow):
        with suppress(ImportError):
            passes |= make()
    rates: dict[str, list[float]] = {}
    for number in range(ROUNDS + 1):
        for name, begin in passes.items():
            start = time.process_time()
            count = sum(len(labels) for _, labels in begin())
            if number:  # the first is for warming up
                rates.setdefault(name, []).append(count / (time.process_time() - start))
    return {name: statistics.median(values) for name, values in rates.items()}


def _alone() -> list[dict[str, Any]]:
    """Return the processor's microseconds for an image, one by one and at once, with some pipelines."""
    import seedsafe as ss

    crop, flip, normalize, first = _chain(32)
    cases = [
        ("crop, flip, Normalize, ToCHW", 32, [crop, flip, normalize, first]),
        (
            "the same with RandomBrightnessContrast",
            32,
            [crop, flip, ss.RandomBrightnessContrast(), normalize, first],
        ),
        (
            "the same with CoarseDropout",
            32,
            [crop, flip, ss.CoarseDropout(1, height=16, width=16), normalize, first],
        ),
        ("the same with RandomErasing", 32, [crop, flip, ss.RandomErasing(), normalize, first]),
        ("the same with Affine, which goes one by one", 32, [crop, flip, ss.Affine(), normalize, first]),
        (
            "the same with ColorJitter, which goes one by one",
            32,
            [crop, flip, ss.ColorJitter(0.4, 0.4, 0.4, 0.1), normalize, first],
        ),
        ("crop, flip (uint8)", 32, [crop, flip]),
        *(("crop, flip, Normalize, ToCHW", side, _chain(side)) for side in (64, 96, 112)),
    ]
    rows = []
    for name, side, transforms in cases:
        for count in (BATCH,) if (name, side) != (cases[0][0], 32) else (32, 64, BATCH, 1024):
            augment = ss.Compose(transforms)
            images = list(
                np.random.default_rng(0).integers(0, 256, (min(count, 256), side, side, 3), np.uint8)
            )
            images = (images * (-(-count // len(images))))[:count]
            rows.append(
                {"name": name, "side": side, "count": count} | _compared(augment, images)  # type: ignore[operator]
            )
    return rows


def _compared(augment: Any, images: list[Any]) -> dict[str, float]:
    import seedsafe as ss

    def keys() -> list[Any]:
        return [ss.SampleKey(42, 0, index) for index in range(len(images))]

    def one_by_one() -> Any:
        return np.stack([augment(image, key=key) for image, key in zip(images, keys(), strict=True)])

    def at_once() -> Any:
        return augment.batch(images, keys())

    least = {"one by one": float("inf"), "at once": float("inf")}
    for _ in range(2 * ROUNDS):
        for name, make in (("one by one", one_by_one), ("at once", at_once)):
            start = time.process_time()
            make()
            least[name] = min(least[name], (time.process_time() - start) / len(images) * 1e6)
    return least


def section(paths: list[str], note: str) -> str:
    """Return the page's part on batches."""
    measured = [json.loads(open(path).read()) for path in paths]  # noqa: SIM115
    text = "## Batches of small images\n\n"
    text += (
        "`Compose.batch` augments small images at once, to the same bytes as one by one; `seedsafe_torch.loader`, Keras's "
        "sequences and tf.data do so by themselves from 24 images of at most 112 × 112 pixels on. Microseconds of the "
        f"processor for an image, keys and stacking included; {note}.\n\n"
    )
    text += "| pipeline | side | images | one by one | at once | times |\n|---|---|---|---|---|---|\n"
    for row in measured[0]["alone"]:
        alone, whole = row["one by one"], row["at once"]
        text += f"| {row['name']} | {row['side']} | {row['count']} | {alone:.1f} | {whole:.1f} | {alone / whole:.2f} |\n"
    text += (
        "\nWhole loaders: 32 × 32 images in memory, crop, flip, normalisation and channels first (Keras's layers leave them "
        "last), 256 a batch, no workers, images a second of the processor's time. *Times* is the speed of "
        "`seedsafe_torch.loader` divided by that of the row, both in one process. A loader that draws once for a batch cuts "
        "the same window out of all its images, and mirrors all or none. That is an easier task, without draws, windows and reads "
        "for single samples, and the only row that is faster.\n\n| loader | images/s | times |\n|---|---|---|\n"
    )
    for one in measured:
        ours = one["loaders"]["seedsafe"]
        for name, found in one["loaders"].items():
            if one is measured[0] or not name.startswith("seedsafe"):
                text += f"| {name} | {found:,.0f} | {ours / found:.2f} |\n"
    return text + "\n"


def main() -> None:
    """Measure, or write the page's part on batches."""
    if sys.argv[1:2] != ["--page"]:
        with suppress(ImportError):
            import_module("torch").set_num_threads(1)
        with suppress(ImportError):
            import_module("cv2").setNumThreads(1)
        print(json.dumps({"alone": _alone(), "loaders": _loaders()}))
        return
    from benchmarks.page import PAGE, kept

    _, _, note, *paths = sys.argv
    text = PAGE.read_text()
    PAGE.write_text(text.replace(kept(text), "") + section(paths, note))


if __name__ == "__main__":
    main()
