"""NumPy arrays handed to TensorFlow: what they are declared to be, and a map that returns just that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from seedsafe.reading import checked_int

__all__ = ["as_parallel", "as_spec", "handed"]


def as_spec(made: Any) -> Any:
    """Return the TensorSpecs of a sample or batch of arrays."""
    if isinstance(made, Mapping):
        return {name: as_spec(part) for name, part in made.items()}
    if isinstance(made, list | tuple):
        return tuple(as_spec(part) for part in made)  # of a list TensorFlow would make one tensor
    return _spec(made)


def _spec(part: Any) -> Any:
    array = np.asarray(part)
    try:
        if part is None:
            raise TypeError("None")
        return tf.TensorSpec(array.shape, array.dtype)
    except TypeError:
        raise TypeError(
            f"a part of a sample is a {type(part).__name__} of dtype {array.dtype}, and TensorFlow has no tensors of it: leave it "
            "out, or convert it"
        ) from None


def as_parallel(calls: Any) -> int:
    """Return the argument `num_parallel_calls`: a number, or AUTOTUNE."""
    if calls is None:
        return 1  # where TensorFlow gets no number it may choose one by itself
    if type(calls) is int and calls == tf.data.AUTOTUNE:
        return calls
    return checked_int("num_parallel_calls", calls, 1, 2**15, "pass a number, tf.data.AUTOTUNE or None")


def handed(dataset: Any, make: Callable[..., Any], spec: Any, calls: int, way_out: str) -> Any:
    """Return a tf.data.Dataset of what a Python function makes of each element, in the elements' order.

    Args:
        dataset: of the elements.
        make: is called with the elements' parts as NumPy has them, in the order of tf.nest.flatten.
        spec: the TensorSpecs of what it returns.
        calls: at most so many calls at once.
        way_out: ends the error about something that it returns and `spec` does not allow.
    """
    specs = tf.nest.flatten(spec)

    def checked(*parts: Any) -> list[Any]:
        result = make(*parts)
        try:
            tf.nest.assert_same_structure(result, spec, check_types=False)
        except (TypeError, ValueError):
            raise ValueError(
                f"the parts were declared as {_text(spec)}, and are {_text(as_spec(result))}: {way_out}"
            ) from None
        arrays = [np.asarray(part) for part in tf.nest.flatten(result)]
        for array, one in zip(arrays, specs, strict=True):
            if tf.as_dtype(array.dtype) != one.dtype or not one.shape.is_compatible_with(array.shape):
                raise ValueError(
                    f"a part was declared as {one.dtype.name} of shape {tuple(one.shape)}, and is {array.dtype} of shape "
                    f"{array.shape}: {way_out}"
                )
        return arrays

    def step(*element: Any) -> Any:
        tensors = tf.nest.flatten(element)
        # What it returns follows from the element alone, which lets an iterator over it be checkpointed.
        parts = tf.numpy_function(checked, tensors, [one.dtype for one in specs], stateful=False)
        for part, one in zip(parts, specs, strict=True):
            part.set_shape(one.shape)
        return tf.nest.pack_sequence_as(spec, parts)

    # AutoGraph would rewrite `step`, and look for the source of the user's pipeline.
    plain = tf.autograph.experimental.do_not_convert(step)
    return dataset.map(plain, num_parallel_calls=calls, deterministic=True)


def _text(spec: Any) -> str:
    return str(tf.nest.map_structure(lambda one: f"{one.dtype.name} {tuple(one.shape)}", spec))
