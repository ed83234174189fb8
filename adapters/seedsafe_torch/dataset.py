"""AugmentedDataset: a map-style dataset whose samples are augmented by (seed, epoch, index)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, SupportsIndex

from torch.utils.data import Dataset, IterableDataset

from seedsafe import Bridge, NotReproducible, SampleIndex, SampleKey, opencv
from seedsafe.bridging.reading import manifest, reader_of
from seedsafe.checks import record_ids
from seedsafe.faults import Faults, Skipped, missing, require_finite, require_finite_after
from seedsafe.key import checked_int
from seedsafe.sample import Augment, Targets, augment_sample, augment_views, check_targets
from seedsafe_torch.cell import EpochCell
from seedsafe_torch.context import Moment, entered, moment_of
from seedsafe_torch.faults import worker_id

__all__ = ["AugmentedDataset", "inside", "nested", "outermost"]


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
        ids: one integer below 2**64 for each sample, to key the augmentation on instead of the position, so that it stays
            as it was when samples are added: ``ImageFolder.record_ids``, or ``record_index`` of each record's name.
        on_error: what becomes of a sample that cannot be read or augmented. "raise" raises a SampleError that names it.
            "replace" takes another sample, chosen by the key, with this one's augmentation; at most 16 are tried.
            "skip" marks it, and a collate drops the mark: that of `loader`, or `skip_collate`. Of both, `loader` reports
            at the end of each pass what failed, and `failures` lists it.
        check_finite: NaN or infinity in a float, read or augmented, is an error of the sample as well.
        bridge: True, or a Bridge: while the base is read, every generator that it touches follows the sample's key.

    Raises:
        TypeError: an argument is of another type.
        ValueError: an argument is out of its range.
        IndexError: an index is outside of the dataset.
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
        if views is not None and augment is None:
            raise ValueError(
                f"views={views} of no augmentation are all the same: pass augment=, or leave views out"
            )
        self.index_offset = checked_int(
            "index_offset", index_offset, 0, 2**63, "pass the sum of the lengths before"
        )
        length = len(base) if hasattr(base, "__len__") else None
        self.ids = None if ids is None else record_ids(ids, length)
        if ids is not None and self.index_offset:
            raise ValueError(f"ids are no positions, got index_offset={index_offset} as well: leave one out")
        self.faults = Faults(on_error, check_finite, allowed=("raise", "skip", "replace"), length=length)
        if any(inner.seed == self.seed for inner in nested(base)):
            raise ValueError(
                f"base is augmented with the same seed {self.seed}: give one of them another seed"
            )
        self._length = 0  # as last seen: a base may grow
        self._cell = EpochCell(length)
        self.told = (0, 0)  # how often set_epoch was called, and with what: `loader` follows it

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
        self.told = (self.told[0] + 1, self._cell.epoch)

    def failures(self) -> dict[int, dict[int, str]]:
        """Return the samples that failed so far, in every worker: the reason by epoch and index.

        Example:
            >>> import numpy as np
            >>> images = [np.zeros((2, 2), np.uint8), None]
            >>> dataset = AugmentedDataset(images, seed=42, on_error="replace")
            >>> dataset.at(1, epoch=0).shape
            (2, 2)
            >>> dataset.failures()
            {0: {1: 'TypeError: the dataset returned None: return a sample, or leave the index out (sample 0 came instead)'}}
        """
        return {} if self.faults.log is None else self.faults.log.failures()

    def report_failures(self, name: str = "") -> None:
        """Warn of the samples that failed since the last report, once for each epoch; `loader` does so by itself.

        Args:
            name: the beginning of the warning.
        """
        if self.faults.log is not None:
            self.faults.log.report(name)

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
        if self.ids is not None and length != len(self.ids):
            raise ValueError(
                f"ids are {len(self.ids)} and the base has {length} samples now: make the dataset again with the ids of all"
            )
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
        try:
            return self._made(place, place, moment)
        except NotReproducible:
            raise  # of all samples, not of this one
        except Exception as error:
            if isinstance(error, IndexError) and not hasattr(self.base, "__len__"):
                raise  # the end of a base that does not say where it ends
            first = self._key(place, moment, moment.view * (self.views or 1))
            return self.faults.recovered(
                error, self.base, place, first, lambda other: self._made(other, place, moment), worker_id()
            )

    def _made(self, source: int, place: int, moment: Moment) -> Any:
        """Return the sample at `source`, augmented as the one at `place` is."""
        opencv.guard()
        with entered(moment):
            sample = self._read(source, place, moment)
        if sample is None or type(sample) is Skipped:
            raise missing(sample)
        if self.faults.check_finite:
            require_finite(sample)
        if self.augment is None:
            return sample
        made = self._apply(self.augment, sample, place, moment)
        if self.faults.check_finite:
            require_finite_after(
                self.augment, made, lambda augment: self._apply(augment, sample, place, moment)
            )
        return made

    def _apply(self, augment: Augment, sample: Any, place: int, moment: Moment) -> Any:
        if self.views is None:
            return augment_sample(augment, sample, self._key(place, moment, moment.view), self.targets)
        first = moment.view * self.views
        keys = [self._key(place, moment, first + inner) for inner in range(self.views)]
        return augment_views(augment, sample, keys, self.targets)

    def _key(self, place: int, moment: Moment, view: int) -> SampleKey:
        index = place + self.index_offset if self.ids is None else self.ids.item(place)
        return SampleKey(self.seed, moment.epoch, index, occurrence=moment.occurrence, view=view)

    def _read(self, source: int, place: int, moment: Moment) -> Any:
        if self._reader is None:
            return self.base[source]
        return self._reader.read(source, self._key(place, moment, moment.view * (self.views or 1)))

    @property
    def bridged(self) -> bool:
        """Whether the generators that the base touches follow the key."""
        return self._reader is not None

    def manifest(self) -> dict[str, Any]:
        """Return what the samples depend on besides the data: seed, pipeline, and the versions of all libraries.

        Example:
            >>> import numpy as np
            >>> AugmentedDataset([np.zeros(2)], seed=42, bridge=True).manifest()["bridge"]
            'Bridge(opencv=False, tensorflow=False, cuda=False, verify=True)'
        """
        return manifest(seed=self.seed, base=self.base, augment=self.augment, reader=self._reader)

    def __repr__(self) -> str:
        return f"AugmentedDataset({self.base!r}, {self.augment!r}, seed={self.seed})"


def inside(dataset: Any) -> Iterator[Any]:
    """Yield the datasets that a dataset reads from, as far as its attributes tell."""
    parts = getattr(dataset, "datasets", None)
    if isinstance(parts, dict):
        yield from parts.values()
    elif isinstance(parts, list | tuple):
        yield from parts
    for name in ("base", "dataset"):
        if getattr(dataset, name, None) is not None:
            yield getattr(dataset, name)


def outermost(dataset: Any) -> Iterator[AugmentedDataset]:
    """Yield the AugmentedDatasets inside a dataset, itself included, that are in no other one."""
    if isinstance(dataset, AugmentedDataset):
        yield dataset
        return
    for one in inside(dataset):
        yield from outermost(one)


def nested(dataset: Any) -> Iterator[AugmentedDataset]:
    """Yield all AugmentedDatasets inside a dataset, itself included."""
    for one in outermost(dataset):
        yield one
        yield from nested(one.base)
