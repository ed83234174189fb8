"""Generators in equal states: an image and its mask stay together under a bridge, in every process and epoch."""

from __future__ import annotations

import copy
import pickle
import random
import warnings
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import seedsafe as ss
from seedsafe.bridging.search import find
from seedsafe_torch import AugmentedDataset, loader

TOGETHER, APART = ss.Bridge(equal="together"), ss.Bridge(equal="apart")


class Hooked:
    """As MONAI has it: a seed of its own, set from outside."""

    def __init__(self, seed: int) -> None:
        self.set_random_state(seed=seed)

    def set_random_state(self, seed: int | None = None, state: Any = None) -> None:
        self.R = np.random.RandomState(seed) if state is None else state

    def random(self) -> float:
        return float(self.R.random())


class Two(Hooked):
    """As MONAI's Compose has it: each member gets a seed of its own from the parent."""

    def __init__(self, seed: int, members: int) -> None:
        self.members = [Hooked(0) for _ in range(members)]
        super().__init__(seed)

    def set_random_state(self, seed: int | None = None, state: Any = None) -> None:
        super().set_random_state(seed, state)
        for member in self.members:
            member.set_random_state(seed=self.R.randint(2**31))

    def random(self) -> float:
        return self.members[0].random()


class Private(Hooked):
    """As albumentations has it: two generators."""

    def __init__(self, seed: int) -> None:
        self.set_random_state(np.random.default_rng(seed), random.Random(seed))

    def set_random_state(self, random_generator: Any, py_random: Any) -> None:  # type: ignore[override]
        self.generator, self.py_random = random_generator, py_random

    def random(self) -> float:
        return float(self.generator.random() + self.py_random.random())


class Inside:
    """What holds a generator, or another one of these."""

    __slots__ = ("generator",)

    def __init__(self, generator: Any) -> None:
        self.generator = generator


class Around(Hooked):
    """As imgaug has it: the seed replaces an object around the generator."""

    def seed_(self, seed: int) -> None:
        self.state = SimpleNamespace(entries=[Inside(np.random.default_rng(seed))])

    def __init__(self, seed: int) -> None:
        self.seed_(seed)

    set_random_state = None  # type: ignore[assignment]

    def random(self) -> float:
        return float(self.state.entries[0].generator.random())


class Within(Around):
    """It replaces what a slot holds."""

    def __init__(self, seed: int) -> None:
        self.state = Inside(np.random.RandomState(seed))

    def seed_(self, seed: int) -> None:
        self.state.generator = np.random.RandomState(seed)

    def random(self) -> float:
        return float(self.state.generator.random())


class Sequential(Around):
    """As imgaug's: the members get seeds of their own, although all were made with one."""

    def __init__(self, seed: int) -> None:
        self.members = [Around(seed), Within(seed), Around(seed)]

    def seed_(self, seed: int) -> None:
        for member in self.members:
            seed += 1
            member.seed_(seed)

    def random(self) -> float:
        first, *others = (member.random() for member in self.members)
        assert first not in others
        return first


def of_torch(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def draw(generator: Any) -> float:
    if isinstance(generator, torch.Generator):
        return torch.rand((), generator=generator, dtype=torch.float64).item()
    if isinstance(generator, np.random.BitGenerator):
        return float(np.random.Generator(generator).random())
    return float(generator.random())


KINDS: list[Callable[[int], Any]] = [
    np.random.default_rng,
    np.random.PCG64,
    np.random.RandomState,
    random.Random,
    of_torch,
    Hooked,
    Private,
    lambda seed: Two(seed, 2),
    Around,
    Within,
    Sequential,
]
NAMES = ["Generator", "PCG64", "RandomState", "Random", "torch", "MONAI", "albumentations", "MONAI's Compose"]
NAMES += ["imgaug", "a slot", "imgaug's Sequential"]
kinds = pytest.mark.parametrize("make", KINDS, ids=NAMES)


class Pairs:
    """An image and its mask, moved by two generators. The image draws once more in some samples."""

    def __init__(self, of_image: Any, of_mask: Any) -> None:
        self.image, self.mask = of_image, of_mask

    def __len__(self) -> int:
        return 36

    def __getitem__(self, index: int) -> Any:
        pair = draw(self.image), draw(self.mask)
        if pair[0] < 0.5:
            draw(self.image)
        return np.array(pair)


def read(base: Any, workers: int = 0, **options: Any) -> np.ndarray[Any, Any]:
    """Return two epochs of pairs, shape (72, 2)."""
    batches = loader(AugmentedDataset(base, seed=42, **options), batch_size=4, num_workers=workers)
    return np.concatenate([batch.numpy() for _ in range(2) for batch in batches])


@kinds
def test_pairs_stay_together_in_every_process_and_epoch(make: Any) -> None:
    pairs = read(Pairs(make(1), make(1)), bridge=TOGETHER)
    assert (pairs[:, 0] == pairs[:, 1]).all()
    assert len(np.unique(pairs[:, 0])) == 72
    np.testing.assert_array_equal(read(Pairs(make(1), make(1)), 2, bridge=TOGETHER), pairs)


@kinds
def test_distinct_states_keep_the_streams_that_they_had(make: Any) -> None:
    apart = read(Pairs(make(1), make(1)), bridge=APART)
    assert (apart[:, 0] != apart[:, 1]).all()
    np.testing.assert_array_equal(read(Pairs(make(1), make(2)), bridge=True), apart)


def test_a_compose_for_the_mask_with_fewer_members() -> None:
    pairs = read(Pairs(Two(1, 3), Two(1, 2)), bridge=TOGETHER)
    assert (pairs[:, 0] == pairs[:, 1]).all()


def test_joined_generators_are_named_once_and_in_the_manifest() -> None:
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        dataset = AugmentedDataset(Pairs(of_torch(0), of_torch(0)), seed=42, bridge=True)
        batches = loader(dataset, batch_size=4)
        for _ in range(2):
            for _ in batches:
                pass
    assert dataset.manifest()["equal_generators"] == [[".image", ".mask"]]
    (warning,) = given
    assert "share one stream" in str(warning.message)
    assert ".image, .mask. Pass Bridge(equal=" in str(warning.message)


def test_groups_are_named_in_one_warning() -> None:
    layers = Built(1, 2)
    with pytest.warns(UserWarning, match="share one stream") as given:
        AugmentedDataset(layers, seed=42, bridge=True)
    (warning,) = given
    groups = ".of_image[0], .of_mask[0]; .of_image[1], .of_mask[1]. Pass Bridge(equal="
    assert groups in str(warning.message)


def test_a_copy_in_another_process_keeps_what_was_found() -> None:
    base = Pairs(random.Random(1), random.Random(1))
    dataset = AugmentedDataset(base, seed=42, bridge=TOGETHER)
    base.image.random()  # as when a user looks at one image before the run
    there = pickle.loads(pickle.dumps(dataset))
    for index in range(8):
        np.testing.assert_array_equal(there.at(index, epoch=0), dataset.at(index, epoch=0))


def test_a_search_that_has_tried_the_hooks_makes_nobody_equal() -> None:
    before = read(Pairs(Two(1, 2), Two(2, 2)), bridge=True)
    base = Pairs(Two(1, 2), Two(2, 2))
    assert len(find(base).sources) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(read(base, bridge=True), before)
    assert (before[:, 0] != before[:, 1]).all()


def test_two_generators_over_one_source_are_no_pair() -> None:
    bits = np.random.PCG64(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AugmentedDataset(
            Pairs(np.random.Generator(bits), np.random.Generator(bits)), seed=42, bridge=True
        ).at(0, epoch=0)


def test_two_that_are_replaced_by_equal_ones_are_joined() -> None:
    base = Pairs(random.Random(1), random.Random(2))
    dataset = AugmentedDataset(base, seed=42, bridge=True)
    dataset.at(0, epoch=0)
    base.image = random.Random(5)
    base.mask = copy.copy(base.image)
    with pytest.warns(UserWarning, match=r"share one stream.*: \.image, \.mask"):
        image, mask = dataset.at(1, epoch=1)
    assert image == mask


@pytest.mark.parametrize("reads", [0, 3])
def test_a_pair_that_the_user_makes_equal_later_is_told(reads: int) -> None:
    base = Pairs(of_torch(1), of_torch(2))
    dataset = AugmentedDataset(base, seed=42, bridge=True)
    for index in range(reads):
        dataset.at(index, epoch=0)
    base.image.manual_seed(7)
    base.mask.manual_seed(7)
    with pytest.warns(UserWarning, match=r"equal states now, but were not.*: \.image, \.mask"):
        image, mask = dataset.at(5, epoch=0)
    assert image != mask


class Lazy(Pairs):
    """It makes its generators at the first read."""

    def __init__(self) -> None:
        pass

    def __getitem__(self, index: int) -> Any:
        if not hasattr(self, "image"):
            super().__init__(random.Random(1), random.Random(1))
        return np.array([draw(self.image), draw(self.mask)])


def test_a_pair_that_the_first_read_makes_is_told_in_every_process() -> None:
    with pytest.warns(UserWarning, match="equal states now"):
        pairs = read(Lazy(), bridge=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(read(Lazy(), 2, bridge=True), pairs)


class Built:
    """Its first read puts another layer before those that it has, as a Sequential of Keras does."""

    def __init__(self, *seeds: int) -> None:
        self.of_image, self.of_mask = ([random.Random(seed) for seed in seeds] for _ in range(2))
        self.first: Callable[[], Any] = str

    def __len__(self) -> int:
        return 36

    def __getitem__(self, index: int) -> Any:
        for layers in (self.of_image, self.of_mask):
            if len(layers) < 3:
                layers.insert(0, self.first())
        return np.array(
            [[layer.random() for layer in layers if layer] for layers in (self.of_image, self.of_mask)]
        )


@pytest.mark.parametrize("seeds", [(1, 1), (1, 2), (2, 1)])
def test_generators_that_the_first_read_moves_keep_their_groups(seeds: tuple[int, int]) -> None:
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        by_role = read(Built(*seeds), bridge=True)
    assert len(given) == 1
    np.testing.assert_array_equal(by_role[:, 0], by_role[:, 1])
    assert not (by_role[:, 0, 0] == by_role[:, 0, 1]).any()
    pairs = read(Built(*seeds), bridge=TOGETHER)
    np.testing.assert_array_equal(pairs[:, 0], pairs[:, 1])
    assert (pairs[:, 0, 0] == pairs[:, 0, 1]).all() == (seeds[0] == seeds[1])
    built = AugmentedDataset(Built(*seeds), seed=42, bridge=TOGETHER)
    there = pickle.loads(pickle.dumps(built))
    built.base[0]
    built_there = pickle.loads(pickle.dumps(built))
    for dataset in (there, built, built_there):
        np.testing.assert_array_equal(dataset.at(5, epoch=0), pairs[5])
    np.testing.assert_array_equal(read(Built(*seeds), 2, bridge=TOGETHER), pairs)


def test_a_generator_that_comes_to_the_path_of_another_has_a_stream_of_its_own() -> None:
    base = Built(1, 2)
    base.first = partial(random.Random, 3)
    dataset = AugmentedDataset(base, seed=42, bridge=TOGETHER)
    dataset.at(0, epoch=0)
    assert len(set(dataset.at(1, epoch=0)[0])) == 3


def test_arguments_of_a_partial_function_are_told_apart() -> None:
    def both(image: Any, one: Any, other: Any) -> Any:
        return image + np.array([one.random(), other.random()])

    bridged = ss.bridge(partial(both, one=np.random.default_rng(1), other=np.random.default_rng(2)))
    result = ss.Compose([bridged])(np.zeros(2), key=ss.SampleKey(42, 0, 0))
    assert result[0] != result[1]


def test_equal_is_checked() -> None:
    with pytest.raises(ValueError, match='equal must be "together", "apart" or None, got True'):
        ss.Bridge(equal=True)  # type: ignore[arg-type]


def crop_without_a_key() -> float:
    return float(ss.Compose([ss.RandomCrop(2)])(np.arange(10_000.0).reshape(100, 100))[0, 0])


def rand_of_torch() -> float:
    return torch.rand((), dtype=torch.float64).item()


def seeded(set_seed: Callable[[int], Any], draw: Callable[[], float], seed: int) -> float:
    set_seed(seed)
    return draw()


class Reseeding:
    """It sets one seed before the image and before the mask, and another one for something else."""

    def __init__(self, draw: Callable[[int], float]) -> None:
        self.draw = draw

    def __len__(self) -> int:
        return 36

    def __getitem__(self, index: int) -> Any:
        return np.array([self.draw(5), self.draw(6), self.draw(5)])


# By their names in the modules, where a region listens.
SETTERS: dict[str, tuple[Callable[[int], Any], Callable[[], float]]] = {
    "random": (lambda seed: random.seed(seed), random.random),
    "numpy": (lambda seed: np.random.seed(seed), np.random.rand),
    "torch": (lambda seed: torch.manual_seed(seed), rand_of_torch),
    "torch.random": (lambda seed: torch.random.manual_seed(seed), rand_of_torch),
}
SEEDED = {name: partial(seeded, *both) for name, both in SETTERS.items()} | {
    f"{name}, a pipeline": partial(seeded, SETTERS[name][0], crop_without_a_key)
    for name in ("random", "numpy", "torch")
}


@pytest.mark.parametrize("bridge", [True, False])
@pytest.mark.parametrize("name", SEEDED)
def test_equal_seeds_inside_a_read_give_equal_numbers(name: str, bridge: bool) -> None:
    if not bridge and "pipeline" not in name:
        return  # the global generators are the user's own
    runs = [read(Reseeding(SEEDED[name]), workers, bridge=bridge) for workers in (0, 2)]
    np.testing.assert_array_equal(*runs)
    first, other, last = runs[0].T
    assert (first == last).all()
    assert (first != other).mean() > 0.9
    assert len(np.unique(first)) > 60


def test_a_seed_that_is_drawn_gives_each_sample_its_own_numbers() -> None:
    def pair(_: int) -> float:
        return SEEDED["random"](np.random.randint(100))

    assert len(np.unique(read(Reseeding(pair), bridge=True)[:, 0])) == 72


def test_outside_a_read_seeds_are_as_before() -> None:
    with ss.keyed(ss.SampleKey(42, 0, 0)):
        pass
    before = random.getstate(), np.random.get_state(), torch.get_rng_state()
    expected = random.Random(5), np.random.RandomState(5), of_torch(5)
    assert [SEEDED[name](5) for name in ("random", "numpy", "torch")] == [draw(one) for one in expected]
    random.setstate(before[0])
    np.random.set_state(before[1])
    torch.set_rng_state(before[2])


def test_the_functions_can_still_be_sent_to_a_worker() -> None:
    for function in (random.seed, np.random.seed, torch.manual_seed):
        assert pickle.loads(pickle.dumps(function)) is function
