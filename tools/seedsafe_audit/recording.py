"""A dataset that records each reading of another."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seedsafe_audit import rng
from seedsafe_audit.content import Content, content
from seedsafe_audit.key_use import KeyCounter, record_seeds
from seedsafe_audit.picture import preview
from seedsafe_audit.process import ProcessFacts, process_facts
from seedsafe_audit.state import Change, changes, snapshot
from seedsafe_audit.supervise import write_stack_on_signal

__all__ = ["Failure", "Items", "Record", "Recorder", "worker_number"]


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception that the dataset raised."""

    kind: str
    message: str
    place: str
    file: str | None

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
    draws: tuple[str, ...] = ()  # the process-wide generators that it draws from
    after: dict[str, str] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    picture: str | None = None
    process: ProcessFacts | None = None
    key_uses: int = 0  # how many calls without a key used the sample's key
    seeds: tuple[str, ...] = ()  # the seeds of generators during the reading
    arrival: str | None = None  # the digest of the sample in the main process

    @property
    def digest(self) -> str | None:
        """The digest of the sample's bytes, or None if there is no sample."""
        return None if self.content is None else self.content.digest


@dataclass
class Recorder:
    """A dataset of records: its position k reads ``order[k]`` of the user's dataset.

    Args:
        base: the user's dataset.
        order: the indices to read.
        folder: the folder in which each process notes its current reading and, if it hangs, its stack.
        watch: whether to compare the dataset's attributes after each reading.
        reseed: whether to seed the process-wide generators before each reading, and record their states after it.
        pictures: the number of first readings in each process with a small picture.
        carry: whether to return (record, sample) instead of the record alone.
        facts: measure the process at the first and every `facts`-th reading, 0 for never.
        meeting: a barrier at which workers wait, so that each reads its share.
        meet_until: the position at which they stop waiting.
        alone: whether no other thread reads at the same time, so that seeds belong to the current reading.
        epoch: the current epoch.
    """

    base: Any
    order: list[int]
    folder: str
    watch: bool = False
    reseed: bool = False
    pictures: int = 0
    carry: bool = False
    facts: int = 0
    meeting: Any = None
    meet_until: int = 0
    alone: bool = True
    epoch: int = 0
    _here: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.order)

    def __getitem__(self, position: int) -> Any:
        return self.read(position, self.order[position], lambda: self.base[self.order[position]])

    def __getitems__(self, positions: list[int]) -> list[Any]:
        """Read a batch at once if the dataset can, as a loader would."""
        if _reads_batches(self.base) and not (self.reseed or self.watch):
            samples: list[Any] = []
            self._process()
            self._say(f"reading index {self.order[positions[0]]} and its batch, worker {worker_number()}")
            with contextlib.suppress(Exception):  # if it fails, read one by one to see which raises
                samples = list(self.base.__getitems__([self.order[position] for position in positions]))
            if len(samples) == len(positions):
                return [
                    self.read(position, self.order[position], lambda sample=sample: sample)
                    for position, sample in zip(positions, samples, strict=True)
                ]
        return [self[position] for position in positions]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_here": {}}

    def read(self, position: int, index: int, fetch: Any) -> Any:
        """Read one sample and return its record, with the sample if `carry` is set."""
        here = self._process()
        if self.meeting is not None and position < self.meet_until:
            with contextlib.suppress(threading.BrokenBarrierError):
                self.meeting.wait(timeout=20)
        record = Record(self.epoch, position, index, worker_number(), os.getpid(), here["turn"])
        here["turn"] += 1
        if self.facts and record.turn == 0:
            record.process = process_facts()
        before = {}
        if self.reseed:
            rng.seed(1_000 + position)
            before = rng.states()
        self._say(f"reading index {index}, worker {record.worker}")
        sample = None
        uses = here["key_uses"].count
        try:
            with record_seeds(self.alone) as seeds:
                sample = fetch()
            record.content = content(sample)
        except StopIteration:
            raise
        except Exception as error:  # noqa: BLE001  # the record lists any error
            record.failure = failure(error)
        else:
            record.seeds = tuple(sorted(seeds))
        record.key_uses = here["key_uses"].count - uses
        self._say("read")
        if self.reseed:
            record.after = rng.states()
            record.draws = tuple(
                name for name, state in record.after.items() if before.get(name, state) != state
            )
        if self.watch:
            record.changes = tuple(changes(here["snapshot"], snapshot(self.base, self._positions())))
        if record.content is not None and record.turn < self.pictures:
            record.picture = preview(sample)
        if self.facts and record.turn > 0 and record.turn % self.facts == 0:
            record.process = process_facts()
        return (record, sample) if self.carry else record

    def _positions(self) -> tuple[int, ...]:
        return tuple(sorted(set(self.order)))

    def announce(self) -> None:
        """Prepare this process for its notes. Threads need that before they start."""
        self._process()

    def tell_of(self, index: int) -> None:
        """Note that this process reads an index without the recorder."""
        self._process()
        self._say(f"reading index {index}")

    def _process(self) -> dict[str, Any]:
        """Return the data of this process and epoch, created at the first reading."""
        if self._here.get("of") != (os.getpid(), self.epoch):
            log = self._here.get("log") if self._here.get("pid") == os.getpid() else None
            here: dict[str, Any] = {"of": (os.getpid(), self.epoch), "pid": os.getpid(), "turn": 0}
            here["log"] = log or _announce(Path(self.folder))
            here["key_uses"] = self._here["key_uses"] if log else KeyCounter()
            if self.watch:
                here["snapshot"] = snapshot(self.base, self._positions())
            self._here = here
        return self._here

    def _say(self, text: str) -> None:
        os.pwrite(self._here["log"], text.ljust(80)[:80].encode(), 0)


class Items:
    """The records of an iterable dataset: each process iterates its own copy, up to `limit` samples."""

    def __init__(self, recorder: Recorder, limit: int) -> None:
        self.recorder, self.limit = recorder, limit

    def __iter__(self) -> Iterator[Any]:
        source: list[Iterator[Any]] = []

        def take() -> Any:
            if not source:
                source.append(iter(self.recorder.base))
            return next(source[0])

        for position in range(self.limit):
            try:
                yield self.recorder.read(position, position, take)
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
    file = getattr(error, "filename", None)
    text = str(error).strip().split("\n")[0][:200]
    return Failure(type(error).__name__, text, place, None if file is None else str(file))


def _announce(folder: Path) -> int:
    """Open the file for this process's notes, and write its stack on SIGUSR1."""
    write_stack_on_signal(folder)
    return os.open(folder / f"at-{os.getpid()}", os.O_CREAT | os.O_WRONLY, 0o600)
