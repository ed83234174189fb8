"""What an object holds before and after a call: what is seen, what counts as changed, what is put back; and that it stays cheap."""

from __future__ import annotations

import array
import functools
import io
import itertools
import logging
import pathlib
import queue
import random
import types
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

from seedsafe.bridging.walk import Contents


class Thing:
    """A thing with attributes."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


class Slotted:
    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


class Opened:
    """As h5py's File: nobody sees where it stands."""

    def __enter__(self) -> Any: ...

    def __exit__(self, *error: object) -> None: ...

    def close(self) -> None: ...


def numbers() -> Iterator[int]:
    yield from range(9)


@functools.lru_cache
def kept(number: int) -> int:
    return number


COUNTS = [0]
TOTAL = 0
SHARED = Slotted()


def counting() -> None:
    global TOTAL
    TOTAL += 1


def with_closure(box: Any) -> Any:
    return lambda: box


def set_count(thing: Any) -> None:
    thing.count += 1


def at(thing: Any, name: Any = 0) -> Callable[[], None]:
    def change() -> None:
        thing[name] += 1

    return change


LONG = [0] * 5000
MATRIX = np.zeros((5000, 30, 30), np.float32)
ORDERED = OrderedDict(a=1, b=2)
TENSOR = torch.zeros(3000)
INSIDE = Thing(count=0)
SLOTTED = Slotted()
QUEUE: deque[int] = deque(range(9))
RECORDS = [{"turn": 0} for _ in range(3000)]
KEYS, SHORT = {5: 1}, [1, 2]
BUFFER = array.array("i", [0])


CHANGES: list[tuple[Any, Callable[[], Any], str]] = [
    (Thing(inner=[{"a": INSIDE}]), lambda: set_count(INSIDE), ".inner[0]['a'].count"),
    (Thing(slotted=SLOTTED), lambda: set_count(SLOTTED), ".slotted.count"),
    (Thing(queue=QUEUE), QUEUE.popleft, ".queue[0]"),
    (Thing(ordered=ORDERED), lambda: ORDERED.move_to_end("a"), ".ordered['b']"),
    (Thing(long=LONG), at(LONG, 2500), ".long[…]"),
    (Thing(many=MATRIX), at(MATRIX, 2500), ".many"),
    (Thing(many=TENSOR), at(TENSOR, 2500), ".many"),
    (Thing(records=RECORDS), at(RECORDS[2500], "turn"), ".records[…]['turn']"),
    (Thing(kept=kept), lambda: kept(3), ".kept.cache_info()"),
    (with_closure(COUNTS), at(COUNTS), ".closure[0]"),
    (counting, counting, " → TOTAL"),
    (Thing(buffer=BUFFER), at(BUFFER), ".buffer"),
    (Thing(keys=KEYS), lambda: KEYS.update({6: KEYS.pop(5)}), ".keys[6]"),
    (Thing(short=SHORT), SHORT.pop, ".short[1]"),
    (functools.partial(print, COUNTS), at(COUNTS), ".partial[0]"),
]


@pytest.mark.parametrize(("root", "change", "path"), CHANGES, ids=map(str, range(len(CHANGES))))
def test_a_change_is_seen_and_named(root: Any, change: Any, path: str) -> None:
    before = Contents(root, 2500)
    assert before.changed("base") is None
    change()
    assert before.changed("base") == f"base{path}"
    assert Contents(root, 2500).changed("base") is None


def test_a_class_and_the_globals_of_its_code_are_looked_at() -> None:
    class Base:
        turn = 0

        def read(self) -> Any:
            return SHARED

    before = Contents(Base())
    Base.turn += 1
    assert before.changed("base") == "base.turn"
    before = Contents(Base())
    SHARED.count += 1
    assert before.changed("base") == "base.read → SHARED.count"


@pytest.mark.parametrize(
    "thing",
    [
        iter([1]),
        itertools.count(),
        numbers(),
        itertools.count().__next__,
        functools.partial(next, iter([1])),
        queue.SimpleQueue(),
        queue.Queue(),
        io.StringIO("text"),
        Opened(),
    ],
    ids=map(str, range(9)),
)
def test_what_nobody_sees_into_counts_as_changed(thing: Any) -> None:
    found = Contents(Thing(a=Thing(b=[thing]))).changed("base")
    assert found is not None
    assert found.startswith("base.a.b[0]")


def test_generators_are_found_and_their_states_are_no_change() -> None:
    rng, own = np.random.default_rng(3), random.Random(3)
    base = Thing(rng=rng, own=[own], sequence=np.random.SeedSequence(3))
    before = Contents(base)
    assert [place.path for place in before.generators] == [".rng", ".own[0]"]
    rng.random()
    own.random()
    assert before.changed("base") is None
    rng.spawn(1)
    base.sequence.spawn(1)
    assert before.spawned("base") == ["base.rng (a Generator)", "base.sequence (a SeedSequence)"]
    assert before.changed("base") == "base.rng (a Generator)"


def test_equal_plain_data_is_no_change() -> None:
    base = Thing(shape=(480, 640), notes={"scale": 0.5, "nan": [float("nan")]}, image=np.zeros(3))
    before = Contents(base)
    base.shape, base.notes = (480, 640), {"scale": 0.5, "nan": [float("nan")]}
    assert before.changed("base") is None
    base.notes = {"scale": 0.25, "nan": [float("nan")]}
    assert before.changed("base") == "base.notes"


def test_what_a_transform_of_a_library_notes_on_itself_is_no_change_but_its_generators_are_found() -> None:
    kind = type("Compose", (), {"__module__": "albumentations.core.composition"})
    transform: Any = kind()
    transform.params, transform.inner = {}, [kind()]
    transform.inner[0].rng = random.Random(3)
    before = Contents(Thing(transform=transform))
    assert [place.path for place in before.generators] == [".transform.inner[0].rng"]
    transform.params = {"shape": (3, 4)}
    transform.inner[0].params = {"angle": 3.0}
    assert before.changed("base") is None


def test_values_with_caches_and_loggers_are_no_change() -> None:
    base = Thing(files=[pathlib.Path("a") / str(number) for number in range(9)], log=logging.getLogger("x"))
    before = Contents(base)
    assert hash(base.files[3]) == hash(pathlib.Path(str(base.files[3])))
    base.log.isEnabledFor(10)
    assert before.changed("base") is None


def test_what_was_copied_is_put_back() -> None:
    base = Thing(count=1, buffer=[1, 2], seen={1: 2}, waiting=deque([1, 2]), names={"a"})
    before = Contents(base)
    base.count, base.late = 2, 3  # type: ignore[attr-defined]
    base.buffer.append(3)
    base.seen.clear()
    base.waiting.popleft()
    base.names.add("b")
    assert before.changed("base") == "base.count"
    before.put_back()
    assert before.changed("base") is None
    assert vars(base) == {
        "count": 1,
        "buffer": [1, 2],
        "seen": {1: 2},
        "waiting": deque([1, 2]),
        "names": {"a"},
    }


def test_code_stays_as_it_is() -> None:
    def read(cache: list[int] = COUNTS) -> Any:
        return kept(len(cache))

    read.note = 3  # type: ignore[attr-defined]
    before = Contents(Thing(read=read, kept=kept))
    kept(-7)
    before.put_back()
    assert vars(read) == {"note": 3}
    assert kept.__wrapped__(3) == 3
    assert before.changed("base") == "base.kept.cache_info()"


def test_an_object_that_cannot_be_walked_counts_as_changed() -> None:
    class Locked(dict[str, int]):
        def items(self) -> Any:
            raise RuntimeError("locked")

    assert Contents(Thing(inner=Locked(a=1))).changed("base") == "base (a Thing)"


def test_it_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [[Thing(number=number)] for number in range(100_000)]
    arrays = [np.zeros((300, 300)) for _ in range(30)]
    found = Contents(Thing(many=many, arrays=arrays))
    assert len(found._held) < 500
    assert sum(len(some or b"") for _, entries in found._held for *_, some in entries) < 30 * 2 * 8 * 4096
    assert not Contents(types.ModuleType("data"))._held
    deep = Thing()
    for _ in range(100):
        deep = Thing(inner=deep)
    assert len(Contents(deep)._held) < 20
