"""A batch made at once is, byte for byte, what the pipeline makes of its images one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from every import EVERY
from hypothesis import given, settings
from hypothesis import strategies as st

import seedsafe as ss
from seedsafe.keys.many import ManyKeys
from seedsafe.pipeline import batch

LARGEST = 256
SHAPES = {"grey": (32, 32), "one channel": (32, 32, 1), "RGB": (32, 32, 3), "high": (40, 28, 3)}
CIFAR = [
    ss.RandomCrop(32, padding=4),
    ss.HorizontalFlip(),
    ss.Normalize((0.49, 0.48, 0.45), (0.2, 0.2, 0.2)),
    ss.ToCHW(),
]


def images_of(shape: tuple[int, ...], dtype: str, count: int = LARGEST) -> np.ndarray[Any, Any]:
    values = np.random.default_rng(0).integers(0, 256, (count, *shape), np.uint8)
    return values if dtype == "uint8" else (values / np.float32(255)).astype(dtype)


def keys_of(count: int) -> list[ss.SampleKey]:
    return [ss.SampleKey(2**80 + 42, 3, index, view=index % 3) for index in range(count)]


def loop(augment: ss.Compose, images: Sequence[Any], keys: Sequence[ss.SampleKey]) -> Any:
    return [augment(image, key=key) for image, key in zip(images, keys, strict=True)]


def check(augment: ss.Compose, images: Any, count: int) -> bool:
    """Compare a batch with the loop; return whether it was made at once."""
    images, keys = images[:count], keys_of(count)
    before = [image.copy() for image in images]
    try:
        wanted: Any = np.stack(loop(augment, images, keys))
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            augment.batch(images, keys)
        return False
    made = augment.batch(images, keys)
    assert (made.dtype, made.shape) == (wanted.dtype, wanted.shape)
    assert made.tobytes() == wanted.tobytes()
    assert made.base is None
    assert made.flags.carray
    assert all(np.array_equal(image, one) for image, one in zip(images, before, strict=True))
    many = augment.many
    if not many.takes(images):
        return False
    try:
        made = many.run(images, ManyKeys(keys), np.empty)  # where an error does not lead to the loop
    except batch.UnevenError:
        return False
    assert (made.dtype, made.tobytes()) == (wanted.dtype, wanted.tobytes())
    return many.pays(batch._PAYS)


def variants(transform: Any) -> list[Any]:
    if "p" not in {one.name for one in fields(transform)}:
        return [transform]
    return [replace(transform, p=p) for p in (0.0, 0.5, 1.0)]


@pytest.mark.parametrize("name", [name for name, one in EVERY.items() if "uint8" in one.takes])
def test_each_transform(name: str) -> None:
    for dtype in ("uint8", "float32"):
        for shape in SHAPES.values():
            images = images_of(shape, dtype, 9)
            for transform in variants(EVERY[name].transform):
                check(ss.Compose([transform, ss.ToFloat()]), images, 9)


AT_ONCE: dict[str, ss.Transform] = {
    "RandomCrop": ss.RandomCrop(32, padding=4),
    "RandomCrop inside": ss.RandomCrop((20, 25)),
    "RandomCrop, edges": ss.RandomCrop(30, padding=(1, 9, 0, 3), mode="edge"),
    "RandomCrop, reflected": ss.RandomCrop(32, padding=5, mode="reflect"),
    "RandomCrop, mirrored": ss.RandomCrop(28, padding=7, mode="symmetric"),
    "RandomCrop, filled": ss.RandomCrop(40, padding=2, pad_if_needed=True, fill=0.25),
    "CenterCrop": ss.CenterCrop((21, 28)),
    "CenterCrop, padded": ss.CenterCrop(50, pad_if_needed=True, mode="edge"),
    "Pad": ss.Pad((1, 2, 3, 4), mode="reflect"),
    "HorizontalFlip": ss.HorizontalFlip(),
    "VerticalFlip": ss.VerticalFlip(),
    "Transpose": ss.Transpose(p=1),
    "RandomRotate90": ss.RandomRotate90(),
    "D4": ss.D4(),
    "RandomBrightnessContrast": ss.RandomBrightnessContrast(0.5, (-0.9, 3.0)),
    "Brightness by the mean": ss.RandomBrightnessContrast(by_max=False),
    "Gamma": ss.Gamma((0.1, 10.0)),
    "Solarize": ss.Solarize((0.0, 1.0)),
    "Posterize": ss.Posterize((1, 8)),
    "Invert": ss.Invert(),
    "CoarseDropout": ss.CoarseDropout((0, 4), height=(1, 40), width=(0.0, 1.0), fill=0.5),
    "CoarseDropout, cutout": ss.CoarseDropout(1, height=16, width=(3, 9), overhang=True),
    "CoarseDropout, many": ss.CoarseDropout((0, 40)),
    "CoarseDropout, noise": ss.CoarseDropout(2, fill="noise"),
    "RandomErasing": ss.RandomErasing(),
    "RandomErasing, fitting": ss.RandomErasing((0.3, 1.0), (0.1, 10.0), fitting=True, fill=0.25),
    "XYMasking": ss.XYMasking(2, 2),
    "XYMasking, some": ss.XYMasking((0, 3), (1, 2), width=(1, 40), height=(0.0, 1.0), fill=0.5),
    "XYMasking, many": ss.XYMasking((0, 40), 1),
    "XYMasking, rows": ss.XYMasking(0, 3, height=4),
    "GaussianNoise": ss.GaussianNoise((0.0, 30.0)),
    "GaussianNoise, variance": ss.GaussianNoise(variance=(10, 50), per_channel=False),
    "Normalize": ss.Normalize(0.5, 0.25),
    "ToFloat": ss.ToFloat(),
    "ToCHW": ss.ToCHW(),
}
"""What is made at once, with its options."""


@pytest.mark.parametrize("name", AT_ONCE)
def test_transforms_that_are_made_at_once(name: str) -> None:
    transform = AT_ONCE[name]
    for dtype in ("uint8", "float32"):
        if dtype == "uint8" and isinstance(getattr(transform, "fill", None), float):
            transform = replace(transform, fill=64)  # type: ignore[call-arg]
        for shape in SHAPES.values():
            for one in variants(transform):
                check(ss.Compose([one]), images_of(shape, dtype, 17), 17)
    many = ss.Compose([transform]).many
    assert many.is_known
    assert many.pays(batch._PAYS)


@pytest.mark.parametrize("name", AT_ONCE)
def test_batches_of_any_size(name: str) -> None:
    images, keys = images_of((32, 32, 3), "uint8"), keys_of(LARGEST)
    transform = variants(AT_ONCE[name])[0 if len(variants(AT_ONCE[name])) == 1 else 1]
    if isinstance(getattr(transform, "fill", None), float):
        transform = replace(transform, fill=64)
    augment = ss.Compose([transform])
    wanted = loop(augment, images, keys)
    for count in (1, 2, 7, 64, 256):
        made = augment.many.run(images[:count], ManyKeys(keys[:count]), np.empty)
        assert made.tobytes() == np.stack(wanted[:count]).tobytes()


@pytest.mark.parametrize("count", [1, 2, 7, 64, 256])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_the_chain_of_cifar(dtype: str, count: int) -> None:
    augment = ss.Compose(CIFAR)
    assert check(augment, images_of((32, 32, 3), dtype), count)
    assert check(augment, list(images_of((32, 32, 3), dtype)), count)
    assert check(ss.Compose([ss.Compose(CIFAR[:2]), *CIFAR[2:]]), images_of((32, 32, 3), dtype), count)


def test_colours_and_normalisation_for_each_channel() -> None:
    images = images_of((32, 32, 3), "uint8")
    for last in ([], [ss.ToCHW()]):
        assert check(
            ss.Compose(
                [
                    ss.RandomCrop(36, padding=4, fill=(1, 2, 3)),
                    ss.Normalize((0.1, 0.2, 0.3), (1, 2, 3)),
                    *last,
                ]
            ),
            images,
            64,
        )
        assert check(ss.Compose([ss.ToFloat(), ss.Normalize(0.1, 2), *last]), images, 64)


LINKS = [
    ss.RandomCrop(24),
    ss.RandomCrop(30, padding=3, pad_if_needed=True),
    ss.CenterCrop(24, pad_if_needed=True),
    ss.Pad(2),
    ss.HorizontalFlip(),
    ss.VerticalFlip(p=0.9),
    ss.Transpose(),
    ss.RandomRotate90(p=0.5),
    ss.D4(),
    ss.RandomBrightnessContrast(p=0.5),
    ss.Gamma(p=0.5),
    ss.Invert(),
    ss.Solarize((0.2, 0.8)),
    ss.Posterize((1, 8)),
    ss.CoarseDropout((1, 3), p=0.7),
    ss.RandomErasing(),
    ss.GaussianNoise((0, 0.2), p=0.4),
    ss.GaussianBlur(p=0.5),
    ss.Affine(p=0.3),
    ss.ColorJitter(0.2, 0.2, p=0.5),
]
ENDS = [[], [ss.ToFloat()], [ss.ToCHW()], [ss.ToFloat(), ss.ToCHW()], CIFAR[2:]]


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(LINKS), max_size=5, unique_by=lambda one: type(one)),
    st.sampled_from(ENDS),
    st.sampled_from(["uint8", "float32"]),
    st.sampled_from([(32, 32, 3), (30, 34, 3)]),
    st.sampled_from([1, 7, 64]),
)
def test_generated_chains(
    links: list[Any], end: list[ss.Transform], dtype: str, shape: tuple[int, ...], count: int
) -> None:
    check(ss.Compose([*links, *end]), images_of(shape, dtype, 64), count)


def test_what_is_not_the_librarys_own_is_made_one_by_one() -> None:
    class Mine(ss.HorizontalFlip):
        __slots__ = ()

        def apply_image(self, image: Any, params: Any) -> Any:
            return image + 1

    for transforms in (
        [Mine(p=1.0)],
        [*CIFAR[:2], Mine()],
        [ss.OneOf([ss.HorizontalFlip(), ss.VerticalFlip()])],
        [ss.bridge(lambda image: image[::-1])],
    ):
        augment = ss.Compose(transforms)
        assert not augment.many.is_known
        assert not check(augment, images_of((32, 32, 3), "uint8"), 17)


def test_images_of_several_shapes_and_other_dtypes() -> None:
    images = [np.full((30 + number % 3, 40), number, np.uint8) for number in range(20)]
    assert not check(ss.Compose([ss.RandomCrop(16), ss.HorizontalFlip()]), images, 20)
    with pytest.raises(ValueError, match="one shape and dtype"):
        ss.Compose([ss.HorizontalFlip()]).batch(images, keys_of(20))
    mixed = [np.zeros((8, 8), np.uint8)] * 10 + [np.zeros((8, 8), np.float32)] * 10
    assert not check(ss.Compose([ss.HorizontalFlip(), ss.ToFloat()]), mixed, 20)
    for dtype in ("uint16", "float64", "int32"):
        assert not check(ss.Compose([ss.HorizontalFlip()]), images_of((8, 8, 3), "uint8").astype(dtype), 20)


def test_images_that_do_not_lie_one_after_another() -> None:
    images = images_of((40, 40, 3), "uint8", 32)
    views = [
        images[:, ::-1],
        images[::-1, 3:35, 2:34],
        images.transpose(0, 2, 1, 3),
        np.broadcast_to(images[0], images.shape),
    ]
    for one in views:
        assert check(ss.Compose(CIFAR), one, 32)


def test_keys() -> None:
    augment, images = ss.Compose(CIFAR), images_of((32, 32, 3), "uint8", 32)
    keys = [
        ss.SampleKey(index % 2, index, 2**64 - 1 - index, occurrence=index, call=index) for index in range(32)
    ]
    wanted = np.stack(loop(augment, images, keys)).tobytes()
    assert augment.batch(images, keys).tobytes() == wanted
    assert augment.batch(images, ManyKeys(keys)).tobytes() == wanted
    assert augment.batch(images, tuple(keys)).tobytes() == wanted
    assert (
        augment.batch(images[:3], ManyKeys(keys[:3])).tobytes()
        == np.stack(loop(augment, images, keys))[:3].tobytes()
    )


def test_wrong_arguments() -> None:
    augment, images = ss.Compose(CIFAR), images_of((32, 32, 3), "uint8", 4)
    with pytest.raises(ValueError, match="as many keys as images, at least one, got 3 for 4"):
        augment.batch(images, keys_of(3))
    with pytest.raises(ValueError, match="got 0 for 0"):
        augment.batch([], [])
    with pytest.raises(TypeError, match="key must be a SampleKey"):
        augment.batch(images, [0, 1, 2, 3])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="cannot crop 64×64"):
        ss.Compose([ss.RandomCrop(64)]).batch(images, keys_of(4))
    with pytest.raises(TypeError, match="must be a NumPy array"):
        augment.batch([[1]] * 4, keys_of(4))


def test_an_empty_pipeline_returns_a_new_array() -> None:
    images = images_of((8, 8), "uint8", 3)
    made = ss.Compose([]).batch(images, keys_of(3))
    assert np.array_equal(made, images)
    assert not np.shares_memory(made, images)


def test_images_that_do_not_stay_equal_are_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[Any] = []
    run = batch.Many.run

    def counted(self: Any, images: Any, keys: Any, allocate: Any) -> Any:
        runs.append(images[0].shape)
        return run(self, images, keys, allocate)

    monkeypatch.setattr(batch.Many, "run", counted)
    turning = ss.Compose([ss.Transpose(p=0.5), ss.HorizontalFlip()])
    tall, square = images_of((24, 32, 3), "uint8"), images_of((32, 32, 3), "uint8")
    for images in (tall, tall, square, square):
        if images is tall:
            with pytest.raises(ValueError, match="must have one shape and dtype"):
                turning.batch(images, keys_of(len(images)))
        else:
            turning.batch(images, keys_of(len(images)))
    assert runs == [(24, 32, 3), (32, 32, 3), (32, 32, 3)]


def test_grey_images_as_wide_as_there_are_channels_are_no_image_with_channels() -> None:
    grey = images_of((32, 3), "uint8", 64)
    for transforms in (CIFAR[2:3], CIFAR[2:]):
        with pytest.raises(ValueError, match="one value for each channel"):
            ss.Compose([ss.HorizontalFlip(), *transforms]).batch(grey, keys_of(64))
    assert check(ss.Compose([ss.HorizontalFlip(), ss.Normalize(0.5, 0.25), ss.ToCHW()]), grey, 64)
