"""What type checkers make of the main interface: read by mypy and pyright in test_typing.py, and never run."""

from pathlib import Path
from typing import Any, assert_type

import numpy as np

import seedsafe as ss
import seedsafe_keras
import seedsafe_torch
from seedsafe_audit import Report

image = np.zeros((32, 32, 3), np.uint8)

# A pipeline

augment = ss.Compose([ss.RandomCrop(24), ss.OneOf([ss.Blur(3), ss.ToGray()])], boxes=ss.Boxes("coco"))
key = ss.SampleKey(42, 3, 1234, view=1)
reveal_type(augment)  # seedsafe.pipeline.compose.Compose
reveal_type(augment.transforms)  # tuple[Transform | Compose, ...]
reveal_type(augment(image, key=key))  # Any
reveal_type(augment(image=image, key=key))  # Any
reveal_type(augment.params(key, (32, 32, 3)))  # list[Applied]
reveal_type(augment.params(key, image)[0].name)  # str
reveal_type(augment.streams())  # tuple[Stream, ...]
reveal_type(augment.streams()[0].op)  # int
reveal_type(augment.to_json())  # str
reveal_type(ss.Compose.from_json(""))  # seedsafe.pipeline.compose.Compose
reveal_type(augment.next_key())  # SampleKey
reveal_type(ss.HorizontalFlip()(image, key=key))  # Any
reveal_type(key.seed)  # int
reveal_type(ss.__version__)  # str

augment(image, key=3)  # type: ignore[arg-type]
augment(image, 3)  # type: ignore[call-arg, arg-type]
ss.Compose(["crop"])  # type: ignore[list-item]
ss.Compose([], boxes="coco")  # type: ignore[arg-type]
ss.SampleKey(42, 3, "cat")  # type: ignore[arg-type]

# Draws of one's own

reveal_type(ss.generator(key))  # Generator
reveal_type(ss.epoch_order(42, 0, 10))  # ndarray
reveal_type(ss.record_index("cat.jpg"))  # int
reveal_type(ss.op_of("RandomCrop"))  # int
reveal_type(ss.current_key())  # SampleKey | None

# Bridges

bridged = ss.bridge(np.negative, returns="same")
reveal_type(bridged)  # Bridged
reveal_type(bridged.verdict)  # str
ss.Compose([bridged])
ss.bridge()  # type: ignore[call-arg]

# torch

dataset = seedsafe_torch.AugmentedDataset([image], augment, seed=42, views=2)
reveal_type(dataset)  # AugmentedDataset
reveal_type(len(dataset))  # int
reveal_type(dataset[0])  # Any
reveal_type(dataset.at(0, epoch=7))  # Any
batches = seedsafe_torch.loader(dataset, batch_size=4, shuffle=True, num_workers=2)
reveal_type(batches)  # KeyedLoader
reveal_type(batches.state_dict())  # dict[str, Any]
for batch in batches:
    reveal_type(batch)  # Any
stream = seedsafe_torch.AugmentedIterable([image], augment, seed=42)
reveal_type(seedsafe_torch.loader(stream))  # StreamLoader
reveal_type(seedsafe_torch.KeyedSampler([image], seed=42))  # KeyedSampler

seedsafe_torch.loader(dataset, num_worker=2)  # type: ignore[call-overload]
seedsafe_torch.loader(dataset, batch_size="4")  # type: ignore[call-overload]
seedsafe_torch.loader(stream, num_worker=2)  # type: ignore[call-overload]
seedsafe_torch.AugmentedDataset([image], augment)  # type: ignore[call-arg]
seedsafe_torch.AugmentedDataset([image], augment, seed="42")  # type: ignore[arg-type]
seedsafe_torch.AugmentedDataset([image], augment, seed=42, on_error="ignore")  # type: ignore[arg-type]

# Keras

sequence = seedsafe_keras.AugmentedSequence(np.zeros((8, 4, 4), np.uint8), augment, seed=42, batch_size=4)
reveal_type(len(sequence))  # int
reveal_type(sequence[0])  # Any
seedsafe_keras.AugmentedSequence([image], augment)  # type: ignore[call-arg]

# Data and results

index = ss.FolderIndex("photos")
reveal_type(index.path(0))  # str
reveal_type(index.classes)  # list[str]
photos = ss.ImageFolder(Path("photos"))
reveal_type(photos[0])  # tuple
stats = ss.channel_stats(photos, num_workers=2)
reveal_type(stats)  # ChannelStats
reveal_type(stats.mean)  # tuple[float, ...]
reveal_type(stats.to_json())  # str
reveal_type(ss.ChannelStats.from_json(""))  # ChannelStats
report = ss.audit(dataset, samples=16)
assert_type(report, Report)
reveal_type(report["order"].verdict)  # Literal
reveal_type(report.exit_code(strict=True))  # int


def own(parts: Any) -> Any:
    """A sample through a pipeline, inside a read."""
    return augment(parts)
