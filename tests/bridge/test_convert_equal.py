"""What convert makes of torchvision's transforms, against torchvision itself on PIL images, for equal draws."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest

import seedsafe as ss
from seedsafe_torch import convert
from seedsafe_torch.conversion.table import ROWS

pytestmark = pytest.mark.bridge

Case = tuple[Any, Callable[[Any, Any, Any], Any]]
"""A transform of torchvision's, and what torchvision makes of a PIL image with the parameters that ours drew."""


def photographs() -> list[np.ndarray]:
    """Return pictures with smooth places, edges and noise."""
    rng = np.random.default_rng(20)
    found = []
    for height, width in ((37, 53), (96, 64), (375, 500)):
        coarse = rng.integers(0, 256, (max(height // 8, 2), max(width // 8, 2), 3), np.uint8)
        smooth = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
        noisy = smooth.astype(np.int16) + rng.integers(-9, 10, smooth.shape)
        found.append(np.clip(noisy, 0, 255).astype(np.uint8))
    return found


def cropped(made: Any, picture: Any, params: Any) -> Any:
    """Return what torchvision's RandomCrop makes of a PIL image, with our corner."""
    from torchvision.transforms import functional

    above = before = 0
    if made.padding is not None:
        picture = functional.pad(picture, made.padding, made.fill, made.padding_mode)
        whole = isinstance(made.padding, int)
        before, above = (made.padding,) * 2 if whole else made.padding[:2]
    for side in (0, 1) if made.pad_if_needed else ():
        lacks = max(made.size[1 - side] - picture.size[side], 0)
        margins = [0 if side else lacks, lacks if side else 0]
        picture = functional.pad(picture, margins, made.fill, made.padding_mode) if lacks else picture
        before, above = before + margins[0], above + margins[1]
    return functional.crop(picture, params.top + above, params.left + before, *made.size)


def cases() -> dict[str, list[Case]]:
    from timm.data.transforms import RandomResizedCropAndInterpolation
    from torchvision import transforms as v1
    from torchvision.transforms import functional, v2

    bicubic, bilinear = v1.InterpolationMode.BICUBIC, v1.InterpolationMode.BILINEAR
    nearest = v1.InterpolationMode.NEAREST

    def mode(made: Any) -> Any:
        return v1.InterpolationMode(getattr(made.interpolation, "value", made.interpolation))

    def call(made: Any, picture: Any, params: Any) -> Any:
        return made(picture)

    def resized(made: Any, picture: Any, params: Any) -> Any:
        top, left, height, width = params
        return functional.resized_crop(picture, top, left, height, width, list(made.size), mode(made))

    def jittered(made: Any, picture: Any, params: Any) -> Any:
        steps = (
            functional.adjust_brightness,
            functional.adjust_contrast,
            functional.adjust_saturation,
            functional.adjust_hue,
        )
        for step in params.order:
            if (made.brightness, made.contrast, made.saturation, made.hue)[step] is not None:
                picture = steps[step](picture, params[step])
        return picture

    def turned(made: Any, picture: Any, params: Any) -> Any:
        return functional.rotate(picture, params.degrees, mode(made), made.expand, None, made.fill)

    def moved(made: Any, picture: Any, params: Any) -> Any:
        translate = [round(one) for one in params.translate]
        return functional.affine(
            picture, -params.degrees, translate, params.scale[0], list(params.shear), mode(made), made.fill
        )

    def viewed(made: Any, picture: Any, params: Any) -> Any:
        width, height = picture.size
        start = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
        end = [[int(x) - (k in (1, 2)), int(y) - (k in (2, 3))] for k, (x, y) in enumerate(params.corners)]
        return functional.perspective(picture, start, end, mode(made), made.fill)

    def blurred(made: Any, picture: Any, params: Any) -> Any:
        return functional.gaussian_blur(picture, list(made.kernel_size), [params.sigma] * 2)

    # The angles of torchvision's own tests.
    turns = itertools.product((-10.9, 18, 45, -90, 180, 0), (None, (0.2, 0.3)), (None, (0.5, 0.5), (2, 2)))
    return {
        "RandomHorizontalFlip": [(v1.RandomHorizontalFlip(1.0), call), (v2.RandomHorizontalFlip(1.0), call)],
        "RandomVerticalFlip": [(v1.RandomVerticalFlip(1.0), call)],
        "Resize": [
            (v1.Resize(32), call),
            (v1.Resize((20, 31), bicubic), call),
            (v1.Resize((200, 301), v1.InterpolationMode.LANCZOS), call),
            (v1.Resize(48, v1.InterpolationMode.BOX), call),
            (v1.Resize((29, 31), nearest), call),
            (v1.Resize(300, max_size=333), call),
            (v2.Resize([24], antialias=False), call),
        ],
        "RandomResizedCrop": [
            (v1.RandomResizedCrop(32), resized),
            (v1.RandomResizedCrop((20, 31), (0.2, 1.0), interpolation=3), resized),
            (v2.RandomResizedCrop(224, antialias=True), resized),
        ],
        "CenterCrop": [
            (v1.CenterCrop(size), call) for size in (20, 31, (30, 21), (33, 52), 60, (97, 20), 501)
        ],
        "RandomCrop": [
            (v1.RandomCrop(30), cropped),
            (v1.RandomCrop(32, padding=4), cropped),
            (v1.RandomCrop(32, padding=(1, 2, 3, 4), padding_mode="reflect"), cropped),
            (v1.RandomCrop((30, 40), padding=(3, 5), fill=(9, 8, 7)), cropped),
            *(
                (v1.RandomCrop((60, 70), padding, True, 7 if mode == "constant" else 0, mode), cropped)
                for padding in (None, 3, (1, 2, 3, 4))
                for mode in ("constant", "edge", *(("reflect", "symmetric") if padding is None else ()))
            ),
        ],
        "Pad": [
            (v1.Pad(3), call),
            (v1.Pad((1, 2), 7), call),
            (v1.Pad((1, 2, 3, 4), (1, 2, 3)), call),
            (v1.Pad((4, 3, 2, 1), padding_mode="symmetric"), call),
            (v2.Pad([4, 3, 2, 1], padding_mode="edge"), call),
        ],
        "ColorJitter": [
            (v1.ColorJitter(0.4, 0.4, 0.4), jittered),
            (v1.ColorJitter(0.4, 0.4, 0.2, 0.1), jittered),
            (v1.ColorJitter(0.8, 0.8, 0.8, 0.2), jittered),
            (v2.ColorJitter(hue=0.5), jittered),
        ],
        "RandomRotation": [
            (v1.RandomRotation(15), turned),
            (v1.RandomRotation((90, 90)), turned),
            (v1.RandomRotation(30, bilinear, fill=(1, 2, 3)), turned),
            (v1.RandomRotation((-90, 90), bicubic, expand=True), turned),
            (v2.RandomRotation((270, 271)), turned),
        ],
        "RandomAffine": [
            (v1.RandomAffine(15, (0.1, 0.2), (0.9, 1.1), 5), moved),
            (v1.RandomAffine((10, 40), shear=(-10, 10, 5, 15), interpolation=bilinear, fill=9), moved),
            (v2.RandomAffine(0, (0.05, 0.05)), moved),
            *((v1.RandomAffine((one, one), shift, scale, 35.6), moved) for one, shift, scale in turns),
        ],
        "RandomPerspective": [
            (v1.RandomPerspective(0.5, 1.0), viewed),
            (v1.RandomPerspective(0.3, 1.0, nearest, 50), viewed),
        ],
        "Grayscale": [(v1.Grayscale(), call), (v1.Grayscale(3), call), (v2.Grayscale(3), call)],
        "RandomGrayscale": [(v1.RandomGrayscale(1.0), call)],
        "GaussianBlur": [
            (v1.GaussianBlur(3), blurred),
            (v1.GaussianBlur(23, (0.1, 2.0)), blurred),
            (v2.GaussianBlur((5, 5), 1.5), blurred),
        ],
        "RandomSolarize": [
            (v1.RandomSolarize(one, 1.0), call) for one in (0, 1, 100.5, 127, 128, 254, 255, 256)
        ],
        "RandomPosterize": [(v1.RandomPosterize(bits, 1.0), call) for bits in (1, 2, 4, 7, 8)],
        "RandomInvert": [(v1.RandomInvert(1.0), call)],
        "RandomAutocontrast": [(v1.RandomAutocontrast(1.0), call)],
        "RandomEqualize": [(v1.RandomEqualize(1.0), call)],
        "RandomAdjustSharpness": [(v1.RandomAdjustSharpness(one, 1.0), call) for one in (0, 0.5, 1, 2)],
        "RGB": [(v2.RGB(), call)],
        "timm.RandomResizedCropAndInterpolation": [
            (RandomResizedCropAndInterpolation(32, (0.2, 1.0)), resized),
            (RandomResizedCropAndInterpolation((20, 31), interpolation="bicubic"), resized),
        ],
    }


ON_TENSORS = {
    *("RandomErasing", "Normalize", "ToTensor", "ToDtype", "ConvertImageDtype", "ConvertDtype", "ToPILImage"),
    *("PILToTensor", "ToImage", "ToPureTensor", "Identity"),
    *(
        "timm.MaybeToTensor",
        "timm.MaybePILToTensor",
        "timm.ToNumpy",
        "timm.RandomErasing",
        "timm.RandAugment",
    ),
    *(
        "RandAugment",
        "TrivialAugmentWide",
        "AutoAugment",
        "AugMix",
    ),  # whose operations have tests of their own
}
THE_SAME = {
    "RandomChannelPermutation": "RandomErasing",
}
NAMES = sorted(set(ROWS) - ON_TENSORS - set(THE_SAME))


@pytest.mark.parametrize("name", NAMES)
def test_it_is_as_near_as_the_table_says(name: str) -> None:
    from PIL import Image

    largest = 0
    for theirs, apply in cases()[name]:
        pipeline = convert(theirs)
        assert not pipeline.report.bridged
        for image in photographs():
            for grey in (False, True):
                if grey and name in ("ColorJitter", "RGB"):
                    continue
                given = image[..., 0].copy() if grey else image
                for index in range(8):
                    key = ss.SampleKey(20, 1, index)
                    drawn = [one.params for one in pipeline.params(key, ss.Info(given.shape, np.uint8))] or [
                        None
                    ]
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")  # antialias=False, which PIL images do not have
                        try:
                            wanted = np.asarray(apply(theirs, Image.fromarray(given), drawn[0]))
                        except (ValueError, TypeError):
                            if not grey and name != "RandomCrop":
                                raise
                            continue  # a fill of three channels, or an image that is too small
                    made = pipeline(given, key=key)
                    assert made.shape == wanted.shape, (theirs, given.shape)
                    largest = max(largest, int(np.abs(made.astype(int) - wanted).max()))
    assert largest <= ROWS[name].within
    assert math.isclose(largest, ROWS[name].within, rel_tol=0.35, abs_tol=0), "the bound is too wide"


@pytest.mark.parametrize(
    ("name", "factors", "within"),
    [
        ("brightness", (0.0, 0.1, 0.35, 0.5, 0.7, 1.3, 1.34, 5.0), 1),
        ("contrast", (0.0, 0.2, 0.5, 0.7, 1.3, 1.5, 2.0), 2),
        ("saturation", (0.0, 0.1, 0.5, 0.75, 1.25, 2.0), 2),
        ("contrast", (4.0, 5.0), 4),
        ("saturation", (4.0, 5.0), 4),
        ("hue", (-0.5, -0.4, -0.2, 0.2, 0.3, 0.5), 18),
    ],
)
def test_each_step_of_a_jitter_is_as_near_as_the_report_says(
    name: str, factors: tuple[float, ...], within: int
) -> None:
    from PIL import Image
    from torchvision.transforms import ColorJitter, functional

    noise = np.random.default_rng(0).integers(0, 256, (96, 64, 3), np.uint8)
    for factor, image in itertools.product(factors, (*photographs(), noise)):
        made = convert(ColorJitter(**{name: (factor, factor)}))(image, key=ss.SampleKey(20, 1, 0))
        wanted = getattr(functional, f"adjust_{name}")(Image.fromarray(image), factor)
        assert np.abs(made.astype(int) - wanted).max() <= within


def test_v2_differs_in_moves_by_the_nearest_pixel_by_nothing_and_else_by_one() -> None:
    from PIL import Image
    from torchvision.transforms import InterpolationMode, v2

    for mode, angle in itertools.product(("nearest", "bilinear"), (-10.9, 18, 87)):
        theirs = v2.RandomAffine((angle, angle), (0.1, 0.2), (0.5, 1.5), 9, InterpolationMode(mode))
        for image, index in itertools.product(photographs(), range(4)):
            key = ss.SampleKey(20, 1, index)
            ((_, params),) = convert(theirs).params(key, image.shape)
            wanted = v2.functional.affine(
                Image.fromarray(image), -params.degrees, [round(one) for one in params.translate],
                params.scale[0], list(params.shear), theirs.interpolation, theirs.fill,
            )  # fmt: skip
            apart = np.abs(convert(theirs)(image, key=key).astype(int) - wanted).max()
            assert apart <= (mode == "bilinear")


@pytest.mark.parametrize("mode", ["reflect", "symmetric"])
def test_a_crop_that_mirrors_twice_is_bridged(mode: str) -> None:
    from torchvision.transforms import RandomCrop

    (line,) = convert(RandomCrop(60, 3, True, padding_mode=mode)).report.bridged
    assert "once more" in str(line)
