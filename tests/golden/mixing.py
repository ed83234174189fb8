"""Mixtures of batches: what they draw."""

from __future__ import annotations

import seedsafe as ss

_SHAPE = (7, 19, 23, 3)

PIPELINES = {
    "BatchMix": (ss.BatchMix(10), _SHAPE),
    "BatchMix, MixUp": (ss.BatchMix(10, 0.2, 0, 0.7), _SHAPE),
    "BatchMix, CutMix": (ss.BatchMix(10, 0, 2.5), _SHAPE),
}
