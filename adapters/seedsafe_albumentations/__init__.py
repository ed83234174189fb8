"""This library's transforms under albumentations' names and arguments, from 1.x to 2.0.8: change the import, wrap the dataset.

A sample's augmentation is then a function of (seed, epoch, index), for any number of workers.
"""

from typing import Any

from seedsafe_albumentations import augmentations, core, pytorch
from seedsafe_albumentations.absent import (
    BasicTransform,
    DualTransform,
    ImageOnlyTransform,
    absent,
    instead,
    underived,
)
from seedsafe_albumentations.blur import (
    AdvancedBlur,
    Blur,
    Defocus,
    Emboss,
    GaussianBlur,
    GlassBlur,
    IAAEmboss,
    IAASharpen,
    MedianBlur,
    MotionBlur,
    Sharpen,
)
from seedsafe_albumentations.choices import OneOf, OneOrOther, RandomOrder, SomeOf
from seedsafe_albumentations.colour import (
    CLAHE,
    AutoContrast,
    ChannelDropout,
    ChannelShuffle,
    ColorJitter,
    Equalize,
    FancyPCA,
    HueSaturationValue,
    InvertImg,
    Posterize,
    RandomBrightness,
    RandomBrightnessContrast,
    RandomContrast,
    RandomGamma,
    RandomToneCurve,
    RGBShift,
    Solarize,
    ToGray,
    ToSepia,
)
from seedsafe_albumentations.composition import Compose, ReplayCompose, Sequential
from seedsafe_albumentations.crops import (
    BBoxSafeRandomCrop,
    CenterCrop,
    Crop,
    CropAndPad,
    CropNonEmptyMaskIfExists,
    RandomCrop,
    RandomCropFromBorders,
    RandomResizedCrop,
    RandomSizedBBoxSafeCrop,
    RandomSizedCrop,
)
from seedsafe_albumentations.distortion import (
    ElasticTransform,
    GridDistortion,
    IAAPiecewiseAffine,
    OpticalDistortion,
    PiecewiseAffine,
)
from seedsafe_albumentations.erase import (
    CoarseDropout,
    Cutout,
    Erasing,
    GridDropout,
    PixelDropout,
    RandomGridShuffle,
    XYMasking,
)
from seedsafe_albumentations.functions import Lambda
from seedsafe_albumentations.geometry import (
    D4,
    Affine,
    Flip,
    HorizontalFlip,
    NoOp,
    Perspective,
    RandomRotate90,
    Rotate,
    SafeRotate,
    ShiftScaleRotate,
    SquareSymmetry,
    Transpose,
    VerticalFlip,
)
from seedsafe_albumentations.iaa import IAAAffine, IAACropAndPad, IAAFliplr, IAAFlipud, IAAPerspective
from seedsafe_albumentations.noise import (
    Downscale,
    GaussNoise,
    IAAAdditiveGaussianNoise,
    ImageCompression,
    ISONoise,
    JpegCompression,
    MultiplicativeNoise,
    SaltAndPepper,
    ShotNoise,
)
from seedsafe_albumentations.params import BboxParams, KeypointParams
from seedsafe_albumentations.pytorch import ToTensor, ToTensorV2
from seedsafe_albumentations.serialization import from_dict, load, save, to_dict
from seedsafe_albumentations.sizes import (
    LongestMaxSize,
    Pad,
    PadIfNeeded,
    RandomScale,
    Resize,
    SmallestMaxSize,
)
from seedsafe_albumentations.values import Normalize, ToFloat

__all__ = [
    "CLAHE",
    "D4",
    "AdvancedBlur",
    "Affine",
    "AutoContrast",
    "BBoxSafeRandomCrop",
    "BasicTransform",
    "BboxParams",
    "Blur",
    "CenterCrop",
    "ChannelDropout",
    "ChannelShuffle",
    "CoarseDropout",
    "ColorJitter",
    "Compose",
    "Crop",
    "CropAndPad",
    "CropNonEmptyMaskIfExists",
    "Cutout",
    "Defocus",
    "Downscale",
    "DualTransform",
    "ElasticTransform",
    "Emboss",
    "Equalize",
    "Erasing",
    "FancyPCA",
    "Flip",
    "GaussNoise",
    "GaussianBlur",
    "GlassBlur",
    "GridDistortion",
    "GridDropout",
    "HorizontalFlip",
    "HueSaturationValue",
    "IAAAdditiveGaussianNoise",
    "IAAAffine",
    "IAACropAndPad",
    "IAAEmboss",
    "IAAFliplr",
    "IAAFlipud",
    "IAAPerspective",
    "IAAPiecewiseAffine",
    "IAASharpen",
    "ISONoise",
    "ImageCompression",
    "ImageOnlyTransform",
    "InvertImg",
    "JpegCompression",
    "KeypointParams",
    "Lambda",
    "LongestMaxSize",
    "MedianBlur",
    "MotionBlur",
    "MultiplicativeNoise",
    "NoOp",
    "Normalize",
    "OneOf",
    "OneOrOther",
    "OpticalDistortion",
    "Pad",
    "PadIfNeeded",
    "Perspective",
    "PiecewiseAffine",
    "PixelDropout",
    "Posterize",
    "RGBShift",
    "RandomBrightness",
    "RandomBrightnessContrast",
    "RandomContrast",
    "RandomCrop",
    "RandomCropFromBorders",
    "RandomGamma",
    "RandomGridShuffle",
    "RandomOrder",
    "RandomResizedCrop",
    "RandomRotate90",
    "RandomScale",
    "RandomSizedBBoxSafeCrop",
    "RandomSizedCrop",
    "RandomToneCurve",
    "ReplayCompose",
    "Resize",
    "Rotate",
    "SafeRotate",
    "SaltAndPepper",
    "Sequential",
    "Sharpen",
    "ShiftScaleRotate",
    "ShotNoise",
    "SmallestMaxSize",
    "Solarize",
    "SomeOf",
    "SquareSymmetry",
    "ToFloat",
    "ToGray",
    "ToSepia",
    "ToTensor",
    "ToTensorV2",
    "Transpose",
    "VerticalFlip",
    "XYMasking",
    "augmentations",
    "core",
    "from_dict",
    "load",
    "pytorch",
    "save",
    "to_dict",
]

underived(globals()[name] for name in __all__)


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module 'seedsafe_albumentations' has no attribute {name!r}")
    found = absent(name) or vars(augmentations).get(name)  # its modules stood beside it in 1.x
    if found is None:
        raise AttributeError(f"seedsafe_albumentations has no {name}: {instead(name)}")
    return found
