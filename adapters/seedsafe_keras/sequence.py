"""AugmentedSequence: a Keras Sequence with keyed augmentation."""

from __future__ import annotations

import operator
from typing import Any, Literal, Self, SupportsIndex

import numpy as np

from seedsafe import BatchMix, Bridge, SampleIndex, SampleKey, epoch_order, ring
from seedsafe.reading import (
    BRIDGE_IT,
    Augment,
    BoundAugment,
    Faults,
    Forwarding,
    KeyedReader,
    Targets,
    Unkeyed,
    check_base,
    check_targets,
    checked_int,
    explain_arguments,
    flag,
    read_batch,
    ready_batches,
    warn,
)
from seedsafe_keras import framework as frameworks
from seedsafe_keras.base import (
    batch_size_of,
    check_flow,
    check_together,
    length,
    not_converted,
    uncalled_hooks,
)
from seedsafe_keras.passes import Passes, own_class, sequence_class

__all__ = ["AugmentedSequence"]


def _rebuild(own: type, framework: str) -> Any:
    return object.__new__(sequence_class(own, framework))


@explain_arguments
class AugmentedSequence(Passes, Forwarding):
    """A Keras Sequence whose samples are augmented as a pure function of (seed, epoch, index).

    It augments the ready batches of another Sequence, or makes batches of a dataset's samples. The object is a
    ``keras.utils.PyDataset``, or a ``tf_keras.utils.Sequence`` if the base is one. For any number and kind of workers, batch
    `b` of an epoch has the same bytes, and the bytes of ``seedsafe_torch`` for the same base, seed and order.

    Its epoch comes from ``fit`` or from an ``EpochCallback``, or is fixed by `epoch`. Without an epoch, reading it is an
    error. A pass delivers each index once, so a sample's occurrence is always 0.

    Args:
        base: a Keras Sequence (PyDataset) of ready batches, or, with `batch_size`, anything with ``len()`` and ``[index]``
            that returns samples: an array, a tuple (image or audio first) or a dict of targets. Sample `j` of ready batch
            `b` has the index ``b * base.batch_size + j``; without that attribute the size is that of the first batch.
            The base's epoch hooks are not called.
        augment: a Compose or a Transform, or None to augment nothing.
        seed: the seed of the run, 0 ≤ seed < 2**128.
        batch_size: the number of samples in a batch, for a base of samples; the last batch may be smaller.
        shuffle: True orders the samples, or the ready batches, by ``epoch_order(seed, epoch, n)``. Turn Keras's own shuffling
            off, as ``fit`` does: ``model.fit(shuffle=False)``.
        order: "addressed" shuffles in an order that takes no memory; see ``seedsafe.epoch_order``.
        workers: as in PyDataset; 0 or 1 read in the training process.
        use_multiprocessing: True reads in processes, False in threads.
        max_queue_size: as in PyDataset.
        targets: names the parts of a sample or batch, ``("image", "mask", None)`` for a tuple, ``{"photo": "image"}`` for a
            dict; by default, the first element of a tuple and the entries of a dict named after targets are augmented.
            "sample" gives whole samples to a callable.
        epoch: a fixed epoch, for validation or for single batches.
        repeat: True continues with the next epoch when the data end, for any ``steps_per_epoch``.
        ids: for a base of samples, one integer below 2**64 for each. The key takes it instead of the position, so that a
            sample's augmentation stays the same when samples are added: ``ImageFolder.record_ids``.
        on_error: "raise" raises a SampleError that names the sample or batch that cannot be read or augmented. "replace", for
            a base of samples, takes another sample, chosen by the key, with this one's augmentation, and tries at most 16.
            ``fit`` and EpochCallback report them after each epoch, and `failures` lists them. None is left out, because
            Keras relies on sizes.
        check_finite: whether NaN or infinity in a float, read or augmented, is an error.
        on_unkeyed: for a base that draws random numbers without the sample's key, so that its samples depend on the workers, "raise"
            raises NotReproducible in the first reads, and warns later. "warn" warns once, "allow" does not look.
        bridge: True, or a Bridge: while the base is read, every generator that it uses follows the key of the sample, or of a
            ready batch's first sample. Threads then read one after another.
        in_place: whether to write samples directly into the memory of their batch, which is used again when nobody holds it.
            Processes then send batches without a copy. The batches are equal either way.
        mix: a BatchMix, for batches of images and labels: they are mixed, and labels become float vectors.
        convert: is an error that says what to write instead: flows of an ImageDataGenerator are read with ``bridge=True``.
        framework: "keras" or "tf_keras"; by default the base's, else "keras". ``fit`` chooses by the model.

    Raises:
        TypeError: an argument is of the wrong type, or `batch_size` is missing.
        ValueError: an argument is out of its range, or two cannot be used together.
        SampleError: when read, a sample or ready batch could not be read or augmented, for whatever reason.
        NotReproducible: when read, the base draws without the sample's key.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> base = [(np.full((4, 4), i, np.uint8), i) for i in range(5)]
        >>> sequence = AugmentedSequence(base, ss.Compose([ss.RandomCrop(2)]), seed=42, batch_size=3, epoch=0)
        >>> images, labels = sequence[1]
        >>> images.shape, labels.tolist()
        ((2, 2, 2), [3, 4])
    """

    def __new__(cls, base: Any = None, *args: Any, framework: str | None = None, **options: Any) -> Self:
        """Make a sequence of the framework."""
        kind: Any = cls
        if frameworks.of_class(cls) is None:
            first = base[0] if type(base) in (tuple, list) and base else base
            name = framework or frameworks.framework_of(first) or frameworks.default()
            kind = sequence_class(kind, frameworks.check(name))
        result: Self = super().__new__(kind)
        return result

    def __reduce_ex__(self, protocol: Any) -> Any:
        own = own_class(type(self))
        if own is type(self):
            return super().__reduce_ex__(protocol)
        return _rebuild, (own, frameworks.framework_of(self)), self.__getstate__()

    def __init__(
        self,
        base: Any,
        augment: Augment | None = None,
        *,
        seed: SupportsIndex,
        batch_size: SupportsIndex | None = None,
        shuffle: bool = False,
        order: Literal["stored", "addressed"] = "stored",
        workers: int = 1,
        use_multiprocessing: bool = False,
        max_queue_size: int = 10,
        targets: Targets = None,
        epoch: SupportsIndex | None = None,
        repeat: bool = False,
        ids: Any = None,
        on_error: Literal["raise", "replace"] = "raise",
        check_finite: bool = False,
        on_unkeyed: Literal["raise", "warn", "allow"] = "raise",
        bridge: bool | Bridge = False,
        in_place: bool = True,
        mix: BatchMix | None = None,
        convert: bool = False,
        framework: str | None = None,
    ) -> None:
        super().__init__()
        check_base(base, streams="seedsafe_tf")
        if flag("convert", convert):
            raise not_converted(base)
        check_flow(base, bool(bridge), on_unkeyed)
        self.epoch = None if epoch is None else SampleKey(0, epoch, 0).epoch
        self.repeat = flag("repeat", repeat)
        self.shuffle = flag("shuffle", shuffle)
        self.workers = checked_int("workers", workers, 0, 2**15, "pass the number of workers, 0 for none")
        self.use_multiprocessing = flag("use_multiprocessing", use_multiprocessing)
        self.max_queue_size = checked_int("max_queue_size", max_queue_size, 1, 2**31, "pass its length")
        self.in_place = bool(in_place)
        self._spare = ring.Spare() if in_place else None
        self.mix = _check_mix(mix)
        check_together(batch_size=batch_size, ids=ids, on_error=on_error, epoch=epoch, repeat=repeat)
        self._ready = batch_size is None
        bound = BoundAugment(augment)
        if self._ready and bound.mixer is not None:
            raise ready_batches(bound.mixer)
        self._units = length(base)
        self.order = order
        epoch_order(0, 0, self._units if order == "addressed" else 0, order=order)  # raises for a wrong one
        for hook in uncalled_hooks(base) if self._ready else ():
            warn(
                f"{type(base).__name__}.{hook} is not called, because Keras calls it at times that depend on the workers. "
                "For another order in each epoch, pass shuffle=True"
            )
        first = SampleKey(seed, 0, 0)
        self.batch_size = batch_size_of(base, batch_size, check_targets(targets, bound.labels), first)
        self.reader = KeyedReader(
            base,
            augment,
            seed=seed,
            targets=targets,
            ids=ids,
            faults=Faults(on_error, check_finite),
            bridge=bridge,
            unkeyed=Unkeyed(on_unkeyed, BRIDGE_IT),
            must_draw=epoch is None,
        )

    def __getitem__(self, batch: SupportsIndex) -> Any:
        """Return an augmented batch.

        Raises:
            RuntimeError: there is no epoch.
            IndexError: there is no such batch.
        """
        epoch, number = self._locate(operator.index(batch))
        rows = ring.Rows(self.batch_size) if self.in_place else None
        if self._ready:
            position = self._position(epoch, number)
            first = position * self.batch_size
            result = self.reader.batch(SampleIndex(position, epoch), self.batch_size, rows=rows)
        else:
            start = number * self.batch_size
            stop = min(start + self.batch_size, self._units)
            ats = [SampleIndex(self._position(epoch, entry), epoch) for entry in range(start, stop)]
            first = int(ats[0])
            listed = self.has_epoch()  # without an epoch, Keras looks at the shape and drops the batch
            result = read_batch(self.reader, ats, rows=rows, listed=listed)
        if self.mix is None:
            return result
        return _mix_batch(self.mix, result, SampleKey(self.reader.seed, epoch, first))


def _check_mix(mix: BatchMix | None) -> BatchMix | None:
    """Return the argument `mix`, or raise a TypeError."""
    if mix is not None and not isinstance(mix, BatchMix):
        raise TypeError(f"mix must be a BatchMix, got {mix!r}: pass seedsafe.BatchMix(classes)")
    return mix


def _mix_batch(mix: BatchMix, batch: Any, key: SampleKey) -> Any:
    """Mix the samples of a batch with each other, at the key of the first one."""
    if not (isinstance(batch, tuple) and len(batch) > 1):
        raise TypeError(
            f"mix needs a batch that is a tuple of images and labels, got {type(batch).__qualname__}: leave mix out, or return "
            "the base's samples as (image, label)"
        )
    images, labels = (np.asarray(part) for part in batch[:2])
    return *mix(images, labels, key=key), *batch[2:]
