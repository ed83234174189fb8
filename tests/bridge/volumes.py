"""Runs the blocks of the page on volumes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import torch

from seedsafe import epoch_order
from seedsafe_torch import AugmentedDataset, loader

__all__ = ["dataset_of", "samples"]

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "volumes.md"


def dataset_of(library: str) -> Any:
    """Return the dataset that a library's block makes."""
    found = re.findall(
        rf"^```python no-run: needs {library}[^\n]*\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )
    (code,) = found
    rng = np.random.default_rng(0)
    volumes = [rng.random((1, 12, 12, 12), np.float32) for _ in range(6)]
    names: dict[str, Any] = {
        "AugmentedDataset": AugmentedDataset,
        "volumes": volumes,
        "labels": [(volume > 0.5).astype(np.float32) for volume in volumes],
    }
    exec(code, names)  # noqa: S102  # the page of this repository
    return names["dataset"]


def samples(dataset: Any, workers: int) -> dict[tuple[int, int], list[bytes]]:
    """Return the bytes of each sample's parts, by epoch and index, read in a shuffled order."""
    batches = loader(dataset, batch_size=1, num_workers=workers, shuffle=True, collate_fn=list)
    result = {}
    for epoch in range(2):
        for index, (sample,) in zip(epoch_order(42, epoch, 6).tolist(), batches, strict=True):
            result[epoch, index] = [np.asarray(part).tobytes() for part in parts_of(sample)]
    return result


def parts_of(sample: Any) -> list[torch.Tensor]:
    """Return the image and the label of a sample of any of the three libraries."""
    if isinstance(sample, tuple):
        return list(sample)
    return [getattr(sample[name], "data", sample[name]) for name in ("image", "label")]
