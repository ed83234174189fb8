"""What do samples depend on besides the index?"""

from __future__ import annotations

from collections import defaultdict

from seedsafe_audit import rng
from seedsafe_audit.questions.context import (
    Context,
    Finding,
    NotMeasured,
    differences,
    first_by_index,
    number_list,
)
from seedsafe_audit.questions.storage import lasting_changes
from seedsafe_audit.recording import Record
from seedsafe_audit.report import AtFault
from seedsafe_audit.runs import Plan, Run

__all__ = ["batch_size", "global_draws", "global_state", "order", "reproducible", "threads", "workers"]

_SHORT = 48


def reproducible(ctx: Context) -> Finding:
    """Compare a run with a second run with the same seeds."""
    pairs = [(ctx.serial, ctx.serial_again)]
    if ctx.workers:
        method, count = ctx.methods[0], ctx.workers[0]
        again = Plan(f"{count} workers, {method}, again", workers=count, method=method)
        pairs.append((ctx.parallel(count, method), ctx.runs.get(again)))
    ctx.need(*pairs[0])
    text = (
        "two runs with the same seeds differ{some}, because it draws from a generator without a seed or from the clock. "
        "Use one seed, and a key per sample"
    )
    if not ctx.unsteady:
        text = (
            "two runs with workers differ{some} although two without them agree, because chance decides which worker reads "
            "a sample. Use a key per sample"
        )
    result = _compare(
        ctx,
        [pair for pair in pairs if not ctx.trouble(*pair)],
        text.format(some=""),
        "two runs with the same seeds are equal",
    )
    return result if ctx.subject.iterable else _with_more_keys(ctx, result, text)


def _with_more_keys(ctx: Context, found: Finding, text: str) -> Finding:
    """Add the evidence from keys that no other run reads, and the chance that they show a rare draw."""
    one, two = ctx.more_keys()
    if ctx.trouble(one, two):
        return found
    pairs = list(zip(one.records, two.records, strict=False))
    other = {a.index: (a.epoch, a.index) for a, b in pairs if a.digest != b.digest}
    looks = 2 * (len(pairs) + len(ctx.serial.epoch(0)))
    chances = " and ".join(f"one in {rare:,} with {1 - (1 - 1 / rare) ** looks:.1%}" for rare in (200, 1000))
    seen = (
        f"{len(other)} of {len(pairs):,} more readings differ" if other else f"{len(pairs):,} more are equal"
    )
    evidence = [*found.evidence, f"no workers, other epochs and indices: {seen}"]
    if found.verdict == "ok" and not other:
        return found._replace(
            summary=f"{found.summary}. A draw from elsewhere in one reading out of N would have been found: {chances}",
            evidence=evidence,
        )
    if found.verdict == "ok":
        text = text.format(some=" in some readings")
        return Finding("warning", text, evidence, other, ctx.source)
    return found._replace(evidence=evidence, samples={*found.samples, *other})


def workers(ctx: Context) -> Finding:
    """Compare the runs that have workers with the one that has none."""
    if ctx.subject.iterable:
        raise NotMeasured("an iterable dataset has no indices by which its workers could be compared")
    runs = [run for run in ctx.parallels() if not ctx.trouble(run)]
    if (why := ctx.trouble(ctx.serial, ctx.serial_again)) or not runs:
        raise NotMeasured(why or ctx.trouble(*ctx.parallels()) or "needs workers")
    ctx.need_steady()
    return _compare(
        ctx,
        [(ctx.serial, run) for run in runs],
        "with the same seed, another number of workers or another start method gives different bytes. Use a key per sample",
        "every number of workers and every start method gives the same bytes",
    )


def order(ctx: Context) -> Finding:
    """Compare the readings of two orders by index."""
    if ctx.subject.iterable:
        raise NotMeasured("an iterable dataset sets its own order")
    ctx.need(ctx.serial, ctx.serial_again, ctx.reverse)
    ctx.need_steady()
    repeated = set(ctx.order.indices[: ctx.order.repeats])
    one = {r.index: r.digest for r in ctx.singles(ctx.serial.epoch(0)) if r.index not in repeated}
    two = {r.index: r.digest for r in ctx.reverse.epoch(0) if r.index not in repeated}
    if not one:
        one, two = first_by_index(ctx.serial.epoch(0)), first_by_index(ctx.reverse.epoch(0))
    other = sorted(index for index in one if one[index] != two.get(index))
    if not other:
        return Finding("ok", "every sample has the same bytes in reverse order")
    seen = f"no workers: {len(other)} of {len(one)} samples differ in reverse order: {number_list(other)}"
    evidence = [seen, *(f"reading changes {change}" for change in lasting_changes(ctx.watched_run)[:4])]
    text = "a sample's bytes depend on the samples read before it. Use a key per sample"
    return Finding("warning", text, evidence, other, ctx.source)


def batch_size(ctx: Context) -> Finding:
    """Compare runs with another batch size."""
    if ctx.subject.loader == "keras":
        raise NotMeasured("a Keras Sequence makes its own batches")
    if ctx.subject.iterable or not ctx.workers:
        raise NotMeasured("needs a map-style dataset and workers")
    method, count = ctx.methods[0], ctx.workers[0]
    size = ctx.order.batch + 1
    run, other = ctx.parallel(count, method), ctx.runs.get(other_batch(count, method, size))
    ctx.need(ctx.serial, ctx.serial_again, run, other)
    ctx.need_steady()
    return _compare(
        ctx,
        [(run, other)],
        f"batches of {size} instead of {ctx.order.batch} give different bytes. Use a key per sample",
        f"batches of {size} and of {ctx.order.batch} give the same bytes",
    )


def other_batch(workers: int, method: str, size: int) -> Plan:
    """Return a plan with another batch size. Its samples are also compared on arrival."""
    name = f"{workers} workers, {method}, batches of {size}"
    return Plan(name, workers=workers, method=method, batch=size, carry=True)


def global_state(ctx: Context) -> Finding:
    """Change the seed of one process-wide generator at a time, and compare."""
    ctx.need(ctx.serial, ctx.serial_again)
    ctx.need_steady()
    samples: set[int] = set()
    evidence = []
    for name in rng.loaded():
        run = ctx.runs.get(Plan(f"no workers, other {name}", other=name, reads=ctx.order.repeats + _SHORT))
        other, _ = differences(ctx.serial.epoch(0), run.epoch(0))
        if other:
            samples |= set(other)
            evidence.append(
                f"with another seed for {name}, {len(other)} samples differ: {number_list(other)}"
            )
    if not samples:
        return Finding("ok", "other seeds of the process-wide generators change no byte")
    text = (
        "samples are drawn from generators that the whole process shares. Draw from ss.generator(key) instead"
    )
    return Finding("warning", text, evidence, samples, ctx.source)


def global_draws(ctx: Context) -> Finding:
    """Look at the process-wide generators before and after each reading."""
    run = ctx.reseeded_run
    ctx.need(run)
    by_name = {name: [r for r in run.records if name in r.draws] for name in rng.loaded()}
    by_name = {name: records for name, records in by_name.items() if records}
    if not by_name:
        return Finding("ok", "no reading changes the process-wide generators")
    evidence = [
        f"{name}: changed by {len(found)} of {len(run.records)} readings" for name, found in by_name.items()
    ]
    seeded = [name for name, found in by_name.items() if _ends(found, name)]
    constant = [name for name in seeded if len({r.after[name] for r in by_name[name]}) == 1]
    samples = {record.index for found in by_name.values() for record in found}
    way_out = "Draw from ss.generator(key) instead"
    if constant and not (
        not ctx.trouble(ctx.serial, ctx.serial_again) and ctx.unsteady
    ):  # otherwise the clock seeds it
        text = f"each reading leaves {' and '.join(constant)} in one state, seeded with a constant per sample. {way_out}"
        return Finding("fault", text, evidence, samples, _seeding(ctx))
    if seeded:
        text = f"each reading seeds {' and '.join(seeded)}, so dropout and shuffling in this process get that seed too. {way_out}"
        return Finding("warning", text, evidence, samples, _seeding(ctx))
    text = f"reading draws from generators that other code of the process uses too. {way_out}"
    return Finding("warning", text, evidence, samples, ctx.source)


def _ends(records: list[Record], name: str) -> bool:
    """Return whether all readings of a sample leave a generator in the same state."""
    states: dict[int, list[str]] = defaultdict(list)
    for record in records:
        states[record.index].append(record.after[name])
    repeated = [group for group in states.values() if len(group) > 1]
    return bool(repeated) and len(states) > 1 and all(len(set(group)) == 1 for group in repeated)


def threads(ctx: Context) -> Finding:
    """Read with four threads at once, and compare with reading alone."""
    if ctx.subject.iterable:
        raise NotMeasured("threads cannot share an iterator")
    ctx.need(ctx.serial, ctx.serial_again, ctx.reverse)
    if ctx.random or ctx.unsteady or order(ctx).verdict == "warning":
        raise NotMeasured(
            "even in one thread, a sample's bytes depend on the samples read before it, or on chance"
        )
    runs = [ctx.runs.get(Plan(f"4 threads, {turn} time", threads=4)) for turn in ("first", "second")]
    raised = [record for run in runs for record in run.records if record.failure]
    alone = {record.index for record in ctx.serial.records if record.failure}
    new = [record for record in raised if record.index not in alone]
    if new:
        evidence = [f"sample {record.index}: {record.failure}" for record in new[:5]]
        text = "it raises errors when several threads read at once. Use local variables, and one file handle per thread"
        return Finding("fault", text, evidence, [r.index for r in new], "dataset")
    ctx.need(*runs)
    return _compare(
        ctx,
        [(ctx.serial, run) for run in runs],
        "several threads at once do not give the bytes of one, because it keeps its working state outside the call. Use local "
        "variables, and one file handle per thread",
        "four threads give the same bytes as one",
        verdict="fault",
    )


def _seeding(ctx: Context) -> AtFault:
    if not ctx.has_bare:
        return "dataset"
    bare = ctx.runs.get(
        Plan("no workers, without the transform, generators reseeded", bare=True, reseed=True, reads=8)
    )
    return "dataset" if any(record.draws for record in bare.records) else "transform"


def _compare(
    ctx: Context, pairs: list[tuple[Run, Run]], bad: str, good: str, verdict: str = "warning"
) -> Finding:
    evidence, samples = [], set()
    for one, two in pairs:
        other, total = differences(one.epoch(0), two.epoch(0))
        if other:
            samples |= set(other)
            evidence.append(
                f"{one.plan.name} and {two.plan.name}: {len(other)} samples differ: {number_list(other)}"
            )
        else:
            evidence.append(f"{one.plan.name} and {two.plan.name}: {total} readings are equal")
    if not samples:
        return Finding("ok", good, evidence)
    return Finding(verdict, bad, evidence, samples, ctx.source)  # type: ignore[arg-type]
