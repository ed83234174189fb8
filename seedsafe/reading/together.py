"""Many samples read and augmented together."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from seedsafe import opencv
from seedsafe.bridging.options import NotReproducible
from seedsafe.ground.info import Array
from seedsafe.keys.ambient import reading, thread
from seedsafe.keys.key import SampleIndex, SampleKey
from seedsafe.keys.many import ManyKeys
from seedsafe.pipeline.batch import Many, UnevenError
from seedsafe.pipeline.unnamed import SCALARS
from seedsafe.reading.faults import require_sample
from seedsafe.reading.forms import copy_parts
from seedsafe.reading.inside import Repeats, SharedSeedError, entered, nested
from seedsafe.reading.keying import ById, ByPosition
from seedsafe.reading.steps import Parts
from seedsafe.reading.unkeyed import DrawChecks

__all__ = ["Around", "AtOnce", "Reads", "Room", "Together"]

Room = Callable[[tuple[int, ...], Any], Array]
"""Returns memory for all augmented images, for a shape and a dtype."""

Around = Callable[[int], entered]
"""Returns a read to enter around the read of the sample with a number."""


class AtOnce(NamedTuple):
    """Samples whose images were augmented at once: the images (N, …), and each sample's other parts, or None."""

    images: Array
    others: list[tuple[Any, ...]] | None


class Reads:
    """The samples of a batch that the base has returned so far, as long as they are like the first one.

    Args:
        count: the number of samples in the batch.
        many: the pipeline for many images.
        begins_with_image: whether only the first part of a tuple is augmented, and nothing is wrong with the others.
    """

    def __init__(self, count: int, many: Many, begins_with_image: Callable[[Any], bool]) -> None:
        self._count, self._many, self._begins_with_image = count, many, begins_with_image
        self.images: Array = np.empty(0)
        self.others: list[tuple[Any, ...]] | None = None
        """The other parts of each sample, or None if they are bare images."""
        self.alike = 0
        """The number of samples that are like the first."""
        self._last: list[Any] = []
        """The sample after them, if it was read."""
        self.error: Exception | None = None
        """The error of the base for the sample after them."""

    @classmethod
    def of_array(cls, images: Array, many: Many) -> Reads:
        """Return the reads of a base that is an array."""
        reads = cls(len(images), many, lambda sample: False)
        reads.images, reads.alike = images, len(images)
        return reads

    def fill(self, samples: Iterator[Any]) -> None:
        """Take samples, until one differs from the first."""
        for sample in samples:
            if not self._begin(sample):
                self._last.append(copy_parts(sample))  # the base may reuse its memory
                return
            break
        images, others = self.images, self.others
        shape, dtype = images.shape[1:], images.dtype
        for sample in samples:
            image = sample if others is None else self._image_of(sample)
            if type(image) is not ndarray or image.shape != shape or image.dtype != dtype:
                self._last.append(copy_parts(sample))
                return
            images[self.alike] = image
            if others is not None:
                others.append(sample[1:] if self._is_plain else copy_parts(sample[1:]))
            self.alike += 1

    def _begin(self, sample: Any) -> bool:
        """Take the first sample, if its image can run at once with others like it."""
        is_tuple = type(sample) is tuple and bool(sample)
        if is_tuple:
            self._length, self._label = len(sample), type(sample[-1])
            self._is_plain = self._length == 2 and self._label in SCALARS
        image = self._image_of(sample) if is_tuple else sample
        many = self._many
        if type(image) is not ndarray or not many.takes([image]) or not many.pays(self._count, image):
            return False
        self.images = np.empty((self._count, *image.shape), image.dtype)
        self.images[0] = image
        self.others = [copy_parts(sample[1:])] if is_tuple else None
        self.alike = 1
        return True

    def _image_of(self, sample: Any) -> Any:
        """Return the image of a tuple like the first one, or None."""
        if type(sample) is not tuple or len(sample) != self._length or type(sample[-1]) is not self._label:
            return None
        return sample[0] if self._is_plain or self._begins_with_image(sample) else None

    def fetch_of(self, number: int) -> Callable[..., Any] | None:
        """Return a function that gives the sample with a number, or raises the base's error, or None if it was not read."""
        if number > self.alike or (number == self.alike and not (self._last or self.error)):
            return None

        def read(*_: Any) -> Any:
            if number < self.alike:
                image = self.images[number]
                return image if self.others is None else (image, *self.others[number])
            if self.error is not None:
                raise self.error
            return require_sample(self._last[0])

        return read


class Together:
    """Reads the samples of a batch, and augments their images at once.

    Args:
        base: the dataset.
        repeats: notices keys that a dataset inside serves twice.
        keying: gives samples their keys.
        parts: tells what the parts of a sample are, and has the pipeline.
        draw_checks: check at times whether the base draws without the key.
    """

    def __init__(
        self, base: Any, repeats: Repeats, keying: ByPosition | ById, parts: Parts, draw_checks: DrawChecks
    ) -> None:
        self._base, self._repeats, self._keying, self._parts = base, repeats, keying, parts
        self._draw_checks = draw_checks
        self._has_keyed_inside = next(nested(base), None) is not None
        self._helps = True
        """False after a batch that was not faster: the next ones will not be either."""

    @property
    def many(self) -> Many:
        """The pipeline for many images at once."""
        many = self._parts.bound.many
        assert many is not None
        return many

    def helps(self, count: int) -> bool:
        """Return whether `count` samples may be faster together."""
        return self._helps and self.many.pays(count)

    def read(self, ats: Sequence[SampleIndex], around: Around | None) -> Reads:
        """Read samples from the base until one differs from the first in form, or cannot be read."""
        opencv.guard()
        reads = Reads(len(ats), self.many, self._parts.begin_with_image)
        base = self._base
        if type(base) is ndarray and around is None and not base.dtype.hasobject:
            self._helps = self.many.takes(base) and self.many.pays(len(ats), base[0])
            return Reads.of_array(base[list(map(int, ats))], self.many) if self._helps else reads
        try:
            with closing(self._each(ats, around, self._batch(ats))) as samples:
                reads.fill(samples)
        except (NotReproducible, SharedSeedError):
            raise
        except Exception as error:  # noqa: BLE001  # the sample raises it later
            reads.error = error
        self._helps = reads.alike > 0 or reads.error is not None
        return reads

    def run(self, reads: Reads, ats: Sequence[SampleIndex], room: Room) -> AtOnce | None:
        """Return the samples with their images augmented, or None if they must run one by one."""
        if reads.alike < len(ats):
            return None
        moments = [at.epoch << 32 | at.occurrence << 16 | at.view for at in ats]
        keys = ManyKeys.of_run(self._keying.seed, moments, self._keying.indices(ats))
        try:
            return AtOnce(self.many.run(reads.images, keys, room), reads.others)
        except UnevenError:
            self._helps = False
        except Exception:  # noqa: BLE001, S110  # each sample raises its own error
            pass
        return None

    def _each(
        self, ats: Sequence[SampleIndex], around: Around | None, batch: Sequence[Any] | None
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
                if around is not None:
                    _enter(read, around(number), repeats, key(at))
                if is_checked:
                    yield checks.read(partial(_read_again, base, read, at, key), at)
                else:
                    yield base[int(at)] if batch is None else batch[number]
                if read.numbers:
                    repeats.matter = True
        finally:
            if read.numbers:
                repeats.matter = True
            thread.read = None

    def _batch(self, ats: Sequence[SampleIndex]) -> Sequence[Any] | None:
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


def _enter(read: entered, outer: entered, repeats: Repeats, key: SampleKey) -> None:
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
    batches = _depth(kind, "__getitems__")
    return batches < math.inf and batches <= _depth(kind, "__getitem__")


def _depth(kind: type, name: str) -> float:
    """Return the position of the first class in the MRO that has a method; infinity if there is none."""
    return next((depth for depth, base in enumerate(kind.__mro__) if name in vars(base)), math.inf)
