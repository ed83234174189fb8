"""Augmentation as a function of (seed, epoch, index)."""

import sys
from importlib import import_module
from typing import Any

from seedsafe.ground.process import importing as _importing

# The first use of a name imports its room, so `import seedsafe` costs little more than NumPy: benchmarks/import_time.py.
# `python scripts/make_names.py` generates the names of audio and image here, and the stub from this table.
_ROOMS = {
    "seedsafe.keys.ambient": ("current_key",),
    "seedsafe.audio": (
        "AddBackground",
        "AddNoise",
        "Amplitude",
        "BandPass",
        "Clipping",
        "DropChunk",
        "DropFreq",
        "FrequencyMask",
        "Gain",
        "GainTransition",
        "HighPass",
        "LowPass",
        "PeakNormalize",
        "PitchShift",
        "PolarityInversion",
        "RandomSegment",
        "Reverse",
        "SpeedPerturb",
        "TimeMask",
        "TimeShift",
        "TimeStretch",
    ),
    "seedsafe.pipeline.boxes": ("Boxes",),
    "seedsafe.bridging": ("Bridge", "Bridged", "NotReproducible", "bridge", "keyed", "register_hook"),
    "seedsafe.pipeline.compose": ("Compose",),
    "seedsafe.pipeline.containers": ("Choice", "OneOf", "RandomApply", "SomeOf"),
    "seedsafe.keys.draws": ("Draws",),
    "seedsafe.data.folder": ("FolderIndex", "ImageFolder"),
    "seedsafe.image": (
        "CLAHE",
        "D4",
        "AdvancedBlur",
        "Affine",
        "AugMix",
        "AutoAugment",
        "AutoContrast",
        "BBoxSafeCrop",
        "Blur",
        "CenterCrop",
        "ChannelDropout",
        "ChannelShuffle",
        "CoarseDropout",
        "ColorJitter",
        "Crop",
        "CropAndPad",
        "CropNonEmptyMask",
        "Defocus",
        "Downscale",
        "ElasticTransform",
        "Emboss",
        "Equalize",
        "FancyPCA",
        "FiveCrop",
        "Gamma",
        "GaussianBlur",
        "GaussianNoise",
        "GlassBlur",
        "GridDistortion",
        "GridDropout",
        "GridShuffle",
        "HorizontalFlip",
        "HueSaturationValue",
        "ISONoise",
        "ImageCompression",
        "Invert",
        "LetterBox",
        "LinearColorJitter",
        "LongestMaxSize",
        "MedianBlur",
        "MotionBlur",
        "MultiScaleCrop",
        "MultiplicativeNoise",
        "Normalize",
        "OpticalDistortion",
        "Pad",
        "PadIfNeeded",
        "Perspective",
        "PhotoMetricDistortion",
        "PiecewiseAffine",
        "PixelDropout",
        "PolicyOp",
        "Posterize",
        "RGBShift",
        "RandAugment",
        "RandomBrightnessContrast",
        "RandomCrop",
        "RandomCropFromBorders",
        "RandomErasing",
        "RandomIoUCrop",
        "RandomResizedCrop",
        "RandomRotate90",
        "RandomScale",
        "RandomSizedCrop",
        "RandomZoomOut",
        "Resize",
        "Rotate",
        "SaltAndPepper",
        "Sharpen",
        "ShotNoise",
        "SmallestMaxSize",
        "Solarize",
        "TemporalSample",
        "TenCrop",
        "ThreeCrop",
        "ToCHW",
        "ToFloat",
        "ToGray",
        "ToSepia",
        "ToneCurve",
        "Transpose",
        "TrivialAugmentWide",
        "VerticalFlip",
        "XYMasking",
        "policy",
    ),
    "seedsafe.ground.info": ("Info",),
    "seedsafe.keys.generator": ("draws", "generator"),
    "seedsafe.keys.key": (
        "CONTRACT_VERSION",
        "VALIDATION_EPOCH",
        "SampleIndex",
        "SampleKey",
        "epoch_order",
        "op_of",
        "record_index",
    ),
    "seedsafe.pipeline.keypoints": ("Keypoints",),
    "seedsafe.mixing": ("BatchMix", "CopyPaste", "CutMix", "MixUp", "Mosaic"),
    "seedsafe.pipeline.naming": ("Stream",),
    "seedsafe.reading": ("SampleError",),
    "seedsafe.reading.records": ("KeyedMap", "content_id", "keyed_map"),
    "seedsafe.pipeline.state": ("Applied",),
    "seedsafe.data.stats": ("ChannelStats", "channel_stats"),
    "seedsafe.pipeline.views": ("Views",),
    "seedsafe.pipeline.transform": (
        "AudioTransform",
        "ImageTransform",
        "SpatialTransform",
        "Transform",
        "VideoTransform",
    ),
    "seedsafe_audit": ("audit",),  # the one tool that a program calls
}
_MODULES = ("opencv",)
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = sorted([*_ROOM_OF, *_MODULES])  # noqa: PLE0605  # pyright: ignore[reportUnsupportedDunderAll]  # the stub has the list


def __getattr__(name: str) -> Any:
    if name not in __all__ and name != "__version__":
        raise _unknown(name)
    with _importing:
        if name == "__version__":
            return import_module("importlib.metadata").version("seedsafe")
        room = _ROOM_OF.get(name)
        value = import_module(f"seedsafe.{name}") if room is None else getattr(import_module(room), name)
    globals()[name] = value
    return value


def _unknown(name: str) -> Exception:
    """Return the error for an unknown name; `from seedsafe import name` would drop the text of an AttributeError."""
    text = f"module 'seedsafe' has no attribute {name!r}"
    if name.startswith("_"):
        return AttributeError(text)
    advice = import_module("seedsafe.ground.advice").advice(name, __all__)
    caller = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    imports = caller.f_code.co_code[caller.f_lasti] == import_module("opcode").opmap["IMPORT_FROM"]
    return (ImportError if imports else AttributeError)(f"{text}: {advice}" if advice else text, name=name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
