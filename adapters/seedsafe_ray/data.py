"""augment: Ray Dataset rows, augmented by id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, SupportsIndex

import numpy as np
import ray.data

from seedsafe import KeyedMap, keyed_map

__all__ = ["augment"]


def augment(
    dataset: ray.data.Dataset,
    pipeline: Callable[..., Any],
    *,
    seed: SupportsIndex,
    epoch: SupportsIndex,
    id_column: str = "id",
    targets: dict[str, str] | None = None,
    **options: Any,
) -> ray.data.Dataset:
    """Return a Ray Dataset whose rows are augmented as a pure function of (seed, epoch, id).

    Blocks, batch sizes, tasks or actors, retries and nodes change nothing: a row has the bytes of the sample with the same
    index from ``seedsafe_torch``. Call it once for each epoch; Ray executes it when the result is read.

    Args:
        dataset: rows with an id, and with columns named image, mask, keypoints, boxes or audio, unless `targets` names others.
        pipeline: a Compose, a Transform, or a function of a row (a dict), whose result is the new row.
        seed: the seed of the run, 0 ≤ seed < 2**128.
        epoch: the number of this pass.
        id_column: the column of each row's id. An integer is the sample's index itself; ``seedsafe.record_index`` makes one
            from a string or bytes.
        targets: ``{"photo": "image"}``, from columns to targets.
        options: options of ``Dataset.map_batches``: ``batch_size``, ``num_cpus``, ``compute=ray.data.ActorPoolStrategy(...)`` …

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of its range; from Ray's execution: a row has no id.

    Example:
        >>> import seedsafe as ss
        >>> rows = ray.data.from_items([{"id": n, "image": np.full((4, 4), n, np.uint8)} for n in range(3)])
        >>> augment(rows, ss.RandomCrop(2), seed=42, epoch=0)  # doctest: +SKIP
        MapBatches(augment_rows)
    """
    if "batch_format" in options:
        raise ValueError(
            f"seedsafe sets batch_format itself, got batch_format={options['batch_format']!r}: leave it out"
        )
    keyed = keyed_map(pipeline, seed=seed, epoch=epoch, id=id_column, targets=targets)
    options["batch_format"] = "numpy"
    if isinstance(options.get("compute"), ray.data.ActorPoolStrategy):
        return dataset.map_batches(_Actor, fn_constructor_args=(keyed,), **options)

    def augment_rows(batch: dict[str, Any]) -> dict[str, Any]:
        return _augment(keyed, batch)

    return dataset.map_batches(augment_rows, **options)


class _Actor:
    """The function of an actor in a pool."""

    def __init__(self, keyed: KeyedMap) -> None:
        self._keyed = keyed

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        return _augment(self._keyed, batch)


def _augment(keyed: KeyedMap, batch: dict[str, Any]) -> dict[str, Any]:
    """Augment each row of a batch of columns. A column that no row changed is returned as the same object."""
    names, columns = list(batch), list(batch.values())
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    result = [keyed(row) for row in rows]
    if not result:
        return batch
    return {
        name: batch[name]
        if name in batch
        and all(augmented[name] is row[name] for augmented, row in zip(result, rows, strict=True))
        else _column([augmented[name] for augmented in result])
        for name in result[0]
    }


def _column(values: list[Any]) -> Any:
    """Return values as a column: one array if they have one shape and dtype, else an array of objects."""
    arrays = [np.asarray(value) for value in values]
    if len({(array.shape, array.dtype) for array in arrays}) == 1:
        return np.stack(arrays)
    column = np.empty(len(values), object)
    column[:] = values
    return column
