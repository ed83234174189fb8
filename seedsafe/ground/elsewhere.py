"""Names from other libraries and their equivalents here."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final, NamedTuple

__all__ = ["ELSEWHERE", "WHOLE", "Meant", "advice"]


class Meant(NamedTuple):
    """The equivalent of a name of another library.

    Example:
        >>> ELSEWHERE["torchvision"]["RandomGrayscale"].call
        'ss.ToGray(p=0.1)'
    """

    call: str
    """The call with the other library's defaults, or "" if there is none."""

    note: str = ""
    """The difference, or the advice if there is no call."""


_BRIDGE: Final = "keep yours: ss.bridge(...) around it follows the key"
_LABELS: Final = "samples stay NumPy arrays until they are collated"

ELSEWHERE: Final[dict[str, dict[str, Meant]]] = {
    "torchvision": {
        "RandomHorizontalFlip": Meant("ss.HorizontalFlip(p=0.5)"),
        "RandomVerticalFlip": Meant("ss.VerticalFlip(p=0.5)"),
        "RandomRotation": Meant("ss.Rotate(10, interpolation='nearest')", "degrees=10 turns by -10 to 10 degrees"),
        "RandomAffine": Meant("ss.Affine(10, translate=0.1, scale=(0.9, 1.1), interpolation='nearest')"),
        "RandomPerspective": Meant("ss.Perspective(distortion_scale=0.5, p=0.5)"),
        "RandomGrayscale": Meant("ss.ToGray(p=0.1)"),
        "Grayscale": Meant("ss.ToGray(p=1)", "the image keeps its three channels"),
        "RandomInvert": Meant("ss.Invert(p=0.5)"),
        "RandomPosterize": Meant("ss.Posterize(4, p=0.5)"),
        "RandomSolarize": Meant("ss.Solarize(0.5, p=0.5)", "threshold is a share of the range: 128 is 0.5"),
        "RandomAdjustSharpness": Meant("ss.Sharpen((0.2, 0.5), p=0.5)", "not the same kernel"),
        "RandomAutocontrast": Meant("ss.AutoContrast(p=0.5)"),
        "RandomEqualize": Meant("ss.Equalize(p=0.5)"),
        "RandomChannelPermutation": Meant("ss.ChannelShuffle()"),
        "RandomPhotometricDistort": Meant("ss.PhotoMetricDistortion()"),
        "RandomChoice": Meant("ss.OneOf([ss.HorizontalFlip(), ss.Transpose()])"),
        "RandomOrder": Meant("", _BRIDGE),
        "ElasticTransformation": Meant("ss.ElasticTransform(50.0, 5.0)"),
        "ScaleJitter": Meant("ss.RandomScale((0.1, 2.0))"),
        "RandomShortestSize": Meant("ss.SmallestMaxSize((480, 512, 544))"),
        "Scale": Meant("ss.Resize(256)"),
        "ToTensor": Meant("ss.ToFloat(), ss.ToCHW()", _LABELS),
        "PILToTensor": Meant("ss.ToCHW()", _LABELS),
        "ToImage": Meant("ss.ToCHW()", _LABELS),
        "ToPILImage": Meant("", "leave it out: images are NumPy arrays (H, W, C)"),
        "ConvertImageDtype": Meant("ss.ToFloat()"),
        "ToDtype": Meant("ss.ToFloat()"),
        "Lambda": Meant("", "derive a class from ss.ImageTransform, or put ss.bridge(function) into the Compose"),
    },
    "Keras": {
        "RandomFlip": Meant("ss.HorizontalFlip(p=0.5)", "and ss.VerticalFlip(p=0.5) for both"),
        "RandomTranslation": Meant("ss.Affine(translate=0.1, mode='reflect')"),
        "RandomZoom": Meant("ss.Affine(scale=(0.8, 1.2), mode='reflect')"),
        "RandomShear": Meant("ss.Affine(shear=10, mode='reflect')", "in degrees"),
        "RandomContrast": Meant("ss.RandomBrightnessContrast(brightness=0.0, contrast=0.2)"),
        "RandomBrightness": Meant("ss.RandomBrightnessContrast(brightness=0.2, contrast=0.0)"),
        "RandomHue": Meant("ss.ColorJitter(hue=0.1)"),
        "RandomSaturation": Meant("ss.ColorJitter(saturation=0.3)"),
        "RandomColorJitter": Meant("ss.ColorJitter(0.2, 0.2, 0.2, 0.1)"),
        "RandomGaussianBlur": Meant("ss.GaussianBlur(3)"),
        "RandomSharpness": Meant("ss.Sharpen((0.2, 0.5))", "not the same kernel"),
        "RandomElasticTransform": Meant("ss.ElasticTransform(50.0, 5.0)"),
        "Solarization": Meant("ss.Solarize(0.5)"),
        "Equalization": Meant("ss.Equalize(p=1)"),
        "Rescaling": Meant("ss.ToFloat()", "by 1/255"),
        "Normalization": Meant("ss.Normalize(mean=(0.5,), std=(0.5,))", "of channels in [0, 1]"),
        "Resizing": Meant("ss.Resize((224, 224))"),
        "ImageDataGenerator": Meant("", "put an AugmentedSequence around a Sequence, with a Compose"),
    },
    "imgaug": {
        "Sequential": Meant("ss.Compose([ss.HorizontalFlip()])"),
        "Sometimes": Meant("ss.RandomApply([ss.HorizontalFlip(p=1)], p=0.5)"),
        "Fliplr": Meant("ss.HorizontalFlip(p=0.5)"),
        "Flipud": Meant("ss.VerticalFlip(p=0.5)"),
        "Rot90": Meant("ss.RandomRotate90()"),
        "AdditiveGaussianNoise": Meant("ss.GaussianNoise((0, 25))"),
        "AverageBlur": Meant("ss.Blur((3, 7))"),
        "Add": Meant("ss.RandomBrightnessContrast(brightness=0.1, contrast=0.0)"),
        "Multiply": Meant("ss.MultiplicativeNoise((0.9, 1.1))"),
        "LinearContrast": Meant("ss.RandomBrightnessContrast(brightness=0.0, contrast=0.4)"),
        "GammaContrast": Meant("ss.Gamma((0.7, 1.7))"),
        "AddToHueAndSaturation": Meant("ss.HueSaturationValue(20, 30, 0)"),
        "Dropout": Meant("ss.PixelDropout(0.05)"),
        "Cutout": Meant("ss.CoarseDropout(1, 0.2, 0.2)"),
        "CropToFixedSize": Meant("ss.RandomCrop(224)"),
        "ElasticTransformation": Meant("ss.ElasticTransform(50.0, 5.0)"),
        "PerspectiveTransform": Meant("ss.Perspective((0.01, 0.15))"),
        "JpegCompression": Meant("ss.ImageCompression((50, 95))"),
    },
    "albumentations": {
        "GaussNoise": Meant("ss.GaussianNoise((0, 25))", "std is in steps of the image's values"),
        "RandomGamma": Meant("ss.Gamma(0.2)"),
        "ShiftScaleRotate": Meant("ss.Affine(45, translate=0.0625, scale=0.1)"),
        "SafeRotate": Meant("ss.Rotate(90, expand=True)"),
        "Flip": Meant("ss.HorizontalFlip(p=0.5), ss.VerticalFlip(p=0.5)"),
        "JpegCompression": Meant("ss.ImageCompression((50, 95))"),
        "RandomBrightness": Meant("ss.RandomBrightnessContrast(brightness=0.2, contrast=0.0)"),
        "RandomContrast": Meant("ss.RandomBrightnessContrast(brightness=0.0, contrast=0.2)"),
        "Cutout": Meant("ss.CoarseDropout(8, 8, 8)"),
        "ToTensorV2": Meant("ss.ToCHW()", _LABELS),
        "BboxParams": Meant("ss.Boxes(format='pascal_voc', labels=['labels'])", "passed to Compose(boxes=...)"),
        "KeypointParams": Meant("ss.Keypoints(labels=['names'])", "passed to Compose(keypoints=...)"),
        "ReplayCompose": Meant("ss.Compose([ss.HorizontalFlip()])", "its params(key, shape) lists what was drawn"),
        "RandomGridShuffle": Meant("ss.GridShuffle((3, 3))"),
        "MaskDropout": Meant("", _BRIDGE),
        "RandomFog": Meant("", _BRIDGE),
        "RandomRain": Meant("", _BRIDGE),
        "RandomShadow": Meant("", _BRIDGE),
        "RandomSnow": Meant("", _BRIDGE),
        "RandomSunFlare": Meant("", _BRIDGE),
        "NoOp": Meant("ss.Compose([])"),
    },
    "PyTorchVideo": {
        "UniformTemporalSubsample": Meant("ss.TemporalSample(8, segments=8, clips=1)", "the middles of equal parts, not the ends"),
        "RandomShortSideScale": Meant("ss.RandomScale(sizes=[256, 320], between=True)"),
        "ShortSideScale": Meant("ss.SmallestMaxSize(256)"),
        "UniformCropVideo": Meant("ss.ThreeCrop(256)", "the view is its number of the crop"),
        "Div255": Meant("ss.ToFloat()"),
        "ConvertUint8ToFloat": Meant("ss.ToFloat()"),
        "ApplyTransformToKey": Meant("ss.Compose([ss.HorizontalFlip()])", "the clip stands under 'video'"),
        "MoveChannelFront": Meant("ss.ToCHW()", "(T, C, H, W)"),
    },
    "mmaction2": {
        "SampleFrames": Meant("ss.TemporalSample(32, stride=2)", "clip_len, frame_interval; num_clips is segments, with all frames in n_frames"),
        "DenseSampleFrames": Meant("ss.TemporalSample(32, stride=2)"),
        "UniformSample": Meant("ss.TemporalSample(16, segments=16)"),
        "RandomRescale": Meant("ss.RandomScale(sizes=[256, 320], between=True)"),
        "FormatShape": Meant("ss.ToCHW()", "(T, C, H, W); permute the batch for NCTHW"),
    },
}  # fmt: skip
"""The equivalents of names, by library. Names that mean the same here are not listed."""


WHOLE: Final = {"torchvision": "convert() of the adapter for PyTorch makes a pipeline of a whole Compose"}
"""Advice that holds for all names of a library."""


def advice(name: str, known: list[str]) -> str:
    """Return advice on an unknown name: the equivalent of another library's name, a similar name, or "".

    Args:
        name: the unknown name.
        known: the known names.

    Example:
        >>> advice("RandomGrayscale", [])
        "torchvision's RandomGrayscale is ss.ToGray(p=0.1) here; convert() of the adapter for PyTorch makes a pipeline of a whole Compose"
        >>> advice("Horizontalflip", ["HorizontalFlip", "VerticalFlip"])
        'did you mean HorizontalFlip?'
    """
    found = [(library, names[name]) for library, names in ELSEWHERE.items() if name in names]
    texts = []
    for library, equivalent in found:
        whose = f"{library}'" if library.endswith("s") else f"{library}'s"
        note = f" ({equivalent.note})" if equivalent.call and equivalent.note else ""
        texts.append(
            f"{whose} {name} is {equivalent.call} here{note}"
            if equivalent.call
            else f"{whose} {name} is not here: {equivalent.note}"
        )
    if texts:
        return "; ".join([*texts, *(WHOLE[library] for library, _ in found if library in WHOLE)])
    by_lower = {one.lower(): one for one in known}
    close = [by_lower[one] for one in get_close_matches(name.lower(), by_lower, 2, 0.8)]
    return f"did you mean {' or '.join(close)}?" if close else ""
