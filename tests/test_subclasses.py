"""Laws of subclasses: whatever one overrides, the result is a function of the sample and its key."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from cases import TRANSFORMS

import seedsafe as ss
from seedsafe.pipeline.primitive import marks_of

LOOKING = {"Bridged"} | {name for name, case in TRANSFORMS.items() if case.needs}
"""What is no class of transforms, or needs boxes, a mask or a dataset."""

KEYS = [ss.SampleKey(7, epoch, index) for epoch in range(2) for index in range(6)]


def made(name: str, *overridden: str, **more: Any) -> Any:
    """Return a transform of a subclass that overrides these methods."""
    kind = TRANSFORMS[name].kind
    target = kind.primary[0]

    def draw(self: Any, rng: ss.Draws, info: ss.Info) -> Any:
        return super(mine, self).draw(rng, info), rng.integer(100), rng.generator.integers(100)

    def apply(self: Any, array: np.ndarray, params: Any) -> np.ndarray:
        inner, add = (params[0], params[1] + params[2]) if "draw" in overridden else (params, 3)
        array += array.dtype.type(add)
        return getattr(super(mine, self), f"apply_{target}")(array, inner)

    def unpacked(self: Any, array: np.ndarray, params: Any) -> np.ndarray:
        return getattr(super(mine, self), f"apply_{target}")(array, params[0])

    def out_info(self: Any, info: ss.Info, params: Any) -> ss.Info:
        return super(mine, self).out_info(info, params[0])

    methods: dict[str, Any] = {"draw": draw, "out_info": out_info} if "draw" in overridden else {}
    if "apply" in overridden:
        methods[f"apply_{target}"] = apply
    elif "draw" in overridden:
        methods[f"apply_{target}"] = unpacked
    mine = type("Mine", (kind,), {"__slots__": (), **methods})
    return mine(**{**TRANSFORMS[name].arguments, **more})


def part(kind: Any) -> tuple[str, np.ndarray]:
    if kind.primary[0] == "audio":
        return "audio", np.linspace(-1, 1, 128, dtype=np.float32).reshape(2, 64)
    if kind.primary[0] == "spectrogram":
        return "spectrogram", np.linspace(-1, 1, 2000, dtype=np.float32).reshape(2, 20, 50)
    if kind.primary[0] == "video":
        return "video", np.random.default_rng(0).integers(0, 256, (8, 5, 6, 3), dtype=np.uint8)
    return "image", np.random.default_rng(0).integers(0, 256, (24, 28, 3), dtype=np.uint8)


@pytest.mark.parametrize("p", [None, 0.4, 1.0])
@pytest.mark.parametrize(
    "overridden", [(), ("draw",), ("apply",), ("draw", "apply")], ids=lambda o: "+".join(o) or "neither"
)
@pytest.mark.parametrize("name", sorted({*TRANSFORMS} - LOOKING))
def test_a_subclass_is_a_pure_function(name: str, overridden: tuple[str, ...], p: float | None) -> None:
    kind = TRANSFORMS[name].kind
    offered = inspect.signature(kind).parameters
    if p is not None and ("p" not in offered or offered["p"].default == p):
        return  # without p it is the same
    transform = made(name, *overridden, **({} if p is None else {"p": p}))
    target, array = part(kind)
    before = array.copy()
    pipeline = ss.Compose([ss.ToFloat(), transform] if kind is ss.Normalize else [transform])
    results = [pipeline(array, key=key) for key in KEYS]
    for key, result in reversed(list(zip(KEYS, results, strict=True))):
        np.testing.assert_array_equal(pipeline(array, key=key), result)
        np.testing.assert_array_equal(pipeline({target: array, "label": 1}, key=key)[target], result)
        record = pipeline.params(key, {target: array})
        assert record == pipeline.params(key, array)
        np.testing.assert_array_equal(pipeline.replay(array, record), result)
        np.testing.assert_array_equal(pipeline.replay({target: array}, record)[target], result)
        if kind is not ss.Normalize:
            np.testing.assert_array_equal(transform(array, key=key), result)
    np.testing.assert_array_equal(array, before)


def test_an_overridden_draw_is_random_where_its_base_was_not() -> None:
    image = np.zeros((24, 28, 3), np.uint8)
    for name in ("CenterCrop", "HorizontalFlip", "Pad"):
        transform = made(name, "draw", "apply", **({"p": 1} if name == "HorizontalFlip" else {}))
        assert len({transform(image, key=key).tobytes() for key in KEYS}) > len(KEYS) // 2


@pytest.mark.parametrize("name", TRANSFORMS)
def test_the_librarys_own_are_declared_and_subclasses_are_not(name: str) -> None:
    kind = TRANSFORMS[name].kind
    assert marks_of(kind).own
    assert not marks_of(type("Mine", (kind,), {})).own


def test_a_name_under_ours_makes_nothing_the_librarys_own() -> None:
    kind = type("Cunning", (Kept,), {"__module__": "seedsafe.image.mine"})
    assert not marks_of(kind).own
    image, augment = np.zeros((4, 4), np.uint8), ss.Compose([kind()])
    first = augment(image, key=KEYS[0])
    augment(image, key=KEYS[1])
    assert not first.any()
    plain = type("Plain", (ss.HorizontalFlip,), {"__module__": "seedsafe.image.mine", "__slots__": ()})
    data = ss.Compose([plain()]).to_dict()
    with pytest.raises(ValueError, match=r"the class 'Plain', which is not known: pass classes=\[Plain\]"):
        ss.Compose.from_dict(data)
    assert ss.Compose.from_dict(data, classes=[plain]) == ss.Compose([plain()])


class Reused(ss.ImageTransform):
    """Returns one buffer again and again, or a view of it."""

    def __init__(self, view: bool) -> None:
        super().__init__()
        self.view = view
        self.buffer = np.empty((4, 4), np.uint8)

    def draw(self, rng: ss.Draws, info: ss.Info) -> int:
        return rng.integer(256)

    def apply_image(self, image: np.ndarray, params: int) -> np.ndarray:
        self.buffer[:] = image + np.uint8(params)
        return self.buffer[::-1] if self.view else self.buffer

    apply_mask = apply_image


@pytest.mark.parametrize("view", [False, True])
@pytest.mark.parametrize(
    "more", [[], [ss.HorizontalFlip(p=0)], [ss.ToCHW()]], ids=["alone", "before a flip", "before ToCHW"]
)
def test_what_a_transform_keeps_and_writes_again_is_copied(more: list[Any], view: bool) -> None:
    image = np.zeros((4, 4), np.uint8)
    augment = ss.Compose([Reused(view), *more])
    together = [augment(image, key=key) for key in KEYS]
    dicts = [augment({"image": image, "mask": image}, key=key) for key in KEYS]
    for key, one, parts in zip(KEYS, together, dicts, strict=True):
        wanted = ss.Compose([Reused(view), *more])(image, key=key)
        np.testing.assert_array_equal(one, wanted)
        np.testing.assert_array_equal(parts["image"], wanted)
        assert (parts["mask"] == wanted.max()).all()


class Kept(ss.ImageTransform):
    """Keeps what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[np.ndarray] = []

    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        for old in self.seen:
            old[:] = 99
        self.seen.append(image)
        return image


def test_a_transform_that_keeps_its_input_cannot_change_what_was_delivered() -> None:
    image, augment = np.zeros((4, 4), np.uint8), ss.Compose([Kept()])
    first = augment(image, key=KEYS[0])
    augment(image, key=KEYS[1])
    assert not first.any()


def test_a_fresh_result_is_not_copied() -> None:
    made_at: list[int] = []

    class New(ss.ImageTransform):
        def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
            new = image + np.uint8(1)
            made_at.append(new.ctypes.data)
            return new

    out = ss.Compose([New()])(np.zeros((64, 64), np.uint8), key=KEYS[0])
    assert made_at == [out.ctypes.data]


def test_a_probability_that_is_changed_counts_from_the_next_call() -> None:
    class Mutable(ss.ImageTransform):
        def __init__(self, p: float) -> None:
            super().__init__()
            self.p = p

        def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
            return image + np.uint8(1)

    image, transform = np.zeros((4, 4), np.uint8), Mutable(0.0)
    assert not transform(image, key=KEYS[0]).any()
    transform.p = 1.0
    assert transform(image, key=KEYS[0]).all()


def test_a_transform_called_by_itself_is_bound_once_and_pickles_as_before() -> None:
    import copy
    import pickle

    for transform in (ss.HorizontalFlip(), Kept(), ss.OneOf([ss.VerticalFlip()])):
        before = pickle.dumps(transform)
        image = np.zeros((4, 4), np.uint8)
        transform(image, key=KEYS[0])
        root = transform._bound.root
        transform(image, key=KEYS[1])
        assert transform._bound.root is root
        if not isinstance(transform, Kept):
            assert pickle.dumps(transform) == before
            assert transform == pickle.loads(before) == copy.deepcopy(transform)
        for again in (copy.copy(transform), copy.deepcopy(transform), pickle.loads(pickle.dumps(transform))):
            again(image, key=KEYS[0])
            assert again._bound.root is not root
            assert transform._bound.root is root
