"""Step three of a read: the augmented sample.

Most samples are an image, alone or with labels: `OneImage` tells all of it. `AnyForm` augments any other form. What is rare wraps one
of these: `Watched` repeats the first calls of foreign code, `FiniteResult` looks at what comes out, `Mixed` knows the other samples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any, Protocol

from numpy import ndarray

from seedsafe.bridging.runner import KeyCheck
from seedsafe.ground.info import UINT8
from seedsafe.keys.ambient import reading, thread
from seedsafe.keys.key import SampleIndex, SampleKey, address
from seedsafe.pipeline.node import run
from seedsafe.pipeline.unnamed import SCALARS
from seedsafe.reading.augment import augment_parts, augment_sample, targets_of, views_of_parts
from seedsafe.reading.bound import BoundAugment
from seedsafe.reading.faults import require_finite_after
from seedsafe.reading.fetch import BRIDGE
from seedsafe.reading.forms import WIDE
from seedsafe.reading.keying import OfViews
from seedsafe.reading.partners import Dataset
from seedsafe.reading.structure import take_apart
from seedsafe.reading.targets import Targets, only_labels

__all__ = [
    "AnyForm",
    "FiniteResult",
    "Mixed",
    "OneImage",
    "OneView",
    "SeveralViews",
    "Step",
    "Unchanged",
    "UnchangedImage",
    "Watched",
    "WatchedCode",
    "apart_from_outer",
]


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

    def __init__(self, views: Sequence[tuple[BoundAugment, Step]], targets: Targets, keying: OfViews) -> None:
        self._each, self._targets, self._keying = views, targets, keying

    def augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        """Return the sample's views in one sample."""
        return apart_from_outer(self._views, bound, sample, at, key)

    def _views(self, bound: BoundAugment, sample: Any, at: SampleIndex, first: SampleKey) -> Any:
        targets = targets_of(bound, sample, self._targets)
        parts, join = take_apart(sample, targets)
        keys = self._keying.of_views(first)
        views = [
            step.augment(view, parts, at, key, None)
            for (view, step), key in zip(self._each, keys, strict=True)
        ]
        return join(views_of_parts(bound, parts, views, targets))


class OneImage:
    """Augments a sample that is an image, or a tuple of an image and labels, in one call. Others take the step for parts."""

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
    """Returns samples as they are, for an empty Compose, which refuses the forms that any pipeline refuses."""

    def __init__(self, any_form: AnyForm) -> None:
        self._any_form = any_form

    def augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        """Return the sample."""
        image = sample[0] if type(sample) is tuple and sample else sample
        if type(image) is ndarray or not isinstance(sample, tuple | list | dict):
            return sample
        return self._any_form.augment(bound, sample, at, key, row)


class Watched:
    """Runs the first calls of a pipeline with foreign transforms twice more, and refuses it if it ignores its key.

    Only the draws and results of the foreign transforms are computed again, not those of the library's own.
    """

    def __init__(self, step: Step, twice: KeyCheck) -> None:
        self._step = step
        self._twice = twice

    def augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        """Return the augmented sample."""
        twice, pipeline = self._twice, bound.pipeline
        if not twice.calls_left:
            return self._step.augment(bound, sample, at, key, row)
        assert pipeline is not None
        watched = bound.like(pipeline.watched(partial(twice.check, address(key, BRIDGE))))
        result = self._step.augment(watched, sample, at, key, row)
        twice.calls_left -= 1
        return result


class WatchedCode:
    """Runs the first calls of a callable twice more, if need be, and refuses it if it ignores its key.

    Args:
        step: calls it.
        twice: runs the calls.
        always: whether each of the first calls runs twice more, as under a bridge. Otherwise that would surprise the user, so it
            happens only if a generator has advanced.
    """

    def __init__(self, step: Step, twice: KeyCheck, always: bool) -> None:
        self._step = step
        self._twice = twice
        self._always = always

    def augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        """Return the augmented sample."""
        twice = self._twice
        if not twice.calls_left:
            return self._step.augment(bound, sample, at, key, row)
        original = deepcopy(sample)

        def repeat() -> Any:
            with reading(None):
                return self._step.augment(bound, deepcopy(original), at, key, None)

        if self._always:
            twice.check(address(key, BRIDGE), repeat)
        before = twice.marks()
        result = self._step.augment(bound, sample, at, key, row)
        if not self._always and twice.marks() != before:
            twice.check(address(key, BRIDGE), repeat)
        twice.calls_left -= 1
        return result


class FiniteResult:
    """Refuses augmented samples with NaN or infinity, and names the transform at fault."""

    def __init__(self, step: Step, plain: Step) -> None:
        self._step = step
        self._plain = plain
        """The same step unwatched, to find the transform."""

    def augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        """Return the augmented sample."""
        result = self._step.augment(bound, sample, at, key, row)

        def augmented_by(augment: Any) -> Any:
            return self._plain.augment(bound.like(augment), sample, at, key, None)

        require_finite_after(bound.augment, result, augmented_by)
        return result


class Mixed:
    """Augments samples with a pipeline that mixes them with others of the dataset."""

    def __init__(self, step: Step, dataset: Dataset) -> None:
        self._step = step
        self._dataset = dataset

    def augment(self, bound: BoundAugment, sample: Any, at: SampleIndex, key: SampleKey, row: Any) -> Any:
        """Return the augmented sample."""
        return self._step.augment(bound.among(self._dataset.around(at)), sample, at, key, None)
