"""Samplers of one's own: what they draw, how they resume, and what reaches them."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    DistributedSampler,
    RandomSampler,
    Sampler,
    Subset,
    WeightedRandomSampler,
)

from seedsafe_torch import AugmentedDataset, EpochOrder, KeyedSampler, loader, peek

TOLD = r"the sampler, a \w+, draws from .*(random|generator).*or pass bridge=True"


class Noisy:
    """Samples of their index and one draw."""

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> Any:
        return np.array([index, np.random.randint(10**6)])


class Still(Noisy):
    """Samples without a draw, so that only the sampler draws."""

    def __getitem__(self, index: int) -> Any:
        return np.array([index, 0])


class Neighbours(Sampler[int]):
    """A random run of neighbours for each batch, drawn as the batch is asked for."""

    def __init__(self) -> None:
        self.rng = np.random.RandomState(3)
        self.rngs = [random.Random(5)]

    def __len__(self) -> int:
        return 12

    def draw(self) -> int:
        raise NotImplementedError

    def __iter__(self) -> Iterator[int]:
        for _ in range(3):
            start = self.draw()
            yield from range(start, start + 4)


class ByPython(Neighbours):
    def draw(self) -> int:
        return random.randint(0, 8)


class ByNumpy(Neighbours):
    def draw(self) -> int:
        return int(np.random.randint(9))


class ByTorch(Neighbours):
    def draw(self) -> int:
        return int(torch.randint(9, ()))


class ByState(Neighbours):
    def draw(self) -> int:
        return int(self.rng.randint(9))


class ByList(Neighbours):
    def draw(self) -> int:
        return self.rngs[0].randrange(9)


class ByHelper(Neighbours):
    def __init__(self) -> None:
        super().__init__()
        self.helpers = {"starts": [np.random.default_rng(3)]}

    def draw(self) -> int:
        return int(self.helpers["starts"][0].integers(9))


class ByClosure(Neighbours):
    def __init__(self) -> None:
        rng = random.Random(5)
        self.draw = lambda: rng.randrange(9)  # type: ignore[method-assign]


OF_MODULE = np.random.default_rng(3)


class ByModule(Neighbours):
    def draw(self) -> int:
        return int(OF_MODULE.integers(9))


class ByClass(Neighbours):
    of_class = random.Random(5)

    def draw(self) -> int:
        return self.of_class.randrange(9)


class ByEntropy(Neighbours):
    def draw(self) -> int:
        return int(np.random.default_rng().integers(9))


class AtOnce(Neighbours):
    """A permutation, drawn by ``__iter__`` itself."""

    def __iter__(self) -> Iterator[int]:
        return iter(np.random.permutation(12).tolist())


class Batches(ByPython):
    """A batch sampler that draws."""

    def __len__(self) -> int:
        return 3

    def __iter__(self) -> Iterator[Any]:
        return ([*range(start, start + 4)] for start in [self.draw(), self.draw(), self.draw()])


ELSEWHERE = [ByHelper, ByClosure, ByModule, ByClass]
DRAWING = [ByPython, ByNumpy, ByTorch, ByState, ByList, ByEntropy, AtOnce, Batches, *ELSEWHERE]


def loading_of(sampler: Any, base: Any, workers: int = 0, **options: Any) -> Any:
    dataset = AugmentedDataset(base, seed=42, **options)
    kind = (
        {"batch_sampler": sampler} if isinstance(sampler, Batches) else {"batch_size": 4, "sampler": sampler}
    )
    return loader(dataset, num_workers=workers, **kind)


def served(batches: Any) -> list[Any]:
    """Return the batches, of a training that draws from the process's generators between them."""
    result = []
    for batch in batches:
        result.append(batch.tolist())
        random.random(), np.random.rand(), torch.rand(1)
    return result


@pytest.mark.parametrize("sampler", DRAWING)
def test_a_bridge_keys_its_draws(sampler: type[Neighbours]) -> None:
    random.seed(1), np.random.seed(1), torch.manual_seed(1)
    states = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
    first = loading_of(sampler(), Noisy(), bridge=True)
    looked = peek(first).tolist()
    assert states == (random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist())
    epochs = [served(first) for _ in range(2)]
    random.seed(2), np.random.seed(2), torch.manual_seed(2)
    again = loading_of(sampler(), Noisy(), 2, bridge=True)
    again.sampler.rng = np.random.RandomState(9)
    assert [served(again) for _ in range(2)] == epochs
    assert looked == epochs[0][0]
    assert epochs[0] != epochs[1]
    starts = [batch[0][0] for epoch in epochs for batch in epoch]
    assert len(set(starts)) > 2
    resumed = loading_of(sampler(), Noisy(), bridge=True)
    resumed.resume(step=4)
    assert served(resumed) == epochs[1][1:]


def test_a_plain_dataloader_with_a_keyed_sampler_is_keyed_too() -> None:
    def epochs() -> list[Any]:
        dataset = AugmentedDataset(Noisy(), seed=42, bridge=True)
        loading = DataLoader(dataset, batch_size=4, sampler=KeyedSampler(ByNumpy(), seed=42))
        return [served(loading) for _ in range(2)]

    assert epochs() == epochs()


@pytest.mark.parametrize("sampler", DRAWING)
@pytest.mark.parametrize("workers", [0, 2])
def test_without_a_bridge_it_is_told_once(sampler: type[Neighbours], workers: int) -> None:
    loading = loading_of(sampler(), Still(), workers)
    with pytest.warns(UserWarning, match=TOLD) as told:
        served(loading) + served(loading)
    assert len(told) == 1
    assert told[0].filename == __file__


class Indices(Sampler[int]):
    """A sampler of one's own, without a draw of its own."""

    def __init__(self, epoch: int | None = None) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return 12

    def __iter__(self) -> Iterator[int]:
        return iter(range(12))


class ByEpoch(Indices):
    """Its order follows from the epoch that it is told, by a generator that it makes anew."""

    def __init__(self) -> None:
        super().__init__(0)
        self.rng = np.random.default_rng(0)

    def set_epoch(self, epoch: int) -> None:
        self.epoch, self.rng = epoch, np.random.default_rng((7, epoch))

    def __iter__(self) -> Iterator[int]:
        return iter(self.rng.permutation(12).tolist())


class OwnGenerator(Indices):
    """It draws from a torch generator, which a KeyedSampler keys."""

    generator: Any = None

    def __iter__(self) -> Iterator[int]:
        return iter(torch.randperm(12, generator=self.generator).tolist())


@pytest.mark.parametrize(
    "sampler",
    [
        *(Indices(), ByEpoch(), OwnGenerator(), range(12), EpochOrder(12, seed=1), RandomSampler(range(12))),
        WeightedRandomSampler([1.0] * 12, 12),
        DistributedSampler(range(12), num_replicas=2, rank=0),
    ],
    ids=lambda one: type(one).__name__,
)
@pytest.mark.parametrize("bridge", [False, True])
def test_samplers_that_are_right_are_not_told(sampler: Any, bridge: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loading = loading_of(sampler, Still(), bridge=bridge)
        for _ in range(2):
            served(loading)


def test_a_bridge_leaves_the_orders_of_torchs_samplers_as_they_are() -> None:
    for make in (RandomSampler, lambda dataset: WeightedRandomSampler([1.0] * 12, 12)):
        one, two = (served(loading_of(make(range(12)), Still(), bridge=bridge)) for bridge in (False, True))
        assert one == two


def test_draws_that_are_allowed_are_not_told() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        served(loading_of(ByPython(), Still(), on_unkeyed="allow"))
        wrapped = Subset(AugmentedDataset(Still(), seed=42), range(12))
        served(loader(wrapped, batch_size=4, sampler=ByPython(), on_unkeyed="allow"))


def test_what_draws_between_its_items_is_not_the_sampler() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dataset = AugmentedDataset(Noisy(), seed=42, on_unkeyed="allow")
        served(loader(dataset, batch_size=4, sampler=Indices(), on_unkeyed=None))


# Resume by steps


class Iterations(BatchSampler):
    """Batches of a whole training, as maskrcnn-benchmark makes them."""

    def __init__(self, batch_sampler: Any, iterations: int, start_iter: int = 0) -> None:
        self.batch_sampler, self.num_iterations, self.start_iter = batch_sampler, iterations, start_iter

    def __iter__(self) -> Iterator[Any]:
        iteration = self.start_iter
        while iteration <= self.num_iterations:
            if hasattr(self.batch_sampler.sampler, "set_epoch"):
                self.batch_sampler.sampler.set_epoch(iteration)
            for batch in self.batch_sampler:
                iteration += 1
                if iteration > self.num_iterations:
                    break
                yield batch

    def __len__(self) -> int:
        return self.num_iterations


class Skipping(Iterations):
    """One that does leave out the batches before its start."""

    def __iter__(self) -> Iterator[Any]:
        for number, batch in enumerate(self.batch_sampler):
            if number >= self.start_iter:
                yield batch


def iterations(kind: type[Iterations], inside: Any, workers: int, start: int = 0) -> Any:
    dataset = AugmentedDataset(Noisy(), seed=42, bridge=True)
    batches = kind(BatchSampler(inside(dataset), 5, drop_last=False), 8, start)
    return loader(dataset, batch_sampler=batches, num_workers=workers)


def one_of_two(dataset: Any) -> Any:
    return DistributedSampler(dataset, num_replicas=2, rank=1)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("inside", [RandomSampler, one_of_two])
def test_a_batch_sampler_of_iterations_resumes_by_its_step(inside: Any, workers: int) -> None:
    whole = [batch.tolist() for batch in iterations(Iterations, inside, workers)]
    assert len(whole) == 8
    resumed = iterations(Iterations, inside, workers)
    resumed.resume(step=5)
    assert [batch.tolist() for batch in resumed] == whole[5:]


@pytest.mark.parametrize("inside", [RandomSampler, one_of_two])
def test_a_start_that_leaves_nothing_out_is_told(inside: Any) -> None:
    loading = iterations(Iterations, inside, 0)
    loading.batch_sampler.start_iter = 5  # as scripts set it on the loader
    assert loading.batch_sampler.sampler.start_iter == 5
    with pytest.warns(UserWarning, match=r"start_iter=5 of the Iterations .* call loader.resume\(step=5\)"):
        served(loading)


@pytest.mark.parametrize("name", ["start_step", "first_batch", "_resume_iteration"])
def test_a_start_of_another_name_is_told(name: str) -> None:
    loading = iterations(Iterations, RandomSampler, 0)
    setattr(loading.batch_sampler.sampler, name, 3)
    with pytest.warns(UserWarning, match=rf"{name}=3 of the Iterations .* call loader.resume\(step=3\)"):
        served(loading)


def test_a_start_that_leaves_batches_out_is_right() -> None:
    whole = [batch.tolist() for batch in iterations(Skipping, RandomSampler, 0)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [batch.tolist() for batch in iterations(Skipping, RandomSampler, 0, 2)] == whole[2:]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("drop_last", [False, True])
def test_a_step_of_any_epoch(workers: int, drop_last: bool) -> None:
    def made() -> Any:
        dataset = AugmentedDataset(Noisy(), seed=42, bridge=True)
        return loader(dataset, batch_size=5, shuffle=True, num_workers=workers, drop_last=drop_last)

    whole = made()
    steps = [batch.tolist() for _ in range(3) for batch in whole]
    for step in (0, 1, len(whole), len(whole) + 1):
        for options in ({"step": step}, {"epoch": step // len(whole), "step": step % len(whole)}):
            resumed = made()
            resumed.resume(**options)
            rest = [batch.tolist() for _ in range(3) for batch in resumed]
            assert rest[: len(steps) - step] == steps[step:]
            assert resumed.state_dict()["epoch"] == step // len(whole) + 3


def test_wrong_steps_are_refused() -> None:
    loading = loading_of(Indices(), Still())
    with pytest.raises(ValueError, match="step must be"):
        loading.resume(step=-1)
    with pytest.raises(ValueError, match=r"step must be .*epoch 2 has 3 batches"):
        loading.resume(epoch=2, step=4)


def test_yielded_counts_batches_of_a_batch_sampler() -> None:
    loading = loading_of(Batches(), Still(), bridge=True)
    batches = iter(loading)
    next(batches), next(batches)
    assert loading.state_dict()["yielded"] == 2
