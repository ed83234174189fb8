"""The reader of keyed samples, for all adapters.

A read is three steps, all in `steps.py`: the sample's key, the base's sample, and its augmentation. What a dataset needs is asked once,
in `KeyedReader.renew`, which composes them.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import Any, SupportsIndex

import numpy as np

from seedsafe.bridging.options import Bridge, checked_bridge
from seedsafe.bridging.runner import KeyCheck, Runner
from seedsafe.bridging.search import find
from seedsafe.ground.checks import record_ids
from seedsafe.ground.info import Array
from seedsafe.keys.ambient import thread
from seedsafe.keys.key import CONTRACT_VERSION, SampleIndex, SampleKey, checked_int
from seedsafe.pipeline.batch import Allocate
from seedsafe.pipeline.spans import RangeError
from seedsafe.reading.bases import (
    Repeats,
    WarningLog,
    check_base,
    entered,
    nested,
    shared_seed,
)
from seedsafe.reading.batches import ReadyBatch
from seedsafe.reading.bound import Augment, BoundAugment, listed
from seedsafe.reading.checks import DrawChecks, Unkeyed
from seedsafe.reading.epochs import BaseEpochs, InEpoch
from seedsafe.reading.faults import OF_ALL_SAMPLES, Faults, process_name, require_finite, sample_error
from seedsafe.reading.forms import copy_parts
from seedsafe.reading.group import AtOnce, GroupReader, OuterReads
from seedsafe.reading.steps import (
    AnyForm,
    Bridged,
    Checked,
    EachView,
    Fetch,
    Fetching,
    FirstReads,
    Keying,
    Mixed,
    OneImage,
    OneView,
    SeveralViews,
    Step,
    Through,
    Unchanged,
    UnchangedImage,
)
from seedsafe.reading.targets import Targets

__all__ = [
    "KeyedReader",
]


class KeyedReader:
    """Reads samples of a dataset, each augmented as a pure function of its key.

    An adapter keeps the framework's base class, and passes a SampleIndex: the position with its epoch, occurrence and view.
    Everything else is here. While the base runs, calls without a key take the sample's.

    Args:
        base: anything with ``base[position]``.
        augment: a Compose or a Transform, called as ``augment(sample, key=key)``, or None.
        seed: the seed of the run.
        targets: the targets of the parts of a sample; see Targets.
        views: the number of views of each sample, a list with a pipeline for each, or None for the sample itself.
        ids: one integer below 2**64 for each sample, to key on instead of the position.
        offset: a number to add to the position in the key, the user's ``index_offset``.
        faults: the treatment of samples that fail.
        bridge: True, or a Bridge: every generator that the base touches follows the key.
        unkeyed: without a bridge, the treatment of a base that draws without the key.
        worker: returns the number or name of this process if it is a worker, else None.
        log: the log of warnings, which several readers may share.
        must_draw: whether to warn if a bridge finds that nothing draws and there is no augmentation; False for a validation set.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of its range.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> base = [(np.arange(9, dtype=np.uint8)[None], "a label")]
        >>> reader = KeyedReader(base, ss.RandomCrop((1, 3)), seed=42)
        >>> image, label = reader.sample(ss.SampleIndex(0, epoch=7))
        >>> image.tolist(), label
        ([[4, 5, 6]], 'a label')
        >>> reader.sample(ss.SampleIndex(0, epoch=8))[0].tolist()
        [[3, 4, 5]]
        >>> views = KeyedReader(base, ss.RandomCrop((1, 3)), seed=42, views=3)
        >>> [view.tolist() for view in views.sample(ss.SampleIndex(0, epoch=7))[0]]
        [[[4, 5, 6]], [[4, 5, 6]], [[6, 7, 8]]]
    """

    def __init__(
        self,
        base: Any,
        augment: Augment | None = None,
        *,
        seed: SupportsIndex,
        targets: Targets = None,
        views: int | Sequence[Augment] | None = None,
        ids: Any = None,
        offset: int = 0,
        faults: Faults | None = None,
        bridge: bool | Bridge = False,
        unkeyed: Unkeyed | None = None,
        worker: Callable[[], int | str | None] = process_name,
        log: WarningLog | None = None,
        must_draw: bool = True,
    ) -> None:
        check_base(base)
        augment, views = listed(augment, views)
        if augment is not None and not callable(augment):
            raise TypeError(
                f"augment must be a Compose or a Transform, got {augment!r}: pass Compose([...]); labels belong to the samples, as in "
                "list(zip(images, labels))"
            )
        if isinstance(augment, type):
            raise TypeError(
                f"augment must be a Compose or a Transform, got the class {augment.__name__}: write {augment.__name__}(...), with its "
                "arguments"
            )
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
        self.targets = BoundAugment(augment).check_targets(targets)
        self.views: int | Sequence[Augment] | None = views
        self.index_offset = checked_int(
            "index_offset", offset, 0, 2**63, "pass the sum of the lengths of the datasets before"
        )
        self.ids = None if ids is None else record_ids(ids, len(base))
        self.faults = faults or Faults()
        self.faults.require_length(base)
        self.worker = worker
        self.repeats = Repeats(base, self.seed, log)
        self.bridge = checked_bridge(bridge)
        self.must_draw = must_draw
        self.unkeyed = unkeyed or Unkeyed()
        for inner in nested(base):
            if inner.reader.seed == self.seed:
                raise shared_seed(self.seed)
        self.length = 0
        """The length that the base had when a position was last asked for, since it may grow."""
        self.renew()

    def renew(self) -> None:
        """Look at the base and the augmentation, after one of them was replaced, and compose the steps of a read."""
        self.augment, self.views = listed(self.augment, self.views)
        bound = self.bound = BoundAugment(self.augment)
        label = f"the dataset {type(self.base).__qualname__}"
        must_draw = self.must_draw and self.augment is None and next(nested(self.base), None) is None
        self._runner = (
            None if self.bridge is None else Runner(self.base, self.bridge, label, must_draw=must_draw)
        )
        self._checks = self._checks_of(bound)
        self._view_checks = [(view, self._checks_of(view)) for view in bound.views]
        self.repeats.has_effect = self._runner is not None or bound.draws
        views = len(bound.views) or self.views
        self._has_views = views is not None
        self._keying = Keying(self.seed, self.index_offset, self.ids, views or 1)
        unkeyed = self.unkeyed if self._runner is None else Unkeyed("allow")
        self._draw_checks = DrawChecks(self.base, unkeyed, self.repeats.log)
        self._epochs = BaseEpochs(self.base, self.seed, self.repeats.log, self._runner)
        self.fetching = self._compose_fetch()
        self._step = self._compose_step()
        may_need_none = isinstance(self._step, Unchanged | UnchangedImage) and self._runner is None
        self._needs_key = not may_need_none
        """Whether a read needs its key at once; if not, it is made when the base asks for it."""
        self.group_reader = self._compose_group_reader()
        """Reads and augments batches at once; None if samples are augmented one by one."""

    def _compose_fetch(self) -> Fetching:
        """Compose the step that reads the base."""
        # A class that reads windows says so for itself: a subclass may do more with the image.
        can_crop = "read_window" in vars(type(self.base)) and self._runner is None and self._is_one_image
        crops = self.bound if can_crop else None
        fetching: Fetching = Fetch(self.base, self.repeats, self._keying, self._draw_checks, crops)
        if self._runner is not None:
            fetching = Bridged(fetching, self._runner)
        if self._epochs:
            fetching = InEpoch(fetching, self._epochs)
        if self.bound.mixer is not None:
            # The base reads partners of the sample, and may reuse its memory for them.
            fetching = Through(fetching, copy_parts)
        if self.augment is None and self._has_views:
            fetching = EachView(fetching, self._keying, self.targets)
        return Through(fetching, require_finite) if self.faults.check_finite else fetching

    def _end_checks(self) -> None:
        """Compose the step that augments samples without the checks of the first of them."""
        self._step = self._compose_step()

    def _compose_step(self) -> Step:
        """Compose the step that augments samples."""
        bound = self.bound
        if self.augment is None:
            return Unchanged()
        if self._has_views:
            each = self._view_checks or [(bound, self._checks)] * self._keying.views
            views = [(view, self._wrap(OneView(), view, checks)) for view, checks in each]
            return SeveralViews(views, self.targets, self._keying)
        any_form = AnyForm(self.targets)
        if bound.is_empty and self._is_one_image:
            return UnchangedImage(any_form)
        return self._wrap(OneImage(any_form) if self._is_one_image else any_form, bound, self._checks)

    @property
    def _is_one_image(self) -> bool:
        """Whether the pipeline augments one image, alone or with labels, once."""
        bound = self.bound
        is_alone = self.targets == "image" or (self.targets is None and not bound.rules.shifts)  # of a sound
        return is_alone and bound.root is not None and bound.mixer is None and not self._has_views

    def _compose_group_reader(self) -> GroupReader | None:
        """Compose the step that reads and augments batches, or return None if samples are augmented one by one."""
        step = self._step
        step = step.step if isinstance(step, Checked) else step
        is_checked = self.faults.check_finite or self._checks.calls is not None
        is_alone = self._runner is not None or is_checked or not isinstance(step, OneImage)
        if is_alone or self.bound.many is None:
            return None
        return GroupReader(self.base, self.bound, self.targets, self.repeats, self._keying, self._draw_checks)

    def _checks_of(self, bound: BoundAugment) -> FirstReads:
        """Return what is checked in the first reads."""
        verifies = bound.is_foreign and (self.bridge is None or self.bridge.verify)
        name = f"the augmentation {bound.augment!r}"[:200] if verifies else ""
        return FirstReads(bound, self._end_checks, KeyCheck(bound.augment, name) if verifies else None)

    def _wrap(self, plain: Step, bound: BoundAugment, first: FirstReads) -> Step:
        """Wrap the step for an augmentation in what is rare."""
        step, check_finite = plain, self.faults.check_finite
        if first.due > 0 or first.calls is not None or check_finite:
            step = Checked(plain, first, always=self.bridged, check_finite=check_finite)
        return step if bound.mixer is None or bound.pipeline is None else Mixed(step, self)

    def position(self, index: SupportsIndex) -> int:
        """Return the position, from 0, of an index that may be negative.

        Raises:
            TypeError: it is not an integer.
            IndexError: there is no such sample.
        """
        if type(index) is SampleIndex or type(index) is int:
            position = int(index)
            if 0 <= position < self.length:
                return position
        length = len(self.base) if hasattr(self.base, "__len__") else 2**63
        if self.ids is not None and length != len(self.ids):
            raise ValueError(
                f"there are {len(self.ids)} ids, but the base has {length} samples now: make the dataset again with an id for each"
            )
        self.length = length
        number = checked_int("index", index, -(2**63), 2**63, "pass the sample's position")
        if not -length <= number < length:
            raise IndexError(f"index {number} is out of range: the dataset has {length} samples")
        return number + length if number < 0 else number

    def key(self, at: SampleIndex) -> SampleKey:
        """Return the key of a sample; if the dataset has views, that of its first view."""
        return self._keying.key(at)

    def sample(
        self,
        at: SampleIndex,
        *,
        counts: bool = True,
        listed: bool = True,
        row: Array | None = None,
        fetch: Callable[..., Any] | None = None,
    ) -> Any:
        """Read the sample at a position, and return it augmented.

        Args:
            at: the position, with the epoch, occurrence and view.
            counts: False if the user chose the epoch, so the key may have been served before.
            listed: False if a failure does not enter the list, because the caller drops the sample.
            row: memory for the augmented array; see `augment_sample`.
            fetch: returns the base's sample if it was read before, or raises its error; see `Fetching`.

        Raises:
            IndexError: there is no such sample.
            SampleError: the sample could not be read or augmented.
            NotReproducible: the bridge does not reach every generator that the base draws from, or there is no bridge, and
                the base draws without the key.
        """
        if not 0 <= at < self.length:
            at = SampleIndex(self.position(at), at.epoch, at.occurrence, at.view)
        key = self._keying.key(at) if self._needs_key else None
        if counts and thread.read is not None:
            self._report(key or self.key(at))
        try:
            sample = (fetch or self.fetching.read)(int(at), at, key, counts)
            return self._step.augment(self.bound, sample, at, key, row)  # type: ignore[arg-type]  # an Unchanged needs no key
        except Exception as error:  # noqa: BLE001  # `_recover` raises it, or replaces the sample
            return self._recover(error, at, key or self.key(at), row, listed)

    def _recover(self, error: Exception, at: SampleIndex, key: SampleKey, row: Any, listed: bool) -> Any:
        """Return what replaces a sample that failed, or raise the error that says which failed."""
        is_end = isinstance(error, IndexError) and not hasattr(self.base, "__len__")
        if is_end or isinstance(error, OF_ALL_SAMPLES):
            raise error
        if isinstance(error, RangeError):  # another sample would have it too
            raise sample_error(error, self.base, int(at), key, self.worker()) from error

        def read(position: int) -> Any:
            return self._step.augment(self.bound, self.fetching.read(position, at, key), at, key, row)

        return self.faults.recover(error, self.base, int(at), key, read, self.worker(), listed=listed)

    def _report(self, key: SampleKey) -> None:
        """Report a key to a dataset around this one, whose read this one is part of."""
        outer = thread.read
        if isinstance(outer, entered):
            outer.report(self.repeats, key)

    def at_once(
        self,
        ats: Sequence[SampleIndex],
        allocate: Allocate,
        *,
        outer_reads: OuterReads | None = None,
        listed: bool = True,
    ) -> AtOnce | Callable[..., Any] | None:
        """Read the samples at some positions, and augment their images at once if that is faster.

        Each sample is read once. Samples that fail are treated as in `sample`.

        Args:
            ats: the positions, each with its epoch, occurrence and view.
            allocate: returns memory for all augmented images, for a shape and a dtype.
            outer_reads: returns a read to enter around the read of the sample with a number, or None.
            listed: see `sample`.

        Returns:
            The augmented images and the other parts. If each sample must be augmented on its own, a function that takes a
            sample's number, and a row as `sample` does, and returns the augmented sample. If nothing was done, None.
        """
        reader, epochs = self.group_reader, self._epochs
        if reader is None or not reader.helps(len(ats)) or thread.read is not None:
            return None
        if min(ats) < 0 or not hasattr(self.base, "__len__") or max(ats) >= len(self.base):
            return None
        self.position(max(ats))
        lasts = epochs and epochs.begin(ats[0])
        group = reader.read(ats, outer_reads)
        if lasts:
            epochs.end(ats[-1].epoch)
        result = reader.run(group, ats, self._checks, allocate)
        if result is not None:
            return result

        def alone(number: int, row: Array | None = None) -> Any:
            at, fetch = ats[number], group.fetch_of(number)
            if fetch is not None or outer_reads is None:
                return self.sample(at, counts=fetch is None, listed=listed, row=row, fetch=fetch)
            with outer_reads(number):
                return self.sample(at, listed=listed, row=row)

        return alone

    def is_worthwhile(self, count: int) -> bool:
        """Return whether `count` samples may be augmented at once; see `at_once`."""
        return self.group_reader is not None and self.group_reader.helps(count)

    def batch(self, at: SampleIndex, size: int, *, rows: Any = None) -> Any:
        """Read a ready batch from the base, and return it with each sample augmented at its own key.

        Args:
            at: the number of the batch in the base, with the epoch, occurrence and view.
            size: the number of samples in each batch but the last.
            rows: the rows of a batch in place, or None.

        Raises:
            SampleError: the batch could not be read or augmented.
            NotReproducible: see `sample`.
        """
        number = int(at)
        first = self.key(SampleIndex(number * size, at.epoch, at.occurrence, at.view))
        if thread.read is not None:
            self._report(first)
        try:
            batch = self.fetching.read(number, at, first)
            if self.augment is None:
                return batch
            step = self._wrap(ReadyBatch(self.targets, size), self.bound, self._checks)
            return step.augment(self.bound, batch, at, first, rows)
        except OF_ALL_SAMPLES:
            raise
        except Exception as error:
            name = f"batch {number}, whose first sample is {first.index},"
            raise sample_error(error, None, first.index, first, self.worker(), name=name) from error

    def failures(self) -> dict[int, dict[int, str]]:
        """Return the reason for each failure so far, in every worker, by epoch and index."""
        return {} if self.faults.log is None else self.faults.log.failures()

    def report_failures(self, name: str = "") -> None:
        """Warn of the samples that failed since the last report, once for each epoch.

        Args:
            name: the beginning of the warning.
        """
        if self.faults.log is not None:
            self.faults.log.report(name)
        if self._runner is not None:
            self._runner.tell()

    def report(self) -> str:
        """Return what the bridge keys, as far as reads in all processes have shown; empty without a bridge."""
        return "" if self._runner is None else self._runner.report()

    def listen(self, *, collates: bool) -> None:
        """Let workers leave it to `report_failures` to tell that a bridge keys nothing, unless a collate function may draw."""
        if self._runner is not None:
            self._runner.listen(silent=collates)

    def manifest(self) -> dict[str, Any]:
        """Return everything but the data that the samples depend on, as plain data for a log.

        Under a bridge, the samples stay the same for other workers, orders, ranks and resumes, but not for other versions of
        the libraries that draw them. So the dict lists these libraries.

        Returns:
            A dict with ``contract``, ``seedsafe``, ``python``, ``numpy``, ``seed``, ``augment`` (the result of `to_dict`, or the
            pipeline's repr if it holds code), ``bridge`` (the options' repr, or None), ``keyed`` (what it keys), ``verdict``,
            ``equal_generators`` (those of the bridge that share a stream, a list for each stream) and ``libraries``.

        Example:
            >>> result = KeyedReader([1, 2], seed=42).manifest()
            >>> result["contract"], result["seed"], result["augment"], result["libraries"]
            (1, 42, None, {})
        """
        runner, augment = self._runner, self.augment
        roots = find(augment).libraries | (set() if runner is None else find(self.base).libraries)
        owners = packages_distributions()
        libraries = {}
        for distribution in sorted({owner for root in roots for owner in owners.get(root, ())}):
            if distribution not in ("seedsafe", "numpy"):  # these two have entries of their own
                libraries[distribution] = version(distribution)
        own, plain = None, None if augment is None else repr(augment)
        with suppress(PackageNotFoundError):
            own = version("seedsafe")
        with suppress(AttributeError, TypeError):  # a single transform has no to_dict, and code no plain data
            plain = augment.to_dict()  # type: ignore[union-attr]
        return {
            "contract": CONTRACT_VERSION,
            "seedsafe": own,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "seed": self.seed,
            "augment": plain,
            "bridge": None if runner is None else repr(runner.options),
            "keyed": self.report(),
            "verdict": None if runner is None else runner.verdict,
            "equal_generators": [] if runner is None else runner.joined(),
            "libraries": libraries,
        }

    @property
    def bridged(self) -> bool:
        """Whether the generators that the base touches follow the key."""
        return self._runner is not None
