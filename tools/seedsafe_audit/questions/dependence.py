"""What do the bytes of a sample depend on, besides its index?"""

from __future__ import annotations

from collections import defaultdict

from seedsafe_audit import rng
from seedsafe_audit.questions.context import Context, differing, first_by_index, listed, some
from seedsafe_audit.recording import Record
from seedsafe_audit.report import Answer, AtFault
from seedsafe_audit.runs import Plan, Run

__all__ = ["batch_size", "global_draws", "global_state", "order", "reproducible", "threads", "workers"]

_SHORT = 48


def reproducible(ctx: Context, question: str, title: str) -> Answer:
    """Compare a run with itself, done again with the same seeds."""
    pairs = [(ctx.serial, ctx.again)]
    if ctx.workers:
        method, count = ctx.methods[0], ctx.workers[0]
        again = Plan(f"{count} workers, {method}, again", workers=count, method=method)
        pairs.append((ctx.parallel(count, method), ctx.runs.get(again)))
    if why := ctx.trouble(*pairs[0]):
        return ctx.not_measured(question, title, why)
    text = "two runs with the same seeds differ: it draws from a generator without a seed, or from the clock"
    if not ctx.unsteady:
        text = (
            "two runs with workers differ, although two without agree: chance decides which worker reads what"
        )
    return _compared(
        ctx,
        question,
        title,
        [pair for pair in pairs if not ctx.trouble(*pair)],
        text,
        "two runs with the same seeds are equal",
    )


def workers(ctx: Context, question: str, title: str) -> Answer:
    """Compare the runs with workers with the one without."""
    if ctx.subject.iterable:
        return ctx.not_measured(
            question,
            title,
            "an iterable dataset has no indices by which to compare what different workers give",
        )
    runs = [run for run in ctx.parallels() if not ctx.trouble(run)]
    if (why := ctx.trouble(ctx.serial, ctx.again)) or not runs:
        return ctx.not_measured(
            question, title, why or ctx.trouble(*ctx.parallels()) or "no runs with workers"
        )
    if ctx.unsteady:
        return _unsteady(ctx, question, title)
    return _compared(
        ctx,
        question,
        title,
        [(ctx.serial, run) for run in runs],
        "with one seed, another number of workers (or start method) gives other bytes",
        "any number of workers and start method gives the same bytes",
    )


def order(ctx: Context, question: str, title: str) -> Answer:
    """Compare the readings of two orders by index."""
    if ctx.subject.iterable:
        return ctx.not_measured(question, title, "an iterable dataset sets its own order")
    if why := ctx.trouble(ctx.serial, ctx.again, ctx.reverse):
        return ctx.not_measured(question, title, why)
    if ctx.unsteady:
        return _unsteady(ctx, question, title)
    repeated = set(ctx.order.indices[: ctx.order.repeats])
    one = {r.index: r.digest for r in ctx.singles(ctx.serial.epoch(0)) if r.index not in repeated}
    two = {r.index: r.digest for r in ctx.reverse.epoch(0) if r.index not in repeated}
    if not one:
        one, two = first_by_index(ctx.serial.epoch(0)), first_by_index(ctx.reverse.epoch(0))
    other = sorted(index for index in one if one[index] != two.get(index))
    if not other:
        return Answer(question, title, "ok", "read in reverse order, every sample has the same bytes")
    return Answer(
        question,
        title,
        "warning",
        "a sample's bytes depend on what was read before it",
        (f"no workers: {len(other)} of {len(one)} samples differ in reverse order: {listed(other)}",),
        some(other),
        ctx.source,
    )


def batch_size(ctx: Context, question: str, title: str) -> Answer:
    """Compare runs with another batch size."""
    if ctx.subject.loader == "keras":
        return ctx.not_measured(question, title, "a Keras Sequence makes its batches itself")
    if ctx.subject.iterable or not ctx.workers:
        return ctx.not_measured(question, title, "needs a map-style dataset and workers")
    method, count = ctx.methods[0], ctx.workers[0]
    size = ctx.order.batch + 1
    run, other = ctx.parallel(count, method), ctx.runs.get(other_batch(count, method, size))
    if why := ctx.trouble(ctx.serial, ctx.again, run, other):
        return ctx.not_measured(question, title, why)
    if ctx.unsteady:
        return _unsteady(ctx, question, title)
    return _compared(
        ctx,
        question,
        title,
        [(run, other)],
        f"batches of {size} instead of {ctx.order.batch} give other bytes",
        f"batches of {size} and of {ctx.order.batch} give the same bytes",
    )


def other_batch(workers: int, method: str, size: int) -> Plan:
    """Return the plan with another batch size, whose samples are compared again where they arrive."""
    return Plan(
        f"{workers} workers, {method}, batches of {size}",
        workers=workers,
        method=method,
        batch=size,
        carry=True,
    )


def global_state(ctx: Context, question: str, title: str) -> Answer:
    """Seed one of the process-wide generators otherwise, and compare."""
    if why := ctx.trouble(ctx.serial, ctx.again):
        return ctx.not_measured(question, title, why)
    if ctx.unsteady:
        return _unsteady(ctx, question, title)
    found, evidence = set(), []
    for name in rng.loaded():
        run = ctx.runs.get(Plan(f"no workers, other {name}", other=name, reads=ctx.order.repeats + _SHORT))
        other, _ = differing(ctx.serial.epoch(0), run.epoch(0))
        if other:
            found |= set(other)
            evidence.append(f"with another seed for {name}, {len(other)} samples differ: {listed(other)}")
    if not found:
        return Answer(question, title, "ok", "other seeds of the process-wide generators change no byte")
    text = "samples are drawn from generators that the whole process shares"
    return Answer(question, title, "warning", text, tuple(evidence), some(found), ctx.source)


def global_draws(ctx: Context, question: str, title: str) -> Answer:
    """Look at the process-wide generators before and after each reading."""
    run = ctx.moved
    if why := ctx.trouble(run):
        return ctx.not_measured(question, title, why)
    drew = {name: [r for r in run.records if name in r.drew] for name in rng.loaded()}
    drew = {name: records for name, records in drew.items() if records}
    if not drew:
        return Answer(question, title, "ok", "reading leaves the process-wide generators as they were")
    evidence = [
        f"{name}: changed by {len(found)} of {len(run.records)} readings" for name, found in drew.items()
    ]
    seeded = [name for name, found in drew.items() if _ends(found, name)]
    constant = [name for name in seeded if len({r.after[name] for r in drew[name]}) == 1]
    samples = some(record.index for found in drew.values() for record in found)
    if constant:
        text = f"each reading leaves {' and '.join(constant)} in the same state: it is seeded with a constant per sample"
        return Answer(question, title, "fault", text, tuple(evidence), samples, _seeding(ctx))
    if seeded:
        text = f"each reading seeds {' and '.join(seeded)} anew: dropout and shuffling in this process get that seed too"
        return Answer(question, title, "warning", text, tuple(evidence), samples, _seeding(ctx))
    text = "reading draws from generators that other code of the process uses too"
    return Answer(question, title, "warning", text, tuple(evidence), samples, ctx.source)


def _ends(records: list[Record], name: str) -> bool:
    """Return whether readings of one sample leave one state, whatever it was before."""
    states: dict[int, list[str]] = defaultdict(list)
    for record in records:
        states[record.index].append(record.after[name])
    again = [found for found in states.values() if len(found) > 1]
    return bool(again) and len(states) > 1 and all(len(set(found)) == 1 for found in again)


def threads(ctx: Context, question: str, title: str) -> Answer:
    """Read with four threads at once, and compare with reading alone."""
    if ctx.subject.iterable:
        return ctx.not_measured(question, title, "an iterator cannot be shared by threads")
    if why := ctx.trouble(ctx.serial, ctx.again, ctx.reverse):
        return ctx.not_measured(question, title, why)
    if ctx.random or ctx.unsteady or order(ctx, "", "").verdict == "warning":
        why = "alone, too, a sample's bytes depend on what was read before, so threads, which read in any order, change them"
        return ctx.not_measured(question, title, why)
    runs = [ctx.runs.get(Plan(f"4 threads, {turn} time", threads=4)) for turn in ("first", "second")]
    raised = [record for run in runs for record in run.records if record.failure]
    alone = {record.index for record in ctx.serial.records if record.failure}
    new = [record for record in raised if record.index not in alone]
    if new:
        evidence = tuple(f"sample {record.index}: {record.failure}" for record in new[:5])
        text = "it raises when several threads read"
        return Answer(question, title, "fault", text, evidence, some(r.index for r in new), "dataset")
    if why := ctx.trouble(*runs):
        return ctx.not_measured(question, title, why)
    found = _compared(
        ctx,
        question,
        title,
        [(ctx.serial, run) for run in runs],
        "several threads at once give other bytes than one: it keeps what it works on outside the call",
        "four threads give the same bytes as one",
        verdict="fault",
    )
    return found


def _seeding(ctx: Context) -> AtFault:
    if ctx.subject.transform() is None or not ctx.bare.whole:
        return "dataset"
    bare = ctx.runs.get(
        Plan("no workers, without the transform, generators moved", bare=True, moved=True, reads=8)
    )
    return "dataset" if any(record.drew for record in bare.records) else "transform"


def _unsteady(ctx: Context, question: str, title: str) -> Answer:
    text = "two runs of the same kind with the same seeds already differ (see reproducible)"
    evidence = (
        f"no workers: {len(ctx.unsteady)} samples differ between two equal runs: {listed(ctx.unsteady)}",
    )
    return Answer(question, title, "not measured", text, evidence, some(ctx.unsteady))


def _compared(
    ctx: Context,
    question: str,
    title: str,
    pairs: list[tuple[Run, Run]],
    bad: str,
    good: str,
    verdict: str = "warning",
) -> Answer:
    evidence, samples = [], set()
    for one, two in pairs:
        other, total = differing(one.epoch(0), two.epoch(0))
        if other:
            samples |= set(other)
            evidence.append(
                f"{one.plan.name} and {two.plan.name}: {len(other)} samples differ: {listed(other)}"
            )
        else:
            evidence.append(f"{one.plan.name} and {two.plan.name}: {total} readings are equal")
    if not samples:
        return Answer(question, title, "ok", good, tuple(evidence))
    return Answer(question, title, verdict, bad, tuple(evidence), some(samples), ctx.source)  # type: ignore[arg-type]
