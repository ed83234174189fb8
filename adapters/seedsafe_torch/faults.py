"""Failed samples in torch's loaders: skip_collate drops them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from torch.utils.data import default_collate, get_worker_info

from seedsafe.reading import SampleError, Skipped, leaves, process_name

__all__ = ["Whole", "batch_or_skip", "has_failed", "one_or_skip", "skip_collate", "worker_id"]


class Whole(list[Any]):
    """The samples of a batch, none of which failed."""


def worker_id() -> int | str | None:
    """Return the number of this DataLoader worker, the name of any other child process, or None in the main process."""
    info = get_worker_info()
    return process_name() if info is None else info.id


def skip_collate(samples: Sequence[Any], collate: Callable[[Any], Any] = default_collate) -> Any:
    """Collate the samples that did not fail: the collate function for ``on_error="skip"``.

    `loader` puts it around the loader's own collate function. If a sample contains a failed one, as in a StackDataset, the
    whole sample is dropped.

    Args:
        samples: the samples of a batch, as a DataLoader passes them.
        collate: returns the batch; ``functools.partial(skip_collate, collate=...)`` sets another function.

    Raises:
        SampleError: all samples of the batch failed. `loader` leaves such batches out instead.

    Example:
        >>> import torch
        >>> from torch.utils.data import DataLoader
        >>> dataset = [torch.zeros(2), Skipped(1, "OSError: it is gone")]
        >>> loading = DataLoader(dataset, batch_size=2, collate_fn=skip_collate)
        >>> [tuple(batch.shape) for batch in loading]
        [(1, 2)]
    """
    whole = [sample for sample in samples if not has_failed(sample)]
    if whole:
        return collate(whole)
    first = next(_marks(samples))
    raise SampleError(
        f"all {len(samples)} samples of a batch failed, the first, {first.index}, with {first.reason}: make the loader "
        'with seedsafe_torch.loader, which leaves such batches out, or pass on_error="replace"',
        index=first.index,
    )


def one_or_skip(sample: Any, collate: Callable[[Any], Any]) -> Any:
    """Return a converted sample without a batch, or its mark if it failed."""
    return next(_marks(sample), None) if has_failed(sample) else collate(sample)


def batch_or_skip(samples: Sequence[Any], collate: Callable[[Any], Any]) -> Any:
    """Return a batch of the samples that did not fail, or the mark of one if all did."""
    if isinstance(samples, Whole):
        return collate(samples)
    return next(_marks(samples)) if all(map(has_failed, samples)) else skip_collate(samples, collate)


def has_failed(sample: Any) -> bool:
    """Return whether a sample failed, or contains one that did."""
    return any(type(part) is Skipped for _, part in leaves(sample))  # for each sample, so not by `_marks`


def _marks(sample: Any) -> Iterator[Skipped]:
    return (part for _, part in leaves(sample) if type(part) is Skipped)
