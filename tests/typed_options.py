"""What type checkers make of options: read by mypy and pyright in test_options.py, and never run."""

from dataclasses import dataclass
from typing import Any, assert_type

import seedsafe as ss

# What may be given

ss.RandomCrop(32)
ss.RandomCrop((32, 24), padding=(4, 8), pad_if_needed=True, mode="reflect", fill=(1, 2, 3), name="crop")
ss.ColorJitter(0.4, (0.5, 1.5), saturation=0.2, p=0.5)
ss.Affine(15, translate=0.1, scale=((0.9, 1.1), (1.0, 1.0)), shear=5)
ss.OneOf([ss.HorizontalFlip(), ss.Compose([ss.Blur(3)])])
ss.Choice([ss.ToGray()], weights=[1])
ss.GaussianNoise(variance=(10, 50))

# What may not

ss.RandomCrop("32")  # type: ignore[arg-type]
ss.RandomCrop()  # type: ignore[call-arg]
ss.RandomCrop(32, 24)  # type: ignore[call-arg, arg-type]
ss.RandomCrop(32, pading=4)  # type: ignore[call-arg]
ss.Rotate("30")  # type: ignore[arg-type]
ss.HorizontalFlip(p="often")  # type: ignore[arg-type]
ss.SomeOf([ss.ToGray()])  # type: ignore[call-arg]
ss.RandomCrop(32).size = (1, 1)  # type: ignore[misc]

# A user's own


@dataclass(frozen=True)
class Shifted(ss.RandomCrop):
    by: int = 0


assert_type(Shifted(32, by=3).by, int)
assert_type(Shifted(32).pad_if_needed, bool)

# What is kept

assert_type(ss.HorizontalFlip().p, float)
assert_type(ss.HorizontalFlip().name, str | None)
assert_type(ss.AdvancedBlur().size, tuple[int, int])
assert_type(ss.AdvancedBlur().sigma_x, tuple[float, float])
assert_type(ss.AdvancedBlur().sigma_y, tuple[float, float])
assert_type(ss.AdvancedBlur().angle, tuple[float, float])
assert_type(ss.AdvancedBlur().beta, tuple[float, float])
assert_type(ss.AdvancedBlur().noise, tuple[float, float])
assert_type(ss.Affine().degrees, tuple[float, float])
assert_type(ss.Affine().translate, tuple[tuple[float, float], tuple[float, float]])
assert_type(ss.Affine().scale, Any)
assert_type(ss.Affine().shear, Any)
assert_type(ss.Amplitude().gain, tuple[float, float])
assert_type(ss.BBoxSafeCrop().size, tuple[int, int] | None)
assert_type(ss.Blur().size, tuple[int, int])
assert_type(ss.CLAHE().clip, tuple[float, float])
assert_type(ss.CLAHE().tiles, tuple[int, int])
assert_type(ss.CenterCrop(size=20).size, tuple[int, int])
assert_type(ss.ChannelDropout().count, tuple[int, int])
assert_type(ss.CoarseDropout().count, tuple[int, int])
assert_type(ss.CoarseDropout().height, tuple[float, float] | tuple[int, int])
assert_type(ss.CoarseDropout().width, tuple[float, float] | tuple[int, int])
assert_type(ss.ColorJitter().brightness, tuple[float, float])
assert_type(ss.ColorJitter().contrast, tuple[float, float])
assert_type(ss.ColorJitter().saturation, tuple[float, float])
assert_type(ss.ColorJitter().hue, tuple[float, float])
assert_type(ss.CropNonEmptyMask(size=9).size, tuple[int, int])
assert_type(ss.CropNonEmptyMask(size=9).ignore_values, tuple[int, ...])
assert_type(ss.CropNonEmptyMask(size=9).ignore_channels, tuple[int, ...])
assert_type(ss.Defocus().radius, tuple[int, int])
assert_type(ss.Defocus().blur, tuple[float, float])
assert_type(ss.Downscale().scale, tuple[float, float])
assert_type(ss.ElasticTransform().alpha, tuple[float, float])
assert_type(ss.ElasticTransform().sigma, tuple[float, float])
assert_type(ss.Emboss().alpha, tuple[float, float])
assert_type(ss.Emboss().strength, tuple[float, float])
assert_type(ss.FiveCrop(size=9).size, tuple[int, int])
assert_type(ss.Gamma().gamma, tuple[float, float])
assert_type(ss.GaussianBlur().size, tuple[int, int])
assert_type(ss.GaussianBlur().sigma, tuple[float, float])
assert_type(ss.GaussianNoise().std, tuple[float, float])
assert_type(ss.GaussianNoise().variance, tuple[float, float] | None)
assert_type(ss.GridDistortion().distort_limit, tuple[float, float])
assert_type(ss.GridDropout().unit, tuple[int, int] | None)
assert_type(ss.GridShuffle().grid, tuple[int, int])
assert_type(ss.HueSaturationValue().hue, tuple[float, float])
assert_type(ss.HueSaturationValue().saturation, tuple[float, float])
assert_type(ss.HueSaturationValue().value, tuple[float, float])
assert_type(ss.ISONoise().color_shift, tuple[float, float])
assert_type(ss.ISONoise().intensity, tuple[float, float])
assert_type(ss.ImageCompression().quality, tuple[int, int])
assert_type(ss.LetterBox().size, tuple[int, int])
assert_type(ss.LinearColorJitter().brightness, tuple[float, float])
assert_type(ss.LinearColorJitter().contrast, tuple[float, float])
assert_type(ss.LinearColorJitter().saturation, tuple[float, float])
assert_type(ss.LinearColorJitter().hue, tuple[float, float])
assert_type(ss.LongestMaxSize(size=20).size, int | tuple[int, ...])
assert_type(ss.MedianBlur().size, tuple[int, int])
assert_type(ss.MotionBlur().size, tuple[int, int])
assert_type(ss.MotionBlur().angle, tuple[float, float])
assert_type(ss.MotionBlur().direction, tuple[float, float])
assert_type(ss.MultiScaleCrop(size=20).size, tuple[int, int])
assert_type(ss.MultiplicativeNoise().factor, tuple[float, float])
assert_type(ss.Normalize(mean=0.5, std=0.25).mean, tuple[float, ...])
assert_type(ss.Normalize(mean=0.5, std=0.25).std, tuple[float, ...])
assert_type(ss.OpticalDistortion().distort_limit, tuple[float, float])
assert_type(ss.Pad(padding=3).padding, int | tuple[int, int, int, int])
assert_type(ss.PadIfNeeded(divisor=32).size, tuple[int, int] | None)
assert_type(ss.PadIfNeeded(divisor=32).divisor, tuple[int, int] | None)
assert_type(ss.Perspective().scale, tuple[float, float])
assert_type(ss.PhotoMetricDistortion().brightness, tuple[float, float])
assert_type(ss.PhotoMetricDistortion().contrast, tuple[float, float])
assert_type(ss.PhotoMetricDistortion().saturation, tuple[float, float])
assert_type(ss.PhotoMetricDistortion().hue, tuple[float, float])
assert_type(ss.PiecewiseAffine().scale, tuple[float, float])
assert_type(ss.PiecewiseAffine().nb_rows, tuple[int, int])
assert_type(ss.PiecewiseAffine().nb_cols, tuple[int, int])
assert_type(ss.Posterize().bits, tuple[int, int])
assert_type(ss.RGBShift().red, tuple[float, float])
assert_type(ss.RGBShift().green, tuple[float, float])
assert_type(ss.RGBShift().blue, tuple[float, float])
assert_type(ss.RandomBrightnessContrast().brightness, tuple[float, float])
assert_type(ss.RandomBrightnessContrast().contrast, tuple[float, float])
assert_type(ss.RandomCrop(size=20).size, tuple[int, int])
assert_type(ss.RandomCrop(size=20).padding, int | tuple[int, int, int, int])
assert_type(ss.RandomErasing().scale, tuple[float, float])
assert_type(ss.RandomErasing().ratio, tuple[float, float])
assert_type(ss.RandomResizedCrop(size=20).size, tuple[int, int])
assert_type(ss.RandomResizedCrop(size=20).scale, tuple[float, float])
assert_type(ss.RandomResizedCrop(size=20).ratio, tuple[float, float])
assert_type(ss.RandomScale().scale, tuple[float, float] | None)
assert_type(ss.RandomScale().size, int | tuple[int, int] | None)
assert_type(ss.RandomSizedCrop(size=20, heights=(9, 24)).size, tuple[int, int])
assert_type(ss.RandomSizedCrop(size=20, heights=(9, 24)).heights, tuple[int, int])
assert_type(ss.RandomZoomOut().side_range, tuple[float, float])
assert_type(ss.Resize(size=20).size, int | tuple[int, int])
assert_type(ss.Rotate().degrees, tuple[float, float])
assert_type(ss.PolicyOp("Rotate").interpolation, str | tuple[str, ...])
assert_type(ss.SaltAndPepper().amount, tuple[float, float])
assert_type(ss.SaltAndPepper().salt, tuple[float, float])
assert_type(ss.Sharpen().alpha, tuple[float, float])
assert_type(ss.Sharpen().lightness, tuple[float, float])
assert_type(ss.ShotNoise().scale, tuple[float, float])
assert_type(ss.SmallestMaxSize(size=20).size, int | tuple[int, ...])
assert_type(ss.Solarize().threshold, tuple[float, float])
assert_type(ss.TenCrop(size=9).size, tuple[int, int])
assert_type(ss.XYMasking().columns, tuple[int, int])
assert_type(ss.XYMasking().rows, tuple[int, int])
assert_type(ss.XYMasking().width, tuple[float, float] | tuple[int, int])
assert_type(ss.XYMasking().height, tuple[float, float] | tuple[int, int])
