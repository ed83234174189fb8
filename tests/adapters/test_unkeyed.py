"""A base that draws without the key is told; one whose draws change nothing is not, and no generator is moved by looking."""

from __future__ import annotations

import copy
import io
import pickle
import random
import threading
import time
import types
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from programs import python
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset, get_worker_info

import seedsafe as ss
from seedsafe.bridging.generators import global_generators
from seedsafe.bridging.search import held_generators
from seedsafe_torch import AugmentedDataset, AugmentedIterable, Envelope, loader

IMAGE = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
SIZE = 24
RNG = np.random.default_rng(0)


unseen: Any = types.ModuleType("unseen")
"""What no check looks into: a base that counted its reads itself would not be read again."""
unseen.calls, unseen.memory = Counter(), np.zeros(3, np.int64)


class Base(Dataset[Any]):
    """A dataset that is read by a function of itself and the index."""

    rng = random.Random(0)

    def __init__(self, read: Callable[[Any, int], Any], **attributes: Any) -> None:
        self.read, self.number = read, len(unseen.calls)
        unseen.calls[self.number] = 0
        vars(self).update(attributes)

    @property
    def calls(self) -> int:
        return int(unseen.calls[self.number])

    def __len__(self) -> int:
        return SIZE

    def __getitem__(self, index: int) -> Any:
        unseen.calls[self.number] += 1
        if index >= SIZE:
            raise IndexError(index)
        return self.read(self, index)


class Jitter:
    def __init__(self, rng: Any) -> None:
        self.rng = rng

    def __call__(self, image: Any) -> Any:
        return image + np.uint8(self.rng.integers(100))


def numpys(self: Base, index: int) -> Any:
    return IMAGE + np.random.randint(0, 100, IMAGE.shape, np.uint8)


def pythons(self: Base, index: int) -> Any:
    return {"image": IMAGE, "label": index, "gain": [random.random()]}


def torchs(self: Base, index: int) -> Any:
    return torch.from_numpy(IMAGE) + torch.randint(100, (4, 4, 3)), index


def of_module(self: Base, index: int) -> Any:
    return IMAGE + np.uint8(RNG.integers(100))


def of_class(self: Base, index: int) -> Any:
    return IMAGE, self.rng.random()


def of_transform(self: Any, index: int) -> Any:
    return self.transforms[0](IMAGE)


def seldom_python(self: Base, index: int) -> Any:
    return IMAGE[::-1] if random.random() < 0.05 else IMAGE


def seldom_numpy(self: Base, index: int) -> Any:
    return IMAGE[::-1] if np.random.rand() < 0.05 else IMAGE


def seldom_torch(self: Base, index: int) -> Any:
    return IMAGE[::-1] if torch.rand(1) < 0.05 else IMAGE


def seldom_not(self: Base, index: int) -> Any:
    return IMAGE if np.random.rand() < 0.95 else IMAGE[::-1]


def counts_and_draws(self: Base, index: int) -> Any:
    return IMAGE, self.calls, np.random.rand(), time.monotonic_ns()


def makes_late(self: Any, index: int) -> Any:
    if not hasattr(self, "late"):
        self.late = np.random.RandomState(3)
    return IMAGE, self.late.random_sample()


def kept_from_the_key(self: Any, index: int) -> Any:
    if not hasattr(self, "kept"):
        self.kept = ss.generator()
    return IMAGE, self.kept.random()


def without_a_seed(self: Base, index: int) -> Any:
    return IMAGE, np.random.default_rng().random(), np.random.RandomState().random_sample()


def makes_one_for_nothing(self: Base, index: int) -> Any:
    np.random.default_rng().random()
    return IMAGE, index


DRAWERS = [
    (numpys, {}, "NumPy's global generator (numpy.random)"),
    (pythons, {}, "Python's global generator (random)"),
    (torchs, {}, "torch's global generator (torch)"),
    (of_module, {}, "RNG (a Generator)"),
    (of_class, {}, "base.rng (a Random)"),
    (
        of_transform,
        {"transforms": [Jitter(np.random.default_rng(1))]},
        "base.transforms[0].rng (a Generator)",
    ),
    (seldom_python, {}, "Python's global generator"),
    (seldom_numpy, {}, "NumPy's global generator"),
    (seldom_torch, {}, "torch's global generator"),
    (seldom_not, {}, "NumPy's global generator"),
    (counts_and_draws, {}, "NumPy's global generator"),
    (makes_late, {}, "base.late (a RandomState)"),
    (kept_from_the_key, {}, "base.kept (a Generator)"),
    (without_a_seed, {}, "NumPy's generators without a seed"),
]


def draws_for_nothing(self: Base, index: int) -> Any:
    np.random.randn()
    random.random()
    torch.rand(3)
    self.rng.random()
    return IMAGE, index


def seeds_itself(self: Base, index: int) -> Any:
    np.random.seed(index)
    random.seed(index)
    return np.random.rand(3), random.random()


def logs_some(self: Base, index: int) -> Any:
    if random.random() < 0.3:
        self.log = index
    return IMAGE, index


def counts(self: Any, index: int) -> Any:
    np.random.rand()
    self.turn += 1
    return IMAGE, self.turn


def ticks(self: Base, index: int) -> Any:
    np.random.rand()
    return time.monotonic_ns()


def alternates(self: Any, index: int) -> Any:
    np.random.rand()
    self.turn += 1
    return self.turn % 2, self.turn % 3, self.turn % 5, self.turn // 7


def makes_a_model(self: Any, index: int) -> Any:
    if not hasattr(self, "model"):
        self.model = torch.nn.Linear(3, 2)
    return self.model(torch.ones(3)).detach(), index


def reads_a_loader(self: Base, index: int) -> Any:
    return next(iter(DataLoader([IMAGE] * 4, batch_size=2)))


def by_key(self: Base, index: int) -> Any:
    return IMAGE, ss.generator().random()


def in_a_region(self: Base, index: int) -> Any:
    with ss.keyed():
        return IMAGE, np.random.rand(), random.random(), torch.rand(1)


def by_index(self: Base, index: int) -> Any:
    return np.random.default_rng(index).random(3)


def draws_then_fails(self: Any, index: int) -> Any:
    np.random.rand()
    if index in self.seen:
        raise ValueError("read twice")
    self.seen.add(index)
    return IMAGE


class Normalized:
    """As albumentations 2.0.8 with p=1: it draws before it decides, and notes its parameters on itself."""

    __module__ = "albumentations.core.transforms_interface"

    def __init__(self) -> None:
        self.py_random, self.params = random.Random(3), {}

    def __call__(self, index: int) -> Any:
        self.params = {}
        if self.py_random.random() < 1:
            self.params = {"shape": (4, index)}
        return IMAGE / np.float32(255), index


def albumentations_of_a_validation_set(self: Any, index: int) -> Any:
    return self.transform(index)


HARMLESS = [
    (albumentations_of_a_validation_set, {"transform": Normalized()}),
    (draws_for_nothing, {}),
    (makes_one_for_nothing, {}),
    (seeds_itself, {}),
    (ticks, {}),
    (makes_a_model, {}),
    (reads_a_loader, {}),
    (by_key, {}),
    (in_a_region, {}),
    (by_index, {}),
]


def takes_from_a_reader(self: Any, index: int) -> Any:
    return next(self.reader), np.random.rand()


def takes_from_a_queue(self: Any, index: int) -> Any:
    self.seen.append(index)
    return self.queue.popleft(), np.random.rand()


def takes_turns(self: Any, index: int) -> Any:
    turn = self.turns[index] = self.turns[index] + 1
    return IMAGE, turn % 2, np.random.rand()


def fills_a_cache(self: Any, index: int) -> Any:
    if index not in self.seen:
        self.seen[index] = IMAGE
    return self.seen[index], np.random.rand(), len(self.seen)


def reads_a_file(self: Any, index: int) -> Any:
    return self.file.readline(), np.random.rand()


def spawns(self: Any, index: int) -> Any:
    return IMAGE, self.own.spawn(1)[0].random()


CHANGING: list[tuple[Any, Callable[[], dict[str, Any]], str]] = [
    (takes_from_a_reader, lambda: {"reader": iter(range(100))}, "base.reader (a range_iterator)"),
    (takes_from_a_queue, lambda: {"queue": deque(range(100)), "seen": []}, "base."),
    (takes_turns, lambda: {"turns": [0] * 5000}, "base.turns"),
    (fills_a_cache, lambda: {"seen": {}}, "base.seen"),
    (reads_a_file, lambda: {"file": io.StringIO("a\nb\n" * 50)}, "base.file (a StringIO)"),
    (spawns, lambda: {"own": np.random.default_rng(3)}, "base.own (a Generator)"),
    (counts, lambda: {"turn": 0}, "base.turn"),
    (alternates, lambda: {"turn": 0}, "base.turn"),
    (draws_then_fails, lambda: {"seen": set()}, "base.seen"),
]
"""Bases that change in their own reads, in which a generator moves."""


def name_of(value: Any) -> str | None:
    return value.__name__ if callable(value) else ""


def seed_all() -> None:
    np.random.seed(0)
    random.seed(0)
    torch.manual_seed(0)


def read_all(dataset: Any) -> None:
    for index in range(len(dataset)):
        dataset[index]


def states() -> Any:
    return [generator.read().mark for generator in global_generators()]


@pytest.mark.parametrize(("read", "attributes", "name"), DRAWERS, ids=name_of)
def test_a_base_that_draws_raises_in_the_first_reads(
    read: Any, attributes: dict[str, Any], name: str
) -> None:
    seed_all()
    base = Base(read, **copy.deepcopy(attributes))
    with pytest.raises(ss.NotReproducible) as caught:
        list(AugmentedDataset(base, seed=42))
    text = str(caught.value)
    assert text.startswith("the base, a Base, draws from ")
    assert name in text
    for way in ("bridge=True", "convert=True", "seedsafe.generator()", 'on_unkeyed="allow"'):
        assert way in text
    assert base.calls < 40


@pytest.mark.parametrize(("read", "attributes"), HARMLESS, ids=name_of)
def test_a_base_whose_draws_change_nothing_is_not_told(read: Any, attributes: dict[str, Any]) -> None:
    for seed in range(3):
        random.seed(seed)
        base = Base(read, **copy.deepcopy(attributes))
        read_all(AugmentedDataset(base, seed=42))
        assert base.calls < 100


@pytest.mark.parametrize(("read", "attributes", "path"), CHANGING, ids=name_of)
def test_a_base_that_changes_in_its_own_read_is_never_read_again(
    read: Any, attributes: Any, path: str
) -> None:
    def records(wraps: bool) -> Any:
        seed_all()
        base = Base(read, **attributes())
        dataset: Any = AugmentedDataset(base, seed=42) if wraps else base
        return [repr(dataset[index]) for index in range(SIZE)], states(), base.calls

    with pytest.warns(UserWarning, match="the base, a Base, drew from ") as caught:
        found = records(wraps=True)
    assert found == records(wraps=False)
    (told,) = caught
    for words in (path, "it was not read again", "bridge=True", 'on_unkeyed="allow"'):
        assert words in str(told.message)
    assert told.filename == __file__


def test_one_read_in_which_it_changes_is_not_told() -> None:
    def read(self: Any, index: int) -> Any:
        if self.model is None:
            self.model = torch.nn.Linear(3, 2)
        return index

    read_all(AugmentedDataset(Base(read, model=None), seed=42))


def test_a_base_that_changes_and_draws_nothing_is_not_told() -> None:
    def read(self: Any, index: int) -> Any:
        return next(self.reader), index

    dataset = AugmentedDataset(Base(read, reader=iter(range(SIZE))), seed=42)
    assert [dataset[index][0] for index in range(SIZE)] == list(range(SIZE))


def test_what_a_read_again_changes_in_another_branch_is_put_back() -> None:
    def read(self: Any, index: int) -> Any:
        if random.random() > 0.9:
            self.seen.append(index)
            self.turn += 1
        return IMAGE

    def after(wraps: bool) -> Any:
        random.seed(6)  # the first numbers are lower
        base = Base(read, seen=[], turn=0)
        dataset: Any = AugmentedDataset(base, seed=42) if wraps else base
        for index in range(SIZE):
            dataset[index]
        return base.seen, base.turn, base.calls  # type: ignore[attr-defined]

    plain = after(wraps=False)
    with pytest.warns(UserWarning, match="it was not read again") as caught:
        looked = after(wraps=True)
    assert looked[:2] == plain[:2]
    assert SIZE < looked[2] < SIZE + 4  # the read again that has changed it was the last
    assert len(caught) == 1


def test_a_constant_seed_that_only_a_pipeline_of_ours_follows_is_not_told() -> None:
    crop = ss.Compose([ss.RandomCrop(2)])

    def read(self: Any, index: int) -> Any:
        random.seed(7)
        return crop(IMAGE)

    read_all(AugmentedDataset(Base(read), seed=42))


@pytest.mark.filterwarnings("ignore:the base, a Base, drew from")
@pytest.mark.parametrize("seed", range(3))
def test_a_base_that_logs_some_reads_is_no_error(seed: int) -> None:
    random.seed(seed)
    base = Base(logs_some)
    read_all(AugmentedDataset(base, seed=42))
    assert base.calls < SIZE + 4


def sets_pythons(self: Base, index: int) -> Any:
    random.seed()
    return IMAGE, random.random()


def sets_torchs(self: Base, index: int) -> Any:
    torch.seed()
    return IMAGE, torch.rand(1)


def sets_numpys(self: Base, index: int) -> Any:
    np.random.seed(time.monotonic_ns() % 2**32)
    return IMAGE, np.random.rand()


def sets_its_own(self: Any, index: int) -> Any:
    self.own.seed()
    return IMAGE, self.own.random()


@pytest.mark.parametrize(
    ("read", "name"),
    [
        (sets_pythons, "Python's global generator (random)"),
        (sets_torchs, "torch's global generator (torch)"),
        (sets_numpys, "NumPy's global generator (numpy.random)"),
        (sets_its_own, "base.own (a Random)"),
    ],
    ids=name_of,
)
def test_a_generator_that_is_set_from_the_system_or_the_clock_is_told(read: Any, name: str) -> None:
    dataset = AugmentedDataset(Base(read, own=random.Random(3)), seed=42)
    with pytest.raises(ss.NotReproducible) as caught:
        dataset[3]
    text = f"the base, a Base, sets {name} from the system's entropy, the clock or the like, not from the sample's key: sample 3"
    assert str(caught.value).startswith(text)


def test_one_that_is_set_from_the_system_for_nothing_is_not_told() -> None:
    read_all(AugmentedDataset(Base(lambda self, index: (index, random.seed() is None)), seed=42))


@pytest.mark.parametrize(
    ("sets", "draws"),
    [
        (lambda self, seed: random.seed(seed), lambda self: random.random()),
        (lambda self, seed: np.random.seed(seed), lambda self: np.random.rand()),
        (lambda self, seed: torch.manual_seed(seed), lambda self: torch.rand(1)),
        (lambda self, seed: self.own.seed(seed), lambda self: self.own.random()),
    ],
    ids=["random", "numpy", "torch", "own"],
)
def test_a_constant_seed_in_each_read_is_told_and_one_from_the_index_is_not(sets: Any, draws: Any) -> None:
    def dataset(seed_of: Callable[[int], int]) -> Any:
        def read(self: Any, index: int) -> Any:
            sets(self, seed_of(index))
            return IMAGE, draws(self)

        return AugmentedDataset(Base(read, own=random.Random(3)), seed=42)

    with pytest.warns(UserWarning, match="to the same state for different samples") as caught:
        read_all(dataset(lambda index: 7))
    assert len(caught) == 1
    read_all(dataset(lambda index: index))
    read_all(dataset(lambda index: index // 2))
    same = dataset(lambda index: 7)
    for _ in range(12):
        same[5]  # one sample alone has one state


def test_a_look_gives_numpys_entropy_back() -> None:
    before = np.random.bit_generator.randbits  # type: ignore[attr-defined]
    read_all(AugmentedDataset(Base(makes_one_for_nothing), seed=42))
    with pytest.raises(ss.NotReproducible):
        read_all(AugmentedDataset(Base(without_a_seed), seed=42))
    assert np.random.bit_generator.randbits is before  # type: ignore[attr-defined]


@pytest.mark.parametrize("read", [numpys, pythons, torchs, draws_for_nothing, of_class], ids=name_of)
def test_no_generator_is_moved_by_looking(read: Any) -> None:
    def samples(dataset: Any) -> Any:
        base.rng.seed(3)
        seed_all()
        np.random.randn()  # it keeps a second number
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [repr(dataset[index]) for index in range(SIZE)], states(), base.rng.getstate()

    base = Base(read)
    plain, looked = samples(base), samples(AugmentedDataset(base, seed=42, on_unkeyed="warn"))
    assert base.calls > 2 * SIZE
    assert looked == plain


def test_the_ways_out_of_the_error_work() -> None:
    def batches(dataset: Any, workers: int) -> Any:
        return [batch.tolist() for batch in loader(dataset, batch_size=4, num_workers=workers)]

    with pytest.raises(ss.NotReproducible):
        AugmentedDataset(Base(numpys), seed=42)[0]
    bridged = AugmentedDataset(Base(numpys), seed=42, bridge=True)
    assert batches(bridged, 0) == batches(bridged, 2)
    own = AugmentedDataset(Base(lambda self, index: ss.generator().random(2)), seed=42)
    assert batches(own, 0) == batches(own, 2)
    base = Base(numpys)
    assert len(batches(AugmentedDataset(base, seed=42, on_unkeyed="allow"), 0)) == 6
    assert base.calls == SIZE


class Noisy(Base):
    """The README's."""

    rng: Any = np.random.default_rng(0)


def test_an_error_stays() -> None:
    dataset = AugmentedDataset(Base(numpys), seed=42, on_error="replace")
    for index in range(SIZE):
        with pytest.raises(ss.NotReproducible, match="draws from NumPy's global generator"):
            dataset[index]
    assert dataset.failures() == {}


@pytest.mark.parametrize("read", [numpys, of_class], ids=name_of)
@pytest.mark.parametrize(
    ("workers", "start"),
    [
        (0, None),
        (1, "spawn"),
        pytest.param(2, "fork", marks=pytest.mark.fork),
    ],  # torch kills a second one as it spawns
)
def test_workers_raise(workers: int, start: str | None, read: Any) -> None:
    dataset = AugmentedDataset(Base(read), seed=42)
    with pytest.raises(ss.NotReproducible, match="on_unkeyed"):
        list(loader(dataset, batch_size=4, num_workers=workers, multiprocessing_context=start))


def test_a_warning_comes_once() -> None:
    dataset = AugmentedDataset(Base(numpys), seed=42, on_unkeyed="warn")
    with pytest.warns(UserWarning, match="draws from NumPy's global generator") as caught:
        read_all(dataset)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_a_filter_that_makes_errors_of_warnings_raises_it_as_it_is() -> None:
    for kind in (Base, InBatches):
        dataset = AugmentedDataset(
            kind(numpys), ss.HorizontalFlip(), seed=42, on_unkeyed="warn", on_error="skip"
        )
        for _ in range(2):
            with pytest.raises(ss.NotReproducible):
                list(loader(dataset, batch_size=24))
        assert dataset.failures() == {}


WORKERS = """
import numpy as np
from torch.utils.data import Dataset
from seedsafe_torch import AugmentedDataset, loader
class Noisy(Dataset):
    rng = np.random.default_rng(0)
    def __len__(self): return 64
    def __getitem__(self, index): return self.rng.random(3)
for _ in loader(AugmentedDataset(Noisy(), seed=42, on_unkeyed="warn"), batch_size=4, num_workers=2): pass
"""


@pytest.mark.fork
def test_the_warning_of_workers_is_seen_once() -> None:
    result = python("-c", WORKERS)
    assert result.stderr.count("the base, a Noisy, draws from base.rng (a Generator)") in (1, 2)  # as below


class Late(Base):
    """It begins to draw after some reads, or in an epoch."""

    after, epoch = 12, 0

    def __getitem__(self, index: int) -> Any:
        unseen.calls[self.number] += 1
        key = ss.current_key()
        late = self.calls > self.after if self.after else key is not None and key.epoch >= self.epoch
        return numpys(self, index) if late else IMAGE


def test_a_later_look_warns() -> None:
    dataset = AugmentedDataset(Late(numpys), seed=42)
    with pytest.warns(UserWarning, match="draws from NumPy's") as caught:
        read_all(dataset)
    assert len(caught) == 1


class InLaterEpochs(Late):
    after, epoch = 0, 2


def test_a_run_does_not_die_in_a_later_epoch() -> None:
    run = (
        "from tests.adapters.test_unkeyed import *\n"
        "batches = loader(AugmentedDataset(InLaterEpochs(numpys), seed=42), batch_size=4, num_workers=2)\n"
        "for epoch in range(4): print(len(list(batches)))"
    )
    result = python("-c", run)
    assert result.stdout.split() == ["6"] * 4
    # both workers of one epoch may come to it in the same moment
    assert 1 <= result.stderr.count("draws from NumPy's global generator") <= 2


class OnlyInWorkers(Base):
    def __getitem__(self, index: int) -> Any:
        return IMAGE if get_worker_info() is None else numpys(self, index)


@pytest.mark.fork
def test_a_forked_worker_looks_for_itself() -> None:
    dataset = AugmentedDataset(OnlyInWorkers(numpys), seed=42)
    for epoch in range(5):
        dataset.set_epoch(epoch)
        read_all(dataset)
    assert dataset.reader._draw_checks.due_in > 1
    dataset.set_epoch(0)
    with pytest.raises(ss.NotReproducible):
        list(
            loader(
                dataset,
                batch_size=4,
                num_workers=1,
                multiprocessing_context="fork",
                worker_init_fn=lambda worker: warnings.simplefilter("ignore"),  # a later look would warn
            )
        )


def test_another_thread_draws_beside() -> None:
    ends, began = threading.Event(), threading.Event()

    def draw() -> None:
        while not ends.is_set():
            np.random.rand()
            random.random()
            began.set()

    thread = threading.Thread(target=draw)
    thread.start()
    began.wait()
    try:
        dataset = AugmentedDataset(Base(lambda self, index: (IMAGE * 2, sum(range(2000)))), seed=42)
        read_all(dataset)
    finally:
        ends.set()
        thread.join()


def test_threads_that_read_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seedsafe.reading.checks.PATIENCE", 60.0)  # beyond it a thread reads without a look
    dataset = AugmentedDataset(Base(of_class), seed=42)
    errors = []

    def read() -> None:
        try:
            read_all(dataset)
        except ss.NotReproducible as error:
            errors.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 4


def test_a_sample_in_memory_that_the_base_uses_again_is_the_right_one() -> None:
    def read(self: Base, index: int) -> Any:
        np.random.rand()
        unseen.memory[...] = self.calls, index, 7
        return unseen.memory

    base = Base(read)
    dataset = AugmentedDataset(base, seed=42)
    assert dataset[5].tolist() == [1, 5, 7]
    assert base.calls > 1


def test_a_base_that_keeps_what_it_draws_is_told_once() -> None:
    def read(self: Any, index: int) -> Any:
        if index not in self.cache:
            self.cache[index] = np.random.rand(3)
        return self.cache[index], index

    dataset = AugmentedDataset(Base(read, cache={}), seed=42)
    with pytest.warns(UserWarning, match="keep the samples as they are before anything random") as caught:
        read_all(dataset)
    assert len(caught) == 1


def test_a_cache_of_samples_without_draws_is_not_told() -> None:
    def read(self: Any, index: int) -> Any:
        return self.cache.setdefault(index, IMAGE + index), index

    dataset = AugmentedDataset(Base(read, cache={}), seed=42)
    read_all(dataset)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_a_copy_looks_for_itself(again: Any) -> None:
    dataset = AugmentedDataset(Late(numpys), seed=42)
    for index in range(12):
        dataset[index]
    other = again(dataset)
    assert other.reader._draw_checks.due_in == 1
    with pytest.raises(ss.NotReproducible):
        other[20]


def test_datasets_inside_draw_by_their_own_keys() -> None:
    inner = AugmentedDataset([IMAGE] * 8, ss.Compose([ss.RandomCrop(2), ss.GaussianNoise(p=1)]), seed=1)
    bridged = AugmentedDataset(Base(numpys), seed=2, bridge=True)
    allowed = AugmentedDataset(Base(numpys), seed=3, on_unkeyed="allow")
    for base in (inner, ConcatDataset([inner, bridged]), Subset(allowed, range(8))):
        outer = AugmentedDataset(base, seed=42)
        for epoch in range(2):
            outer.set_epoch(epoch)
            for index in range(len(base)):
                outer[index]
        assert len(list(loader(base, batch_size=4, seed=42))) > 1
    with pytest.raises(ss.NotReproducible):
        AugmentedDataset(AugmentedDataset(Base(numpys), seed=1), seed=42)[0]
    around = AugmentedDataset(AugmentedDataset(Base(numpys), seed=1), seed=42, bridge=True)
    assert around.at(0, epoch=0).tolist() == around.at(0, epoch=0).tolist()


def test_partners_views_and_replaced_samples_are_looked_at() -> None:
    pairs = Base(lambda self, index: (IMAGE + np.uint8(np.random.randint(9)), 1))
    mixing = ss.Compose([ss.MixUp(classes=3), ss.HorizontalFlip()])
    for options in ({}, {"on_error": "replace"}, {"on_error": "skip"}):
        with pytest.raises(ss.NotReproducible):
            AugmentedDataset(pairs, mixing, seed=42, **options)[0]
    with pytest.raises(ss.NotReproducible):
        AugmentedDataset(pairs, ss.HorizontalFlip(), seed=42, views=2)[0]


class InBatches(Base):
    reads_batches = True

    def __getitems__(self, indices: list[int]) -> list[Any]:
        return [self[index] for index in indices]


@pytest.mark.parametrize("kind", [Base, InBatches])
def test_batches_are_looked_at(kind: Any) -> None:
    dataset = AugmentedDataset(kind(numpys), ss.Compose([ss.HorizontalFlip()]), seed=42)
    with pytest.raises(ss.NotReproducible):
        list(loader(dataset, batch_size=24))
    quiet = kind(lambda self, index: (np.random.rand(), IMAGE)[1])
    assert (
        len(list(loader(AugmentedDataset(quiet, ss.Compose([ss.HorizontalFlip()]), seed=42), batch_size=24)))
        == 1
    )


@pytest.mark.parametrize("kind", [Base, InBatches])
@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_looks_at_a_plain_dataset(kind: Any, workers: int) -> None:
    def read(**options: Any) -> int:
        return len(list(loader(kind(numpys), batch_size=4, seed=42, num_workers=workers, **options)))

    with pytest.raises(ss.NotReproducible, match=r"the dataset, an? \w+, draws from NumPy's .* bridge=True"):
        read()
    assert read(on_unkeyed="allow") == 6
    wrapped = AugmentedDataset(kind(numpys), seed=1, bridge=True)
    assert len(list(loader(wrapped, batch_size=4, num_workers=workers))) == 6


class Pair(Dataset[Any]):
    """A wrapper around an AugmentedDataset that draws."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    def __len__(self) -> int:
        return SIZE

    def __getitem__(self, index: int) -> Any:
        return self.dataset[random.randrange(SIZE)]


def test_a_wrapper_that_draws_is_told() -> None:
    inner = AugmentedDataset(np.arange(SIZE), seed=1)
    with pytest.raises(ss.NotReproducible, match="the dataset, a Pair, draws from Python's"):
        list(loader(Pair(inner), batch_size=4))
    with pytest.raises(ss.NotReproducible):
        Envelope(Pair(inner))[0]
    assert len(list(loader(Pair(inner), batch_size=4, on_unkeyed="allow"))) == 6


def test_arguments() -> None:
    for make in (
        lambda answer: AugmentedDataset(Base(numpys), seed=42, on_unkeyed=answer),
        lambda answer: AugmentedIterable([], ss.HorizontalFlip(), seed=42, on_unkeyed=answer),
        lambda answer: loader(Base(numpys), seed=42, on_unkeyed=answer),
        lambda answer: Envelope(Base(numpys), on_unkeyed=answer),
    ):
        for answer in ("ignore", True, None, 3) if make("warn") is not None else ():
            if answer is None:
                continue
            with pytest.raises(ValueError, match="on_unkeyed must be 'raise', 'warn' or 'allow', got"):
                make(answer)
    dataset = AugmentedDataset([1], seed=42)
    with pytest.raises(ValueError, match="is an argument of the AugmentedDataset"):
        loader(dataset, on_unkeyed="allow")
    with pytest.raises(AttributeError, match="cannot be set"):
        dataset.on_unkeyed = "allow"


class Source:
    """A stream that draws for its order or for its records."""

    def __init__(self, draws: Callable[[Any], Any], size: int = 40) -> None:
        self.draws, self.size, self.rng = draws, size, random.Random(0)

    def __iter__(self) -> Iterator[Any]:
        order = list(range(self.size))
        random.shuffle(order)
        for number in order:
            yield {"__key__": str(number), "image": IMAGE, "noise": self.draws(self)}


def stream(draws: Callable[[Any], Any], **options: Any) -> AugmentedIterable:
    return AugmentedIterable(Source(draws), ss.HorizontalFlip(), seed=42, **options)


STREAMS = [
    (lambda self: np.random.rand(), "NumPy's global generator"),
    (lambda self: torch.rand(1), "torch's global generator"),
    (lambda self: self.rng.random(), r"source\.rng \(a Random\)"),
    (lambda self: np.random.default_rng().random(), "NumPy's generators without a seed"),
]


@pytest.mark.parametrize("answer", ["raise", "warn"])
@pytest.mark.parametrize(("draws", "name"), STREAMS)
def test_a_stream_that_draws_is_told_once(draws: Any, name: str, answer: str) -> None:
    batches = loader(stream(draws, on_unkeyed=answer), batch_size=4)
    with pytest.warns(UserWarning, match=f"the source, a Source, draws from {name}.*into augment") as caught:
        assert [len(list(batches)) for _ in range(2)] == [10, 10]
    assert len(caught) == 1


def test_a_stream_that_is_allowed_or_draws_nothing_is_not_told() -> None:
    assert len(list(stream(STREAMS[0][0], on_unkeyed="allow"))) == 40
    assert len(list(stream(lambda self: 3))) == 40
    keyed = AugmentedIterable(
        Source(lambda self: 3), lambda record: {**record, "noise": np.random.rand()}, seed=42
    )
    assert len({record["noise"] for record in keyed}) == 40


def shuffled(source: Any) -> Any:
    from torch.utils.data.datapipes.iter import IterableWrapper

    return IterableWrapper(source, deepcopy=False).shuffle(buffer_size=8)


class Noised:
    """A stage of a stream that changes records."""

    def __init__(self, source: Any, rng: Any) -> None:
        self.source, self.rng = source, rng

    def __iter__(self) -> Iterator[Any]:
        for record in self.source:
            yield {**record, "noise": self.rng[0][0].random()}


def test_a_shuffle_of_torch_is_not_told_and_what_draws_behind_it_is() -> None:
    plain = Source(lambda self: 3)
    assert len(list(AugmentedIterable(shuffled(plain), ss.HorizontalFlip(), seed=42))) == 40
    buffered = shuffled(plain)
    for source in (shuffled(Source(STREAMS[2][0])), Noised(buffered, [[buffered._rng]])):
        with pytest.warns(UserWarning, match=r"draws from source\..*rng.* \(a Random\)"):
            list(AugmentedIterable(source, ss.HorizontalFlip(), seed=42))


class Restarts:
    """An iterator that begins anew when it is asked for its iterator, as litdata's."""

    def __init__(self, draws: bool) -> None:
        self.draws = draws

    def __iter__(self) -> Any:
        self.left = list(range(40))
        return self

    def __next__(self) -> Any:
        if not self.left:
            raise StopIteration
        return {"__key__": str(self.left.pop(0)), "noise": random.random() if self.draws else 0}


@pytest.mark.filterwarnings("ignore:the source")
@pytest.mark.parametrize("answer", ["raise", "allow"])
@pytest.mark.parametrize("draws", [False, True])
def test_a_stream_that_begins_anew_is_not_asked_to(draws: bool, answer: Any) -> None:
    records = AugmentedIterable(Restarts(draws), dict, seed=42, on_unkeyed=answer)
    batches = loader(records, batch_size=4)
    for _ in range(2):
        names = [name for batch in batches for name in batch["__key__"]]
        assert names == [str(number) for number in range(40)]


def test_a_stream_is_read_once() -> None:
    source = Source(STREAMS[0][0])
    read = iter(AugmentedIterable(source, ss.HorizontalFlip(), seed=42, on_unkeyed="allow"))
    np.random.seed(0)
    plain = [record["noise"] for record in read]
    np.random.seed(0)
    with pytest.warns(UserWarning, match="the source"):
        looked = [record["noise"] for record in AugmentedIterable(source, ss.HorizontalFlip(), seed=42)]
    assert looked == plain


def test_the_search_is_bounded() -> None:
    deep = Base(by_index, parts=[Jitter(np.random.default_rng(i)) for i in range(3000)])
    assert len(held_generators(deep, "base", seconds=float("inf"))) == 64
    hidden = Base(by_index, parts=[Jitter(None) for _ in range(6000)] + [Jitter(np.random.default_rng(0))])
    (found,) = held_generators(hidden, "base", seconds=float("inf"))
    assert (found.name, found.thing) == ("base.rng (a Random)", Base.rng)
    assert held_generators(deep, "base", seconds=float("-inf")) == []


def test_data_are_not_looked_at() -> None:
    for base in ([IMAGE], (IMAGE,), np.zeros((3, 4)), torch.zeros(3, 4), range(3)):
        assert AugmentedDataset(base, seed=42).reader._draw_checks.due_in > 2**60


def test_states_are_set_exactly_and_others_begin_low_and_high() -> None:
    held = [
        np.random.default_rng(3),
        np.random.Philox(3),
        np.random.RandomState(3),
        np.random.RandomState(np.random.PCG64(3)),
        random.Random(3),
        torch.Generator().manual_seed(3),
    ]
    generators = [*global_generators(), *held_generators({"held": held}, "base")]
    assert len(generators) == 9
    for generator in generators:
        before = generator.read()
        numbers = [generator.first() for _ in range(3)]
        generator.set(before)
        assert [generator.first() for _ in range(3)] == numbers
        low, high = (
            (generator.set(state), generator.first())[1]
            for state, _ in zip(generator.others(), "ab", strict=False)
        )
        assert low < 0.03
        assert high > 0.97
        generator.set(before)
        assert generator.read().mark == before.mark
