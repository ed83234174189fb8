"""More than two generators in equal states: those of one role move together, members of one pipeline do not."""

from __future__ import annotations

import pickle
import random
import warnings
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader

KEYS = 2_000
UNLIKELY = 25.0
"""Chi-square with one degree of freedom exceeds it once in two million cases."""


class Member:
    """A transform with a generator of its own, of which each seed gives another."""

    chance = 0.5

    def __init__(self, make: Callable[[int], Any], seed: int = 7) -> None:
        self.rng = make(seed)

    def __call__(self) -> bool:
        drawn = (
            torch.rand((), generator=self.rng) if isinstance(self.rng, torch.Generator) else self.rng.random()
        )
        fires = float(drawn) < self.chance
        if fires:  # other amounts, so that in an ordinary run the states part
            self.noise()
        return fires

    def noise(self) -> None:
        torch.rand(3, generator=self.rng) if isinstance(self.rng, torch.Generator) else self.rng.random()


class Flip(Member):
    pass


class Turn(Member):
    pass


class Contrast(Member):
    chance = 0.3


class Noise(Member):
    chance = 0.3


class Hooked(Flip):
    """As MONAI's transforms: a seed set from outside."""

    def set_random_state(self, seed: int | None = None, state: Any = None) -> None:
        self.rng = np.random.RandomState(seed) if state is None else state


class Chain:
    def __init__(self, *members: Any) -> None:
        self.members = members

    def __call__(self) -> list[bool]:
        return [member() for member in self.members]


class Volumes:
    """As pytorch-3dunet reads: each transform of the raw volume and of its label has a RandomState of one seed."""

    def __init__(self, make: Callable[[int], Any] = np.random.RandomState, kind: Any = Flip) -> None:
        self.raw = Chain(kind(make), Turn(make), Contrast(make), Noise(make))
        self.label = Chain(kind(make), Turn(make))

    def __len__(self) -> int:
        return KEYS

    def __getitem__(self, index: int) -> Any:
        return np.array([*self.raw(), *self.label()])


def of_torch(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def generator_of(bits: Any) -> Callable[[int], Any]:
    return lambda seed: np.random.Generator(bits(seed))


KINDS: dict[str, tuple[Any, Any]] = {
    "RandomState": (np.random.RandomState, Flip),
    "RandomState of Philox": (lambda seed: np.random.RandomState(np.random.Philox(seed)), Flip),
    "default_rng": (np.random.default_rng, Flip),
    "PCG64DXSM": (generator_of(np.random.PCG64DXSM), Flip),
    "Philox": (generator_of(np.random.Philox), Flip),
    "SFC64": (generator_of(np.random.SFC64), Flip),
    "MT19937": (generator_of(np.random.MT19937), Flip),
    "Random": (random.Random, Flip),
    "a subclass of Random": (type("Own", (random.Random,), {}), Flip),
    "torch": (of_torch, Flip),
    "hooks": (np.random.RandomState, Hooked),
    "hooks of default_rng": (np.random.default_rng, Hooked),
}


def chi_square(one: Any, other: Any) -> float:
    """Return the statistic of independence of two lines of booleans."""
    table = np.array([[np.sum((one == a) & (other == b)) for b in (0, 1)] for a in (0, 1)])
    expected = table.sum(1, keepdims=True) * table.sum(0, keepdims=True) / table.sum()
    return float(((table - expected) ** 2 / expected).sum())


def quietly(base: Any, **options: Any) -> AugmentedDataset:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset = AugmentedDataset(base, seed=1, bridge=ss.Bridge(**options))
        dataset.at(0, epoch=0)
    return dataset


@pytest.mark.parametrize("kind", KINDS)
def test_image_and_mask_stay_together_and_members_are_independent(kind: str) -> None:
    make, member = KINDS[kind]
    dataset = quietly(Volumes(make, member), verify=False)
    rows = np.array([dataset.at(index, epoch=3) for index in range(KEYS)])
    np.testing.assert_array_equal(rows[:, :2], rows[:, 4:])
    for first in range(4):
        chance = (0.5, 0.5, 0.3, 0.3)[first]
        fired = rows[:, first].sum()
        assert (fired - KEYS * chance) ** 2 / (KEYS * chance * (1 - chance)) < UNLIKELY  # as without a bridge
        for second in range(first):
            assert chi_square(rows[:, first], rows[:, second]) < UNLIKELY


def test_the_way_before_ties_them_all_and_is_asked_for() -> None:
    together = quietly(Volumes(), equal="together")
    rows = np.array([together.at(index, epoch=0) for index in range(40)])
    np.testing.assert_array_equal(rows[:, 0], rows[:, 1])
    apart = quietly(Volumes(), equal="apart")
    rows = np.array([apart.at(index, epoch=0) for index in range(200)])
    assert (rows[:, 0] != rows[:, 4]).any()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_epochs_and_a_resume_read_the_same(method: str) -> None:
    whole = list(batches(0, method))
    for workers in (0, 2):
        assert list(batches(workers, method, resume=False)) == whole
        assert list(batches(workers, method, resume=True)) == whole


def batches(workers: int, method: str, *, resume: bool = False) -> Iterator[Any]:
    """Yield three epochs of batches; with `resume`, each half by a loader of its own."""
    context = method if workers else None

    def make() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dataset = AugmentedDataset(Few(), seed=1, bridge=True)
        return loader(dataset, batch_size=4, num_workers=workers, multiprocessing_context=context)

    loading = make()
    for _ in range(3):
        if not resume:
            yield from (batch.tolist() for batch in loading)
            continue
        passing = iter(loading)
        yield from (next(passing).tolist() for _ in range(2))
        state = loading.state_dict()
        loading = make()
        loading.load_state_dict(state)
        yield from (batch.tolist() for batch in loading)


class Few(Volumes):
    def __len__(self) -> int:
        return 20


def test_what_moves_together_is_told_and_named() -> None:
    with pytest.warns(UserWarning, match="k-th with k-th") as given:
        dataset = AugmentedDataset(Volumes(), seed=1, bridge=True)
    dataset.at(0, epoch=0)
    assert len(given) == 1
    pairs = [[f".{side}.members[{k}].rng" for side in ("raw", "label")] for k in range(2)]
    assert dataset.manifest()["equal_generators"] == pairs
    assert "6 stored generators, 2 groups of 2 that move together" in repr(dataset)


def states(*kinds: Any) -> list[Any]:
    return [kind(np.random.RandomState) for kind in kinds]


class Two:
    def __init__(self) -> None:
        self.a, self.b = np.random.RandomState(7), np.random.RandomState(7)


class Holder(SimpleNamespace):
    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> int:
        return index


class Slotted:
    __slots__ = ("rng",)

    def __init__(self, make: Callable[[int], Any]) -> None:
        self.rng = make(7)


class Frozen(NamedTuple):
    first: Any
    second: Any


READABLE = {
    "pipelines inside pipelines": (
        {side: Chain(Chain(*states(Flip, Noise)), *states(Flip)) for side in ("raw", "label")},
        [
            [f".{side}.members[{inner}].rng" for side in ("raw", "label")]
            for inner in ("0].members[0", "0].members[1", "1")
        ],
    ),
    "slots and named tuples": (
        {side: Frozen(*states(Slotted, Flip)) for side in ("raw", "label")},
        [[f".{side}[{k}].rng" for side in ("raw", "label")] for k in range(2)],
    ),
    "two lists": (
        {"raw": states(Flip, Noise), "label": states(Flip, Noise)},
        [[".raw[0].rng", ".label[0].rng"], [".raw[1].rng", ".label[1].rng"]],
    ),
    "one class, several times": (
        {"raw": states(Flip, Flip), "label": states(Flip, Flip)},
        [[".raw[0].rng", ".label[0].rng"], [".raw[1].rng", ".label[1].rng"]],
    ),
    "other members between": (
        {"raw": [1, *states(Contrast, Flip, Noise)], "label": [1, *states(Flip)]},
        [[".raw[2].rng", ".label[1].rng"]],
    ),
    "entries of a dict": (
        {"of": {"raw": states(Flip, Noise), "label": states(Flip, Noise)}},
        [[".of['raw'][0].rng", ".of['label'][0].rng"], [".of['raw'][1].rng", ".of['label'][1].rng"]],
    ),
    "pipelines in one list": (
        {"chains": [Chain(*states(Flip, Noise)), Chain(*states(Flip, Noise))]},
        [[f".chains[{side}].members[{k}].rng" for side in range(2)] for k in range(2)],
    ),
    "attributes of two objects": (
        {"raw": Two(), "label": Two()},
        [[".raw.a", ".label.a"], [".raw.b", ".label.b"]],
    ),
    "three sides": (
        {side: states(Flip, Noise) for side in ("raw", "label", "weight")},
        [[f".{side}[{k}].rng" for side in ("raw", "label", "weight")] for k in range(2)],
    ),
    "generators themselves": (
        {side: [np.random.RandomState(7) for _ in range(2)] for side in ("raw", "label")},
        [[".raw[0]", ".label[0]"], [".raw[1]", ".label[1]"]],
    ),
    "files": (
        {"files": [SimpleNamespace(raw=states(Flip, Noise), label=states(Flip)) for _ in range(2)]},
        [[f".files[{k}].raw[0].rng", f".files[{k}].label[0].rng"] for k in range(2)],
    ),
}


@pytest.mark.parametrize("case", READABLE)
def test_roles_that_the_structure_shows(case: str) -> None:
    attributes, groups = READABLE[case]
    with pytest.warns(UserWarning, match="share one stream"):
        dataset = AugmentedDataset(Holder(**attributes), seed=1, bridge=True)
    dataset.at(0, epoch=0)
    assert dataset.manifest()["equal_generators"] == groups


UNREADABLE: dict[str, dict[str, Any]] = {
    "one pipeline": {"chain": states(Flip, Turn, Noise)},
    "one class in one list": {"chain": states(Flip, Flip, Flip)},
    "attributes of one object": {name: np.random.RandomState(7) for name in "abc"},
    "more of a class in one list": {"raw": states(Flip, Flip, Noise), "label": states(Flip, Noise)},
    "pairs, or pipelines": {"chains": [states(Flip, Flip), states(Flip, Flip)]},
    "one nested otherwise": {
        "raw": Chain(Chain(*states(Flip, Turn)), *states(Noise)),
        "label": Chain(*states(Flip, Turn, Noise)),
    },
    "lists of other classes": {"raw": states(Flip, Noise), "label": states(Turn, Contrast)},
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_where_no_roles_show_the_first_read_raises_with_both_lines_to_write(case: str) -> None:
    holder = Holder(**UNREADABLE[case])
    dataset = AugmentedDataset(holder, seed=1, bridge=True)
    there = pickle.loads(pickle.dumps(dataset))
    for one in (dataset, there):
        with pytest.raises(ss.NotReproducible, match="does not show which of them belong together") as raised:
            one.at(0, epoch=0)
        for word in ("together", "apart"):
            assert f'bridge=seedsafe.Bridge(equal="{word}")' in str(raised.value)
            AugmentedDataset(holder, seed=1, bridge=ss.Bridge(equal=word)).at(0, epoch=0)


def test_one_pair_keeps_its_stream_whatever_holds_it() -> None:
    """The numbers of a pair at version 1.0 of the contract: those of the segment of its first member."""
    pair = quietly(Holder(chain=states(Flip, Noise)), equal=None)
    apart = quietly(Holder(chain=states(Flip, Noise)), equal="apart")
    rows = []
    for dataset in (pair, apart):
        rows.append([source.name for source in dataset.reader._runner.search().sources])
    assert rows[0] == rows[1] == [".chain[0].rng", ".chain[1].rng"]
    segments = [source.segment for source in pair.reader._runner.search().sources]
    assert segments == [8, 8]
    assert [source.segment for source in apart.reader._runner.search().sources] == [8, 9]
