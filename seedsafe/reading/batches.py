"""Batches: collated samples and augmented ready batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from seedsafe.bridging.options import Bridge
from seedsafe.bridging.runner import Runner
from seedsafe.ground.info import TARGETS, Array
from seedsafe.keys.key import SampleIndex, SampleKey, address, op_of
from seedsafe.keys.many import ManyKeys
from seedsafe.pipeline.views import keys_of_views
from seedsafe.reading.bound import Augment, BoundAugment
from seedsafe.reading.forms import form_of, kind_of
from seedsafe.reading.group import AtOnce
from seedsafe.reading.sample import (
    Images,
    Join,
    augment_parts,
    bound_of,
    take_apart,
    targets_of,
    views_of_parts,
)
from seedsafe.reading.steps import apart_from_outer
from seedsafe.reading.targets import Targets

if TYPE_CHECKING:
    from seedsafe.ring import Rows  # it imports multiprocessing, which Pyodide lacks

__all__ = [
    "KeyedCollate",
    "ReadyBatch",
    "augment_batch",
    "collate",
    "count",
    "read_batch",
    "ready_batches",
    "stack",
]


def stack(parts: Sequence[Any], rows: Rows | None = None) -> npt.NDArray[Any]:
    """Stack arrays, numbers or strings of one shape and type into one array, shape (n, ...), without a copy if they are rows of one already."""
    whole = None
    if rows is not None:
        from seedsafe.ring import batch_at  # it imports multiprocessing, which Pyodide lacks

        whole = batch_at(parts)
    if whole is not None:
        return whole
    if any(part is None for part in parts):
        raise TypeError(
            "a sample of the batch has None where an array or a number belongs: leave the entry out of every sample"
        )
    arrays = [np.asarray(part) for part in parts]
    shapes = {array.shape for array in arrays}
    if len(shapes) > 1:
        raise ValueError(
            f"the samples of one batch must have one shape, got {sorted(shapes)}: "
            "end the augmentation with one size, for instance with RandomCrop(size, pad_if_needed=True)"
        )
    # Only strings may differ in dtype, by their lengths: NumPy would turn numbers next to strings into strings.
    types = {array.dtype.kind if array.dtype.kind in "US" else str(array.dtype) for array in arrays}
    if len(types) > 1:
        raise TypeError(
            f"the samples of one batch must have one dtype, got {sorted({str(array.dtype) for array in arrays})}: convert them"
        )
    if arrays[0].dtype == object:
        raise TypeError(
            f"a sample of the batch has a {type(parts[0]).__name__} where an array or a number belongs: convert it"
        )
    return np.stack(arrays)


def collate(samples: Sequence[Any], rows: Rows | None = None) -> Any:
    """Return samples as one batch of NumPy arrays, shape (n, ...). Tuples and dicts keep their structure.

    Args:
        samples: the samples of the batch.
        rows: the rows of a batch in place, some of which the samples' arrays may be, or None.

    Raises:
        TypeError: a part of a sample is None, or the parts' types differ.
        ValueError: the samples differ in structure, or the parts' shapes differ.

    Example:
        >>> collate([(np.zeros(2), 3), (np.ones(2), 4)])
        (array([[0., 0.],
               [1., 1.]]), array([3, 4]))
    """
    first = samples[0]
    if isinstance(first, Mapping):
        for sample in samples:
            if not isinstance(sample, Mapping) or sample.keys() != first.keys():
                raise _unlike("keys", first, sample)
        return {name: collate([sample[name] for sample in samples], rows) for name in first}
    if isinstance(first, tuple | list):
        for sample in samples:
            if not isinstance(sample, tuple | list) or len(sample) != len(first):
                raise _unlike("number of parts", first, sample)
        return tuple(collate(part, rows) for part in zip(*samples, strict=True))
    return stack(samples, rows)


def _unlike(what: str, *pair: Any) -> ValueError:
    first, second = map(_described, pair)
    return ValueError(
        f"the samples of one batch must have the same {what}, got {first} and {second}: return all of them in each sample"
    )


def _described(sample: Any) -> str:
    if isinstance(sample, Mapping):
        return f"the keys {list(sample)}"
    return f"{len(sample)} parts" if isinstance(sample, tuple | list) else f"a {type(sample).__name__}"


def read_batch(
    reader: Any,
    ats: Sequence[SampleIndex],
    *,
    rows: Rows | None = None,
    listed: bool = True,
) -> Any:
    """Read the samples at some positions, and return them as `collate` does.

    Args:
        reader: a KeyedReader.
        ats: the positions, each with its epoch, occurrence and view.
        rows: the rows of a batch in place, or None.
        listed: see `KeyedReader.sample`.
    """
    result = reader.at_once(ats, np.empty if rows is None else rows.room, listed=listed)
    if isinstance(result, AtOnce):
        if result.others is None:
            return result.images
        return result.images, *(collate(part, rows) for part in zip(*result.others, strict=True))
    samples = []
    for number, at in enumerate(ats):
        row = None if rows is None else rows.offer()
        sample = reader.sample(at, listed=listed, row=row) if result is None else result(number, row)
        sample = tuple(sample) if isinstance(sample, list) else sample
        samples.append(sample if rows is None else rows.place(sample))
    return collate(samples, rows)


def augment_batch(
    augment: Augment | BoundAugment,
    batch: Any,
    first: SampleKey,
    targets: Targets = None,
    *,
    limit: int,
    rows: Rows | None = None,
) -> Any:
    """Return a ready batch with each sample augmented at its own key.

    Args:
        augment: a Compose or a Transform.
        batch: an array of shape (n, ...), a tuple whose first element is one, or a dict of such arrays.
        first: the key of the batch's first sample. The indices of the others follow it.
        targets: the targets of the parts; see Targets.
        limit: the largest number of samples.
        rows: the rows of a batch in place, or None.

    Returns:
        A batch of the same form. The parts that are not augmented are the very same objects.

    Raises:
        TypeError: the batch is None, or an augmentable part is not an array.
        ValueError: the targets do not fit, the batch is empty or too large, or the shapes of the augmented samples differ.
    """
    bound = bound_of(augment)
    if bound.mixer is not None:
        raise ready_batches(bound.mixer)
    targets = targets_of(bound, first_of(batch), targets)
    parts, join, columns, number = _opened(batch, targets, bound.labels)
    if not 1 <= number <= limit:
        raise ValueError(
            f"a batch of the base must have from 1 to {limit} samples, got {number}: set a batch_size attribute on the base, "
            "the size of its largest batch, from which the indices of the samples follow"
        )
    if not bound.views:
        return join(_augment_each(bound, parts, columns, number, first, rows))
    each = zip(bound.views, keys_of_views(first, len(bound.views)), strict=True)
    views = [_augment_each(view, parts, columns, number, key, None) for view, key in each]
    return join(views_of_parts(bound, parts, views, targets))


def _augment_each(
    bound: BoundAugment,
    parts: Any,
    columns: dict[str, Any],
    number: int,
    first: SampleKey,
    rows: Rows | None,
) -> Any:
    """Return the parts of a ready batch, augmented; see `augment_batch`."""
    keys = [
        SampleKey(first.seed, first.epoch, first.index + row, occurrence=first.occurrence, view=first.view)
        for row in range(number)
    ]
    if not isinstance(parts, dict):
        whole = _augment_at_once(bound, parts, first, rows)
        if whole is None:
            samples = zip(parts, keys, strict=True)
            whole = stack([_augment_one(bound, sample, key, rows) for sample, key in samples], rows)
        return whole
    results = [
        _augment_one(bound, dict(zip(columns, sample, strict=True)), key, rows)
        for *sample, key in zip(*columns.values(), keys, strict=True)
    ]
    arrays: dict[str, Any] = {}
    for name in columns:
        each = [sample[name] for sample in results]
        several = _are_several(parts[name], name)
        arrays[name] = (
            [stack(column, rows) for column in zip(*each, strict=True)] if several else stack(each, rows)
        )
    return parts | arrays


def _are_several(part: Any, name: str) -> bool:
    """Return whether a part is a list of arrays, each with one mask or one image of every sample."""
    return type(part) is Images or (name == "masks" and isinstance(part, list | tuple))


def ready_batches(mixer: str) -> ValueError:
    """Return the error for a base with ready batches, whose pipeline has a transform that mixes samples."""
    return ValueError(
        f"{mixer} mixes single samples of the dataset, but the base has ready batches: pass samples and batch_size=, or mix the "
        "samples of a batch with mix=BatchMix(...)"
    )


def _augment_at_once(bound: BoundAugment, images: Any, first: SampleKey, rows: Rows | None) -> Array | None:
    """Return a ready batch of images, augmented at once, or None if that is not faster or a sample fails."""
    if bound.many is None or type(images) is not np.ndarray:
        return None

    def keys() -> ManyKeys:
        moment = first.epoch << 32 | first.occurrence << 16 | first.view
        indices = range(first.index, first.index + len(images))
        return ManyKeys.of_run(first.seed, [moment] * len(images), indices)

    return bound.many.at_once(images, keys, np.empty if rows is None else rows.room)


def _augment_one(bound: BoundAugment, sample: Any, key: SampleKey, rows: Rows | None) -> Any:
    """Return an augmented sample, in its row if there are rows."""
    if rows is None:
        return augment_parts(bound, sample, key)
    return rows.place(augment_parts(bound, sample, key, rows.offer()))


class ReadyBatch:
    """The step that augments a ready batch instead of a sample; see `augment_batch`."""

    def __init__(self, targets: Targets, limit: int) -> None:
        self._targets, self._limit = targets, limit

    def augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        """Return the augmented batch, in rows if there are any. The views of a batch are not in rows."""
        if bound.views:
            key = SampleKey(key.seed, key.epoch, key.index, occurrence=key.occurrence, view=at.view)
        return apart_from_outer(augment_batch, bound, sample, key, self._targets, limit=self._limit, rows=row)


def first_of(batch: Any) -> Any:
    """Return the first sample of a ready batch, with None for parts that have no samples; see `implied_targets`."""
    if isinstance(batch, dict):
        return {name: first_of(part) for name, part in batch.items()}
    if isinstance(batch, tuple | list):
        return tuple(first_of(part) for part in batch)
    return batch[0] if getattr(batch, "shape", None) and len(batch) else None


def count(batch: Any, targets: Targets = None) -> int:
    """Return the number of samples in a ready batch."""
    return _opened(batch, targets)[-1]


def _opened(
    batch: Any, targets: Targets, labels: tuple[str, ...] = ()
) -> tuple[Any, Join, dict[str, Any], int]:
    """Return the parts of a ready batch, what joins them, those that are augmented, by name, and the number of samples."""
    if targets == "sample":
        raise ValueError(
            f"a whole sample goes to augment, but the base has ready batches, such as {kind_of(batch)}: pass a base of samples "
            "with batch_size=, or name the parts with targets={key: target}"
        )
    parts, join = take_apart(batch, targets)
    columns = _columns(parts, labels)
    lengths = {
        name: len(column) if isinstance(column, list) or np.ndim(column) else 0
        for name, column in columns.items()
    }
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"the parts of a ready batch must have the same number of samples, got {lengths}: check the batches of the base"
        )
    return parts, join, columns, next(iter(lengths.values()))


def _columns(parts: Any, labels: tuple[str, ...]) -> dict[str, Any]:
    """Return the parts of a ready batch that are augmented, by name."""
    columns = {"batch": parts}
    if isinstance(parts, dict):
        columns = {name: parts[name] for name in (*TARGETS, *labels) if name in parts}
    for name, column in columns.items():
        if _are_several(column, name):
            columns[name] = [list(row) for row in zip(*column, strict=True)]
    for name, column in columns.items():
        if form_of(column) is not None:
            raise TypeError(
                f"the {name} of a ready batch must be a NumPy array, got {kind_of(column)}: convert it, tensors of images to "
                "(N, H, W, C)"
            )
    return columns


_COLLATE: Final = op_of("seedsafe/collate")


class KeyedCollate:
    """A collate function run with every generator keyed by the first index that the batch was asked for.

    The generators that it keeps are keyed like those of a bridged dataset, and its first calls are checked like the dataset's reads.

    Args:
        collate: the collate function.
        seed: the seed of the bridged dataset.
        options: the options of its bridge.
        first: returns the first index of the batch under way, or None if it is unknown, which keys nothing.

    Example:
        >>> import random
        >>> asked = iter([SampleIndex(index, epoch=0) for index in (8, 9, 8)])
        >>> keyed = KeyedCollate(lambda samples: random.choice(samples), 42, Bridge(), lambda: next(asked))
        >>> [keyed([1, 2, 3]) for _ in range(3)]
        [2, 1, 2]
    """

    def __init__(
        self, collate: Callable[[Any], Any], seed: int, options: Bridge, first: Callable[[], Any]
    ) -> None:
        self.collate, self._seed, self._first = collate, seed, first
        name = getattr(collate, "__qualname__", type(collate).__qualname__)
        self._runner = Runner(collate, options, f"the collate function {name}")

    def __call__(self, samples: Any) -> Any:
        """Return the batch.

        Raises:
            NotReproducible: the function has randomness that a bridge does not reach, or keeps something from batch to batch.
        """
        first = self._first()
        if first is None:
            return self.collate(samples)
        key = SampleKey(self._seed, first.epoch, int(first), occurrence=first.occurrence, view=first.view)
        again = lambda _: self.collate(_copy(samples))
        return self._runner.run(address(key, _COLLATE), lambda _: self.collate(samples), repeatable=again)


def _copy(samples: Any) -> Any:
    """Return copies of samples, since a collate function may take parts out of them, or themselves if they cannot be copied."""
    with suppress(Exception):  # any object of the user's
        return deepcopy(samples)
    return samples
