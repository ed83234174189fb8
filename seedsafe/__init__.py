"""Data augmentation as a pure function of (seed, epoch, index)."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from seedsafe import opencv
from seedsafe.audio import Amplitude, PolarityInversion, RandomSegment
from seedsafe.compose import Compose
from seedsafe.containers import OneOf, RandomApply, SomeOf
from seedsafe.draws import Draws
from seedsafe.image import (
    CenterCrop,
    GaussianNoise,
    HorizontalFlip,
    Normalize,
    Pad,
    RandomCrop,
    ToCHW,
    ToFloat,
    VerticalFlip,
)
from seedsafe.info import Info
from seedsafe.key import (
    CONTRACT_VERSION,
    VALIDATION_EPOCH,
    SampleIndex,
    SampleKey,
    epoch_order,
    generator,
    op_of,
    record_index,
)
from seedsafe.node import Applied, Stream
from seedsafe.transform import AudioTransform, ImageTransform, SpatialTransform, Transform

if TYPE_CHECKING:
    from seedsafe.folder import FolderIndex, ImageFolder
    from seedsafe.stats import ChannelStats, channel_stats

__all__ = [
    "CONTRACT_VERSION",
    "VALIDATION_EPOCH",
    "Amplitude",
    "Applied",
    "AudioTransform",
    "CenterCrop",
    "ChannelStats",
    "Compose",
    "Draws",
    "FolderIndex",
    "GaussianNoise",
    "HorizontalFlip",
    "ImageFolder",
    "ImageTransform",
    "Info",
    "Normalize",
    "OneOf",
    "Pad",
    "PolarityInversion",
    "RandomApply",
    "RandomCrop",
    "RandomSegment",
    "SampleIndex",
    "SampleKey",
    "SomeOf",
    "SpatialTransform",
    "Stream",
    "ToCHW",
    "ToFloat",
    "Transform",
    "VerticalFlip",
    "channel_stats",
    "epoch_order",
    "generator",
    "op_of",
    "opencv",
    "record_index",
]

_LAZY = {
    "channel_stats": "seedsafe.stats",
    "ChannelStats": "seedsafe.stats",
    "FolderIndex": "seedsafe.folder",
    "ImageFolder": "seedsafe.folder",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'seedsafe' has no attribute {name!r}")
