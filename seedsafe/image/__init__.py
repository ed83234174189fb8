"""Image transforms.

Images are uint8 or float32, (H, W) or (H, W, C), RGB.
"""

from seedsafe.image.affine import Affine, Rotate
from seedsafe.image.blur import Blur, GaussianBlur, GlassBlur, MedianBlur
from seedsafe.image.box_crops import BBoxSafeCrop, RandomIoUCrop
from seedsafe.image.channels import ChannelDropout, ChannelShuffle, FancyPCA, RGBShift, ToGray, ToSepia
from seedsafe.image.corner_crops import FiveCrop, TenCrop, ThreeCrop
from seedsafe.image.crop_and_pad import CropAndPad
from seedsafe.image.crops import Crop, RandomCropFromBorders
from seedsafe.image.distortion import GridDistortion
from seedsafe.image.elastic import ElasticTransform, PiecewiseAffine
from seedsafe.image.erase import CoarseDropout, RandomErasing, XYMasking
from seedsafe.image.flip import HorizontalFlip, VerticalFlip
from seedsafe.image.grain import ISONoise, MultiplicativeNoise, SaltAndPepper, ShotNoise
from seedsafe.image.grid import GridDropout, GridShuffle, PixelDropout
from seedsafe.image.histogram import CLAHE, AutoContrast, Equalize
from seedsafe.image.hue import HueSaturationValue, PhotoMetricDistortion
from seedsafe.image.jitter import ColorJitter, LinearColorJitter
from seedsafe.image.lens import OpticalDistortion
from seedsafe.image.levels import Invert, Posterize, Solarize
from seedsafe.image.mask_crop import CropNonEmptyMask
from seedsafe.image.motion import AdvancedBlur, Defocus, MotionBlur
from seedsafe.image.noise import GaussianNoise
from seedsafe.image.padded import LetterBox, PadIfNeeded
from seedsafe.image.perspective import Perspective
from seedsafe.image.policies import AugMix, AutoAugment, PolicyOp, RandAugment, TrivialAugmentWide, policy
from seedsafe.image.quality import Downscale, ImageCompression
from seedsafe.image.random_scale import RandomScale
from seedsafe.image.resized import LongestMaxSize, Resize, SmallestMaxSize
from seedsafe.image.resized_crops import MultiScaleCrop, RandomResizedCrop, RandomSizedCrop
from seedsafe.image.sharpness import Emboss, Sharpen
from seedsafe.image.temporal import TemporalSample
from seedsafe.image.tones import Gamma, RandomBrightnessContrast, ToneCurve
from seedsafe.image.turn import D4, RandomRotate90, Transpose
from seedsafe.image.values import Normalize, ToCHW, ToFloat
from seedsafe.image.window import CenterCrop, Pad, RandomCrop
from seedsafe.image.zoom_out import RandomZoomOut

__all__ = [
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
]
