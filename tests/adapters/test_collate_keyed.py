"""Generators that a collate function keeps follow the batch."""

import functools
import random

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader, mix, why_not_in_place


class Tokens:
    def __len__(self):
        return 48

    def __getitem__(self, index):
        return {"input_ids": list(range(index, index + 3 + index % 4)), "label": index}


def padded(samples, chances):
    """Pad lists of unequal length, and mask tokens whose chance is below 0.5. It takes the labels out of the samples."""
    labels = [sample.pop("label") for sample in samples]
    longest = max(len(sample["input_ids"]) for sample in samples)
    rows = [sample["input_ids"] + [0] * (longest - len(sample["input_ids"])) for sample in samples]
    return np.where(chances(len(rows) * longest).reshape(len(rows), longest) < 0.5, -1, rows), labels


class Attribute:
    def __init__(self):
        self.rng = np.random.default_rng(7)

    def __call__(self, samples):
        return padded(samples, self.rng.random)


class Lazy:
    """Makes its generator in each worker at the first batch, as transformers' collators do."""

    def __init__(self):
        self.generator = None

    def __call__(self, samples):
        if self.generator is None:
            info = torch.utils.data.get_worker_info()
            self.generator = torch.Generator().manual_seed(7 + (0 if info is None else info.id))
        return padded(samples, lambda n: torch.rand(n, generator=self.generator).numpy())


class Inner:
    def __init__(self):
        self.collators = {"tokens": [Attribute()]}

    def collate(self, samples):
        return self.collators["tokens"][0](samples)


def closed_over():
    rng = random.Random(7)

    def collate(samples):
        return padded(samples, lambda n: np.array([rng.random() for _ in range(n)]))

    return collate


def given(samples, rng):
    return padded(samples, lambda n: torch.rand(n, generator=rng).numpy())


OF_MODULE = np.random.default_rng(7)


def of_module(samples):
    return padded(samples, OF_MODULE.random)


COLLATORS = {
    "attribute": Attribute,
    "lazy": Lazy,
    "method": lambda: Inner().collate,
    "closure": closed_over,
    "partial": lambda: functools.partial(given, rng=torch.Generator().manual_seed(7)),
    "module": lambda: of_module,
    "of RandomState": lambda: functools.partial(padded, chances=np.random.RandomState(7).random_sample),
}


def passes(collate, workers, epochs=2, batch_size=4, **options):
    dataset = AugmentedDataset(Tokens(), seed=42, bridge=True)
    loading = loader(
        dataset, batch_size=batch_size, num_workers=workers, collate_fn=collate, shuffle=True, **options
    )
    return [[(rows.tolist(), labels) for rows, labels in loading] for _ in range(epochs)]


@pytest.mark.parametrize("name", COLLATORS)
def test_generators_of_a_collate_function_follow_the_batch(name):
    alone = passes(COLLATORS[name](), 0)
    assert passes(COLLATORS[name](), 2) == alone
    masks = [str(np.array(rows) == -1) for epoch in alone for rows, _ in epoch]
    assert len(set(masks)) > 20  # of 24


def test_it_does_not_matter_what_the_collate_function_drew_before():
    used = Attribute()
    used.rng.random(1000)
    assert passes(used, 0) == passes(Attribute(), 0)


def test_a_resume_gives_the_batches_that_were_left():
    def load():
        dataset = AugmentedDataset(Tokens(), seed=42, bridge=True)
        return loader(dataset, batch_size=4, num_workers=2, collate_fn=Lazy(), shuffle=True)

    whole = [(rows.tolist(), labels) for rows, labels in load()]
    stopped, resumed = load(), load()
    batches = iter(stopped)
    for _ in range(5):
        next(batches)
    resumed.load_state_dict(stopped.state_dict())
    assert [(rows.tolist(), labels) for rows, labels in resumed] == whole[5:]


def test_the_draws_of_globals_are_those_that_they_were():
    def collate(samples):
        return [sample["label"] for sample in samples], random.random(), np.random.random()

    class Stored:
        def __init__(self):
            self.rng = np.random.default_rng(3)

        def __call__(self, samples):
            return collate(samples)

    def draws(collate):
        dataset = AugmentedDataset(Tokens(), seed=42, bridge=True)
        return [batch[1:] for batch in loader(dataset, batch_size=24, collate_fn=collate)]

    expected = [(0.8039415287959775, 0.24854436998243412), (0.3308254514807011, 0.33733310633443536)]
    assert draws(collate) == draws(Stored()) == expected


class Counting:
    """Returns something else for each batch."""

    def __init__(self):
        self.batches = 0

    def __call__(self, samples):
        self.batches += 1
        return [sample["label"] * self.batches for sample in samples]


def test_what_a_bridge_does_not_reach_is_refused():
    dataset = AugmentedDataset(Tokens(), seed=42, bridge=True)
    with pytest.raises(
        ss.NotReproducible, match="the collate function Counting gave two results for one key"
    ):
        list(loader(dataset, batch_size=4, collate_fn=Counting()))
    free = AugmentedDataset(Tokens(), seed=42, bridge=ss.Bridge(verify=False))
    assert len(list(loader(free, batch_size=4, collate_fn=Counting()))) == 12


def test_samples_that_cannot_be_copied_are_collated():
    class Opened:
        def __init__(self, number):
            self.number = number

        def __deepcopy__(self, memory):
            raise TypeError("cannot copy an open file")

    class Files(Tokens):
        def __getitem__(self, index):
            return Opened(index)

    class Chosen(Attribute):
        def __call__(self, samples):
            return self.rng.random() + sum(sample.number for sample in samples)

    def batches():
        dataset = AugmentedDataset(Files(), seed=42, bridge=ss.Bridge(verify=False))
        return list(loader(dataset, batch_size=4, collate_fn=Chosen()))

    assert batches() == batches()


def test_spawned_workers_collate_alike():
    options = {"multiprocessing_context": "spawn"}
    assert passes(Attribute(), 1, epochs=1, **options) == passes(Attribute(), 0, epochs=1)


def test_mix_keeps_its_own_draws():
    pairs = [(np.full((4, 4), n, np.uint8), n % 2) for n in range(8)]

    def batches(**bridge):
        dataset = AugmentedDataset(pairs, seed=42, **bridge)
        return [image.tolist() for image, _ in loader(dataset, batch_size=4, collate_fn=mix(2))]

    assert batches(bridge=True) == batches()


def test_a_bridge_without_a_collate_function_makes_its_batches_in_place():
    dataset = AugmentedDataset(np.zeros((8, 256, 256), np.float32), seed=42, bridge=True)
    assert why_not_in_place(loader(dataset, batch_size=4)) is None
    assert "Attribute" in why_not_in_place(loader(dataset, batch_size=4, collate_fn=Attribute()))


def test_a_plain_loader_is_as_it_was():
    assert len(list(DataLoader(Tokens(), batch_size=4, collate_fn=Attribute()))) == 12
