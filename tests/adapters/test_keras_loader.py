"""Keras trains on a loader of PyTorch: each epoch is one pass, on each backend that is installed here."""

from __future__ import annotations

import json
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import python

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, AugmentedIterable, loader

LENGTH, BATCH = 22, 4
TRAIN = f"""
import json, sys, warnings
import keras, numpy as np
import seedsafe_keras
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_keras_loader import made

class Writes(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.scale = self.add_weight(shape=(), initializer="ones")
    def call(self, x):
        return x * self.scale

class Model(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = Writes()
    def call(self, x):
        return self.inner(x)

def trained(kind, workers, plain, state, **fit_args):
    loading, served = made(kind, workers), []
    if state:
        loading.load_state_dict(state)
    model = Model()
    model.compile(loss="mse", optimizer=keras.optimizers.SGD(0.0))
    states = []
    class Spy(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            served.append(round(float(logs["loss"]), 4))
            self.model.reset_metrics()
        def on_epoch_end(self, epoch, logs=None):
            states.append(loading.state_dict())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        if plain:
            model.fit(loading, callbacks=[Spy()], verbose=0, **fit_args)
        else:
            seedsafe_keras.fit(model, loading, callbacks=[Spy()], verbose=0, **fit_args)
    return served, states, [str(one.message) for one in told if "seedsafe" in str(one.message)]

results = [trained(*one.pop("args"), **one) for one in json.loads(sys.argv[1])]
print("RESULTS", json.dumps(results))
"""


class Numbers:
    """Samples that tell their key: a random number at it, to be compared with zero."""

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> Any:
        return drawn({"__key__": index})


def drawn(record: dict[str, Any]) -> Any:
    return np.array([ss.generator().random() * 10], np.float32), np.zeros(1, np.float32)


def made(kind: str, workers: int) -> Any:
    if kind == "stream":
        records = [{"__key__": str(n)} for n in range(LENGTH)]
        return loader(AugmentedIterable(records, drawn, seed=3), batch_size=BATCH, num_workers=workers)
    return loader(AugmentedDataset(Numbers(), seed=3), batch_size=BATCH, shuffle=True, num_workers=workers)


def losses(kind: str, workers: int, epochs: int) -> list[list[float]]:
    loading = made(kind, workers)
    return [[float((x**2).mean()) for x, _ in loading] for _ in range(epochs)]


@cache
def results(backend: str) -> dict[int | str, Any]:
    """Return what each training gave, by its number of workers or as Keras's own, all of one process."""
    trainings: list[dict[str, Any]] = []
    for workers in (0, 2):
        resumed = {"args": ["dataset", workers, False, {"epoch": 1, "yielded": 2 * BATCH}]}
        trainings += [{"args": [kind, workers, False, None]} for kind in ("dataset", "stream")]
        trainings += [{**resumed, "initial_epoch": 1, "epochs": 3}, resumed]
    trainings += [{"args": [kind, 0, True, None]} for kind in ("dataset", "stream")]
    environment = {**os.environ, "KERAS_BACKEND": backend, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = python("-c", TRAIN, json.dumps([{"epochs": 2, **one} for one in trainings]), env=environment)
    answers = json.loads(done.stdout.partition("RESULTS")[2])
    return {0: answers[:4], 2: answers[4:8], "own": answers[8:]}


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("backend", ["tensorflow", "torch"])
def test_every_epoch_is_a_pass_and_a_look_is_none(backend: str, workers: int) -> None:
    whole, stream, rest, counted = results(backend)[workers]
    epochs = losses("dataset", workers, 3)
    wanted = [*epochs[0], *epochs[1]], [*epochs[1][2:], *epochs[2]], [*epochs[1][2:], *epochs[2]]
    for (served, states, told), right in zip((whole, rest, counted), wanted, strict=True):
        assert served == pytest.approx(right, abs=1e-3)
        assert not told
        assert [one["yielded"] for one in states] == [0, 0]
    assert [one["epoch"] for one in whole[1] + rest[1]] == [1, 2, 2, 3]
    assert stream[0] == pytest.approx(
        [one for epoch in losses("stream", workers, 2) for one in epoch], abs=1e-3
    )


@pytest.mark.parametrize("backend", ["tensorflow", "torch"])
def test_keras_own_fit_is_told_that_its_look_is_an_epoch(backend: str) -> None:
    for kind, (served, _, told) in zip(("dataset", "stream"), results(backend)["own"], strict=True):
        epochs = losses(kind, 0, 3)
        assert served == pytest.approx([*epochs[1], *epochs[2]], abs=1e-3)
        assert len(told) == 1
        assert "Train with seedsafe_keras.fit(model, loader)" in told[0]
