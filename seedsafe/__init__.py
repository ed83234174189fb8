"""Data augmentation as a pure function of (seed, epoch, index)."""

import os
import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seedsafe import opencv
    from seedsafe.ambient import current_key
    from seedsafe.audio import Amplitude, PolarityInversion, RandomSegment
    from seedsafe.bridging import Bridge, Bridged, NotReproducible, bridge, keyed, register_hook
    from seedsafe.compose import Compose
    from seedsafe.containers import OneOf, RandomApply, SomeOf
    from seedsafe.draws import Draws
    from seedsafe.faults import SampleError
    from seedsafe.folder import FolderIndex, ImageFolder
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
    from seedsafe.naming import Stream
    from seedsafe.node import Applied
    from seedsafe.records import KeyedMap, content_id, keyed_map
    from seedsafe.stats import ChannelStats, channel_stats
    from seedsafe.transform import AudioTransform, ImageTransform, SpatialTransform, Transform
    from seedsafe_audit import audit

__all__ = [
    "CONTRACT_VERSION",
    "VALIDATION_EPOCH",
    "Amplitude",
    "Applied",
    "AudioTransform",
    "Bridge",
    "Bridged",
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
    "KeyedMap",
    "Normalize",
    "NotReproducible",
    "OneOf",
    "Pad",
    "PolarityInversion",
    "RandomApply",
    "RandomCrop",
    "RandomSegment",
    "SampleError",
    "SampleIndex",
    "SampleKey",
    "SomeOf",
    "SpatialTransform",
    "Stream",
    "ToCHW",
    "ToFloat",
    "Transform",
    "VerticalFlip",
    "audit",
    "bridge",
    "channel_stats",
    "content_id",
    "current_key",
    "epoch_order",
    "generator",
    "keyed",
    "keyed_map",
    "op_of",
    "opencv",
    "record_index",
    "register_hook",
]

# Each room is imported when a name of it is first asked for, so that `import seedsafe` costs little more than NumPy.
_ROOMS = {
    "ambient": ("current_key",),
    "audio": ("Amplitude", "PolarityInversion", "RandomSegment"),
    "bridging": ("Bridge", "Bridged", "NotReproducible", "bridge", "keyed", "register_hook"),
    "compose": ("Compose",),
    "containers": ("OneOf", "RandomApply", "SomeOf"),
    "draws": ("Draws",),
    "faults": ("SampleError",),
    "folder": ("FolderIndex", "ImageFolder"),
    "image": (
        "CenterCrop",
        "GaussianNoise",
        "HorizontalFlip",
        "Normalize",
        "Pad",
        "RandomCrop",
        "ToCHW",
        "ToFloat",
        "VerticalFlip",
    ),
    "info": ("Info",),
    "key": (
        "CONTRACT_VERSION",
        "VALIDATION_EPOCH",
        "SampleIndex",
        "SampleKey",
        "epoch_order",
        "generator",
        "op_of",
        "record_index",
    ),
    "naming": ("Stream",),
    "node": ("Applied",),
    "records": ("KeyedMap", "content_id", "keyed_map"),
    "stats": ("ChannelStats", "channel_stats"),
    "transform": ("AudioTransform", "ImageTransform", "SpatialTransform", "Transform"),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}


# A process that is forked while a thread imports would wait for that thread for ever, so a fork waits instead.
_importing = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_importing.acquire,
        after_in_parent=_importing.release,
        after_in_child=_importing.release,
    )


def __getattr__(name: str) -> Any:
    if name in _ROOM_OF:
        with _importing:
            value = getattr(import_module(f"seedsafe.{_ROOM_OF[name]}"), name)
    elif name == "audit":  # the one tool that a program calls
        with _importing:
            value = import_module("seedsafe_audit").audit
    elif name == "opencv":
        with _importing:
            value = import_module("seedsafe.opencv")
    else:
        raise AttributeError(f"module 'seedsafe' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
