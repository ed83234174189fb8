"""AugmentedDataset: a map-style dataset whose samples are augmented by (seed, epoch, index)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex

from torch.utils.data import Dataset, IterableDataset

from seedsafe import Bridge, SampleKey
from seedsafe.reading import Augment, Faults, Forwarding, KeyedReader, Moment, Targets
from seedsafe_torch.arrival import read
from seedsafe_torch.cell import EpochCell
from seedsafe_torch.faults import worker_id

__all__ = ["AugmentedDataset"]

_ANSWERS = ("raise", "skip", "replace")
_DROPPED_BY = "seedsafe_torch.loader, or pass collate_fn=seedsafe_torch.skip_collate"


class AugmentedDataset(Forwarding, Dataset[Any]):
    """A dataset whose samples are augmented as a pure function of (seed, epoch, index).

    The epoch comes with the index, from `KeyedSampler` or `loader`, which stamp it in the parent process. Read by a
    plain loader, the dataset follows `set_epoch`, and warns when an epoch is served twice. Attributes that it lacks
    are its base's: ``classes``, ``collate_fn``; setting ``transform`` sets the base's.

    Args:
        base: any map-style dataset: ``base[i]`` with a plain int, and ``len(base)``. A sample that is an array, a PIL image
            or a tensor (C, H, W) is augmented; of a tuple, the first element is; of a dict, the entries image, mask,
            keypoints, boxes and audio. A tensor comes back as one, a PIL image as an array. Labels stay.
        augment: a Compose or a Transform; None for none.
        seed: of the run, 0 ≤ seed < 2**128.
        targets: names the parts of a sample, ``("image", "mask", None)`` for a tuple, ``{"photo": "image"}`` for a dict.
        views: the number of views of each sample; each augmented part becomes a tuple of them. The base is read
            once, or with a bridge and no augmentation for each view.
        epoch: a fixed epoch for every read, such as ``seedsafe.VALIDATION_EPOCH`` for validation.
        index_offset: is added to the index in the key, so that concatenated datasets of one seed differ.
        ids: one integer below 2**64 for each sample, to key the augmentation on instead of the position, so that it stays
            as it was when samples are added: ``ImageFolder.record_ids``, or ``record_index`` of each record's name.
        on_error: what becomes of a sample that cannot be read or augmented. "raise" raises a SampleError that names it.
            "replace" takes another sample, chosen by the key, with this one's augmentation; at most 16 are tried. "skip"
            marks it, and a collate drops the mark: that of `loader`, or `skip_collate`. For both `loader` reports after
            each pass what failed, and `failures` lists it.
        check_finite: NaN or infinity in a float, read or augmented, is an error of the sample as well.
        bridge: True, or a Bridge: while the base is read, every generator that it touches follows the sample's key.

    Raises:
        TypeError: an argument is of another type.
        ValueError: an argument is out of its range.
        IndexError: there is no such sample.
        SampleError: a sample could not be read or augmented, for whatever reason.

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
        ids: Any = None,
        on_error: Literal["raise", "skip", "replace"] = "raise",
        check_finite: bool = False,
        bridge: bool | Bridge = False,
    ) -> None:
        if not hasattr(base, "__getitem__") or isinstance(base, IterableDataset):
            raise TypeError(
                f"base must be a map-style dataset with __getitem__, got {type(base).__qualname__}: samples are keyed on "
                "their index"
            )
        self.epoch = None if epoch is None else SampleKey(0, epoch, 0).epoch
        self._cell = EpochCell(len(base) if hasattr(base, "__len__") else None)
        self.reader = KeyedReader(
            base,
            augment,
            seed=seed,
            targets=targets,
            views=views,
            ids=ids,
            offset=index_offset,
            faults=Faults(on_error, check_finite, allowed=_ANSWERS, dropped_by=_DROPPED_BY),
            bridge=bridge,
            worker=worker_id,
            told=self._cell,
        )
        self._held = False
        self.told = (0, 0)  # how often set_epoch was called, and with what: `loader` follows it

    def __len__(self) -> int:
        return len(self.reader.base)

    def __getitem__(self, index: SupportsIndex) -> Any:
        return read(self.reader, self._cell, index, self.epoch)

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
        key = SampleKey(0, epoch, 0, occurrence=occurrence, view=view)
        moment = Moment(key.epoch, key.occurrence, key.view)
        return self.reader.sample(self.reader.position(index), moment, counts=False)

    def set_epoch(self, epoch: SupportsIndex) -> None:
        """Set the epoch of reads by loaders that know nothing but the dataset, in this process and in its workers."""
        number = SampleKey(0, epoch, 0).epoch
        if self._held:
            return
        self._cell.epoch = number
        self.told = (self.told[0] + 1, self._cell.epoch)

    def hold_epoch(self, epoch: SupportsIndex | None) -> None:
        """Set the epoch, and keep it whatever `set_epoch` says, until this is called again; None lets it go.

        It is for callbacks of trainers whose loaders count passes from 0 again when a run is resumed.
        """
        self._held = False
        if epoch is not None:
            self.set_epoch(epoch)
            self._held = True

    def __repr__(self) -> str:
        return f"AugmentedDataset({self.reader.base!r}, {self.reader.augment!r}, seed={self.reader.seed})"
