"""The one walk through the objects that an object refers to."""

from __future__ import annotations

import functools
import random
from collections import deque
from typing import Any

import numpy as np
import pytest

from seedsafe.bridging.walk import Contents, Location, Part, held_by, walk
from seedsafe.reading.bases import walk as datasets

RNG = random.Random(0)


class Node:
    """An object with attributes."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


class Slotted:
    """An object with a slot whose name is private."""

    __slots__ = ("__rng", "empty")

    def __init__(self, rng: Any) -> None:
        self.__rng = rng

    def draw(self, times: Any = RNG) -> Any:
        return times


def named() -> Any:
    """Name a generator of this module."""
    return RNG.random()


def closed_over(thing: Any) -> Any:
    return lambda: thing


def place_of(root: Any, thing: Any, **limits: Any) -> Location:
    return next(location for location in walk(root, **limits) if location.thing is thing)


@pytest.mark.parametrize(
    ("root", "path"),
    [
        (RNG, ""),
        ([0, RNG], "[1]"),
        ((0, [RNG]), "[1][0]"),
        ({"a": {1: RNG}}, "['a'][1]"),
        (deque([RNG]), "[0]"),
        ({RNG}, "[0]"),
        (Node(rng=RNG), ".rng"),
        (Slotted(RNG), "._Slotted__rng"),
        (Slotted(None).draw, ".default"),
        (functools.partial(max, 1, key=RNG), ".partial"),
        (lambda thing=RNG: thing, ".default"),
        (closed_over(RNG), ".closure"),
        (named, " → RNG"),
        (Node(inner=[Node(rng=RNG)]).inner, "[0].rng"),  # type: ignore[attr-defined]
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_holds_a_generator_is_walked_through(root: Any, path: str) -> None:
    assert place_of(root, RNG).path == path


def test_the_nearest_place_of_an_object_comes_first_and_alone() -> None:
    shared = Node()
    root = Node(far=[[shared]], near=shared)
    root.again = root  # type: ignore[attr-defined]
    locations = [location.path for location in walk(root, lambda location: held_by(location.thing))]
    assert locations == ["", ".far", ".near", ".far[0]"]


def test_a_place_knows_its_holder_its_name_and_its_owner() -> None:
    inner = Node()
    owner = Node(parts=[{"x": inner}])
    location = place_of([owner], inner)
    assert location.holder[location.name] is inner
    assert location.owner is owner
    assert location.above is not None
    assert location.above.thing is owner.parts[0]  # type: ignore[attr-defined]
    assert location.depth == 4


def test_limits_end_the_walk() -> None:
    root = Node(a=Node(b=Node(c=RNG)))
    assert len(list(walk(root, most=2))) == 2
    assert list(walk(root, seconds=float("-inf"))) == []
    assert [location.path for location in walk(root, lambda location: held_by(location.thing), depth=1)] == [
        "",
        ".a",
    ]


def test_the_parts_decide_where_a_walk_goes() -> None:
    root = Node(a=Node(b=1), c=Node(a=Node()))

    def parts(location: Location) -> list[Part]:
        return [Part(".a", location.thing.a)] if hasattr(location.thing, "a") else []

    assert [location.path for location in walk(root, parts)] == ["", ".a"]


def test_leaves_are_yielded_at_all_their_places() -> None:
    array = np.zeros(3)
    root = Node(one=array, two=[array, 1], name="x", method=named)
    locations = {
        location.path: location.thing
        for location in walk(root, lambda location: held_by(location.thing, 1), leaves=True)
    }
    assert list(locations) == ["", ".one", ".two", ".name", ".method", ".two[0]"]
    assert locations[".one"] is locations[".two[0]"] is array


def test_nothing_inside_a_generator_is_yielded() -> None:
    generator = np.random.default_rng(0)
    assert [location.thing for location in walk([generator])] == [[generator], generator]


def test_datasets_inside_come_in_the_order_in_which_they_are_read() -> None:
    class Items(Node):
        def __getitem__(self, index: int) -> int:
            return index

    first, second = Items(), Items()
    subset = Items(dataset=first, again=second)
    root = Items(datasets=[subset, second])
    assert all(one is other for one, other in zip(datasets(root), [root, subset, first, second], strict=True))


class Odd:
    """As the functions of h5py: its module is a descriptor, and so no name."""

    __module__ = property(lambda self: "elsewhere")  # type: ignore[assignment]

    def __init__(self) -> None:
        self.rng = random.Random(3)


def test_a_class_whose_module_is_no_name_is_walked() -> None:
    assert ".rng" in [location.path for location in walk(Odd())]
    found = Contents(Odd())
    assert [location.path for location in found.generators] == [".rng"]
    assert found.changed("base") is None
