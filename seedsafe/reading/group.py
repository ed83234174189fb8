"""Samples whose images are alike, augmented at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from seedsafe import opencv
from seedsafe.ground.info import TARGETS, Array
from seedsafe.keys.ambient import reading, thread
from seedsafe.keys.key import SampleIndex, SampleKey
from seedsafe.keys.many import ManyKeys
from seedsafe.pipeline.batch import Allocate, depth
from seedsafe.pipeline.unnamed import SCALARS, check_names
from seedsafe.reading.bases import Repeats, entered, nested
from seedsafe.reading.bound import BoundAugment
from seedsafe.reading.checks import DrawChecks
from seedsafe.reading.faults import OF_ALL_SAMPLES, require_sample
from seedsafe.reading.forms import copy_parts
from seedsafe.reading.sample import targets_of
from seedsafe.reading.steps import FirstReads, Keying
from seedsafe.reading.targets import Targets

__all__ = ["AtOnce", "Group", "GroupReader", "OuterReads"]

OuterReads = Callable[[int], entered]
"""Returns a read to enter around the read of the sample with a number."""


class AtOnce(NamedTuple):
    """Samples whose images were augmented at once: the images (N, …), and each sample's other parts, or None."""

    images: Array
    others: list[tuple[Any, ...]] | None


class Group:
    """Copies of the samples of a source, as long as they have one image each and the images are alike.

    They are copies because a source may reuse its memory.

    Args:
        bound: the pipeline, which has a `many`.
        targets: see Targets.
        size: the greatest number of samples.
        collates: whether a batch is made of them, so they must also be tuples of one length with labels of one type, and no dicts.
    """

    def __init__(self, bound: BoundAugment, targets: Targets, size: int, *, collates: bool) -> None:
        self._bound, self._targets, self._size, self._collates = bound, targets, size, collates
        self._has_plain = targets is None or targets == "image"
        """Whether nothing must be asked about a pair of an image and a number or a string."""
        self._shape: Any = None
        self._dtype: Any = None
        self._form: Any = None
        """What the samples have in common besides their images."""
        self.images: Array = np.empty(0)
        """The images, in memory for all of them."""
        self.others: list[Any] = []
        """The other parts of each tuple; each dict, with None for its image; None for each sample that is an image."""
        self.after: Callable[..., Any] | None = None
        """Returns the sample after them, or raises the error of its read; None if it was not read."""

    def __len__(self) -> int:
        return len(self.others)

    def add(self, sample: Any) -> bool:
        """Add a sample, or return False if it is not like the others."""
        image: Any
        others: Any
        form: Any
        kind = type(sample)
        if kind is ndarray:
            image, others, form = sample, None, None
        elif kind is tuple and len(sample) == 2 and type(sample[1]) in SCALARS and self._has_plain:
            # Nearly all samples: asking `_parts_of` would take 4 % of small images' time.
            image, others, form = sample[0], sample[1:], type(sample[1]) if self._collates else tuple
        else:
            try:
                image, others, form = self._parts_of(sample)
            except Exception:  # noqa: BLE001  # a faulty sample raises it when it is augmented
                return False
        if type(image) is not ndarray:
            return False
        number = len(self.others)
        if not number:
            if not self._bound.many.takes([image]):  # type: ignore[union-attr]  # see Args
                return False
            self._shape, self._dtype, self._form = image.shape, image.dtype, form
            self.images = np.empty((self._size, *image.shape), image.dtype)
        elif image.shape != self._shape or image.dtype != self._dtype or form != self._form:
            return False
        self.images[number] = image
        self.others.append(others)
        return True

    def add_array(self, images: Array) -> None:
        """Add samples that are one array already."""
        self.images, self.others = images, [None] * len(images)

    def _parts_of(self, sample: Any) -> tuple[Any, Any, Any]:
        """Return the image of a sample, its other parts, and what it must have in common with others; None as image if there is not one.

        Raises:
            Exception: the sample is wrong, or a part cannot be copied.
        """
        kind = type(sample)
        if not (kind is tuple or (kind is dict and not self._collates)):
            return None, None, None
        targets = targets_of(self._bound, sample, self._targets)
        is_usual = not targets or targets == "image"
        if kind is tuple:
            form = (len(sample), type(sample[-1])) if self._collates else tuple
            return sample[0] if is_usual else None, copy_parts(sample[1:]), form
        named: Any = {"image": "image"} if is_usual else targets
        if type(named) is not dict or list(named.values()) != ["image"]:
            return None, None, None
        (entry,) = named
        if not targets and len(sample) > 1:
            if not {*TARGETS, *self._bound.labels}.isdisjoint(sample.keys() - {"image"}):
                return None, None, None
            if self._bound.rules.asks:
                check_names(sample, self._bound.rules)
        return sample[entry], copy_parts(sample | {entry: None}), (entry,)

    def sample(self, number: int, image: Array | None = None) -> Any:
        """Return the sample with a number, with another image if one is passed."""
        image, others = self.images[number] if image is None else image, self.others[number]
        if others is None:
            return image
        return (image, *others) if type(others) is tuple else others | {self._form[0]: image}

    def fetch_of(self, number: int) -> Callable[..., Any] | None:
        """Return a function that gives the sample with a number, or raises its error, or None if it was not read."""
        if number < len(self):
            return lambda *_: self.sample(number)
        return self.after if number == len(self) else None

    def augment(
        self,
        checks: FirstReads,
        each: Iterable[SampleKey],
        keys: Callable[[], ManyKeys],
        allocate: Allocate,
    ) -> Array | None:
        """Return the augmented images, or None if each sample must be augmented on its own.

        Args:
            checks: checks the values of the first samples.
            each: the key of each sample, for the checks.
            keys: returns all keys.
            allocate: returns memory for the images.
        """
        many, images = self._bound.many, self.images[: len(self)]
        if many is None or (checks.due > 0 and not checks.pass_for(self._bound, images, each)):
            return None
        return many.at_once(images, keys, allocate)


class GroupReader:
    """Reads the samples of a batch, and augments their images at once.

    Args:
        base: the dataset.
        bound: the pipeline, which has a `many`.
        targets: see Targets.
        repeats: notices keys that a dataset inside serves twice.
        keying: gives samples their keys.
        draw_checks: check at times whether the base draws without the key.
    """

    def __init__(
        self,
        base: Any,
        bound: BoundAugment,
        targets: Targets,
        repeats: Repeats,
        keying: Keying,
        draw_checks: DrawChecks,
    ) -> None:
        self._base, self._bound, self._targets = base, bound, targets
        self._repeats, self._keying, self._draw_checks = repeats, keying, draw_checks
        self._has_keyed_inside = next(nested(base), None) is not None
        self._helps = True
        """False after a batch without a group: the next ones will have none either."""

    def helps(self, count: int) -> bool:
        """Return whether `count` samples may be faster at once."""
        return self._helps and self._bound.many.pays(count)  # type: ignore[union-attr]  # see Args

    def read(self, ats: Sequence[SampleIndex], outer_reads: OuterReads | None) -> Group:
        """Read samples from the base until one is not like the first, or cannot be read."""
        opencv.guard()
        group = Group(self._bound, self._targets, len(ats), collates=True)
        base = self._base
        if type(base) is ndarray and outer_reads is None and not base.dtype.hasobject:
            self._helps = self._bound.many.takes(base)  # type: ignore[union-attr]  # see Args
            if self._helps:
                group.add_array(base[list(map(int, ats))])
            return group
        try:
            with closing(self._read_each(ats, outer_reads, self._read_at_once(ats))) as samples:
                for sample in samples:
                    if not group.add(sample):
                        # One before it may be replaced by another read of the base, which may reuse its memory.
                        group.after = partial(_give, copy_parts(sample))
                        break
        except OF_ALL_SAMPLES:
            raise
        except Exception as error:  # noqa: BLE001  # the sample raises it later
            group.after = partial(_raise, error)
            return group
        self._helps = len(group) > 0
        return group

    def run(
        self, group: Group, ats: Sequence[SampleIndex], checks: FirstReads, allocate: Allocate
    ) -> AtOnce | None:
        """Return the samples with their images augmented, or None if they must run one by one."""
        if len(group) < len(ats):
            return None
        keying = self._keying

        def keys() -> ManyKeys:
            moments = [at.epoch << 32 | at.occurrence << 16 | at.view for at in ats]
            return ManyKeys.of_run(keying.seed, moments, list(map(keying.index, ats)))

        images = group.augment(checks, map(keying.key, ats), keys, allocate)
        others = None if group.others[0] is None else group.others
        return None if images is None else AtOnce(images, others)

    def _read_each(
        self, ats: Sequence[SampleIndex], outer_reads: OuterReads | None, batch: Sequence[Any] | None
    ) -> Generator[Any, None, None]:
        """Yield the samples of the base: those of a batch if it was read in one call, else one by one."""
        base, key, repeats = self._base, self._keying.key, self._repeats
        read = entered(None, repeats, 0, True, key)  # for all of them: benchmarks/batches.py
        read.outer = None
        thread.read = read
        checks = self._draw_checks
        is_checked = batch is None and checks.due_in <= len(ats)
        if batch is None and not is_checked:
            checks.due_in -= len(ats)
        try:
            for number, at in enumerate(ats):
                read.restart(at, key)
                if outer_reads is not None:
                    _enter_outer(read, outer_reads(number), repeats, key(at))
                if is_checked:
                    yield checks.read(partial(_read_again, base, read, at, key), at)
                else:
                    yield base[int(at)] if batch is None else batch[number]
                if read.numbers:
                    repeats.has_effect = True
        finally:
            if read.numbers:
                repeats.has_effect = True
            thread.read = None

    def _read_at_once(self, ats: Sequence[SampleIndex]) -> Sequence[Any] | None:
        """Read the samples in one call, or return None unless the base declares that they equal single reads."""
        if (
            not reads_batches(self._base) or self._has_keyed_inside
        ):  # one inside needs the index of each sample
            return None
        with suppress(Exception), reading(None):  # each sample raises its own error later
            positions = list(map(int, ats))
            samples: Sequence[Any] = self._draw_checks.read(
                lambda: self._base.__getitems__(positions), ats[0], len(ats)
            )
            fits = isinstance(samples, list | tuple | ndarray) and len(samples) == len(ats)
            return samples if fits else None
        return None


def _read_again(base: Any, read: entered, at: SampleIndex, key: Callable[[SampleIndex], SampleKey]) -> Any:
    """Read a sample of the base from the beginning of its read."""
    read.restart(at, key)
    return base[int(at)]


def _enter_outer(read: entered, outer: entered, repeats: Repeats, key: SampleKey) -> None:
    """Enter the read of a sample inside another dataset's read."""
    thread.read = read.outer = outer
    outer.outer = None
    outer.report(repeats, key)
    thread.read = read


def reads_batches(base: Any) -> bool:
    """Return whether a base declares that ``__getitems__`` equals single reads, for its own ``__getitem__``.

    The base is asked for each batch, because it may change its mind. A subclass that overrides ``__getitem__`` alone has not
    declared anything.
    """
    kind = type(base)
    if getattr(base, "reads_batches", False) is not True:
        return False
    batches = depth(kind, "__getitems__")
    return batches < math.inf and batches <= depth(kind, "__getitem__")


def _give(sample: Any, *_: Any) -> Any:
    return require_sample(sample)


def _raise(error: Exception, *_: Any) -> Any:
    raise error
