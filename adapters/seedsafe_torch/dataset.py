"""AugmentedDataset: a map-style dataset whose samples are augmented by (seed, epoch, index)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

from torch.utils.data import Dataset

from seedsafe import Bridge, SampleIndex, SampleKey, opencv
from seedsafe.bridging.reading import manifest, reader_of
from seedsafe.key import checked_int
from seedsafe.sample import Augment, Targets, augment_sample, augment_views, check_targets
from seedsafe_torch.cell import EpochCell
from seedsafe_torch.context import Moment, entered, moment_of

__all__ = ["AugmentedDataset"]


class AugmentedDataset(Dataset[Any]):
    """A dataset whose samples are augmented as a pure function of (seed, epoch, index).

    The epoch comes with the index, from `KeyedSampler` or `loader`, which stamp it in the parent process. Read by a
    plain loader, the dataset follows `set_epoch`, and warns when an epoch is served twice.

    Args:
        base: any map-style dataset: ``base[i]`` with a plain int, and ``len(base)``. A sample that is an array is
            augmented; of a tuple the first element is, and a dict goes by its keys image, mask, keypoints, boxes
            and audio. Labels are never touched.
        augment: a Compose or a Transform; None for none.
        seed: of the run, 0 ≤ seed < 2**128.
        targets: names the parts of a sample, ``("image", "mask", None)`` for a tuple, ``{"photo": "image"}`` for a dict.
        views: the number of views of each sample; each augmented part becomes a tuple of them. The base is read once.
        epoch: a fixed epoch for every read, for validation for instance ``seedsafe.VALIDATION_EPOCH``.
        index_offset: is added to the index in the key, so that concatenated datasets of one seed differ.
        bridge: True, or a Bridge: while the base is read, every generator that it touches follows the sample's key.

    Raises:
        TypeError: an argument is of another type; when read, a sample is None or its part is no array.
        ValueError: an argument is out of its range.
        IndexError: an index is outside of the dataset.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> images = [np.full((4, 4), i, np.uint8) for i in range(10)]
        >>> dataset = AugmentedDataset(images, ss.RandomCrop(2), seed=42)
        >>> dataset[7].tolist()
        [[7, 7], [7, 7]]
    """

    def __init__(
        self,
        base: Any,
        augment: Augment | None = None,
        *,
        seed: SupportsIndex,
        targets: Targets = None,
        views: int | None = None,
        epoch: SupportsIndex | None = None,
        index_offset: int = 0,
        bridge: bool | Bridge = False,
    ) -> None:
        if not hasattr(base, "__getitem__"):
            raise TypeError(
                f"base must be a map-style dataset with __getitem__, got {type(base).__qualname__}"
            )
        if augment is not None and not callable(augment):
            raise TypeError(f"augment must be a Compose or a Transform, got {augment!r}")
        self.base = base
        self.augment = augment
        self.seed = SampleKey(seed, 0, 0).seed
        self.targets = check_targets(targets)
        self._reader = reader_of(base, bridge)
        self.views = (
            None if views is None else checked_int("views", views, 1, 2**16, "pass the number of views")
        )
        self.epoch = None if epoch is None else SampleKey(0, epoch, 0).epoch
        self.index_offset = checked_int(
            "index_offset", index_offset, 0, 2**63, "pass the sum of the lengths before"
        )
        inner = base
        while inner is not None:
            if isinstance(inner, AugmentedDataset) and inner.seed == self.seed:
                raise ValueError(
                    f"base is augmented with the same seed {self.seed}: give one of them another seed"
                )
            inner = getattr(inner, "base", getattr(inner, "dataset", None))
        self._length = 0  # as last seen: a base may grow
        self._cell = EpochCell(len(base) if hasattr(base, "__len__") else None)

    def __len__(self) -> int:
        return len(self.base)

    def __getitem__(self, index: SupportsIndex) -> Any:
        place = self._place(index)
        moment = moment_of(index)  # type: ignore[arg-type]  # an int, or one that carries its epoch
        return self._augmented(place, self._moment(place, moment))

    def __getitems__(self, indices: Sequence[SupportsIndex]) -> list[Any]:
        return [self[index] for index in indices]

    def at(
        self,
        index: SupportsIndex,
        *,
        epoch: SupportsIndex,
        occurrence: SupportsIndex = 0,
        view: SupportsIndex = 0,
    ) -> Any:
        """Return the sample of an epoch, without iterating and whatever `set_epoch` said.

        Example:
            >>> import numpy as np
            >>> import seedsafe as ss
            >>> dataset = AugmentedDataset([np.arange(9, dtype=np.uint8)[None]], ss.RandomCrop((1, 3)), seed=42)
            >>> dataset.at(0, epoch=7).tolist()
            [[4, 5, 6]]
        """
        key = SampleKey(self.seed, epoch, 0, occurrence=occurrence, view=view)
        return self._augmented(self._place(index), Moment(key.epoch, key.occurrence, key.view))

    def set_epoch(self, epoch: SupportsIndex) -> None:
        """Set the epoch of reads by loaders that know nothing but the dataset, in this process and in its workers."""
        self._cell.epoch = SampleKey(0, epoch, 0).epoch

    def _place(self, index: SupportsIndex) -> int:
        if type(index) is SampleIndex or type(index) is int:
            place = int(index)
            if 0 <= place < self._length:
                return place
        if isinstance(index, slice | list | tuple):
            raise TypeError(
                f"index must be one integer, got {index!r}: use torch.utils.data.Subset for several"
            )
        length = len(self.base) if hasattr(self.base, "__len__") else 2**63
        self._length = length
        number = checked_int("index", index, -(2**63), 2**63, "pass the sample's position")
        if not -length <= number < length:
            raise IndexError(f"index {number} is outside of the dataset, which has {length} samples")
        return number + length if number < 0 else number

    def _moment(self, place: int, moment: Moment | None) -> Moment:
        if self.epoch is not None:
            return Moment(self.epoch, *moment[1:]) if moment else Moment(self.epoch)
        return moment or Moment(self._cell.serve(place))

    def _augmented(self, place: int, moment: Moment) -> Any:
        opencv.guard()
        with entered(moment):
            sample = self._read(place, moment)
        if sample is None:
            raise TypeError(
                f"the dataset returned None at index {place}: return a sample, or leave the index out"
            )
        if self.augment is None:
            return sample
        index = place + self.index_offset
        epoch, occurrence, view = moment
        if self.views is None:
            key = SampleKey(self.seed, epoch, index, occurrence=occurrence, view=view)
            return augment_sample(self.augment, sample, key, self.targets)
        keys = [
            SampleKey(self.seed, epoch, index, occurrence=occurrence, view=view * self.views + inner)
            for inner in range(self.views)
        ]
        return augment_views(self.augment, sample, keys, self.targets)

    def _read(self, place: int, moment: Moment) -> Any:
        if self._reader is None:
            return self.base[place]
        epoch, occurrence, view = moment
        key = SampleKey(self.seed, epoch, place + self.index_offset, occurrence=occurrence, view=view)
        return self._reader.read(place, key)

    def manifest(self) -> dict[str, Any]:
        """Return what the samples depend on besides the data: seed, pipeline, and the versions of all libraries.

        Example:
            >>> import numpy as np
            >>> AugmentedDataset([np.zeros(2)], seed=42, bridge=True).manifest()["bridge"]
            'Bridge(opencv=False, tensorflow=False, cuda=False, full_width=False, verify=True)'
        """
        return manifest(seed=self.seed, base=self.base, augment=self.augment, reader=self._reader)

    def __repr__(self) -> str:
        return f"AugmentedDataset({self.base!r}, {self.augment!r}, seed={self.seed})"
