"""keyed_map: streams without positions."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest

import seedsafe as ss
from seedsafe.reading.records import content_id, keyed_map

IMAGE = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
AUGMENT = ss.Compose([ss.RandomCrop(2), ss.HorizontalFlip()])


def record(name: Any) -> dict[str, Any]:
    return {"__key__": name, "image": IMAGE, "cls": 3}


@pytest.mark.parametrize("name", [7, np.int64(7), np.uint8(7), "seven", b"seven"], ids=repr)
def test_a_record_is_augmented_at_its_id(name: Any) -> None:
    index = 7 if not isinstance(name, str | bytes) else ss.record_index("seven")
    made = keyed_map(AUGMENT, seed=42, epoch=3)(record(name))
    assert (made["image"] == AUGMENT(IMAGE, key=ss.SampleKey(42, 3, index))).all()
    assert made["cls"] == 3


def test_order_and_shards_do_not_matter() -> None:
    names = [f"sample{n:03}" for n in range(40)]
    augment = keyed_map(AUGMENT, seed=42, epoch=1)
    whole = {name: augment(record(name))["image"].tobytes() for name in names}
    shard = {name: augment(record(name))["image"].tobytes() for name in reversed(names[::3])}
    assert shard.items() <= whole.items()
    assert len(set(whole.values())) > 10


def test_epochs_differ_and_come_from_a_number_an_entry_or_a_function() -> None:
    now = 5
    by_function = keyed_map(AUGMENT, seed=42, epoch=lambda: now)
    by_entry = keyed_map(AUGMENT, seed=42, epoch="epoch")
    for now in range(3):  # read by the function
        made = [
            one["image"].tobytes()
            for one in (
                by_function(record(1)),
                by_entry(record(1) | {"epoch": now}),
                keyed_map(AUGMENT, seed=42, epoch=now)(record(1)),
            )
        ]
        assert len(set(made)) == 1


def test_a_plain_function_is_run_inside_a_read_with_its_generators_keyed() -> None:
    def function(one: dict[str, Any]) -> tuple[Any, ...]:
        return one["__key__"], ss.generator().random(), random.random(), float(np.random.random())

    keyed = keyed_map(function, seed=42, epoch=0)
    first = [keyed(record(n)) for n in range(40)]
    again = [keyed_map(function, seed=42, epoch=0)(record(n)) for n in reversed(range(40))][::-1]
    assert first == again
    assert first[7][1] == ss.generator(ss.SampleKey(42, 0, 7, call=1)).random()
    assert len({one[2] for one in first}) == len({one[3] for one in first}) == 40


def test_a_plain_function_that_no_key_reaches_is_refused() -> None:
    secret = random.SystemRandom()
    with pytest.raises(ss.NotReproducible):
        keyed_map(lambda one: secret.random(), seed=42, epoch=0)(record(1))
    assert 0 <= keyed_map(lambda one: secret.random(), seed=42, epoch=0, bridge=False)(record(1)) < 1


def test_a_function_may_take_the_record_apart() -> None:
    def function(one: dict[str, Any]) -> float:
        one.pop("cls")
        return random.random()

    given = record(1)
    keyed_map(function, seed=42, epoch=0)(given)
    assert given["cls"] == 3


def test_tuples_and_positions() -> None:
    augment = keyed_map(AUGMENT, seed=42, epoch=0, id=0, targets=(None, "image"))
    made = augment((7, IMAGE))
    assert made[0] == 7
    assert (made[1] == AUGMENT(IMAGE, key=ss.SampleKey(42, 0, 7))).all()


def test_it_is_pickled() -> None:
    augment = keyed_map(AUGMENT, seed=42, epoch=0, id="name")
    again = pickle.loads(pickle.dumps(augment))
    one = {"name": "x", "image": IMAGE}
    assert (augment(one)["image"] == again(one)["image"]).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "name"}, r"no entry 'name' for its id; it has \['__key__', 'image', 'cls'\]: pass id="),
        ({"id": lambda one: None}, "must be an integer, a string or bytes, got None"),
        ({"id": lambda one: True}, "must be an integer, a string or bytes, got True"),
        ({"id": lambda one: 1.5}, "must be an integer, a string or bytes, got 1.5"),
        ({"id": lambda one: -1}, "index must be at least 0"),
        ({"epoch": "step"}, "no entry 'step' for its epoch"),
        ({"epoch": lambda: None}, "needs epoch"),
    ],
)
def test_a_bad_record_is_refused(change: dict[str, Any], message: str) -> None:
    augment = keyed_map(AUGMENT, **({"seed": 42, "epoch": 0} | change))
    with pytest.raises((TypeError, ValueError), match=message):
        augment(record(1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"function": 3}, "function must be"),
        ({"id": 1.5}, "id must be"),
        ({"epoch": -1}, "epoch must be at least 0"),
        ({"epoch": None}, "needs epoch"),
        ({"seed": "x"}, "seed must be an integer"),
        ({"targets": "mask"}, "targets must be"),
        ({"function": len, "targets": {"jpg": "image"}}, "are for a Compose"),
        ({"function": len, "bridge": 3}, "bridge must be"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused_early(change: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        keyed_map(**({"function": AUGMENT, "seed": 42, "epoch": 0} | change))


def test_content_ids() -> None:
    one = {"a": np.zeros((2, 3)), "b": ["x", 1, None, b"y"]}
    assert content_id(one) == content_id(dict(reversed(one.items())))
    others = [
        {"a": np.zeros((3, 2)), "b": ["x", 1, None, b"y"]},
        {"a": np.zeros((2, 3), np.float32), "b": ["x", 1, None, b"y"]},
        {"a": np.zeros((2, 3)), "b": ["x", "1", None, b"y"]},
        {"a": np.zeros((2, 3)), "b": ["x", 1, None, "y"]},
        {"a": np.zeros((2, 3)), "b": ["x", [1, None], b"y"]},
        {"a": np.zeros((2, 3)), "b": ["x", True, None, b"y"]},
    ]
    assert len({content_id(each) for each in [one, *others]}) == 7
    former: dict[str, dict[Any, Any]] = {
        "f5bbe4b4678e602089e71ea4d5d7964e": {1: "a", "1": "b"},
        "206c954bbbbf685c5357aa351198e8f4": {1.5: 1, "1.5": 2},
        "febbea8479230c1b09affd35d09f9bb4": {(1,): 1, "(1,)": 2},
    }
    for (
        text,
        each,
    ) in former.items():  # of the order with the string last, from before the order did not matter
        assert content_id(each).hex() == content_id(dict(reversed(each.items()))).hex() == text
    with pytest.raises(TypeError, match=r"record\['a'\] is object, which has no content"):
        content_id({"a": object()})
    itself: list[Any] = []
    itself.append(itself)
    with pytest.raises(ValueError, match="contains itself: pass id="):
        content_id(itself)
    made = keyed_map(AUGMENT, seed=42, epoch=0, id=lambda r: content_id(r["image"]))(record(1))
    index = ss.record_index(content_id(IMAGE))
    assert (made["image"] == AUGMENT(IMAGE, key=ss.SampleKey(42, 0, index))).all()


@pytest.mark.parametrize("names", [(1, "1"), (1.0, "1.0"), (b"a", "b'a'")])
def test_an_id_of_content_does_not_depend_on_the_order_of_keys(names: Any) -> None:
    first, second = names
    assert ss.content_id({first: 7, second: 8}) == ss.content_id({second: 8, first: 7})
    assert ss.content_id({first: 7, second: 8}) != ss.content_id({first: 8, second: 7})
