"""The runs and facts that the questions share."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any, NamedTuple

from seedsafe_audit.draws import Draw, draws
from seedsafe_audit.recording import Plan, Record
from seedsafe_audit.report import AtFault, Verdict
from seedsafe_audit.runs import Run, Runs

__all__ = [
    "Context",
    "Finding",
    "NotMeasured",
    "beyond_chance",
    "compare",
    "differences",
    "number_list",
]

_UNLIKELY = 1e-6


class Finding(NamedTuple):
    """The fields of an Answer to one question. The answer lists the first 20 samples."""

    verdict: Verdict
    summary: str
    evidence: Iterable[str] = ()
    samples: Iterable[int] = ()
    at_fault: AtFault | None = None


class NotMeasured(Exception):  # noqa: N818  # an answer, not an error
    """No answer is possible. The arguments are the reason, the evidence for it, and the samples concerned."""


@dataclass(frozen=True)
class _Shared:
    """A run that questions share, by its plan. It is made on first use."""

    plan: Callable[[Context], Plan]

    def __get__(self, ctx: Context, kind: object = None) -> Run:
        return ctx.run_of(self.plan(ctx))


@dataclass(kw_only=True)
class Context(Runs):
    """The runs of an audit, and facts about them.

    Args:
        workers: the numbers of workers, without 0.
        methods: the start methods.
        epochs: the number of passes of a run.
        samples: the number of samples that the caller wants.
        memory: the number of readings that measure memory, and the seconds for them.
    """

    workers: tuple[int, ...]
    methods: tuple[str, ...]
    epochs: int
    samples: int
    memory: tuple[int, float]

    def parallel_plan(self, workers: int, method: str, **how: Any) -> Plan:
        """Return a plan with these workers. Start methods after the first get one pass."""
        epochs = self.epochs if method == self.methods[0] else 1
        plan: dict[str, Any] = {"workers": workers, "method": method, "epochs": epochs, **how}
        return Plan(**plan)

    def small_plan(self, **how: Any) -> Plan:
        """Return a plan of one pass with the smallest number of workers and the first start method."""
        return self.parallel_plan(self.workers[0], self.methods[0], **{"epochs": 1, **how})

    def _parallel_plans(self) -> list[Plan]:
        """Return plans for all numbers of workers with the first start method, and for the smallest with the others."""
        first, *others = self.methods
        plans = [(workers, first) for workers in self.workers]
        plans += [(workers, method) for method in others for workers in self.workers[:1]]
        return [self.parallel_plan(*plan) for plan in plans]

    def parallels(self) -> list[Run]:
        """Return the usual runs with workers."""
        return list(map(self.run_of, self._parallel_plans()))

    @property
    def short(self) -> int:
        """The readings of a short run."""
        return self.order.repeats + 16

    serial = _Shared(lambda ctx: Plan(epochs=ctx.epochs))
    serial_again = _Shared(lambda ctx: Plan(again=True, note="again"))
    reverse = _Shared(lambda ctx: Plan(reverse=True, note="reversed"))
    reseeded = _Shared(lambda ctx: Plan(reseed=True, reads=ctx.short, note="generators reseeded"))
    keys = _Shared(lambda ctx: Plan(keys=4 * ctx.samples, note="more keys"))
    keys_again = _Shared(lambda ctx: Plan(keys=4 * ctx.samples, again=True, note="more keys, again"))
    small_again = _Shared(lambda ctx: ctx.small_plan(again=True, note="again"))
    other_batch = _Shared(
        lambda ctx: ctx.small_plan(batch=ctx.order.batch + 1, carry=True, note="other batches")
    )
    # In reverse order, the indices without repeats come first.
    watched = _Shared(
        lambda ctx: (ctx.small_plan if ctx.workers else Plan)(
            watch=True, reverse=True, reads=4 * ctx.order.batch * (ctx.workers or (4,))[0], note="watched"
        )
    )

    def ahead(self) -> None:
        """Make the runs that most questions share, two at a time."""
        if self.trouble(self.serial):
            return
        names = ["reseeded", "serial_again"]
        if not self.subject.iterable:
            names = ["keys", "reverse", *names, "keys_again"]
        if self.workers:
            names += ["watched", "small_again", *(["other_batch"] if self.subject.loader != "keras" else [])]
        plans = self._parallel_plans() + [vars(Context)[name].plan(self) for name in names]
        left = iter(sorted(plans, key=lambda plan: plan.again))  # which can begin last
        self.at_once(self.make(left), self.make(left))

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

    def is_random(self, run: Run) -> bool:
        """Return whether readings of one index in one process and epoch differ."""
        if self.subject.iterable:
            return bool(differences(run.epoch(0), run.epoch(1))[0])
        return _collisions(self.repeats(run.epoch(0))) < 1

    @cached_property
    def random(self) -> bool:
        """Whether the run without workers is random."""
        return self.is_random(self.serial)

    @cached_property
    def unsteady(self) -> list[int]:
        """The indices that differ between two equal runs without workers."""
        result = differences(self.serial.epoch(0), self.serial_again.epoch(0))[0]
        if result or self.subject.iterable:
            return result
        return differences(self.keys.records, self.keys_again.records)[0]

    @cached_property
    def lines(self) -> list[Draw]:
        """The first draw from each source, with its line."""
        read = (self.order.indices[0], *self.order.indices[-2:])
        find = partial(draws, self.subject.dataset, read, iterable=self.subject.iterable)
        return self.call("the lines that draw", find)[0].items

    @cached_property
    def source(self) -> AtFault:
        """The source of the randomness: the transform if the dataset is steady without it."""
        return self.blamed(lambda run: self.is_random(run) or any(one.failure for one in run.records))

    def blamed(self, still: Callable[[Run], bool], **plan: Any) -> AtFault:
        """Return the transform if the dataset can be read without it and the fault is gone then, otherwise the dataset."""
        if self.subject.transform() is None:
            return "dataset"
        plan = {"epochs": 2 if self.subject.iterable else 1, **plan}
        run = self.run_of(Plan(bare=True, note="without the transform", **plan))
        return "dataset" if not run.whole or still(run) else "transform"

    def is_loaders(self, run: Run, still: Callable[[Run], bool]) -> bool:
        """Return whether a fault of a run is gone without the loader's worker_init_fn."""
        if self.subject.worker_init is None or not run.plan.workers:
            return False
        without = self.run_of(replace(run.plan, init=False, note="without worker_init_fn"))
        return without.whole and not still(without)

    def need(self, *runs: Run) -> None:
        """Raise NotMeasured if one of these runs cannot be used."""
        if why := self.trouble(*runs):
            raise NotMeasured(why)

    def _raises_repeatedly(self) -> bool:
        return self.serial.whole and not self.repeats(self.serial.epoch(0))

    def check(self, need: str) -> None:
        """Raise NotMeasured without what a question needs: "indices", "workers", "steady" runs, "samples", some of them "readable" twice."""
        if need == "indices" and self.subject.iterable:
            raise NotMeasured("an iterable dataset sets its own order and has no indices")
        if need == "workers" and not self.workers:
            raise NotMeasured("needs workers")
        if need == "samples" and not any(record.digest for record in self.serial.records):
            raise NotMeasured(self.trouble(self.serial))
        if need == "readable" and not self.subject.iterable and self._raises_repeatedly():
            repeated = number_list(self.order.indices[: self.order.repeats])
            raise NotMeasured(f"the samples that are read repeatedly raise errors: {repeated}")
        if need == "steady":
            self.need(self.serial, self.serial_again)
            if self.unsteady:
                seen = f"no workers: {len(self.unsteady)} samples differ between two equal runs: {number_list(self.unsteady)}"
                text = "two equal runs already differ, so others cannot be compared with them. Fix the cause of reproducible first"
                raise NotMeasured(text, [seen], self.unsteady)

    def trouble(self, *runs: Run) -> str:
        """Return why these runs are unusable, or an empty string."""
        unusable = (run for run in runs if not (run.whole and any(record.digest for record in run.records)))
        return next((run.trouble or f"{run.plan.name}: nothing could be read" for run in unusable), "")


def _collisions(records: Sequence[Record]) -> float:
    groups = defaultdict(list)
    for record in records:
        groups[record.worker, record.index].append(record.digest)
    pairs = [one == other for digests in groups.values() for one, other in combinations(digests, 2)]
    equal = sum(pairs)
    return 1.0 if equal == len(pairs) else (equal + 1) / (len(pairs) + 2)


def differences(
    one: Sequence[Record], other: Sequence[Record], *, by_index: bool = False
) -> tuple[list[int], int]:
    """Return the indices whose readings at the same position differ, and the number of common positions.

    Workers of an iterable dataset count positions on their own, so the worker counts as well.

    Args:
        one: the readings of a run.
        other: those of another.
        by_index: whether to compare the first readings of each index instead, as in runs of different orders.
    """
    streams = len({record.position for record in one}) < len(one)

    def first_readings(records: Sequence[Record]) -> dict[Any, Record]:
        result: dict[Any, Record] = {}
        for record in records:
            place = record.index if by_index else (record.worker if streams else None, record.position)
            result.setdefault(place, record)
        return result

    here, there = first_readings(one), first_readings(other)
    both = [(here[place], there[place]) for place in here.keys() & there.keys()]
    return sorted({a.index for a, b in both if a.digest != b.digest}), len(both)


def compare(
    ctx: Context, pairs: Iterable[tuple[Run, Run]], bad: str, good: str, verdict: Verdict = "warning"
) -> Finding:
    """Compare runs that should be equal, pair by pair: by position, or by index if the order differs."""
    evidence, samples = [], set()
    for one, two in pairs:
        here, there = (run.records if run.plan.keys else run.epoch(0) for run in (one, two))
        other, total = differences(here, there, by_index=two.plan.reverse)
        samples |= set(other)
        seen = (
            f"{len(other)} samples differ: {number_list(other)}" if other else f"{total} readings are equal"
        )
        evidence.append(f"{one.plan.name} and {two.plan.name}: {seen}")
    return Finding(verdict, bad, evidence, samples, ctx.source) if samples else Finding("ok", good, evidence)


def beyond_chance(equal: int, total: int, rate: float) -> bool:
    """Return whether `equal` of `total` pairs are too many for chance, if independent pairs are equal at `rate`."""
    rate, share = min(rate, 0.99), equal / total if total else 0.0
    if share <= rate:
        return False
    rest = (1 - share) * math.log((1 - share) / (1 - rate)) if share < 1 else 0.0
    return math.exp(-total * (share * math.log(share / rate) + rest)) < _UNLIKELY  # Chernoff's bound


def number_list(numbers: Iterable[int], most: int = 6) -> str:
    """Return numbers in words: "3, 17 and 40 more"."""
    ordered = sorted(set(numbers))
    shown = ", ".join(map(str, ordered[:most]))
    return shown if len(ordered) <= most else f"{shown} and {len(ordered) - most} more"
