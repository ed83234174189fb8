"""fit and evaluate: a model's own, on sequences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from seedsafe import VALIDATION_EPOCH
from seedsafe.reading import checked_int
from seedsafe_keras import framework as frameworks
from seedsafe_keras import loaders
from seedsafe_keras.epoch import EpochCallback
from seedsafe_keras.sequence import AugmentedSequence

__all__ = ["evaluate", "fit"]

_REASONS: Final = {
    "x": "the sequence is the second argument",
    "y": "the sequence's batches hold the labels",
    "sample_weight": "the sequence's batches hold the weights, as their third element",
    "batch_size": "it is the sequence's",
    "validation_split": "pass another AugmentedSequence as validation_data",
    "workers": "it is the sequence's",
    "use_multiprocessing": "it is the sequence's",
    "max_queue_size": "it is the sequence's",
}


def fit(model: Any, sequence: Any, **fit_args: Any) -> Any:
    """Train a model on a sequence, or on a loader of PyTorch: ``model.fit`` with the right epochs, order and workers.

    It trains on a view that shares the sequence's attributes, so what your callbacks set on the sequence takes effect. It adds an
    EpochCallback before your callbacks and turns Keras's own shuffling off. If Keras would start workers to build the model, it
    builds the model first. Epochs count from ``initial_epoch``, so a
    resumed run gets the batches of the uninterrupted run.

    A loader from ``seedsafe_torch.loader`` trains by Keras 3 on any backend. Its passes are the epochs, from ``initial_epoch`` if that is
    given, else from the loader's own next epoch or loaded state. Keras reads its first batches before training, which uses up no epoch.

    Args:
        model: a compiled Keras 3 or tf-keras 2 model.
        sequence: the training data, an AugmentedSequence or a loader from ``seedsafe_torch.loader``.
        **fit_args: arguments of ``model.fit``. An AugmentedSequence as ``validation_data`` is read at the reserved epoch
            ``VALIDATION_EPOCH`` unless it has its own; ``validation_steps`` takes its first batches.
            ``steps_per_epoch`` other than ``len(sequence)`` needs a sequence with ``repeat=True``.

    Returns:
        The result of ``model.fit``.

    Raises:
        TypeError: the model or the sequence has the wrong type, or an argument belongs to the sequence.
        ValueError: ``shuffle`` is true, or a number of steps does not fit.

    Example:
        >>> import keras
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> model = keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(1)])
        >>> model.compile(loss="mse")
        >>> base = [(np.full((4, 4), i, np.uint8), i) for i in range(5)]
        >>> sequence = AugmentedSequence(base, ss.Compose([ss.RandomCrop(2)]), seed=42, batch_size=3)
        >>> fit(model, sequence, epochs=2, validation_data=sequence, verbose=0).epoch
        [0, 1]
    """
    framework = _framework(model)
    if framework == "keras" and loaders.is_keyed(sequence):
        _check_arguments(fit_args)
        return loaders.fit(model, sequence, _callbacks(fit_args.pop("callbacks", None)), fit_args)
    _check(sequence, fit_args)
    steps = fit_args.pop("steps_per_epoch", None)
    run = sequence.view(framework=framework)
    if sequence.repeat:
        steps = len(sequence) if steps is None else _steps("steps_per_epoch", steps)
        run = sequence.view(framework=framework, limit=steps)
        fit_args["steps_per_epoch"] = steps
    elif steps not in (None, len(sequence)):
        raise ValueError(
            f"steps_per_epoch must be {len(sequence)}, the sequence's length, got {steps}: leave it out, or pass "
            "repeat=True to the sequence"
        )
    validation = fit_args.get("validation_data")
    if isinstance(validation, AugmentedSequence):
        number = fit_args.pop("validation_steps", None)
        fit_args["validation_data"] = _with_epoch(validation, framework, "validation_steps", number)
    own = [] if run.epoch is not None else [EpochCallback(run)]
    # The first, so that the epoch is set before a callback of the user's reads the sequence.
    fit_args["callbacks"] = [*own, *_callbacks(fit_args.get("callbacks"))]
    result = model.fit(run, **_prepare(model, run, framework), **{**fit_args, "shuffle": False})
    _report(run, validation)
    return result


def evaluate(model: Any, sequence: AugmentedSequence, **evaluate_args: Any) -> Any:
    """Evaluate a model on a sequence: ``model.evaluate`` at a fixed epoch, with the right workers.

    Args:
        model: a compiled Keras 3 or tf-keras 2 model.
        sequence: read at its own fixed epoch, else at ``VALIDATION_EPOCH``.
        **evaluate_args: arguments of ``model.evaluate``; ``steps`` takes the first batches.

    Returns:
        The result of ``model.evaluate``.

    Raises:
        TypeError: the model or the sequence has the wrong type, or an argument belongs to the sequence.
        ValueError: ``steps`` is more than the sequence has.

    Example:
        >>> import keras
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> model = keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(1)])
        >>> model.compile(loss="mse")
        >>> base = [(np.full((4, 4), i, np.uint8), i) for i in range(5)]
        >>> sequence = AugmentedSequence(base, ss.Compose([ss.RandomCrop(2)]), seed=42, batch_size=3)
        >>> evaluate(model, sequence, verbose=0) > 0
        True
    """
    framework = _framework(model)
    _check(sequence, evaluate_args)
    run = _with_epoch(sequence, framework, "steps", evaluate_args.pop("steps", None))
    result = model.evaluate(run, **_prepare(model, run, framework), **evaluate_args)
    _report(run)
    return result


def _report(*sequences: Any) -> None:
    for sequence in sequences:
        if isinstance(sequence, AugmentedSequence):
            sequence.report_failures()


def _framework(model: Any) -> str:
    framework = frameworks.framework_of(model)
    if framework is None or not hasattr(model, "fit"):
        raise TypeError(
            f"model must be a Keras 3 or tf-keras 2 model, got {type(model).__name__}: pass the compiled model first"
        )
    return framework


def _check(sequence: Any, arguments: dict[str, Any]) -> None:
    if not isinstance(sequence, AugmentedSequence):
        raise TypeError(
            f"sequence must be an AugmentedSequence, got {type(sequence).__name__}: "
            "wrap it in AugmentedSequence(base, augment, seed=...), or for Keras 3 pass a loader from seedsafe_torch.loader"
        )
    _check_arguments(arguments)


def _check_arguments(arguments: dict[str, Any]) -> None:
    for name, why in _REASONS.items():
        if arguments.get(name) is not None:
            raise TypeError(f"leave {name} out: {why}")
    if arguments.get("shuffle"):
        raise ValueError(
            "shuffle=True of fit would order batches by Python's global generator: "
            "pass shuffle=True to AugmentedSequence instead"
        )


def _with_epoch(sequence: AugmentedSequence, framework: str, name: str, steps: Any) -> AugmentedSequence:
    """Return the first steps of a sequence, at its fixed epoch or else at the reserved one."""
    number = None if steps is None else _steps(name, steps)
    if number is not None and number > len(sequence):
        raise ValueError(
            f"{name} must be at most {len(sequence)}, the sequence's length, got {number}: pass fewer, or leave it out"
        )
    epoch = VALIDATION_EPOCH if sequence.epoch is None else sequence.epoch
    return sequence.view(framework=framework, epoch=epoch, limit=number)


def _steps(name: str, steps: Any) -> int:
    return checked_int(name, steps, 1, 2**48, "pass the number of batches")


def _callbacks(callbacks: Any) -> list[Any]:
    if callbacks is None:
        return []
    if isinstance(callbacks, Iterable) and not hasattr(callbacks, "on_epoch_begin"):
        return list(callbacks)
    if hasattr(callbacks, "callbacks"):
        raise TypeError("callbacks must be a list, got a CallbackList: pass the callbacks themselves")
    return [callbacks]


def _prepare(model: Any, run: AugmentedSequence, framework: str) -> dict[str, Any]:
    """Build a Keras 3 model, if Keras would need workers for that. For tf-keras, return the arguments for the workers."""
    if framework == "keras":
        from seedsafe_keras.keras3 import build

        build(model, run)
        return {}
    return {
        "workers": max(run.workers, 1),
        "use_multiprocessing": run.use_multiprocessing and run.workers > 0,
        "max_queue_size": run.max_queue_size,
    }
