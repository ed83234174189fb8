"""What users write around the library gives the right sample, or an error that names the way out."""

from __future__ import annotations

import copy
import gc
import pickle
import random
import time
from collections.abc import Iterator
from itertools import count
from typing import Any, ClassVar

import keras
import numpy as np
import pytest
import torch
from programs import python
from torch.utils.data import DataLoader, Dataset, Subset
from torch.utils.data._utils.collate import default_collate_fn_map

import seedsafe as ss
import seedsafe_keras
from seedsafe_keras import AugmentedSequence
from seedsafe_torch import AugmentedDataset, KeyedSampler, collate, loader

IMAGES = [np.full((80, 80, 3), index, np.uint8) for index in range(8)]
CROP = ss.Compose([ss.RandomCrop(60)])


# What is overridden is honoured


class More(AugmentedDataset):
    def __getitems__(self, indices: Any) -> list[Any]:
        return [image + 41 for image in super().__getitems__(indices)]


class Wrapper(Dataset[Any]):
    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: int) -> Any:
        return self.dataset[index]

    def __getitems__(self, indices: Any) -> list[Any]:
        return [self.dataset[index] + 41 for index in indices]


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("options", [{}, {"in_place": False}, {"num_workers": 1}], ids=str)
@pytest.mark.parametrize("kind", ["subclass", "wrapper"])
def test_a_loader_reads_batches_as_the_dataset_does(kind: str, options: dict[str, Any], inside: bool) -> None:
    dataset: Any = More(IMAGES, CROP, seed=1)
    if kind == "wrapper":
        dataset = Wrapper(AugmentedDataset(IMAGES, CROP, seed=1))
    given = [0, 1, 2, 1, 5, 2, 7]  # of several occurrences
    loading = loader(Subset(dataset, range(8)) if inside else dataset, batch_size=4, sampler=given, **options)
    images = torch.cat(list(loading)).numpy()
    for place, (index, image) in enumerate(zip(given, images, strict=True)):
        key = ss.SampleKey(1, 0, index, occurrence=given[:place].count(index))
        np.testing.assert_array_equal(image, CROP(IMAGES[index], key=key) + 41)


class Sevens(AugmentedSequence):
    """Changes the labels, and notes what Keras asks of it."""

    asked: ClassVar[list[Any]] = []

    def __getitem__(self, batch: Any) -> Any:
        images, labels = super().__getitem__(batch)
        self.asked.append(batch)
        return images, np.full_like(labels, 7)

    def on_epoch_end(self) -> None:
        self.asked.append("end")


def test_keras_reads_a_sequence_as_its_class_does() -> None:
    base = [(image[:4, :4].astype(np.float32), index) for index, image in enumerate(IMAGES[:6])]
    sequence = Sevens(base, ss.Compose([ss.RandomCrop(2)]), seed=1, batch_size=3)
    assert isinstance(sequence, Sevens)
    assert isinstance(sequence, keras.utils.PyDataset)
    for one in (sequence.at_epoch(1), pickle.loads(pickle.dumps(sequence)).at_epoch(1)):
        assert type(one) is type(sequence)
        assert one[0][1].tolist() == [7, 7, 7]
    Sevens.asked.clear()
    model = keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(1)])
    model.compile(loss="mse")
    seedsafe_keras.fit(model, sequence, epochs=2, verbose=0)
    assert {0, 1, "end"} <= set(Sevens.asked)


# Settings after construction


class Labelled(list[Any]):
    targets = (1, 2)


def test_what_is_looked_at_once_cannot_be_set() -> None:
    sequence = AugmentedSequence([(IMAGES[0], 1)], CROP, seed=1, batch_size=1, epoch=0)
    for dataset in (AugmentedDataset(IMAGES, CROP, seed=1), sequence):
        for name, value in (("targets", ("image",)), ("bridge", True), ("on_error", "raise")):
            with pytest.raises(
                AttributeError, match=f"{name} cannot be set after .* make another one with {name}="
            ):
                setattr(dataset, name, value)
    labelled: Any = AugmentedDataset(Labelled(IMAGES), CROP, seed=1)
    labelled.targets = (3,)
    assert labelled.base.targets == (3,)
    assert labelled[0].shape == (60, 60, 3)


def test_nothing_is_set_behind_the_back_of_persistent_workers() -> None:
    dataset: Any = AugmentedDataset(IMAGES, CROP, seed=1)
    loading = loader(dataset, batch_size=4, num_workers=1, persistent_workers=True)
    dataset.augment = ss.Compose([ss.RandomCrop(50)])
    assert next(iter(list(loading))).shape == (4, 50, 50, 3)
    for name, value in (("augment", CROP), ("base", IMAGES[:4])):
        setattr(dataset, name, value)
        with pytest.raises(
            RuntimeError, match=f"{name} was set after the workers began, which read their own"
        ):
            list(loading)
    del loading
    assert next(iter(list(loader(dataset, batch_size=4, num_workers=1)))).shape == (4, 60, 60, 3)


# One check for everything that is run


class Global(ss.ImageTransform):
    def apply_image(self, image: Any, params: Any) -> Any:
        return image + np.uint8(np.random.randint(50))


class Counter(ss.ImageTransform):
    count: ClassVar[list[int]] = [0]

    def draw(self, rng: Any, info: Any) -> Any:
        self.count[0] += 1
        return self.count[0]

    def apply_image(self, image: Any, params: Any) -> Any:
        return image + np.uint8(params)


class Mine(ss.ImageTransform):
    """A transform whose apply is a function."""

    def __init__(self, function: Any) -> None:
        object.__setattr__(self, "function", function)

    def apply_image(self, image: Any, params: Any) -> Any:
        return image + np.asarray(self.function(image))  # as wide as given: no two draws are equal by chance


CALLS = count(1)
APPLIED = {
    "counter": (lambda image: next(CALLS), "keeps something from call to call"),
    "entropy": (lambda image: np.random.default_rng().integers(2**60), "draws elsewhere"),
    "clock": (lambda image: time.perf_counter_ns(), "keeps something from call to call"),
    "random": (lambda image: random.randrange(2**60), "draws from random"),
}
"""What an apply must not do, and what is said of it."""


class Keyed(ss.ImageTransform):
    def draw(self, rng: Any, info: Any) -> Any:
        return rng.integer(50)

    def apply_image(self, image: Any, params: Any) -> Any:
        return image + np.uint8(params)


def of_random(sample: Any, *, key: ss.SampleKey) -> Any:
    return sample + np.uint8(random.randrange(50))


def of_entropy(sample: Any, *, key: ss.SampleKey) -> Any:
    return sample + np.uint8(np.random.default_rng().integers(50))


def constant(sample: Any, *, key: ss.SampleKey) -> Any:
    sample += np.uint8(1)  # its own copy, of a base that makes one
    return sample


def reseeding(sample: Any, *, key: ss.SampleKey) -> Any:
    random.seed(key.index)
    return sample + np.uint8(random.randrange(50))


class Fresh:
    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> Any:
        return np.zeros((8, 8, 3), np.uint8)


def read(augment: Any, **options: Any) -> list[int]:
    dataset = AugmentedDataset(Fresh(), augment, seed=1, **options)
    return [int(dataset.at(index, epoch=0).flat[0]) for index in range(40)]


@pytest.mark.parametrize("bridge", [False, True])
@pytest.mark.parametrize(
    ("augment", "why"),
    [
        (Global(), "draws from numpy.random"),
        (ss.Compose([ss.HorizontalFlip(), Global()]), "draws from numpy.random"),
        (ss.OneOf([Global()]), "draws from numpy.random"),
        (Counter(), "keeps something from call to call"),
        (of_random, "draws from random"),
    ],
    ids=["global", "in a pipeline", "in a container", "counter", "callable"],
)
def test_an_augmentation_that_ignores_its_key_is_refused(augment: Any, why: str, bridge: bool) -> None:
    state = np.random.get_state()[1].tolist(), random.getstate()
    with pytest.raises(ss.NotReproducible, match=f"two results for one key .*{why}.*seedsafe.generator"):
        read(augment, bridge=bridge)
    if bridge:
        assert (np.random.get_state()[1].tolist(), random.getstate()) == state


@pytest.mark.parametrize(
    "augment",
    [Keyed(), ss.Compose([Keyed(), ss.RandomCrop(4)]), constant, reseeding],
    ids=["keyed", "pipeline", "constant", "reseeding"],
)
def test_an_augmentation_that_is_deterministic_is_right(augment: Any) -> None:
    assert read(augment) == read(augment)


@pytest.mark.parametrize("bridge", [False, True])
@pytest.mark.parametrize("form", ["alone", "pipeline", "views", "mask"])
@pytest.mark.parametrize("name", APPLIED)
def test_an_apply_that_ignores_its_parameters_is_refused(name: str, form: str, bridge: bool) -> None:
    function, why = APPLIED[name]
    augment: Any = Mine(function) if form == "alone" else ss.Compose([ss.RandomCrop(4), Mine(function)])
    base = [{"image": image, "mask": image[..., 0]} if form == "mask" else image for image in IMAGES]
    dataset = AugmentedDataset(base, augment, seed=1, bridge=bridge, views=2 if form == "views" else None)
    with pytest.raises(ss.NotReproducible, match=f"two results for one key .*{why}"):
        dataset.at(0, epoch=0)


def test_only_what_somebody_applies_is_made_twice_and_of_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, library = [], []
    usual = ss.ToFloat.apply_image
    monkeypatch.setattr(ss.ToFloat, "apply_image", lambda *given: library.append(0) or usual(*given))

    def changing(image: Any) -> Any:
        seen.append(int(image.flat[0]))
        image[...] = 9
        return np.uint8(1)

    augment = ss.Compose([Mine(changing), ss.ToFloat()])
    images = [image.copy() for image in IMAGES]
    dataset = AugmentedDataset(images, augment, seed=1)
    for epoch in range(5):
        for index in range(8):
            dataset.at(index, epoch=epoch)
    assert len(library) == 40
    assert len(seen) == 3 * 32 + 8
    assert set(seen) == set(range(8))
    assert same_arrays(images, IMAGES)


def same_arrays(ours: Any, theirs: Any) -> bool:
    return all(np.array_equal(one, other) for one, other in zip(ours, theirs, strict=True))


def test_what_apply_makes_of_entropy_is_found_under_a_bridge() -> None:
    with pytest.raises(ss.NotReproducible, match=r"two results for one key .*draws elsewhere"):
        read(of_entropy, bridge=True)


def test_ready_batches_are_checked_too() -> None:
    class Ready(keras.utils.PyDataset):
        batch_size = 4

        def __len__(self) -> int:
            return 2

        def __getitem__(self, index: int) -> Any:
            return np.stack(IMAGES[:4])

    with pytest.raises(ss.NotReproducible, match=r"draws from numpy\.random"):
        AugmentedSequence(Ready(), Global(), seed=1, epoch=0)[0]
    batch = AugmentedSequence(Ready(), Keyed(), seed=1, epoch=0)[1]
    for row, image in enumerate(batch):
        np.testing.assert_array_equal(image, Keyed()(IMAGES[row], key=ss.SampleKey(1, 0, 4 + row)))


class Returns(ss.ImageTransform):
    made: Any = None

    def draw(self, rng: Any, info: Any) -> Any:
        return rng.generator if self.made is None else self.made

    def apply_image(self, image: Any, params: Any) -> Any:
        params += 1
        return image + np.uint8(params[0])


def test_parameters_do_not_drift_from_replay_to_replay() -> None:
    with pytest.raises(
        TypeError, match="draw of Returns returned a Generator, which gives different numbers at each replay"
    ):
        ss.Compose([Returns()]).params(ss.SampleKey(1, 0, 0), (8, 8, 3))
    numbers = np.zeros(3)
    Returns.made = numbers
    try:
        drawn = ss.Compose([Returns()]).params(ss.SampleKey(1, 0, 0), (8, 8, 3))
        with pytest.raises(ValueError, match="read-only"):
            ss.Compose([Returns()]).replay(IMAGES[0], drawn)
    finally:
        Returns.made = None
    assert numbers.flags.writeable
    assert numbers.tolist() == [0, 0, 0]


# keyed() in another order


def numbers_of(index: int) -> Iterator[float]:
    with ss.keyed(ss.SampleKey(1, 0, index)):
        yield random.random()
        yield random.random()


def test_keyed_that_is_left_out_of_order_raises_and_restores() -> None:
    wanted = list(numbers_of(1))
    state = random.getstate()
    one, other = numbers_of(0), numbers_of(1)
    next(one)
    assert next(other) == wanted[0]
    next(one)
    with pytest.raises(RuntimeError, match=r"keyed\(\) was left before another keyed\(\) inside it"):
        next(one)
    assert list(other)  # leaves in turn
    assert random.getstate() == state


def test_a_generator_that_is_collected_restores_without_a_word() -> None:
    wanted = list(numbers_of(1))
    state = random.getstate()
    one = numbers_of(0)
    next(one)
    with ss.keyed(ss.SampleKey(1, 0, 1)):
        found = [random.random()]
        del one
        gc.collect()
        found.append(random.random())
    assert found == wanted
    assert random.getstate() == state


def test_keyed_never_hides_an_exception() -> None:
    state = random.getstate()
    one: Any = numbers_of(0)
    next(one)
    with ss.keyed(ss.SampleKey(1, 0, 1)), pytest.raises(KeyError, match="mine"):
        one.throw(KeyError("mine"))
    assert random.getstate() == state


# Collation under a bridge


class Noisy:
    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> Any:
        return np.random.rand(3)


def drawing(samples: Any) -> Any:
    return collate(samples), random.random(), np.random.rand(), torch.rand(1).item()


def test_what_a_collate_function_draws_follows_the_first_key() -> None:
    def passes(workers: int, **options: Any) -> Any:
        loading = loader(
            AugmentedDataset(Noisy(), seed=1, bridge=True),
            shuffle=True,
            num_workers=workers,
            collate_fn=drawing,
            **options,
        )
        return [[batch[1:] for batch in loading] for _ in range(2)]

    state = random.getstate()
    here = passes(0, batch_size=3)
    assert random.getstate() == state
    assert here == passes(1, batch_size=3) == passes(2, batch_size=3)
    assert len({number for epoch in here for numbers in epoch for number in numbers}) == 24
    assert passes(0, batch_size=4) == passes(2, batch_size=4)


# Batches in place


class Doubled(np.ndarray[Any, Any]):
    pass


@pytest.mark.parametrize("workers", [0, 1])
def test_a_registered_subclass_of_arrays_keeps_its_collate_function(
    workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def twice(samples: Any, *, collate_fn_map: Any) -> Any:
        return 2 * torch.stack([torch.as_tensor(np.asarray(sample)) for sample in samples])

    monkeypatch.setitem(default_collate_fn_map, Doubled, twice)
    dataset = AugmentedDataset([np.ones((99, 99, 3), np.float32).view(Doubled)] * 16, seed=1)
    for in_place in (False, None):
        (batch,) = loader(dataset, batch_size=16, num_workers=workers, in_place=in_place)
        assert batch.max() == 2


# Passes and epochs


class ReadsALoader(Dataset[Any]):
    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Any:
        batch = next(iter(loader(AugmentedDataset(IMAGES, seed=1, epoch=index), batch_size=4)))
        return copy.deepcopy(batch), str(type(batch))


def collate_and_copy(samples: Any) -> Any:
    return copy.deepcopy(collate([images for images, _ in samples])), samples[0][1]


def test_a_loader_inside_a_worker_returns_plain_tensors() -> None:
    for workers in (0, 1):
        ((images, kind),) = DataLoader(
            ReadsALoader(), batch_size=2, num_workers=workers, collate_fn=collate_and_copy
        )
        assert kind == "<class 'torch.Tensor'>"
        assert images.shape == (2, 4, 80, 80, 3)
        assert images[:, :, 0, 0, 0].tolist() == [[0, 1, 2, 3]] * 2


WORKERS = [{}, {"num_workers": 2}, {"num_workers": 2, "persistent_workers": True}]


def same_batches(one: Any, other: Any) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("workers", WORKERS, ids=str)
def test_passes_over_one_loader_at_once_take_epochs_in_the_order_of_their_first_batch(workers: Any) -> None:
    def made() -> Any:
        return loader(AugmentedDataset(IMAGES, CROP, seed=1), batch_size=2, shuffle=True, **workers)

    one_by_one = made()
    epochs = [list(one_by_one) for _ in range(5)]
    loading = made()
    second, first = iter(loading), iter(loading)
    firsts, seconds = [next(first)], [next(second)]
    for a, b in zip(first, second, strict=True):
        firsts.append(a)
        seconds.append(b)
    assert same_batches(firsts, epochs[0])
    assert same_batches(seconds, epochs[1])
    pairs = list(zip(loading, loading, strict=True))
    assert same_batches([a for a, _ in pairs], epochs[2])
    assert same_batches([b for _, b in pairs], epochs[3])
    assert same_batches(loading, epochs[4])


@pytest.mark.parametrize("workers", WORKERS, ids=str)
def test_passes_at_once_with_a_fixed_epoch_are_equal(workers: Any) -> None:
    fixed = loader(AugmentedDataset(IMAGES, CROP, seed=1), batch_size=2, epoch=3, **workers)
    pairs = list(zip(fixed, fixed, strict=True))
    assert len(pairs) == 4
    assert same_batches([a for a, _ in pairs], [b for _, b in pairs])


def test_a_state_is_refused_while_a_pass_is_open_that_is_not_the_latest() -> None:
    loading = loader(AugmentedDataset(IMAGES, CROP, seed=1), batch_size=2)
    first, second = iter(loading), iter(loading)
    next(first)
    next(first)
    next(second)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="use one loader each"):
            loading.state_dict()
        list(second)  # the state after the first pass is not that after the second
    del first
    assert loading.state_dict() == {"epoch": 2, "yielded": 0}
    third = iter(loading)
    next(third)
    assert (loading.state_dict()["epoch"], loading.state_dict()["yielded"]) == (2, 2)
    list(third)


def test_samplers_alone_refuse_a_state_while_two_passes_are_open() -> None:
    sampler = KeyedSampler(range(4), seed=1)
    first, second = iter(sampler), iter(sampler)
    assert [(next(first).epoch, next(second).epoch) for _ in range(3)] == [(0, 1)] * 3
    with pytest.raises(RuntimeError, match="use one loader each"):
        sampler.state_dict()
    list(first)
    assert (sampler.state_dict()["epoch"], sampler.state_dict()["yielded"]) == (1, 3)


def test_the_warning_of_an_epoch_that_nobody_tells_says_how_a_thread_is_told() -> None:
    dataset = AugmentedDataset(IMAGES, CROP, seed=1)
    images = DataLoader(dataset)
    list(images)
    with pytest.warns(UserWarning, match=r"dataset\.at\(index, epoch=epoch\).*current_key\(\)"):
        list(images)


class Closing:
    """Mixes images until an epoch that is set from outside."""

    strength = 1.0

    def __len__(self) -> int:
        return 100

    def __getitem__(self, index: int) -> Any:
        return np.array([index, self.strength * np.random.rand()])


def test_a_base_that_changes_with_the_epoch_is_reproducible() -> None:
    base = Closing()
    dataset = AugmentedDataset(base, seed=1, bridge=True)
    for epoch in range(2):
        base.strength = 1.0 - epoch
        for index in range(100):  # of which call 128 is in the second epoch
            dataset.at(index, epoch=epoch)


def test_a_class_of_an_interactive_main_is_refused_before_spawned_workers_start() -> None:
    code = """
import numpy as np
from seedsafe_torch import AugmentedDataset, loader
class Base(list):
    pass
loader(AugmentedDataset(Base([np.zeros(3)]), seed=1), num_workers=1, multiprocessing_context="spawn")
"""
    done = python("-c", code, check=False)
    assert "dataset must be picklable for workers started by 'spawn'" in done.stderr
    assert "interactive __main__" in done.stderr
