"""convert, without torchvision: what the code of an object does by itself, at times, and with several images."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest
import torch
from PIL import ImageFilter, ImageOps
from test_convert import Drawing, Wrapper, darker, flip, known

import seedsafe as ss
from seedsafe_torch import convert
from seedsafe_torch.conversion.tracing import chains_of


class AtTimes(Wrapper):
    p: Any = 0.25

    def __call__(self, image: Any) -> Any:
        if random.random() < self.p:
            return self.first(image)
        return image


class Unless(AtTimes):
    def forward(self, image: Any) -> Any:
        leave = np.random.random_sample() > self.p
        return image if leave else self.first(image)

    def __call__(self, image: Any) -> Any:
        return self.all[1](self.forward(image))


class OneOrOther(AtTimes):
    def __call__(self, image: Any) -> Any:
        image = self.first(image)
        if torch.rand(1).item() >= 1 - self.p:
            image = self.all[1](image)
        elif random.uniform(2, 4) < 3:
            image = self.first(image)
        return self.all[1](image)


class Smoothing(AtTimes):
    def __call__(self, image: Any) -> Any:
        if not random.random() <= self.p:
            return image
        return image.filter(ImageFilter.GaussianBlur(radius=random.uniform(0.1, self.count)))


class Solarizing(AtTimes):
    def __call__(self, image: Any) -> Any:
        return ImageOps.solarize(image, 100) if np.random.rand(1) < self.p else image


class IfPicture(Wrapper):
    def __call__(self, image: Any) -> Any:
        if isinstance(image, torch.Tensor):
            return image
        return self.first(image.convert("RGB"))


class Twice(AtTimes):
    """One number decides two things."""

    def __call__(self, image: Any) -> Any:
        value = random.random()
        image = self.first(image) if value < self.p else image
        return self.all[1](image) if value < 0.5 else image


class Correlated(AtTimes):
    """One number decides whether, and how much."""

    def __call__(self, image: Any) -> Any:
        radius = random.uniform(0, 2)
        return image.filter(ImageFilter.GaussianBlur(radius)) if radius > 1 else image


class Recolouring(Wrapper):
    def __call__(self, image: Any) -> Any:
        return self.first(image.convert("L"))


class TwoAtTimes(AtTimes):
    def __call__(self, image: Any) -> Any:
        return [self.first(image), self.first(image) if random.random() < self.p else self.all[1](image)]


@pytest.mark.parametrize(
    ("wrapper", "wanted"),
    [
        (AtTimes(flip(0.1)), ["RandomApply(transforms=(HorizontalFlip(p=0.1),), p=0.25)"]),
        (
            Unless(flip(0.1), flip(0.2)),
            ["RandomApply(transforms=(HorizontalFlip(p=0.1),), p=0.25)", "HorizontalFlip(p=0.2)"],
        ),
        (
            OneOrOther(flip(0.1), flip(0.2)),
            [
                "HorizontalFlip(p=0.1)",
                (
                    "Choice(transforms=(Compose([RandomApply(transforms=(HorizontalFlip(p=0.1),))]), "
                    "Compose([HorizontalFlip(p=0.2)])), weights=(0.75, 0.25))"
                ),
                "HorizontalFlip(p=0.2)",
            ],
        ),
        (Smoothing(abs), ["RandomApply(transforms=(PillowBlur(radius=(0.1, 2.0)),), p=0.25)"]),
        (
            Solarizing(abs),
            [
                "RandomApply(transforms=(Solarize(p=1.0, threshold=(0.39215686274509803, 0.39215686274509803)),), p=0.25)"
            ],
        ),
        (IfPicture(flip(0.1)), ["ThreeChannels()", "HorizontalFlip(p=0.1)"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_happens_at_times_keeps_its_probability(wrapper: Any, wanted: list[str]) -> None:
    pipeline = convert(wrapper)
    assert not pipeline.report.bridged
    assert list(map(repr, pipeline.transforms)) == wanted


@pytest.mark.parametrize("kind", [Drawing, Twice, Correlated, Recolouring, TwoAtTimes])
def test_what_is_drawn_otherwise_is_bridged(kind: Any) -> None:
    wrapper = kind(flip(0.1), flip(0.2))
    assert chains_of(wrapper) is None
    assert [line.why.split(",")[0] for line in convert(wrapper).report.lines] == ["is your own"]


class Handling(Wrapper):
    def __call__(self, image: Any) -> Any:
        try:
            return self.first(image.resize((2, 2)))
        except:  # noqa: E722  # as it is written
            return self.all[1](image)


class Naming(Wrapper):
    def __call__(self, image: Any) -> Any:
        return self.first(image) if "PIL" in f"{image}" else self.all[1](image)


class OfItsClass(Wrapper):
    def __call__(self, image: Any) -> Any:
        return self.first(image) if image.__class__.__name__ == "Image" else self.all[1](image)


class Comparing(Wrapper):
    def __call__(self, image: Any) -> Any:
        flipped = self.first(image)
        return self.all[1](image) if flipped is image else flipped


class Advancing(AtTimes):
    def set_epoch(self, epoch: int) -> None:
        self.p = epoch / 10


class WithProperty(AtTimes):
    @property
    def strength(self) -> Any:
        return self.p

    @strength.setter
    def strength(self, value: Any) -> None:
        self.p = value


class Disguised(AtTimes):
    def __getattribute__(self, name: str) -> Any:
        return super().__getattribute__("all")[1] if name == "first" else super().__getattribute__(name)


@pytest.mark.parametrize(
    "kind", [Handling, Naming, OfItsClass, Comparing, Advancing, WithProperty, Disguised]
)
def test_code_that_would_do_otherwise_without_an_image_is_bridged(kind: Any) -> None:
    (line,) = convert(kind(flip(0.5), flip(0.25))).report.lines
    assert (line.theirs, line.why.split(",")[0]) == (kind.__name__, "is your own")


class Module(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = flip(1.0)

    def forward(self, image: Any) -> Any:
        return self.first(image)


class Around(Module):
    def __call__(self, image: Any) -> Any:
        return super().__call__(image).rotate(90)


def test_a_module_whose_call_is_more_than_its_forward_is_bridged() -> None:
    assert not convert(Module()).report.bridged
    replaced = Module()
    replaced.forward = darker  # type: ignore[method-assign]
    for module in (Around(), replaced):
        assert len(convert(module).report.bridged) == 1


class Assembled(Wrapper):
    def __init__(self, *transforms: Any) -> None:
        super().__init__(*transforms)
        self.build()
        self._count(2)

    def build(self) -> None:
        self.second = self.all[1]

    def _count(self, number: int) -> None:
        self.number = number

    def __call__(self, image: Any) -> Any:
        return [self.second(self.first(image)) for _ in range(self.number)]


def test_attributes_that_methods_set_while_it_is_made_are_followed() -> None:
    views = convert(Assembled(flip(0.5), flip(0.25)))
    assert [len(one.transforms) for one in views.pipelines] == [2, 2]


def test_functions_that_count_their_calls_are_no_views() -> None:
    number = 0
    first, second = flip(0.0), flip(1.0)

    def views(image: Any) -> Any:
        nonlocal number
        number += 1
        return [first(image), second(image)] if number % 2 else [second(image), first(image)]

    assert chains_of(views) is None


def test_code_for_pictures_is_bridged_behind_a_tensor() -> None:
    lines = convert(
        [known("ToTensor"), IfPicture(flip(0.1)), known("Normalize", mean=[0.5], std=[0.5])]
    ).report.lines
    assert [line.why.split(",")[0] for line in lines] == ["", "is your own", ""]


def test_what_happens_at_times_is_bridged_if_nothing_in_it_is_known() -> None:
    wrapper = AtTimes(darker)
    (line,) = convert(wrapper).report.lines
    assert (line.theirs, line.why.split(",")[0]) == ("AtTimes", "is your own")
    pipeline = convert([wrapper])
    image = np.full((2, 2, 3), 200, np.uint8)
    results = [int(pipeline(image, key=ss.SampleKey(1, 0, index))[0, 0, 0]) for index in range(1000)]
    assert set(results) == {100, 200}
    assert abs(results.count(100) / 1000 - 0.25) < 0.06


class Shared(Wrapper):
    """Both views begin with one call."""

    def __call__(self, image: Any) -> Any:
        image = self.first(image)
        return [self.all[1](image), image]


class InDict(Wrapper):
    def __call__(self, image: Any) -> Any:
        one, other = self.first(image), self.all[1](image)
        return {"all": [one, (other, one)], "none": ()}


def test_views_that_share_a_draw_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"Shared makes 2 views of an image, and a pipeline makes one.*bridge=True"
    ):
        convert(Shared(flip(0.5), flip(0.1)))
    views = convert(Shared(known("CenterCrop", size=(2, 2)), flip(0.1)))
    assert [len(one.transforms) for one in views.pipelines] == [2, 1]


class WithTarget(Wrapper):
    """As the presets for segmentation and detection of torchvision's references."""

    def __call__(self, image: Any, target: Any) -> Any:
        return self.first(image), target


def test_transforms_of_an_image_and_its_target_are_refused_with_the_way_out() -> None:
    for transform in (WithTarget(darker), [darker, WithTarget(darker)]):
        with pytest.raises(
            ValueError, match=r"WithTarget, at .*, takes image, target, and .* targets=.*bridge=True"
        ):
            convert(transform)


def test_views_come_in_the_form_in_which_they_came() -> None:
    views = convert(InDict(flip(0.0), flip(1.0)))
    image = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    made = views(image, key=ss.SampleKey(1, 0, 0))
    one, (other, again) = made["all"]
    assert made["none"] == ()
    assert one is again
    np.testing.assert_array_equal(one, image)
    np.testing.assert_array_equal(other, image[:, ::-1])
    copied = pickle.loads(pickle.dumps(views))
    assert copied(image, key=ss.SampleKey(1, 0, 0)).keys() == made.keys()
    replayed = views.replay(image, views.params(ss.SampleKey(1, 0, 0), image))
    np.testing.assert_array_equal(replayed["all"][1][0], other)
