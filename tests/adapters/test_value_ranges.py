"""Floats out of a transform's range are told in the first reads, and each advice works."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import seedsafe as ss
import seedsafe_albumentations as A  # noqa: N812
from seedsafe.reading import KeyedReader
from seedsafe_torch import AugmentedDataset, AugmentedIterable, loader

RNG = np.random.default_rng(0)
UNIT = RNG.random((24, 24, 3), np.float32)
BYTES = UNIT * 255
WAVE = RNG.normal(0, 0.1, 4000).astype(np.float32)
JITTER = ss.ColorJitter(0.2)
IMAGENET = ss.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


def dataset(image: Any, augment: Any, **options: Any) -> AugmentedDataset:
    return AugmentedDataset([(image, 3)] * 40, augment, seed=1, **options)


def read(image: Any, augment: Any, **options: Any) -> Any:
    return dataset(image, augment, **options)[0][0]


class Mine(ss.ColorJitter):
    """A subclass of one of ours, with nothing of its own."""


class Otherwise(ss.ColorJitter):
    """A subclass that does something else, with any floats."""

    def apply_image(self, image: Any, params: Any) -> Any:
        return image * 2


WHOLE = np.rint(BYTES)

BAD: dict[str, tuple[Any, Any, str]] = {
    "a subclass by itself": (BYTES, Mine(0.2), "image / 255 there"),
    "a subclass in a pipeline": (BYTES, ss.Compose([ss.HorizontalFlip(), Mine(0.2)]), "image / 255 there"),
    "bytes for ToFloat": (WHOLE, ss.ToFloat(), re.escape("image.astype(numpy.uint8) there")),
    "bytes for ToFloat and ToCHW": (
        WHOLE,
        ss.Compose([ss.RandomCrop(16), ss.ToFloat(), ss.ToCHW()]),
        "leaves floats as they are",
    ),
    "0 to 255": (BYTES, JITTER, "image / 255 there"),
    "0 to 255, resized before": (BYTES, ss.Compose([ss.Resize(16), JITTER]), "image / 255 there"),
    "a transform that hardly fires": (BYTES, ss.Compose([ss.ColorJitter(0.2, p=1e-9)]), "image / 255 there"),
    "one of several": (BYTES, ss.OneOf([*[ss.HorizontalFlip()] * 9, JITTER]), "image / 255 there"),
    "in a container within one": (
        BYTES,
        ss.RandomApply([ss.SomeOf([ss.VerticalFlip(), JITTER], n=1)], p=1e-9),
        "255",
    ),
    "a policy": (BYTES, ss.RandAugment(), "leave RandAugment out"),
    "16 bits": (UNIT * 65535, JITTER, "image / 65535 there"),
    "-1 to 1": (UNIT * 2 - 1, JITTER, re.escape("(image + 1) / 2")),
    "normalised": ((UNIT - 0.45) / 0.225, ss.Gamma((0.8, 1.2)), "put Normalize after Gamma"),
    "after a bridge": (UNIT, ss.Compose([ss.bridge(lambda x: x * 255), JITTER]), "<lambda> returns"),
    "in a container after a bridge": (
        UNIT,
        ss.RandomApply([ss.bridge(lambda x: x * 255), JITTER], p=1),
        "<lambda> returns",
    ),
    "after a container with a bridge": (
        UNIT,
        ss.Compose([ss.RandomApply([ss.bridge(lambda x: x * 255)], p=1), JITTER]),
        "RandomApply returns",
    ),
    "in a choice after a bridge": (
        UNIT,
        ss.OneOf([ss.Compose([ss.bridge(lambda x: x * 255), JITTER])]),
        "<lambda> returns",
    ),
    "noise in bytes": (UNIT, ss.GaussianNoise(), re.escape("pass std=(0, 0.047)")),
    "normalised twice": ((UNIT - 0.45) / 0.225, IMAGENET, "seems normalised already: leave Normalize out"),
    "bytes for Normalize": (BYTES, IMAGENET, "image / 255 there"),
    "small images at once": (
        BYTES,
        ss.Compose([ss.RandomCrop(16), ss.HorizontalFlip(), IMAGENET]),
        "image / 255 there",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_values_out_of_range_are_told_in_each_way_of_reading(case: str) -> None:
    image, augment, text = BAD[case]
    data = dataset(image, augment)
    for _ in range(12):  # again and again
        with pytest.raises(ss.SampleError, match=f"RangeError.*{text}"):
            data[0]
    for options in ({"views": 2}, {"on_error": "replace"}, {"on_error": "skip"}):
        with pytest.raises(ss.SampleError, match=text):
            read(image, augment, **options)
    with pytest.raises(ss.SampleError, match=text):
        list(loader(dataset(image, augment), batch_size=32, seed=1))
    records = [{"__key__": str(number), "image": image} for number in range(40)]
    with pytest.raises(ValueError, match=text):
        list(AugmentedIterable(records, augment, seed=1))
    with pytest.raises(ValueError, match=text):
        list(loader(AugmentedIterable(records, augment, seed=1), batch_size=32))
    augment(image, key=ss.SampleKey(1, 0, 0))  # a direct call stays as it is


class Calling:
    """A base that calls a pipeline itself, without a key."""

    def __init__(self, image: Any, augment: Any) -> None:
        self.image, self.augment = image, augment

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> Any:
        return self.augment(self.image)


@pytest.mark.parametrize("case", BAD)
def test_values_are_told_where_the_base_calls_the_pipeline(case: str) -> None:
    image, augment, text = BAD[case]
    for options in ({}, {"bridge": True}, {"on_error": "replace"}):
        data = AugmentedDataset(Calling(image, augment), seed=1, **options)
        for _ in range(12):  # again and again
            with pytest.raises(ss.SampleError, match=f"RangeError.*{text}"):
                data[0]
    with pytest.raises(ss.SampleError, match=text):
        list(loader(AugmentedDataset(Calling(image, augment), seed=1), batch_size=32))


@pytest.mark.parametrize("augment", [JITTER, ss.RandAugment(), IMAGENET], ids=repr)
def test_calls_in_range_are_those_of_later_reads(augment: Any) -> None:
    data = AugmentedDataset(Calling(UNIT, ss.Compose([ss.HorizontalFlip(), augment])), seed=1)
    first, later = ([data.at(index, epoch=3) for index in range(12)] for _ in range(2))
    np.testing.assert_array_equal(first, later)
    expected = [data.base.augment(UNIT, key=ss.SampleKey(1, 3, index, call=1)) for index in range(12)]
    np.testing.assert_array_equal(first, expected)


NAMED: dict[str, tuple[Any, Any, str, Any]] = {
    "a jitter of bytes": (BYTES, A.ColorJitter(p=1), "image / 255 there", BYTES / 255),
    "a jitter of -1 to 1": (UNIT * 2 - 1, A.Compose([A.HorizontalFlip(), A.CLAHE(p=0.1)]), "image . 1", UNIT),
    "one of several": (BYTES, A.OneOf([A.HueSaturationValue(), A.RandomGamma()], p=0.1), "255", BYTES / 255),
    "Normalize": (UNIT, A.Compose([A.Normalize()]), "pass max_pixel_value=1.0", BYTES),
    "Normalize to a tensor": (UNIT, A.Compose([A.Normalize(), A.pytorch.ToTensorV2()]), "pixel_value", BYTES),
    "ToFloat": (WHOLE, A.Compose([A.ToFloat()]), "numpy.uint8", WHOLE.astype(np.uint8)),
    "ToFloat by 255": (WHOLE, A.Compose([A.ToFloat(max_value=255)]), "numpy.uint8", WHOLE / 255),
}


@pytest.mark.parametrize("case", NAMED)
def test_values_are_told_in_the_drop_in(case: str) -> None:
    image, augment, text, right = NAMED[case]
    for parts in ({}, {"mask": np.zeros((24, 24), np.uint8)}):

        def call(array: Any, parts: Any = parts) -> Any:
            return augment(image=array, **parts)["image"]

        with pytest.raises(ss.SampleError, match=f"RangeError.*{text}"):
            AugmentedDataset(Calling(image, call), seed=1)[0]
        AugmentedDataset(Calling(right, call), seed=1)[0]  # the advice
    augment(image=image, key=ss.SampleKey(1, 0, 0))  # a direct call stays as it is


def test_the_drop_in_knows_floats_that_normalize_would_divide() -> None:
    with pytest.raises(
        ValueError, match=r"the transforms before it return 0 to 1: pass max_pixel_value=1\.0"
    ):
        A.Compose([A.ToFloat(max_value=255), A.Normalize()])
    A.Compose([A.ToFloat(max_value=255), A.Normalize(max_pixel_value=1.0)])


@pytest.mark.linux
def test_they_are_told_in_workers() -> None:
    with pytest.raises(ss.SampleError, match="image / 255 there"):
        list(loader(dataset(BYTES, JITTER), batch_size=8, seed=1, num_workers=2))


@pytest.mark.parametrize("augment", [JITTER, ss.RandAugment(), IMAGENET], ids=repr)
def test_dividing_works(augment: Any) -> None:
    read(BYTES / 255, augment)
    read(BYTES.astype(np.uint8), ss.Compose([ss.ToFloat(), augment]))


def test_the_other_advice_works() -> None:
    read((UNIT * 2 - 1 + 1) / 2, ss.Compose([JITTER, ss.Normalize(0.5, 0.5)]))
    read(UNIT, ss.GaussianNoise(std=(0, 0.047)))
    sound = {"audio": WAVE}
    with pytest.raises(ss.SampleError, match=r"or for sound AddNoise\(\)"):
        AugmentedDataset([sound], ss.GaussianNoise(), seed=1)[0]
    AugmentedDataset([sound], ss.AddNoise(), seed=1)[0]


@pytest.mark.parametrize(
    "make",
    [
        ss.LetterBox,
        lambda *size, fill=128: ss.Pad(4, mode="constant", fill=fill),
        lambda *size, fill=(124, 116, 104): ss.Rotate((20, 20), fill=fill),
        lambda *size, fill=128: ss.CoarseDropout(fill=fill),
        lambda *size, fill=128: ss.RandAugment(fill=fill),
        lambda *size, fill=128: ss.policy("rand-m9", fill=fill),
    ],
    ids=["LetterBox", "Pad", "Rotate", "CoarseDropout", "RandAugment", "timm"],
)
def test_a_fill_of_bytes_is_told(make: Any) -> None:
    one = make((32, 32))
    with pytest.raises(ss.SampleError, match="is on the scale of bytes, but the dataset returns") as error:
        read(UNIT, one)
    fill = eval(str(error.value).partition("pass fill=")[2].partition(", or return")[0])
    assert read(UNIT, make((32, 32), fill=fill)).max() <= 1
    with pytest.raises(
        ValueError, match="is on the scale of bytes, but the transforms before it return 0 to 1"
    ):
        ss.Compose([ss.ToFloat(), one])
    read((UNIT * 255).astype(np.uint8), ss.Compose([one, ss.ToFloat()]))
    if type(one) not in (ss.RandAugment, ss.SomeOf):
        read(BYTES, one)
    ss.Compose([ss.ToFloat(), ss.Pad(4, mode="reflect"), ss.CoarseDropout(fill=0.5)])


def test_pipelines_of_other_libraries_are_told() -> None:
    class Theirs:
        def __call__(self, image: Any) -> Any:
            return image

    with pytest.raises(
        ss.SampleError, match=r"Theirs of test_value_ranges does not take.*augment=seedsafe.bridge\(augment\)"
    ):
        read(UNIT, Theirs())
    read(UNIT, ss.bridge(Theirs()))

    def broken(image: Any, key: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(ss.SampleError, match="KeyError: 'mine'"):
        read(UNIT, broken)


@pytest.mark.parametrize("name", ["boxes", "keypoints"])
@pytest.mark.parametrize("rows", [0, 2])
def test_boxes_and_points_in_lists_get_a_line_that_works(name: str, rows: int) -> None:
    part = [[1.0, 2.0, 3.0, 4.0][: 4 if name == "boxes" else 2]] * rows
    flip = ss.Compose([ss.HorizontalFlip()], boxes=ss.Boxes("coco"))
    data = AugmentedDataset([{"image": UNIT, name: part}], flip, seed=1)
    with pytest.raises(ss.SampleError, match="must be a NumPy array") as error:
        data[0]
    line = str(error.value).partition(": pass ")[2].partition(" (on_error")[0]
    array = eval(line, {"numpy": np, name: part})
    made = AugmentedDataset([{"image": UNIT, name: array}], flip, seed=1)[0]
    assert made[name].shape == array.shape


def test_sound_in_a_dict_gets_a_line_that_works() -> None:
    sample = {"audio": {"array": WAVE, "sampling_rate": 16000}}
    with pytest.raises(ss.SampleError, match="name its array") as error:
        AugmentedDataset([sample], ss.Gain(), seed=1)[0]
    targets = eval(str(error.value).partition("targets=")[2].partition(" (on_error")[0])
    assert (
        AugmentedDataset([sample], ss.Gain(), seed=1, targets=targets)[0]["audio"]["array"].shape
        == WAVE.shape
    )
    frames = [UNIT] * 8
    with pytest.raises(ss.SampleError, match="name the parts") as error:
        AugmentedDataset([(frames, 3)], ss.HorizontalFlip(), seed=1)[0]
    targets = eval(str(error.value).partition("targets=")[2].partition(" (on_error")[0])
    assert AugmentedDataset([(frames, 3)], ss.HorizontalFlip(), seed=1, targets=targets)[0][0].shape == (
        8,
        *UNIT.shape,
    )


DEPTH = (UNIT * 8)[..., 0]
OVERSHOT = np.clip(UNIT, 0, 1)
OVERSHOT[0, 0] = 1.15
OVERSHOT[1, 1] = -0.1
GOOD: dict[str, tuple[Any, Any]] = {
    "depth": (DEPTH, ss.Compose([ss.Resize(16), ss.RandomCrop(8), ss.Rotate(20), ss.GaussianBlur()])),
    "Hounsfield units": (
        UNIT[..., 0] * 3000 - 1000,
        ss.Compose([ss.GaussianNoise(), ss.Normalize(40.0, 400.0)]),
    ),
    "light": (UNIT * 30, ss.Compose([ss.CoarseDropout(), ss.HorizontalFlip()])),
    "decibels": (UNIT[..., 0] * -80, ss.Compose([ss.HorizontalFlip(), ss.GaussianNoise(2)])),
    "bytes with a noise for bytes": (BYTES, ss.GaussianNoise()),
    "a black image": (np.zeros_like(BYTES), ss.GaussianNoise()),
    "a probability of none": (BYTES, ss.Compose([ss.ColorJitter(0.2, p=0), ss.OneOf([JITTER], p=0)])),
    "an interpolation that overshoots": (UNIT, ss.Compose([ss.Resize(16, interpolation="bicubic"), JITTER])),
    "an interpolation before": (OVERSHOT, JITTER),
    "a little noise": (UNIT, ss.Compose([ss.GaussianNoise(0.3), JITTER])),
    "one of a choice after another": (UNIT, ss.SomeOf([ss.bridge(lambda x: x * 255), JITTER, JITTER], n=2)),
    "divided by a bridge": (BYTES, ss.Compose([ss.bridge(lambda x: x / 255), JITTER])),
    "normalised, and back": (
        UNIT,
        ss.Compose([ss.Normalize(0.5, 0.5), ss.bridge(lambda x: x * 0.5 + 0.5), JITTER]),
    ),
    "not a number": (
        np.where(UNIT > 0.5, np.float32(np.nan), UNIT),
        ss.Compose([ss.HorizontalFlip(), ss.Gamma(1.1)]),
    ),
    "floats that ToFloat leaves": (DEPTH, ss.Compose([ss.HorizontalFlip(), ss.ToFloat()])),
    "light that it leaves": (UNIT * 30, ss.ToFloat()),
    "classes that it leaves": (np.rint(UNIT * 5), ss.ToFloat()),
    "bytes that it divides": (
        WHOLE.astype(np.uint8),
        ss.Compose([ss.HorizontalFlip(), ss.ToFloat(), JITTER]),
    ),
    "a subclass by itself": (UNIT, Mine(0.2)),
    "a subclass that works on other values": (BYTES, ss.Compose([ss.HorizontalFlip(), Otherwise(0.2)])),
    "moved by a policy's operation": (DEPTH, ss.PolicyOp("Rotate")),
    "noise of a variance": (UNIT, ss.GaussianNoise(variance=(10, 50))),
}


@pytest.mark.parametrize("case", GOOD)
def test_what_fits_is_taken(case: str) -> None:
    image, augment = GOOD[case]
    data = dataset(image, augment)
    pipeline = augment if isinstance(augment, ss.Compose) else ss.Compose([augment])
    for index in range(12):  # with and without looks
        key = ss.SampleKey(1, 0, index)
        np.testing.assert_array_equal(data.at(index, epoch=0)[0], pipeline(image, key=key))


def test_mixed_samples_and_small_batches_are_the_same_with_looks() -> None:
    augment = ss.Compose([ss.MixUp(label=None), JITTER, ss.ToCHW()])
    images = [RNG.random((8, 8, 3), np.float32) for _ in range(64)]
    for one in (augment, ss.Compose([ss.HorizontalFlip(), JITTER, ss.ToFloat()])):
        data = AugmentedDataset(images, one, seed=1)
        first, second = ([data.at(index, epoch=0) for index in range(64)] for _ in range(2))
        np.testing.assert_array_equal(first, second)
        batches = [
            batch.numpy()
            for batch in loader(AugmentedDataset(images, one, seed=1), batch_size=32, seed=1, shuffle=False)
        ]
        np.testing.assert_array_equal(np.concatenate(batches), first)


def test_the_looks_end() -> None:
    data = dataset(UNIT, JITTER)
    for index in range(9):
        data[index]
    assert type(data.reader._step).__name__ == "OneImage"
    data.reader.base = [(BYTES, 3)]
    data.reader.renew()
    with pytest.raises(ss.SampleError, match="RangeError"):
        data[0]


def test_the_checks_of_calls_end() -> None:
    data = AugmentedDataset(Calling(UNIT, ss.Compose([JITTER])), seed=1)
    for index in range(8):
        data[index]
    data.base.image = BYTES
    data[8]


def test_values_are_told_where_the_last_transform_could_write_into_a_row() -> None:
    reader = KeyedReader([WHOLE] * 9, ss.Compose([ss.HorizontalFlip(), ss.ToFloat()]), seed=1)
    with pytest.raises(ss.SampleError, match="RangeError"):
        reader.sample(ss.SampleIndex(0, 0), row=np.empty((24, 24, 3), np.float32))


class Gone:
    """A dataset whose first sample cannot be read, and whose other ones are in [0, 1] or beyond it."""

    def __init__(self, gone: int) -> None:
        self.gone = gone

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> Any:
        if index == self.gone:
            raise OSError("gone")
        return (BYTES if index % 2 else UNIT), index


MIXED = ss.Compose([JITTER, ss.MixUp(p=1, label=None)])


@pytest.mark.parametrize("gone", [0, 1])
@pytest.mark.parametrize("augment", [JITTER, MIXED], ids=["substitutes", "partners"])
def test_looks_choose_neither_substitutes_nor_partners(augment: Any, gone: int) -> None:
    """A sample is the same in the first reads, where values are looked at, and later, or it is an error."""
    later = AugmentedDataset(Gone(gone), augment, seed=1, on_error="replace")
    later.reader._checks.due = 0
    later.reader._end_checks()
    told = 0
    for epoch in range(24):
        expected = later.at(0, epoch=epoch)
        first = AugmentedDataset(Gone(gone), augment, seed=1, on_error="replace")
        try:
            result = first.at(0, epoch=epoch)
        except ss.SampleError as error:
            told += 1 if "RangeError" in str(error) else 1000
        else:
            np.testing.assert_array_equal(result[0], expected[0])
            assert result[1] == expected[1]
        first.failures()  # else it warns of them
    later.failures()
    assert told < 24
    assert (told > 0) == (gone == 0)


def test_values_of_small_images_are_told_in_a_batch_of_its_own() -> None:
    augment, count = ss.Compose([ss.RandomCrop(16), ss.HorizontalFlip(), IMAGENET]), 64
    with pytest.raises(ss.SampleError, match="image / 255 there"):
        list(loader(AugmentedDataset([(BYTES, 3)] * count, augment, seed=1), batch_size=count, seed=1))
    records = [{"__key__": str(number), "image": BYTES} for number in range(count)]
    with pytest.raises(ValueError, match="image / 255 there"):
        list(loader(AugmentedIterable(records, augment, seed=1), batch_size=count))
