"""The trainer or loader that calls a sampler.

It is found among the calling frames, because no documented interface tells it. The questions, and what answers them, as of
Lightning 2.6, Accelerate 1.15, torch 2.13 and torchdata 0.11:

| question | answered by |
|---|---|
| Are the workers of a plain DataLoader ahead of training? | `drawing_iterator`. The iterator knows how many batches it handed out. \
A sampler only hears that a pass begins, and a DataLoader has no callback. `loader` returns a loader that counts by itself. |
| Does Lightning's fit loop set the epoch? With ``max_steps`` it names the one after it. | `epoch_setter`. Only a callback gets the \
loop, and loaders from `loader` need no callback. Callbacks from entry points would enter every Trainer of an environment. |
| Is it the number of Fabric's passes, not an epoch? | `epoch_setter`. Fabric has no callback around a loader, and ``set_epoch`` gets \
a plain integer. |
| Does a DistributedSampler around this one share its indices out? | `sharing_sampler`. It reads them by ``list(sampler)``, as \
anyone may. `loader` notices when Lightning makes its loader again, a plain DataLoader does not. |
| Does Accelerate's loader set the epoch, or share the batches out? | ``GradientState().active_dataloader``: see `accelerate`. |
| Does a StatefulDataLoader read a finished pass again, only to drop it? | Its iterator, which `drawing_iterator` returns, has \
handed out all its batches: see `Progress.spent`. |
| Which epoch and position does a Lightning checkpoint have, for a plain DataLoader? | ``ResumeCallback``, a callback. |
| Which epoch is it in Hugging Face's Trainer, for a dataset alone? | ``EpochCallback``, a callback. |
| Which epoch is it in the ultralytics trainer? | The argument ``trainer`` of ``keyed_loader``. |

Each answer costs a walk over a few frames when a pass begins or an epoch is set, and nothing per sample.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import islice
from types import FrameType
from typing import Any
from weakref import ref

from torch.utils.data import DistributedSampler

__all__ = ["drawing_iterator", "epoch_setter", "sharing_sampler"]


def drawing_iterator() -> Callable[[], Any] | None:
    """Return a weak reference to the DataLoader iterator that is drawing indices now, or None."""
    for frame in _above(sys._getframe(1)):
        if frame.f_code.co_name == "_next_index" and hasattr(frame.f_locals.get("self"), "_num_yielded"):
            return ref(frame.f_locals["self"])
    return None


def epoch_setter() -> Any:
    """Return the Lightning loop or Fabric loader that sets the epoch, or None if the caller is neither."""
    for frame in islice(_above(sys._getframe(1)), 3):
        if frame.f_code.co_name == "_set_sampler_epoch" and frame.f_back is not None:
            return frame.f_back.f_locals.get("self")
    return None


def sharing_sampler() -> Any:
    """Return the DistributedSampler that shares the caller's indices out, such as Lightning's wrapper, or None."""
    for frame in islice(_above(sys._getframe(1)), 8):
        one = frame.f_locals.get("self") if frame.f_code.co_name == "__iter__" else None
        if isinstance(one, DistributedSampler) and one.num_replicas > 1:
            return one
    return None


def _above(frame: FrameType) -> Iterator[FrameType]:
    """Yield the calling frames, the nearest first."""
    while frame.f_back is not None:
        frame = frame.f_back
        yield frame
