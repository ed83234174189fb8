"""Do workers or epochs repeat each other?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from itertools import product

from seedsafe_audit.questions.context import Context, Finding, NotMeasured, beyond_chance
from seedsafe_audit.questions.once import augmented_once
from seedsafe_audit.questions.states import (
    same_draws,
    seeds_of,
    shared_seeds,
    shifted_seeds,
    unset_epoch,
)
from seedsafe_audit.recording import Record
from seedsafe_audit.report import AtFault
from seedsafe_audit.runs import Run

__all__ = ["duplicates", "epochs"]

_Equal = tuple[list[Record], int]
"""The readings that equal another that they should not, and how many could."""

_STEADY = (
    "every reading of a sample in one epoch gives the same bytes, so nothing is random or it depends only on the index and "
    "the epoch"
)


_ONCE = (
    "readings of a sample are equal within a run and differ between runs, so something comes from the clock or once for each "
    "process. The audit cannot see how many samples share it"
)


def duplicates(ctx: Context) -> Finding:
    """Compare the samples that workers give for the same indices, read in the same order."""
    if ctx.subject.iterable:
        return _common_samples(ctx)
    runs = [run for run in ctx.parallels() if run.whole]
    if not runs or ctx.trouble(ctx.serial):
        raise NotMeasured(ctx.trouble(ctx.serial, *ctx.parallels()))
    if shared := shared_seeds(ctx, [ctx.serial, *runs]):
        return shared
    if not ctx.random and not any(map(ctx.is_random, runs)):
        if ctx.unsteady and len(ctx.unsteady) == len(set(ctx.order.indices)):
            raise NotMeasured(_ONCE)
        return Finding("ok", _STEADY)
    evidence, samples, faulty = [], set(), []
    for run, epoch in product(runs, range(ctx.epochs)):
        records = ctx.repeats(run.epoch(epoch))
        equal, total = _equal_draws(records)
        if beyond_chance(len(equal), total, ctx.collisions):
            faulty.append(run)
            samples |= {record.index for record in equal}
            evidence.append(
                f"{run.plan.name}, epoch {epoch}: {len(equal)} of {total} readings equal worker 0's, the first "
                f"of them sample {equal[0].index}, worker {equal[0].worker}"
            )
    if not faulty:
        ok = Finding("ok", "the workers' readings of the same sample differ")
        return same_draws(ctx, [ctx.serial, *runs], epochs=False) or ok
    text = (
        "worker processes hold copies of the same random state and make the same draws. Make a generator for each sample, "
        "such as ss.generator(key)"
    )
    part = _part(ctx, faulty[0], lambda run: _equal_draws(ctx.repeats(run.epoch(0))))
    return Finding("fault", text, evidence, samples, part)


def epochs(ctx: Context) -> Finding:
    """Compare the second pass of each run with the first."""
    if ctx.epochs < 2:
        raise NotMeasured("needs epochs=2 or more")
    ctx.need(ctx.serial)
    if shifted := shifted_seeds(ctx):
        return shifted
    equal, total = _equal_epochs(ctx, ctx.serial)
    runs = [ctx.serial, *ctx.parallels()]
    rate = 0.02 if ctx.subject.iterable else ctx.collisions
    inside = beyond_chance(len(equal), total, rate)
    usual = rate if inside else max(rate, (len(equal) + 1) / (total + 2))
    evidence, faulty, samples = [], [], set()
    for run in runs if ctx.random else ():
        same, among = _equal_epochs(ctx, run)
        if run.whole and beyond_chance(len(same), among, rate if run is ctx.serial else usual):
            faulty.append(run)
            evidence.append(f"{run.plan.name}: {len(same)} of {among} readings are equal in epochs 0 and 1")
            samples |= {record.index for record in ctx.singles(run.epoch(0))}
    if faulty:
        text = "an epoch repeats the random draws of the one before. Put the epoch into the key or the seed"
        part = _part(ctx, faulty[-1], lambda run: _equal_epochs(ctx, run))
        return Finding("fault", text, evidence, samples, part)
    found = same_draws(ctx, runs, epochs=True) or _late_epoch(ctx) or unset_epoch(ctx)
    seeded = any(record.seeds for record in ctx.serial.records)
    if not found and (len(equal) == total or (ctx.random and not seeded)):
        found = augmented_once(ctx)
    alike = "differ" if len(equal) < total else "are equal"
    text = "the epochs differ in every run" if ctx.random else f"{_STEADY}. The epochs {alike}"
    return found or Finding("ok", text)


def _late_epoch(ctx: Context) -> Finding | None:
    """Look for runs with workers whose epochs are alike, though they differ without workers."""
    late = [run for run in ctx.parallels() if run.whole and run.plan.epochs > 1 and _are_alike(ctx, run)]
    if not late or _are_alike(ctx, ctx.serial):
        return None
    kept = ", which live as long as the loader (persistent_workers=True)" if ctx.subject.persistent else ""
    text = (
        f"the epoch does not arrive in the workers{kept}, so every epoch repeats the first. Keep it in memory that they share, "
        "or take it from the sampler, as seedsafe_torch.loader does"
    )
    lines = [f"{run.plan.name}: epochs 0 and 1 are alike, and differ without workers" for run in late]
    evidence = [*seeds_of(ctx, ctx.order.indices[0]), *lines]
    return Finding("fault", text, evidence, (), "loader" if ctx.subject.persistent else "dataset")


def _are_alike(ctx: Context, run: Run) -> bool:
    """Return whether each sample is the same in epochs 0 and 1, or, under noise, is made from the same seeds."""
    first = {record.position: record for record in ctx.singles(run.epoch(0))}
    pairs = [(first[one.position], one) for one in ctx.singles(run.epoch(1)) if one.position in first]
    return bool(pairs) and all(
        one.seeds == two.seeds if one.seeds else one.digest == two.digest and not ctx.random
        for one, two in pairs
    )


def _equal(
    records: Iterable[Record], is_later: Callable[[Record], bool], place: Callable[[Record], object]
) -> _Equal:
    """Return the later readings that equal an earlier one of the same turn or position, and how many have one."""
    first: dict[object, set[str | None]] = defaultdict(set)
    later = []
    for record in records:
        if is_later(record):
            later.append(record)
        else:
            first[place(record)].add(record.digest)
    later = [record for record in later if place(record) in first]
    return [record for record in later if record.digest in first[place(record)]], len(later)


def _equal_draws(records: list[Record]) -> _Equal:
    """Return the readings that equal the first worker's of the same turn, and how many could, as some of their index differ."""
    digests = defaultdict(set)
    for record in records:
        digests[record.index].add(record.digest)
    first = min((record.worker or 0 for record in records), default=0)
    varied = (record for record in records if len(digests[record.index]) > 1)
    return _equal(
        varied, lambda record: (record.worker or 0) > first, lambda record: (record.turn, record.index)
    )


def _equal_epochs(ctx: Context, run: Run) -> _Equal:
    """Return the readings of epoch 1 that equal their counterpart in epoch 0, and how many have one."""
    if ctx.subject.loader == "keras" and run.plan.workers:  # a pool reads in any order, so turns are compared
        return _equal_passes(ctx.repeats(run.records), lambda record: record.turn)
    streams = ctx.subject.iterable
    return _equal_passes(
        ctx.singles(run.records), lambda record: (streams and record.worker, record.position)
    )


def _equal_passes(records: Iterable[Record], place: Callable[[Record], object]) -> _Equal:
    return _equal((one for one in records if one.epoch < 2), lambda record: record.epoch == 1, place)


def _part(ctx: Context, run: Run, count: Callable[[Run], _Equal]) -> AtFault:
    """Return "loader" if the fault is gone without the loader's worker_init_fn, otherwise the source of the randomness."""

    def still(without: Run) -> bool:
        equal, total = count(without)
        return beyond_chance(len(equal), total, ctx.collisions)

    return "loader" if ctx.is_loaders(run, still) else ctx.source


def _common_samples(ctx: Context) -> Finding:
    """Compare the samples that the workers give from an iterable dataset."""
    evidence, samples = [], set()
    runs = [run for run in ctx.parallels() if run.whole]
    if not runs:
        raise NotMeasured(ctx.trouble(*ctx.parallels()) or "no loader can read this dataset with workers")
    serial = [record.digest for record in ctx.serial.epoch(0)]
    for run in runs:
        records = [record for record in run.epoch(0) if record.digest]
        lengths = Counter(record.worker for record in records)
        workers_of = defaultdict(set)
        for record in records:
            workers_of[record.digest].add(record.worker)
        shared = {digest for digest, workers in workers_of.items() if len(workers) > 1}
        whole = {len(serial)} == {*lengths.values()} and len(serial) < len(ctx.order.indices)
        if len(set(serial)) > 1 and len(shared) > len(workers_of) // 4:
            samples |= {record.index for record in records if record.digest in shared}
            seen = f"{len(shared)} of {len(workers_of)} samples come from more than one worker"
        elif whole and len(lengths) > 1:
            seen = f"each worker gives all {len(serial)} samples, with its own draws"
        else:
            continue
        evidence.append(f"{run.plan.name}: {seen}")
    if evidence:
        text = "every worker iterates over the whole dataset. Split it by torch.utils.data.get_worker_info()"
        return Finding("fault", text, evidence, samples, "dataset")
    ok = Finding("ok", "the workers give different samples")
    return same_draws(ctx, [ctx.serial, *runs], epochs=False) or ok
