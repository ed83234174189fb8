"""The runs of an audit."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from seedsafe.reading.checks import end_draw_checks
from seedsafe_audit import state
from seedsafe_audit.loaders import passes, tell
from seedsafe_audit.recording import Plan, Record, Recorder
from seedsafe_audit.subject import Subject
from seedsafe_audit.supervise import Outcome, at_once, supervise

__all__ = ["Order", "Run", "Runs", "order_of", "prepare"]

_SEED = 20_211
_SECONDS, _MANY = 2.0, 1024  # for each of the runs over so many more keys, and less for fewer
_LATER = 1.01  # seconds after the run without workers, so that a seed from a clock of whole seconds differs


@dataclass(frozen=True, slots=True)
class Run:
    """The outcome of a plan: its records in order of arrival, or the reason why there are none."""

    plan: Plan
    records: tuple[Record, ...]
    outcome: Outcome
    skipped: str = ""

    @property
    def whole(self) -> bool:
        """Whether it ran and finished."""
        return not (self.skipped or self.outcome.error or self.outcome.hangs)

    @property
    def trouble(self) -> str:
        """Why it did not finish, or an empty string."""
        if self.skipped:
            return self.skipped
        if self.outcome.hangs:
            return f"{self.plan.name}: hung, {self.outcome.hangs[0].doing}"
        return f"{self.plan.name}: {self.outcome.error}" if self.outcome.error else ""

    def epoch(self, number: int) -> list[Record]:
        """Return the records of one pass."""
        return [record for record in self.records if record.epoch == number]


@dataclass(frozen=True, slots=True)
class Order:
    """The indices to read: first a few repeatedly, the same in each worker, then each once.

    Attributes:
        indices: the index at each position.
        repeats: the number of positions in the first part.
        batch: the number of samples in a batch.
    """

    indices: tuple[int, ...]
    repeats: int
    batch: int


def order_of(length: int | None, samples: int, workers: tuple[int, ...], *, one: bool) -> Order:
    """Spread `samples` indices over the dataset, its first and last among them.

    Args:
        length: the length of the dataset, or None for one that sets its own order.
        samples: the greatest number of indices.
        workers: the numbers of workers for which each worker gets the same batches in the first part.
        one: whether to repeat a single index, for loaders whose workers read in any order.
    """
    if length is None:
        return Order(tuple(range(samples)), 0, 4)
    count = min(samples, length)
    spread = [round(step * (length - 1) / max(count - 1, 1)) for step in range(count)]
    copies = math.lcm(*(number for number in workers if number)) if any(workers) else 1
    batch = 1 if one else max(1, min(4, count // 4))
    turns = (8 if count >= 32 else 4) * (2 if one else 1)
    chosen = spread[:1] if one else [spread[step * (count - 1) // max(batch - 1, 1)] for step in range(batch)]
    first = chosen * (copies * turns)
    return Order((*first, *spread), len(first), batch)


@dataclass(kw_only=True)
class Runs:
    """Runs each plan once, when it is first used.

    Args:
        subject: the dataset.
        order: the indices to read.
        timeout: seconds without progress after which a run is ended.
        beat: a function to call with the name of the run several times a second.
        done: the runs so far.
    """

    subject: Subject
    order: Order
    timeout: float
    beat: Callable[[str], None]
    done: dict[Plan, Run] = field(default_factory=dict)
    _stuck: dict[tuple[bool, str], str] = field(default_factory=dict)
    _later: float = 0.0  # when a run may be made again, on the monotonic clock

    def run_of(self, plan: Plan) -> Run:
        """Return the run of a plan."""
        at_once(self.make([plan]))
        return self.done[plan]

    def make(self, plans: Iterable[Plan]) -> Generator[None, None, None]:
        """Make the runs of these plans that have not been made, one after the other."""
        for plan in plans:
            if plan in self.done:
                continue
            kind = (plan.workers > 0, plan.method if plan.workers else "")
            stuck = self._stuck.get(kind) or self._stuck.get((False, ""))
            if stuck:
                why = f"not run, because {stuck} hung"
                self.done[plan] = Run(plan, (), Outcome([], None, (), 0.0, ""), why)
                continue
            while plan.again and time.monotonic() < self._later:
                yield
            outcome = yield from self._supervise(plan.name, partial(self._records, plan))
            records = [record for batch in outcome.items for record in batch]
            self.done[plan] = Run(plan, tuple(_number_workers(records)), replace(outcome, items=[]))
            if plan == Plan(epochs=plan.epochs):
                self._later = time.monotonic() + _LATER
            if outcome.hangs:
                self._stuck[kind] = plan.name

    def call(self, name: str, *works: Callable[[Callable[[str], None]], Iterator[Any]]) -> list[Outcome]:
        """Run something else in supervised processes, prepared as for a run. Each work gets a function that notes what it does."""

        def prepared(work: Callable[[Callable[[str], None]], Iterator[Any]], folder: str) -> Iterator[Any]:
            prepare()
            recorder = Recorder(self.subject.dataset, [0], folder)
            tell(self.subject.dataset, 0)
            recorder.say(f"reading index 0, {name}")
            return work(recorder.say)

        return self.at_once(*(self._supervise(name, partial(prepared, work)) for work in works))

    def at_once(self, *running: Generator[None, None, Any]) -> list[Any]:
        """Advance these in turn and return what each returns.

        One after the other if the dataset gets the epoch, which it may keep in memory that all processes share.
        """
        if self.subject.gets_epoch():
            return [at_once(one)[0] for one in running]
        return at_once(*running)

    def _supervise(self, name: str, work: Callable[[str], Iterator[Any]]) -> Generator[None, None, Outcome]:
        self.beat(name)
        state.users_modules()  # here, or each process looks for them
        return supervise(work, timeout=self.timeout, beat=lambda: self.beat(name))

    def _records(self, plan: Plan, folder: str) -> Iterator[list[Record]]:
        prepare()
        if plan.bare:
            _without_transform(self.subject, self.order.indices[0])
        order = list(self.order.indices[:: -1 if plan.reverse else 1][: plan.reads or None])
        recorder = Recorder(self.subject.dataset, order, folder, plan)
        if plan.threads:
            return _threads(recorder, plan.threads)
        if plan.keys:
            return _keys(recorder, plan, self.subject)
        if plan.workers and self.subject.loader == "keras":
            from multiprocessing import get_context  # slow to import

            repeats = min(self.order.repeats, len(order))
            recorder.meeting = get_context(plan.method).Barrier(plan.workers)
            recorder.meet_until = repeats - repeats % plan.workers
        return passes(self.subject, recorder, batch=plan.batch or self.order.batch)


def prepare() -> None:
    """Seed the generators of this process alike in each run. Torch gets one thread."""
    with contextlib.suppress(KeyError, AttributeError):  # a pool of threads would not survive a later fork
        sys.modules["torch"].set_num_threads(1)
    state.seed(_SEED)
    end_draw_checks()  # the questions compare what is read, and an error would hide it


def _without_transform(subject: Subject, index: int) -> None:
    """Replace the transform by one that does nothing, or by None if the dataset needs more than a callable."""
    found = subject.transform()
    if found is None:
        return
    holder, names = found
    for instead in (_nothing, None):  # the dataset may use something that the callable lacks
        for name in names:
            object.__setattr__(holder, name, instead)
        with contextlib.suppress(Exception):
            if not subject.iterable:
                subject.dataset[index]
            return


def _nothing(*args: Any, **kwargs: Any) -> Any:
    if len(args) == 1 and not kwargs:
        return args[0]
    return args or kwargs


def _keys(recorder: Recorder, plan: Plan, subject: Subject) -> Iterator[list[Record]]:
    """Read keys that no other run reads: indices all over the dataset, one epoch after another."""
    length = subject.length or 1
    step = max(1, length // plan.keys)
    end = time.monotonic() + _SECONDS * min(1.0, plan.keys / _MANY)
    for number in range(plan.keys):
        epoch, index = divmod(number * step, length)
        if recorder.epoch != 2 + epoch:
            recorder.epoch = 2 + epoch
            tell(recorder.base, recorder.epoch)
        yield [recorder.read(number, index, lambda index=index: recorder.base[index])]
        if time.monotonic() > end:
            return


def _threads(recorder: Recorder, threads: int) -> Iterator[list[Record]]:
    sys.setswitchinterval(1e-5)  # show races; this process does nothing else
    tell(recorder.base, 0)
    recorder.process()
    with ThreadPoolExecutor(threads) as pool:
        yield list(pool.map(recorder.__getitem__, range(len(recorder))))


def _number_workers(records: list[Record]) -> list[Record]:
    """Number the workers of each epoch by their first record, if torch has not numbered them."""
    seen: dict[tuple[int, int], int] = {}
    for record in records:
        if record.worker is None:
            count = sum(1 for epoch, _ in seen if epoch == record.epoch)
            record.worker = seen.setdefault((record.epoch, record.pid), count)
    return records
