"""AugmentedDataset: a map-style dataset with keyed augmentation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from operator import length_hint
from reprlib import Repr
from typing import Any, Final, Literal, SupportsIndex

from torch.utils.data import Dataset, IterableDataset

from seedsafe import Bridge, SampleIndex, SampleKey
from seedsafe.reading import (
    BRIDGE_IT,
    Augment,
    DrawChecks,
    Faults,
    Forwarding,
    KeyedReader,
    PassesOn,
    Repeats,
    Targets,
    Unkeyed,
    check_base,
    current,
    entered,
    explain_arguments,
    flag,
    stamped,
)
from seedsafe_torch.callers import base_seed, hand_on, warn_of_erasing
from seedsafe_torch.cell import Changes, EpochCell, Noting, epoch_to_set
from seedsafe_torch.conversion.sources import convert_base
from seedsafe_torch.dtypes import join_dtypes
from seedsafe_torch.faults import worker_id
from seedsafe_torch.fetching import fetch_above, restamped, through

__all__ = ["AugmentedDataset", "Carrier", "Envelope", "read_into", "reads_batches"]

_ANSWERS = ("raise", "skip", "replace")
_CONVERT_IT = "pass convert=True if only its torchvision transform draws"
_WRAP_IT = "wrap what draws in AugmentedDataset(dataset, seed=..., bridge=True)"
_DROPPED_BY = "seedsafe_torch.loader, or pass collate_fn=seedsafe_torch.skip_collate"


@explain_arguments
class AugmentedDataset(Noting, Forwarding, Dataset[Any]):
    """A dataset whose samples are augmented as a pure function of (seed, epoch, index).

    The epoch comes with the index, from `KeyedSampler` or `loader`, which stamp it in the parent process. With a plain
    loader, the dataset follows `set_epoch`, and warns if an epoch is served twice. Attributes that it lacks, such as
    ``classes`` and ``collate_fn``, come from its base. Setting ``transform`` sets the base's.

    Args:
        base: any map-style dataset: ``base[i]`` with a plain int, and ``len(base)``. A sample that is an array, a PIL image
            or a tensor (C, H, W) is augmented; in a tuple, the first element; in a dict, the entries image, mask, keypoints,
            boxes and audio. Tensors stay tensors, PIL images become arrays, labels stay as they are.
        augment: a Compose or a Transform, or None to augment nothing. Another callable is called as ``augment(part, key=key)`` with
            what a pipeline would get, or with the whole of a dict without such entries.
        seed: the seed of the run, 0 ≤ seed < 2**128.
        targets: names the parts of a sample, ``("image", "mask", None)`` for a tuple, ``{"photo": "image"}`` for a dict.
            "sample" gives the whole sample, its label too, to a callable.
        views: the number of views of each sample, or, instead of `augment`, a list with the pipeline of each,
            ``[weak, strong]``; see ``seedsafe.Views``. Each augmented part becomes a tuple of its views. The base is read once,
            or, with a bridge and no augmentation, once for each view.
        epoch: a fixed epoch for every read, such as ``seedsafe.VALIDATION_EPOCH`` for validation.
        index_offset: a number to add to the index in the key, so that concatenated datasets with one seed differ.
        ids: one integer below 2**64 for each sample. The key takes it instead of the position, so that a sample's
            augmentation stays the same when samples are added: ``ImageFolder.record_ids``, or ``record_index`` of each
            record's name.
        on_error: for a sample that cannot be read or augmented, "raise" raises a SampleError that names it. "replace" takes
            another sample, chosen by the key, with this one's augmentation, and tries at most 16. "skip" marks the sample,
            and the collate function of `loader`, or `skip_collate`, drops it. After "replace" and "skip", `loader` reports
            the failures at the end of each pass, and `failures` lists them.
        check_finite: whether NaN or infinity in a float, read or augmented, is an error of the sample.
        on_unkeyed: for a base that draws random numbers without the sample's key, so that its samples depend on the workers, "raise"
            raises NotReproducible in the first reads, and warns later. "warn" warns once, "allow" does not look.
        bridge: True, or a Bridge: while the base is read, every generator that it uses follows the sample's key.
        convert: True turns the base's torchvision transform into the augmentation, as `convert` does, and reads a copy of
            the base without it. `augment.report` has a line for each transform.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of its range.
        IndexError: there is no such sample.
        SampleError: a sample could not be read or augmented, for whatever reason.
        NotReproducible: the base draws without the sample's key.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> images = [np.full((4, 4), i, np.uint8) for i in range(10)]
        >>> dataset = AugmentedDataset(images, ss.RandomCrop(2), seed=42)
        >>> dataset[7].tolist()
        [[7, 7], [7, 7]]

        A label stays as it is, a mask moves with its image:

        >>> pairs = [(np.arange(4, dtype=np.uint8)[None], i) for i in range(10)]
        >>> [(row.tolist(), label) for row, label in [AugmentedDataset(pairs, ss.HorizontalFlip(p=1), seed=42)[3]]]
        [([[3, 2, 1, 0]], 3)]
        >>> masked = [(image, image * 10) for image, _ in pairs]
        >>> both = AugmentedDataset(masked, ss.HorizontalFlip(p=1), seed=42, targets=("image", "mask"))
        >>> [part.tolist() for part in both[3]]
        [[[3, 2, 1, 0]], [[30, 20, 10, 0]]]

        Two views of each sample, and a fixed epoch for validation:

        >>> [view.shape for view in AugmentedDataset(images, ss.RandomCrop(2), seed=42, views=2)[7]]
        [(2, 2), (2, 2)]
        >>> validation = AugmentedDataset(images, ss.RandomCrop(2), seed=42, epoch=ss.VALIDATION_EPOCH)
        >>> bool((validation[7] == dataset.at(7, epoch=ss.VALIDATION_EPOCH)).all())
        True
    """

    def __init__(
        self,
        base: Any,
        augment: Augment | None = None,
        *,
        seed: SupportsIndex,
        targets: Targets = None,
        views: int | Sequence[Augment] | None = None,
        epoch: SupportsIndex | None = None,
        index_offset: int = 0,
        ids: Any = None,
        on_error: Literal["raise", "skip", "replace"] = "raise",
        check_finite: bool = False,
        on_unkeyed: Literal["raise", "warn", "allow"] = "raise",
        bridge: bool | Bridge = False,
        convert: bool = False,
    ) -> None:
        check_base(base, streams="seedsafe_tf")
        if not hasattr(base, "__getitem__") or isinstance(base, IterableDataset):
            raise TypeError(
                f"base must be a map-style dataset with __getitem__, got {type(base).__qualname__}: a key needs an index. Pass "
                "the dataset first, or use AugmentedIterable for a stream of records"
            )
        if flag("convert", convert):
            base, augment = convert_base(base, augment)
        self.epoch = None if epoch is None else SampleKey(0, epoch, 0).epoch
        self._epoch_calls = (0, 0)  # how often set_epoch was called, and its last epoch, for `loader`
        self._cell = EpochCell(len(base) if hasattr(base, "__len__") else None)
        self._changes = Changes(self._cell.shared)
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
            unkeyed=Unkeyed(on_unkeyed, BRIDGE_IT, *(() if convert else (_CONVERT_IT,))),
            worker=worker_id,
            log=self._cell,
            must_draw=epoch is None,
        )
        self._holds_epoch = False

    def __len__(self) -> int:
        self._cell.hand_on()
        return len(self.reader.base)

    def was_set(self, name: str, *, there: bool) -> None:
        """Note that an attribute was set, for the workers. If the base was changed, look at it again."""
        super().was_set(name, there=there)
        if name == "transform":
            warn_of_erasing()

    def __getitem__(self, index: Any, row: Any = None) -> Any:
        reader, cell = self.reader, self._cell
        if type(index) is SampleIndex and index is not cell.last and self.epoch is None:  # from a loader
            cell.last = index
            if index.epoch != self._changes.begun:
                self._changes.begin(index.epoch)
            return reader.sample(index, row=row)
        if isinstance(index, slice | list | tuple):
            raise TypeError(
                f"index must be one integer, got {index!r}: for several, use torch.utils.data.Subset"
            )
        position = index if type(index) is int and 0 <= index < reader.length else reader.position(index)
        fetch = None
        stamp = index if isinstance(index, SampleIndex) else current()
        if stamp is index:
            _warn_of_wrapper(reader, stamp, cell)
            cell.last = index
        elif stamp is None:
            fetch = fetch_above()  # a wrapper may have dropped the stamp
            stamp = fetch and fetch.stamp()
        epoch = self.epoch
        if stamp is None:
            if epoch is None:
                # Only `set_epoch` sets the epoch. A read by hand may be repeated without a warning.
                epoch = cell.serve(position, fetch and fetch.asked, base_seed)
                fetch = None
            at = SampleIndex(position, epoch)
        else:
            at = SampleIndex(position, stamp.epoch if epoch is None else epoch, stamp.occurrence, stamp.view)
        if self.epoch is not None or at.epoch != self._changes.begun:
            self.begin(at.epoch)
        if fetch is None:
            return reader.sample(at, row=row)
        with fetch.enter(at, reader):
            return reader.sample(at, row=row)

    def __getitems__(self, indices: Sequence[SupportsIndex]) -> list[Any]:
        join_dtypes()
        try:
            return [self[index] for index in restamped(indices, self)]
        except Exception as error:
            hand_on(error, self)
            raise

    def at(
        self,
        index: SupportsIndex,
        *,
        epoch: SupportsIndex,
        occurrence: SupportsIndex = 0,
        view: SupportsIndex = 0,
    ) -> Any:
        """Return a sample as it is in an epoch, without a loader and regardless of the epoch that is set.

        Example:
            >>> import numpy as np
            >>> import seedsafe as ss
            >>> dataset = AugmentedDataset([np.arange(9, dtype=np.uint8)[None]], ss.RandomCrop((1, 3)), seed=42)
            >>> dataset.at(0, epoch=7).tolist()
            [[4, 5, 6]]
        """
        key = SampleKey(0, epoch, 0, occurrence=occurrence, view=view)
        at = SampleIndex(self.reader.position(index), key.epoch, key.occurrence, key.view)
        return self.reader.sample(at, counts=False)

    def set_epoch(self, epoch: SupportsIndex) -> None:
        """Set the epoch for loaders that do not set it themselves, in this process and in its workers.

        Raises:
            ValueError: the epoch is ``VALIDATION_EPOCH``, which is an argument: ``AugmentedDataset(…, epoch=seedsafe.VALIDATION_EPOCH)``.
        """
        number = epoch_to_set(epoch, "an AugmentedDataset")
        if self._holds_epoch:
            return
        self._cell.set_epoch(number)
        self._epoch_calls = (self._epoch_calls[0] + 1, number)

    def hold_epoch(self, epoch: SupportsIndex | None) -> None:
        """Set the epoch and ignore `set_epoch` from now on. None ends that.

        It is for callbacks of trainers whose loaders count passes from 0 again after a resume.
        """
        self._holds_epoch = False
        if epoch is not None:
            self.set_epoch(epoch)
            self._holds_epoch = True

    def __repr__(self) -> str:
        reader = self.reader
        bridge = f", bridge=<{reader.report()}>" * reader.bridged
        return f"AugmentedDataset({_shown(reader.base)}, {reader.augment!r}, seed={reader.seed}{bridge})"


def _warn_of_wrapper(reader: KeyedReader, index: SampleIndex, cell: EpochCell) -> None:
    """Warn if a loader's wrapper reads one index twice. A read by hand does not warn."""
    again = index is cell.last and current() is None and cell.takes_a_look()
    fetch = fetch_above() if again else None
    if fetch is not None:
        at = SampleIndex(reader.position(index), index.epoch, index.occurrence, index.view)
        Repeats(fetch.dataset).warn_within_one(reader.key(at))


_short = Repr()
_short.maxlist = _short.maxtuple = _short.maxdict = _short.maxset = _short.maxfrozenset = _short.maxdeque = 32
_short.maxstring = _short.maxlong = _short.maxother = 500


def _shown(base: Any) -> str:
    """Return a dataset's repr, or its type and length if it is long: the repr of thousands of samples takes seconds."""
    length = length_hint(base)
    return (
        _short.repr(base) if length <= _short.maxlist else f"<{type(base).__qualname__} of length {length}>"
    )


class Carrier(Dataset[Any]):
    """The dataset that a loader's iterator reads: an Envelope that passes on no attributes, because that would slow down each read."""

    passes_on: Final = True

    def __init__(self, dataset: Any, *, on_unkeyed: Literal["raise", "warn", "allow"] = "raise") -> None:
        if isinstance(dataset, IterableDataset) or not hasattr(dataset, "__getitem__"):
            raise TypeError(
                f"dataset must be a map-style dataset with __getitem__, got {type(dataset).__qualname__}: pass the dataset "
                "around an AugmentedDataset, or a stream in an AugmentedIterable to seedsafe_torch.loader"
            )
        self.dataset = dataset
        self._repeats = Repeats(dataset)
        self._draw_checks = DrawChecks(dataset, Unkeyed(on_unkeyed, _WRAP_IT), self._repeats.log, "dataset")

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: int) -> Any:
        return self._draw_checks.read(partial(self._read, index), index)

    def _read(self, index: int) -> Any:
        with self.reading(index):
            return self.dataset[int(index)]

    def reading(self, index: int) -> entered:
        """Return the context in which the datasets inside are read for an index."""
        return entered(stamped(index), self._repeats, int(index))

    def __getitems__(self, indices: Sequence[int]) -> list[Any]:
        join_dtypes()
        try:
            return self._batch(indices)
        except Exception as error:
            hand_on(error, self)
            raise

    def _batch(self, indices: Sequence[int]) -> list[Any]:
        if not reads_batches(self.dataset):
            return [self[index] for index in indices]
        samples: list[Any] = []
        for _, group in groupby(indices, _stamp):  # a Fetch must have one stamp
            part = list(group)
            samples += self._draw_checks.read(partial(self._read_batch, part), part[0], len(part))
        return samples

    def _read_batch(self, part: list[int]) -> Any:
        with entered(stamped(part[0])):
            return self.dataset.__getitems__([int(index) for index in part])


class Envelope(PassesOn, Carrier):
    """The outermost dataset of a loader: it takes the stamp off the index and passes it to the datasets inside.

    A loader from `loader` reads through one. In your own DataLoader, or a trainer's, with a KeyedSampler, add one if the AugmentedDataset
    is inside a wrapper that reads whole batches and maps their indices: ``DataLoader(Envelope(wrapper), sampler=keyed)``. Attributes
    that it lacks are the dataset's.

    Args:
        dataset: any map-style dataset with an AugmentedDataset somewhere inside: a Subset, a StackDataset …
        on_unkeyed: for a dataset that draws random numbers itself, "raise", "warn" or "allow"; see AugmentedDataset.

    Example:
        >>> import numpy as np
        >>> from torch.utils.data import DataLoader, Subset
        >>> import seedsafe as ss
        >>> from seedsafe_torch import AugmentedDataset, KeyedSampler
        >>> photos = AugmentedDataset(np.zeros((4, 8, 8), np.uint8), ss.RandomCrop(2), seed=42)
        >>> chosen = Envelope(Subset(photos, [1, 3]))
        >>> loading = DataLoader(chosen, batch_size=2, sampler=KeyedSampler(range(2), seed=42))
        >>> [tuple(batch.shape) for batch in loading]
        [(2, 2, 2)]
    """

    stands_for = "dataset"


def _stamp(index: int) -> tuple[int, int, int] | None:
    stamp = stamped(index)
    return None if stamp is None else (stamp.epoch, stamp.occurrence, stamp.view)


def read_into(dataset: Any, index: Any, row: Any) -> Any:
    """Return ``dataset[index]`` of an AugmentedDataset or a Carrier, with its first array in the memory of a row if it fits."""
    own, (position,) = through(dataset, (index,))
    if own is dataset:
        return own.__getitem__(index, row)
    with dataset.reading(index):
        return own.__getitem__(position, row)


def reads_batches(dataset: Any) -> bool:
    """Return whether a dataset, or the one in an Envelope or Subset, has its own ``__getitems__``, not ours or torch's."""
    method = getattr(type(through(dataset)[0]), "__getitems__", None)
    ours = method is AugmentedDataset.__getitems__
    return method is not None and not ours and not str(method.__module__).startswith("torch.utils.data.")
