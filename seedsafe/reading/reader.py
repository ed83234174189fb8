"""KeyedReader: a dataset read by key, which every adapter stands on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, SupportsIndex

from seedsafe import opencv
from seedsafe.bridging.options import Bridge, NotReproducible, checked_bridge
from seedsafe.bridging.runner import Runner
from seedsafe.ground.checks import record_ids
from seedsafe.ground.info import Array
from seedsafe.keys.ambient import reading, state
from seedsafe.keys.key import SampleIndex, SampleKey, address, checked_int, op_of
from seedsafe.reading.batches import augment_batch
from seedsafe.reading.context import Moment, entered, moved
from seedsafe.reading.error import process_name, sample_error
from seedsafe.reading.faults import Faults, Skipped, missing
from seedsafe.reading.finite import require_finite, require_finite_after
from seedsafe.reading.forms import Augment, augment_sample, augment_views, draws, joined_views, labels_of
from seedsafe.reading.inside import nested
from seedsafe.reading.manifest import manifest
from seedsafe.reading.repeats import Repeats, SharedSeedError, Told, shared_seed
from seedsafe.reading.targets import Targets, check_targets

__all__ = ["KeyedReader"]

_BRIDGE: Final = op_of("seedsafe/bridge")


class KeyedReader:
    """Reads samples of a dataset, each augmented as a pure function of its key.

    An adapter keeps the framework's base class and passes the moment (epoch, occurrence, view) with each read;
    everything else is here. While the base runs, calls without a key take the sample's.

    Args:
        base: anything with ``base[position]``.
        augment: a Compose or a Transform, called as ``augment(sample, key=key)``; None for none.
        seed: of the run.
        targets: of the parts of a sample; see Targets.
        views: the number of views of each sample, None for the sample itself.
        ids: one integer below 2**64 for each sample, to key on instead of the position.
        offset: is added to the position in the key; the users' ``index_offset``.
        faults: what becomes of samples that fail.
        bridge: True, or a Bridge: every generator that the base touches follows the key.
        worker: returns the number or name of this process if it is a worker, else None.
        told: where it is noted that a warning was given.

    Raises:
        TypeError: an argument is of another type.
        ValueError: an argument is out of its range.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> reader = KeyedReader([np.arange(9, dtype=np.uint8)[None]], ss.RandomCrop((1, 3)), seed=42)
        >>> reader.sample(0, Moment(epoch=7)).tolist()
        [[4, 5, 6]]
    """

    def __init__(
        self,
        base: Any,
        augment: Augment | None = None,
        *,
        seed: SupportsIndex,
        targets: Targets = None,
        views: int | None = None,
        ids: Any = None,
        offset: int = 0,
        faults: Faults | None = None,
        bridge: bool | Bridge = False,
        worker: Callable[[], int | str | None] = process_name,
        told: Told | None = None,
    ) -> None:
        if augment is not None and not callable(augment):
            raise TypeError(f"augment must be a Compose or a Transform, got {augment!r}: pass Compose([...])")
        if views is not None and augment is None and not bridge:
            raise ValueError(
                f"views={views} without an augmentation are all the same: pass augment=, or bridge=True if the base "
                "draws random numbers"
            )
        if ids is not None and offset:
            raise ValueError(
                f"ids and index_offset cannot be used together, got index_offset={offset}: leave one of them out"
            )
        self.base = base
        self.augment = augment
        self.seed = SampleKey(seed, 0, 0).seed
        self.targets = check_targets(targets, labels_of(augment))
        self.views = (
            None if views is None else checked_int("views", views, 1, 2**16, "pass the number of views")
        )
        self.index_offset = checked_int(
            "index_offset", offset, 0, 2**63, "pass the sum of the lengths before"
        )
        self.ids = None if ids is None else record_ids(ids, len(base))
        self.faults = faults or Faults()
        self.faults.require_length(base)
        self.worker = worker
        self.repeats = Repeats(base, self.seed, told)
        self._bridge = checked_bridge(bridge)
        for inner in nested(base):
            if inner.reader.seed == self.seed:
                raise shared_seed(self.seed)
        self._length = 0  # as last seen: a base may grow
        self.renew()

    def renew(self) -> None:
        """Look at the base again: something of it was replaced."""
        label = f"the dataset {type(self.base).__qualname__}"
        self._runner = None if self._bridge is None else Runner(self.base, self._bridge, label)
        self._random = self._runner is not None or draws(self.augment)

    def position(self, index: SupportsIndex) -> int:
        """Return an index as a position from 0 on.

        Raises:
            TypeError: it is not an integer.
            IndexError: there is no such sample.
        """
        if type(index) is SampleIndex or type(index) is int:
            position = int(index)
            if 0 <= position < self._length:
                return position
        length = len(self.base) if hasattr(self.base, "__len__") else 2**63
        if self.ids is not None and length != len(self.ids):
            raise ValueError(
                f"there are {len(self.ids)} ids, but the base has {length} samples now: make the dataset again with an id for each"
            )
        self._length = length
        number = checked_int("index", index, -(2**63), 2**63, "pass the sample's position")
        if not -length <= number < length:
            raise IndexError(f"index {number} is out of range: the dataset has {length} samples")
        return number + length if number < 0 else number

    def key(self, position: int, moment: Moment, inner: int = 0) -> SampleKey:
        """Return the key of a view of the sample at a position."""
        index = position + self.index_offset if self.ids is None else self.ids.item(position)
        epoch, occurrence, view = moment
        if self.views is not None:
            view = view * self.views + inner
        return SampleKey(self.seed, epoch, index, occurrence=occurrence, view=view)

    def sample(
        self,
        position: int,
        moment: Moment,
        *,
        counts: bool = True,
        listed: bool = True,
        row: Array | None = None,
    ) -> Any:
        """Return the sample at a position, augmented.

        Args:
            position: from 0 on.
            moment: the epoch, occurrence and view.
            counts: False where the moment is the user's own choice, so that the key may be served before.
            listed: False where a failure is not to be listed, because the sample is dropped.
            row: memory for the augmented array; see `augment_sample`.

        Raises:
            SampleError: it could not be read or augmented, for whatever reason.
            NotReproducible: the bridge does not reach all that the base draws from.
        """
        key = self.key(position, moment)
        outer = state.read
        if isinstance(outer, entered) and counts:
            outer.report(self.repeats, key, self._random)
        try:
            return self._made(position, position, key, moment, row=row)
        except (NotReproducible, SharedSeedError):
            raise  # of all samples, not of this one
        except Exception as error:
            if isinstance(error, IndexError) and not hasattr(self.base, "__len__"):
                raise  # the end of a base that does not say where it ends
            return self.faults.recovered(
                error,
                self.base,
                position,
                key,
                lambda other: self._made(other, position, key, moment, row=row),
                self.worker(),
                listed=listed,
            )

    def batch(self, number: int, size: int, moment: Moment, **how: Any) -> Any:
        """Return a ready batch of the base, each sample augmented at its own key.

        Args:
            number: of the batch in the base.
            size: the number of samples in each batch but the last.
            moment: the epoch, occurrence and view.
            how: it is put together, as `augment_batch` takes it: rows and stack.

        Raises:
            SampleError: it could not be read or augmented.
            NotReproducible: see `sample`.
        """
        first = self.key(number * size, moment)
        outer = state.read
        if isinstance(outer, entered):
            outer.report(self.repeats, first, self._random)
        try:
            return self._made(number, number, first, moment, partial(augment_batch, limit=size, **how))
        except (NotReproducible, SharedSeedError):
            raise
        except Exception as error:
            name = f"batch {number}, whose first sample is {first.index},"
            raise sample_error(error, None, first.index, first, self.worker(), name=name) from error

    def failures(self) -> dict[int, dict[int, str]]:
        """Return the samples that failed so far, in every worker: the reason by epoch and index."""
        return {} if self.faults.log is None else self.faults.log.failures()

    def report_failures(self, name: str = "") -> None:
        """Warn of the samples that failed since the last report, once for each epoch.

        Args:
            name: the beginning of the warning.
        """
        if self.faults.log is not None:
            self.faults.log.report(name)

    def manifest(self) -> dict[str, Any]:
        """Return what the samples depend on besides the data: seed, pipeline, and the versions of all libraries."""
        return manifest(seed=self.seed, base=self.base, augment=self.augment, runner=self._runner)

    @property
    def bridged(self) -> bool:
        """Whether the generators that the base touches follow the key."""
        return self._runner is not None

    def _made(
        self,
        source: int,
        position: int,
        key: SampleKey,
        moment: Moment,
        apply: Callable[..., Any] = augment_sample,
        row: Array | None = None,
    ) -> Any:
        """Return what the base has at `source`, read and augmented as the sample at `position` is."""
        opencv.guard()
        if self._runner is None:
            sample = self._run(source, position, key, moment)
        else:
            sample = self._runner.run(
                address(key, _BRIDGE),
                lambda at: self._run(source, position, moved(key, at), moment),
            )
        if sample is None or type(sample) is Skipped:
            raise missing(sample)
        augment, finite = self.augment, self.faults.check_finite
        keys: Any = key
        if finite:
            require_finite(sample)
        if augment is None:
            if self.views is None or key.view % self.views:
                return sample
            inner = [self.key(position, moment, view) for view in range(1, self.views)]  # each draws
            return joined_views(
                [sample, *(self._made(source, position, one, moment) for one in inner)], self.targets
            )
        if self.views is not None:
            apply, keys = augment_views, [self.key(position, moment, inner) for inner in range(self.views)]
        given: tuple[Any, ...] = (augment, sample, keys, self.targets)
        if row is not None and apply is augment_sample:
            given = (*given, row)
        outer = state.read
        if outer is not None and outer.key is not None:  # of a dataset around this one
            with reading(None):
                made = apply(*given)
        else:
            made = apply(*given)
        if finite:
            require_finite_after(augment, made, lambda other: apply(other, sample, keys, self.targets))
        return made

    def _run(self, source: int, position: int, key: SampleKey, moment: Moment) -> Any:
        """Return what one run of the base gives."""
        run = entered(moment, key, self.repeats, position, source == position)
        run.outer = state.read
        state.read = run
        try:
            return self.base[source]
        finally:
            state.read = run.outer
            if run.numbers:
                self._random = True  # the base has asked for the key
