"""A dataset that records each reading of another."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from seedsafe.bridging.again import digests_of
from seedsafe_audit import state
from seedsafe_audit.content import Content, content
from seedsafe_audit.draws import KeyCounter, UsersSeeds
from seedsafe_audit.supervise import write_stack_on_signal

__all__ = ["Failure", "Items", "Plan", "Record", "Recorder", "worker_number"]


_OFTEN = 500  # things: a snapshot of more is not taken after each reading


@dataclass(frozen=True, slots=True)
class Plan:
    """One way to read the dataset.

    Attributes:
        workers: the number of workers, 0 for none.
        method: the start method of the workers.
        epochs: the number of passes.
        batch: the number of samples in a batch, 0 for the audit's usual one.
        reverse: whether to read in reverse order.
        reads: the number of readings, 0 for the whole order.
        bare: whether to read without the transform.
        init: whether to use the DataLoader's worker_init_fn.
        threads: the number of threads that read instead of a loader, 0 for none.
        keys: the number of keys, of any indices and epochs, to read instead of the order, 0 for none.
        watch: whether to compare the dataset's attributes after each reading.
        reseed: whether to seed the process-wide generators before each reading, and record their states after it.
        carry: whether to return each sample with its record, to compare it on arrival.
        again: whether it repeats an earlier run.
        note: what is special about it, in words.
    """

    workers: int = 0
    method: str = "fork"
    epochs: int = 1
    batch: int = 0
    reverse: bool = False
    reads: int = 0
    bare: bool = False
    init: bool = True
    threads: int = 0
    keys: int = 0
    watch: bool = False
    reseed: bool = False
    carry: bool = False
    again: bool = False
    note: str = ""

    @property
    def name(self) -> str:
        """The plan in words: ``"2 workers, fork"``."""
        start = (
            f"{self.workers} worker{'s' * (self.workers > 1)}, {self.method}"
            if self.workers
            else "no workers"
        )
        return f"{start}, {self.note}" if self.note else start


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception that the dataset raised."""

    kind: str
    message: str
    place: str
    file: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind


@dataclass(slots=True)
class Record:
    """One reading of one sample."""

    epoch: int
    position: int
    index: int
    worker: int | None
    pid: int
    turn: int
    content: Content | None = None
    failure: Failure | None = None
    begun: dict[str, str] = field(default_factory=dict)
    """The generators that it moves, and a digest of the state in which each begins."""
    after: dict[str, str] = field(default_factory=dict)  # and of the state in which each ends
    changes: tuple[state.Change, ...] | None = ()  # None if they were not looked for
    parts: dict[Any, bytes] = field(default_factory=dict)  # digests by path
    key_uses: int = 0  # how many calls without a key used the sample's key
    seeds: tuple[str, ...] = ()  # the seeds of generators during the reading
    arrival: str | None = None  # the digest of the sample in the main process

    @property
    def digest(self) -> str | None:
        """The digest of the sample's bytes, or None if there is no sample."""
        return None if self.content is None else self.content.digest

    @property
    def draws(self) -> set[str]:
        """The process-wide generators that it draws from. OpenCV's counts only if the plan reseeds it."""
        return {*state.SEEDED} & {*self.begun}

    def moved(self, before: dict[str, str], after: dict[str, str]) -> None:
        """Note which generators have moved."""
        self.begun = {name: mark for name, mark in before.items() if after.get(name, mark) != mark}
        self.after = {name: after[name] for name in self.begun}


@dataclass
class Recorder:
    """A dataset of records: its position k reads ``order[k]`` of the user's dataset.

    Args:
        base: the user's dataset.
        order: the indices to read.
        folder: the folder in which each process notes its current reading and, if it hangs, its stack.
        plan: what to do at each reading.
        meeting: a barrier at which workers wait, so that each reads its share.
        meet_until: the position at which they stop waiting.
        epoch: the current epoch.
    """

    base: Any
    order: list[int]
    folder: str
    plan: Plan = Plan()  # frozen
    meeting: Any = None
    meet_until: int = 0
    epoch: int = 0
    _here: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.order)

    num_batches = property(__len__)  # Keras asks for it

    def on_epoch_end(self) -> None:
        """Do nothing when Keras calls it: the main process calls the dataset's own hook."""

    def __getitem__(self, position: int) -> Any:
        index = self.order[position]
        if _reads_batches(self.base):
            return self.read(position, index, lambda: self.base.__getitems__([index])[0])
        return self.read(position, index, lambda: self.base[index])

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_here": {}}

    def read(self, position: int, index: int, fetch: Any, *, parts: bool = False) -> Any:
        """Read one sample and return its record, with digests of its parts if asked for, and with the sample if the plan says so."""
        here, plan = self.process(), self.plan
        if self.meeting is not None and position < self.meet_until:
            with contextlib.suppress(threading.BrokenBarrierError):
                self.meeting.wait(timeout=20)
        record = Record(self.epoch, position, index, worker_number(), os.getpid(), here["turn"])
        here["turn"] += 1
        found = self._generators()
        with state.outside() if plan.reseed else contextlib.nullcontext():  # a region would put them back
            if plan.reseed:
                state.seed(1_000 + position)
            before = state.marks(found)
            if plan.reseed:
                state.seed(1_000 + position)  # again, because a look at OpenCV's generator moves it
        self.say(f"reading index {index}, worker {record.worker}")
        sample = None
        uses = here["key_uses"].count
        try:
            with contextlib.nullcontext(set[str]()) if plan.threads else UsersSeeds() as seeds:
                sample = fetch()
            record.content = content(sample)
            if parts:
                record.parts = digests_of(sample)
            record.seeds = tuple(sorted(seeds))
        except StopIteration:
            raise
        except Exception as error:  # noqa: BLE001  # the record lists any error
            record.failure = failure(error)
        record.key_uses = here["key_uses"].count - uses
        self.say("read")
        record.moved(before, state.marks(found))
        if plan.watch:
            record.changes = self._changes(here, record.turn)
        return (record, sample) if plan.carry else record

    def _changes(self, here: dict[str, Any], turn: int) -> tuple[state.Change, ...] | None:
        """Compare what the dataset keeps with what it kept first, less often the more that is."""
        if turn < here["next"]:
            return None
        now = state.snapshot(self.base, self.order)
        here["next"] = turn + 1 + len(now) // _OFTEN
        return tuple(state.changes(here["snapshot"], now))

    def _generators(self) -> dict[str, state.Stateful]:
        """Return the generators that a reading may move: looked for again at first, and less often later, as some are made on first use."""
        here = self.process()
        if self.plan.threads or self.plan.keys:
            return {}
        if not here["turn"] & (here["turn"] - 1):
            here["generators"] = state.generators(self.base)
        found: dict[str, state.Stateful] = here["generators"]
        return found

    def process(self) -> dict[str, Any]:
        """Return the data of this process and epoch, created at the first reading. Threads need it before they start."""
        if self._here.get("of") != (os.getpid(), self.epoch):
            same = self._here if self._here.get("of", (0,))[0] == os.getpid() else None
            self._here = {
                "of": (os.getpid(), self.epoch),
                "turn": 0,
                "log": same["log"] if same else _announce(Path(self.folder)),
                "key_uses": same["key_uses"] if same else KeyCounter(),
                "snapshot": state.snapshot(self.base, self.order) if self.plan.watch else None,
                "next": 0,
                "generators": {},
            }
        return self._here

    def say(self, text: str) -> None:
        """Note what this process does, such as ``"reading index 3"``."""
        os.pwrite(self.process()["log"], text.ljust(80)[:80].encode(), 0)


class Items:
    """The records of an iterable dataset: each process iterates its own copy, up to `limit` samples."""

    def __init__(self, recorder: Recorder, limit: int) -> None:
        self.recorder, self.limit = recorder, limit

    def __iter__(self) -> Iterator[Any]:
        take = chain.from_iterable([self.recorder.base]).__next__  # it begins to iterate in the first reading
        for position in range(self.limit):
            try:
                yield self.recorder.read(position, position, take, parts=True)
            except StopIteration:
                return


def _reads_batches(dataset: Any) -> bool:
    """Return whether a dataset has its own ``__getitems__``. Torch's and seedsafe's read one by one, so they do not count."""
    method = getattr(type(dataset), "__getitems__", None)
    home = str(getattr(method, "__module__", ""))
    if home.startswith("torch.utils.data."):
        return _reads_batches(getattr(dataset, "dataset", None))
    return method is not None and not home.startswith("seedsafe_")


def worker_number() -> int | None:
    """Return torch's number of this worker, or None if torch has none."""
    data: Any = sys.modules.get("torch.utils.data")
    info = data.get_worker_info() if data is not None else None
    return None if info is None else int(info.id)


_HERE = Path(__file__).parent


def failure(error: BaseException) -> Failure:
    """Describe an exception in plain data."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).parent != _HERE]
    place = f"{own[-1].filename}:{own[-1].lineno}" if own else ""
    file = getattr(error, "filename", None) or ""
    text = str(error).strip().split("\n")[0][:200]
    return Failure(type(error).__name__, text, place, str(file))


def _announce(folder: Path) -> int:
    """Open the file for this process's notes, and write its stack on SIGUSR1."""
    write_stack_on_signal(folder)
    return os.open(folder / f"at-{os.getpid()}", os.O_CREAT | os.O_WRONLY, 0o600)
