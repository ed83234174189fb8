"""What surrounds a bridge: views, params behind it, hooked parents, the audit, errors of libraries that are called otherwise."""

from __future__ import annotations

import json
from collections import deque
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from programs import python
from test_bridge import GRAY, KEY, KEYS, Monai

import seedsafe as ss
from seedsafe.bridging.search import find
from seedsafe_audit.state import changes, snapshot
from seedsafe_torch import AugmentedDataset, loader


class Items:
    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> Any:
        return np.array([index, np.random.rand()]), index


class TestViews:
    def test_a_bridged_base_draws_for_each_view(self) -> None:
        dataset = AugmentedDataset(Items(), seed=42, views=2, bridge=True)
        (first, second), label = dataset.at(3, epoch=0)
        assert (first[0], second[0], label) == (3, 3, 3)
        alone = AugmentedDataset(Items(), seed=42, bridge=True)
        assert [alone.at(3, epoch=0, view=view)[0][1] for view in range(2)] == [first[1], second[1]]
        assert first[1] != second[1]
        runs = [[b[0][1].tolist() for b in loader(dataset, batch_size=4, num_workers=n)] for n in (0, 2)]
        assert runs[0] == runs[1]

    def test_without_either_they_are_refused(self) -> None:
        with pytest.raises(ValueError, match="all the same: pass augment=, or bridge=True if the base draws"):
            AugmentedDataset(Items(), seed=42, views=2)


class TestParams:
    def test_with_returns_they_go_on(self) -> None:
        for returns, made in (
            ("same", lambda image: image + np.random.rand()),
            ((3, 3), lambda image: np.zeros((3, 3))),
        ):
            augment = ss.Compose([ss.bridge(made, returns=returns), ss.RandomCrop(2)])  # type: ignore[arg-type]
            for key in KEYS[:4]:
                image = np.zeros((4, 4))
                np.testing.assert_array_equal(
                    augment.replay(image, augment.params(key, (4, 4))), augment(image, key=key)
                )

    @pytest.mark.parametrize("sample", [GRAY, {"image": GRAY}])
    def test_another_shape_is_refused(self, sample: Any) -> None:
        for returns in ("same", (9, 9)):
            augment = ss.Compose([ss.bridge(lambda image: image[:1], returns=returns)])  # type: ignore[arg-type]
            with pytest.raises(
                ValueError, match=r"returned the shape \(1, 3\) for \(2, 3\): correct returns"
            ):
                augment(sample, key=KEY)

    def test_without_the_error_names_it(self) -> None:
        augment = ss.Compose([ss.bridge(np.negative), ss.RandomCrop(2)])
        with pytest.raises(
            ValueError,
            match=r"shape of the result of negative is not known before the call: put transforms whose draws depend.*"
            r'pass returns="same" or returns=\(height, width, channels\) to the bridge',
        ):
            augment.params(KEY, (4, 4))
        with pytest.raises(TypeError, match='returns must be "same", a shape or None, got 5'):
            ss.bridge(np.negative, returns=5)  # type: ignore[arg-type]


class Cached(Monai):
    """Has a hook that seeds itself, and transforms that nobody seeds, as MONAI's SmartCacheDataset."""

    def __init__(self, transform: Any) -> None:
        self.transform = transform

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> Any:
        return self.transform(np.zeros(2)) + index


def test_a_hook_does_not_hide_what_it_does_not_seed() -> None:
    def run(order: Any) -> dict[int, Any]:
        dataset = AugmentedDataset(Cached(Monai()), seed=42, bridge=True)
        return {index: dataset.at(index, epoch=0).tolist() for index in order}

    assert run(range(8)) == run(reversed(range(8)))
    assert [source.name for source in find(Cached(Monai())).sources] == ["itself", ".transform"]


def test_a_hooked_object_may_hold_a_set_of_generators() -> None:
    holder = Monai()
    holder.extra = {np.random.default_rng(0)}  # type: ignore[attr-defined]
    assert [source.name for source in find(holder).sources] == ["itself", ".extra[0]"]


def test_a_generator_replaced_in_a_deque_is_noticed() -> None:
    root = deque([np.random.default_rng(0)])
    search = find(root)
    assert len(search.sources) == 1
    assert not search.stale()
    root[0] = np.random.default_rng(1)
    assert search.stale()
    root.clear()
    assert search.stale()


def test_an_audit_lists_nothing_of_a_bridge() -> None:
    dataset = AugmentedDataset(Items(), seed=42, bridge=True)
    before = snapshot(dataset, (0,))
    dataset.at(0, epoch=0)
    assert [
        change.path for change in changes(before, snapshot(dataset, (0,))) if "_runner" in change.path
    ] == []


class TestCallingStyles:
    def test_switches_do_not_make_an_array_call(self) -> None:
        class Volumentations:
            def __call__(self, force_apply: bool = False, **data: Any) -> Any:
                shift = np.random.rand()
                return {name: part + shift for name, part in data.items()}

        made = ss.Compose([ss.bridge(Volumentations())])({"image": GRAY, "mask": GRAY}, key=KEY)
        np.testing.assert_array_equal(made["image"], made["mask"])

    def test_a_named_call_may_return_the_image(self) -> None:
        class Imgaug:
            def __call__(self, *args: Any, **named: Any) -> Any:
                return named["image"] + np.random.rand()

        assert ss.Compose([ss.bridge(Imgaug())])(GRAY, key=KEY).all()

    @pytest.mark.parametrize(
        ("function", "error"),
        [
            (lambda image: image["img"], IndexError),
            (lambda image: image.convert("RGB"), AttributeError),
            (lambda image: [image, image, {}], TypeError),
            (lambda **parts: [1], TypeError),
        ],
        ids=["a dict", "a picture", "a list of views", "no dict"],
    )
    def test_an_error_shows_the_wrapper(self, function: Any, error: Any) -> None:
        with pytest.raises(error) as raised:
            ss.bridge(function)(GRAY, key=KEY)
        said = str(raised.value) + "".join(getattr(raised.value, "__notes__", []))
        assert "If it needs another call, wrap it:\n\n    def wrapped(image):" in said
        if raised.value.__class__ is not TypeError:
            assert "was called as call='array', with ndarray of shape (2, 3)" in said


class BasicTransform:
    """Does as albumentations 2.0.8's: boxes are shares of the image's sides, keypoints have five columns."""

    __module__ = "albumentations.core.transforms_interface"
    targets: tuple[str, ...] = ("image", "mask", "bboxes", "keypoints")

    def __call__(self, *, force_apply: bool = False, **parts: Any) -> Any:
        made = {name: part[:, ::-1] if name in ("image", "mask") else part for name, part in parts.items()}
        if "bboxes" in made:
            made["bboxes"] = 1 - made["bboxes"][:, [2, 1, 0, 3]] * [1, -1, 1, -1] - [0, 1, 0, 1]
        if "keypoints" in made:
            made["keypoints"][:, 3] += np.pi
        return made


class Brighter(BasicTransform):
    targets = ("image",)

    def __call__(self, *, force_apply: bool = False, **parts: Any) -> Any:
        return parts | {"image": parts["image"] + 1}


class BaseCompose:
    """Does as albumentations 2.0.8's containers, whose processors prepare boxes and keypoints."""

    __module__ = "albumentations.core.composition"

    def __init__(self, *transforms: Any, processors: Any = ()) -> None:
        self.transforms, self.processors = list(transforms), processors

    def __call__(self, *, force_apply: bool = False, **parts: Any) -> Any:
        side = parts["image"].shape[1]
        if "bboxes" in self.processors:
            parts["bboxes"] = parts["bboxes"] / side
        for one in self.transforms:
            parts = one(**parts)
        return parts | ({"bboxes": parts["bboxes"] * side} if "bboxes" in self.processors else {})


BOXES: Any = {"image": np.zeros((8, 8)), "boxes": np.array([[1.0, 1, 3, 4]])}
POINTS: Any = {"image": np.zeros((8, 8)), "keypoints": np.array([[1.0, 1]])}


class TestAlbumentations:
    @pytest.mark.parametrize(
        "function",
        [
            BasicTransform(),
            BaseCompose(Brighter(), BasicTransform()),
            BaseCompose(BaseCompose(BasicTransform(), processors=("bboxes", "keypoints"))),
        ],
        ids=["a transform", "a container", "a container's member has the formats"],
    )
    @pytest.mark.parametrize("rules", [True, False])
    def test_what_would_lose_boxes_or_keypoints_is_refused(self, function: Any, rules: bool) -> None:
        options: Any = {"boxes": ss.Boxes("pascal_voc"), "keypoints": ss.Keypoints()} if rules else {}
        augment = ss.Compose([ss.bridge(function)], **options)
        for sample, part, way_out in (
            (
                BOXES,
                "boxes",
                r"Compose\(\[\.\.\.\], bbox_params=albumentations\.BboxParams\('pascal_voc'\)\)",
            ),
            (
                POINTS,
                "keypoints",
                r"Compose\(\[\.\.\.\], keypoint_params=albumentations\.KeypointParams",
            ),
            (BOXES | POINTS, "boxes and keypoints", r"bbox_params=.*, keypoint_params="),
        ):
            with pytest.raises(ValueError, match=rf"would lose the sample's {part}, .*: bridge .*{way_out}"):
                augment(sample, key=KEY)

    def test_what_keeps_them_is_not(self) -> None:
        prepared = BaseCompose(BasicTransform(), processors=("bboxes",))
        made = ss.Compose([ss.bridge(prepared)])(BOXES, key=KEY)
        np.testing.assert_allclose(made["boxes"], [[5, 1, 7, 4]])
        for function in (Brighter(), BaseCompose(Brighter())):
            made = ss.Compose([ss.bridge(function)])(BOXES | POINTS, key=KEY)
            assert made["image"].all()
            assert made["boxes"].tolist() == [[1, 1, 3, 4]]
            assert made["keypoints"].tolist() == [[1, 1]]

    @pytest.mark.parametrize("form", ["coco", "yolo", "albumentations", "pascal_voc"])
    def test_a_compose_inside_that_takes_another_format_is_refused(self, form: str) -> None:
        def prepared(boxes: str = form, keypoints: str = "xyas") -> Any:
            formats = {"bboxes": boxes, "keypoints": keypoints}
            return ss.bridge(
                BaseCompose(
                    BasicTransform(),
                    processors={
                        name: SimpleNamespace(params=SimpleNamespace(format=one))
                        for name, one in formats.items()
                    },
                )
            )

        flip, boxes = ss.HorizontalFlip(p=1), ss.Boxes("coco")
        made = [
            lambda: ss.Compose([prepared()], boxes=boxes),
            lambda: ss.Compose([ss.OneOf([prepared()])], boxes=boxes),
            lambda: ss.Compose([ss.Compose([prepared()]), ss.Compose([], boxes=boxes)]),
            lambda: ss.Compose([flip, prepared()]),
        ]
        for make in made:
            if form == "pascal_voc":
                make()
                continue
            with pytest.raises(ValueError, match=f"must take boxes in one format, but .*{form!r}.*: give"):
                make()
        ss.Compose([ss.ToFloat(), prepared()])  # nobody else looks at boxes
        for make in (
            lambda: ss.Compose([prepared("pascal_voc", "yx")], keypoints=ss.Keypoints()),
            lambda: ss.Compose([flip, prepared("pascal_voc", "yx")]),
        ):
            with pytest.raises(
                ValueError, match=r"must take keypoints in one format, but .*'yx'.* the format 'xy'"
            ):
                make()

    def test_an_image_alone_is_moved(self) -> None:
        made = ss.Compose([ss.bridge(BasicTransform())])({"image": GRAY, "mask": GRAY}, key=KEY)
        assert made["image"].tolist() == made["mask"].tolist() == GRAY[:, ::-1].tolist()


def test_tensorflow_and_keras() -> None:
    code = """
import json
import numpy as np
import tensorflow as tf
import keras
import seedsafe as ss

image = np.zeros((8, 8, 3), np.float32)
options = ss.Bridge(tensorflow=True)
noisy = ss.bridge(lambda image: image + tf.random.uniform(()).numpy(), options=options)
verdict = noisy.verify(image)
def drawn():
    return tf.random.uniform((2,)).numpy().tolist()

def keyed(index):
    with ss.keyed(ss.SampleKey(1, 0, index), options):
        return drawn()

tf.random.set_seed(5)
alone = [drawn() for _ in range(3)]
tf.random.set_seed(5)
mixed = [[keyed(index), drawn()][1] for index in range(3)]
keys_it = keyed(0) == keyed(0) != keyed(1) and mixed == alone

class Layer:
    def __init__(self):
        self.generator = keras.random.SeedGenerator(3)
        self.old = tf.random.Generator.from_seed(4)
    def __call__(self, image):
        return image + np.asarray(keras.random.uniform((), seed=self.generator)) + self.old.uniform(()).numpy()

layer = Layer()
states = [np.asarray(layer.generator.state).tolist(), layer.old.state.numpy().tolist()]
augment = ss.Compose([ss.bridge(layer)])
keys = [ss.SampleKey(42, 0, index) for index in range(6)]
values = [float(augment(image, key=key)[0, 0, 0]) for key in keys]
back = [float(ss.Compose([ss.bridge(Layer())])(image, key=key)[0, 0, 0]) for key in reversed(keys)]
after = [np.asarray(layer.generator.state).tolist(), layer.old.state.numpy().tolist()]
layers = [keras.layers.RandomFlip(seed=1), keras.layers.RandomContrast(0.5, seed=2)]
grown = np.random.default_rng(0).random((8, 8, 3)).astype(np.float32)
for together in (keras.Sequential(layers), keras.layers.Pipeline(layers)):  # whose calls take *args and **kwargs
    made = {ss.bridge(together)(grown, key=key).tobytes() for key in keys for _ in range(2)}
    assert 1 < len(made) <= len(keys), len(made)
print(json.dumps([verdict, keys_it, values == back[::-1], len(set(values)), states == after, augment.transforms[0].verdict]))
"""
    done = python("-c", code)
    assert json.loads(done.stdout) == ["verified", True, True, 6, True, "verified"]


@pytest.mark.parametrize("call", ["array", "dict", "named"])
def test_a_result_that_nothing_else_keeps_is_handed_on(call: str) -> None:
    made: list[int] = []
    kept: list[np.ndarray] = []

    def fresh(*arguments: Any, **parts: Any) -> Any:
        image = arguments[0] if call == "array" else (parts or arguments[0])["image"]
        result = image + 1
        made.append(result.ctypes.data)
        kept.extend([result] * keeps)
        return result if call == "array" else {"image": result}

    augment = ss.Compose([ss.bridge(fresh, call=call)])
    for keeps in (0, 1):
        for index in range(40):  # those that it watches too
            sample = {"image": np.zeros((4, 4, 3), np.uint8)}
            out = augment(sample, key=ss.SampleKey(42, 0, index))["image"]
            assert (out.ctypes.data == made[-1]) == (not keeps) or index < 32
        assert not any(np.shares_memory(out, one) for one in kept)
