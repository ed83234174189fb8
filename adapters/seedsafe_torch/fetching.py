"""The moment of a batch that torch is fetching, for datasets that are read with a plain index inside of a wrapper."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from seedsafe import SampleIndex
from seedsafe.reading import Moment

__all__ = ["moment_of_fetch"]


def moment_of_fetch() -> Moment | None:
    """Return the moment of the batch that a DataLoader is fetching with the help of the caller, or None.

    A Subset, or another wrapper, passes on plain integers, and what KeyedSampler stamped on the batch's indices is lost.
    torch's fetch still holds the indices. All of one moment: then it is the sample's, whatever the wrapper does.

    Raises:
        RuntimeError: the indices are of several moments, as those of a sampler that repeats are.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if code.co_name == "fetch" and "possibly_batched_index" in code.co_varnames:
            return _common(frame.f_locals["possibly_batched_index"])
        frame = frame.f_back
    return None


def _common(indices: Any) -> Moment | None:
    batch = indices if isinstance(indices, list | tuple) else (indices,)
    moments = {Moment(i.epoch, i.occurrence, i.view) for i in batch if isinstance(i, SampleIndex)}
    if len(moments) > 1:
        raise RuntimeError(
            "the dataset is read inside of a wrapper by a plain index, and the sampler's indices of this batch differ in their "
            "occurrence, which the wrapper has dropped: make the DataLoader with seedsafe_torch.loader, or around "
            "seedsafe_torch.Envelope(dataset)"
        )
    return next(iter(moments), None)
