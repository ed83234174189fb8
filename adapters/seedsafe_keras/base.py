"""Bases of an AugmentedSequence: length and batch size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, SupportsIndex

from seedsafe import SampleKey
from seedsafe.reading import Targets, checked_int, count, entered
from seedsafe_keras import framework as frameworks

__all__ = ["PAIRS", "batch_size_of", "check_together", "length", "uncalled_hooks"]


PAIRS: Final = (
    "for two flows of images and masks with one seed pass AugmentedSequence((image_flow, mask_flow), seed=..., convert=True); for "
    'arrays, AugmentedSequence(list(zip(images, masks)), augment, targets=("image", "mask"), seed=..., batch_size=...)'
)
"""What to write instead of an iterator over batches, such as ``zip(image_flow, mask_flow)``."""


def length(base: Any) -> int:
    """Return the number of a base's ready batches or samples."""
    units = getattr(base, "num_batches", None) if frameworks.framework_of(base) else None
    if units is None:
        try:
            units = len(base)
        except TypeError:
            way_out = PAIRS if hasattr(base, "__next__") else "define __len__ on it"
            raise TypeError(f"base must have a length, got {type(base).__name__}: {way_out}") from None
    if units < 1:
        raise ValueError(f"base must have at least one sample or batch, got {units}: check the data")
    return int(units)


def batch_size_of(base: Any, batch_size: SupportsIndex | None, targets: Targets, key: SampleKey) -> int:
    """Return the size of the base's ready batches, whose first one may be read with a key, or the batch size argument."""
    return _ready_size(base, targets, key) if batch_size is None else _sample_size(base, batch_size)


def _ready_size(base: Any, targets: Targets, key: SampleKey) -> int:
    """Return the size of a base's ready batches, from its attribute or its first batch."""
    if frameworks.framework_of(base) is None:
        raise TypeError(
            f"batch_size is missing, and {type(base).__name__} is not a Keras Sequence of ready batches: pass the number of "
            "samples in a batch"
        )
    size = getattr(base, "batch_size", None)
    if size is not None:
        return checked_int("base.batch_size", size, 1, 2**48, "set it to the size of the largest batch")
    with entered(None, key=key):
        return max(count(base[0], targets), 1)


def _sample_size(base: Any, batch_size: SupportsIndex) -> int:
    """Return the batch size argument for a base of samples."""
    if frameworks.framework_of(base) is not None:
        raise ValueError(
            f"batch_size={batch_size!r} needs a base of samples, but {type(base).__name__} is a Keras Sequence of ready "
            "batches: leave it out"
        )
    return checked_int("batch_size", batch_size, 1, 2**48, "pass the number of samples in a batch")


def uncalled_hooks(base: Any) -> Iterator[str]:
    """Yield the names of the epoch hooks that the class of a Sequence defines itself, because Keras does not call a base's."""
    for hook in ("on_epoch_end", "on_epoch_begin"):
        defined = getattr(type(base), hook, None)
        if defined is not None and defined.__module__.partition(".")[0] not in ("keras", "tf_keras"):
            yield hook


def check_together(*, batch_size: Any, ids: Any, on_error: str, epoch: Any, repeat: bool) -> None:
    """Raise a ValueError for options that cannot be used together."""
    if repeat and epoch is not None:
        raise ValueError(
            f"repeat=True counts the epochs by itself, got epoch={epoch!r} as well: leave one of them out"
        )
    if batch_size is None and (ids is not None or on_error == "replace"):
        option = "on_error" if ids is None else "ids"
        raise ValueError(
            f"{option} needs a base of samples, but the base has ready batches: pass the samples and batch_size="
        )
