"""Who calls a sampler: trainers and loops.

A sampler asks its Caller six questions: which epoch does it mean by the number that it sets, has it read that epoch before, does it share the
indices out, does it only count them, does it leave passes by design, and which DataLoader's workers may be ahead of training? A trainer is
known by a documented class or attribute where there is one, else by the frames of its functions: Lightning and Fabric pass on a plain integer,
TorchIO reads a sampler to count.
That costs a look at the calling frames when a pass begins or an epoch is set, and nothing per sample. Seen in Accelerate 1.15, Lightning 2.6,
TorchIO 1.2, timm 1.0, transformers 5 and MONAI 1.6.

What else depends on a trainer needs no Caller: most trainers' epoch and position after a resume come from a callback, from an argument, or
from a line of the user's in the trainer's own event (docs/how-to/trainers.md).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from queue import Queue
from typing import Any, SupportsIndex
from weakref import ref

from torch.utils.data import DistributedSampler, get_worker_info

from seedsafe.reading import walk
from seedsafe_torch import frames
from seedsafe_torch.order import chain_of, samplers_of
from seedsafe_torch.passes import length_of

__all__ = [
    "UNKEYED",
    "Caller",
    "base_seed",
    "caller_of",
    "hand_on",
    "passes_of",
    "sharing_error",
    "warn_of_erasing",
    "warn_of_look",
    "warn_of_skipping",
]

UNKEYED = (
    "timm's prefetcher erases in the training process, where there is no key: pass use_prefetcher=False to create_loader, "
    "which then erases in each sample, or re_prob=0"
)


class Caller:
    """The code that sets a sampler's epoch or draws its indices. This one is a plain loop; subclasses for trainers override what differs.

    Args:
        answers: whether the numbers that it sets count its own passes, from 0 in each process, whatever state was loaded (`counts_passes`);
            whether it reads the entries to know their number, and delivers none of them (`only_counts`); whether it may leave a pass after
            any batch because another loader has ended (`leaves_passes`); and the DistributedSampler around the sampler, such as the one that
            Lightning wraps it in, which divides the indices among ranks (`wrapper`). For a trainer, what else it is known by.

    Example:
        >>> caller = Caller()
        >>> caller.counts_passes, caller.epoch(3, latest=2), caller.iterator(None) is None
        (False, 3, True)
    """

    counts_passes = only_counts = leaves_passes = False
    wrapper: Any = None

    def __init__(self, **answers: Any) -> None:
        vars(self).update(answers)

    def epoch(self, number: SupportsIndex, latest: int | None) -> SupportsIndex:
        """Return the epoch of the next pass, after the caller has set a number.

        Args:
            number: the argument of ``set_epoch``.
            latest: the epoch of the latest pass, if that has ended.
        """
        return number

    def has_read(self, epoch: int, loaded: int) -> bool:
        """Return whether the caller had finished a pass of this epoch when it stored a state, which begins with epoch `loaded`."""
        return False

    def check_shares(self, ranks: int, *, fixed: bool) -> None:
        """Raise a ValueError if the caller shares the sampler's indices out in a way that loses or repeats samples.

        Args:
            ranks: how many ranks the sampler itself shares its indices out to.
            fixed: whether all its passes have one epoch, with which a wrapper does no harm.
        """
        if self.wrapper is not None and not fixed:
            raise sharing_error(self.wrapper)

    def iterator(self, sampler: Any) -> Callable[[], Any] | None:
        """Return a weak reference to the DataLoader iterator that draws the indices, whose workers may read ahead, or None."""
        drawing = frames.objects_in("_next_index")
        found = (one for one in drawing if hasattr(one, "_num_yielded") and not _draws_others(one, sampler))
        return next((ref(one) for one in found), None)


def _draws_others(iterator: Any, sampler: Any) -> bool:
    """Return whether a DataLoader iterator draws from torch's own samplers alone, such as one that reads a dataset with a loader inside."""
    chain = list(chain_of(iterator._index_sampler))
    plain = all(type(inside).__module__.startswith("torch.utils.data.") for inside in chain)
    return plain and not any(inside is sampler for inside in chain)


def sharing_error(sampler: Any) -> ValueError:
    """Return the error for a sampler that shares the indices of a KeyedSampler out to ranks."""
    return ValueError(
        f"{type(sampler).__name__} shares out a KeyedSampler, so that ranks may serve one key twice and no run can be resumed "
        "within an epoch: give the loader sampler=DistributedKeyedSampler(dataset, seed=…), which trainers leave alone, or for "
        "validation epoch=seedsafe.VALIDATION_EPOCH"
    )


class AccelerateLoader(Caller):
    """A loader from Accelerate's ``prepare`` or ``skip_first_batches``. Each counts its passes from 0, and sets their number as the epoch."""

    loading: Any

    def epoch(self, number: SupportsIndex, latest: int | None) -> SupportsIndex:
        """Return the number. Warn if the latest pass had the same one: this loader has then begun to count anew."""
        draws_first = getattr(self.loading, "use_stateful_dataloader", True)  # and sets its number later
        if not draws_first and latest is not None and latest == number:
            frames.warn(
                f"epoch {number} is served again, because a loader from Accelerate or skip_first_batches counts its own passes "
                "from 0. Call its set_epoch(epoch) before each pass"
            )
        return number

    def check_shares(self, ranks: int, *, fixed: bool) -> None:
        """Raise a ValueError if Accelerate shares out the batches of a sampler that is itself one rank's share."""
        processes = max(getattr(sampler, "num_processes", 1) for sampler in samplers_of(self.loading))
        if ranks > 1 and processes > 1:
            raise ValueError(
                f"Accelerate itself shares a loader's batches out to its {processes} processes, so each would serve a share of a "
                "share and the rest would be lost: give the loader shuffle=True instead of a DistributedKeyedSampler"
            )


def _accelerates(sampler: Any) -> AccelerateLoader | None:
    """Return the Accelerate loader that is being read and has this sampler inside, or None."""
    state: Any = sys.modules.get("accelerate.state")
    loading = state.GradientState().active_dataloader if state else None
    return (
        AccelerateLoader(loading=loading)
        if any(inside is sampler for inside in samplers_of(loading))
        else None
    )


class FitLoop(Caller):
    """The fit loop of a Lightning Trainer. With ``max_steps`` it sets the number of the epoch after the one that it serves.

    A CombinedLoader in the mode "max_size_cycle" reads a shorter loader several times in an epoch of the Trainer. Each time is an epoch of
    that loader: if there are three, they are epochs 3 E, 3 E + 1 and 3 E + 2. In the mode "max_size" it reads such a loader once.
    """

    loop: Any
    sampler: Any

    def epoch(self, number: SupportsIndex, latest: int | None) -> SupportsIndex:
        """Return the epoch that the loop serves next.

        With ``max_steps``, Lightning repeats the end of an epoch that a checkpoint was made at. It counts that epoch as processed
        twice but completed once, and sets the number processed.

        Raises:
            ValueError: Lightning would read more batches than ``limit_train_batches``.
        """
        loop = self.loop
        epochs, batches = loop.epoch_progress.current, loop.epoch_loop.batch_progress
        repeats_epoch = loop.restarting and epochs.completed < epochs.processed
        # Lightning takes a step of the epoch for its end.
        stepped = batches.is_last_batch and batches.current.completed < batches.current.processed
        loaders = loop._combined_loader.flattened
        limited = any(hasattr(one, "__len__") and len(one) > loop.max_batches for one in loaders)
        if repeats_epoch and stepped and limited:
            raise ValueError(
                f"Lightning would serve more than the {loop.max_batches} batches of epoch {epochs.completed} that limit_train_batches "
                "allows, because it repeats the end of an epoch with max_steps: resume from the checkpoint of another step"
            )
        own = (one for one in loaders if self.sampler in samplers_of(one))
        passes = max((passes_of(loop, one) for one in own), default=1)
        first, loaded = int(epochs.completed) * passes, self.sampler.loaded_epoch
        return loaded if loaded is not None and first < loaded < first + passes else first

    def has_read(self, epoch: int, loaded: int) -> bool:
        """Return whether the loop resumes within this epoch and a CombinedLoader in the mode "max_size" had finished this shorter loader."""
        loop = self.loop
        batches = loop.epoch_loop.batch_progress
        within = loop.restarting and batches.current.ready > 0 and not batches.is_last_batch
        return bool(
            within and getattr(loop._combined_loader, "_mode", None) == "max_size" and loaded == epoch + 1
        )


def passes_of(loop: Any, loading: Any) -> int:
    """Return how often a loader is read in an epoch of the loop."""
    combined = loop._combined_loader
    cycles = getattr(combined, "_mode", None) == "max_size_cycle" and len(combined.flattened) > 1
    if not (cycles and len(loading) and math.isfinite(loop.max_batches)):
        return 1
    return max(-(-int(loop.max_batches) // len(loading)), 1)


def _lightnings(sampler: Any) -> Caller | None:
    """Return the loop, loader, wrapper or iterator of Lightning or Fabric that calls a sampler now, or None."""
    for setter in frames.callers_of("_set_sampler_epoch"):
        if hasattr(setter, "epoch_progress"):
            return FitLoop(loop=setter, sampler=sampler)
        # A loader that Fabric set up sets the number of its passes, which adds nothing for a sampler that counts them itself.
        return Caller(counts_passes=True) if hasattr(setter, "_num_iter_calls") else None
    for reading in frames.objects_in("__iter__"):
        if isinstance(reading, DistributedSampler) and reading is not sampler and reading.num_replicas > 1:
            return Caller(wrapper=reading)
    kinds = map(type, frames.objects_in("__next__"))
    combined = any(kind.__module__.endswith("utilities.combined_loader") for kind in kinds)
    # It leaves shorter loaders in mid-pass when the longest one ends, or longer ones when the shortest does.
    return Caller(leaves_passes=True) if combined else None


def _torchios(sampler: Any) -> Caller | None:
    """Return the Queue, of TorchIO, that counts what this sampler yields, or None."""
    counting = frames.objects_in("iterations_per_epoch")
    counts = any(getattr(one, "subject_sampler", None) is sampler for one in counting)
    return Caller(only_counts=True) if counts else None


def caller_of(sampler: Any) -> Caller:
    """Return the caller that is setting the epoch of a sampler, or drawing its indices."""
    known = (_accelerates, _lightnings, _torchios)
    found = (caller for trainers in known if (caller := trainers(sampler)) is not None)
    return next(found, Caller())


def base_seed() -> int | None:
    """Return what the DataLoader that reads now drew from its generator for this pass, in this process's first worker or without workers."""
    info = get_worker_info()
    if info is not None:
        return None if info.id else info.seed
    reading = next(frames.objects_in("_next_data"), None)
    return getattr(reading, "_base_seed", None)


def warn_of_erasing() -> None:
    """Warn if timm erases without a key: in the loader that ``create_loader`` is making, or in the prefetcher that reads this one."""
    erases = any(
        names.get("use_prefetcher")
        and names.get("is_training")
        and not names.get("no_aug")
        and names.get("re_prob", 0) > 0
        for names in frames.names_in("create_loader")
    )
    reading = frames.objects_in("__iter__")
    if erases or any(getattr(one, "random_erasing", None) is not None for one in reading):
        frames.warn(UNKEYED)


def warn_of_look() -> bool:
    """Warn if Keras reads a loader only to learn the form of its batches, since that counts as an epoch, and return whether it does."""
    looks = frames.looked_at_by_keras()
    if looks:
        frames.warn(
            "Keras looks at the first batches of this loader before it trains, and that look counts as an epoch. Train with "
            "seedsafe_keras.fit(model, loader), which uses up no epoch for it"
        )
    return looks


def warn_of_skipping(stream: Any) -> None:
    """Warn if Hugging Face's Trainer sets a stream's epoch to resume within it, and the stream has no length to count epochs by."""
    if length_of(stream) is not None:
        return
    for names in frames.names_in("_run_epoch"):
        steps = names.get("steps_trained_in_current_epoch", 0)
        if steps and names.get("epoch") == names.get("epochs_trained"):
            frames.warn(
                f"Hugging Face's Trainer takes a stream without a length for one epoch, and to resume skips {steps} batches of epoch "
                f"{names['epoch']}. If the epoch has fewer, it reads the next one from its start, and samples come twice: give the source a "
                "__len__ that counts its records"
            )


def hand_on(error: Exception, dataset: Any) -> None:
    """Pass an error of a dataset to the thread that trains, if MONAI's ThreadDataLoader reads the dataset in another one.

    MONAI's thread ends with the error. Without this, the pass would then end as if there were no more batches.
    """
    for reading in frames.objects_in_threads("enqueue_values"):
        read = getattr(getattr(reading, "src", None), "_dataset", None)
        if hasattr(reading, "buffer") and any(found is dataset for found in walk(read)):
            _end_with(error, reading.buffer)


def _end_with(error: Exception, queue: Queue[Any]) -> None:
    """Let a queue give what is left in it, and then raise an error, once."""
    take = queue.get

    def get(timeout: float | None = None) -> Any:
        if queue.qsize():
            return take(timeout=timeout)
        del vars(queue)["get"], vars(queue)["empty"]
        raise error

    vars(queue).update(get=get, empty=lambda: False)
