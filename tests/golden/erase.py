"""Pipelines of holes, grids and dropped pixels: what they draw, and their pixels, exact on every machine."""

from __future__ import annotations

import seedsafe as ss

_SHAPE = (29, 33, 3)
_EXACT = {
    "CoarseDropout": ss.CoarseDropout(),
    "CoarseDropout pixels": ss.CoarseDropout((1, 8), height=(2, 9), width=7, fill="noise", p=0.7),
    "CoarseDropout overhang": ss.CoarseDropout(1, height=0.5, width=0.4, overhang=True, fill="color"),
    "RandomErasing": ss.RandomErasing(),
    "RandomErasing extreme": ss.RandomErasing((0.5, 1.0), (0.1, 10.0), fill="noise", p=1),
    "RandomErasing fitting": ss.RandomErasing(fitting=True, p=1),
    "XYMasking": ss.XYMasking((0, 3), (1, 2), width=(1, 5), height=0.1),
    "GridDropout": ss.GridDropout(),
    "GridDropout units": ss.GridDropout(0.3, (3, 9), fill="noise", p=0.8),
    "GridShuffle": ss.GridShuffle(),
    "GridShuffle uneven": ss.GridShuffle((4, 5), p=0.6),
    "GridShuffle drawn": ss.GridShuffle((4, 5), uneven="drawn"),
    "PixelDropout": ss.PixelDropout(0.1),
    "PixelDropout per channel": ss.PixelDropout(0.2, per_channel=True, fill=1),
}

PIPELINES = {name: (ss.Compose([one]), _SHAPE) for name, one in _EXACT.items()}
EXACT = tuple(_EXACT)
