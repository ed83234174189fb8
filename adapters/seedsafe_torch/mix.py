"""mix: MixUp and CutMix as a collate function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, SupportsIndex

import torch
from torch.utils.data import default_collate

from seedsafe import BatchMix, SampleKey
from seedsafe_torch.fetching import first_asked

__all__ = ["MixCollate", "mix"]


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
        named = isinstance(batch, dict)
        if not (named or isinstance(batch, list | tuple)):
            raise TypeError(
                f"mix needs a batch that is a tuple or a dict, got {type(batch).__qualname__}: return one from collate"
            )
        image = ("image" if named else 0) if self.image is None else self.image
        label = ("label" if named else 1) if self.label is None else self.label
        parts: dict[Any, Any] = dict(batch) if named else dict(enumerate(batch))
        for name in (image, label):
            if not isinstance(parts.get(name), torch.Tensor):
                raise TypeError(
                    f"mix needs a tensor at {name!r} of the batch, which has {list(parts)}: name the entries of images and labels "
                    "with image= and label="
                )
        key = SampleKey(self.seed, first.epoch, int(first), occurrence=first.occurrence, view=first.view)
        images, labels = self.mixing(parts[image].numpy(), parts[label].numpy(), key=key)
        parts |= {image: torch.from_numpy(images), label: torch.from_numpy(labels)}
        return parts if named else type(batch)(parts.values())


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
