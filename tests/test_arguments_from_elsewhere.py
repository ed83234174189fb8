"""Arguments that people bring from other libraries: each gets an error that says what to pass instead."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cases import TRANSFORMS

import seedsafe as ss
from seedsafe.ground.advice import Meant, arguments, arguments_everywhere, equivalent
from seedsafe.ground.checks import explain_arguments

NAMES = {"ss": ss, "np": np}
OTHERS = {
    "Compose": ss.Compose,
    "Boxes": lambda **named: ss.Boxes(**{"format": "coco"} | named),
    "Choice": lambda **named: ss.Choice(
        **{"transforms": [ss.Transpose(), ss.D4()], "weights": [1, 2]} | named
    ),
    "Keypoints": ss.Keypoints,
}
KINDS = sorted({*TRANSFORMS, *OTHERS} - {"Bridged"})


def make(kind: str, call: str) -> Any:
    """Follow the advice of an error: one of `kind` with these arguments and those that it needs."""
    return (OTHERS[kind] if kind in OTHERS else TRANSFORMS[kind].make)(**eval(f"dict({call})", NAMES))


def meant() -> Iterator[tuple[str, str, Meant]]:
    """Yield each class, a name that it does not take or that it needs, and the equivalent."""
    for kind in KINDS:
        takes = inspect.signature(getattr(ss, kind)).parameters
        for name in dict.fromkeys([*arguments().get(kind, ()), *arguments_everywhere()]):
            found = equivalent(kind, name, takes)
            if found is not None and (name not in takes or takes[name].default is inspect.Parameter.empty):
                yield kind, name, found


@pytest.mark.parametrize("kind", KINDS)
def test_the_equivalent_of_each_argument_can_be_passed(kind: str) -> None:
    for _, name, found in (one for one in meant() if one[0] == kind):
        if found.call:
            assert type(make(kind, found.call)).__name__ == kind, name
        else:
            assert found.note, name


@pytest.mark.parametrize("kind", KINDS)
def test_each_error_says_the_equivalent_and_what_the_class_takes(kind: str) -> None:
    takes = inspect.signature(getattr(ss, kind)).parameters
    for _, name, found in (one for one in meant() if one[0] == kind):
        if name in takes:
            continue
        with pytest.raises(TypeError, match=rf"^{kind} has no {name}: ") as error:
            make(kind, f"{name}=0")
        assert (found.call or found.note) in str(error.value)
        for option in takes:
            assert re.search(rf"takes .*\b{option}\b", str(error.value))


def test_each_entry_of_the_table_is_of_a_class_and_of_no_argument_with_a_default() -> None:
    needless = []
    for kind, names in arguments().items():
        if kind in ("AugmentedDataset", "KeyedSampler"):  # of the adapters
            continue
        takes = inspect.signature(getattr(ss, kind)).parameters
        needless += [
            (kind, name) for name in names if name in takes and takes[name].default is not takes[name].empty
        ]
    assert needless == []


USUAL = [
    ("Rotate(limit=20)", "Rotate has no limit: pass degrees=(-20, 20); it takes degrees, and by name "),
    ("RandomCrop(224, 224)", "RandomCrop takes size by position, got 2 values: pass size=(224, 224) (height, width); "),
    ("RandomCrop(height=224, width=224)", "has no height and no width: pass size=(224, 224) (height, width); "),
    ("CenterCrop(224, 224)", "pass size=(224, 224)"),
    ("RandomResizedCrop(224, 224)", "pass size=(224, 224)"),
    ("Resize(480, 640)", "pass size=(480, 640)"),
    ("Resize(height=256, width=256)", "pass size=(224, 224)"),
    ("PadIfNeeded(min_height=256, min_width=256)", "pass size=(224, 224) (height, width);"),
    ("LongestMaxSize(max_size=512)", "pass size=224"),
    ("Compose([], bbox_params=1, seed=3)", "Compose has no bbox_params and no seed: pass boxes=ss.Boxes('coco', labels=['labels'])"),
    ("Compose([], p=0.5)", "ss.RandomApply([...], p=0.5)"),
    ("Compose(ss.HorizontalFlip(), ss.Transpose())", "got 2 values: put them in a list, Compose([...]); it takes transforms"),
    ("OneOf(ss.HorizontalFlip(), ss.Transpose())", "put them in a list, OneOf([...])"),
    ("SomeOf(2, [ss.Transpose()])", "pass the list first, and n=2 by name"),
    ("SomeOf([ss.Transpose()])", "SomeOf needs n: pass n=2"),
    ("GaussianBlur(kernel_size=3)", "pass size=(3, 7); it takes size, sigma, and by name "),
    ("GaussianBlur(blur_limit=(3, 7))", "pass size=(3, 7)"),
    ("Blur(blur_limit=7)", "pass size=(3, 7)"),
    ("Normalize()", "Normalize needs mean and std: pass mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225) (ImageNet's)"),
    ("Normalize((0.5,), (0.5,), max_pixel_value=255)", "leave it out: the dtype says the range"),
    ("GaussianNoise(var_limit=(10, 50))", "pass variance=(10, 50)"),
    ("GaussianNoise(sigma=0.1)", "pass std=(0, 25) (in steps of the image's values)"),
    ("CoarseDropout(max_holes=8)", "pass count=(1, 8)"),
    ("RandomErasing(0.5, (0.02, 0.33), (0.3, 3.3))", "takes scale and ratio by position, got 3 values: pass the others by name"),
    ("RandomErasing(value=0)", "pass fill=0"),
    ("RandomCrop(32, padding=4, padding_mode='reflect')", "pass mode='reflect'"),
    ("Rotate(20, border_mode=0)", "pass mode='reflect'"),
    ("Rotate(20, fill_value=0)", "pass fill=0"),
    ("Rotate(20, mask_value=0)", "pass mask_fill=0"),
    ("Rotate(20, resample='BILINEAR')", "pass interpolation='bilinear'"),
    ("HorizontalFlip(always_apply=True)", "pass p=1"),
    ("RandomBrightnessContrast(brightness_limit=0.2)", "pass brightness=0.2"),
    ("HueSaturationValue(hue_shift_limit=20)", "pass hue=20"),
    ("RGBShift(r_shift_limit=20)", "pass red=20"),
    ("CLAHE(clip_limit=4)", "pass clip=4.0"),
    ("ImageCompression(quality_lower=50)", "pass quality=(50, 95)"),
    ("ToGray(num_output_channels=3)", "leave it out: the image keeps its three channels"),
    ("Affine(translate_percent=0.1)", "pass translate=0.1"),
    ("Affine(rotate=20)", "pass degrees=20"),
    ("RandAugment(num_ops=2)", "pass n=2"),
    ("MixUp(num_classes=10)", "pass classes=10"),
    ("ElasticTransform(alpha_affine=5)", "leave it out: ss.Affine(...)"),
    ("Posterize(num_bits=4)", "pass bits=4"),
    ("Gain(min_gain_db=-12)", "pass decibels=(-12, 12)"),
    ("PitchShift(min_semitones=-4, max_semitones=4, sample_rate=16000)", "no max_semitones: pass semitones=(-4, 4); it takes"),
    ("PitchShift()", "PitchShift needs sample_rate: pass sample_rate=16000; it takes"),
    ("SpeedPerturb(orig_freq=16000, speeds=[95, 100, 105])", "pass factors=(1.05, 1.0, 0.95) (100 / speed); leave orig_freq out"),
    ("DropChunk(drop_length_low=100, drop_length_high=1000)", "no drop_length_high: pass length=(100, 1000)"),
    ("DropFreq(drop_freq_width=0.05)", "pass width=0.1 (twice as much)"),
    ("TimeMask(time_mask_param=80)", "pass width=(0, 100)"),
    ("Boxes(label_fields=['labels'])", "pass labels=['labels']"),
    ("Boxes()", "pass format='pascal_voc' (or 'coco', 'yolo', 'albumentations')"),
    ("Equalize(0.5)", "takes nothing by position, got 1 value: pass p=0.5; it takes p, method, name"),
    ("Rotate(degree=20)", "Rotate has no degree: did you mean degrees? It takes degrees, and by name "),
    ("Rotate(20, degrees=20)", "Rotate got degrees twice: pass it once; it takes degrees, and by name "),
    ("HorizontalFlip(frob=1)", "HorizontalFlip has no frob: it takes p, and by name name"),
    ("Resize(256, always_apply=True, frob=1, seed=3)", "pass p=1; leave seed out: the seed belongs to the dataset"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "words"), USUAL, ids=[call for call, _ in USUAL])
def test_a_usual_spelling_gets_a_sentence(call: str, words: str) -> None:
    with pytest.raises(TypeError) as error:
        eval(f"ss.{call}", NAMES)
    assert words in str(error.value)
    assert "__init__" not in str(error.value)
    assert "\n" not in str(error.value)


def test_errors_of_the_constructor_itself_are_left_alone() -> None:
    with pytest.raises(TypeError, match=r"^degrees must be a number, got 'x'"):
        ss.Rotate("x")  # type: ignore[arg-type]


def test_signatures_and_names_stay() -> None:
    assert next(iter(inspect.signature(ss.Rotate).parameters)) == "degrees"
    assert ss.Rotate.__init__.__name__ == ss.Compose.__init__.__name__ == "__init__"


def test_functions_too() -> None:
    @explain_arguments
    def turn(image: Any, *, degrees: float) -> Any:
        return image, degrees + 1

    assert turn(1, degrees=2) == (1, 3)
    with pytest.raises(
        TypeError, match=r"^turn has no angle: pass degrees=20; it takes image, and by name degrees$"
    ):
        turn(1, angle=3)
    with pytest.raises(TypeError, match="can only concatenate str"):
        turn(1, degrees="x")
