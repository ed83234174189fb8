"""Do draws come again, whatever noise covers them?

What a sample follows from is found by changing one thing at a time: a generator's state, a seed, the epoch, or what an earlier
reading drew.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from seedsafe.bridging.again import digests_of
from seedsafe.bridging.region import Replayed
from seedsafe.bridging.walk import walk
from seedsafe.reading import KeyedCollate
from seedsafe_audit import state
from seedsafe_audit.draws import SEED, UsersSeeds, other_seed, seed_name
from seedsafe_audit.loaders import tell
from seedsafe_audit.questions.context import Context, Finding, number_list
from seedsafe_audit.recording import Record
from seedsafe_audit.runs import Run
from seedsafe_audit.subject import inner

__all__ = [
    "few",
    "follows",
    "follows_earlier",
    "follows_readings",
    "follows_state",
    "same_draws",
    "seeds_of",
    "shared_seeds",
    "shifted_seeds",
    "unset_epoch",
]

_TRIED, _STATES, _ITEMS, _FEW, _CHANCES = 6, 2, 8, 4, 8

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
    collate = getattr(ctx.subject.dataset, "collate", None)
    if any(isinstance(one.thing, KeyedCollate) for one in walk(collate)):
        return None  # a bridge puts its generators into the state of each batch
    found = {run.plan.name: _again(ctx, run, epochs=epochs) for run in runs}
    evidence, samples, deciding = [], set(), []
    drawn = any("cv2" in record.draws for record in ctx.reseeded.records)  # or its state was only looked at
    names = dict.fromkeys(name for again in found.values() for name in again if drawn or name != "cv2")
    for name in list(names)[:_TRIED]:
        run, pairs = next((run, again[name]) for run, again in found.items() if name in again)
        if follows_state(ctx, name, pairs[-1][1].index):
            deciding.append(name)
            earlier, later = pairs[0]
            samples |= {record.index for _, record in pairs}
            evidence.append(
                f"{_shown(name)}: {run}: {len(pairs)} readings begin in a state in which another began; sample {later.index}, epoch "
                f"{later.epoch}, worker {later.worker}, as sample {earlier.index}, epoch {earlier.epoch}, worker {earlier.worker}"
            )
    if not deciding:
        return None
    which = "an epoch makes the draws of another" if epochs else "workers or samples make the same draws"
    text = (
        f"{which} from {', '.join(map(_shown, deciding))}, and what follows from them comes again, though other noise covers "
        "it. Make a generator for each sample, such as ss.generator(key)"
    )

    def again(without: Run) -> bool:
        return bool({*deciding} & _again(ctx, without, epochs=epochs).keys())

    part = "loader" if ctx.workers and ctx.is_loaders(ctx.parallels()[0], again) else ctx.source
    return Finding("fault", text, evidence, samples, part)


def _shown(name: str) -> str:
    return f"dataset{name}" if name.startswith((".", "[")) else name


def _again(ctx: Context, run: Run, *, epochs: bool) -> dict[str, list[tuple[Record, Record]]]:
    """Return, for each generator, the readings that begin in a state in which an earlier one began, behind that.

    A seed with which a worker begins a stream is such a state, if each record has no seed of its own.
    """
    first: dict[tuple[str, str], Record] = {}
    found: dict[str, list[tuple[Record, Record]]] = defaultdict(list)
    begins = {seed for record in run.records if not record.turn for seed in record.seeds}
    streams = ctx.subject.iterable and not (run is ctx.serial and ctx.workers)
    streams = streams and all(begins.issuperset(record.seeds) for record in run.records)
    for record in sorted(run.records, key=lambda record: (record.epoch, record.turn)) if run.whole else ():
        seeds = record.seeds if streams and not record.turn else ()
        for name, begun in {**record.begun, **{f"{SEED} {seed}": "" for seed in seeds}}.items():
            state_of = (name, begun) if epochs else (f"{name} {record.epoch}", begun)
            earlier = first.setdefault(state_of, record)
            if earlier is not record and (earlier.epoch != record.epoch) == epochs:
                found[name].append((earlier, record))
    return found


def few(ctx: Context, *indices: int) -> list[int]:
    """Return indices and a few more."""
    return [*indices, *ctx.order.indices[ctx.order.repeats :][:_FEW]]


def follows_state(ctx: Context, name: str, *indices: int, order: bool = False) -> bool:
    """Return whether samples, or also their order, follow from a generator's state before they are read, or from a seed; a stream from any seed."""

    def change(unseeded: Replayed, number: int) -> None:
        def other(seed: Any) -> Any:
            chosen = ctx.subject.iterable or name.endswith(f" {seed_name(seed)}")
            return other_seed(seed, number) if chosen else seed

        if not ctx.subject.iterable:
            _samples(ctx, ctx.order.indices[-1:])  # makes what is made on first use
        if name.startswith(f"{SEED} "):
            UsersSeeds(other).__enter__()  # as long as the process lives
        elif number and (generator := state.generators(ctx.subject.dataset).get(name)):
            _move(generator, number)

    return follows(ctx, name, few(ctx, *indices), change, order=order)


def follows_earlier(ctx: Context) -> bool:
    """Return whether a few samples follow from what was drawn when they were read in an earlier epoch."""

    def change(unseeded: Replayed, number: int) -> None:
        _move_all(ctx, unseeded, number + 1)
        tell(ctx.subject.dataset, number + 2)
        _samples(ctx, few(ctx))
        _move_all(ctx, unseeded, 0)
        tell(ctx.subject.dataset, 1)

    return follows(ctx, "what was drawn earlier", few(ctx), change)


def follows_readings(ctx: Context, indices: Sequence[int]) -> bool:
    """Return whether samples follow from how often they were read, while all generators are in one state."""

    def change(unseeded: Replayed, number: int) -> None:
        _samples(ctx, [*ctx.order.indices[-1:], *list(indices) * number])
        _move_all(ctx, unseeded, 0)

    return follows(ctx, "earlier readings", indices, change)


def _move_all(ctx: Context, unseeded: Replayed, number: int) -> None:
    for generator in (unseeded, *state.generators(ctx.subject.dataset).values()):
        _move(generator, number)


def _move(generator: state.Stateful, number: int) -> None:
    with suppress(Exception):  # a user's generator may raise anything
        generator.set(next(islice(generator.others(), number, None)))


def _samples(ctx: Context, indices: Iterable[int]) -> list[Any]:
    found = []
    for index in indices:
        with suppress(Exception):  # another question lists them
            found.append(ctx.subject.dataset[index])
    return found


def follows(ctx: Context, name: str, indices: Iterable[int], change: _Change, *, order: bool = False) -> bool:
    """Return whether a part of these samples, or also the order of a stream, changes with something, all else being equal."""
    before, first = _read(ctx, name, indices, change, 0, 1)
    more = (_read(ctx, name, indices, change, number)[0] for number in range(2, 1 + _STATES))
    again: list[_Digests] = []
    for other in chain([first], more):
        if other == before:
            continue
        again = again or _read(ctx, name, indices, change, 0)
        if again[0] != before and len(again) == 1:  # the clock's or the system's numbers may agree by chance
            again += _read(ctx, name, indices, change, *[0] * _CHANCES)
        steady = {path for path in before if all(one.get(path) == before[path] for one in again)}
        changed = {path for path in steady if other.get(path) != before[path]}
        if changed and (order or not ctx.subject.iterable):
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

    (noisy,) = _read(ctx, "other noise", (), noise, 1)
    first, second, third = (_columns(digests, digests) for digests in (before, other, noisy))
    return _ends(ctx) and any(
        len(found) == len(second.get(path, ())) and found == third.get(path) != second[path]
        for path, found in first.items()
    )


def _ends(ctx: Context) -> bool:
    """Return whether a stream ends within the samples of this audit."""
    return len(ctx.serial.epoch(0)) < len(ctx.order.indices)


def _read(ctx: Context, name: str, indices: Iterable[int], change: _Change, *numbers: int) -> list[_Digests]:
    """Read these samples, or the first records, after changes of these numbers, 0 for none, each in a process of its own."""

    def work(number: int, say: Callable[[str], None]) -> Iterator[_Digests]:
        dataset = ctx.subject.dataset
        with Replayed(1) as unseeded:
            change(unseeded, number)
            if ctx.subject.iterable:
                found = list(islice(iter(dataset), len(ctx.order.indices) if _ends(ctx) else _ITEMS))
            else:
                found = _samples(ctx, indices)
        yield digests_of(found)

    outcomes = ctx.call(f"{name} changed", *(partial(work, number) for number in numbers))
    return [one.items[0] if one.items else {} for one in outcomes]


def shared_seeds(ctx: Context, runs: Iterable[Run]) -> Finding | None:
    """Look for a seed that several samples get in one run: all of them, or, from a clock, those that the next run does not give it."""
    known = {seed for record in ctx.serial_again.records for seed in record.seeds}
    evidence, samples = [], set()
    for run in runs:
        readers, everybody = _readers(run.records)
        for seed, found in readers.items():
            indices = {index for _, index in found}
            shared = found == everybody and follows_state(ctx, f"{SEED} {seed}")
            if len(indices) > 1 and (shared or (ctx.unsteady and seed not in known)):
                samples |= indices
                # A constant one leads to its own line, and others to where they come from.
                names = [f"{SEED} {seed}", run.plan.name][:: 1 if shared else -1]
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

        def change(unseeded: Replayed, number: int, thing: Any = location.thing) -> None:
            thing.epoch += number

        if follows(ctx, "the epoch", [index], change) and (
            persistent or not any(map(_sets_an_epoch, _files_about(type(location.thing))))
        ):
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
    for name, module in state.users_modules().items():
        if (
            module is home
            or name == "__main__"
            or any(value is kind or value is home for value in list(vars(module).values()))
        ):
            yield module.__file__ or ""


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
