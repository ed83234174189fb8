"""Classes that users derive from albumentations' base classes, and albumentations' own transforms behind a bridge."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest
from skimage import data

import seedsafe as ss
import seedsafe_albumentations as A  # noqa: N812  # as its users do

IMAGE = data.astronaut()[:60, :80].copy()
MASK = (IMAGE[..., 0] // 64).astype(np.uint8)
KEY = ss.SampleKey(42, 3, 1234)


def keys(n: int) -> list[ss.SampleKey]:
    return [ss.SampleKey(42, 0, index) for index in range(n)]


class Lighter(A.ImageOnlyTransform):
    """As users of 1.x write it: positional arguments, draws from the process's generators."""

    def __init__(self, most: int = 50, always_apply: bool = False, p: float = 0.5) -> None:
        super().__init__(always_apply, p)
        self.most = most

    def apply(self, img: Any, shift: int = 0, **params: Any) -> Any:
        noise = np.random.randint(0, 9, img.shape)
        return np.clip(img.astype(int) + shift + noise, 0, 255).astype(np.uint8)

    def get_params(self) -> dict[str, Any]:
        return {"shift": random.randint(1, self.most)}

    def get_transform_init_args_names(self) -> tuple[str, ...]:
        return ("most",)


class Fixed(A.ImageOnlyTransform):
    """As users of 2.x write it."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__(p=p)

    def get_params(self) -> dict[str, Any]:
        return {"shift": self.py_random.randint(1, 90), "values": self.random_generator.integers(0, 9, 3)}

    def apply(self, img: Any, shift: int = 0, values: Any = None, **params: Any) -> Any:
        return (np.maximum(img, 99) - np.uint8(shift) - values.astype(np.uint8)).astype(np.uint8)


class Cut(A.DualTransform):
    """A crop of 2.x, with all targets, by a place that depends on the sample."""

    def get_params_dependent_on_data(self, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        rows, columns = params["shape"][:2]
        return {"top": self.py_random.randint(0, rows - 32), "left": self.py_random.randint(0, columns - 48)}

    def apply(self, img: Any, top: int = 0, left: int = 0, **params: Any) -> Any:
        return img[top : top + 32, left : left + 48]

    def apply_to_bboxes(self, bboxes: Any, top: int = 0, left: int = 0, **params: Any) -> Any:
        rows, columns = params["shape"][:2]
        made = bboxes.copy()
        made[:, [0, 2]] = (bboxes[:, [0, 2]] * columns - left) / 48
        made[:, [1, 3]] = (bboxes[:, [1, 3]] * rows - top) / 32
        return made[(made[:, 2] > 0) & (made[:, 0] < 1) & (made[:, 3] > 0) & (made[:, 1] < 1)]

    def apply_to_keypoints(self, keypoints: Any, top: int = 0, left: int = 0, **params: Any) -> Any:
        return np.column_stack([keypoints[:, :1] - left, keypoints[:, 1:2] - top, keypoints[:, 2:]])


class Mirror(A.DualTransform):
    """A flip of 1.x, whose boxes and keypoints are changed one by one."""

    def apply(self, img: Any, **params: Any) -> Any:
        return img[:, ::-1]

    def apply_to_bbox(self, bbox: Any, **params: Any) -> Any:
        x0, y0, x1, y1 = bbox
        return 1 - x1, y0, 1 - x0, y1

    def apply_to_keypoint(self, keypoint: Any, cols: int = 0, **params: Any) -> Any:
        x, y, angle, scale = keypoint
        return cols - 1 - x, y, angle, scale


class Whole(A.BasicTransform):
    """A transform with a ``__call__`` of its own."""

    def __call__(self, force_apply: bool = False, **parts: Any) -> Any:
        if random.random() < self.p:
            parts["image"] = parts["image"] // np.uint8(random.randint(2, 5))
        return parts


class Either(A.BaseCompose):
    """A container: the first or the second of its transforms."""

    def __call__(self, *arguments: Any, force_apply: bool = False, **parts: Any) -> Any:
        chosen = self.transforms[0] if self.py_random.random() < self.p else self.transforms[1]
        return chosen(**parts)


OWN: dict[str, Any] = {
    "Lighter": lambda: Lighter(p=1.0),
    "Fixed": lambda: Fixed(p=1.0),
    "Cut": lambda: Cut(p=1.0),
    "Whole": lambda: Whole(p=0.9),
    "Either": lambda: Either([A.RandomCrop(32, 48), Lighter(p=1)], p=0.5),
    "in a choice": lambda: A.OneOf([Lighter(p=0.5), A.HorizontalFlip(p=0.5)], p=1),
}


@pytest.mark.parametrize("name", OWN)
def test_what_they_draw_is_a_function_of_the_key(name: str) -> None:
    make = OWN[name]
    augment = A.Compose([make(), A.HorizontalFlip(p=0.5)])
    made = [augment(image=IMAGE, key=key)["image"] for key in keys(40)]
    other = A.Compose([make(), A.HorizontalFlip(p=0.5)])
    for key in (3, 1, 39):  # another object, in another order
        assert (other(image=IMAGE, key=keys(40)[key])["image"] == made[key]).all()
    assert len({one.tobytes() for one in made}) > 8
    before = random.getstate(), np.random.get_state()[1].tolist()
    augment(image=IMAGE, key=KEY)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before
    again = pickle.loads(pickle.dumps(augment))
    assert (again(image=IMAGE, key=KEY)["image"] == augment(image=IMAGE, key=KEY)["image"]).all()


@pytest.mark.parametrize("name", OWN)
def test_alone_they_are_called_with_named_parts(name: str) -> None:
    transform = OWN[name]()
    once, again = (transform(image=IMAGE, key=KEY)["image"] for _ in range(2))
    assert (once == again).all()
    with pytest.raises(TypeError, match="key must be a SampleKey, got None"):
        transform(image=IMAGE)


def test_the_share_that_fires_and_the_arguments_of_both_versions() -> None:
    augment = A.Compose([Lighter(p=0.3)])
    fired = sum((augment(image=IMAGE, key=key)["image"] != IMAGE).any() for key in keys(300))
    assert fired / 300 == pytest.approx(0.3, abs=0.09)
    assert (Lighter(50, True).p, Lighter(50, False, 0.2).p, Fixed(0.7).p) == (1.0, 0.2, 0.7)
    assert repr(Lighter(7, p=0.25)) == "Lighter(most=7, p=0.25)"
    assert isinstance(Fixed(), A.ImageOnlyTransform)
    assert not isinstance(Fixed(), A.DualTransform)
    assert not isinstance(A.HorizontalFlip(), Fixed)
    for one in (A.Compose([]), Either([A.Blur()]), A.OneOf([A.Blur()])):
        assert isinstance(one, A.BaseCompose)


def test_boxes_masks_and_keypoints_follow_a_crop_of_the_users_own() -> None:
    augment = A.Compose(
        [A.HorizontalFlip(p=0.5), Cut(p=1), A.VerticalFlip(p=0.5)],
        bbox_params=A.BboxParams("pascal_voc", ["names"]),
        keypoint_params=A.KeypointParams("xyas", ["points"]),
        additional_targets={"again": "image", "other": "mask"},
    )
    mask = np.zeros(IMAGE.shape[:2], np.uint8)
    mask[20:40, 30:50] = 1
    parts = {
        "image": IMAGE,
        "again": IMAGE.copy(),
        "mask": mask,
        "other": mask.astype(np.int32),
        "bboxes": [(30, 20, 50, 40), (0, 0, 10, 8)],
        "names": ["thing", "corner"],
        "keypoints": [(35, 30, 10, 2), (0, 0, 0, 1)],
        "points": ["inside", "corner"],
    }
    lost = 0
    for key in keys(60):
        made = augment(**parts, key=key)
        assert made["image"].shape == (32, 48, 3)
        assert (made["image"] == made["again"]).all()
        assert (made["mask"] == made["other"]).all()
        found = np.argwhere(made["mask"])
        if "thing" in made["names"]:
            box = made["bboxes"][made["names"].index("thing")]
            wanted = [found[:, 1].min(), found[:, 0].min(), found[:, 1].max() + 1, found[:, 0].max() + 1]
            assert np.abs(np.array(box) - wanted).max() < 1e-9
        lost += "corner" not in made["names"]
        for (x, y, _, scale), name in zip(made["keypoints"], made["points"], strict=True):
            assert 0 <= x < 48
            assert 0 <= y < 32
            assert scale == pytest.approx({"inside": 2, "corner": 1}[name])
    assert 30 < lost < 60


def test_boxes_and_keypoints_one_by_one_are_those_of_our_flip() -> None:
    parts = {"bboxes": [(1, 2, 30, 40, "a"), (50, 5, 79, 9, "b")], "keypoints": [(3.5, 7), (60, 0)]}
    makers = [
        A.Compose([one], A.BboxParams("coco"), A.KeypointParams("xy"))
        for one in (Mirror(p=1), A.HorizontalFlip(p=1))
    ]
    parts["bboxes"] = [(1, 2, 29, 38, "a"), (50, 5, 29, 4, "b")]
    mine, ours = (augment(image=IMAGE, mask=MASK, **parts, key=KEY) for augment in makers)
    assert (mine["image"] == ours["image"]).all()
    assert (mine["mask"] == ours["mask"]).all()
    for one, other in zip(
        mine["bboxes"] + mine["keypoints"], ours["bboxes"] + ours["keypoints"], strict=True
    ):
        assert one[:4][-1] == pytest.approx(other[:4][-1])
        assert np.allclose(one[:2], other[:2])
    assert [row[4] for row in mine["bboxes"]] == ["a", "b"]


def test_they_may_look_at_other_arguments_of_the_call() -> None:
    class Blend(A.ImageOnlyTransform):
        @property
        def targets_as_params(self) -> list[str]:
            return ["image", "texture"]

        def get_params_dependent_on_targets(self, params: dict[str, Any]) -> dict[str, Any]:
            return {"texture": params["texture"], "share": random.choice([2, 4])}

        def apply(self, img: Any, texture: Any = None, share: int = 2, **params: Any) -> Any:
            return img // 2 + texture // np.uint8(share)

    augment = A.Compose([Blend(p=1)])
    made = augment(image=IMAGE, texture=IMAGE[::-1].copy(), label="cat", key=KEY)
    wanted = [IMAGE // 2 + IMAGE[::-1] // np.uint8(share) for share in (2, 4)]
    assert any((made["image"] == one).all() for one in wanted)
    assert (made["texture"] == IMAGE[::-1]).all()
    assert made["label"] == "cat"
    with pytest.raises(ValueError, match=r"Blend draws by \['texture'\]"):
        augment(image=IMAGE, key=KEY)


def test_a_container_keeps_boxes_with_its_transforms() -> None:
    augment = A.Compose(
        [Either([A.HorizontalFlip(p=1), A.VerticalFlip(p=1)])],
        bbox_params=A.BboxParams("pascal_voc", ["names"]),
    )
    seen = set()
    for key in keys(20):
        made = augment(image=IMAGE, bboxes=[(0, 0, 10, 5)], names=["a"], key=key)
        assert made["names"] == ["a"]
        seen.add(tuple(round(x) for x in made["bboxes"][0]))
    assert seen <= {(70, 0, 80, 5), (0, 55, 10, 60)}


class Shrinking(Cut):
    def apply_to_bboxes(self, bboxes: Any, **params: Any) -> Any:
        return bboxes[:, :4]


class Losing(Cut):
    def apply_to_keypoints(self, keypoints: Any, **params: Any) -> Any:
        return keypoints[:1]


def test_keypoints_may_be_left_out_where_invisible_ones_are() -> None:
    augment = A.Compose(
        [Losing(p=1), A.PadIfNeeded(90, 90)], keypoint_params=A.KeypointParams("xy", label_fields=["names"])
    )
    made = augment(image=IMAGE, keypoints=[(30, 30), (40, 30)], names=["a", "b"], key=KEY)
    assert made["names"] == ["a"]
    assert len(made["keypoints"]) == 1


class Silent(A.ImageOnlyTransform):
    def __call__(self, **parts: Any) -> Any:
        return parts["image"]


class Unfinished(A.DualTransform):
    def apply(self, img: Any, **params: Any) -> Any:
        return img


@pytest.mark.parametrize(
    ("transform", "message"),
    [
        (lambda: Shrinking(p=1), "Shrinking must return bboxes of 5 columns, as it gets them"),
        (lambda: Losing(p=1), "Losing left out keypoints, which remove_invisible=False keeps"),
        (lambda: Silent(p=1), "Silent must return a dict"),
        (lambda: Unfinished(p=1), "Unfinished has no apply_to_bboxes"),
        (lambda: A.DualTransform(p=1), "DualTransform has no apply"),
        (lambda: A.BaseCompose([A.Blur()]), "BaseCompose has no __call__"),
    ],
    ids=map(str, range(6)),
)
def test_what_is_wrong_with_a_class_is_said(transform: Any, message: str) -> None:
    augment = A.Compose([transform()], A.BboxParams("coco"), A.KeypointParams("xy", remove_invisible=False))
    with pytest.raises((ValueError, TypeError, NotImplementedError), match=message):
        augment(image=IMAGE, bboxes=[(0, 0, 70, 50)], keypoints=[(30, 30), (40, 30)], key=KEY)


def test_a_series_of_images_is_changed_alike() -> None:
    augment = A.Compose([A.RandomCrop(32, 32), A.RandomBrightnessContrast(p=1)])
    for images in (np.stack([IMAGE, IMAGE[::-1]]), [IMAGE, IMAGE[::-1].copy()]):
        made = augment(image=IMAGE, images=images, key=KEY)
        assert (made["images"][0] == made["image"]).all()
        assert (made["images"][1] != made["image"]).any()
        assert isinstance(made["images"], type(images))
        alone = augment(images=images, masks=[MASK, MASK], key=KEY)
        assert "image" not in alone
        assert (np.stack(alone["images"]) == np.stack(made["images"])).all()
        assert len(alone["masks"]) == 2
    assert A.Compose([A.ToTensorV2()])(images=np.stack([IMAGE] * 3), key=KEY)["images"].shape == (
        3,
        3,
        60,
        80,
    )
    mixed = A.Compose([Lighter(p=1), A.HorizontalFlip()])(image=IMAGE, images=[IMAGE], key=KEY)
    assert (mixed["images"][0] == mixed["image"]).all()
    with pytest.raises(ValueError, match="images must have one height and width"):
        augment(image=IMAGE, images=[IMAGE[:40]], key=KEY)


@pytest.mark.parametrize("name", ["volume", "volumes", "mask3d", "masks3d"])
def test_volumes_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}= holds volumes, which are not supported"):
        A.Compose([A.HorizontalFlip()])(image=IMAGE, **{name: np.zeros((4, 60, 80))}, key=KEY)
    assert A.Compose([])(image=IMAGE, **{name: None}, key=KEY)[name] is None


def test_one_that_keeps_the_shape_can_be_replayed_before_what_draws_by_it() -> None:
    class Kept(Fixed):
        returns = "same"

    for make in (lambda: Kept(p=0.5), lambda: Kept(p=1)):
        augment = A.ReplayCompose([make(), A.RandomCrop(32, 32)])
        for key in keys(6):
            made = augment(image=IMAGE, key=key)
            again = A.ReplayCompose.replay(made["replay"], image=IMAGE)
            assert (made["image"] == again["image"]).all()
    with pytest.raises(ValueError, match='returns="same"'):
        A.ReplayCompose([Fixed(p=1), A.RandomCrop(32, 32)])(image=IMAGE, key=KEY)
    with pytest.raises(TypeError, match=r"Lighter\(most=50, p=1.0\) is code, which plain data cannot hold"):
        A.to_dict(A.Compose([Lighter(p=1.0)]))


@pytest.mark.parametrize("kind", [Fixed, Cut])
def test_own_draws_alone_give_the_same_and_others_are_found(kind: Any) -> None:
    declared = type(kind.__name__, (kind,), {"own_draws": True})  # a stream has the class's name

    class Lying(Lighter):
        own_draws = True

    pipelines = [A.Compose([make(p=0.5), A.HorizontalFlip()]) for make in (kind, declared)]
    state = random.getstate()
    for key in keys(40):
        one, other = (augment(image=IMAGE, key=key)["image"] for augment in pipelines)
        assert (one == other).all()
    assert random.getstate() == state
    with pytest.raises(ss.NotReproducible, match="gave two results for one key"):
        [A.Compose([Lying(p=1)])(image=IMAGE, key=key) for key in keys(8)]
