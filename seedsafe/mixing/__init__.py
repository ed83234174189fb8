"""Mixing samples of a dataset or a batch."""

from seedsafe.mixing.batch import BatchMix, Mixed, beta, mix_arrays, mix_labels
from seedsafe.mixing.copy_paste import CopyPaste
from seedsafe.mixing.cutmix import CutMix
from seedsafe.mixing.mixup import MixUp
from seedsafe.mixing.mosaic import Mosaic

__all__ = [
    "BatchMix",
    "CopyPaste",
    "CutMix",
    "MixUp",
    "Mixed",
    "Mosaic",
    "beta",
    "mix_arrays",
    "mix_labels",
]
