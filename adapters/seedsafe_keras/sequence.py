"""AugmentedSequence: a Keras Sequence whose every sample is a function of (seed, epoch, index)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Literal, Self, SupportsIndex

import numpy as np
import numpy.typing as npt

from seedsafe import VALIDATION_EPOCH, Bridge, NotReproducible, SampleKey, epoch_order, opencv
from seedsafe.bridging.reading import manifest, reader_of
from seedsafe.checks import record_ids
from seedsafe.faults import Faults, missing, process_name, require_finite, require_finite_after, sample_error
from seedsafe.key import checked_int
from seedsafe.sample import Augment, Targets, augment_sample, check_targets
from seedsafe_keras import framework as frameworks
from seedsafe_keras.base import length, ready_size, sample_size
from seedsafe_keras.batches import augment_batch, collate

__all__ = ["AugmentedSequence"]

_NO_EPOCH = (
    "an AugmentedSequence was read without an epoch: train with seedsafe_keras.fit(model, sequence), or give "
    "model.fit callbacks=[EpochCallback(sequence)], or construct the sequence with epoch= (validation, a look at "
    "single batches)"
)


class AugmentedSequence:
    """Augments a Sequence's batches, or batches of a dataset's samples, with the bits of (seed, epoch, index).

    The object is a ``keras.utils.PyDataset``, or a ``tf_keras.utils.Sequence`` where the base is one. Whatever
    number and kind of workers reads it, batch `b` of an epoch has the same bytes, and the same bytes as
    ``seedsafe_torch`` gives for the same base, seed and order.

    Its epoch comes from ``fit`` or from an ``EpochCallback``, or is fixed by `epoch`; without one it refuses to be
    read. A pass delivers each index once, so a sample's occurrence is always 0.

    Args:
        base: a Keras Sequence (PyDataset) of ready batches, or, with `batch_size`, anything with ``len()`` and
            ``[index]`` that returns samples: an array, a tuple (image or audio first) or a dict of targets. The
            index of sample `j` of ready batch `b` is ``b * base.batch_size + j``; a base without that attribute
            has its first batch read for the size. The base's epoch hooks are not called.
        augment: a Compose or a Transform; None for none.
        seed: of the run, 0 ≤ seed < 2**128.
        batch_size: for samples, the number of them in a batch; the last batch may be smaller.
        shuffle: True takes the samples (of ready batches: the batches) in the order ``epoch_order(seed, epoch,
            n)``. Keras's own shuffling belongs off: ``model.fit(shuffle=False)``; ``fit`` does that.
        workers: as in PyDataset; 0 or 1 read in the training process.
        use_multiprocessing: True reads in processes, else in threads.
        max_queue_size: as in PyDataset.
        targets: names the parts of a sample or batch, ``("image", "mask", None)`` for a tuple, ``{"photo": "image"}``
            for a dict; by default a tuple's first element is augmented, and a dict goes by its keys.
        epoch: fixes the epoch, for validation or a look at single batches.
        repeat: True goes on with the next epoch where the data end, for a ``steps_per_epoch`` other than
            ``len(sequence)``.
        ids: for samples, one integer below 2**64 for each, to key the augmentation on instead of the position, so that
            it stays as it was when samples are added: ``ImageFolder.record_ids``.
        on_error: "raise" raises a SampleError that names what cannot be read or augmented. "replace", for samples, takes
            another one, chosen by the key, with this one's augmentation; at most 16 are tried; ``fit`` and
            EpochCallback report them at the end of an epoch, and `failures` lists them. Leaving a sample out is not
            offered: Keras counts on the batches' sizes.
        check_finite: NaN or infinity in a float, read or augmented, is an error as well.
        bridge: True, or a Bridge: while the base is read, every generator that it touches follows the key: the sample's,
            of a ready batch its first sample's. Threads then read one after another.
        framework: "keras" or "tf_keras"; by default the base's, else "keras" (TensorFlow imports it by
            itself). ``fit`` goes by the model.

    Raises:
        TypeError: an argument is of the wrong type, or `batch_size` is missing.
        ValueError: an argument is out of its range, or two exclude each other.
        SampleError: when read, a sample or ready batch could not be read or augmented, for whatever reason.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> base = [(np.full((4, 4), i, np.uint8), i) for i in range(5)]
        >>> sequence = AugmentedSequence(base, ss.Compose([ss.RandomCrop(2)]), seed=42, batch_size=3, epoch=0)
        >>> images, labels = sequence[1]
        >>> images.shape, labels.tolist()
        ((2, 2, 2), [3, 4])
    """

    workers: int
    use_multiprocessing: bool
    max_queue_size: int

    def __new__(cls, base: Any = None, *args: Any, framework: str | None = None, **options: Any) -> Self:
        """Make a sequence of the class that the framework wants."""
        if cls is not AugmentedSequence:
            return super().__new__(cls)
        name = framework or frameworks.framework_of(base) or frameworks.default()
        made: Self = super().__new__(frameworks.adapted(frameworks.checked(name)).KerasSequence)
        return made

    def __init__(
        self,
        base: Any,
        augment: Augment | None = None,
        *,
        seed: SupportsIndex,
        batch_size: SupportsIndex | None = None,
        shuffle: bool = False,
        workers: int = 1,
        use_multiprocessing: bool = False,
        max_queue_size: int = 10,
        targets: Targets = None,
        epoch: SupportsIndex | None = None,
        repeat: bool = False,
        ids: Any = None,
        on_error: Literal["raise", "replace"] = "raise",
        check_finite: bool = False,
        bridge: bool | Bridge = False,
        framework: str | None = None,
    ) -> None:
        super().__init__()
        if augment is not None and not callable(augment):
            raise TypeError(f"augment must be a Compose or a Transform, got {augment!r}: pass Compose([...])")
        if repeat and epoch is not None:
            raise ValueError(
                f"repeat=True goes through the epochs, got epoch={epoch!r} as well: leave one out"
            )
        first = SampleKey(seed, 0 if epoch is None else epoch, 0)
        self.base = base
        self.augment = augment
        self.seed = first.seed
        self.shuffle = bool(shuffle)
        self.targets = check_targets(targets)
        self._reader = reader_of(base, bridge)
        self.epoch = None if epoch is None else first.epoch
        self.repeat = bool(repeat)
        self.workers = checked_int("workers", workers, 0, 2**15, "pass the number of workers, 0 for none")
        self.use_multiprocessing = bool(use_multiprocessing)
        self.max_queue_size = checked_int(
            "max_queue_size", max_queue_size, 1, 2**31, "pass the queue's length"
        )
        self._ready = batch_size is None
        self._units = length(base)
        self.batch_size = (
            ready_size(base, self.targets) if batch_size is None else sample_size(base, batch_size)
        )
        if self._ready and (ids is not None or on_error == "replace"):
            option = "on_error" if ids is None else "ids"
            raise ValueError(
                f"{option} is for a base of samples, and the base has ready batches: pass the samples and batch_size="
            )
        self.ids = None if ids is None else record_ids(ids, self._units)
        self.faults = Faults(on_error, check_finite, allowed=("raise", "replace"), length=self._units)
        self._limit: int | None = None
        self._now: tuple[int, int] | None = None  # the epoch, and the steps before Keras's batch 0
        self._expecting = False  # an EpochCallback will tell the epoch
        self._order_made: tuple[int, npt.NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        """Return the number of batches in one pass over the data."""
        return self._batches() if self._limit is None else self._limit

    def __getitem__(self, batch: SupportsIndex) -> Any:
        """Return an augmented batch.

        Raises:
            RuntimeError: there is no epoch.
            IndexError: there is no such batch.
        """
        epoch, number = self._place(operator.index(batch))
        if self._ready:
            return self._ready_batch(epoch, self._unit(epoch, number))
        start = number * self.batch_size
        positions = range(start, min(start + self.batch_size, self._units))
        return collate([self._sample(epoch, self._unit(epoch, position)) for position in positions])

    def at_epoch(self, epoch: SupportsIndex) -> AugmentedSequence:
        """Return a sequence over the same data whose epoch is fixed.

        Args:
            epoch: 0 for the first; ``VALIDATION_EPOCH`` shares no stream with training.
        """
        return self.view(epoch=SampleKey(self.seed, epoch, 0).epoch)

    def view(
        self, *, framework: str | None = None, epoch: int | None = None, limit: int | None = None
    ) -> AugmentedSequence:
        """Return a copy for one run: with a class of the framework, an epoch, and another length, where given."""
        same = framework in (None, frameworks.framework_of(self))
        cls = type(self) if same else frameworks.adapted(frameworks.checked(framework)).KerasSequence
        new: AugmentedSequence = object.__new__(cls)
        new.__dict__.update(self.__dict__)
        new.workers, new.use_multiprocessing = self.workers, self.use_multiprocessing
        new.max_queue_size = self.max_queue_size
        new._now, new._expecting = None, False
        new._limit = limit
        if epoch is not None:
            new.epoch, new.repeat = epoch, False
        return new

    def expect_epochs(self) -> None:
        """Allow reading before the first epoch: Keras looks at the shapes of one or two batches then."""
        if self.epoch is not None:
            raise ValueError(
                f"the sequence has the fixed epoch {self.epoch}: leave epoch= out to train on it"
            )
        self._expecting = True

    def begin_epoch(self, epoch: int, first_step: int = 0) -> None:
        """Set the epoch of all batches read from now on, and the steps that were done before Keras's batch 0."""
        if (now := length(self.base)) != self._units:
            raise ValueError(
                f"the base had {self._units} items when the sequence was made, and has {now} in epoch {epoch}: make the "
                "sequence anew when the data change"
            )
        if self.shuffle and not self.repeat:
            self._order(epoch)  # once here, not once in each worker that is forked now
        self._now = (epoch, first_step)

    def end_epochs(self) -> None:
        """Forget the epoch: what is read after training has none."""
        self._now = None

    def has_epoch(self) -> bool:
        """Return whether the epoch is fixed or has been told."""
        return self.epoch is not None or self._now is not None

    def require_epoch(self) -> None:
        """Raise an error unless there is an epoch, or an EpochCallback that will tell it."""
        if not (self.has_epoch() or self._expecting):
            raise RuntimeError(_NO_EPOCH)

    def uses_pool(self) -> bool:
        """Return whether Keras reads this sequence in a pool of threads or processes."""
        return self.workers > 1 or (self.workers > 0 and self.use_multiprocessing)

    def failures(self) -> dict[int, dict[int, str]]:
        """Return the samples that failed so far, in every worker: the reason by epoch and index."""
        return {} if self.faults.log is None else self.faults.log.failures()

    def report_failures(self) -> None:
        """Warn of the samples that failed since the last report, once for each epoch."""
        if self.faults.log is not None:
            self.faults.log.report()

    def _batches(self) -> int:
        return self._units if self._ready else -(-self._units // self.batch_size)

    def _place(self, batch: int) -> tuple[int, int]:
        """Return the epoch and the number of the batch that Keras asks for."""
        now = self._now
        if batch < 0 or (batch >= len(self) and not self.repeat):
            raise IndexError(f"batch {batch} of an AugmentedSequence of {len(self)} batches")
        if self.epoch is not None:
            return self.epoch, batch
        if now is None:
            self.require_epoch()
            return VALIDATION_EPOCH, batch % self._batches()  # a look at shapes, which Keras drops
        epoch, first_step = now
        return divmod(first_step + batch, self._batches()) if self.repeat else (epoch, batch)

    def _unit(self, epoch: int, position: int) -> int:
        return int(self._order(epoch)[position]) if self.shuffle else position

    def _order(self, epoch: int) -> npt.NDArray[np.int64]:
        made = self._order_made
        if made is None or made[0] != epoch:
            made = self._order_made = epoch, epoch_order(self.seed, epoch, self._units)
        return made[1]

    def _sample(self, epoch: int, place: int) -> Any:
        key = SampleKey(self.seed, epoch, place if self.ids is None else self.ids.item(place))
        try:
            return self._made(place, key)
        except NotReproducible:
            raise  # of all samples, not of this one
        except Exception as error:  # noqa: BLE001  # it goes on as the cause of one that names the sample
            return self.faults.recovered(
                error,
                self.base,
                place,
                key,
                lambda other: self._made(other, key),
                process_name(),
                listed=self.has_epoch(),  # Keras drops what it reads before, for its shape
            )

    def _made(self, source: int, key: SampleKey) -> Any:
        """Return the sample at `source`, augmented at a key."""
        sample = self._read(source, key)
        opencv.guard()
        if sample is None:
            raise missing(sample)
        sample = self._augmented(sample, lambda augment: augment_sample(augment, sample, key, self.targets))
        return tuple(sample) if isinstance(sample, list) else sample

    def _ready_batch(self, epoch: int, number: int) -> Any:
        first = SampleKey(self.seed, epoch, number * self.batch_size)
        try:
            batch = self._read(number, first)
            opencv.guard()
            return self._augmented(
                batch, lambda augment: augment_batch(augment, batch, first, self.batch_size, self.targets)
            )
        except NotReproducible:
            raise
        except Exception as error:
            name = f"batch {number}, whose first sample is {first.index},"
            raise sample_error(error, None, first.index, first, process_name(), name=name) from error

    def _augmented(self, given: Any, apply: Callable[[Augment], Any]) -> Any:
        """Return what is given, augmented, or an error if it should be finite and is not."""
        if self.faults.check_finite:
            require_finite(given)
        if self.augment is None:
            return given
        made = apply(self.augment)
        if self.faults.check_finite:
            require_finite_after(self.augment, made, apply)
        return made

    def _read(self, number: int, key: SampleKey) -> Any:
        return self.base[number] if self._reader is None else self._reader.read(number, key)

    def manifest(self) -> dict[str, Any]:
        """Return what the samples depend on besides the data: seed, pipeline, and the versions of all libraries."""
        return manifest(seed=self.seed, base=self.base, augment=self.augment, reader=self._reader)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_order_made": None}
