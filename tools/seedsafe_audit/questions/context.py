"""The runs and facts that the questions share."""

from __future__ import annotations

import math
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from seedsafe_audit.recording import Record
from seedsafe_audit.report import AtFault, Matrix, Picture, Verdict
from seedsafe_audit.runs import Order, Plan, Run, Runs
from seedsafe_audit.subject import Subject

__all__ = [
    "Context",
    "Finding",
    "NotMeasured",
    "beyond_chance",
    "differences",
    "first_by_index",
    "number_list",
]

_UNLIKELY = 1e-6
_SECONDS = 3.0  # for each of the runs over more keys


class Finding(NamedTuple):
    """The fields of an Answer to one question. The answer lists the first 20 samples."""

    verdict: Verdict
    summary: str
    evidence: Iterable[str] = ()
    samples: Iterable[int] = ()
    at_fault: AtFault | None = None
    matrix: Matrix | None = None
    pictures: tuple[Picture, ...] = ()


class NotMeasured(Exception):  # noqa: N818  # an answer, not an error
    """No answer is possible. The arguments are the reason, the evidence for it, and the samples concerned."""


@dataclass
class Context:
    """The runs of an audit, and facts about them.

    Args:
        subject: the dataset.
        order: the indices to read.
        runs: runs the plans.
        workers: the numbers of workers, without 0.
        methods: the start methods.
        epochs: the number of passes of a run.
        samples: the number of samples that the caller wants.
        memory: the number of readings that measure memory, and the seconds for them.
    """

    subject: Subject
    order: Order
    runs: Runs
    workers: tuple[int, ...]
    methods: tuple[str, ...]
    epochs: int
    samples: int
    memory: tuple[int, float]

    @cached_property
    def serial(self) -> Run:
        """The run without workers."""
        return self.runs.get(Plan("no workers", epochs=self.epochs))

    @cached_property
    def serial_again(self) -> Run:
        """A second run without workers, at least a second later, so that a seed from a clock of whole seconds is another."""
        time.sleep(max(0.0, self.serial.end + 1.01 - time.monotonic()))
        return self.runs.get(Plan("no workers, again"))

    @cached_property
    def reverse(self) -> Run:
        """The run without workers in reverse order."""
        return self.runs.get(Plan("no workers, reversed", reverse=True))

    @cached_property
    def bare(self) -> Run:
        """The run without the transform."""
        epochs = 2 if self.subject.iterable else 1
        return self.runs.get(Plan("no workers, without the transform", bare=True, epochs=epochs))

    @property
    def has_bare(self) -> bool:
        """Whether the dataset has a transform and can be read without it."""
        return self.subject.transform() is not None and self.bare.whole

    @cached_property
    def reseeded_run(self) -> Run:
        """A short run with another seed for the process-wide generators before each reading."""
        return self.runs.get(
            Plan("no workers, generators reseeded", reseed=True, reads=self.order.repeats + 16)
        )

    @cached_property
    def watched_run(self) -> Run:
        """A short run that watches the dataset's attributes."""
        return self.runs.get(Plan("no workers, watched", watch=True, reads=self.order.repeats + 16))

    @cached_property
    def alone(self) -> Run:
        """Epoch 1 in a process that reads no other."""
        return self.runs.get(Plan("no workers, epoch 1 alone", first=1))

    @cached_property
    def is_keyed(self) -> bool:
        """Whether the dataset gets the epoch, and repeats a sample within one."""
        return self.epochs > 1 and not self.random and self.subject.gets_epoch()

    def more_keys(self) -> tuple[Run, Run]:
        """Return two equal runs over more keys, as many as time allows."""
        one, two = (
            Plan(f"no workers, {name}", keys=4 * self.samples, seconds=_SECONDS)
            for name in ("more keys", "more keys again")
        )
        return self.runs.get(one), self.runs.get(two)

    @cached_property
    def hash_seeds(self) -> tuple[str, str]:
        """Two hash seeds for spawned workers. The first differs from this process's."""
        return ("1", "2") if os.environ.get("PYTHONHASHSEED") == "0" else ("0", "1")

    def parallel(self, workers: int, method: str, *, init: bool = True) -> Run:
        """Return the run with these workers. Start methods after the first get one pass."""
        name = f"{workers} workers, {method}" + ("" if init else ", without worker_init_fn")
        epochs = self.epochs if method == self.methods[0] else 1
        seed = "" if method == "fork" else self.hash_seeds[0]
        return self.runs.get(
            Plan(name, workers=workers, method=method, epochs=epochs, pictures=4, init=init, hashing=seed)
        )

    def spawned_again(self, hash_seed: str) -> Run:
        """Return a run of spawned workers with a hash seed."""
        count = self.workers[0]
        name = f"{count} workers, spawn, hash seed {hash_seed}"
        return self.runs.get(Plan(name, workers=count, method="spawn", hashing=hash_seed))

    def parallels(self) -> list[Run]:
        """Return the runs of all numbers of workers with the first start method, and of the smallest with the others."""
        first, *others = self.methods
        return [
            *(self.parallel(workers, first) for workers in self.workers),
            *(self.parallel(workers, method) for method in others for workers in self.workers[:1]),
        ]

    def repeats(self, records: Iterable[Record]) -> list[Record]:
        """Return the readings of the first part of the order, which repeats its indices."""
        return [record for record in records if record.position < self.order.repeats and record.digest]

    def singles(self, records: Iterable[Record]) -> list[Record]:
        """Return the readings of the second part of the order, which has each index once."""
        return [record for record in records if record.position >= self.order.repeats and record.digest]

    @cached_property
    def collisions(self) -> float:
        """The chance that two readings of one index in one process give the same bytes, or 1 if nothing is random."""
        return _collisions(self.repeats(self.serial.epoch(0)))

    @cached_property
    def random(self) -> bool:
        """Whether readings of one index in one process and epoch differ."""
        if self.subject.iterable:
            return bool(differences(self.serial.epoch(0), self.serial.epoch(1))[0])
        return self.collisions < 1

    @cached_property
    def unsteady(self) -> list[int]:
        """The indices that differ between two equal runs without workers."""
        result = differences(self.serial.epoch(0), self.serial_again.epoch(0))[0]
        if result or self.subject.iterable:
            return result
        one, two = self.more_keys()
        return sorted(
            {a.index for a, b in zip(one.records, two.records, strict=False) if a.digest != b.digest}
        )

    @cached_property
    def source(self) -> AtFault:
        """The source of the randomness: the transform if the dataset is steady without it."""
        if not self.has_bare or any(record.failure for record in self.bare.records):
            return "dataset"
        if self.subject.iterable:
            still = bool(differences(self.bare.epoch(0), self.bare.epoch(1))[0])
        else:
            still = _collisions(self.repeats(self.bare.records)) < 1
        return "dataset" if still else "transform"

    def need(self, *runs: Run) -> None:
        """Raise NotMeasured if one of these runs cannot be used."""
        if why := self.trouble(*runs):
            raise NotMeasured(why)

    def need_steady(self) -> None:
        """Raise NotMeasured if two equal runs differ."""
        if self.unsteady:
            raise NotMeasured(
                "two equal runs already differ, so others cannot be compared with them. Fix the cause of reproducible first",
                [
                    f"no workers: {len(self.unsteady)} samples differ between two equal runs: {number_list(self.unsteady)}"
                ],
                self.unsteady,
            )

    def trouble(self, *runs: Run) -> str:
        """Return why these runs are unusable, or an empty string."""
        unusable = (run for run in runs if not (run.whole and any(record.digest for record in run.records)))
        return next((run.trouble or f"{run.plan.name}: nothing could be read" for run in unusable), "")


def _collisions(records: Sequence[Record]) -> float:
    groups = defaultdict(list)
    for record in records:
        groups[record.index].append(record.digest)
    pairs = [one == other for digests in groups.values() for one, other in combinations(digests, 2)]
    equal = sum(pairs)
    return 1.0 if equal == len(pairs) else (equal + 1) / (len(pairs) + 2)


def differences(one: Sequence[Record], other: Sequence[Record]) -> tuple[list[int], int]:
    """Return the indices whose readings at the same position differ, and the number of common positions.

    Workers of an iterable dataset count positions on their own, so the worker counts as well.
    """
    streams = len({record.position for record in one}) < len(one)

    def position_of(record: Record) -> tuple[int | None, int]:
        return record.worker if streams else None, record.position

    digests = {position_of(record): record.digest for record in one}
    both = [record for record in other if position_of(record) in digests]
    other_bytes = {record.index for record in both if record.digest != digests[position_of(record)]}
    return sorted(other_bytes), len(both)


def first_by_index(records: Iterable[Record]) -> dict[int, str | None]:
    """Return the digest of the first reading of each index."""
    result: dict[int, str | None] = {}
    for record in records:
        result.setdefault(record.index, record.digest)
    return result


def beyond_chance(equal: int, total: int, rate: float) -> bool:
    """Return whether `equal` of `total` pairs are too many for chance, if independent pairs are equal at `rate`."""
    if not equal or rate >= 1:
        return False
    log = [
        math.lgamma(total + 1)
        - math.lgamma(k + 1)
        - math.lgamma(total - k + 1)
        + k * math.log(rate)
        + (total - k) * math.log1p(-rate)
        for k in range(equal, total + 1)
    ]
    return sum(map(math.exp, log)) < _UNLIKELY


def number_list(numbers: Iterable[int], most: int = 6) -> str:
    """Return numbers in words: "3, 17 and 40 more"."""
    ordered = sorted(set(numbers))
    shown = ", ".join(map(str, ordered[:most]))
    return shown if len(ordered) <= most else f"{shown} and {len(ordered) - most} more"
