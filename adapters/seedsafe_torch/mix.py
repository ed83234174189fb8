"""mix: MixUp and CutMix of a batch as a collate function, equal for any number of workers."""

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
    """A collate function that mixes the samples of a batch, decided by the key of the first index that was asked for.

    `mix` makes it.
    """

    mixing: BatchMix
    seed: int | None
    image: int | str | None
    label: int | str | None
    collate: Callable[[Any], Any]

    def __call__(self, samples: Any) -> Any:
        """Return a batch of the samples, mixed.

        Raises:
            RuntimeError: no DataLoader with a KeyedSampler asks for it, or there is no seed.
            TypeError: the batch has no images and labels where they belong.
        """
        first = first_asked()
        if first is None or self.seed is None:
            lacks = "the indices of no KeyedSampler" if first is None else "no seed"
            raise RuntimeError(
                f"mix was called with {lacks}: make the DataLoader with seedsafe_torch.loader, or with a KeyedSampler and "
                "mix(seed=)"
            )
        batch = self.collate(samples)
        named = isinstance(batch, dict)
        if not (named or isinstance(batch, list | tuple)):
            raise TypeError(f"a batch to be mixed must be a tuple or a dict, got {type(batch).__qualname__}")
        image = ("image" if named else 0) if self.image is None else self.image
        label = ("label" if named else 1) if self.label is None else self.label
        parts: dict[Any, Any] = dict(batch) if named else dict(enumerate(batch))
        for name in (image, label):
            if not isinstance(parts.get(name), torch.Tensor):
                raise TypeError(
                    f"the batch has no tensor at {name!r}, which mix needs, only {list(parts)}: say where images and labels are "
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
    """Return a collate function for `loader` that mixes each sample with another one of its batch, and their labels too.

    What is drawn follows from the seed and the first index of the batch that was asked for, so it is equal for any number of
    workers and after a resume; with another batch size it is another mixture. See `seedsafe.BatchMix` for what it does.

    Args:
        classes: the number of classes; labels become float vectors of that length.
        mixup: the alpha of MixUp, 0 for none.
        cutmix: the alpha of CutMix, 0 for none.
        p: the chance that a batch is mixed.
        channels_first: whether images are (n, c, h, w); None finds out by the one axis of length 1, 3 or 4.
        seed: of the run; `loader` gives its own.
        image: where the images of a batch are, by default 0, or "image" in a dict.
        label: where the labels are, by default 1, or "label" in a dict.
        collate: makes the batch that is mixed.

    Raises:
        TypeError: an argument is of another type.
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
