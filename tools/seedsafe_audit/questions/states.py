"""Do draws come again, whatever noise covers them?"""

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
from seedsafe.bridging.walk import Location, walk
from seedsafe_audit import state
from seedsafe_audit.questions.context import Context, Finding, number_list
from seedsafe_audit.recording import Record
from seedsafe_audit.runs import Run
from seedsafe_audit.subject import inner

__all__ = ["decides", "kept", "same_draws", "seeds_of", "shared_seeds", "shifted_seeds", "unset_epoch"]

_TRIED, _STATES, _ITEMS = 6, 4, 8

_Digests = dict[Any, bytes]
"""The parts of a sample, by their paths."""


def same_draws(ctx: Context, runs: Iterable[Run], *, epochs: bool) -> Finding | None:
    """Look for readings that begin with a generator in the state in which another reading began, and that follow from it.

    Args:
        ctx: the audit.
        runs: the runs to look at.
        epochs: whether to compare the epochs, or else the readings within each.
    """
    found = {run.plan.name: _again(run, epochs=epochs) for run in runs}
    evidence, samples, deciding = [], set(), []
    for name in _moved(ctx, (name for again in found.values() for name in again)):
        run, pairs = next((run, again[name]) for run, again in found.items() if name in again)
        if decides(ctx, name, pairs[-1][1].index):
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

    if ctx.subject.worker_init is not None and ctx.workers:
        without = _again(ctx.parallel(ctx.workers[0], ctx.methods[0], init=False), epochs=epochs)
        if not without.keys() & set(deciding):
            return Finding("fault", text, evidence, samples, "loader")
    return Finding("fault", text, evidence, samples, ctx.blamed(still))


def kept(ctx: Context) -> bool:
    """Return whether a sample follows from a generator that its reading moves."""
    names = _moved(ctx, (name for record in ctx.serial.records for name in record.begun))
    return any(decides(ctx, name, ctx.order.indices[0]) for name in names)


def _moved(ctx: Context, names: Iterable[str]) -> list[str]:
    """Return a few names, without OpenCV's if its state changed because it was looked at."""
    drawn = any("cv2" in record.draws for record in ctx.reseeded.records)
    return [name for name in dict.fromkeys(names) if name != "cv2" or drawn][:_TRIED]


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


def decides(ctx: Context, name: str, index: int) -> bool:
    """Return whether a part of a sample follows from the state of a generator before it is read, all else being equal."""
    before, again = (_read(ctx, name, index, None) for _ in range(2))
    steady = {path for path in before if before[path] == again.get(path)}
    for number in range(_STATES):
        other = _read(ctx, name, index, number)
        changed = {path for path in steady if other.get(path) != before[path]}
        if changed and not ctx.subject.iterable:
            return True
        if changed and _tells_records_apart(
            before, steady - changed
        ):  # else it may be the order that follows
            return True
    return False


def _tells_records_apart(digests: _Digests, paths: set[Any]) -> bool:
    """Return whether a part of the records at these paths differs from record to record, as an id does."""
    values: dict[Any, list[bytes]] = defaultdict(list)
    for path in paths:
        if path:
            values[path[1:]].append(digests[path])
    return any(len(set(found)) > _ITEMS // 2 for found in values.values())


def _read(
    ctx: Context, name: str, index: int, number: int | None, later: tuple[Location, int] | None = None
) -> _Digests:
    """Read a sample, or the first records, in a process of its own.

    Args:
        ctx: the audit.
        name: the generator to set.
        index: the sample's index.
        number: which other state to set it to, or None to leave it.
        later: the location of something whose epoch is raised before, and by how much.
    """

    def work(say: Callable[[str], None]) -> Iterator[_Digests]:
        dataset = ctx.subject.dataset
        if later is not None:
            later[0].thing.epoch += later[1]
        with Replayed(1):  # the seeds of generators without one
            if not ctx.subject.iterable:
                say(f"reading index {ctx.order.indices[-1]}")
                dataset[ctx.order.indices[-1]]  # makes what is made on first use
            generator = state.generators(dataset).get(name)
            if number is not None and generator is not None:
                generator.set(next(islice(generator.others(), number, None)))
            say(f"reading index {index}")
            sample = list(islice(iter(dataset), _ITEMS)) if ctx.subject.iterable else dataset[index]
        yield digests_of(sample)

    items = ctx.call(f"{name} in another state", work).items
    return items[0] if items else {}


def shared_seeds(ctx: Context, runs: Iterable[Run]) -> Finding | None:
    """Look for a seed that several samples get in one run: all of them, or, from a clock, those that the next run does not give it."""
    known = {seed for record in ctx.serial_again.records for seed in record.seeds}
    evidence, samples = [], set()
    for run in runs:
        readers, everybody = _readers(run.records)
        for seed, found in readers.items():
            indices = {index for _, index in found}
            if len(indices) > 1 and (found == everybody or (ctx.unsteady and seed not in known)):
                samples |= indices
                # A constant one leads to its own line, and others to where they come from.
                names = [f"seed {seed}", run.plan.name][:: 1 if found == everybody else -1]
                evidence.append(f"{': '.join(names)}: samples {number_list(indices)}")
    if not samples:
        return None
    text = (
        "different samples get the same draws, because their generators share a seed, a constant or one from the clock. Put the index and "
        "the epoch into the seed, as ss.generator(key) does"
    )
    return Finding("fault", text, evidence[:8], samples, ctx.source)


def shifted_seeds(ctx: Context) -> Finding | None:
    """Look for seeds that one epoch gives to a sample, and the next to another."""
    readers, everybody = _readers(ctx.serial.records)
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
        before, again, later = (_read(ctx, f"epoch {add}", index, None, (location, add)) for add in (0, 0, 1))
        follows = any(before[path] == again.get(path) != later.get(path) for path in before)
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
"""An epoch and an index."""


def _readers(records: Iterable[Record]) -> tuple[dict[str, set[_Reading]], set[_Reading]]:
    """Return the readings in which each seed was passed, and all readings."""
    readers: dict[str, set[_Reading]] = defaultdict(set)
    everybody = set()
    for record in records:
        if record.digest:
            everybody.add((record.epoch, record.index))
            for seed in record.seeds:
                readers[seed].add((record.epoch, record.index))
    return readers, everybody
