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
_IN_DATASET: Final = "keep yours in the dataset: with bridge=True it follows the key"
_LABELS: Final = "samples stay NumPy arrays until they are collated"
_FIXED: Final = "it draws nothing: keep yours, in the dataset or in the model"
_OWN: Final = "derive a class from ss.ImageTransform, ss.SpatialTransform or ss.AudioTransform"

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
        "JPEG": Meant("ss.ImageCompression((50, 95))"),
        "RandomResize": Meant("ss.RandomScale(sizes=[256, 320], between=True)"),
        "RGB": Meant("", "images are RGB: convert the file when you read it"),
        "Identity": Meant("ss.Compose([])"),
        "ClampBoundingBoxes": Meant("ss.Boxes('pascal_voc', clip=True)", "passed to Compose(boxes=...)"),
        "SanitizeBoundingBoxes": Meant("ss.Boxes('pascal_voc', min_area=1, labels=['labels'])", "passed to Compose(boxes=...)"),
        "ConvertBoundingBoxFormat": Meant("ss.Boxes('coco')", "passed to Compose(boxes=...): the format of the samples"),
        "LinearTransformation": Meant("", _FIXED),
        "ClampKeyPoints": Meant("ss.Keypoints(outside='drop')", "passed to Compose(keypoints=...)"),
        "SanitizeKeyPoints": Meant("ss.Keypoints(outside='drop')", "passed to Compose(keypoints=...)"),
        "SetClampingMode": Meant("ss.Boxes('pascal_voc', clip=True)", "passed to Compose(boxes=...)"),
        "InterpolationMode": Meant("", "write 'nearest', 'bilinear', 'bicubic' or 'lanczos'"),
        "AutoAugmentPolicy": Meant("", "write 'imagenet', 'cifar10' or 'svhn'"),
        "ToPureTensor": Meant("", "leave it out: samples are NumPy arrays"),
        "Lambda": Meant("", "derive a class from ss.ImageTransform, or put ss.bridge(function) into the Compose"),
    },
    "Keras": {
        "RandomFlip": Meant("ss.HorizontalFlip(p=0.5)", "and ss.VerticalFlip(p=0.5) for both"),
        "RandomTranslation": Meant("ss.Affine(translate=0.1, mode='reflect')"),
        "RandomZoom": Meant("ss.Affine(scale=(0.8, 1.2), mode='reflect')"),
        "RandomShear": Meant("ss.Affine(shear=10, mode='reflect')", "in degrees"),
        "RandomContrast": Meant("ss.RandomBrightnessContrast(brightness=0.0, contrast=0.2)"),
        "RandomBrightness": Meant("ss.RandomBrightnessContrast(brightness=0.2, contrast=0.0)"),
        "RandomGrayscale": Meant("ss.ToGray(p=0.5)"),
        "RandomInvert": Meant("ss.Invert(p=1)"),
        "RandomPerspective": Meant("ss.Perspective(distortion_scale=0.5, p=1)"),
        "RandomRotation": Meant("ss.Rotate(36, mode='reflect')", "in degrees: factor=0.1 is a tenth of a turn"),
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
        "Pipeline": Meant("ss.Compose([ss.HorizontalFlip()])"),
        "RandomColorDegeneration": Meant("ss.ColorJitter(saturation=0.5)"),
        "RandomPosterization": Meant("ss.Posterize(4)"),
        "ContrastLimitedAdaptiveHistogramEqualization": Meant("ss.CLAHE(4.0)"),
        "RandomWidth": Meant("ss.Affine(scale=(0.8, 1.2))", "both sides"),
        "RandomHeight": Meant("ss.Affine(scale=(0.8, 1.2))", "both sides"),
        "MelSpectrogram": Meant("", _FIXED),
        "STFTSpectrogram": Meant("", _FIXED),
        "MaxNumBoundingBoxes": Meant("", _FIXED),
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
        "AddElementwise": Meant("ss.GaussianNoise((0, 25))"),
        "AddToBrightness": Meant("ss.HueSaturationValue(0, 0, 30)"),
        "AddToHue": Meant("ss.HueSaturationValue(20, 0, 0)"),
        "AddToSaturation": Meant("ss.HueSaturationValue(0, 30, 0)"),
        "AdditiveLaplaceNoise": Meant("ss.GaussianNoise((0, 25))", "normal, not Laplace"),
        "AdditivePoissonNoise": Meant("ss.ShotNoise()"),
        "AllChannelsCLAHE": Meant("ss.CLAHE(4.0)"),
        "AllChannelsHistogramEqualization": Meant("ss.Equalize(p=1)"),
        "HistogramEqualization": Meant("ss.Equalize(p=1)"),
        "CenterCropToFixedSize": Meant("ss.CenterCrop(224)"),
        "CoarsePepper": Meant("ss.CoarseDropout((1, 8), 0.05, 0.05)"),
        "CoarseSaltAndPepper": Meant("ss.CoarseDropout((1, 8), 0.05, 0.05)"),
        "Dropout2d": Meant("ss.ChannelDropout(1)"),
        "TotalDropout": Meant("ss.CoarseDropout(1, 1.0, 1.0)"),
        "ImpulseNoise": Meant("ss.SaltAndPepper()"),
        "Salt": Meant("ss.SaltAndPepper(salt=1.0)"),
        "Pepper": Meant("ss.SaltAndPepper(salt=0.0)"),
        "Identity": Meant("ss.Compose([])"),
        "Noop": Meant("ss.Compose([])"),
        "Jigsaw": Meant("ss.GridShuffle((3, 3))"),
        "LogContrast": Meant("ss.ToneCurve()", "not the same curve"),
        "SigmoidContrast": Meant("ss.ToneCurve()", "not the same curve"),
        "MultiplyBrightness": Meant("ss.ColorJitter(brightness=0.3)"),
        "MultiplyAndAddToBrightness": Meant("ss.RandomBrightnessContrast(brightness=0.1, contrast=0.3)"),
        "MultiplyElementwise": Meant("ss.MultiplicativeNoise((0.8, 1.2), per_pixel=True)"),
        "MultiplyHueAndSaturation": Meant("ss.ColorJitter(saturation=0.5, hue=0.1)"),
        "MultiplyHue": Meant("ss.ColorJitter(hue=0.1)"),
        "MultiplySaturation": Meant("ss.ColorJitter(saturation=0.5)"),
        "RemoveSaturation": Meant("ss.ColorJitter(saturation=(0, 1))"),
        "PadToFixedSize": Meant("ss.PadIfNeeded((224, 224))"),
        "CenterPadToFixedSize": Meant("ss.PadIfNeeded((224, 224))"),
        "PadToMultiplesOf": Meant("ss.PadIfNeeded(divisor=32)"),
        "CenterPadToMultiplesOf": Meant("ss.PadIfNeeded(divisor=32)"),
        "PadToSquare": Meant("ss.LetterBox(640)", "of a size"),
        "CenterPadToSquare": Meant("ss.LetterBox(640)", "of a size"),
        "ScaleX": Meant("ss.Affine(scale=(0.8, 1.2))", "both sides"),
        "ScaleY": Meant("ss.Affine(scale=(0.8, 1.2))", "both sides"),
        "ShearX": Meant("ss.Affine(shear=10)"),
        "ShearY": Meant("ss.Affine(shear=10)"),
        "TranslateX": Meant("ss.Affine(translate=0.1)", "both sides"),
        "TranslateY": Meant("ss.Affine(translate=0.1)", "both sides"),
        "UniformColorQuantizationToNBits": Meant("ss.Posterize(4)"),
        **dict.fromkeys(
            ("BilateralBlur", "Canny", "Cartoon", "ChangeColorTemperature", "Clouds", "DirectedEdgeDetect", "EdgeDetect", "FastSnowyLandscape", "Fog", "Rain", "Snowflakes"),
            Meant("", _BRIDGE),
        ),
        **dict.fromkeys(
            ("KMeansColorQuantization", "UniformColorQuantization", "KeepSizeByResize", "ReplaceElementwise", "RegularGridVoronoi", "RelativeRegularGridVoronoi", "AffineCv2"),
            Meant("", _BRIDGE),
        ),
        **dict.fromkeys(
            ("BlendAlphaMask", "BlendAlphaElementwise", "BlendAlphaSimplexNoise", "BlendAlphaFrequencyNoise", "BlendAlphaSomeColors", "BlendAlphaRegularGrid"), Meant("", _BRIDGE)
        ),
        **dict.fromkeys(
            ("BlendAlphaHorizontalLinearGradient", "BlendAlphaVerticalLinearGradient", "BlendAlphaCheckerboard", "BlendAlphaSegMapClassIds", "BlendAlphaBoundingBoxes"),
            Meant("", _BRIDGE),
        ),
        **dict.fromkeys(
            ("WithBrightnessChannels", "WithHueAndSaturation", "WithPolarWarping", "WithChannels", "ChangeColorspace", "CloudLayer", "SnowflakesLayer", "RainLayer"),
            Meant("", _BRIDGE),
        ),
        **dict.fromkeys(
            ("CropToMultiplesOf", "CropToPowersOf", "CropToAspectRatio", "CropToSquare", "CenterCropToMultiplesOf", "CenterCropToPowersOf", "CenterCropToAspectRatio"),
            Meant("", _BRIDGE),
        ),
        **dict.fromkeys(("PadToPowersOf", "PadToAspectRatio", "CenterPadToPowersOf", "CenterPadToAspectRatio", "CenterCropToSquare"), Meant("", _BRIDGE)),
        **dict.fromkeys(
            ("AssertLambda", "AssertShape", "SaveDebugImageEveryNBatches", "RemoveCBAsByOutOfImageFraction", "ClipCBAsToImagePlanes"),
            Meant("", "leave it out, or put ss.bridge(...) around yours"),
        ),
        "CoarseSalt": Meant("ss.CoarseDropout((1, 8), 0.05, 0.05, fill=1.0)"),
        "Augmenter": Meant("", _OWN),
        **dict.fromkeys(
            ("AveragePooling", "MaxPooling", "MeanShiftBlur", "MedianPooling", "MinPooling", "Superpixels", "UniformVoronoi", "WithColorspace", "BlendAlpha", "Voronoi"),
            Meant("", _BRIDGE),
        ),
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
        "AdditiveNoise": Meant("ss.GaussianNoise((0, 25))", "normal, in steps of the image's values"),
        "AtLeastOneBBoxRandomCrop": Meant("ss.RandomIoUCrop()"),
        "BBoxSafeRandomCrop": Meant("ss.BBoxSafeCrop()"),
        "RandomSizedBBoxSafeCrop": Meant("ss.BBoxSafeCrop((224, 224))"),
        "CropNonEmptyMaskIfExists": Meant("ss.CropNonEmptyMask((224, 224))"),
        "SquareSymmetry": Meant("ss.D4()"),
        "Erasing": Meant("ss.RandomErasing()"),
        "FrequencyMasking": Meant("ss.FrequencyMask(30)"),
        "TimeMasking": Meant("ss.TimeMask(40)"),
        "TimeReverse": Meant("ss.Reverse()"),
        "InvertImg": Meant("ss.Invert(p=0.5)"),
        "RandomToneCurve": Meant("ss.ToneCurve(0.1)"),
        "ConstrainedCoarseDropout": Meant("ss.CoarseDropout(1, 0.1, 0.1)", "anywhere in the image"),
        "OneOrOther": Meant("ss.OneOf([ss.HorizontalFlip(p=1), ss.VerticalFlip(p=1)])"),
        "UnsharpMask": Meant("ss.Sharpen()", "not the same kernel"),
        "ToRGB": Meant("", "images are RGB: convert the file when you read it"),
        "FromFloat": Meant("", "leave it out: uint8 stays uint8"),
        "ImageOnlyTransform": Meant("", "derive your class from ss.ImageTransform"),
        "DualTransform": Meant("", "derive your class from ss.SpatialTransform"),
        "BasicTransform": Meant("", "derive your class from ss.Transform"),
        **dict.fromkeys(
            ("ChromaticAberration", "FDA", "GridElasticDeform", "HEStain", "HistogramMatching", "Illumination", "Morphological", "OverlayElements", "PixelDistributionAdaptation"),
            Meant("", _BRIDGE),
        ),
        **dict.fromkeys(
            ("PlanckianJitter", "PlasmaBrightnessContrast", "PlasmaShadow", "RandomCropNearBBox", "RandomGravel", "RingingOvershoot", "SelectiveChannelTransform", "Spatter"),
            Meant("", _BRIDGE),
        ),
        **dict.fromkeys(("Superpixels", "TextImage", "ThinPlateSpline", "ZoomBlur", "TemplateTransform", "CubicSymmetry"), Meant("", _BRIDGE)),
        **dict.fromkeys(("CenterCrop3D", "CoarseDropout3D", "Pad3D", "PadIfNeeded3D", "RandomCrop3D"), Meant("", _BRIDGE)),
    },
    "kornia": {
        "AugmentationSequential": Meant("ss.Compose([ss.HorizontalFlip()])"),
        "ImageSequential": Meant("ss.Compose([ss.HorizontalFlip()])"),
        "VideoSequential": Meant("ss.Compose([ss.HorizontalFlip()])", "the clip stands under 'video'"),
        "ColorJiggle": Meant("ss.ColorJitter(0.2, 0.2, 0.2, 0.1)"),
        "RandomAutoContrast": Meant("ss.AutoContrast(p=0.5)"),
        "RandomBoxBlur": Meant("ss.Blur(3)"),
        "RandomChannelDropout": Meant("ss.ChannelDropout(1)"),
        "RandomChannelShuffle": Meant("ss.ChannelShuffle(p=0.5)"),
        "RandomClahe": Meant("ss.CLAHE(40.0)"),
        "RandomCutMixV2": Meant("ss.CutMix()"),
        "RandomMixUpV2": Meant("ss.MixUp()"),
        "RandomMosaic": Meant("ss.Mosaic(640)"),
        "RandomGaussianNoise": Meant("ss.GaussianNoise((0, 12))", "std is in steps of the image's values"),
        "RandomJPEG": Meant("ss.ImageCompression((50, 95))"),
        "RandomJigsaw": Meant("ss.GridShuffle((4, 4))"),
        "RandomMedianBlur": Meant("ss.MedianBlur(3)"),
        "RandomMotionBlur": Meant("ss.MotionBlur((3, 7))"),
        "RandomRGBShift": Meant("ss.RGBShift(20, 20, 20)"),
        "RandomRotation90": Meant("ss.RandomRotate90()"),
        "RandomSaltAndPepperNoise": Meant("ss.SaltAndPepper()"),
        "RandomTranslate": Meant("ss.Affine(translate=0.1)"),
        "RandomShear": Meant("ss.Affine(shear=10)"),
        "RandomGamma": Meant("ss.Gamma((0.7, 1.7))"),
        "RandomElasticTransform": Meant("ss.ElasticTransform(50.0, 5.0)"),
        "RandomGaussianBlur": Meant("ss.GaussianBlur(3)"),
        "PadTo": Meant("ss.PadIfNeeded((224, 224))"),
        "PatchSequential": Meant("", _BRIDGE),
        "Denormalize": Meant("", _FIXED),
        **dict.fromkeys(
            ("RandomDissolving", "RandomFisheye", "RandomGaussianIllumination", "RandomLinearCornerIllumination", "RandomLinearIllumination", "RandomPlanckianJitter", "PatchMix"),
            Meant("", _BRIDGE),
        ),
        **dict.fromkeys(
            ("RandomPlasmaBrightness", "RandomPlasmaContrast", "RandomPlasmaShadow", "RandomThinPlateSpline", "RandomTransplantation", "RandomTransplantation3D"),
            Meant("", _BRIDGE),
        ),
        **dict.fromkeys(
            ("CenterCrop3D", "RandomAffine3D", "RandomCrop3D", "RandomDepthicalFlip3D", "RandomEqualize3D", "RandomHorizontalFlip3D", "RandomMotionBlur3D"),
            Meant("", _BRIDGE),
        ),
        **dict.fromkeys(("RandomPerspective3D", "RandomRotation3D", "RandomVerticalFlip3D"), Meant("", _BRIDGE)),
        **dict.fromkeys(
            ("AugmentationBase2D", "AugmentationBase3D", "GeometricAugmentationBase2D", "GeometricAugmentationBase3D", "IntensityAugmentationBase2D", "IntensityAugmentationBase3D"),
            Meant("", _OWN),
        ),
        **dict.fromkeys(("MixAugmentationBaseV2", "RigidAffineAugmentationBase2D", "RigidAffineAugmentationBase3D"), Meant("", _OWN)),
        **dict.fromkeys(("ManyToManyAugmentationDispather", "ManyToOneAugmentationDispather"), Meant("", "loader and views=[a, b] of AugmentedDataset make several")),
    },
    "torchaudio": {
        "FrequencyMasking": Meant("ss.FrequencyMask(27)"),
        "TimeMasking": Meant("ss.TimeMask(100)"),
        "SpecAugment": Meant("ss.FrequencyMask(27, count=2), ss.TimeMask(100, count=2)"),
        "Vol": Meant("ss.Gain((-12, 12))"),
        "Speed": Meant("ss.SpeedPerturb(1.1)"),
        "SpeedPerturbation": Meant("ss.SpeedPerturb((0.9, 1.1, 1.0))"),
        "Fade": Meant("ss.GainTransition()", "in decibels"),
        **dict.fromkeys(("Convolve", "FFTConvolve"), Meant("", "derive a class from ss.AudioTransform that draws the impulse response")),
        **dict.fromkeys(
            ("AmplitudeToDB", "ComputeDeltas", "Deemphasis", "GriffinLim", "InverseMelScale", "InverseSpectrogram", "LFCC", "Loudness", "MFCC", "MVDR", "MelScale", "MelSpectrogram"),
            Meant("", _FIXED),
        ),
        **dict.fromkeys(
            ("MuLawDecoding", "MuLawEncoding", "PSD", "Preemphasis", "RNNTLoss", "RTFMVDR", "Resample", "SlidingWindowCmn", "SoudenMVDR", "SpectralCentroid", "Spectrogram", "Vad"),
            Meant("", _FIXED),
        ),
    },
    "audiomentations": {
        "AddBackgroundNoise": Meant("ss.AddBackground([np.zeros(16000, np.float32)], snr=(3, 30))", "or paths instead of arrays"),
        "AddShortNoises": Meant("ss.AddBackground([np.zeros(16000, np.float32)], snr=(3, 30))", "or paths instead of arrays"),
        "AddColorNoise": Meant("ss.AddNoise((5, 40), color='pink')", "snr is in decibels"),
        "AddGaussianNoise": Meant("ss.AddNoise((5, 40))", "snr is in decibels below the waveform"),
        "AddGaussianSNR": Meant("ss.AddNoise((5, 40))"),
        "BandPassFilter": Meant("ss.BandPass((200, 4000), sample_rate=16000)"),
        "HighPassFilter": Meant("ss.HighPass((20, 2400), sample_rate=16000)"),
        "LowPassFilter": Meant("ss.LowPass((150, 7500), sample_rate=16000)"),
        "ClippingDistortion": Meant("ss.Clipping((0.0, 0.4))"),
        "LoudnessNormalization": Meant("ss.PeakNormalize()", "by the peak"),
        "AdjustDuration": Meant("ss.RandomSegment(16000, pad_if_needed=True)", "in samples"),
        "Padding": Meant("ss.RandomSegment(16000, pad_if_needed=True)", "in samples"),
        "Shift": Meant("ss.TimeShift((-0.5, 0.5))"),
        "SpecCompose": Meant("ss.Compose([ss.FrequencyMask(27), ss.TimeMask(100)])"),
        "SpecFrequencyMask": Meant("ss.FrequencyMask(27)"),
        "SpecChannelShuffle": Meant("", _BRIDGE),
        "Resample": Meant("ss.SpeedPerturb((0.5, 1.0, 2.0))", "length and pitch change there too"),
        "Trim": Meant("", _FIXED),
        "Clip": Meant("", _FIXED),
        "Lambda": Meant("", "derive a class from ss.AudioTransform"),
        **dict.fromkeys(
            ("AirAbsorption", "Aliasing", "ApplyImpulseResponse", "BandStopFilter", "BitCrush", "HighShelfFilter", "Limiter", "LowShelfFilter", "Mp3Compression", "PeakingFilter"),
            Meant("", _BRIDGE),
        ),
        **dict.fromkeys(("RepeatPart", "RoomSimulator", "SevenBandParametricEQ", "TanhDistortion"), Meant("", _BRIDGE)),
    },
    "torch-audiomentations": {
        "AddColoredNoise": Meant("ss.AddNoise((3, 30), color='pink')"),
        "PeakNormalization": Meant("ss.PeakNormalize()"),
        "TimeInversion": Meant("ss.Reverse()"),
        "ShuffleChannels": Meant("", _BRIDGE),
        "SpliceOut": Meant("", _BRIDGE),
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
    "MMDetection": {
        "MinIoURandomCrop": Meant("ss.RandomIoUCrop()", "SSD's crops, as in torchvision"),
        "Expand": Meant("ss.RandomZoomOut()"),
        "SegRescale": Meant("", "it draws nothing: scale the mask in the model, or in your collate function"),
        "RandomCenterCropPad": Meant("", _IN_DATASET),
    },
    "MMOCR": {
        "RescaleToHeight": Meant("", _FIXED),
        "PadToWidth": Meant("", _FIXED),
        **dict.fromkeys(("TextDetRandomCrop", "TextDetRandomCropFlip"), Meant("", "it cuts between polygons, which are no target: " + _IN_DATASET)),
    },
    "MONAI": {
        "RandCropByPosNegLabeld": Meant("ss.CropNonEmptyMask(96)", "of images, always around a pixel of the mask"),
        "RandSpatialCropd": Meant("ss.RandomCrop(96)", "of images"),
        "RandFlipd": Meant("ss.HorizontalFlip(p=0.5)", "of images"),
    },
    "SpeechBrain": {
        "SpectrogramDrop": Meant("ss.TimeMask((5, 15), count=(1, 3))", "FrequencyMask for dim=2"),
        "AddReverb": Meant("", _IN_DATASET),
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
        >>> advice("RandomEqualize", [])
        "torchvision's RandomEqualize is ss.Equalize(p=0.5) here; convert() of the adapter for PyTorch makes a pipeline of a whole Compose"
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
