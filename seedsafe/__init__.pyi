# ruff: noqa
# Made by scripts/make_names.py from the table in __init__.py: not to be edited.

from seedsafe import opencv as opencv
from seedsafe.keys.ambient import current_key as current_key
from seedsafe.audio import AddBackground as AddBackground
from seedsafe.audio import AddNoise as AddNoise
from seedsafe.audio import Amplitude as Amplitude
from seedsafe.audio import BandPass as BandPass
from seedsafe.audio import Clipping as Clipping
from seedsafe.audio import DropChunk as DropChunk
from seedsafe.audio import DropFreq as DropFreq
from seedsafe.audio import FrequencyMask as FrequencyMask
from seedsafe.audio import Gain as Gain
from seedsafe.audio import GainTransition as GainTransition
from seedsafe.audio import HighPass as HighPass
from seedsafe.audio import LowPass as LowPass
from seedsafe.audio import PeakNormalize as PeakNormalize
from seedsafe.audio import PitchShift as PitchShift
from seedsafe.audio import PolarityInversion as PolarityInversion
from seedsafe.audio import RandomSegment as RandomSegment
from seedsafe.audio import Reverse as Reverse
from seedsafe.audio import SpeedPerturb as SpeedPerturb
from seedsafe.audio import TimeMask as TimeMask
from seedsafe.audio import TimeShift as TimeShift
from seedsafe.audio import TimeStretch as TimeStretch
from seedsafe.pipeline.boxes import Boxes as Boxes
from seedsafe.bridging import Bridge as Bridge
from seedsafe.bridging import Bridged as Bridged
from seedsafe.bridging import NotReproducible as NotReproducible
from seedsafe.bridging import bridge as bridge
from seedsafe.bridging import keyed as keyed
from seedsafe.bridging import register_hook as register_hook
from seedsafe.pipeline.compose import Compose as Compose
from seedsafe.pipeline.containers import Choice as Choice
from seedsafe.pipeline.containers import OneOf as OneOf
from seedsafe.pipeline.containers import RandomApply as RandomApply
from seedsafe.pipeline.containers import SomeOf as SomeOf
from seedsafe.keys.draws import Draws as Draws
from seedsafe.data.folder import FolderIndex as FolderIndex
from seedsafe.data.folder import ImageFolder as ImageFolder
from seedsafe.image import AdvancedBlur as AdvancedBlur
from seedsafe.image import Affine as Affine
from seedsafe.image import AugMix as AugMix
from seedsafe.image import AutoAugment as AutoAugment
from seedsafe.image import AutoContrast as AutoContrast
from seedsafe.image import BBoxSafeCrop as BBoxSafeCrop
from seedsafe.image import Blur as Blur
from seedsafe.image import CLAHE as CLAHE
from seedsafe.image import CenterCrop as CenterCrop
from seedsafe.image import ChannelDropout as ChannelDropout
from seedsafe.image import ChannelShuffle as ChannelShuffle
from seedsafe.image import CoarseDropout as CoarseDropout
from seedsafe.image import ColorJitter as ColorJitter
from seedsafe.image import Crop as Crop
from seedsafe.image import CropAndPad as CropAndPad
from seedsafe.image import CropNonEmptyMask as CropNonEmptyMask
from seedsafe.image import D4 as D4
from seedsafe.image import Defocus as Defocus
from seedsafe.image import Downscale as Downscale
from seedsafe.image import ElasticTransform as ElasticTransform
from seedsafe.image import Emboss as Emboss
from seedsafe.image import Equalize as Equalize
from seedsafe.image import FancyPCA as FancyPCA
from seedsafe.image import FiveCrop as FiveCrop
from seedsafe.image import Gamma as Gamma
from seedsafe.image import GaussianBlur as GaussianBlur
from seedsafe.image import GaussianNoise as GaussianNoise
from seedsafe.image import GlassBlur as GlassBlur
from seedsafe.image import GridDistortion as GridDistortion
from seedsafe.image import GridDropout as GridDropout
from seedsafe.image import GridShuffle as GridShuffle
from seedsafe.image import HorizontalFlip as HorizontalFlip
from seedsafe.image import HueSaturationValue as HueSaturationValue
from seedsafe.image import ISONoise as ISONoise
from seedsafe.image import ImageCompression as ImageCompression
from seedsafe.image import Invert as Invert
from seedsafe.image import LetterBox as LetterBox
from seedsafe.image import LinearColorJitter as LinearColorJitter
from seedsafe.image import LongestMaxSize as LongestMaxSize
from seedsafe.image import MedianBlur as MedianBlur
from seedsafe.image import MotionBlur as MotionBlur
from seedsafe.image import MultiScaleCrop as MultiScaleCrop
from seedsafe.image import MultiplicativeNoise as MultiplicativeNoise
from seedsafe.image import Normalize as Normalize
from seedsafe.image import OpticalDistortion as OpticalDistortion
from seedsafe.image import Pad as Pad
from seedsafe.image import PadIfNeeded as PadIfNeeded
from seedsafe.image import Perspective as Perspective
from seedsafe.image import PhotoMetricDistortion as PhotoMetricDistortion
from seedsafe.image import PiecewiseAffine as PiecewiseAffine
from seedsafe.image import PixelDropout as PixelDropout
from seedsafe.image import PolicyOp as PolicyOp
from seedsafe.image import Posterize as Posterize
from seedsafe.image import RGBShift as RGBShift
from seedsafe.image import RandAugment as RandAugment
from seedsafe.image import RandomBrightnessContrast as RandomBrightnessContrast
from seedsafe.image import RandomCrop as RandomCrop
from seedsafe.image import RandomCropFromBorders as RandomCropFromBorders
from seedsafe.image import RandomErasing as RandomErasing
from seedsafe.image import RandomIoUCrop as RandomIoUCrop
from seedsafe.image import RandomResizedCrop as RandomResizedCrop
from seedsafe.image import RandomRotate90 as RandomRotate90
from seedsafe.image import RandomScale as RandomScale
from seedsafe.image import RandomSizedCrop as RandomSizedCrop
from seedsafe.image import RandomZoomOut as RandomZoomOut
from seedsafe.image import Resize as Resize
from seedsafe.image import Rotate as Rotate
from seedsafe.image import SaltAndPepper as SaltAndPepper
from seedsafe.image import Sharpen as Sharpen
from seedsafe.image import ShotNoise as ShotNoise
from seedsafe.image import SmallestMaxSize as SmallestMaxSize
from seedsafe.image import Solarize as Solarize
from seedsafe.image import TemporalSample as TemporalSample
from seedsafe.image import TenCrop as TenCrop
from seedsafe.image import ThreeCrop as ThreeCrop
from seedsafe.image import ToCHW as ToCHW
from seedsafe.image import ToFloat as ToFloat
from seedsafe.image import ToGray as ToGray
from seedsafe.image import ToSepia as ToSepia
from seedsafe.image import ToneCurve as ToneCurve
from seedsafe.image import Transpose as Transpose
from seedsafe.image import TrivialAugmentWide as TrivialAugmentWide
from seedsafe.image import VerticalFlip as VerticalFlip
from seedsafe.image import XYMasking as XYMasking
from seedsafe.image import policy as policy
from seedsafe.ground.info import Info as Info
from seedsafe.keys.generator import draws as draws
from seedsafe.keys.generator import generator as generator
from seedsafe.keys.key import CONTRACT_VERSION as CONTRACT_VERSION
from seedsafe.keys.key import SampleIndex as SampleIndex
from seedsafe.keys.key import SampleKey as SampleKey
from seedsafe.keys.key import VALIDATION_EPOCH as VALIDATION_EPOCH
from seedsafe.keys.key import epoch_order as epoch_order
from seedsafe.keys.key import op_of as op_of
from seedsafe.keys.key import record_index as record_index
from seedsafe.pipeline.keypoints import Keypoints as Keypoints
from seedsafe.mixing import BatchMix as BatchMix
from seedsafe.mixing import CopyPaste as CopyPaste
from seedsafe.mixing import CutMix as CutMix
from seedsafe.mixing import MixUp as MixUp
from seedsafe.mixing import Mosaic as Mosaic
from seedsafe.pipeline.naming import Stream as Stream
from seedsafe.reading import SampleError as SampleError
from seedsafe.reading.records import KeyedMap as KeyedMap
from seedsafe.reading.records import content_id as content_id
from seedsafe.reading.records import keyed_map as keyed_map
from seedsafe.pipeline.state import Applied as Applied
from seedsafe.data.stats import ChannelStats as ChannelStats
from seedsafe.data.stats import channel_stats as channel_stats
from seedsafe.pipeline.views import Views as Views
from seedsafe.pipeline.transform import AudioTransform as AudioTransform
from seedsafe.pipeline.transform import ImageTransform as ImageTransform
from seedsafe.pipeline.transform import SpatialTransform as SpatialTransform
from seedsafe.pipeline.transform import Transform as Transform
from seedsafe.pipeline.transform import VideoTransform as VideoTransform
from seedsafe_audit import audit as audit

__version__: str

__all__ = [
    "AddBackground",
    "AddNoise",
    "AdvancedBlur",
    "Affine",
    "Amplitude",
    "Applied",
    "AudioTransform",
    "AugMix",
    "AutoAugment",
    "AutoContrast",
    "BBoxSafeCrop",
    "BandPass",
    "BatchMix",
    "Blur",
    "Boxes",
    "Bridge",
    "Bridged",
    "CLAHE",
    "CONTRACT_VERSION",
    "CenterCrop",
    "ChannelDropout",
    "ChannelShuffle",
    "ChannelStats",
    "Choice",
    "Clipping",
    "CoarseDropout",
    "ColorJitter",
    "Compose",
    "CopyPaste",
    "Crop",
    "CropAndPad",
    "CropNonEmptyMask",
    "CutMix",
    "D4",
    "Defocus",
    "Downscale",
    "Draws",
    "DropChunk",
    "DropFreq",
    "ElasticTransform",
    "Emboss",
    "Equalize",
    "FancyPCA",
    "FiveCrop",
    "FolderIndex",
    "FrequencyMask",
    "Gain",
    "GainTransition",
    "Gamma",
    "GaussianBlur",
    "GaussianNoise",
    "GlassBlur",
    "GridDistortion",
    "GridDropout",
    "GridShuffle",
    "HighPass",
    "HorizontalFlip",
    "HueSaturationValue",
    "ISONoise",
    "ImageCompression",
    "ImageFolder",
    "ImageTransform",
    "Info",
    "Invert",
    "KeyedMap",
    "Keypoints",
    "LetterBox",
    "LinearColorJitter",
    "LongestMaxSize",
    "LowPass",
    "MedianBlur",
    "MixUp",
    "Mosaic",
    "MotionBlur",
    "MultiScaleCrop",
    "MultiplicativeNoise",
    "Normalize",
    "NotReproducible",
    "OneOf",
    "OpticalDistortion",
    "Pad",
    "PadIfNeeded",
    "PeakNormalize",
    "Perspective",
    "PhotoMetricDistortion",
    "PiecewiseAffine",
    "PitchShift",
    "PixelDropout",
    "PolarityInversion",
    "PolicyOp",
    "Posterize",
    "RGBShift",
    "RandAugment",
    "RandomApply",
    "RandomBrightnessContrast",
    "RandomCrop",
    "RandomCropFromBorders",
    "RandomErasing",
    "RandomIoUCrop",
    "RandomResizedCrop",
    "RandomRotate90",
    "RandomScale",
    "RandomSegment",
    "RandomSizedCrop",
    "RandomZoomOut",
    "Resize",
    "Reverse",
    "Rotate",
    "SaltAndPepper",
    "SampleError",
    "SampleIndex",
    "SampleKey",
    "Sharpen",
    "ShotNoise",
    "SmallestMaxSize",
    "Solarize",
    "SomeOf",
    "SpatialTransform",
    "SpeedPerturb",
    "Stream",
    "TemporalSample",
    "TenCrop",
    "ThreeCrop",
    "TimeMask",
    "TimeShift",
    "TimeStretch",
    "ToCHW",
    "ToFloat",
    "ToGray",
    "ToSepia",
    "ToneCurve",
    "Transform",
    "Transpose",
    "TrivialAugmentWide",
    "VALIDATION_EPOCH",
    "VerticalFlip",
    "VideoTransform",
    "Views",
    "XYMasking",
    "audit",
    "bridge",
    "channel_stats",
    "content_id",
    "current_key",
    "draws",
    "epoch_order",
    "generator",
    "keyed",
    "keyed_map",
    "op_of",
    "opencv",
    "policy",
    "record_index",
    "register_hook",
]
