"""Does reading change what the dataset stores?"""

from __future__ import annotations

from collections import Counter, defaultdict

from seedsafe_audit.questions.context import Context, Finding, differences, first_by_index, number_list
from seedsafe_audit.report import AtFault
from seedsafe_audit.runs import Plan, Run

__all__ = ["changes_in_place", "lasting_changes", "lost_state"]


def changes_in_place(ctx: Context) -> Finding:
    """Watch the arrays that the dataset keeps, and compare the first reading of a sample with the second."""
    ctx.need(ctx.serial, ctx.watched_run)
    evidence, samples = [], []
    paths: set[str] = set()
    for record in ctx.watched_run.records:
        for change in record.changes:
            if change.kind == "in place" and change.path not in paths:
                paths.add(change.path)
                samples.append(record.index)
                evidence.append(
                    f"reading sample {record.index} changed dataset{change.path}, {change.shown.partition(' → ')[0]}"
                )
    if paths and not ctx.random and not _drifts(ctx):
        text = (
            "it changes arrays that it keeps but gives the same samples again, so they seem to be a working buffer. Make that "
            "a local variable"
        )
        return Finding("warning", text, evidence[:8], samples, "dataset")
    if paths:
        text = (
            "reading changes the samples that it keeps, so they are augmented again and again, until they saturate (only a "
            "buffer that is filled again each time would be harmless). Copy a sample before you change it"
        )
        return Finding("fault", text, evidence[:8], samples, _part(ctx))
    seconds = _second_readings(ctx)
    if seconds:
        text = (
            "the first reading of a sample gives the same bytes in every order but the next one in the same process does not: "
            "it is changed in place, or readings are counted. Copy a sample before you change it"
        )
        return Finding("fault", text, (f"samples {number_list(seconds)}",), seconds, _part(ctx))
    return Finding("ok", "reading changes no array that it keeps")


def _drifts(ctx: Context) -> bool:
    """Return whether a sample that no epoch is told for differs in the second epoch, though most are saturated."""
    if ctx.epochs < 2 or ctx.subject.iterable or ctx.subject.gets_epoch():
        return False
    return bool(differences(ctx.serial.epoch(0), ctx.serial.epoch(1))[0])


def _second_readings(ctx: Context) -> list[int]:
    """Return the repeated indices whose second reading differs although the first depends on the index alone."""
    if ctx.subject.iterable or ctx.trouble(ctx.serial_again, ctx.reverse) or ctx.unsteady or not ctx.random:
        return []
    one, two = first_by_index(ctx.serial.epoch(0)), first_by_index(ctx.reverse.epoch(0))
    if any(one[index] != two.get(index) for index in one):
        return []
    if any(record.draws for record in ctx.reseeded_run.records):
        return []
    readings: dict[int, list[str | None]] = {}
    for record in ctx.repeats(ctx.serial.epoch(0)):
        readings.setdefault(record.index, []).append(record.digest)
    return [index for index, digests in readings.items() if len(set(digests)) > 1]


def lost_state(ctx: Context) -> Finding:
    """Watch the attributes in workers and in the main process."""
    if ctx.workers:
        method, count = ctx.methods[0], ctx.workers[0]
        name, reads = f"{count} workers, {method}, watched", 4 * ctx.order.batch * count
        # in reverse order, the indices without repeats come first
        plan = Plan(name, workers=count, method=method, watch=True, reverse=True, reads=reads)
        run = ctx.runs.get(plan)
    else:
        run = ctx.watched_run
    ctx.need(run)
    lasting = _lasting(run)
    if not lasting:
        return Finding("ok", "reading changes no attribute, or only once")
    evidence = lasting_changes(run)[:8]
    names = attribute_list(lasting)
    text = (
        f"reading changes {names}, but each worker changes its own copy and the main process never sees it. Return such values "
        "with the sample, or compute them beforehand"
    )
    return Finding("warning", text, evidence, (), _part(ctx))


def lasting_changes(run: Run) -> list[str]:
    """Return the lasting changes of attributes, one line for each."""
    lines = []
    for path, workers in sorted(_lasting(run).items()):
        shown = "; ".join(f"worker {worker}: {text}" for worker, text in sorted(workers.items())[:4])
        lines.append(f"dataset{path}: {shown}")
    return lines


def _lasting(run: Run) -> dict[str, dict[int, str]]:
    """Return the changes in each worker, except for values that only its first reading sets (a cache)."""
    lasting: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    readings: Counter[int] = Counter()
    for record in run.records:
        worker = record.worker or 0
        readings[worker] += 1
        for change in record.changes:
            if change.kind != "in place":
                lasting[change.path][worker].append(change.shown)
    drawn = {change.path for record in run.records for change in record.changes if change.kind == "generator"}
    return {
        path: {worker: texts[-1] for worker, texts in workers.items()}
        for path, workers in lasting.items()
        if path in drawn
        or any(len(set(texts)) > 1 or len(texts) < readings[worker] for worker, texts in workers.items())
    }


def attribute_list(paths: dict[str, dict[int, str]]) -> str:
    """Return in words the attributes at the start of the paths."""
    names = sorted({"." + path.lstrip(".").split("[")[0] for path in paths})
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _part(ctx: Context) -> AtFault:
    if not ctx.has_bare:
        return "dataset"
    run = ctx.runs.get(
        Plan(
            "no workers, without the transform, watched", bare=True, watch=True, reads=ctx.order.repeats + 16
        )
    )
    still = any(change.kind == "in place" for record in run.records for change in record.changes)
    return "dataset" if not run.whole or still or _lasting(run) else "transform"
