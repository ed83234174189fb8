"""The reader of keyed samples, for all adapters."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy, deepcopy
from functools import partial
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import Any, Final, NamedTuple, SupportsIndex

import numpy as np
from numpy import ndarray

from seedsafe import opencv
from seedsafe.bridging.options import Bridge, NotReproducible, checked_bridge
from seedsafe.bridging.region import Region
from seedsafe.bridging.runner import Runner, Twice
from seedsafe.bridging.search import find
from seedsafe.bridging.sources import globals_for
from seedsafe.ground.checks import record_ids
from seedsafe.ground.html import table
from seedsafe.ground.info import UINT8, Array
from seedsafe.keys.ambient import reading, thread
from seedsafe.keys.key import CONTRACT_VERSION, Address, SampleIndex, SampleKey, address, checked_int, op_of
from seedsafe.keys.many import ManyKeys
from seedsafe.pipeline.batch import Many, UnevenError
from seedsafe.pipeline.compose import Compose
from seedsafe.pipeline.html import pipeline_table
from seedsafe.pipeline.mixer import MixingRoot
from seedsafe.pipeline.node import Chain, run
from seedsafe.pipeline.rules import Rules
from seedsafe.pipeline.transform import Transform
from seedsafe.pipeline.unnamed import SCALARS
from seedsafe.reading.batches import AtOnce, augment_batch
from seedsafe.reading.faults import (
    Faults,
    PartnerError,
    Skipped,
    missing_error,
    path_of,
    process_name,
    reason,
    require_finite,
    require_finite_after,
    sample_error,
)
from seedsafe.reading.forms import (
    WIDE,
    Augment,
    Targets,
    as_arrays,
    augment_sample,
    augment_views,
    check_targets,
    copy_parts,
    draws,
    implied,
    is_compose,
    is_foreign_code,
    joined_views,
    labels_of,
    mixer_of,
    take_apart,
)
from seedsafe.reading.inside import (
    Keyed,
    Repeats,
    SharedSeedError,
    WarningLog,
    entered,
    key_at,
    nested,
    shared_seed,
)

__all__ = ["Forwarding", "KeyedReader", "collating", "manifest"]


def manifest(*, seed: int, base: Any, augment: Any, runner: Runner | None) -> dict[str, Any]:
    """Return everything but the data that the samples of a run depend on, as plain data for a log.

    Under a bridge, the samples stay the same for other workers, orders, ranks and resumes, but not for other versions of
    the libraries that draw them. So the dict lists these libraries.

    Returns:
        A dict with ``contract``, ``seedsafe``, ``python``, ``numpy``, ``seed``, ``augment`` (the result of `to_dict`, or the
        pipeline's repr if it holds code), ``bridge`` (the options' repr, or None), ``verdict`` and ``libraries``.

    Example:
        >>> result = manifest(seed=42, base=[1, 2], augment=None, runner=None)
        >>> result["contract"], result["seed"], result["augment"], result["libraries"]
        (1, 42, None, {})
    """
    roots = set()
    for root in (augment, base if runner is not None else None):
        roots |= find(root).libraries
    owners = packages_distributions()
    libraries = {}
    for distribution in sorted({owner for root in roots for owner in owners.get(root, ())}):
        if distribution not in ("seedsafe", "numpy"):  # these two have entries of their own
            libraries[distribution] = version(distribution)
    return {
        "contract": CONTRACT_VERSION,
        "seedsafe": _own_version(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "seed": seed,
        "augment": _plain(augment),
        "bridge": None if runner is None else repr(runner.options),
        "verdict": None if runner is None else runner.verdict,
        "libraries": libraries,
    }


def _plain(augment: Any) -> Any:
    if augment is None:
        return None
    try:
        return augment.to_dict()
    except (AttributeError, TypeError):  # a single transform has no to_dict, and code no plain data
        return repr(augment)


def _own_version() -> str | None:
    try:
        return version("seedsafe")
    except PackageNotFoundError:
        return None


_BRIDGE: Final = op_of("seedsafe/bridge")
_COLLATE: Final = op_of("seedsafe/collate")


class Read(NamedTuple):
    """The sample of the base at a position, or the error that the base raised."""

    sample: Any
    error: Exception | None = None


class _Reads(NamedTuple):
    """The samples of a batch that the base has returned so far."""

    images: Array
    """The images of the samples that are alike."""
    others: list[tuple[Any, ...]] | None
    """The other parts of these samples, or None if they are bare images."""
    alike: int
    """The number of samples that are alike."""
    last: Read | None = None
    """The sample after them, or its error, if it was read."""

    def of(self, number: int) -> Read | None:
        """Return the sample with a number, or None if it was not read."""
        if number >= self.alike:
            return self.last if number == self.alike else None
        image = self.images[number]
        return Read(image if self.others is None else (image, *self.others[number]))


class KeyedReader:
    """Reads samples of a dataset, each augmented as a pure function of its key.

    An adapter keeps the framework's base class, and passes a SampleIndex: the position with its epoch, occurrence and view.
    Everything else is here. While the base runs, calls without a key take the sample's.

    Args:
        base: anything with ``base[position]``.
        augment: a Compose or a Transform, called as ``augment(sample, key=key)``, or None.
        seed: the seed of the run.
        targets: the targets of the parts of a sample; see Targets.
        views: the number of views of each sample, or None for the sample itself.
        ids: one integer below 2**64 for each sample, to key on instead of the position.
        offset: a number to add to the position in the key, the user's ``index_offset``.
        faults: the treatment of samples that fail.
        bridge: True, or a Bridge: every generator that the base touches follows the key.
        worker: returns the number or name of this process if it is a worker, else None.
        told: the log of warnings, which several readers may share.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of its range.

    Example:
        >>> import numpy as np
        >>> import seedsafe as ss
        >>> reader = KeyedReader([np.arange(9, dtype=np.uint8)[None]], ss.RandomCrop((1, 3)), seed=42)
        >>> reader.sample(ss.SampleIndex(0, epoch=7)).tolist()
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
        told: WarningLog | None = None,
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
            "index_offset", offset, 0, 2**63, "pass the sum of the lengths of the datasets before"
        )
        self.ids = None if ids is None else record_ids(ids, len(base))
        self.faults = faults or Faults()
        self.faults.require_length(base)
        self.worker = worker
        self.repeats = Repeats(base, self.seed, told)
        self.bridge = checked_bridge(bridge)
        for inner in nested(base):
            if inner.reader.seed == self.seed:
                raise shared_seed(self.seed)
        self.length = 0
        """The length of the base at the last look, since it may grow."""
        self.renew()

    def renew(self) -> None:
        """Look at the base and the augmentation again, after one of them was replaced."""
        label = f"the dataset {type(self.base).__qualname__}"
        self._runner = None if self.bridge is None else Runner(self.base, self.bridge, label)
        self._random = self._runner is not None or draws(self.augment)
        augment = self.augment
        plain = self.views is None and not self.faults.check_finite
        self._mixes = _is_ours(augment) and mixer_of(augment) is not None
        self._pipeline = augment if isinstance(augment, Compose) or not self._mixes else Compose([augment])  # type: ignore[list-item]
        usual = plain and is_compose(augment) and self.targets in (None, "image") and not self._mixes
        idle = isinstance(augment, Compose) and not (augment.transforms or augment.options())
        self._idle = (plain and augment is None) or (usual and idle)  # samples come back unchanged
        verifies = is_foreign_code(augment) and (self.bridge is None or self.bridge.verify)
        self._twice = Twice(augment, f"the augmentation {augment!r}"[:200]) if verifies else None
        self._simple = usual and not idle
        self._straight = self._simple and self._twice is None
        known = self._straight and isinstance(augment, Compose) and augment.many.is_known
        self._at_once = known and self._runner is None
        says = self._at_once and getattr(type(self.base), "reads_batches", False) is True
        self._reads_batches = says and next(nested(self.base), None) is None  # one inside needs its own index
        self._plain_key = self.views is None and self.ids is None and not self._idle

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

    def key(self, at: SampleIndex, inner: int = 0) -> SampleKey:
        """Return the key of a sample, or of the view `inner` if the dataset has views."""
        position = int(at)
        index = position + self.index_offset if self.ids is None else self.ids.item(position)
        view = at.view if self.views is None else at.view * self.views + inner
        return SampleKey(self.seed, at.epoch, index, occurrence=at.occurrence, view=view)

    def sample(
        self,
        at: SampleIndex,
        *,
        counts: bool = True,
        listed: bool = True,
        row: Array | None = None,
        given: Read | None = None,
    ) -> Any:
        """Read the sample at a position, and return it augmented.

        Args:
            at: the position, with the epoch, occurrence and view.
            counts: False if the user chose the epoch, so the key may have been served before.
            listed: False if a failure does not enter the list, because the caller drops the sample.
            row: memory for the augmented array; see `augment_sample`.
            given: the sample of the base, if it was read before.

        Raises:
            IndexError: there is no such sample.
            SampleError: the sample could not be read or augmented.
            NotReproducible: the bridge does not reach every generator that the base draws from.
        """
        if not 0 <= at < self.length:
            at = SampleIndex(self.position(at), at.epoch, at.occurrence, at.view)
        key = None
        if self._plain_key:  # `key` inline, timed by benchmarks/sample_checks.py
            epoch, index = at.epoch, int(at) + self.index_offset
            key = SampleKey(self.seed, epoch, index, occurrence=at.occurrence, view=at.view)
        elif not self._idle:
            key = self.key(at)
        outer = thread.read
        if outer is not None and counts and isinstance(outer, entered):
            key = key or self.key(at)
            outer.report(self.repeats, key, self._random)
        try:
            return self._make(int(at), at, key, row=row, before=given)
        except (NotReproducible, SharedSeedError):
            raise  # all samples have this error
        except Exception as error:
            if isinstance(error, IndexError) and not hasattr(self.base, "__len__"):
                raise  # the end of a base without a length
            position, key = int(at), key or self.key(at)
            return self.faults.recover(
                error,
                self.base,
                position,
                key,
                lambda other: self._make(other, at, key, row=row),
                self.worker(),
                listed=listed,
            )

    def at_once(
        self,
        ats: Sequence[SampleIndex],
        room: Callable[[tuple[int, ...], Any], Array],
        *,
        around: Callable[[int], entered] | None = None,
        listed: bool = True,
    ) -> AtOnce | Callable[..., Any] | None:
        """Read the samples at some positions, and augment their images at once if that is faster.

        Each sample is read once. Samples that fail are treated as in `sample`.

        Args:
            ats: the positions, each with its epoch, occurrence and view.
            room: returns memory for all augmented images, for a shape and a dtype.
            around: returns a read to enter around the read of the sample with a number, or None.
            listed: see `sample`.

        Returns:
            The augmented images and the other parts. If each sample must be augmented on its own, a function that takes a
            sample's number, and a row as `sample` does, and returns the augmented sample. If nothing was done, None.
        """
        many = self._many
        if many is None or not many.pays(len(ats)) or thread.read is not None:
            return None
        low, high = min(ats), max(ats)
        if low < 0 or not hasattr(self.base, "__len__") or high >= len(self.base):
            return None
        self.position(high)
        reads = self._reads(ats, many, around)
        if reads.alike == len(ats):
            try:
                return AtOnce(many.run(reads.images, self._keys(ats), room), reads.others)
            except UnevenError:
                self._at_once = False  # the next batches will not be even either
            except Exception:  # noqa: BLE001, S110  # each sample raises its own error
                pass

        def alone(number: int, row: Array | None = None) -> Any:
            at, read = ats[number], reads.of(number)
            if read is not None:
                return self.sample(at, counts=False, listed=listed, row=row, given=read)
            if around is None:
                return self.sample(at, listed=listed, row=row)
            with around(number):
                return self.sample(at, listed=listed, row=row)

        return alone

    def may_pay(self, count: int) -> bool:
        """Return whether `count` samples may be augmented at once; see `at_once`."""
        many = self._many
        return many is not None and many.pays(count)

    @property
    def _many(self) -> Many | None:
        augment = self.augment
        return augment.many if self._at_once and isinstance(augment, Compose) else None

    def _reads(
        self, ats: Sequence[SampleIndex], many: Many, around: Callable[[int], entered] | None
    ) -> _Reads:
        """Read samples from the base until one differs from the first in form, or cannot be read."""
        opencv.guard()
        base, repeats, key = self.base, self.repeats, self.key
        if type(base) is ndarray and around is None and not base.dtype.hasobject:
            if many.takes(base) and many.pays(len(ats), base[0]):
                return _Reads(base[list(map(int, ats))], None, len(ats))
            self._at_once = False
            return _Reads(base, None, 0)
        together = self._together(ats)
        read = entered(None, repeats, 0, True, key)  # reused for each sample, timed by benchmarks/batches.py
        again, number, last = read.again, 0, None
        read.outer = None
        thread.read = read
        images, others = np.empty(0), list[tuple[Any, ...]]()
        shape, dtype, length, label = images.shape, images.dtype, 0, type(None)
        try:
            for number, at in enumerate(ats):
                again(at, key)
                if around is not None:
                    thread.read = read.outer = outer = around(number)
                    outer.outer = None
                    outer.report(repeats, key(at), self._random)
                    thread.read = read
                try:
                    sample = base[int(at)] if together is None else together[number]
                except (NotReproducible, SharedSeedError):
                    raise
                except Exception as error:  # noqa: BLE001  # `sample` treats it
                    last = Read(None, error)
                    break
                if read.numbers:
                    self._random = True
                if number == 0:
                    image = self._image(sample, many)
                    if image is None or not many.pays(len(ats), image):
                        self._at_once = False
                        last = Read(sample)
                        break
                    images = np.empty((len(ats), *image.shape), image.dtype)
                    shape, dtype = image.shape, image.dtype
                    if image is not sample:
                        length, label = len(sample), type(sample[-1])
                elif not length:
                    image = sample
                elif type(sample) is tuple and len(sample) == length and type(sample[-1]) is label:
                    image = sample[0] if self._begins_with_image(sample) else None
                else:
                    image = None
                if type(image) is not ndarray or image.shape != shape or image.dtype != dtype:
                    last = Read(copy_parts(sample))
                    break
                # The base may reuse its memory for its next sample.
                images[number] = image
                if length:
                    other = sample[1:]
                    others.append(other if SCALARS.issuperset(map(type, other)) else copy_parts(other))
            else:
                number = len(ats)
        finally:
            self._random |= bool(read.numbers)
            thread.read = None
        return _Reads(images, others if length else None, number, last)

    def _together(self, ats: Sequence[SampleIndex]) -> Sequence[Any] | None:
        """Read the samples in one call, or return None unless the base declares that they equal single reads."""
        if not self._reads_batches:
            return None
        with suppress(Exception), reading(None):  # each sample raises its own error later
            samples: Sequence[Any] = self.base.__getitems__(list(map(int, ats)))
            fits = isinstance(samples, list | tuple | ndarray) and len(samples) == len(ats)
            return samples if fits else None
        return None

    def _image(self, sample: Any, many: Many) -> Array | None:
        """Return the image of a sample that is an image or a tuple that begins with one, or None for any other sample."""
        image = sample
        if type(sample) is tuple and sample:
            image = sample[0]
            if type(image) is not ndarray:
                return None
            if not self._begins_with_image(sample):
                return None
        return image if many.takes([image]) else None

    def _begins_with_image(self, sample: Any) -> bool:
        """Return whether only the first element of a tuple is augmented, and nothing is wrong with the others."""
        try:
            return self._is_plain(sample)
        except ValueError:  # the sample raises it later
            return False

    def _keys(self, ats: Sequence[SampleIndex]) -> ManyKeys:
        moments = [at.epoch << 32 | at.occurrence << 16 | at.view for at in ats]
        if self.ids is not None:
            return ManyKeys.of_run(self.seed, moments, [self.ids.item(int(at)) for at in ats])
        offset = self.index_offset
        return ManyKeys.of_run(self.seed, moments, [int(at) + offset for at in ats])

    def batch(self, at: SampleIndex, size: int, **how: Any) -> Any:
        """Read a ready batch from the base, and return it with each sample augmented at its own key.

        Args:
            at: the number of the batch in the base, with the epoch, occurrence and view.
            size: the number of samples in each batch but the last.
            how: the options `rows` and `stack` of `augment_batch`.

        Raises:
            SampleError: the batch could not be read or augmented.
            NotReproducible: see `sample`.
        """
        number = int(at)
        first = self.key(SampleIndex(number * size, at.epoch, at.occurrence, at.view))
        outer = thread.read
        if isinstance(outer, entered):
            outer.report(self.repeats, first, self._random)
        try:
            return self._make(number, at, first, partial(augment_batch, limit=size, **how))
        except (NotReproducible, SharedSeedError):
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

    def manifest(self) -> dict[str, Any]:
        """Return everything but the data that the samples depend on: seed, pipeline, and the versions of all libraries."""
        return manifest(seed=self.seed, base=self.base, augment=self.augment, runner=self._runner)

    @property
    def bridged(self) -> bool:
        """Whether the generators that the base touches follow the key."""
        return self._runner is not None

    def _make(
        self,
        source: int,
        at: SampleIndex,
        key: SampleKey | None,
        apply: Callable[..., Any] = augment_sample,
        row: Array | None = None,
        before: Read | None = None,
    ) -> Any:
        """Read the base at `source`, unless it was read `before`, and augment the sample with the key of `at`.

        `source` differs from `at` for a substitute. Without a key the sample stays unchanged and needs none.
        """
        if not opencv.done:
            opencv.guard()
        if before is not None:
            if before.error is not None:
                raise before.error
            sample = before.sample
        elif self._runner is None:
            read = entered(at, self.repeats, at, source == at, key or self.key)  # `_read` inline
            read.outer = thread.read
            thread.read = read
            try:
                sample = self.base[source]
            finally:
                thread.read = read.outer
                if read.numbers:
                    self._random = True
        else:
            of_sample = key or self.key(at)
            sample = self._runner.run(
                address(of_sample, _BRIDGE),
                lambda words: self._read(source, at, key_at(of_sample, words)),
            )
        if sample is None or type(sample) is Skipped:
            raise missing_error(sample)
        if self._mixes:  # the base reads partners before this sample is done
            sample = copy_parts(sample)
        augment = self.augment
        if augment is None and self._idle and apply is augment_sample:
            return sample
        outer = thread.read
        if apply is augment_sample:
            array = sample[0] if type(sample) is tuple and sample else sample
            known = type(array) is ndarray
            if self._idle and (known or not isinstance(sample, tuple | list | dict)):
                return sample
            apart = outer is None or not outer.has_key
            if (
                self._straight
                and known
                and apart
                and (array.dtype is UINT8 or array.dtype.char not in WIDE)
                and (array is sample or self._is_plain(sample))
            ):
                result = run(augment._root, array, key, augment._rules, None, row)  # type: ignore[union-attr]  # pyright: ignore
                return result if array is sample else (result, *sample[1:])
        key = key or self.key(at)
        finite = self.faults.check_finite
        if finite:
            require_finite(sample)
        if augment is None:
            if self.views is None or key.view % self.views:
                return sample
            inner = [self.key(at, view) for view in range(1, self.views)]  # the base draws each view
            return joined_views([sample, *(self._make(source, at, one) for one in inner)], self.targets)
        keys: Any = key
        if self.views is not None:
            apply, keys = augment_views, [self.key(at, inner) for inner in range(self.views)]
        targets = self.targets
        if targets is None and type(sample) is not ndarray and type(apply) is not partial:
            targets = implied(augment, sample)
        arguments: tuple[Any, ...] = (augment, sample, keys, targets)
        if self._mixes and type(apply) is not partial:
            arguments = (self._pipeline, *arguments[1:])
            apply = partial(apply, partners=_Partners(self, at))
        twice = self._twice
        call = apply if twice is None else partial(self._watch, twice, apply, key)
        if row is not None and apply is augment_sample:  # a pipeline that mixes takes no row
            arguments = (*arguments, row)
        if outer is not None and outer.has_key:  # a dataset around this one has a key
            with reading(None):
                result = call(*arguments)
        else:
            result = call(*arguments)
        if finite:
            require_finite_after(augment, result, lambda other: apply(other, sample, keys, targets))
        return result

    def _is_plain(self, sample: Any) -> bool:
        """Return whether only the first element of a tuple is augmented."""
        if len(sample) == 2 and type(sample[1]) in SCALARS:
            return True
        return self.targets is not None or not implied(self.augment, sample)

    def _watch(self, twice: Twice, apply: Callable[..., Any], key: SampleKey, *arguments: Any) -> Any:
        """Run one of the first calls of an augmentation with foreign code, and refuse the code if it ignores its key.

        In a pipeline, the draws and results of foreign transforms are computed twice more, but not those of the library's
        own. A callable runs twice more under a bridge. Without one, that would surprise the user, so it happens only if a
        generator has advanced.
        """
        augment: Any
        augment, at = arguments[0], address(key, _BRIDGE)
        if _is_ours(augment):
            pipeline = augment if isinstance(augment, Compose) else Compose([augment])
            result = apply(pipeline.watched(partial(twice.check, at)), *arguments[1:])
        else:
            result = self._watch_callable(twice, at, apply, *arguments)
        twice.left -= 1
        if not twice.left:
            self._twice = None
            self._straight = self._simple
        return result

    def _watch_callable(self, twice: Twice, at: Address, apply: Callable[..., Any], *arguments: Any) -> Any:
        augment, sample, keys, targets, *_ = arguments
        original = deepcopy(sample)
        ready = isinstance(apply, partial) and "limit" in apply.keywords
        plain = partial(augment_batch, limit=apply.keywords["limit"]) if ready else apply  # type: ignore[attr-defined]

        def again() -> Any:
            with reading(None):
                return plain(augment, deepcopy(original), keys, targets)

        if self._runner is not None:
            twice.check(at, again)
            return apply(*arguments)
        before = twice.marks()
        result = apply(*arguments)
        if twice.marks() != before:
            twice.check(at, again)
        return result

    def partner(self, at: SampleIndex, view: int, before: Chain, rules: Rules) -> Any:
        """Return a sample to mix into another one, after the first transforms of the pipeline.

        Args:
            at: the position of this sample, with the epoch, occurrence and view of the other one.
            view: the view in the other sample's key.
            before: the nodes of the first transforms.
            rules: the rules of the pipeline.

        Raises:
            PartnerError: the sample could not be read or augmented.
        """
        position = int(at)
        own = self.key(at)
        key = SampleKey(self.seed, own.epoch, own.index, occurrence=own.occurrence, view=view)
        try:
            return self._read_partner(position, at, own, key, before, rules)
        except (NotReproducible, SharedSeedError):
            raise
        except Exception as error:
            if self.faults.on_error == "replace":
                return self.faults.recover(
                    error,
                    self.base,
                    position,
                    key,
                    lambda other: self._read_partner(other, at, own, key, before, rules),
                    self.worker(),
                )
            path = path_of(self.base, position)
            file = "" if path is None else f" ({path!r})"
            raise PartnerError(f"its partner, sample {position}{file}, failed: {reason(error)}") from error

    def _read_partner(
        self, source: int, at: SampleIndex, own: SampleKey, key: SampleKey, before: Chain, rules: Rules
    ) -> Any:
        """Read the base at `source`, and run the first transforms of the pipeline."""
        if self._runner is None:
            sample = self._read(source, at, own, counts=False)
        else:
            sample = self._runner.run(
                address(own, _BRIDGE),
                lambda words: self._read(source, at, key_at(own, words), counts=False),
            )
        if sample is None or type(sample) is Skipped:
            raise missing_error(sample)
        sample = copy_parts(sample)
        if self.faults.check_finite:
            require_finite(sample)
        targets = self.targets
        if targets is None and type(sample) is not ndarray:
            targets = implied(self.augment, sample)
        parts = as_arrays(self.augment, take_apart(sample, targets)[0])  # type: ignore[arg-type]  # it mixes
        return run(MixingRoot(before, rules, _Partners(self, at), inside=True), parts, key, rules)

    def _read(
        self,
        source: int,
        at: SampleIndex,
        key: SampleKey | Callable[[SampleIndex], SampleKey],
        *,
        counts: bool = True,
    ) -> Any:
        read = entered(at, self.repeats, at, counts and source == at, key)
        read.outer = thread.read
        thread.read = read
        try:
            return self.base[source]
        finally:
            thread.read = read.outer
            if read.numbers:
                self._random = True  # the base has asked for the key


def _is_ours(augment: Any) -> bool:
    """Return whether an augmentation is a Compose or a Transform, with the library's own call."""
    lone = isinstance(augment, Transform) and type(augment).__call__ is Transform.__call__
    return lone or is_compose(augment)


class _Partners:
    """The samples of a dataset that can be mixed into one of them."""

    __slots__ = ("_at", "_reader")

    def __init__(self, reader: KeyedReader, at: SampleIndex) -> None:
        self._reader = reader
        self._at = at

    @property
    def length(self) -> int | None:
        """The number of samples, or None if it is unknown."""
        base = self._reader.base
        return len(base) if hasattr(base, "__len__") else None

    @property
    def position(self) -> int:
        """The position of the sample that others are mixed into."""
        return int(self._at)

    def read(self, position: int, view: int, before: Chain, rules: Rules) -> Any:
        """Return another sample; see `KeyedReader.partner`."""
        at = self._at
        return self._reader.partner(
            SampleIndex(position, at.epoch, at.occurrence, at.view), view, before, rules
        )


def collating(first: SampleIndex, seed: int, options: Bridge) -> Region:
    """Return a context manager in which the process's generators follow the key of a batch's first requested index."""
    key = SampleKey(seed, first.epoch, int(first), occurrence=first.occurrence, view=first.view)
    return Region(address(key, _COLLATE), globals_for(options, one_thread=True))


_OF_READER: Final = frozenset(
    {"augment", "base", "bridged", "faults", "ids", "index_offset", "seed", "views"}
)


_FIXED: Final = ("bridge", "check_finite", "on_error")


class Forwarding(Keyed):
    """A dataset with a `reader`, which offers the attributes of the reader and of its base as its own.

    Setting an attribute changes the object that has it: setting `transform` of a base reaches the base. Options that are read
    only once, when the dataset is made, cannot be set: `bridge`, `check_finite`, `on_error`, and `targets` unless the base has
    such an attribute.
    """

    reader: KeyedReader

    def failures(self) -> dict[int, dict[int, str]]:
        """Return the reason for each failure so far, in every worker, by epoch and index."""
        return self.reader.failures()

    def report_failures(self, name: str = "") -> None:
        """Warn of the samples that failed since the last report, once for each epoch. This library's loaders call it.

        Args:
            name: the beginning of the warning.
        """
        self.reader.report_failures(name)

    def manifest(self) -> dict[str, Any]:
        """Return everything but the data that the samples depend on: seed, pipeline, and the versions of all libraries."""
        return self.reader.manifest()

    def _repr_html_(self) -> str:
        """Return the dataset as a table, for notebooks; no sample is read."""
        reader = self.reader
        length = f"{len(reader.base):,}" if hasattr(reader.base, "__len__") else "unknown"
        base = f"base of {length}: {type(reader.base).__qualname__}"
        more = f", {reader.views} views" if reader.views else ""
        title = (
            f"{type(self).__name__}, seed {reader.seed}, {base}{more}{', bridged' if reader.bridged else ''}"
        )
        if isinstance(reader.augment, Compose):
            return pipeline_table(reader.augment, title)
        return table(title, ("transform",), [] if reader.augment is None else [(repr(reader.augment),)])

    def __getattr__(self, name: str) -> Any:
        reader = self.__dict__.get("reader")
        if reader is None or name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if name in _OF_READER:
            return getattr(reader, name)
        try:
            return getattr(reader.base, name)
        except AttributeError as error:
            kind, base = type(self).__name__, type(reader.base).__qualname__
            raise AttributeError(
                f"neither {kind} nor its base, a {base}, has the attribute {name!r}"
            ) from error

    def __setattr__(self, name: str, value: Any) -> None:
        reader = self.__dict__.get("reader")
        if reader is None or name.startswith("_") or name in self.__dict__ or hasattr(type(self), name):
            super().__setattr__(name, value)
        elif name in _FIXED or (name == "targets" and not hasattr(reader.base, name)):
            raise AttributeError(
                f"{name} cannot be set after the {type(self).__name__} is made: make another one with {name}={value!r}"
            )
        elif name in _OF_READER:
            self.reader = reader = copy(reader)  # other views of a sequence share the old one
            setattr(reader, name, value)
            reader.renew()
        elif hasattr(reader.base, name):
            setattr(reader.base, name, value)
            reader.renew()
        else:
            super().__setattr__(name, value)
