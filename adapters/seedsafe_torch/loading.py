"""loader and peek: DataLoaders over keyed samples."""

from __future__ import annotations

import multiprocessing
import pickle
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from inspect import signature
from typing import Any, Final, Literal, SupportsIndex, TypedDict, Unpack, overload

import numpy as np
import torch
from torch.utils.data import (
    ConcatDataset,
    DataLoader,
    IterableDataset,
    SequentialSampler,
    Subset,
    default_collate,
    default_convert,
)

from seedsafe import SampleKey
from seedsafe.reading import (
    CheckedCollate,
    KeyedCollate,
    Unkeyed,
    WarningLog,
    check_base,
    explain_arguments,
    flag,
    nested,
    outermost,
    parts,
    walk,
)
from seedsafe_torch.collating import MixCollate, collate_tensors, collate_with_keys
from seedsafe_torch.conversion.pipeline import Converted, ConvertedViews
from seedsafe_torch.dataset import AugmentedDataset
from seedsafe_torch.delivery import KeyedLoader, first_batches
from seedsafe_torch.faults import batch_or_skip, one_or_skip
from seedsafe_torch.fetching import first_asked
from seedsafe_torch.in_place import collate as in_place_collate
from seedsafe_torch.in_place import in_place_or_not
from seedsafe_torch.iterable import AugmentedIterable
from seedsafe_torch.order import EpochOrder
from seedsafe_torch.sampler import KeyedSampler, keyed_of
from seedsafe_torch.streaming import StreamLoader

__all__ = ["check_distinct", "loader", "peek"]

_TORCHS: Final = (default_collate, default_convert, in_place_collate)
"""Collate functions that draw nothing, and take arrays as they take tensors."""


class _Options(TypedDict, total=False):
    """The arguments of `loader`, by which type checkers and editors know a wrong name: its own, and DataLoader's."""

    batch_size: int | None
    shuffle: bool
    order: Literal["stored", "addressed"]
    sampler: Any
    batch_sampler: Any
    seed: SupportsIndex | None
    epoch: SupportsIndex | None
    generator: torch.Generator | None
    in_place: bool | None
    keys: bool
    on_unkeyed: Literal["raise", "warn", "allow"] | None
    num_workers: int
    collate_fn: Callable[[list[Any]], Any] | None
    pin_memory: bool
    drop_last: bool
    timeout: float
    worker_init_fn: Callable[[int], Any] | None
    multiprocessing_context: Any
    prefetch_factor: int | None
    persistent_workers: bool
    pin_memory_device: str
    in_order: bool


@overload
def loader(dataset: AugmentedIterable, **options: Unpack[_Options]) -> StreamLoader: ...
@overload
def loader(dataset: Any, **options: Unpack[_Options]) -> KeyedLoader: ...
@explain_arguments
def loader(
    dataset: Any,
    *,
    batch_size: int | None = 1,
    shuffle: bool = False,
    order: Literal["stored", "addressed"] = "stored",
    sampler: Any = None,
    batch_sampler: Any = None,
    seed: SupportsIndex | None = None,
    epoch: SupportsIndex | None = None,
    generator: torch.Generator | None = None,
    in_place: bool | None = None,
    keys: bool = False,
    on_unkeyed: Literal["raise", "warn", "allow"] | None = None,
    **options: Any,
) -> KeyedLoader | StreamLoader:
    """Return a DataLoader over keyed samples: content and order are the same for any number of workers.

    Each pass is the next epoch, without any call in between. If the dataset skips or replaces failed samples (``on_error``),
    the DataLoader reports them at the end of each pass, and leaves out batches whose samples all failed.

    Args:
        dataset: an AugmentedDataset, or any dataset with one inside (Subset, ConcatDataset, StackDataset …); or an
            AugmentedIterable, which has its own seed, epoch and order.
        batch_size: as in DataLoader.
        shuffle: order the samples of each epoch by (seed, epoch).
        order: "addressed" shuffles in an order that is computed sample by sample, and takes no memory; see ``seedsafe.epoch_order``.
        sampler: any sampler of indices; it is wrapped in a KeyedSampler unless it is one.
        batch_sampler: any sampler of batches, instead of batch_size, shuffle, sampler and drop_last.
        seed: the seed of the order; by default the dataset's.
        epoch: a fixed epoch for every pass, such as ``seedsafe.VALIDATION_EPOCH`` for validation.
        generator: the DataLoader's generator; by default a private one, so that the global one stays unchanged.
        in_place: whether to write samples directly into the memory of their batch, which the training process sees. That
            saves copies, and page faults in each batch. By default it happens if there is no collate_fn and the system
            allows it; `why_not_in_place` returns the reason if it does not. True raises an error where it is impossible.
            The batches are equal either way.
        keys: True delivers the samples' keys with each batch, for `seedsafe_torch.draws`: an int64 tensor (N, 4), the last entry of
            a tuple or list, the entry "keys" of a dict. Through Subset and ConcatDataset they are those of the AugmentedDataset
            inside; in other wrappers, their index is the position in `dataset`.
        on_unkeyed: for a dataset, or a wrapper around an AugmentedDataset, that draws random numbers itself: "raise" (the default),
            "warn" or "allow"; see AugmentedDataset, which has an `on_unkeyed` of its own for its base. There is a warning for a
            collate function that draws, unless one of these is "allow".
        options: DataLoader's other arguments.

    Raises:
        TypeError: the dataset is iterable-style, or an argument is none of these and none of DataLoader's.
        ValueError: arguments cannot be used together, there is no seed, two samples would have one key, or spawned
            workers need something that cannot be pickled.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> dataset = AugmentedDataset(np.zeros((8, 4, 4), np.uint8), ss.RandomCrop(2), seed=42)
        >>> [tuple(batch.shape) for batch in loader(dataset, batch_size=4, shuffle=True)]
        [(4, 2, 2), (4, 2, 2)]

        Part of a dataset, whose samples keep their keys, and a fixed epoch for validation:

        >>> from torch.utils.data import Subset
        >>> [tuple(batch.shape) for batch in loader(Subset(dataset, [1, 3, 5]), batch_size=2)]
        [(2, 2, 2), (1, 2, 2)]
        >>> validation = loader(dataset, batch_size=8, epoch=ss.VALIDATION_EPOCH)
        >>> [bool((first == second).all()) for first, second in zip(validation, validation)]
        [True]

        A run that is stopped after two batches, and resumed in another loader:

        >>> numbers = AugmentedDataset(np.arange(6), seed=42)
        >>> stopped = loader(numbers, batch_size=2)
        >>> batches = iter(stopped)
        >>> next(batches), next(batches), stopped.state_dict()["yielded"]
        (tensor([0, 1]), tensor([2, 3]), 4)
        >>> resumed = loader(numbers, batch_size=2)
        >>> resumed.load_state_dict(stopped.state_dict())
        >>> list(resumed)
        [tensor([4, 5])]
    """
    flag("shuffle", shuffle)
    _check_options(options)
    if flag("keys", keys) and isinstance(dataset, IterableDataset):
        raise ValueError(
            "keys=True needs a map-style dataset, whose samples have an index, got a stream: pass a callable as its augment=, which "
            "gets each record's key"
        )
    if on_unkeyed is not None and isinstance(dataset, AugmentedDataset | AugmentedIterable):
        raise ValueError(
            f"on_unkeyed={on_unkeyed!r} is an argument of the {type(dataset).__name__}, which reads what may draw: pass it there"
        )
    if isinstance(dataset, AugmentedIterable):
        own = {
            "shuffle": shuffle or None,
            "order": None if order == "stored" else order,
            "sampler": sampler,
            "batch_sampler": batch_sampler,
            "seed": seed,
            "epoch": epoch,
        }
        return _stream_loader(dataset, own, in_place, batch_size=batch_size, generator=generator, **options)
    if isinstance(dataset, IterableDataset):
        raise TypeError(
            "dataset must be map-style, got an IterableDataset, whose samples have no index for a key: wrap its source in "
            "AugmentedIterable, which takes keys from the records' ids"
        )
    check_distinct(dataset)
    check_base(dataset, name="dataset", streams="seedsafe_tf")
    seed, epoch = _seed_and_epoch(dataset, sampler, batch_sampler, seed, epoch)
    keyed = _keyed(dataset, shuffle, order, sampler, batch_sampler, seed, epoch)
    if batch_sampler is None:
        options |= {"batch_size": batch_size, "sampler": keyed}
    elif batch_size == 1:
        options["batch_sampler"] = keyed
    else:
        raise ValueError(
            f"batch_size={batch_size} and batch_sampler cannot be used together: leave one of them out"
        )
    options["generator"] = _generator(seed) if generator is None else generator
    in_batches = batch_size is not None or batch_sampler is not None
    collate = options.get("collate_fn")
    if isinstance(collate, MixCollate) and collate.seed is None:
        options["collate_fn"] = replace(collate, seed=SampleKey(seed, 0, 0).seed)
    options["in_place"] = in_place_or_not(in_place, in_batches, options)
    options["on_unkeyed"] = on_unkeyed or "raise"
    if keys and not in_batches:
        raise ValueError("keys=True adds keys to batches, got batch_size=None: pass a batch size")
    seed_of_keys = SampleKey(seed, 0, 0).seed if keys else None
    result = _keyed_loader(dataset, in_batches, options, seed_of_keys)
    _check_picklable(result)
    return result


def _check_options(options: dict[str, Any]) -> None:
    """Raise a TypeError for an argument that a DataLoader does not take."""
    takes = signature(DataLoader).parameters
    for name in options.keys() - takes:
        near = get_close_matches(name, (*takes, *signature(loader).parameters), 1)
        raise TypeError(
            f"loader has no {name}: {f'did you mean {near[0]}? ' if near else ''}It takes the arguments of torch.utils.data.DataLoader"
        )


def _stream_loader(
    stream: AugmentedIterable, order: dict[str, Any], in_place: bool | None, **options: Any
) -> StreamLoader:
    """Return the loader of a stream. `order` has the arguments that a stream takes none of, each None if it is left out."""
    wrong = sorted(name for name, value in order.items() if value is not None)
    if wrong:
        raise ValueError(
            f"{', '.join(wrong)} cannot be set for a stream, which has its own order, seed and epoch: leave them out"
        )
    in_place_or_not(in_place, options["batch_size"] is not None, options)  # a stream has no rows
    if options.get("collate_fn") is not None:
        options["collate_fn"] = _checked(options["collate_fn"], stream.unkeyed.answer, WarningLog())
    options["generator"] = options["generator"] or _generator(stream.seed)
    result = StreamLoader(stream, **options)
    _check_picklable(result)
    return result


def _seed_and_epoch(
    dataset: Any, sampler: Any, batch_sampler: Any, seed: SupportsIndex | None, epoch: SupportsIndex | None
) -> tuple[SupportsIndex, SupportsIndex | None]:
    """Return the seed of the order and the fixed epoch, if any: the arguments, or else those of the datasets inside.

    Raises:
        ValueError: there is no seed, or the arguments differ from what the sampler or a dataset has.
    """
    found = list(outermost(dataset))
    if isinstance(sampler, KeyedSampler) or isinstance(batch_sampler, KeyedSampler):
        if seed is not None or epoch is not None:
            raise ValueError(
                f"a KeyedSampler has its own seed and epochs, got seed={seed!r} and epoch={epoch!r} as well: pass them to the "
                "sampler instead"
            )
    elif epoch is not None and any(inside.epoch not in (None, epoch) for inside in found):
        raise ValueError(
            f"epoch={epoch!r} differs from the dataset's fixed epoch, which its samples would keep: leave one of them out"
        )
    if seed is None and not found:
        raise ValueError(
            "seed is missing, and the dataset has no AugmentedDataset inside to take it from: wrap it, AugmentedDataset(dataset, seed=42), or pass seed="
        )
    if epoch is None and found and all(inside.epoch is not None for inside in found):
        epoch = found[0].epoch
    return found[0].seed if seed is None else seed, epoch


def _generator(seed: SupportsIndex) -> torch.Generator:
    """Return a generator for DataLoader's own draws, so that the global one stays unchanged."""
    return torch.Generator().manual_seed(SampleKey(seed, 0, 0).seed % 2**63)


def _checked(collate: Callable[[Any], Any], answer: str, log: WarningLog) -> Callable[[Any], Any]:
    """Return a collate function that is checked for draws, unless it is torch's, or they are allowed."""
    if answer == "allow" or collate in _TORCHS:
        return collate
    return CheckedCollate(collate, Unkeyed("warn"), log, first_asked)


def _keyed_loader(dataset: Any, in_batches: bool, options: Any, seed_of_keys: int | None) -> KeyedLoader:
    """Return the loader. It delivers keys if they have a seed."""
    collate = options.get("collate_fn") or (default_collate if in_batches else default_convert)
    if collate not in _TORCHS and not isinstance(collate, MixCollate) and _returned_tensors(dataset):
        collate = options["collate_fn"] = partial(collate_tensors, collate=collate)
    inside = next(nested(dataset), None)
    bridged = next((inside.reader for inside in nested(dataset) if inside.bridged), None)
    if bridged is not None:
        is_users = collate not in _TORCHS
        bridged.listen(collates=is_users)
        if is_users:
            collate = KeyedCollate(collate, bridged.seed, bridged.bridge, first_asked)
            options["collate_fn"] = collate
    elif inside is not None and "collate_fn" in options:
        answer = Unkeyed(options["on_unkeyed"]).mildest(dataset)
        collate = options["collate_fn"] = _checked(collate, answer, inside.reader.repeats.log)
    if any(inside.faults.on_error == "skip" for inside in nested(dataset)):
        options["collate_fn"] = partial(batch_or_skip if in_batches else one_or_skip, collate=collate)
    if seed_of_keys is not None:
        collate = options.get("collate_fn") or default_collate
        options["collate_fn"] = partial(collate_with_keys, collate=collate, seed=seed_of_keys)
    return KeyedLoader(dataset, **options)


def _returned_tensors(dataset: Any) -> bool:
    """Return whether a dataset has transforms of torchvision converted that returned tensors."""
    pipelines = [inside.reader.augment for inside in nested(dataset)]
    return any(isinstance(one, Converted | ConvertedViews) and one.tensors for one in pipelines)


def _keyed(
    dataset: Any, shuffle: bool, order: Any, sampler: Any, batch_sampler: Any, seed: Any, epoch: Any
) -> KeyedSampler:
    if order != "stored" and not shuffle:
        raise ValueError(f"order={order!r} is an order to shuffle in: pass shuffle=True, or leave it out")
    if shuffle and (sampler is not None or batch_sampler is not None):
        raise ValueError("shuffle=True and a sampler cannot be used together: leave one of them out")
    if sampler is not None and batch_sampler is not None:
        raise ValueError("sampler and batch_sampler cannot be used together: leave one of them out")
    inner = batch_sampler if batch_sampler is not None else sampler
    if inner is None:
        inner = EpochOrder(dataset, seed=seed, order=order) if shuffle else SequentialSampler(dataset)
    if isinstance(inner, KeyedSampler):
        return inner
    return KeyedSampler(inner, seed=seed, epoch=epoch)


def peek(loading: DataLoader[Any]) -> Any:
    """Return the first batch of the next pass, read in this process, without beginning the pass.

    Raises:
        TypeError: the loader has no KeyedSampler.
        ValueError: the next pass is empty.

    Example:
        >>> import numpy as np
        >>> loading = loader(AugmentedDataset(np.zeros((8, 4, 4), np.uint8), seed=42), batch_size=4)
        >>> tuple(peek(loading).shape)
        (4, 4, 4)
    """
    keyed = keyed_of(loading) if isinstance(loading, DataLoader) else None
    if keyed is None:
        raise TypeError(
            f"loading must be a DataLoader with a KeyedSampler, got {loading!r}: make one with seedsafe_torch.loader"
        )
    first = first_batches(loading, keyed, 1)
    if not first:
        raise ValueError(
            "loading has no batch, because its next pass is empty: use a dataset or sampler with entries"
        )
    return first[0]


def _check_picklable(loading: DataLoader[Any]) -> None:
    context = loading.multiprocessing_context
    method = context.get_start_method() if context is not None else multiprocessing.get_start_method()
    if not loading.num_workers or method == "fork":
        return
    for name in ("dataset", "collate_fn", "worker_init_fn"):
        try:
            pickled = pickle.dumps(getattr(loading, name))
            interactive = not hasattr(sys.modules["__main__"], "__file__")
            if interactive and b"\x8c\x08__main__" in pickled:  # the name of a module, as pickle writes it
                raise ValueError(
                    "it has a class or function of an interactive __main__, which workers cannot import"
                )
        except Exception as error:
            raise ValueError(
                f"{name} must be picklable for workers started by {method!r}, but is not ({error}): "
                "define its classes and functions at the top level of a module, without lambdas"
            ) from error


def check_distinct(dataset: Any) -> None:
    """Raise a ValueError if torch's own wrappers would serve one key twice in a pass, whatever the sampler."""
    for inside in walk(dataset):
        if isinstance(inside, ConcatDataset):
            before: list[tuple[int, Any]] = []
            for keyed, indices in (keys for part in inside.datasets for keys in _key_indices(part)):
                if any(seed == keyed.seed and _overlap(indices, others) for seed, others in before):
                    raise ValueError(
                        f"concatenated datasets share the seed {keyed.seed} and indices, so their samples would "
                        "be augmented alike: pass index_offset=, the sum of the lengths before, or another seed"
                    )
                before.append((keyed.seed, indices))
        elif isinstance(inside, Subset) and any(
            keyed.augment or keyed.bridged for keyed in outermost(inside)
        ):
            positions = np.asarray(inside.indices)
            if len(np.unique(positions)) < len(positions):
                raise ValueError(
                    "a Subset has an index more than once, so its samples would be augmented alike: leave the Subset out and "
                    "pass its indices as sampler="
                )


def _key_indices(part: Any, subset: Any = None) -> Iterator[tuple[AugmentedDataset, Any]]:
    """Yield the outermost AugmentedDatasets of a dataset, each with the indices of its keys that are read."""
    if isinstance(part, AugmentedDataset):
        if part.ids is not None:
            yield part, part.ids if subset is None else part.ids[subset]
        elif subset is None:
            yield part, range(part.index_offset, part.index_offset + len(part))
        else:
            yield part, subset + part.index_offset
    elif isinstance(part, Subset):
        positions = np.asarray(part.indices)
        yield from _key_indices(part.dataset, positions if subset is None else positions[subset])
    else:
        for inside in parts(part):
            yield from _key_indices(inside)


def _overlap(first: Any, second: Any) -> bool:
    """Return whether two ranges or arrays of indices have an index in common."""
    if isinstance(first, range) and isinstance(second, range):
        return max(first.start, second.start) < min(first.stop, second.stop)
    if isinstance(first, range):
        first, second = second, first
    if isinstance(second, range):
        return bool(((first >= second.start) & (first < second.stop)).any())
    return bool(np.intersect1d(first, second, assume_unique=True).size)
