"""Who reads a sampler, or sets its epoch: found among the calling frames, where nothing that is documented says it.

What is looked for, and what says it instead, as of Lightning 2.6, Accelerate 1.15, torch 2.13 and torchdata 0.11:

| question | answered by |
|---|---|
| Are the workers of a plain DataLoader ahead of training? | `drawing`. The iterator knows how many batches it handed out; a sampler is \
told nothing but to begin, and a DataLoader has no callback. `loader` returns a loader that counts by itself. |
| Does Lightning's fit loop set the epoch? With ``max_steps`` it names the one after it. | `teller`. Only a callback is given the loop, \
and loaders of `loader` need none. Callbacks from entry points would enter each Trainer of an environment. |
| Is it the number of Fabric's passes, not an epoch? | `teller`. Fabric has no callback around a loader, and ``set_epoch`` gets a plain \
integer. |
| Does a DistributedSampler around this one share its indices out? | `sharing`. It reads them by ``list(sampler)``, as anyone may. `loader` \
sees it when Lightning makes its loader again, a plain DataLoader does not. |
| Does Accelerate's loader set the epoch, or share the batches out? | ``GradientState().active_dataloader``: see `accelerate`. |
| Does a StatefulDataLoader read a finished pass again, only to throw it away? | Its iterator, which `drawing` returns, has handed out \
as many batches as there are: see `Place.spent`. |
| Which epoch and position has a checkpoint of Lightning's, for a plain DataLoader? | ``ResumeCallback``, a callback. |
| Which epoch is it in Hugging Face's Trainer, for a dataset alone? | ``EpochCallback``, a callback. |
| Which epoch is it in ultralytics' trainer? | The argument ``trainer`` of ``keyed_loader``. |

Each answer costs a walk over some frames when a pass begins or an epoch is set, and nothing for a sample.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import islice
from types import FrameType
from typing import Any
from weakref import ref

from torch.utils.data import DistributedSampler

__all__ = ["drawing", "sharing", "teller"]


def drawing() -> Callable[[], Any] | None:
    """Return a weak reference to the iterator of torch's DataLoader that is drawing indices now, or None."""
    for frame in _above(sys._getframe(1)):
        if frame.f_code.co_name == "_next_index" and hasattr(frame.f_locals.get("self"), "_num_yielded"):
            return ref(frame.f_locals["self"])
    return None


def teller() -> Any:
    """Return the loop or the loader that sets the epoch by the function that Lightning and Fabric have for it; None for anyone else."""
    for frame in islice(_above(sys._getframe(1)), 3):
        if frame.f_code.co_name == "_set_sampler_epoch" and frame.f_back is not None:
            return frame.f_back.f_locals.get("self")
    return None


def sharing() -> Any:
    """Return the DistributedSampler, such as Lightning's, Fabric's and catalyst's wrappers, that shares the caller out; or None."""
    for frame in islice(_above(sys._getframe(1)), 8):
        one = frame.f_locals.get("self") if frame.f_code.co_name == "__iter__" else None
        if isinstance(one, DistributedSampler) and one.num_replicas > 1:
            return one
    return None


def _above(frame: FrameType) -> Iterator[FrameType]:
    """Yield the frames that wait for this one, the nearest first."""
    while frame.f_back is not None:
        frame = frame.f_back
        yield frame
