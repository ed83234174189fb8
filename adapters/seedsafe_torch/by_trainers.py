"""What trainers do that no key follows, told."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Any

from seedsafe.reading import walk
from seedsafe_torch import frames

__all__ = ["UNKEYED", "hand_on", "warn_of_erasing", "warn_of_skipping"]

UNKEYED = (
    "timm's prefetcher erases in the training process, where there is no key: pass use_prefetcher=False to create_loader, "
    "which then erases in each sample, or re_prob=0"
)


def warn_of_erasing() -> None:
    """Warn if timm's ``create_loader`` is making such a loader of what calls this function, or such a prefetcher reads it."""
    erases = any(
        names.get("use_prefetcher")
        and names.get("is_training")
        and not names.get("no_aug")
        and names.get("re_prob", 0) > 0
        for names in frames.names_in("create_loader")
    )
    reading = frames.objects_in("__iter__")
    if erases or any(getattr(one, "random_erasing", None) is not None for one in reading):
        warnings.warn(UNKEYED, stacklevel=frames.users_level())


def warn_of_skipping(stream: Any) -> None:
    """Warn if Hugging Face's Trainer sets a stream's epoch to resume within it, and the stream has no length to count epochs by."""
    with suppress(TypeError, NotImplementedError):
        len(stream)
        return
    for names in frames.names_in("_run_epoch"):
        steps = names.get("steps_trained_in_current_epoch", 0)
        if steps and names.get("epoch") == names.get("epochs_trained"):
            warnings.warn(
                f"Hugging Face's Trainer takes a stream without a length for one epoch, and to resume skips {steps} batches of epoch "
                f"{names['epoch']}. If the epoch has fewer, it reads the next one from its start, and samples come twice: give the source a "
                "__len__ that counts its records",
                stacklevel=frames.users_level(),
            )


def hand_on(error: Exception, dataset: Any) -> None:
    """Pass an error of a dataset to the thread that trains, if MONAI's ThreadDataLoader reads the dataset in another one.

    Its reading thread ends with the error, and the pass would then end as if there were no more batches.
    """
    for reading in frames.objects_in_threads("enqueue_values"):
        read = getattr(getattr(reading, "src", None), "_dataset", None)
        if hasattr(reading, "buffer") and any(found is dataset for found in walk(read)):
            reading.buffer = _Failed(reading.buffer, error)


class _Failed:
    """The queue of a thread that has failed: it gives what is left in it, and then raises the error, once."""

    def __init__(self, queue: Any, error: Exception) -> None:
        self._queue, self._error = queue, error
        self._raised = False

    def empty(self) -> bool:
        return self._raised

    def put(self, batch: Any, timeout: float | None = None) -> None:
        self._queue.put(batch, timeout=timeout)

    def get(self, timeout: float | None = None) -> Any:
        if not self._queue.empty():
            return self._queue.get(timeout=timeout)
        self._raised = True
        raise self._error
