"""The audit looks into collate functions."""

import random
from functools import partial

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader, mix

SAMPLES = [np.arange(n, n + 16) for n in range(64)]


class Masking:
    def __init__(self, rng):
        self.rng = rng

    def __call__(self, samples):
        tokens = np.stack(samples)
        return np.where(self.rng.random(tokens.shape) < 0.3, -1, tokens)


class OfWorkers:
    """Seeds a generator with the number of the worker, as transformers' collators with `seed` do."""

    def __init__(self):
        self.rng = None

    def __call__(self, samples):
        if self.rng is None:
            info = torch.utils.data.get_worker_info()
            self.rng = np.random.default_rng(7 + (info.id if info else 0))
        tokens = np.stack(samples)
        return np.where(self.rng.random(tokens.shape) < 0.3, -1, tokens)


class Flipping(Masking):
    """Two outcomes, and noise over both."""

    def __call__(self, samples):
        flips = self.rng.random() < 0.5
        return np.stack(samples)[:, :: -1 if flips else 1] + np.random.normal(size=16)


def by_a_constant(samples):
    return np.stack(samples) * np.random.default_rng(7).uniform(0.5, 2) + np.random.normal(size=16)


def from_globals(samples):
    return [sample[random.randrange(16)] for sample in samples], np.random.random()


def in_pairs(samples):
    """Take parts out of the samples."""
    return [(sample, samples.pop()) for sample in samples]


def plain(collate):
    return DataLoader(SAMPLES, batch_size=4, collate_fn=collate)


def keyed(collate, **options):
    return loader(AugmentedDataset(SAMPLES, seed=1, **options), batch_size=4, collate_fn=collate)


FOUND = {
    "a stored generator": (
        partial(plain, Masking(np.random.default_rng(0))),
        "fault",
        "workers make the same draws and an epoch",
    ),
    "two outcomes under noise": (
        partial(plain, Flipping(np.random.default_rng(0))),
        "fault",
        "workers make the same draws and an epoch",
    ),
    "a constant in the call": (partial(plain, by_a_constant), "fault", "workers make the same draws"),
    "a seed for each worker": (partial(plain, OfWorkers()), "fault", "function an epoch repeats"),
    "the process's generators": (partial(plain, from_globals), "warning", "depends on the number of workers"),
    "keyed, without a bridge": (partial(keyed, OfWorkers()), "fault", "function an epoch repeats"),
    "a bridge": (partial(keyed, OfWorkers(), bridge=True), "ok", "draws alike"),
    "a bridge, from globals": (partial(keyed, from_globals, bridge=True), "ok", "draws alike"),
    "nothing random": (partial(plain, np.stack), "ok", "draws nothing"),
    "nothing random, samples taken apart": (partial(plain, in_pairs), "ok", "draws nothing"),
    "torch's": (partial(plain, None), "ok", "the framework's own"),
    "a batch without one": (partial(keyed, None), "ok", "draws nothing"),
}


@pytest.mark.parametrize("name", FOUND)
def test_collate_functions(name):
    load, verdict, text = FOUND[name]
    answer = ss.audit(load(), questions=["collate"], samples=16, workers=(0, 2), start_methods=("fork",))[
        "collate"
    ]
    assert (answer.verdict, text in answer.summary) == (verdict, True), answer


def test_batches_are_counted_and_the_line_is_named():
    answer = ss.audit(
        plain(Masking(np.random.default_rng(0))),
        questions=["collate"],
        workers=(0, 4),
        start_methods=("fork",),
    )["collate"]
    assert "4 workers, fork, epoch 0: 24 of 24 readings equal worker 0's" in answer.evidence[0]
    assert any("test_audit_collate.py" in line and "self.rng.random" in line for line in answer.evidence)
    assert answer.at_fault == "loader"


def test_mixed_batches():
    images = [(np.full((4, 4), n, np.uint8), n % 3) for n in range(64)]
    load = loader(AugmentedDataset(images, seed=1), batch_size=4, collate_fn=mix(3))
    answer = ss.audit(load, questions=["collate"], samples=16, workers=(0, 2), start_methods=("fork",))[
        "collate"
    ]
    assert answer.verdict == "ok", answer
