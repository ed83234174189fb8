"""The steps of a read: key, sample, augmentation.

`Keying` gives the sample its key. `Fetch` reads the base; what is rare wraps that: `Bridged` keys all generators,
`EachView` reads the base for each view, `Through` copies or checks the sample.

Most samples are an image, alone or with labels: `OneImage` augments them. `AnyForm` augments any other form. What is rare wraps one of
these: `Checked` checks the first floats, the first calls of foreign code and the results, `Mixed` knows the other samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any, Final, Protocol

from numpy import ndarray

from seedsafe import opencv
from seedsafe.bridging.runner import KeyCheck, Runner
from seedsafe.ground.info import UINT8, Array
from seedsafe.keys import seeding
from seedsafe.keys.ambient import reading, thread
from seedsafe.keys.key import SampleIndex, SampleKey, address, op_of
from seedsafe.pipeline.node import Chain, run, window_of
from seedsafe.pipeline.rules import Rules
from seedsafe.pipeline.spans import CHECKED
from seedsafe.pipeline.unnamed import SCALARS
from seedsafe.reading.bases import Repeats, entered, key_at
from seedsafe.reading.bound import BoundAugment
from seedsafe.reading.checks import DrawChecks
from seedsafe.reading.faults import (
    OF_ALL_SAMPLES,
    PartnerError,
    Skipped,
    path_of,
    reason,
    require_finite_after,
    require_sample,
)
from seedsafe.reading.forms import WIDE, opened
from seedsafe.reading.sample import (
    Opened,
    augment_parts,
    augment_sample,
    in_views,
    joined_views,
    take_apart,
    targets_of,
)
from seedsafe.reading.targets import Targets, only_labels

__all__ = [
    "BRIDGE",
    "AnyForm",
    "Bridged",
    "Checked",
    "EachView",
    "Fetch",
    "Fetching",
    "FirstReads",
    "Keying",
    "Mixed",
    "OneImage",
    "OneView",
    "OtherSamples",
    "SeveralViews",
    "Step",
    "Through",
    "Unchanged",
    "UnchangedImage",
    "apart_from_outer",
]


class Keying:
    """Gives samples their keys.

    Args:
        seed: the seed of the run.
        offset: a number to add to the position, which is the index in the key.
        ids: the index in the key of each sample, instead of its position; or None.
        views: the number of views of a sample, whose key is that of its first view.

    Example:
        >>> import numpy as np
        >>> Keying(42, 1000).key(SampleIndex(7, epoch=3))
        SampleKey(seed=42, epoch=3, index=1007, occurrence=0, view=0)
        >>> keying = Keying(42, ids=np.array([5, 99]), views=2)
        >>> [(key.index, key.view) for key in keying.of_views(keying.key(SampleIndex(1, epoch=3, view=5)))]
        [(99, 10), (99, 11)]
    """

    def __init__(self, seed: int, offset: int = 0, ids: Array | None = None, views: int = 1) -> None:
        self.seed, self._offset, self._ids, self.views = seed, offset, ids, views

    def index(self, at: SampleIndex) -> int:
        """Return the index in the key of a sample."""
        return int(at) + self._offset if self._ids is None else self._ids.item(int(at))

    def key(self, at: SampleIndex) -> SampleKey:
        """Return the key of a sample."""
        # the index is written out, as a call of `index` would cost each read a hundredth
        index = int(at) + self._offset if self._ids is None else self._ids.item(int(at))
        return SampleKey(self.seed, at.epoch, index, occurrence=at.occurrence, view=at.view * self.views)

    def of_views(self, first: SampleKey) -> list[SampleKey]:
        """Return the keys of all views, from that of the first."""
        seed, epoch, index, occurrence = first.seed, first.epoch, first.index, first.occurrence
        views = range(first.view, first.view + self.views)
        return [SampleKey(seed, epoch, index, occurrence=occurrence, view=view) for view in views]


BRIDGE: Final = op_of("seedsafe/bridge")
"""The stream that a bridge keys generators from."""


class Fetching(Protocol):
    """Returns samples of the base."""

    def read(self, position: int, at: SampleIndex, key: SampleKey | None, counts: bool = True) -> Any:
        """Return the base's sample at a position.

        Args:
            position: the position. It differs from `at` for a sample that replaces another.
            at: the stamped index of the read.
            key: the key of the read, which calls without a key inside the base take; None to make it when one asks.
            counts: False for a read on behalf of another sample, whose key may have been served before without a warning.
        """


class Fetch:
    """Reads the base. Inside the read, the thread has the stamped index and its key.

    Args:
        base: anything with ``base[position]``.
        repeats: notices keys that a dataset inside serves twice.
        keying: makes the key if it is asked for.
        draw_checks: check at times whether the base draws without the key.
        crops: the pipeline, if all that it reads of an image may be a window and the base can read one; else None.
    """

    def __init__(
        self,
        base: Any,
        repeats: Repeats,
        keying: Keying,
        draw_checks: DrawChecks,
        crops: BoundAugment | None = None,
    ) -> None:
        self._base, self._repeats, self._late_key, self._draw_checks = base, repeats, keying.key, draw_checks
        self._crops = crops
        seeding.listen()

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        seeding.listen()  # in a spawned worker

    def read(
        self, position: int, at: SampleIndex, key: SampleKey | None, counts: bool = True, checks: bool = True
    ) -> Any:
        """Return the base's sample at a position."""
        if not opencv.done:
            opencv.guard()
        now = self._draw_checks
        now.due_in = due_in = now.due_in - 1
        if due_in <= 0 and checks:
            # a function of its own, with these names in cells, would cost every read
            return now.check(partial(self.read, position, at, key, counts, False), position, at.epoch)
        read = entered(at, self._repeats, at, counts and position == at, key or self._late_key)
        read.outer = (
            thread.read
        )  # a with statement costs 2 % more for small images: benchmarks/sample_checks.py
        thread.read = read
        try:
            # not where it may be compared with another read: the pixels around a window are any
            if self._crops is None or key is None or not checks:
                sample = self._base[position]
            else:
                chain: Any = self._crops.root  # a Chain: nothing mixes
                sample = self._base.read_window(position, partial(window_of, chain, key))
        finally:
            thread.read = read.outer
            if read.numbers:
                self._repeats.has_effect = True
        return require_sample(sample) if sample is None or type(sample) is Skipped else sample


class Bridged:
    """Reads the base with all generators that it touches keyed, and checks at times that a key always gives one sample."""

    def __init__(self, fetch: Fetching, runner: Runner) -> None:
        self._fetch, self._runner = fetch, runner

    def read(self, position: int, at: SampleIndex, key: SampleKey | None, counts: bool = True) -> Any:
        """Return the base's sample at a position."""
        assert key is not None
        return self._runner.run(
            address(key, BRIDGE),
            lambda words: self._fetch.read(position, at, key_at(key, words), counts),
        )


class EachView:
    """Reads the base once for each view, for a base that draws each view itself."""

    def __init__(self, fetch: Fetching, keying: Keying, targets: Targets) -> None:
        self._fetch, self._keying, self._targets = fetch, keying, targets

    def read(self, position: int, at: SampleIndex, key: SampleKey | None, counts: bool = True) -> Any:
        """Return the views of the base's sample at a position as one sample."""
        assert key is not None
        keys = self._keying.of_views(key)
        return joined_views([self._fetch.read(position, at, view, counts) for view in keys], self._targets)


class Through:
    """Passes each sample of the base through a function, which copies or checks it."""

    def __init__(self, fetch: Fetching, function: Callable[[Any], Any]) -> None:
        self._fetch, self._function = fetch, function

    def read(self, position: int, at: SampleIndex, key: SampleKey | None, counts: bool = True) -> Any:
        """Return what the function returns for the base's sample at a position."""
        return self._function(self._fetch.read(position, at, key, counts))


class Step(Protocol):
    """Augments samples."""

    def augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        """Return a sample of the base augmented.

        Args:
            bound: the augmentation.
            sample: the sample.
            at: the stamped index of the read.
            key: its key.
            row: memory for the augmented array, or None; see `augment_sample`.
        """


def apart_from_outer(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call a function. Calls without a key inside it are refused, even if a dataset around this one has a key."""
    outer = thread.read
    if outer is None or not outer.has_key:
        return call(*arguments, **options)
    with reading(None):
        return call(*arguments, **options)


class Unchanged:
    """Returns samples as they are, for a dataset without augmentation."""

    def augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        """Return the sample, unless its first part is missing, which an augmentation would refuse."""
        if (type(sample) is tuple or type(sample) is list) and sample and sample[0] is None:
            raise TypeError(
                "the first part of the sample is None: return a sample, or leave the index out of the dataset"
            )
        return sample


class AnyForm:
    """Augments samples of any form: takes each apart, augments its targets, and puts it together again."""

    def __init__(self, targets: Targets) -> None:
        self.targets = targets

    def augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        """Return the augmented sample."""
        return apart_from_outer(augment_sample, bound, sample, key, self.targets, row)


class OneView:
    """Augments the parts of a sample, for one of its views."""

    def augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        """Return the parts augmented."""
        return augment_parts(bound, sample, key)


class SeveralViews:
    """Augments each sample several times, each time with the step of a view, at the view's key.

    Args:
        views: the augmentation and the step of each view.
        targets: see Targets.
        keying: gives the views their keys.
    """

    def __init__(self, views: Sequence[tuple[BoundAugment, Step]], targets: Targets, keying: Keying) -> None:
        self._each, self._targets, self._keying = views, targets, keying

    def augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        """Return the sample's views in one sample."""
        return apart_from_outer(in_views, bound, sample, self._targets, partial(self._augment_each, at, key))

    def _augment_each(self, at: SampleIndex, first: SampleKey, parts: Any) -> list[Any]:
        keys = self._keying.of_views(first)
        each = zip(self._each, keys, strict=True)
        return [step.augment(view, parts, at, key, None) for (view, step), key in each]


class OneImage:
    """Augments a sample that is an image, or a tuple of an image and labels, in one call; `AnyForm` takes all others."""

    def __init__(self, any_form: AnyForm) -> None:
        self._any_form = any_form

    def augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        """Return the augmented sample."""
        if type(sample) is not tuple:
            image, are_labels = sample, True
        elif len(sample) == 2:
            image, label = sample
            are_labels = type(label) in SCALARS or only_labels((label,))
        else:
            image, are_labels = sample[0] if sample else None, only_labels(sample[1:])
        outer = thread.read
        if not (
            are_labels
            and type(image) is ndarray
            and (image.dtype is UINT8 or image.dtype.char not in WIDE)
            and (outer is None or not outer.has_key)
        ):
            return self._any_form.augment(bound, sample, at, key, row)
        result = run(bound.root, image, key, bound.rules, None, row, bound.source)  # type: ignore[arg-type]  # it has nodes
        return result if image is sample else (result, *sample[1:])


class UnchangedImage:
    """Returns samples as they are, for an empty Compose. It refuses the forms that every pipeline refuses."""

    def __init__(self, any_form: AnyForm) -> None:
        self._any_form = any_form

    def augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        """Return the sample."""
        image = sample[0] if type(sample) is tuple and sample else sample
        if type(image) is ndarray or not isinstance(sample, tuple | list | dict):
            return sample
        return self._any_form.augment(bound, sample, at, key, row)


class FirstReads:
    """The first reads of a dataset, or of a stream, in this process, which are checked.

    Args:
        bound: the pipeline.
        end: called after the last read whose values are checked.
        calls: checks the first calls of foreign code, or None.
    """

    def __init__(
        self, bound: BoundAugment, end: Callable[[], None] | None = None, calls: KeyCheck | None = None
    ) -> None:
        self.due = CHECKED if bound.needs_ranges else 0
        """The number of reads whose values are still to be checked."""
        self.calls, self._end = calls, end

    def count(self) -> None:
        """Count a read that had no fault."""
        self.due -= 1
        if self.due <= 0 and self._end is not None:
            self._end()

    def pass_for(self, bound: BoundAugment, images: Iterable[Any], keys: Iterable[SampleKey]) -> bool:
        """Check the first of some images, and return whether they have no fault. An image with a fault raises its error when it is read alone."""
        checking = bound.checking() if self.due > 0 else None
        for image, key in zip(images, keys, strict=False):
            if checking is None or self.due <= 0:
                return True
            try:
                apart_from_outer(checking, image, key)
            except Exception:  # noqa: BLE001
                return False
            self.count()
        return True


class Checked:
    """Augments samples with the checks that are rare or at the beginning. The samples are those of the step without them.

    The first floats that the transforms get must be in their ranges. The first calls of foreign code run two more times, and must give one
    sample for one key. Of a pipeline, only the draws and results of its foreign transforms are computed again. And each result must be
    finite, if that was asked for.

    Args:
        step: augments samples.
        first: what is checked in the first reads.
        always: whether each of the first calls of a callable runs twice more, as under a bridge. Otherwise that would surprise the user,
            so it happens only if a generator has advanced.
        check_finite: whether to refuse samples with NaN or infinity, with the name of the transform at fault.
    """

    def __init__(self, step: Step, first: FirstReads, *, always: bool, check_finite: bool) -> None:
        self.step = step
        """The step without checks."""
        self._first, self._always, self._check_finite = first, always, check_finite

    def augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        """Return the augmented sample."""

        def augmented_by(augment: Any) -> Any:
            return self.step.augment(bound.like(augment), sample, at, key, None)

        calls = self._first.calls
        if calls is None or not calls.calls_left:
            result = self._augment(bound, sample, at, key, row)
        else:
            if bound.pipeline is None:
                result = self._repeat(calls, bound, sample, at, key, row)
            else:
                watched = bound.like(bound.pipeline.watched(partial(calls.check, address(key, BRIDGE))))
                result = self._augment(watched, sample, at, key, row)
            calls.calls_left -= 1
        if self._check_finite:
            require_finite_after(bound.augment, result, augmented_by)
        return result

    def _augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        if self._first.due <= 0:
            return self.step.augment(bound, sample, at, key, row)
        result = self.step.augment(bound.checking(), sample, at, key, row)
        self._first.count()
        return result

    def _repeat(
        self, calls: KeyCheck, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any
    ) -> Any:
        original = deepcopy(sample)

        def repeat() -> Any:
            with reading(None):
                return self._augment(bound, deepcopy(original), at, key, None)

        if self._always:
            calls.check(address(key, BRIDGE), repeat)
        before = calls.marks()
        result = self._augment(bound, sample, at, key, row)
        if not self._always and calls.marks() != before:
            calls.check(address(key, BRIDGE), repeat)
        return result


class Mixed:
    """Augments samples with a pipeline that mixes them with others of the dataset, which are read by the same step as all samples.

    Args:
        step: augments a sample.
        reader: the reader of the dataset, a KeyedReader.
    """

    def __init__(self, step: Step, reader: Any) -> None:
        self._step, self._reader = step, reader

    def augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        """Return the augmented sample."""
        return self._step.augment(bound.among(OtherSamples(self._reader, at)), sample, at, key, None)


class OtherSamples:
    """The samples of a dataset, for one of them to be mixed with; see `seedsafe.pipeline.state.Partners`."""

    __slots__ = ("_at", "_reader")

    def __init__(self, reader: Any, at: SampleIndex) -> None:
        self._reader, self._at = reader, at

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
        """Return a sample to mix into this one, after the first transforms of the pipeline.

        Args:
            position: its position.
            view: the view in this sample's key.
            before: the nodes of the first transforms.
            rules: the rules of the pipeline.

        Raises:
            PartnerError: the sample could not be read or augmented.
        """
        reader, now = self._reader, self._at
        at = SampleIndex(position, now.epoch, now.occurrence, now.view)
        own = reader.key(at)
        key = SampleKey(own.seed, own.epoch, own.index, occurrence=own.occurrence, view=view)
        # Its own partners, if a transform before mixes too.
        assert rules.mixing_root is not None
        root = rules.mixing_root(before, rules, OtherSamples(reader, at), True)

        def read(source: int) -> Any:
            parts = _arrays(reader.bound, reader.fetching.read(source, at, own, counts=False), reader.targets)
            return run(root, parts, key, rules)

        try:
            return read(position)
        except OF_ALL_SAMPLES:
            raise
        except Exception as error:
            if reader.faults.on_error == "replace":
                return reader.faults.recover(error, reader.base, position, key, read, reader.worker())
            path = path_of(reader.base, position)
            file = "" if path is None else f" ({path!r})"
            raise PartnerError(f"its partner, sample {position}{file}, failed: {reason(error)}") from error


def _arrays(bound: BoundAugment, sample: Any, targets: Targets) -> Any:
    """Return the targets of a sample as arrays: an array, or a dict."""
    parts, _ = take_apart(sample, targets_of(bound, sample, targets))
    if isinstance(parts, dict):
        return Opened(bound, parts).arrays
    return opened(parts, bound.target, bound.channels_first)[0]
