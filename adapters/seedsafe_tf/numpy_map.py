"""Map of a tf.data.Dataset through a NumPy function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from seedsafe.reading import checked_int

__all__ = ["as_parallel", "as_spec", "map_numpy"]


def as_spec(sample: Any) -> Any:
    """Return the TensorSpecs of a sample or batch of arrays."""
    if isinstance(sample, Mapping):
        return {name: as_spec(part) for name, part in sample.items()}
    if isinstance(sample, list | tuple):
        return tuple(as_spec(part) for part in sample)  # TensorFlow would make one tensor of a list
    return _spec(sample)


def _spec(part: Any) -> Any:
    array = np.asarray(part)
    try:
        if part is None:
            raise TypeError("None")
        return tf.TensorSpec(array.shape, array.dtype)
    except TypeError:
        raise TypeError(
            f"TensorFlow has no tensor for a part of a sample, a {type(part).__name__} of dtype {array.dtype}: leave it out, or "
            "convert it"
        ) from None


def as_parallel(calls: Any) -> int:
    """Return the argument `num_parallel_calls` as a number or AUTOTUNE."""
    if calls is None:
        return 1  # without a number TensorFlow may choose one
    if type(calls) is int and calls == tf.data.AUTOTUNE:
        return calls
    return checked_int("num_parallel_calls", calls, 1, 2**15, "pass a number, tf.data.AUTOTUNE or None")


def map_numpy(dataset: Any, function: Callable[..., Any], spec: Any, calls: int, way_out: str) -> Any:
    """Return a tf.data.Dataset with the result of a Python function for each element, in order.

    Args:
        dataset: the dataset with the elements.
        function: called with an element's parts as NumPy values, in the order of tf.nest.flatten.
        spec: the TensorSpecs of its results.
        calls: the largest number of calls at once.
        way_out: the end of the error about a result that does not fit `spec`.
    """
    specs = tf.nest.flatten(spec)

    def call(*parts: Any) -> list[Any]:
        result = function(*parts)
        try:
            tf.nest.assert_same_structure(result, spec, check_types=False)
        except (TypeError, ValueError):
            raise ValueError(
                f"the parts must be {_text(spec)}, as declared, got {_text(as_spec(result))}: {way_out}"
            ) from None
        arrays = [np.asarray(part) for part in tf.nest.flatten(result)]
        for array, expected in zip(arrays, specs, strict=True):
            if not expected.is_compatible_with(found := _spec(array)):
                raise ValueError(
                    f"a part must be {_text(expected)}, as declared, got {_text(found)}: {way_out}"
                )
        return arrays

    def step(*element: Any) -> Any:
        tensors = tf.nest.flatten(element)
        # The result follows from the element alone: stateful=False lets TensorFlow checkpoint an iterator over it.
        parts = tf.numpy_function(call, tensors, [expected.dtype for expected in specs], stateful=False)
        for part, expected in zip(parts, specs, strict=True):
            part.set_shape(expected.shape)
        return tf.nest.pack_sequence_as(spec, parts)

    # AutoGraph would rewrite `step`, and search for the source of the user's pipeline.
    plain = tf.autograph.experimental.do_not_convert(step)
    return dataset.map(plain, num_parallel_calls=calls, deterministic=True)


def _text(spec: Any) -> str:
    return str(tf.nest.map_structure(lambda part: f"{part.dtype.name} of shape {tuple(part.shape)}", spec))
