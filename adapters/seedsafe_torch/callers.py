"""Who reads a sampler, or tells it the epoch: found among the calling frames, where no argument says it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from types import FrameType
from typing import Any, SupportsIndex
from weakref import ref

from torch.utils.data import DistributedSampler

__all__ = [
    "check_not_shared_out",
    "counted_anew",
    "drawing",
    "lightnings_epoch",
    "passed_over",
    "shared_out",
    "warn_of_accelerate",
    "wrapped",
]


def drawing() -> Callable[[], Any] | None:
    """Return a weak reference to the iterator of torch's DataLoader that is drawing indices now, or None.

    Its number of batches handed out is the only way to know, in a loader that is not ours, whether its workers are ahead.
    """
    for frame in _above(sys._getframe(1)):
        if frame.f_code.co_name == "_next_index" and hasattr(frame.f_locals.get("self"), "_num_yielded"):
            return ref(frame.f_locals["self"])
    return None


def passed_over() -> bool:
    """Return whether a StatefulDataLoader draws a pass that was at its end when its state was stored, only to throw it away.

    It does so where the sampler of batches has no state, as Accelerate's have none, and begins another one for the next epoch.
    """
    for frame in _above(sys._getframe(1)):
        state = frame.f_locals.get("next_iter_state") if frame.f_code.co_name == "__init__" else None
        if isinstance(state, dict):
            return bool(state.get("_iterator_finished"))
    return False


def counted_anew() -> bool:
    """Return whether it is a loader of Fabric's that sets an epoch now: the number of its passes in this process, from 0.

    It says the epoch wherever a state that was loaded stands, and knows no more than who counts the passes himself.
    """
    callers = islice(_above(sys._getframe(1)), 4)  # set_epoch, a wrapper, Fabric's function, its loader
    return _owner(callers, "_num_iter_calls") is not None


def warn_of_accelerate(told: SupportsIndex, latest: Any) -> None:
    """Warn if a loader of Accelerate's, which counts its own passes from 0, sets the epoch of the latest place, which has ended."""
    for frame in islice(_above(sys._getframe(1)), 3):
        one: Any = frame.f_locals.get("self")
        if frame.f_code.co_name == "__iter__" and hasattr(one, "use_stateful_dataloader"):
            ahead = one.use_stateful_dataloader  # it draws before it begins
            if not ahead and latest is not None and latest.ended and latest.epoch == told:
                warnings.warn(
                    f"epoch {told} is served again: a loader that Accelerate prepared or skip_first_batches made counts its own "
                    "passes from 0. Call its set_epoch(epoch) before each pass",
                    stacklevel=5,
                )
            return


def lightnings_epoch(told: SupportsIndex) -> SupportsIndex:
    """Return the epoch that Lightning's fit loop serves next; what was told if it is not the loop that tells it.

    With ``max_steps`` Lightning goes once more through the end of an epoch that a checkpoint was made at. It counts that epoch as
    processed twice, which is the number that it tells, but as completed once.

    Raises:
        ValueError: Lightning would go on behind ``limit_train_batches``.
    """
    for frame in islice(_above(sys._getframe(1)), 3):
        if frame.f_code.co_name == "_set_sampler_epoch" and frame.f_back is not None:
            loop = frame.f_back.f_locals.get("self")
            return _completed(loop) if hasattr(loop, "epoch_progress") else told
    return told


def _completed(loop: Any) -> int:
    epochs, batches = loop.epoch_progress.current, loop.epoch_loop.batch_progress
    again = (
        loop.restarting and epochs.completed < epochs.processed
    )  # a step of the epoch is taken for its end
    stepped = batches.is_last_batch and batches.current.completed < batches.current.processed
    limited = any(
        hasattr(one, "__len__") and len(one) > loop.max_batches for one in loop._combined_loader.flattened
    )
    if again and stepped and limited:
        raise ValueError(
            f"Lightning would serve more than the {loop.max_batches} batches of epoch {epochs.completed} that limit_train_batches "
            "allows, because of max_steps and a checkpoint of its last step in a run that was resumed at an epoch's end: resume from "
            "the checkpoint of another step"
        )
    return int(epochs.completed)


def shared_out() -> int:
    """Return among how many processes Accelerate shares out the batches of the sampler that is read now, 0 for none."""
    callers = islice(_above(sys._getframe(1)), 8)
    shard = _owner(callers, "num_processes", "process_index", "batch_sampler")
    return 0 if shard is None else int(shard.num_processes)


def check_not_shared_out() -> None:
    """Refuse a DistributedSampler around the sampler that is read now, such as Lightning's, Fabric's and catalyst's wrappers.

    Raises:
        ValueError: it shares the items out to several ranks.
    """
    for frame in islice(_above(sys._getframe(1)), 8):
        one = frame.f_locals.get("self") if frame.f_code.co_name == "__iter__" else None
        if isinstance(one, DistributedSampler) and one.num_replicas > 1:
            raise wrapped(one)


def wrapped(sampler: Any) -> ValueError:
    """Return the error that says what is wrong with a sampler that shares out a KeyedSampler."""
    return ValueError(
        f"{type(sampler).__name__} shares out a KeyedSampler, so that ranks may serve one key twice and no run can be resumed "
        "within an epoch: give the loader sampler=DistributedKeyedSampler(dataset, seed=…), which is left alone, or for "
        "validation epoch=seedsafe.VALIDATION_EPOCH"
    )


def _above(frame: FrameType) -> Iterator[FrameType]:
    """Yield the frames that wait for this one, the nearest first."""
    while frame.f_back is not None:
        frame = frame.f_back
        yield frame


def _owner(frames: Iterable[FrameType], *attributes: str) -> Any:
    """Return the object whose method is the nearest of these and that has all the attributes, or None."""
    for frame in frames:
        one = frame.f_locals.get("self")
        if all(hasattr(one, name) for name in attributes):
            return one
    return None
