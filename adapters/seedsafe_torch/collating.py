"""Collate functions for mixtures, keys and tensors."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import ConcatDataset, default_collate

from seedsafe import BatchMix, SampleIndex, SampleKey
from seedsafe.reading import Skipped, entries, leaves, replaced, with_parts
from seedsafe_torch.dataset import AugmentedDataset
from seedsafe_torch.faults import has_failed
from seedsafe_torch.fetching import fetch_above, first_asked, through
from seedsafe_torch.key_tensor import key_tensor

__all__ = ["MixCollate", "collate_tensors", "collate_with_keys", "key_of", "mix"]


@dataclass(frozen=True, slots=True)
class MixCollate:
    """A collate function that mixes the samples of a batch at the key of its first index. `mix` returns one."""

    mixing: BatchMix
    seed: int | None
    image: int | str | None
    label: int | str | None
    collate: Callable[[Any], Any]

    def __call__(self, samples: Any) -> Any:
        """Collate the samples to a batch and mix it.

        Raises:
            RuntimeError: the caller is not a DataLoader with a KeyedSampler, or there is no seed.
            TypeError: the batch has no tensors of images and labels at their entries.
        """
        first = first_asked()
        if first is None or self.seed is None:
            lacks = "the indices of no KeyedSampler" if first is None else "no seed"
            raise RuntimeError(
                f"mix was called with {lacks}: make the DataLoader with seedsafe_torch.loader, or pass it a KeyedSampler and "
                "mix(seed=)"
            )
        batch = self.collate(samples)
        parts = dict(entries(batch) or ())
        if not parts:
            raise TypeError(
                f"mix needs a batch that is a tuple or a dict, got {type(batch).__qualname__}: return one from collate"
            )
        usual = (0, 1) if isinstance(batch, list | tuple) else ("image", "label")
        image = usual[0] if self.image is None else self.image
        label = usual[1] if self.label is None else self.label
        for name in (image, label):
            if not isinstance(parts.get(name), torch.Tensor):
                raise TypeError(
                    f"mix needs a tensor at {name!r} of the batch, which has {list(parts)}: name the entries of images and labels "
                    "with image= and label="
                )
        key = SampleKey(self.seed, first.epoch, int(first), occurrence=first.occurrence, view=first.view)
        images, labels = self.mixing(parts[image].numpy(), parts[label].numpy(), key=key)
        return with_parts(batch, {image: torch.from_numpy(images), label: torch.from_numpy(labels)})


def mix(
    classes: int,
    *,
    mixup: float = 1.0,
    cutmix: float = 1.0,
    p: float = 1.0,
    channels_first: bool | None = None,
    seed: SupportsIndex | None = None,
    image: int | str | None = None,
    label: int | str | None = None,
    collate: Callable[[Any], Any] = default_collate,
) -> MixCollate:
    """Return a collate function for `loader` that mixes each sample, with its label, with another one of its batch.

    All draws follow from the seed and the first index of the batch, so they are equal for any number of workers and after a
    resume. Another batch size gives different mixtures. `seedsafe.BatchMix` describes the mixing.

    Args:
        classes: the number of classes; labels become float vectors of that length.
        mixup: the alpha of MixUp, 0 for no MixUp.
        cutmix: the alpha of CutMix, 0 for no CutMix.
        p: the probability that a batch is mixed.
        channels_first: whether images are (n, c, h, w); None looks for the one axis of length 1, 3 or 4.
        seed: the seed of the run; `loader` sets its own.
        image: the entry of the images in a batch, by default 0, or "image" in a dict.
        label: the entry of the labels, by default 1, or "label" in a dict.
        collate: returns the batch to mix.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of its range.

    Example:
        >>> import numpy as np
        >>> from seedsafe_torch import AugmentedDataset, loader
        >>> photos = [(np.full((8, 8, 3), i, np.float32), i % 2) for i in range(8)]
        >>> loading = loader(AugmentedDataset(photos, seed=42), batch_size=4, collate_fn=mix(2))
        >>> [(tuple(images.shape), tuple(labels.shape)) for images, labels in loading]
        [((4, 8, 8, 3), (4, 2)), ((4, 8, 8, 3), (4, 2))]
    """
    mixing = BatchMix(classes, mixup, cutmix, p, channels_first)
    return MixCollate(mixing, None if seed is None else SampleKey(seed, 0, 0).seed, image, label, collate)


def collate_with_keys(samples: Any, collate: Callable[[Any], Any], seed: int) -> Any:
    """Collate samples, and add their keys as the batch's last entry: int64, shape (N, 4); see `seedsafe_torch.draws`.

    Args:
        samples: the samples of a batch.
        collate: returns the batch, or the mark of a batch whose samples all failed.
        seed: the seed of keys that no dataset inside has.

    Raises:
        RuntimeError: the caller is not a DataLoader with a KeyedSampler.
        TypeError: the batch already has an entry "keys".
    """
    fetch = fetch_above()
    asked = [] if fetch is None else fetch.asked
    if fetch is None or not all(isinstance(index, SampleIndex) for index in asked):
        raise RuntimeError(
            "keys=True needs the indices of a KeyedSampler: make the DataLoader with seedsafe_torch.loader"
        )
    batch = collate(samples)
    if type(batch) is Skipped:
        return batch
    kept = [index for index, sample in zip(asked, samples, strict=True) if not has_failed(sample)]
    return _with_keys(batch, key_tensor([key_of(fetch.dataset, index, seed) for index in kept]))


def _with_keys(batch: Any, keys: Tensor) -> Any:
    """Return a batch with its keys as the last entry, which a dict has under "keys"."""
    if isinstance(batch, dict):
        if "keys" in batch:
            raise TypeError(
                'keys=True adds an entry "keys" to a batch that is a dict, which has one already: rename the samples\' entry'
            )
        return {**batch, "keys": keys}
    return [*batch, keys] if isinstance(batch, list | tuple) else [batch, keys]


def key_of(dataset: Any, at: SampleIndex, seed: int) -> SampleKey:
    """Return the key of a loader's sample: that of the AugmentedDataset which reads it, through Subset and ConcatDataset.

    Inside other wrappers, and without an AugmentedDataset, its index is the position in the loader's dataset.

    Example:
        >>> import numpy as np
        >>> from torch.utils.data import Subset
        >>> photos = AugmentedDataset(np.zeros((8, 4, 4)), seed=42)
        >>> key_of(Subset(photos, [3, 5]), SampleIndex(1, epoch=2), 7)
        SampleKey(seed=42, epoch=2, index=5, occurrence=0, view=0)
        >>> key_of([0, 1], SampleIndex(1, epoch=2), 7)
        SampleKey(seed=7, epoch=2, index=1, occurrence=0, view=0)
    """
    inside, (position,) = through(dataset, (at,))
    while type(inside) is ConcatDataset:
        position += len(inside) if position < 0 else 0  # as it counts from the end itself
        number = bisect_right(inside.cumulative_sizes, position)
        position -= inside.cumulative_sizes[number - 1] if number else 0
        inside, (position,) = through(inside.datasets[number], (position,))
    if not isinstance(inside, AugmentedDataset):
        return SampleKey(seed, at.epoch, int(at), occurrence=at.occurrence, view=at.view)
    epoch = at.epoch if inside.epoch is None else inside.epoch
    reader = inside.reader
    return reader.key(SampleIndex(reader.position(position), epoch, at.occurrence, at.view))


def collate_tensors(samples: Any, collate: Callable[[Any], Any]) -> Any:
    """Call a collate function with samples in which images (C, H, W) of float32 are tensors, as torchvision returns them.

    Example:
        >>> samples = [(np.zeros((1, 2, 2), np.float32), 7)]
        >>> collate_tensors(samples, lambda batch: type(batch[0][0]).__name__)
        'Tensor'
    """
    tensors = samples
    for path, part in leaves(samples):
        if isinstance(part, np.ndarray) and part.ndim == 3 and part.dtype == np.float32:
            tensors = replaced(tensors, path, torch.from_numpy(part))
    return collate(tensors)
