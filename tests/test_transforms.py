"""Every transform: its draws, its results on all kinds of input, and its errors."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from cases import TRANSFORMS
from image_laws import keep
from refused import refused

import seedsafe as ss
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import address, op_of, philox
from seedsafe.pipeline.boxes import Edges

KEY = ss.SampleKey(42, 3, 1234)
AUDIO = [
    one for case in TRANSFORMS.values() if not case.holds and case.takes == ("audio",) for one in case.small
]
AUDIO += [one for case in TRANSFORMS.values() for one in case.of_audio]
SPECTROGRAMS = [one for case in TRANSFORMS.values() if case.takes == ("spectrogram",) for one in case.small]


def words(name: str, n: int, key: ss.SampleKey = KEY) -> list[int]:
    return philox(address(key, op_of(name))).random_raw(n).tolist()


def drawn(transform: ss.Transform, shape: tuple[int, ...], key: ss.SampleKey = KEY) -> Any:
    return ss.Compose([transform]).params(key, shape)[0].params


# Draws, against integer arithmetic on the raw words


# Results


@pytest.mark.parametrize("shape", [(300,), (2, 300)], ids=str)
@pytest.mark.parametrize("transform", AUDIO, ids=repr)
def test_audio_results(transform: ss.Transform, shape: tuple[int, ...]) -> None:
    keep(transform, np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape), KEY, "audio")


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "uint8"])
@pytest.mark.parametrize("shape", [(20, 50), (2, 20, 50), (1, 1), (3, 1, 7)], ids=str)
@pytest.mark.parametrize("transform", SPECTROGRAMS, ids=repr)
def test_spectrogram_results(transform: ss.Transform, shape: tuple[int, ...], dtype: str) -> None:
    array = np.linspace(0, 9, int(np.prod(shape))).astype(dtype).reshape(shape)
    keep(transform, array, KEY, "spectrogram")


@pytest.mark.parametrize(
    "transform",
    [
        ss.RandomCrop(8),
        ss.RandomCrop((20, 9), padding=3, pad_if_needed=True, mode="reflect"),
        ss.CenterCrop(8),
        ss.CenterCrop(30, pad_if_needed=True),
        ss.Pad((1, 2, 3, 4), fill=5, mask_fill=1),
        ss.HorizontalFlip(p=1),
        ss.HorizontalFlip(p=0),
        ss.VerticalFlip(p=1),
        ss.RandomCrop(40, padding=8, pad_if_needed=True),
    ],
    ids=repr,
)
def test_mask_keypoints_and_boxes_move_with_the_pixels(transform: ss.Transform) -> None:
    rows, columns = 24, 21
    for row, column in [(0, 0), (11, 10), (23, 20), (12, 7)]:
        image = np.zeros((rows, columns, 3), np.uint8)
        image[row, column] = 255
        sample = {
            "image": image,
            "mask": (image[..., 0] > 0).astype(np.int64),
            "keypoints": np.array([[column, row, 0.5]]),
            "boxes": np.array([[column, row, column + 1, row + 1, 7]], np.float32).view(Edges),
            "label": [1, 2],
        }
        out = ss.Compose([transform])(sample, key=KEY)
        assert out["label"] is sample["label"]
        x, y, visible = out["keypoints"][0]
        height, width = out["image"].shape[:2]
        assert out["mask"].shape == (height, width)
        inside = 0 <= x < width and 0 <= y < height
        if inside and getattr(transform, "mode", "constant") != "reflect":
            assert (out["image"] == 255).all(axis=2).sum() == 1
        if inside:
            assert (out["image"][int(y), int(x)] == 255).all()
            assert out["mask"][int(y), int(x)] == 1
            assert out["boxes"][0].tolist() == [x, y, x + 1, y + 1, 7]
        else:
            x0, y0, x1, y1 = out["boxes"][0, :4]
            assert (x1 - x0) * (y1 - y0) == 0
        assert visible == 0.5
        assert sample["keypoints"].tolist() == [[column, row, 0.5]]


# Bad input


test_bad_input = refused(
    (lambda: ss.RandomCrop(0), ValueError, "size must be at least 1"),
    (lambda: ss.RandomCrop(2.5), TypeError, "size must be an integer, got 2.5"),
    (lambda: ss.RandomCrop((1, 2, 3)), ValueError, "size must be one integer or a pair"),
    (lambda: ss.RandomCrop(2, padding=-1), ValueError, "padding must be at least 0"),
    (lambda: ss.RandomCrop(2, padding=(1, 2, 3)), ValueError, "padding must have 1, 2 or 4 numbers"),
    (lambda: ss.RandomCrop(2, fill=math.nan), ValueError, "fill must be finite, got nan"),
    (lambda: ss.VerticalFlip(p=True), TypeError, "p must be a number, got True"),
    (lambda: ss.GaussianNoise(std=-1), ValueError, "std must be"),
    (lambda: ss.GaussianNoise(std=(3, 1)), ValueError, "swap them"),
    (lambda: ss.GaussianNoise(std=(0, math.inf)), ValueError, "std must be"),
    (lambda: ss.GaussianNoise(std="5"), TypeError, "std must be a number, got '5'"),
    (lambda: ss.Amplitude(gain=(0, math.nan)), ValueError, "gain must be"),
    (lambda: ss.RandomSegment(0), ValueError, "length must be at least 1"),
    (lambda: ss.Normalize([0.5], [0.0]), ValueError, "std must be"),
    (lambda: ss.Normalize([0.5, 0.5], [0.2]), ValueError, "the same number of values"),
    (lambda: ss.Normalize([math.nan], [0.2]), ValueError, "mean must be"),
    (
        lambda: ss.RandomCrop(224)(np.zeros((200, 300, 3), np.uint8), key=KEY),
        ValueError,
        "cannot crop 224×224 out of an image of shape (200, 300, 3): pass pad_if_needed=True or a smaller size",
    ),
    (lambda: ss.CenterCrop(9)(np.zeros((8, 8), np.uint8), key=KEY), ValueError, "pass pad_if_needed=True"),
    (lambda: ss.RandomSegment(9)(np.zeros(8, np.float32), key=KEY), ValueError, "pass pad_if_needed=True"),
    (lambda: ss.RandomCrop(2)(np.zeros(8, np.uint8), key=KEY), ValueError, "must have the shape (H, W) or"),
    *(
        (
            lambda flip=flip, shape=shape: flip(np.zeros(shape, np.uint8), key=KEY),
            ValueError,
            "must have the shape",
        )
        for flip in (ss.HorizontalFlip(p=1), ss.VerticalFlip(p=1))
        for shape in ((8,), (2, 4, 4, 3))
    ),
    (lambda: ss.Amplitude()(np.zeros((2, 2, 2), np.float32), key=KEY), ValueError, "audio must have the shape"),
    (lambda: ss.PolarityInversion(p=1)(np.zeros(8), key=KEY), TypeError, "audio must be float32"),
    (lambda: ss.GaussianNoise()(np.zeros((4, 4), np.int16), key=KEY), TypeError, "needs uint8 or float32"),
    (lambda: ss.ToFloat()(np.zeros((4, 4)), key=KEY), TypeError, "must be uint8 or float32, got dtype float64"),
    *(
        (lambda after=after: ss.Compose([ss.ToCHW(), after]), ValueError, "move ToCHW to the end")
        for after in (
            ss.RandomCrop(2),
            ss.HorizontalFlip(),
            ss.Normalize(0.5, 0.5),
            ss.ToCHW(name="again"),
            ss.OneOf([ss.Pad(1)]),
            ss.Compose([ss.VerticalFlip()]),
        )
    ),
    (lambda: ss.HorizontalFlip()(np.zeros((0, 4), np.uint8), key=KEY), ValueError, "must not be empty"),
    (lambda: ss.HorizontalFlip()(np.array([["a"]]), key=KEY), TypeError, "must hold numbers"),
    (lambda: ss.HorizontalFlip()(np.zeros((4, 4), ">u2"), key=KEY), TypeError, "native byte order"),
    (lambda: ss.HorizontalFlip()(np.ma.masked_array([[1]]), key=KEY), TypeError, "got numpy.ma"),
    (lambda: ss.HorizontalFlip()([[1, 2]], key=KEY), TypeError, "got builtins.list"),
    (lambda: ss.HorizontalFlip()(None, key=KEY), TypeError, "must be a NumPy array, got builtins.NoneType"),
    (lambda: ss.HorizontalFlip()(np.zeros((4, 4), np.uint8)), TypeError, "pass key=SampleKey(seed, epoch, index)"),
    (lambda: ss.HorizontalFlip()(np.zeros((4, 4), np.uint8), key=42), TypeError, "got 42"),
    (
        lambda: ss.RandomCrop(2)({"image": np.zeros((4, 4)), "mask": np.zeros((5, 5))}, key=KEY),
        ValueError,
        "mask and image must have the same height and width",
    ),
    (lambda: ss.RandomCrop(2)({"image": np.zeros((4, 4)), "keypoints": np.zeros((3, 1))}, key=KEY), ValueError, "keypoints must have the shape (N, 2 or more)"),
    (lambda: ss.RandomCrop(2)({"image": np.zeros((4, 4)), "boxes": np.zeros((3, 4), np.uint8)}, key=KEY), TypeError, "boxes must be floats or signed integers"),
    (lambda: ss.RandomCrop(2)({"audio": np.zeros(4)}, key=KEY), ValueError, "RandomCrop needs 'image'"),
    (lambda: ss.HorizontalFlip(p=1)(np.zeros((4, 4), np.longdouble), key=KEY), TypeError, "must hold numbers of up to 8 bytes"),
    (lambda: ss.RandomCrop(np.array([2, 3])), TypeError, "size must be an integer, got array([2, 3]) of type ndarray: pass the height and width"),
    (
        lambda: ss.Pad(1, fill=(1, 2, 3, 4, 5, 6))(np.zeros((4, 4), np.uint8), key=KEY),
        ValueError,
        "fill must be one number, or one for each channel, got (1, 2, 3, 4, 5, 6) for an image of shape (4, 4)",
    ),
    (
        lambda: ss.Pad(1, fill=300.5)(np.zeros((4, 4), np.uint8), key=KEY),
        ValueError,
        "fill must be a whole number from 0 to 255 for uint8, got 300.5: pass it in the image's own units",
    ),
    (lambda: ss.Compose(None), TypeError, "transforms must be a list of transforms, got None"),
    (
        lambda: ss.OneOf({ss.Invert(), ss.ToGray()}),
        TypeError,
        "transforms must be a list of transforms, got a set, which has another order in each run: pass a list",
    ),
    (lambda: ss.GaussianNoise(std=1e39), ValueError, "std must be"),  # float32 ends there
)  # fmt: skip


# Transforms of users


class Kept(ss.ImageTransform):
    """Keeps its generators, as users will."""

    kept: list[Any] = []  # noqa: RUF012  # shared on purpose

    def draw(self, rng: Draws, info: ss.Info) -> Any:
        self.kept.append(rng.generator)
        return rng.integer(9)

    def apply_image(self, image: np.ndarray, params: int) -> np.ndarray:
        return image + np.uint8(params)


def test_what_a_users_transform_keeps_stays_valid() -> None:
    image = np.zeros((2, 2), np.uint8)
    Kept.kept.clear()
    for index in range(3):
        Kept()(image, key=ss.SampleKey(1, 0, index))
    values = [generator.random() for generator in Kept.kept]
    Kept.kept.clear()
    for index in reversed(range(3)):
        Kept()(image, key=ss.SampleKey(1, 0, index))
    assert values == [generator.random() for generator in reversed(Kept.kept)]
    assert len(set(values)) == 3


class Nested(ss.ImageTransform):
    """Runs a pipeline of its own inside."""

    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        made: np.ndarray = ss.GaussianNoise()(image, key=ss.SampleKey(99, 0, 0))
        return made


def test_a_pipeline_inside_a_transform_does_not_disturb_the_outer_one() -> None:
    image = np.zeros((9, 9), np.uint8)
    plain = ss.Compose([ss.RandomCrop(8), ss.RandomCrop(5, name="b")]).params(KEY, image)
    nested = ss.Compose([ss.RandomCrop(8), Nested(), ss.RandomCrop(5, name="b")])
    crops = [one for one in nested.params(KEY, image) if one.name != "Nested"]
    assert crops == plain
    for _ in range(2):
        np.testing.assert_array_equal(nested(image, key=KEY), nested.replay(image, nested.params(KEY, image)))


class WithoutKeypoints(ss.SpatialTransform):
    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        return image


class Nothing(ss.ImageTransform):
    pass


class ReturnsNone(ss.ImageTransform):
    def apply_image(self, image: np.ndarray, params: Any) -> Any:
        return None


class DrawsNone(ss.ImageTransform):
    def draw(self, rng: Draws, info: ss.Info) -> None:
        return None

    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        return image


class AsksForDtype(ss.ImageTransform):
    def draw(self, rng: Draws, info: ss.Info) -> int:
        return info.dtype.itemsize

    def apply_image(self, image: np.ndarray, params: int) -> np.ndarray:
        return image


class Brighten(ss.ImageTransform):
    def __init__(self, amount: int) -> None:
        self.amount = amount

    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        return image + np.uint8(self.amount)


def test_a_plain_class_may_have_an_init_of_its_own() -> None:
    image = np.zeros((2, 2), np.uint8)
    pipeline = ss.Compose([Brighten(3), ss.HorizontalFlip()])
    assert pickle.loads(pickle.dumps(pipeline))(image, key=KEY).max() == 3
    assert repr(pipeline) == "Compose([Brighten(...), HorizontalFlip()])"
    assert pipeline == ss.Compose(pipeline.transforms) != ss.Compose([Brighten(3), ss.HorizontalFlip()])
    assert len({*pipeline.transforms, *pipeline.transforms, Brighten(4)}) == 3
    with pytest.raises(TypeError, match=r"Brighten has its own __init__.*make it a frozen dataclass"):
        pipeline.to_json()


def test_mistakes_in_users_transforms_are_named() -> None:
    image = np.zeros((4, 4), np.uint8)
    sample = {"image": image, "keypoints": np.zeros((1, 2))}
    with pytest.raises(NotImplementedError, match="WithoutKeypoints moves pixels and has no apply_keypoints"):
        WithoutKeypoints()(sample, key=KEY)
    with pytest.raises(
        TypeError, match=r"Nothing changes nothing: define apply_image\(self, image, params\)"
    ):
        Nothing()(image, key=KEY)
    with pytest.raises(TypeError, match="apply of ReturnsNone returned NoneType"):
        ReturnsNone()(image, key=KEY)
    with pytest.raises(TypeError, match="draw of DrawsNone returned None"):
        DrawsNone()(image, key=KEY)
    with pytest.raises(ValueError, match=r"pass Info\(shape, dtype\)"):
        ss.Compose([AsksForDtype()]).params(KEY, (4, 4))
    assert ss.Compose([AsksForDtype()]).params(KEY, ss.Info((4, 4), "uint8"))[0].params == 1
