"""What Keras itself does, without this library: each function runs it and returns what it saw."""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import random
import tempfile
from typing import Any

from keras_bases import FRAMEWORK, Numbered
from keras_stream import recorder

keras = importlib.import_module(FRAMEWORK)


def _trained(
    sequence: Numbered, *, built: bool = True, shuffle: bool = False, **fit_args: Any
) -> dict[str, Any]:
    """Return the batch numbers that a model got in each epoch, their marks, and the sequence's log."""
    seen: list[Any] = []
    model = recorder(keras, seen)
    if built:
        model.test_on_batch(*sequence[0])
        seen.clear()
        sequence.log.clear()

    def begin(epoch: int, logs: Any) -> None:
        sequence.mark = epoch
        sequence.log.append(f"callback begin {epoch}")
        seen.append(("epoch", epoch, None))

    callback = keras.callbacks.LambdaCallback(on_epoch_begin=begin)
    model.fit(sequence, shuffle=shuffle, verbose=0, callbacks=[callback], **fit_args)
    numbers: list[list[int]] = []
    marks: list[set[int]] = []
    for step, x, y in seen:
        if step == "epoch":
            numbers.append([])
            marks.append(set())
        else:
            numbers[-1].append(int(x[0, 0]))
            marks[-1].add(int(y[0, 0]))
    return {"numbers": numbers, "marks": [sorted(mark) for mark in marks], "log": sequence.log}


def sequence_is_pydataset() -> dict[str, Any]:
    import keras as keras3

    return {"same": keras.utils.Sequence is keras3.utils.PyDataset}


def alone() -> dict[str, Any]:
    return _trained(Numbered(2), epochs=2)


def threads() -> dict[str, Any]:
    return _trained(Numbered(4, workers=2), epochs=3)


def processes() -> dict[str, Any]:
    return _trained(Numbered(4, workers=2, use_multiprocessing=True), epochs=2)


def processes_of_tf_keras() -> dict[str, Any]:
    return _trained(Numbered(4), initial_epoch=1, epochs=2, workers=2, use_multiprocessing=True)


def workers_before_training() -> dict[str, Any]:
    return _trained(Numbered(4, workers=2), built=False, epochs=2)


def fewer_steps_than_batches() -> dict[str, Any]:
    return _trained(Numbered(4, workers=2), epochs=2, steps_per_epoch=3)


def fewer_validation_steps() -> dict[str, Any]:
    seen: list[Any] = []
    model = recorder(keras, seen)
    held_out = Numbered(4, workers=2)
    model.test_on_batch(*held_out[0])
    seen.clear()
    model.fit(Numbered(1), validation_data=held_out, validation_steps=3, epochs=2, verbose=0)
    numbers = [int(x[0, 0]) for step, x, _ in seen if step == "test"]
    return {"numbers": [numbers[:3], numbers[3:]]}


def endless() -> dict[str, Any]:
    return _trained(Numbered(None, workers=2), epochs=3, steps_per_epoch=3)


def shuffled() -> dict[str, Any]:
    random.seed(1)
    first = _trained(Numbered(20), shuffle=True)["numbers"]
    random.seed(1)
    return {"equal": first == _trained(Numbered(20), shuffle=True)["numbers"], "numbers": first}


def refused_before_training() -> dict[str, Any]:
    """Return how plain calls on an unbuilt model end, and how many workers they leave behind."""
    from keras_bases import Samples

    import seedsafe as ss
    from seedsafe_keras import AugmentedSequence, EpochCallback, evaluate

    def make(**options: Any) -> AugmentedSequence:
        return AugmentedSequence(
            Samples(40), ss.Compose([]), seed=0, batch_size=2, workers=2, use_multiprocessing=True, **options
        )

    def told(run: Any) -> str:
        try:
            run()
        except RuntimeError as error:
            return str(error)
        return "no error"

    learner, fixed = make(), make(epoch=0)
    answer = {
        "fit": told(lambda: recorder(keras, []).fit(learner, callbacks=[EpochCallback(learner)], verbose=0)),
        "fit without callback": told(lambda: recorder(keras, []).fit(make(), verbose=0)),
        "evaluate": told(lambda: recorder(keras, []).evaluate(fixed, verbose=0)),
        "evaluate of seedsafe": told(lambda: evaluate(recorder(keras, []), make(), verbose=0)),
    }
    for worker in multiprocessing.active_children():
        worker.join(10)
    return answer | {"left": len(multiprocessing.active_children())}


def refused_under_a_strategy() -> dict[str, Any]:
    """Return the numbers of workers with which TensorFlow trains under a strategy."""
    import tensorflow as tf
    from keras_bases import Samples

    import seedsafe as ss
    from seedsafe_keras import AugmentedSequence, fit

    allowed = []
    for workers in (0, 1, 2):
        sequence = AugmentedSequence(Samples(9), ss.Compose([]), seed=0, batch_size=2, workers=workers)
        with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
            model = recorder(keras, [], graph=True)
        try:
            fit(model, sequence, verbose=0)
        except RuntimeError as error:
            allowed.append("pass workers=1" in str(error) or str(error))
        else:
            allowed.append(workers)
    return {"workers": allowed}


def resumed_midway() -> dict[str, Any]:
    """Return how a run ends that tf-keras resumes from a backup made within an epoch."""
    from keras_bases import Samples

    import seedsafe as ss
    from seedsafe_keras import AugmentedSequence, fit

    class Interruption(Exception):  # noqa: N818  # no error
        pass

    class Interrupt(keras.callbacks.Callback):  # type: ignore[misc,name-defined]
        def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
            if batch == 3:
                raise Interruption

    def run(folder: str, *callbacks: Any) -> None:
        model = recorder(keras, [])
        model.build((None, 10, 10, 3))
        sequence = AugmentedSequence(Samples(9), ss.Compose([]), seed=0, batch_size=2)
        backup = keras.callbacks.BackupAndRestore(folder, save_freq=2, delete_checkpoint=False)
        fit(model, sequence, callbacks=[backup, *callbacks], verbose=0)

    with tempfile.TemporaryDirectory() as folder:
        with contextlib.suppress(Interruption):
            run(folder, Interrupt())
        try:
            run(folder)
        except RuntimeError as error:
            return {"told": str(error)}
    return {"told": "no error"}
