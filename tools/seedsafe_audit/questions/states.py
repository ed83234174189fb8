"""Do draws come again, whatever noise covers them?

What a sample follows from is found by changing one thing at a time: a generator's state, a seed, the epoch, or what an earlier
reading drew.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from seedsafe.bridging.again import digests_of
from seedsafe.bridging.region import Replayed
from seedsafe.bridging.walk import walk
from seedsafe_audit import state
from seedsafe_audit.draws import UsersSeeds, other_seed, seed_name
from seedsafe_audit.loaders import tell
from seedsafe_audit.questions.context import Context, Finding, number_list
from seedsafe_audit.recording import Record
from seedsafe_audit.runs import Run
from seedsafe_audit.subject import inner

__all__ = [
    "follows",
    "follows_earlier",
    "repeated_starts",
    "same_draws",
    "seeds_of",
    "shared_seeds",
    "shifted_seeds",
    "unset_epoch",
]

_TRIED, _STATES, _ITEMS, _MOST = 6, 4, 8, 256

_Digests = dict[Any, bytes]
"""The parts of a sample, by their paths."""

_Change = Callable[[Replayed, int], None]
"""Changes something in this process, in the way of a number, 0 for none. It gets what seeds the generators without a seed."""


def same_draws(ctx: Context, runs: Iterable[Run], *, epochs: bool) -> Finding | None:
    """Look for readings that begin with a generator in the state in which another reading began, and that follow from it.

    Args:
        ctx: the audit.
        runs: the runs to look at.
        epochs: whether to compare the epochs, or else the readings within each.
    """
    found = {run.plan.name: _again(run, epochs=epochs) for run in runs}
    evidence, samples, deciding = [], set(), []
    drawn = any("cv2" in record.draws for record in ctx.reseeded.records)  # or its state was only looked at
    names = dict.fromkeys(name for again in found.values() for name in again if drawn or name != "cv2")
    for name in list(names)[:_TRIED]:
        run, pairs = next((run, again[name]) for run, again in found.items() if name in again)
        if follows(ctx, name, pairs[-1][1].index):
            deciding.append(name)
            earlier, later = pairs[0]
            samples |= {record.index for _, record in pairs}
            evidence.append(
                f"{_shown(name)}: {run}: {len(pairs)} readings begin in a state in which another began; sample "
                f"{later.index}, epoch {later.epoch}, worker {later.worker}, as sample {earlier.index}, epoch {earlier.epoch}, "
                f"worker {earlier.worker}"
            )
    if not deciding:
        return None
    which = (
        "an epoch makes the draws of the one before" if epochs else "workers or samples make the same draws"
    )
    text = (
        f"{which} from {', '.join(map(_shown, deciding))}, and what follows from them comes again, though other noise covers "
        "it. Make a generator for each sample, such as ss.generator(key)"
    )

    def still(run: Run) -> bool:
        return any(name in record.begun for record in run.records for name in deciding)

    def again(without: Run) -> bool:
        return bool({*deciding} & _again(without, epochs=epochs).keys())

    part = "loader" if ctx.workers and ctx.is_loaders(ctx.parallels()[0], again) else ctx.blamed(still)
    return Finding("fault", text, evidence, samples, part)


def _shown(name: str) -> str:
    return f"dataset{name}" if name.startswith((".", "[")) else name


def _again(run: Run, *, epochs: bool) -> dict[str, list[tuple[Record, Record]]]:
    """Return, for each generator, the readings that begin in a state in which an earlier one began, behind that."""
    first: dict[tuple[str, str], Record] = {}
    found: dict[str, list[tuple[Record, Record]]] = defaultdict(list)
    for record in sorted(run.records, key=lambda record: (record.epoch, record.turn)) if run.whole else ():
        for name, begun in record.begun.items():
            state_of = (name, begun) if epochs else (f"{name} {record.epoch}", begun)
            earlier = first.setdefault(state_of, record)
            if earlier is not record and (earlier.epoch != record.epoch) == epochs:
                found[name].append((earlier, record))
    return found


def follows(ctx: Context, name: str, index: int) -> bool:
    """Return whether a sample follows from the state of a generator before it is read."""

    def change(unseeded: Replayed, number: int) -> None:
        _warm(ctx)
        generator = state.generators(ctx.subject.dataset).get(name)
        if number and generator is not None:
            _move(generator, number)

    return _follows(ctx, name, index, change)


def follows_earlier(ctx: Context, index: int, earlier: int) -> bool:
    """Return whether a sample follows from what was drawn when it, or another one, was read in an earlier epoch."""
    dataset = ctx.subject.dataset

    def change(unseeded: Replayed, number: int) -> None:
        for way, epoch in ((number + 1, number + 2), (0, 1)):
            for generator in (unseeded, *state.generators(dataset).values()):
                _move(generator, way)
            tell(dataset, epoch)
            with suppress(Exception):
                if way:
                    dataset[earlier]

    return _follows(ctx, "what was drawn earlier", index, change)


def _follows_seed(ctx: Context, seed: str | None = None) -> bool:
    """Return whether a sample, or records of a stream, follow from a seed, or from any, that the user's code passes."""

    def change(unseeded: Replayed, number: int) -> None:
        def other(given: Any) -> Any:
            return other_seed(given, number) if seed in (None, seed_name(given)) else given

        _warm(ctx)
        UsersSeeds(change=other).__enter__()  # as long as the process lives

    return _follows(ctx, f"seed {seed}", ctx.order.indices[0], change)


def _move(generator: state.Stateful, number: int) -> None:
    with suppress(Exception):  # a user's generator may raise anything
        generator.set(next(islice(generator.others(), number, None)))


def _warm(ctx: Context) -> None:
    """Make what is made on first use."""
    if not ctx.subject.iterable:
        with suppress(Exception):
            ctx.subject.dataset[ctx.order.indices[-1]]


def _follows(ctx: Context, name: str, index: int, change: _Change) -> bool:
    """Return whether a part of a sample changes with something, all else being equal."""
    before, again = (_read(ctx, name, index, 0, change) for _ in range(2))
    steady = {path for path in before if before[path] == again.get(path)}
    for number in range(1, _STATES + 1):
        other = _read(ctx, name, index, number, change)
        changed = {path for path in steady if other.get(path) != before[path]}
        if changed and not ctx.subject.iterable:
            return True
        if changed and (_tells_records_apart(before, steady - changed) or _are_new(ctx, before, other)):
            return True  # else it may be the order that follows
    return False


def _tells_records_apart(digests: _Digests, paths: set[Any]) -> bool:
    """Return whether a part of the records at these paths differs from record to record, as an id does."""
    return any(len(set(found)) > _ITEMS // 2 for found in _columns(digests, paths).values())


def _columns(digests: _Digests, paths: Iterable[Any]) -> dict[Any, list[bytes]]:
    values: dict[Any, list[bytes]] = defaultdict(list)
    for path in paths:
        if path:
            values[path[1:]].append(digests[path])
    return {path: sorted(found) for path, found in values.items()}


def _are_new(ctx: Context, before: _Digests, other: _Digests) -> bool:
    """Return whether a whole stream has as many records as before, and others, in a part that other noise leaves alone."""

    def noise(unseeded: Replayed, number: int) -> None:
        state.seed(number)
        unseeded.state = (number, 0)

    noisy = _read(ctx, "other noise", 0, 1, noise)
    first, second, third = (_columns(digests, digests) for digests in (before, other, noisy))
    return _ends(ctx) and any(
        len(found) == len(second.get(path, ())) and found == third.get(path) != second[path]
        for path, found in first.items()
    )


def _ends(ctx: Context) -> bool:
    """Return whether a stream ends within the samples of this audit."""
    return len(ctx.serial.epoch(0)) < len(ctx.order.indices)


def _read(ctx: Context, name: str, index: int, number: int, change: _Change) -> _Digests:
    """Read a sample, or the first records, in a process of its own, after a change of this number, 0 for none."""

    def work(say: Callable[[str], None]) -> Iterator[_Digests]:
        dataset = ctx.subject.dataset
        with Replayed(1) as unseeded:
            say(f"reading index {index}")
            change(unseeded, number)
            if ctx.subject.iterable:
                sample = list(islice(iter(dataset), len(ctx.order.indices) if _ends(ctx) else _ITEMS))
            else:
                sample = dataset[index]
        yield digests_of(sample)

    items = ctx.call(f"{name} changed", work).items
    return items[0] if items else {}


def shared_seeds(ctx: Context, runs: Iterable[Run]) -> Finding | None:
    """Look for a seed that several samples, or the workers of a stream, get in one run: all of them, or, from a clock, those that the next run does not give it."""
    known = {seed for record in ctx.serial_again.records for seed in record.seeds}
    evidence, samples = [], set()
    for run in runs:
        readers, everybody = _readers(ctx, run.records)
        for seed, found in readers.items():
            indices = {index for _, index in found}
            shared = found >= {one for one in everybody if not ctx.subject.iterable or one[0] == 0}
            from_clock = not ctx.subject.iterable and ctx.unsteady and seed not in known
            if len(indices) > 1 and (from_clock or (shared and _follows_seed(ctx, seed))):
                samples |= indices
                # A constant one leads to its own line, and others to where they come from.
                names = [f"seed {seed}", run.plan.name][:: 1 if shared else -1]
                who = "workers" if ctx.subject.iterable else "samples"
                evidence.append(f"{': '.join(names)}: {who} {number_list(indices)}")
    if not samples:
        return None
    text = (
        "different samples get the same draws, because their generators share a seed, a constant or one from the clock. Put the index and "
        "the epoch into the seed, as ss.generator(key) does"
    )
    return Finding("fault", text, evidence[:8], samples, ctx.source)


def repeated_starts(ctx: Context) -> Finding | None:
    """Look for the seeds with which each worker of a stream begins, in every epoch again."""
    run = next((run for run in ctx.parallels() if run.whole), ctx.serial)
    first, second = (_readers(ctx, run.epoch(number))[0] for number in (0, 1))
    seeds = {(seed, worker) for seed, found in first.items() for _, worker in found}
    again = {(seed, worker) for seed, found in second.items() for _, worker in found}
    later = {seed for record in run.records if record.turn == 1 for seed in record.seeds}
    if (
        not ctx.subject.iterable
        or not seeds
        or seeds != again
        or later - first.keys()
        or not _follows_seed(ctx)
    ):
        return None
    text = (
        "each epoch begins with the seed of the one before, so its draws come again. Put the epoch into the seed, or "
        "draw from a key per record, as AugmentedIterable does"
    )
    evidence = [
        f"seed {seed}: {run.plan.name}: worker {worker} in epochs 0 and 1" for seed, worker in sorted(seeds)
    ]
    return Finding("fault", text, evidence[:8], (), ctx.source)


def shifted_seeds(ctx: Context) -> Finding | None:
    """Look for seeds that one epoch gives to a sample, and the next to another."""
    readers, everybody = _readers(ctx, ctx.serial.records)
    second = {index for epoch, index in everybody if epoch == 1}
    moved, seen = set(), ""
    for seed, found in readers.items():
        first = {index for epoch, index in found if epoch == 0}
        others = {index for epoch, index in found if epoch == 1} - first
        if first and others:
            moved |= others
            seen = f"seed {seed}: sample {min(first)} in epoch 0, and sample {min(others)} in epoch 1"
    if len(moved) * 4 <= len(second):
        return None
    text = (
        "an epoch gives samples the seeds that others had in the epoch before, as the sum seed + epoch + index does. Seed with "
        "a tuple, (seed, epoch, index)"
    )
    count = f"no workers: {len(moved)} of {len(second)} samples of epoch 1 get the seed that another had in epoch 0"
    return Finding("fault", text, [seen, count], moved, "dataset")


def unset_epoch(ctx: Context) -> Finding | None:
    """Look for an attribute ``epoch`` that samples follow, and that nothing sets, or only for workers that have their copies already."""
    index, persistent = ctx.order.indices[0], bool(ctx.workers) and ctx.subject.persistent
    for location in walk(ctx.subject.dataset, inner):
        epoch = getattr(location.thing, "epoch", None)
        if type(epoch) is not int or hasattr(location.thing, "set_epoch"):
            continue

        def change(unseeded: Replayed, number: int, thing: Any = location.thing) -> None:
            _warm(ctx)
            thing.epoch += number

        follows = _follows(ctx, "the epoch", index, change)
        if follows and (persistent or not any(map(_sets_an_epoch, _files_about(type(location.thing))))):
            kind = type(location.thing).__qualname__
            why = "workers that persist do not see change" if persistent else "nothing sets"
            text = (
                f"samples follow from {kind}.epoch, which {why}, so every epoch repeats the first. Give {kind} a set_epoch and "
                "call it before each epoch; workers that persist do not see it"
            )
            seen = f"sample {index} differs with epoch {epoch + 1}; {kind} has no set_epoch"
            return Finding("fault", text, [*seeds_of(ctx, index), seen], [index], "dataset")
    return None


def seeds_of(ctx: Context, index: int) -> list[str]:
    """Return a line for each seed that the user's code passes for a sample in epoch 0."""
    seeds = {seed for one in ctx.serial.epoch(0) if one.index == index for seed in one.seeds}
    return [f"seed {seed}: sample {index} in epoch 0" for seed in sorted(seeds)]


def _files_about(kind: type) -> Iterator[str]:
    """Yield the user's files that may set attributes of a class's objects: the script, the class's own file, and those that import either."""
    home = sys.modules.get(kind.__module__)
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if state.is_users(file, name) and (
            module is home
            or name == "__main__"
            or any(value is kind or value is home for value in list(vars(module).values()))
        ):
            yield file


def _sets_an_epoch(file: str) -> bool:
    """Return whether code sets the epoch of something else than itself, as a loop over epochs does."""
    with suppress(OSError, UnicodeDecodeError):
        text = Path(file).read_text(encoding="utf-8")
        return re.search(r"(?<!self)\.epoch\s*=[^=]|setattr\(.*[\"']epoch", text) is not None
    return False


_Reading = tuple[int, int]
"""An epoch and an index, or the number of a worker that begins a stream."""


def _readers(ctx: Context, records: Iterable[Record]) -> tuple[dict[str, set[_Reading]], set[_Reading]]:
    """Return the readings in which each seed was passed, and all readings; of a stream those that begin it."""
    readers: dict[str, set[_Reading]] = defaultdict(set)
    everybody = set()
    for record in records:
        if record.digest and not (ctx.subject.iterable and record.turn):
            reading = record.epoch, (record.worker or 0) if ctx.subject.iterable else record.index
            everybody.add(reading)
            for seed in record.seeds:
                readers[seed].add(reading)
    return readers, everybody
