"""A sample that a dataset keeps is never changed by a transform: every public one, in both adapters."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import seedsafe as ss
from seedsafe.pipeline import primitive
from seedsafe.pipeline.boxes import Edges
from seedsafe_keras import AugmentedSequence
from seedsafe_torch import AugmentedDataset, loader

sys.path.insert(0, str(Path(__file__).parents[1]))
from cases import TRANSFORMS


def scribble(image: np.ndarray) -> np.ndarray:
    """Do what a function of somebody else may do to the image it is given."""
    image[...] = np.random.randint(0, 2, image.shape)
    return image


IMAGE = [
    ss.RandomCrop(8),
    ss.RandomCrop((9, 10), padding=3, pad_if_needed=True, mode="reflect"),
    ss.CenterCrop(8),
    ss.Pad(2, mode="constant"),
    ss.HorizontalFlip(p=1),
    ss.HorizontalFlip(p=0),
    ss.VerticalFlip(p=1),
    ss.GaussianNoise(std=(1, 9)),
    ss.ToFloat(),
    ss.Normalize(0.5, 0.25),
    ss.ToCHW(),
    ss.OneOf([ss.HorizontalFlip(p=1), ss.VerticalFlip(p=1)]),
    ss.SomeOf([ss.GaussianNoise(), ss.VerticalFlip(p=1)], n=2),
    ss.RandomApply([ss.VerticalFlip(p=1), ss.CenterCrop(6)], p=1),
    ss.bridge(scribble, values_only=True),
]
AUDIO = [
    ss.RandomSegment(20),
    ss.RandomSegment(80, pad_if_needed=True),
    ss.Amplitude(),
    ss.PolarityInversion(p=1),
    ss.GaussianNoise(std=0.1),
]
VIDEO = [ss.TemporalSample(3), ss.TemporalSample(9, stride=2), ss.ColorJitter(0.4), ss.RandomCrop(8)]
BASES = {ss.Transform, ss.ImageTransform, ss.SpatialTransform, ss.VideoTransform, ss.AudioTransform}
SMALL = {"size": 8, "heights": (5, 9)}
"""Arguments that fit the small image."""

LOOKING = {"Bridged"} | {name for name, case in TRANSFORMS.items() if case.needs}
OTHERS = sorted(
    {*TRANSFORMS} - LOOKING - {"Choice"} - {type(one).__name__ for one in (*IMAGE, *AUDIO, *VIDEO[:2])}
)
FOR_FLOATS = [ss.GaussianNoise((0.01, 0.1)), ss.LetterBox((12, 12), fill=1)]
FOR_BYTES = {"GaussianNoise": "the deviation of GaussianNoise", "LetterBox": "fill=114 of LetterBox"}
IMAGE += FOR_FLOATS
IMAGE += [ss.Choice([ss.HorizontalFlip(p=1), ss.VerticalFlip(p=1)], weights=[1, 2])]


def sizes(transform: ss.Transform) -> set[tuple[int, ...]]:
    """Return the sizes that a transform makes of one image."""
    augment, info = ss.Compose([transform]), ss.Info((12, 14, 3), "uint8")
    drawn = (augment.params(ss.SampleKey(1, 0, index), info)[0].params for index in range(40))
    return {info.shape if one is None else transform.out_info(info, one).shape for one in drawn}


SPECTROGRAM: list[ss.Transform] = []

for name in OTHERS:
    case = TRANSFORMS[name]
    sound = {"audio": AUDIO, "spectrogram": SPECTROGRAM}.get(next(iter(case.takes), ""))
    if sound is not None:
        made = case.fires
        if name == "SpeedPerturb":  # it draws its result's length, and a batch needs one
            made = ss.RandomApply([made, ss.RandomSegment(40, pad_if_needed=True, name="after")], p=1)
        sound.append(made)
        continue
    made = case.make(**{k: SMALL[k] for k in case.arguments if k in SMALL})
    # What draws its result's size is followed by a Resize, for the batches' sake.
    alike = len(sizes(made)) == 1
    IMAGE.append(made if alike else ss.RandomApply([made, ss.Resize((8, 8), name="after")], p=1))


def test_no_public_transform_is_left_out() -> None:
    public = {value for value in (getattr(ss, name) for name in ss.__all__) if isinstance(value, type)}
    transforms = {one for one in public if issubclass(one, ss.Transform)} - BASES
    needing_more = {getattr(ss, name) for name in LOOKING} - {
        ss.Bridged
    }  # boxes or a mask beside every image
    within = {type(one.transforms[0]) for one in (*IMAGE, *AUDIO) if isinstance(one, ss.RandomApply)}
    assert {type(one) for one in (*IMAGE, *AUDIO, *SPECTROGRAM, *VIDEO)} | within == transforms - needing_more


def samples(dtype: str) -> dict[str, Any]:
    """Return samples of every form, by name."""
    image = (np.arange(12 * 14 * 3) % 251).astype(dtype).reshape(12, 14, 3) / np.array(
        1 if dtype == "uint8" else 255, dtype
    )
    image = image.astype(dtype)
    parts = {
        "image": image,
        "mask": np.arange(12 * 14, dtype=np.uint8).reshape(12, 14),
        "keypoints": np.array([[3.0, 4.0], [7.5, 2.0]], np.float32),
        "boxes": np.array([[1.0, 2.0, 6.0, 7.0]], np.float32).view(Edges),
    }
    return {
        "array": image,
        "tuple": (image, 3),
        "targets": (image, parts["mask"], 3),
        "dict": parts | {"label": 3},
    }


def arrays(sample: Any) -> list[np.ndarray]:
    if isinstance(sample, np.ndarray):
        return [sample]
    parts = (
        sample.values() if isinstance(sample, dict) else sample if isinstance(sample, tuple | list) else ()
    )
    return [array for part in parts for array in arrays(part)]


def check(augment: Any, form: str, sample: Any) -> None:
    """Read a dataset that keeps the sample in every way, and compare what it keeps."""
    before = [array.copy() for array in arrays(sample)]
    targets = ("image", "mask", None) if form == "targets" else None
    for writeable in (True, False):
        for array in arrays(sample):
            array.flags.writeable = writeable
        for made in read([sample] * 3, augment, targets):
            for kept, was in zip(arrays(sample), before, strict=True):
                np.testing.assert_array_equal(kept, was)
                assert not any(np.shares_memory(kept, array) for array in arrays(made))
                assert all(array.flags.writeable for array in arrays(made))


def read(base: list[Any], augment: Any, targets: Any) -> Iterator[Any]:
    dataset = AugmentedDataset(base, augment, seed=1, targets=targets)
    yield dataset.at(0, epoch=0)
    for array in arrays(dataset.at(1, epoch=0)):
        array[...] = 7  # what a training loop does with a sample concerns nobody else
    yield AugmentedDataset(base, augment, seed=1, targets=targets, views=2).at(0, epoch=0)
    yield next(iter(loader(AugmentedDataset(base, augment, seed=1, epoch=0, targets=targets), batch_size=3)))
    yield AugmentedSequence(base, augment, seed=1, epoch=0, batch_size=3, targets=targets)[0]
    if isinstance(base[0], np.ndarray):
        whole = np.stack(base)
        before = whole.copy()
        whole.flags.writeable = base[0].flags.writeable
        yield AugmentedSequence(Ready(whole), augment, seed=1, epoch=0)[0]
        np.testing.assert_array_equal(whole, before)


class Ready(keras.utils.PyDataset):
    """One ready batch that is kept."""

    def __init__(self, batch: Any) -> None:
        super().__init__()
        self.batch = batch
        self.batch_size = len(batch)

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: int) -> Any:
        return self.batch


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("augment", [*IMAGE, ss.Compose(IMAGE[4:8])])
def test_images_stay_as_they_are(augment: Any, dtype: str) -> None:
    alone = any(case.alone and type(augment) is case.kind for case in TRANSFORMS.values())
    refused = [
        text for name, text in FOR_BYTES.items() if f"{name}(" in repr(augment) and augment not in FOR_FLOATS
    ]
    if dtype == "float32" and refused:
        with pytest.raises(ss.SampleError, match=refused[0]):
            list(read([samples(dtype)["array"]] * 3, augment, None))
        return
    for form, sample in samples(dtype).items():
        if not alone or form in ("array", "tuple"):
            check(augment, form, sample)


@pytest.mark.parametrize("shape", [(50,), (2, 50)], ids=str)
@pytest.mark.parametrize("augment", [*AUDIO, ss.Compose(AUDIO[2:])], ids=repr)
def test_audio_stays_as_it_is(augment: Any, shape: tuple[int, ...]) -> None:
    audio = np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)
    for form, sample in {"array": audio, "dict": {"audio": audio, "text": "a word"}}.items():
        check(augment, form, sample)


@pytest.mark.parametrize("augment", [*SPECTROGRAM, ss.Compose(SPECTROGRAM)], ids=repr)
def test_a_spectrogram_stays_as_it_is(augment: Any) -> None:
    spectrogram = np.random.default_rng(0).normal(size=(2, 8, 50)).astype(np.float32)
    for form, sample in {
        "array": spectrogram,
        "dict": {"spectrogram": spectrogram, "text": "a word"},
    }.items():
        check(augment, form, sample)


@pytest.mark.parametrize("augment", [*VIDEO, ss.Compose(VIDEO)], ids=repr)
def test_a_video_stays_as_it_is(augment: Any) -> None:
    video = np.random.default_rng(0).integers(0, 256, (12, 10, 14, 3), np.uint8)
    check(augment, "dict", {"video": video, "video_mask": video[..., 0].copy(), "text": "a word"})


class Careless(ss.ImageTransform):
    """Changes what it is given, and passes for one of the library's own, which are not handed a copy."""

    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        if image.flags.writeable:
            image += 1
        return image


def test_that_test_would_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    check(Careless(), "array", samples("uint8")["array"])
    monkeypatch.setitem(primitive._declared, Careless, primitive.Marks(own=True, fresh=True))
    for form in ("array", "tuple", "dict"):
        with pytest.raises(AssertionError):
            check(Careless(), form, samples("uint8")[form])
