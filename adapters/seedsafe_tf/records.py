"""keyed: elements of a tf.data.Dataset, augmented by id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, SupportsIndex

import tensorflow as tf

from seedsafe import SampleKey, keyed_map
from seedsafe.reading import Targets, Unkeyed, checked_source, explain_arguments
from seedsafe_tf.numpy_map import as_parallel, as_spec, map_numpy

__all__ = ["keyed"]

_MOVE_IT = (
    "move what changes elements into the pipeline, a function of an element, whose draws all follow the key"
)


@tf.autograph.experimental.do_not_convert  # type: ignore[untyped-decorator]  # a tf.data trace of the caller would rewrite it
@explain_arguments
def keyed(
    dataset: tf.data.Dataset,
    pipeline: Callable[..., Any],
    *,
    seed: SupportsIndex,
    epoch: Any,
    id: str | int | Callable[[Any], Any],  # the usual name
    targets: Targets = None,
    signature: Any = None,
    on_unkeyed: Literal["raise", "warn", "allow"] = "raise",
    num_parallel_calls: int | None = None,
) -> tf.data.Dataset:
    """Return a tf.data.Dataset whose elements are augmented as a pure function of (seed, epoch, id).

    The id must come with the element, from before any ``shuffle``. After it, ``enumerate`` counts positions in the shuffled
    order, which would give an element a different augmentation for each order.

    Args:
        dataset: a dataset of single elements, dicts or tuples, with an id.
        pipeline: a Compose, a Transform, or a function of an element (of NumPy arrays), whose result is the new element.
        seed: the seed of the run, 0 ≤ seed < 2**128.
        epoch: the number of this pass, also as a tensor inside ``flat_map`` over the epochs; or the entry that holds it.
        id: the entry that holds the id, or a function of the element that returns it. An integer is the index itself;
            ``seedsafe.record_index`` makes one from a string.
        targets: names the parts of an element; see ``augment``.
        signature: the TensorSpecs of the results; by default those of the first result, whose element is read here. It is
            required inside ``flat_map`` and if sizes differ.
        on_unkeyed: for a dataset whose Python code, as in ``from_generator``, moves a global generator of Python, NumPy or torch while
            the first element is read, "raise" and "warn" warn: nobody knows whether only the order depends on it. "allow" does not
            look. The draws of `pipeline` always follow the key.
        num_parallel_calls: the largest number of elements at once, or ``tf.data.AUTOTUNE``, or None for one at a time.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of its range; the first element has no id; `signature` is missing.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> rows = {"id": np.arange(3), "image": np.zeros((3, 4, 4), np.uint8)}
        >>> data = keyed(tf.data.Dataset.from_tensor_slices(rows), ss.RandomCrop(2), seed=42, epoch=0, id="id")
        >>> data.element_spec["image"].shape
        TensorShape([2, 2])
    """
    if not isinstance(dataset, tf.data.Dataset):
        raise TypeError(
            f"dataset must be a tf.data.Dataset, got {type(dataset).__name__}: for a source with positions, use seedsafe_tf.augment"
        )
    unkeyed = Unkeyed(on_unkeyed, _MOVE_IT)
    calls = as_parallel(num_parallel_calls)
    moving = tf.is_tensor(epoch)
    run = keyed_map(pipeline, seed=seed, epoch=0 if moving else epoch, id=id, targets=targets)
    structure = (dataset.element_spec, tf.TensorSpec((), tf.int64)) if moving else dataset.element_spec

    def run_at_key(*parts: Any) -> Any:
        element = tf.nest.pack_sequence_as(structure, parts)
        record, now = element if moving else (element, None)
        key = run.key(record)
        return run.at(record, key if now is None else SampleKey(run.seed, now, key.index))

    if signature is None:
        signature = _first_spec(dataset, run, unkeyed)
    if moving:
        number = tf.cast(epoch, tf.int64)
        dataset = dataset.map(tf.autograph.experimental.do_not_convert(lambda *element: (element, number)))
    way_out = "pass signature=, the TensorSpecs of all results (None for a size that differs)"
    return map_numpy(dataset, run_at_key, signature, calls, way_out)


def _first_spec(dataset: Any, function: Callable[[Any], Any], unkeyed: Unkeyed) -> Any:
    """Return the TensorSpecs of a function's result for the first element."""
    if not tf.executing_eagerly():
        raise ValueError(
            "signature is missing, and inside flat_map or another traced function no element can be read: pass the TensorSpecs of "
            "the results, for instance keyed(...).element_spec of one epoch outside it"
        )
    for record in checked_source(
        dataset.take(1).as_numpy_iterator(), unkeyed, "dataset", lambda: True, least=1
    ):
        return as_spec(function(record))
    raise ValueError(
        "signature is missing, and the dataset has no element to take it from: pass the TensorSpecs of the results"
    )
