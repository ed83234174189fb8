"""Step three of a read: the augmented sample.

Most samples are an image, alone or with labels: `OneImage` tells all of it. `Parts` augments any other form. What is rare wraps one
of these: `Watched` repeats the first calls of foreign code, `FiniteResult` looks at what comes out, `Mixed` knows the other samples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any, Protocol, Self

from numpy import ndarray

from seedsafe.bridging.runner import KeyCheck
from seedsafe.ground.info import UINT8
from seedsafe.keys.ambient import reading, thread
from seedsafe.keys.key import SampleIndex, SampleKey, address
from seedsafe.pipeline.node import run
from seedsafe.pipeline.unnamed import SCALARS
from seedsafe.reading.augment import augment_parts, augment_sample, targets_of, views_of_parts
from seedsafe.reading.bound import BoundAugment
from seedsafe.reading.fetch import BRIDGE
from seedsafe.reading.finite import require_finite_after
from seedsafe.reading.keying import OfViews
from seedsafe.reading.partners import Dataset
from seedsafe.reading.structure import take_apart
from seedsafe.reading.targets import Targets, only_labels
from seedsafe.reading.tensors import WIDE

__all__ = [
    "FiniteResult",
    "Mixed",
    "OneImage",
    "OneView",
    "Parts",
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

    @property
    def bound(self) -> BoundAugment:
        """The augmentation."""
        ...

    def augment(self, sample: Any, at: SampleIndex, key: SampleKey, row: Any = None) -> Any:
        """Return a sample of the base augmented.

        Args:
            sample: the sample.
            at: the stamped index of the read.
            key: its key.
            row: memory for the augmented array; see `augment_sample`.
        """

    def with_bound(self, bound: BoundAugment) -> Self:
        """Return the same step for another augmentation."""
        ...


def apart_from_outer(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call a function. Calls without a key inside it are refused, even if a dataset around this one has a key."""
    outer = thread.read
    if outer is None or not outer.has_key:
        return call(*arguments, **options)
    with reading(None):
        return call(*arguments, **options)


class Unchanged:
    """Returns samples as they are, for a dataset without augmentation."""

    bound = BoundAugment(None)

    def augment(self, sample: Any, at: SampleIndex, key: SampleKey, row: Any = None) -> Any:
        """Return the sample, unless its first part is missing, which an augmentation would refuse."""
        if (type(sample) is tuple or type(sample) is list) and sample and sample[0] is None:
            raise TypeError(
                "the first part of the sample is None: return a sample, or leave the index out of the dataset"
            )
        return sample

    def with_bound(self, bound: BoundAugment) -> Self:
        """Return itself."""
        return self


class Parts:
    """Augments samples of any form: takes each apart, augments its targets, and puts it together again."""

    def __init__(self, bound: BoundAugment, targets: Targets) -> None:
        self.bound = bound
        self.targets = targets

    def augment(self, sample: Any, at: SampleIndex, key: SampleKey, row: Any = None) -> Any:
        """Return the augmented sample."""
        return apart_from_outer(augment_sample, self.bound, sample, key, self.targets, row)

    def begin_with_image(self, sample: tuple[Any, ...]) -> bool:
        """Return whether only the first part of a tuple is augmented, and nothing is wrong with the others."""
        try:
            return self.targets == "image" or not targets_of(self.bound, sample)
        except ValueError:  # the sample raises it later
            return False

    def with_bound(self, bound: BoundAugment) -> Parts:
        """Return the same step for another augmentation."""
        return Parts(bound, self.targets)


class OneView:
    """Augments the parts of a sample, for one of its views."""

    def __init__(self, bound: BoundAugment) -> None:
        self.bound = bound

    def augment(self, sample: Any, at: SampleIndex, key: SampleKey, row: Any = None) -> Any:
        """Return the parts augmented."""
        return augment_parts(self.bound, sample, key)

    def with_bound(self, bound: BoundAugment) -> OneView:
        """Return the same step for another augmentation."""
        return OneView(bound)


class SeveralViews:
    """Augments each sample several times, each time with the step of a view, at the view's key.

    Args:
        bound: the whole augmentation.
        steps: the steps of the views.
        targets: see Targets.
        keying: gives the views their keys.
    """

    def __init__(self, bound: BoundAugment, steps: Sequence[Step], targets: Targets, keying: OfViews) -> None:
        self.bound = bound
        self._steps, self._targets, self._keying = steps, targets, keying

    def augment(self, sample: Any, at: SampleIndex, key: SampleKey, row: Any = None) -> Any:
        """Return the sample's views in one sample."""
        return apart_from_outer(self._views, sample, at, key)

    def _views(self, sample: Any, at: SampleIndex, first: SampleKey) -> Any:
        targets = targets_of(self.bound, sample, self._targets)
        parts, join = take_apart(sample, targets)
        keys = self._keying.of_views(first)
        views = [step.augment(parts, at, key) for step, key in zip(self._steps, keys, strict=True)]
        return join(views_of_parts(self.bound, parts, views, targets))

    def with_bound(self, bound: BoundAugment) -> SeveralViews:
        """Return the same step for another augmentation."""
        raise NotImplementedError("each view has an augmentation of its own")


class OneImage:
    """Augments a sample that is an image, or a tuple of an image and labels, in one call. Others take the step for parts."""

    def __init__(self, parts: Parts) -> None:
        self.bound = parts.bound
        self.parts = parts

    def augment(self, sample: Any, at: SampleIndex, key: SampleKey, row: Any = None) -> Any:
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
            return self.parts.augment(sample, at, key, row)
        bound = self.bound
        result = run(bound.root, image, key, bound.rules, None, row)  # type: ignore[arg-type]  # it has nodes
        return result if image is sample else (result, *sample[1:])

    def with_bound(self, bound: BoundAugment) -> OneImage:
        """Return the same step for another augmentation."""
        return OneImage(self.parts.with_bound(bound))


class UnchangedImage:
    """Returns samples as they are, for an empty Compose, which refuses the forms that any pipeline refuses."""

    def __init__(self, parts: Parts) -> None:
        self.bound = parts.bound
        self._parts = parts

    def augment(self, sample: Any, at: SampleIndex, key: SampleKey, row: Any = None) -> Any:
        """Return the sample."""
        image = sample[0] if type(sample) is tuple and sample else sample
        if type(image) is ndarray or not isinstance(sample, tuple | list | dict):
            return sample
        return self._parts.augment(sample, at, key, row)

    def with_bound(self, bound: BoundAugment) -> UnchangedImage:
        """Return the same step for another augmentation."""
        return UnchangedImage(self._parts.with_bound(bound))


class Watched:
    """Runs the first calls of a pipeline with foreign transforms twice more, and refuses it if it ignores its key.

    Only the draws and results of the foreign transforms are computed again, not those of the library's own.
    """

    def __init__(self, step: Step, twice: KeyCheck) -> None:
        self.bound = step.bound
        self._step = step
        self._twice = twice

    def augment(self, sample: Any, at: SampleIndex, key: SampleKey, row: Any = None) -> Any:
        """Return the augmented sample."""
        twice, pipeline = self._twice, self.bound.pipeline
        if not twice.calls_left:
            return self._step.augment(sample, at, key, row)
        assert pipeline is not None
        watched = self.bound.like(pipeline.watched(partial(twice.check, address(key, BRIDGE))))
        result = self._step.with_bound(watched).augment(sample, at, key, row)
        twice.calls_left -= 1
        return result

    def with_bound(self, bound: BoundAugment) -> Watched:
        """Return the same step for another augmentation."""
        return Watched(self._step.with_bound(bound), self._twice)


class WatchedCode:
    """Runs the first calls of a callable twice more, if need be, and refuses it if it ignores its key.

    Args:
        step: calls it.
        twice: runs the calls.
        always: whether each of the first calls runs twice more, as under a bridge. Otherwise that would surprise the user, so it
            happens only if a generator has advanced.
    """

    def __init__(self, step: Step, twice: KeyCheck, always: bool) -> None:
        self.bound = step.bound
        self._step = step
        self._twice = twice
        self._always = always

    def augment(self, sample: Any, at: SampleIndex, key: SampleKey, row: Any = None) -> Any:
        """Return the augmented sample."""
        twice = self._twice
        if not twice.calls_left:
            return self._step.augment(sample, at, key, row)
        original = deepcopy(sample)

        def repeat() -> Any:
            with reading(None):
                return self._step.augment(deepcopy(original), at, key)

        if self._always:
            twice.check(address(key, BRIDGE), repeat)
        before = twice.marks()
        result = self._step.augment(sample, at, key, row)
        if not self._always and twice.marks() != before:
            twice.check(address(key, BRIDGE), repeat)
        twice.calls_left -= 1
        return result

    def with_bound(self, bound: BoundAugment) -> WatchedCode:
        """Return the same step for another augmentation."""
        return WatchedCode(self._step.with_bound(bound), self._twice, self._always)


class FiniteResult:
    """Refuses augmented samples with NaN or infinity, and names the transform at fault."""

    def __init__(self, step: Step, plain: Step) -> None:
        self.bound = step.bound
        self._step = step
        self._plain = plain
        """The same step unwatched, to find the transform."""

    def augment(self, sample: Any, at: SampleIndex, key: SampleKey, row: Any = None) -> Any:
        """Return the augmented sample."""
        result = self._step.augment(sample, at, key, row)

        def augmented_by(augment: Any) -> Any:
            return self._plain.with_bound(self.bound.like(augment)).augment(sample, at, key)

        require_finite_after(self.bound.augment, result, augmented_by)
        return result

    def with_bound(self, bound: BoundAugment) -> FiniteResult:
        """Return the same step for another augmentation."""
        return FiniteResult(self._step.with_bound(bound), self._plain.with_bound(bound))


class Mixed:
    """Augments samples with a pipeline that mixes them with others of the dataset."""

    def __init__(self, step: Step, dataset: Dataset) -> None:
        self.bound = step.bound
        self._step = step
        self._dataset = dataset

    def augment(self, sample: Any, at: SampleIndex, key: SampleKey, row: Any = None) -> Any:
        """Return the augmented sample."""
        bound = self.bound.among(self._dataset.around(at))
        return self._step.with_bound(bound).augment(sample, at, key)

    def with_bound(self, bound: BoundAugment) -> Mixed:
        """Return the same step for another augmentation."""
        return Mixed(self._step.with_bound(bound), self._dataset)
