"""What every transform keeps to, whatever it does: asked of a transform and an image, audio or a spectrogram."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np

import seedsafe as ss

KEY = ss.SampleKey(42, 3, 1234)
SHAPES = [(1, 1), (1, 7), (9, 1), (1, 1, 3), (1, 8, 3), (13, 1, 3), (24, 21), (24, 21, 1), (33, 20, 3)]
MANY = [(24, 21, 2), (17, 9, 4), (12, 31, 16)]


def image_of(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    """Return noise over a ramp: every value occurs, neighbours differ."""
    rng = np.random.default_rng(seed)
    image = rng.integers(0, 256, shape)
    image[..., :] = (image + np.arange(shape[0]).reshape(-1, *[1] * (len(shape) - 1)) * 5) % 256
    return (image / 255).astype(np.float32) if dtype == "float32" else image.astype(dtype)


def layouts(image: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the same array in other memory: frozen, in Fortran's order, a window, with wide, negative and zero strides."""
    frozen = image.copy()
    frozen.flags.writeable = False
    yield frozen
    yield np.asfortranarray(image)
    first, backwards = (slice(None),) * min(image.ndim, 2), (slice(None, None, -1),) * min(image.ndim, 2)
    yield np.pad(image, [(1, 2)] * len(first) + [(0, 0)] * (image.ndim - len(first)))[
        (slice(1, -2),) * len(first)
    ]
    yield image.repeat(2, axis=0)[::2]
    yield image[backwards].copy()[backwards]
    if image.ndim == 3:
        yield image[..., ::-1].copy()[..., ::-1]
    if (image == image[:1]).all():
        yield np.broadcast_to(image[:1], image.shape)


_ALIKE: dict[str, tuple[ss.Compose, ...]] = {}


def alike(transform: ss.Transform) -> tuple[ss.Compose, ...]:
    """Return a pipeline of a transform, the one that a pickle gives back, and the one that JSON gives back."""
    told = repr(transform)
    if told not in _ALIKE:
        augment = ss.Compose([transform])
        twins = [pickle.loads(pickle.dumps(augment))]
        if "Sound(" not in told:  # an array is no plain data
            assert eval(told, vars(ss)) == transform
            twins.append(ss.Compose.from_json(augment.to_json()))
        assert twins == [augment] * len(twins)
        _ALIKE[told] = augment, *twins
    return _ALIKE[told]


def keep(
    transform: ss.Transform, image: np.ndarray, key: ss.SampleKey = KEY, part: str = "image"
) -> np.ndarray:
    """Check the laws, and return what becomes of the image, or of another part of a sample."""
    augment, *twins = alike(transform)
    before = image.copy()
    made: np.ndarray = augment(image, key=key)
    np.testing.assert_array_equal(image, before)
    assert made.flags.carray
    assert not np.shares_memory(made, image)
    if made.dtype.kind == "f":
        assert np.isfinite(made).all()
    for other in layouts(image):
        np.testing.assert_array_equal(augment(other, key=key), made)
    np.testing.assert_array_equal(augment({part: image}, key=key)[part], made)
    np.testing.assert_array_equal(transform(image, key=key), made)
    record = augment.params(key, image)
    assert plain(record[0].params)
    np.testing.assert_array_equal(augment.replay(image, record), made)
    if record[0].params is not None:
        rest: Any = {
            "boxes": np.zeros((0, 4)),
            "length": 7,
            "position": 3,
        }  # which later transforms may ask for
        info = transform.out_info(ss.Info(image.shape, image.dtype, **rest), record[0].params)
        assert info == ss.Info(made.shape, made.dtype, **rest)
    for twin in twins:
        np.testing.assert_array_equal(twin(image, key=key), made)
    return made


def plain(params: Any) -> bool:
    """Return whether parameters are plain data: what JSON can hold."""
    return params is None or bool(json.dumps(params))


def parameters(transform: ss.Transform, shape: Any, count: int) -> list[Any]:
    """Return what a transform draws for so many keys."""
    augment = ss.Compose([transform])
    return [augment.params(ss.SampleKey(7, 0, index), shape)[0].params for index in range(count)]


def refuses_to_change_with_dtype(
    transform: ss.Transform, shape: tuple[int, ...], key: ss.SampleKey = KEY
) -> None:
    """Check that uint8 and float32 draw the same."""
    augment = ss.Compose([transform])
    assert augment.params(key, ss.Info(shape, "uint8")) == augment.params(key, ss.Info(shape, "float32"))
