"""Each public transform has one case, which all tests over the transforms read, and no more."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from cases import CASES, FAMILIES, PUBLIC, TRANSFORMS, Case, goldens

import seedsafe as ss
import seedsafe_albumentations as A  # noqa: N812  # as its users do

BASES = {ss.Transform, ss.ImageTransform, ss.SpatialTransform, ss.VideoTransform, ss.AudioTransform}


def public() -> list[str]:
    """Return the names of all transforms that users can import."""
    kinds = {name: getattr(ss, name) for name in ss.__all__ if inspect.isclass(getattr(ss, name))}
    return sorted(
        name for name, kind in kinds.items() if issubclass(kind, ss.Transform) and kind not in BASES
    )


def test_every_transform_has_one_case() -> None:
    assert public() == PUBLIC, "write its case in tests/cases/<family>.py"
    assert all(getattr(ss, name) is case.kind for name, case in CASES.items())
    assert len(CASES) == sum(len(family.CASES) for family in FAMILIES)


def test_a_transform_without_a_case_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ss, "Mirror", type("Mirror", (ss.HorizontalFlip,), {}), raising=False)
    monkeypatch.setattr(ss, "__all__", [*ss.__all__, "Mirror"])
    assert set(public()) - set(PUBLIC) == {"Mirror"}


def transforms_of(case: Case) -> list[Any]:
    """Return the transforms of a case that must be of its class."""
    drawn = [] if isinstance(case.drawn, str) else [one.transform for one in case.drawn]
    return [
        *case.also.values(),
        *(case.tried or ()),
        *case.of_audio,
        *(one.transform for one in case.moves),
        *drawn,
    ]


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
def test_a_case_is_of_its_own_class(case: Case) -> None:
    assert {type(one) for one in transforms_of(case)} <= {case.kind}
    assert set(case.memory) <= {"", *case.also}
    assert case.needs in (None, "boxes", "mask", "dataset")
    assert case.golden or case.name in ("Bridged", "ToCHW", "ToFloat")  # these two stand in Normalize's


def test_two_golden_pipelines_never_have_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    family = FAMILIES[0]
    monkeypatch.setattr(family, "CASES", [*family.CASES, family.CASES[0]])
    with pytest.raises(ValueError, match="two golden pipelines are called 'RandomCrop'"):
        goldens()


SIZE = {"height": 9, "width": 9}
ARGUMENTS: dict[str, dict[str, Any]] = {
    **dict.fromkeys(
        ("CenterCrop", "CropNonEmptyMaskIfExists", "RandomCrop", "RandomResizedCrop", "Resize"), SIZE
    ),
    **{name: {"px": 3} for name in ("CropAndPad", "IAACropAndPad")},
    "RandomSizedBBoxSafeCrop": SIZE,
    "RandomSizedCrop": SIZE | {"min_max_height": (5, 9)},
}
"""What albumentations' names cannot be called without."""

NEED_MORE = {
    *("BaseCompose", "BboxParams", "KeypointParams", "from_dict", "load", "save", "to_dict"),
    *("Compose", "OneOf", "OneOrOther", "RandomOrder", "ReplayCompose", "Sequential", "SomeOf"),
}
"""What is no transform, and cannot be called without arguments."""


ALONE = [case for case in TRANSFORMS.values() if not case.holds]


def core_of(name: str) -> str | None:
    """Return which transform a name of albumentations' makes; None for what holds some, or is written for its rules alone."""
    kinds = type(getattr(A, name)(**ARGUMENTS.get(name, {}))).__mro__
    return next((case.name for kind in kinds for case in ALONE if case.kind is kind), None)


def test_albumentations_names_are_those_of_the_cases() -> None:
    found: dict[str, list[str]] = {}
    for name in sorted(set(A.__all__) - NEED_MORE):
        if callable(getattr(A, name)) and (core := core_of(name)):  # modules have names too
            found.setdefault(core, []).append(name)
    assert found == {case.name: sorted(case.called) for case in CASES.values() if case.called}
