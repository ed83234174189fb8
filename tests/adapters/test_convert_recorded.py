"""convert, without torchvision: what an object does with its transforms is recorded, and bridged if it does anything else."""

from __future__ import annotations

import copy
import cProfile
import datetime
import gc
import itertools
import operator
import os
import pickle
import random
import secrets
import sys
import time
import uuid
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image, ImageOps
from test_convert import (
    Extended,
    InTurn,
    Passing,
    TwoCrops,
    Wrapper,
    calling,
    closed_over,
    darker,
    drawn,
    flip,
    known,
    to_tensor,
)

import seedsafe as ss
from seedsafe_torch import convert
from seedsafe_torch.conversion.recorder import Several, chains_of


def choosing(name: str, first: Callable[..., Any]) -> Any:
    """Return a class whose objects call their first transform where a function says so, and else their second."""
    return calling(name, lambda self, image: (self.first if first(self, image) else self.all[1])(image))


class AtTimes(Wrapper):
    p: Any = 0.25

    def __call__(self, image: Any) -> Any:
        if random.random() < self.p:
            return self.first(image)
        return image


class OneOrOther(AtTimes):
    def __call__(self, image: Any) -> Any:
        image = self.first(image)
        if torch.rand(1).item() >= 1 - self.p:
            image = self.all[1](image)
        elif random.uniform(2, 4) < 3:
            image = self.first(image)
        return self.all[1](image)


IfPicture = calling(
    "IfPicture",
    lambda self, image: image if isinstance(image, torch.Tensor) else self.first(image.convert("RGB")),
)


def of_bridge(wrapper: Any) -> ss.Compose:
    """Return a pipeline of one bridge, by hand."""

    def call(array: Any) -> Any:
        return np.array(wrapper(Image.fromarray(array)))

    call.__name__ = type(wrapper).__name__
    return ss.Compose([ss.bridge(call, call="array")])


@pytest.mark.parametrize("kind", [AtTimes, OneOrOther, IfPicture])
def test_code_that_draws_or_looks_itself_is_bridged_as_a_whole(kind: Any) -> None:
    wrapper = kind(ImageOps.mirror, darker)
    pipeline = convert(wrapper)
    assert [line.why.split(",")[0] for line in pipeline.report.lines] == ["is your own"]
    image = np.random.default_rng(0).integers(0, 256, (4, 6, 3), np.uint8)
    bridged, seen = of_bridge(wrapper), set()
    for key in (ss.SampleKey(42, 0, index) for index in range(100)):
        made = pipeline(image, key=key)
        assert made.tobytes() == bridged(image, key=key).tobytes()
        seen.add(made.tobytes())
    assert (len(seen) > 1) == (kind is not IfPicture)


class Handling(Wrapper):
    def __call__(self, image: Any) -> Any:
        try:
            return self.first(image.resize((2, 2)))
        except:  # noqa: E722  # as it is written
            return self.all[1](image)


@pytest.mark.parametrize(
    "kind",
    [
        Handling,
        choosing("Naming", lambda self, image: "PIL" in f"{image}"),
        choosing("OfItsClass", lambda self, image: image.__class__.__name__ == "Image"),
        choosing("Comparing", lambda self, image: self.first(image) is not image),
        calling("Recolouring", lambda self, image: self.first(image.convert("L"))),
    ],
)
def test_code_that_would_do_otherwise_without_an_image_is_bridged(kind: Any) -> None:
    (line,) = convert(kind(flip(0.5), flip(0.25))).report.lines
    assert (line.theirs, line.why.split(",")[0]) == (kind.__name__, "is your own")


class Disguised(Passing):
    def __getattribute__(self, name: str) -> Any:
        return super().__getattribute__("all")[1] if name == "first" else super().__getattribute__(name)


def test_attributes_that_an_object_hands_out_itself_are_followed() -> None:
    chain = chains_of(Disguised(flip(0.5), flip(0.25)))
    assert chain is not None
    assert [stored.path for stored in chain] == ["all[1]"]


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


WithTarget = calling("WithTarget", lambda self, image, target: (self.first(image), target))
"""As the presets for segmentation and detection of torchvision's references."""


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


SHARED = np.random.default_rng(0)
SEEN: list[Any] = []
CALLS = 0
OF_MODULE = ModuleType("elsewhere")
OF_MODULE.DRAWING = np.random.default_rng(0)  # type: ignore[attr-defined]

DRAWS: dict[str, Callable[[Any], float]] = {
    "random": lambda it: random.random(),
    "numpy": lambda it: np.random.random_sample(),
    "torch": lambda it: torch.rand(1).item(),
    "a Random held": lambda it: it.python.random(),
    "a Generator held": lambda it: it.numpy.random(),
    "a RandomState held": lambda it: it.legacy.random_sample(),
    "a torch Generator held": lambda it: torch.rand(1, generator=it.torch).item(),
    "a Generator of the module": lambda it: SHARED.random(),
    "a Generator of another module": lambda it: OF_MODULE.DRAWING.random(),
    "a method held": lambda it: it.drawing(),
    "a generator made anew": lambda it: np.random.default_rng().random(),
    "SystemRandom": lambda it: random.SystemRandom().random(),
    "os.urandom": lambda it: os.urandom(1)[0] / 256,
    "secrets": lambda it: secrets.randbelow(1000) / 1000,
    "uuid": lambda it: uuid.uuid4().int / 2**128,
    "the clock": lambda it: time.time_ns() % 1000 / 1000,
    "the date": lambda it: datetime.datetime.now().microsecond / 1e6,
}


class Holding(Wrapper):
    """It holds generators of each library."""

    def __init__(self, *transforms: Any, p: float = 0.5) -> None:
        super().__init__(*transforms)
        self.p = p
        self.python, self.numpy = random.Random(1), np.random.default_rng(1)
        self.legacy, self.torch = np.random.RandomState(1), torch.Generator().manual_seed(1)
        self.drawing = self.numpy.random


class Rarely(Holding):
    def __call__(self, image: Any) -> Any:
        return self.first(image) if self.draw() < self.p else self.all[1](image)


class RarelyInViews(Holding):
    def __call__(self, image: Any) -> Any:
        return [self.first(image), self.first(image) if self.draw() < self.p else self.all[1](image)]


def states(holding: Any) -> list[Any]:
    """Return the states of all generators."""
    return [
        *(random.getstate(), repr(np.random.get_state()), torch.get_rng_state().tolist()),
        *(holding.python.getstate(), repr(holding.numpy.bit_generator.state)),
        *(repr(holding.legacy.get_state()), holding.torch.get_state().tolist()),
        *(repr(SHARED.bit_generator.state), repr(OF_MODULE.DRAWING.bit_generator.state)),
    ]


@pytest.mark.parametrize("p", [0.5, 0.1, 0.02, 0.001])
@pytest.mark.parametrize("source", DRAWS)
def test_a_branch_is_never_lost_however_seldom_it_is_taken(source: str, p: float) -> None:
    for kind in (Rarely, RarelyInViews):
        drawing: Any = type(kind.__name__, (kind,), {"draw": DRAWS[source]})
        wrapper = drawing(flip(0.5), darker, p=p)
        before = states(wrapper)
        assert chains_of(wrapper) is None
        assert states(wrapper) == before
        assert [line.why.split(",")[0] for line in convert(wrapper).report.lines] == ["is your own"]


@pytest.mark.parametrize(
    "seed",
    [random.seed, np.random.seed, torch.manual_seed, lambda n: setattr(SHARED.bit_generator, "state", n)],
    ids=["random", "numpy", "torch", "of the module"],
)
def test_code_that_sets_a_generator_is_bridged_also_if_it_is_set_so_already(seed: Any) -> None:
    value = SHARED.bit_generator.state if seed.__name__ == "<lambda>" else 3
    seed(value)

    class Seeding(Wrapper):
        def __call__(self, image: Any) -> Any:
            seed(value)
            return self.first(image)

    assert chains_of(Seeding(flip(0.5))) is None
    assert isinstance(chains_of(InTurn(flip(0.5))), tuple)


class AskingTypeThen(Wrapper):
    def __call__(self, image: Any) -> Any:
        image = self.first(image)
        return self.all[1](image) if type(image) is torch.Tensor else image


class ComparingViews(Wrapper):
    def __call__(self, image: Any) -> Any:
        flipped = self.first(image)
        other = self.all[1](flipped)
        return [flipped, flipped if flipped is image else other]


class ComparingNext(Wrapper):
    def __call__(self, image: Any) -> Any:
        flipped = self.first(image)
        return self.first(flipped) if flipped is image else self.all[1](flipped)


class ComparingForm(Wrapper):
    def __call__(self, image: Any) -> Any:
        flipped = self.first(image)
        return {"same": [flipped]} if flipped is image else {"other": [flipped]}


class ComparingBoth(Wrapper):
    """It asks whether one of two did nothing."""

    def __call__(self, image: Any) -> Any:
        flipped = self.first(image)
        other = self.all[1](flipped)
        return self.first(image if (flipped is image) != (other is flipped) else other)


class Measuring(Wrapper):
    def __call__(self, image: Any) -> Any:
        try:
            return self.first(image) if len(image) else image
        except:  # noqa: E722  # as it is written
            return self.first(image)


class Curriculum(Wrapper):
    stage = 0

    def set_epoch(self, epoch: int) -> None:
        self.stage = epoch

    def __call__(self, image: Any) -> Any:
        return self.all[self.stage](image)


class CurriculumByName(Curriculum):
    def set_epoch(self, epoch: int) -> None:
        setattr(self, "stage", epoch)  # noqa: B010  # as it is written


class CurriculumFromTheFirst(Curriculum):
    def __init__(self, *transforms: Any) -> None:
        super().__init__(*transforms)
        self.set_epoch(0)


class CurriculumByProperty(Wrapper):
    _stage = 0

    def _set(self, value: int) -> None:
        self._stage = value

    stage = property(lambda self: self._stage, _set)
    del _set

    def __call__(self, image: Any) -> Any:
        return self.all[self.stage](image)


class CountingCalls(Wrapper):
    def __call__(self, image: Any) -> Any:
        global CALLS  # as it is written
        CALLS += 1
        return self.first(image) if CALLS % 1000 else image


class Seen(Wrapper):
    seen = SEEN


class Turning(Wrapper):
    def __init__(self, *transforms: Any) -> None:
        super().__init__(*transforms)
        self.turn = itertools.cycle(self.all)

    def __call__(self, image: Any) -> Any:
        return next(self.turn)(image)


@pytest.mark.parametrize(
    "kind",
    [
        choosing("AskingType", lambda self, image: type(image) is Image.Image),
        choosing("AskingTensor", lambda self, image: type(image) is torch.Tensor),
        choosing("AskingNumber", lambda self, image: id(image) % 2**20),
        *(AskingTypeThen, Measuring),
        *(ComparingViews, ComparingNext, ComparingForm, ComparingBoth),
        *(Curriculum, CurriculumByName, CurriculumFromTheFirst, CurriculumByProperty),
        calling("Logging", lambda self, image: (SEEN.append(image), self.first(image))[1]),
        calling(
            "LoggingInItsClass", lambda self, image: (self.seen.append(image), self.first(image))[1], Seen
        ),
        calling(
            "InPlace",
            lambda self, image: (operator.setitem(SEEN, slice(None), [image]), self.first(image))[1],
        ),
        *(CountingCalls, Turning),
    ],
)
def test_code_that_follows_anything_but_its_transforms_is_bridged_and_left_as_it_was(kind: Any) -> None:
    wrapper = kind(*((to_tensor, darker) if kind is AskingTypeThen else (copy.copy, np.asarray)))
    before = dict(vars(wrapper))
    assert chains_of(wrapper) is None
    assert vars(wrapper) == before
    assert (SEEN, CALLS) == ([], 0)
    assert not isinstance(wrapper, Turning) or next(wrapper.turn) is copy.copy


class Stepping:
    """A transform that counts its calls."""

    calls = 0

    def __call__(self, image: Any) -> Any:
        self.calls += 1
        return image.copy().convert("RGB").rotate(90 * self.calls)


def test_transforms_that_count_their_calls_do_not_count_the_recordings() -> None:
    stepping = Stepping()
    assert isinstance(convert(TwoCrops(stepping)), ss.Views)
    assert stepping.calls == 0


class OfClass(Wrapper):
    turn = Stepping()


def test_transforms_of_the_class_are_recorded_too() -> None:
    chain = chains_of(calling("Turned", lambda self, image: self.turn(self.first(image)), OfClass)(darker))
    assert chain is not None
    assert [stored.path for stored in chain] == ["first", "turn"]


def test_a_transform_may_return_several_images_of_one() -> None:
    chain = chains_of(InTurn(darker, lambda image: (image, image)))
    assert chain is not None
    assert [stored.path for stored in chain] == ["all[0]", "all[1]"]


def test_generators_are_as_they_were() -> None:
    wrapper = Holding(lambda image: drawn(image) if random.random() + np.random.rand() else image)
    before = states(wrapper)
    assert isinstance(chains_of(TwoCrops(wrapper.first)), Several)
    assert states(wrapper) == before


def test_views_that_share_a_draw_inside_another_are_refused() -> None:
    with pytest.raises(ValueError, match="Extended makes 2 views of an image"):
        convert(Extended(Shared(flip(0.5), flip(0.1))))


def test_transforms_that_need_a_large_image_are_recorded() -> None:
    def window(image: Any) -> Any:
        assert min(image.size) >= 1000
        return image.crop((0, 0, 8, 8))

    assert isinstance(chains_of(TwoCrops(window)), Several)


def test_what_no_image_goes_through_is_bridged() -> None:
    def fails(image: Any) -> Any:
        raise ValueError("not so")

    assert chains_of(TwoCrops(fails)) is None


def test_nothing_else_that_happens_in_the_call_counts() -> None:
    """A profiler goes on, and what the collector of garbage calls is not the code's."""
    profile, freed = cProfile.Profile(), []

    def recorded_then_darker() -> Any:
        found = chains_of(TwoCrops(flip(0.5)))
        darker(Image.new("RGB", (2, 2)))
        return found

    class Cycle:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            freed.append(time.time())

    threshold = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(20):
            Cycle()
            assert isinstance(profile.runcall(recorded_then_darker), Several)
    finally:
        gc.set_threshold(*threshold)
    assert freed
    assert any(getattr(entry.code, "co_name", "") == "darker" for entry in profile.getstats())
    assert sys.getprofile() is None


def test_views_of_functions_of_ones_own_are_bridged_each() -> None:
    converted = convert(closed_over(darker, ImageOps.invert))
    assert isinstance(converted, ss.Views)
    assert [len(one.report.bridged) for one in converted.pipelines] == [1, 2]
    image = np.full((2, 2, 3), 200, np.uint8)
    views = converted(image, key=ss.SampleKey(1, 0, 0))
    assert [int(one[0, 0, 0]) for one in views] == [100, 155]
