"""Only what reads ask is keyed, and nobody sees a difference."""

from __future__ import annotations

import copy
import pickle
import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch

import seedsafe as ss
from seedsafe.bridging import asked, runner
from seedsafe.bridging.generators import generator_of
from seedsafe_torch import AugmentedDataset, loader

KINDS: dict[str, Callable[[int], Any]] = {
    "RandomState": np.random.RandomState,
    "default_rng": np.random.default_rng,
    "PCG64DXSM": lambda seed: np.random.Generator(np.random.PCG64DXSM(seed)),
    "Philox": lambda seed: np.random.Generator(np.random.Philox(seed)),
    "SFC64": lambda seed: np.random.Generator(np.random.SFC64(seed)),
    "MT19937": lambda seed: np.random.Generator(np.random.MT19937(seed)),
    "Random": random.Random,
    "torch": lambda seed: torch.Generator().manual_seed(seed),
}
kinds = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)


def draw(generator: Any) -> float:
    if isinstance(generator, torch.Generator):
        return torch.rand((), generator=generator, dtype=torch.float64).item()
    if hasattr(generator, "gauss"):
        return generator.gauss(0, 1) + generator.random()
    return float(generator.normal() + generator.random())


class Files:
    """Each sample uses the generators of one file."""

    def __init__(self, make: Callable[[int], Any], files: int, each: int = 2) -> None:
        self.files = [[make(100 * file + k) for k in range(each)] for file in range(files)]
        self.reads = 0

    def __len__(self) -> int:
        return 40

    def choose(self, index: int) -> list[Any]:
        return self.files[index % len(self.files)]

    def __getitem__(self, index: int) -> Any:
        return np.array([index, *(draw(generator) for generator in self.choose(index))])


class Late(Files):
    """Uses the last file from read 30 on."""

    def choose(self, index: int) -> list[Any]:
        return self.files[-1 if index >= 30 else 0]


class Normals(Files):
    """Takes one number of a pair that the generator keeps, in a read that nobody expects."""

    def __getitem__(self, index: int) -> Any:
        rng = self.files[-1 if index >= 30 else 0][0]
        return np.array([index, rng.gauss(0, 1) if hasattr(rng, "gauss") else rng.normal()])


class Counting(Late):
    """Changes in its own read."""

    def __getitem__(self, index: int) -> Any:
        self.reads += 1
        return super().__getitem__(index)


@contextmanager
def all_keyed() -> Iterator[None]:
    """Key all that is stored for each read, as the contract has it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "FEW", 10**9)
        yield


def made(base: Any, **options: Any) -> AugmentedDataset:
    return AugmentedDataset(base, seed=42, bridge=ss.Bridge(**options))


def read(dataset: AugmentedDataset, order: Any = range(40)) -> list[Any]:
    return [dataset.at(index, epoch=1).tolist() for index in order]


@kinds
@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize("base", [Late, Files, Normals])
def test_the_numbers_are_those_of_a_bridge_that_keys_all(base: Any, make: Any, verify: bool) -> None:
    if base is Normals and isinstance(make(0), torch.Generator):
        base = Late
    with all_keyed():
        expected = read(made(base(make, 20), verify=verify))
    assert read(made(base(make, 20), verify=verify)) == expected


@kinds
def test_many_that_take_turns(make: Any) -> None:
    with all_keyed():
        expected = read(made(Files(make, 40), verify=False), [*range(40), *range(40)])
    dataset = made(Files(make, 40), verify=False)
    assert read(dataset, [*range(40), *range(40)]) == expected


@kinds
def test_workers_read_the_same(make: Any) -> None:
    if isinstance(make(0), torch.Generator):
        return  # cannot be sent to a spawned worker, and is not watched
    with all_keyed():
        expected = [batch.tolist() for batch in loader(made(Late(make, 20)), batch_size=5)]
    for method in ("fork", "spawn") if isinstance(make(0), np.random.RandomState) else ("fork",):
        batches = loader(made(Late(make, 20)), batch_size=5, num_workers=2, multiprocessing_context=method)
        assert [batch.tolist() for batch in batches] == expected


@kinds
def test_the_users_generators_are_left_where_they_were(make: Any) -> None:
    base, alone = Late(make, 20), Late(make, 20)
    dataset = made(base, verify=False)
    for index in (0, 1, 35, 2, 36):
        dataset.at(index, epoch=0)
        for file, other in zip(base.files, alone.files, strict=True):
            for one, same in zip(file, other, strict=True):
                assert generator_of("", one).mark() == generator_of("", same).mark()  # type: ignore[union-attr]
        assert draw(base.files[-1][0]) == draw(alone.files[-1][0])  # perhaps leaves a gaussian
        assert draw(base.files[3][1]) == draw(alone.files[3][1])


def test_a_gaussian_that_the_user_left_is_no_draw_of_a_sample() -> None:
    for make in (np.random.RandomState, random.Random):
        base: Any = Normals(make, 20)
        with all_keyed():
            expected = made(Normals(make, 20), verify=False).at(35, epoch=0).tolist()
        dataset = made(base, verify=False)
        dataset.at(0, epoch=0)
        last = base.files[-1][0]
        last.gauss(0, 1) if make is random.Random else last.normal()  # one of a pair
        assert dataset.at(35, epoch=0).tolist() == expected


def count_keyed(dataset: AugmentedDataset, index: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how many sources each region of a read has keyed."""
    counts = []
    region = asked.Region

    def counted(address: Any, sources: Any) -> Any:
        counts.append(len(sources) - 3)  # of the process
        return region(address, sources)

    monkeypatch.setattr(asked, "Region", counted)
    dataset.at(index, epoch=0)
    monkeypatch.undo()
    return counts


def test_only_what_was_asked_is_keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = made(Late(np.random.default_rng, 40), verify=False)
    dataset.at(0, epoch=0)
    assert count_keyed(dataset, 1, monkeypatch) == [2]
    assert count_keyed(dataset, 31, monkeypatch) == [2, 4]  # two others were asked
    assert count_keyed(dataset, 2, monkeypatch) == [4]


@pytest.mark.parametrize(("size", "keyed"), [(0, [2, 2]), (100_000, [80])], ids=["small", "large"])
def test_of_many_those_of_the_last_read_are_tried_first_if_samples_are_small(
    size: int, keyed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Sized(Files):
        def __getitem__(self, index: int) -> Any:
            return {"numbers": super().__getitem__(index), "image": np.zeros(size, np.uint8), "id": "x"}

    dataset = made(Sized(np.random.default_rng, 40), verify=False)
    for index in range(40):
        dataset.at(index, epoch=0)
    assert count_keyed(dataset, 20, monkeypatch) == keyed
    assert count_keyed(dataset, 20, monkeypatch) == keyed[:1]


def test_a_base_that_changes_in_its_own_read_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    base = Counting(np.random.default_rng, 40)
    dataset = made(base, verify=False)
    for index in (0, 1, 35, 36):
        dataset.at(index, epoch=0)
    assert base.reads == 4
    with all_keyed():
        expected = read(made(Counting(np.random.default_rng, 40), verify=False))
    assert read(dataset) == expected


class Failing(Late):
    """Fails, in a read that nobody expects, as its draws have it."""

    def __getitem__(self, index: int) -> Any:
        if index >= 30 and self.files[-1][0].random() < 0.5:
            raise ValueError("unlucky")
        return super().__getitem__(index)


def test_an_error_follows_the_key_too() -> None:
    def outcomes() -> list[str]:
        result = []
        for index in range(30, 40):
            dataset = made(Failing(np.random.default_rng, 40), verify=False)
            dataset.at(0, epoch=0)
            try:
                result.append(str(dataset.at(index, epoch=0)))
            except ss.SampleError as error:
                result.append(str(error.__cause__))
        return result

    with all_keyed():
        expected = outcomes()
    assert outcomes() == expected
    assert "unlucky" in expected
    assert len(set(expected)) > 1


def test_two_generators_over_one_source() -> None:
    def shared(files: int) -> Any:
        base = Late(np.random.default_rng, files)
        base.files[-1] = [np.random.Generator(base.files[0][0].bit_generator), base.files[-1][1]]
        return base

    with all_keyed():
        expected = read(made(shared(20), verify=False))
    assert read(made(shared(20), verify=False)) == expected


def test_a_list_of_many_generators_of_python_is_no_plain_data() -> None:
    dataset = made(Late(random.Random, 1, 100), verify=False)
    assert len(dataset.reader._runner.search().sources) == 100  # type: ignore[union-attr]


def test_a_copy_and_a_pickle_learn_anew() -> None:
    dataset = made(Late(np.random.RandomState, 20), verify=False)
    expected = read(dataset)
    assert read(pickle.loads(pickle.dumps(dataset))) == expected


class Batching(Files):
    def __getitems__(self, indices: Any) -> Any:
        raise AssertionError("one call has one key")


def test_a_base_that_reads_batches_is_read_sample_by_sample() -> None:
    base = Batching(np.random.default_rng, 2)
    batches = [batch.tolist() for batch in loader(made(base), batch_size=8)]
    assert [row for batch in batches for row in batch] == [
        made(base).at(index, epoch=0).tolist() for index in range(40)
    ]


def test_generators_that_appear_in_a_later_read_are_keyed() -> None:
    class Appears(Late):
        def __getitem__(self, index: int) -> Any:
            if index == 33 and len(self.files) == 20:
                self.files.append([np.random.default_rng(k) for k in (1, 2)])
            return super().__getitem__(index)

    def last(base: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dataset = AugmentedDataset(base, seed=42, bridge=True)
            return [dataset.at(index, epoch=0).tolist() for index in (0, 33, 34, 35)][1:]

    with all_keyed():
        expected = last(Appears(np.random.default_rng, 20))
    assert last(Appears(np.random.default_rng, 20)) == expected


class Copying(Files):
    """Each sample draws from copies of its generators, which stay where they are."""

    def choose(self, index: int) -> list[Any]:
        return copy.deepcopy(super().choose(index))


class PutBack(Files):
    """Each sample sets its generators back to where they were."""

    def __getitem__(self, index: int) -> Any:
        marks = [(one, generator_of("", one).read()) for one in self.choose(index)]  # type: ignore[union-attr]
        sample = super().__getitem__(index)
        for one, state in marks:
            generator_of("", one).set(state)  # type: ignore[union-attr]
        return sample


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize("kind", [Copying, PutBack])
@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng, random.Random])
def test_states_that_are_read_and_not_moved_follow_the_key(make: Any, kind: Any, verify: bool) -> None:
    def read(indices: Any, epoch: int) -> dict[int, bytes]:
        dataset = AugmentedDataset(kind(make, 4), seed=42, bridge=ss.Bridge(verify=verify))
        return {index: dataset.at(index, epoch=epoch).tobytes() for index in indices}

    read_in_turn = read(range(40), 1)
    assert read_in_turn == read(reversed(range(40)), 1)
    assert not set(read_in_turn.values()) & set(read(range(40), 2).values())
    used = AugmentedDataset(Files(make, 4), seed=42, bridge=True)
    assert {index: used.at(index, epoch=1).tobytes() for index in range(40)} == read_in_turn
