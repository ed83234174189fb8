"""seedsafe_tf under the contract: its datasets, read as they are and through what tf.data puts around them."""

from __future__ import annotations

import tempfile
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from contract import (
    AUGMENT,
    IMAGES,
    LENGTH,
    SEED,
    Config,
    Global,
    Photographs,
    Seen,
    digest,
    of_numpy,
    of_python,
)
from keras_stream import recorder
from tensorflow.python.eager import context

import seedsafe as ss
import seedsafe_tf

# The generator that seeds ops have which are given none: a shuffle without a seed would move it.
of_tensorflow = Global(
    "TensorFlow",
    tf.random.set_seed,
    lambda: repr([context.context()._rng and context.context()._rng.getstate(), _drawn()]).encode(),
)


def _drawn() -> Any:
    return tf.random.get_global_generator().state.numpy().tolist()


def steps(config: Config) -> int:
    return -(-LENGTH // config.batch_size)


def data(config: Config, **options: Any) -> Any:
    """Return the dataset of a configuration: workers are parallel calls."""
    options = {"seed": SEED, "batch_size": config.batch_size, "shuffle": config.shuffle} | options
    options["num_parallel_calls"] = config.workers or None
    return seedsafe_tf.augment(Photographs(), AUGMENT, **options)


def items(batches: Any) -> list[tuple[int, bytes]]:
    return [
        (int(label), digest(np.asarray(image)))
        for images, labels in batches
        for image, label in zip(images, labels, strict=True)
    ]


def by_epoch(batches: Any, config: Config, first: int = 0) -> list[Seen]:
    """Return batches as the epochs that their number says they are."""
    listed = list(batches)
    return [
        Seen(first + at, items(listed[at * steps(config) : (at + 1) * steps(config)]))
        for at in range(len(listed) // steps(config))
    ]


class TfDriver:
    generators: tuple[Global, ...] = (of_python, of_numpy, of_tensorflow)

    def run(self, config: Config, epochs: int) -> list[Seen]:
        return by_epoch(data(config, epochs=epochs), config)

    def scenarios(self) -> dict[str, Any]:
        return {
            "prefetch": self.prefetch,
            "interleave": self.interleave,
            "second pass": self.second_pass,
            "early break": self.early_break,
            "two live iterators": self.two_live_iterators,
            "resume in mid-epoch": self.resume,
            "validation": self.validation,
            "iterator restored": self.restored,
            "keyed": self.keyed,
            "keras": self.keras,
        }

    def prefetch(self, config: Config) -> list[Seen]:
        return by_epoch(data(config, epochs=2).prefetch(tf.data.AUTOTUNE), config)

    def interleave(self, config: Config) -> list[Seen]:
        both = data(config, epochs=2)  # every other batch, from two iterators in turn
        turns = tf.data.Dataset.range(2).interleave(
            lambda part: both.shard(2, part), cycle_length=2, num_parallel_calls=2
        )
        return by_epoch(turns, config)

    def second_pass(self, config: Config) -> list[Seen]:
        twice = data(config, epochs=2)
        return by_epoch(twice, config) + by_epoch(twice, config)

    def early_break(self, config: Config) -> list[Seen]:
        broken = items(data(config, epochs=1).take(1))
        return [Seen(0, broken, whole=False), *by_epoch(data(config, epochs=2, start=(1, 0)), config, 1)]

    def two_live_iterators(self, config: Config) -> list[Seen]:
        pairs = list(zip(data(config, epochs=1), data(config, epoch=7), strict=True))
        return [Seen(0, items(one for one, _ in pairs)), Seen(7, items(other for _, other in pairs))]

    def resume(self, config: Config) -> list[Seen]:
        rest = list(data(config, epochs=2, start=(0, 1)))
        first = items(rest[: steps(config) - 1])
        return [Seen(0, first, start=config.batch_size), *by_epoch(rest[steps(config) - 1 :], config, 1)]

    def validation(self, config: Config) -> list[Seen]:
        fixed = data(config, epoch=ss.VALIDATION_EPOCH, shuffle=False)
        return [Seen(0, items(data(config, epochs=1))), Seen(ss.VALIDATION_EPOCH, items(fixed))]

    def restored(self, config: Config) -> list[Seen]:
        iterator = iter(data(config, epochs=1))
        next(iterator)
        point = tf.train.Checkpoint(iterator=iterator)
        with tempfile.TemporaryDirectory() as folder:
            path = point.write(f"{folder}/point")
            next(iterator)
            point.read(path)
        return [Seen(0, items(iterator), start=config.batch_size)]

    def keyed(self, config: Config) -> list[Seen]:
        """Number the photographs, order them, and augment them each by itself, epoch after epoch."""

        def ordered(epoch: int) -> Any:
            order = ss.epoch_order(SEED, epoch, LENGTH) if config.shuffle else range(LENGTH)
            return tf.data.Dataset.from_tensor_slices({"image": IMAGES[list(order)], "id": list(order)})

        passes = []
        for epoch in range(2):
            made = seedsafe_tf.keyed(
                ordered(epoch),
                AUGMENT,
                seed=SEED,
                epoch=epoch,
                id="id",
                num_parallel_calls=config.workers or None,
            )
            pairs = ((row["image"], row["id"]) for row in made.batch(config.batch_size))
            passes.append(Seen(epoch, items(pairs)))
        return passes

    def keras(self, config: Config) -> list[Seen]:
        """Stop after two epochs, and let fit go on from the third."""
        seen: list[Any] = []
        model = recorder(keras, seen)
        for first, end in ((0, 2), (2, 3)):
            batches = data(config, epochs=3, start=(first, 0))
            model.fit(
                batches,
                initial_epoch=first,
                epochs=end,
                steps_per_epoch=steps(config),
                shuffle=False,
                verbose=0,
            )
        return by_epoch(
            [(_exact(images), labels) for step, images, labels in seen if step == "train"], config
        )


def _exact(images: Any) -> Any:
    exact = images.astype(np.uint8)
    assert (exact == images).all()
    return exact
