"""Transforms that hold others."""

from __future__ import annotations

import seedsafe as ss
from cases.case import Case, Golden

__all__ = ["CASES", "TITLE"]

TITLE = None
SHAPE = (37, 53, 3)
MEMBERS = [ss.RandomCrop(9), ss.RandomCrop(11), ss.RandomCrop(13)]
CASES = [
    Case(
        ss.Bridged,
        drawn="draws with somebody's own generator",
        holds=True,
        picture="lambda image: np.roll(image, np.random.randint(20, 90), axis=1)",
    ),
    Case(
        ss.Choice,
        arguments={"transforms": [ss.HorizontalFlip(), ss.VerticalFlip()], "weights": [1, 2]},
        drawn="what it chooses: test_distributions.py",
        golden={
            "Choice": Golden(ss.Choice(MEMBERS, weights=[1, 0, 2.5], p=0.9), SHAPE),
            "Choice, all alike": Golden(ss.Choice(MEMBERS, weights=[0.1, 0.1, 0.1]), SHAPE),
        },
        holds=True,
        picture="[ss.Solarize(p=1), ss.HorizontalFlip(p=1)], weights=[2, 1]",
    ),
    Case(
        ss.OneOf,
        arguments={"transforms": [ss.HorizontalFlip(), ss.VerticalFlip()]},
        drawn="what it chooses: test_distributions.py",
        golden={
            "OneOf": Golden(
                ss.OneOf([ss.HorizontalFlip(), ss.VerticalFlip(), ss.RandomCrop(9)], p=0.9), SHAPE
            )
        },
        holds=True,
        picture="[ss.Posterize(2, p=1), ss.ToSepia(p=1)]",
    ),
    Case(
        ss.RandomApply,
        arguments={"transforms": [ss.HorizontalFlip(), ss.VerticalFlip()]},
        drawn="what it chooses: test_distributions.py",
        golden={"RandomApply": Golden(ss.RandomApply([ss.RandomCrop(9), ss.HorizontalFlip()], p=0.6), SHAPE)},
        holds=True,
        picture="[ss.RandomCrop(120), ss.HorizontalFlip(p=1)]",
    ),
    Case(
        ss.SomeOf,
        arguments={"transforms": [ss.HorizontalFlip(), ss.VerticalFlip()], "n": 1},
        drawn="what it chooses: test_distributions.py",
        golden={
            "SomeOf": Golden(
                ss.SomeOf([ss.HorizontalFlip(), ss.VerticalFlip(), ss.GaussianNoise()], n=2), SHAPE
            ),
            "SomeOf, replace": Golden(
                ss.SomeOf([ss.GaussianNoise(std=(0, 3)), ss.HorizontalFlip()], n=3, replace=True), SHAPE
            ),
        },
        holds=True,
        picture="[ss.HorizontalFlip(p=1), ss.RGBShift(p=1), ss.GaussianNoise(40)], n=2",
    ),
]
