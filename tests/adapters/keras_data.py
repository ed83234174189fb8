"""The data that the Keras tests train on, and the stream that each configuration must give. No Keras in here."""

from __future__ import annotations

import hashlib
from typing import Any, TypedDict

import numpy as np

import seedsafe as ss

SEED = 42

Stream = list[tuple[int, int, str]]
"""(Keras's epoch, index, digest of the sample's bytes), in the order in which the model got them."""


class Config(TypedDict, total=False):
    """What a run does; what it leaves out is Keras's or AugmentedSequence's default."""

    kind: str  # "samples" or "batches"
    count: int
    batch_size: int
    workers: int
    use_multiprocessing: bool
    max_queue_size: int
    shuffle: bool
    repeat: bool
    epochs: int
    initial_epoch: int
    steps_per_epoch: int
    validation: bool
    validation_steps: int
    stopped: bool  # another run on the same sequence is stopped in mid-epoch before
    midway: bool  # the model is evaluated on the same sequence in mid-epoch
    steps_per_execution: int
    built: bool  # the model is built before
    plain: bool  # model.fit with an EpochCallback, instead of seedsafe_keras.fit
    graph: bool  # the training step is compiled
    scramble: int  # the state in which the global generators start
    foreign: bool  # the sequence is made for the other Keras than the model
    unpicklable: bool  # the base holds a lambda
    broken: bool  # the epoch does not reach the sequence: what the tests must notice
    fact: str  # a function of keras_facts, instead of a run


DEFAULTS: Config = {"kind": "samples", "count": 11, "batch_size": 3, "epochs": 3, "initial_epoch": 0}


def pixels(count: int) -> np.ndarray:
    """Return `count` different images, uint8, (count, 10, 10, 3)."""
    return np.random.default_rng(0).integers(0, 256, (count, 10, 10, 3), dtype=np.uint8)


def augmentation() -> ss.Compose:
    return ss.Compose([ss.RandomCrop(8), ss.HorizontalFlip(p=0.5), ss.GaussianNoise(std=(1, 12))])


def digest(image: Any) -> str:
    whole = np.ascontiguousarray(image, np.uint8)
    assert (whole == image).all()
    return hashlib.blake2b(whole.tobytes(), digest_size=8).hexdigest()


def expected(config: Config, *, validation: bool = False) -> Stream:
    """Return the stream of a configuration, from the contract alone."""
    c = {**DEFAULTS, **config}
    batches = -(-c["count"] // c["batch_size"])
    steps = c.get("validation_steps", batches) if validation else c.get("steps_per_epoch", batches)
    stream: Stream = []
    for epoch in range(c["initial_epoch"], c["epochs"]):
        for step in range(steps) if validation else range(epoch * steps, (epoch + 1) * steps):
            data_epoch, batch = (
                divmod(step, batches) if c.get("repeat") and not validation else (epoch, step % steps)
            )
            if validation:
                data_epoch = ss.VALIDATION_EPOCH
            stream += [(epoch, *sample) for sample in _batch(c, data_epoch, batch)]
    return stream


def _batch(c: Any, epoch: int, batch: int) -> list[tuple[int, str]]:
    count, size = c["count"], c["batch_size"]
    units = count if c["kind"] == "samples" else -(-count // size)
    order = ss.epoch_order(SEED, epoch, units) if c.get("shuffle") else np.arange(units)
    if c["kind"] == "samples":
        indices = [int(unit) for unit in order[batch * size : (batch + 1) * size]]
    else:
        indices = list(range(int(order[batch]) * size, min((int(order[batch]) + 1) * size, count)))
    images, augment = pixels(count), augmentation()
    return [
        (index, digest(augment(images[index], key=ss.SampleKey(SEED, epoch, index)))) for index in indices
    ]
