"""Does reading change what the dataset stores?"""

from __future__ import annotations

from collections import Counter, defaultdict

from seedsafe_audit.questions.context import Context, Finding, differences, number_list
from seedsafe_audit.questions.states import few, follows_readings, follows_state
from seedsafe_audit.report import AtFault
from seedsafe_audit.runs import Run

__all__ = ["changes_in_place", "in_words", "lasting_changes", "lost_state"]


def changes_in_place(ctx: Context) -> Finding:
    """Watch the arrays that the dataset keeps, and compare the first reading of a sample with the second."""
    ctx.need(ctx.serial, ctx.watched)
    found: dict[str, tuple[int, str]] = {}
    for record in ctx.watched.records:
        for change in record.changes or ():
            if change.kind == "in place":
                found.setdefault(change.path, (record.index, change.shown.partition(" → ")[0]))
    evidence = [
        f"reading sample {index} changed dataset{path}, {shown}" for path, (index, shown) in found.items()
    ]
    samples = [index for index, _ in found.values()]
    every = ctx.order.indices[ctx.order.repeats :]
    if found and not (ctx.random if ctx.subject.iterable else follows_readings(ctx, every)):
        text = (
            "it changes arrays that it keeps but gives the same samples again, so they seem to be a working buffer. Make that "
            "a local variable"
        )
        return Finding("warning", text, evidence[:8], samples, "dataset")
    text = (
        "reading changes the samples that it keeps, so they are augmented again and again, until they saturate (only a "
        "buffer that is filled again each time would be harmless). Copy a sample before you change it"
    )
    if not found:
        samples = few(ctx) if _follows_readings_alone(ctx) else []
        evidence = [f"samples {number_list(samples)}"]
        text = (
            "the first reading of a sample gives the same bytes in every order but the next one in the same process does not: "
            "it is changed in place, or readings are counted. Copy a sample before you change it"
        )
    if not samples:
        return Finding("ok", "reading changes no array that it keeps")
    return Finding("fault", text, evidence[:8], samples, _part(ctx))


def _follows_readings_alone(ctx: Context) -> bool:
    """Return whether samples follow from how often they were read, and not from what was read before."""
    if ctx.subject.iterable or ctx.trouble(ctx.serial, ctx.reverse):
        return False
    by_order = differences(ctx.serial.epoch(0), ctx.reverse.epoch(0), by_index=True)[0]
    return not by_order and follows_readings(ctx, few(ctx))


def lost_state(ctx: Context) -> Finding:
    """Watch the attributes in workers and in the main process."""
    ctx.need(ctx.watched)
    changes = lasting_changes(ctx.watched)
    drawn = [path for path, workers in changes.items() if "drawn from" in workers.values()]
    lasting = {
        path: workers
        for path, workers in changes.items()
        if path not in drawn or follows_state(ctx, path, ctx.watched.records[0].index)
    }
    if not lasting:
        return Finding("ok", "reading changes no attribute, or only once")
    names = sorted({"." + path.lstrip(".").split("[")[0] for path in lasting})
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    text = (
        f"reading changes {', '.join(names[:4])}{more}, but each worker changes its own copy and the main process never sees it. Return such values "
        "with the sample, or compute them beforehand"
    )
    return Finding("warning", text, in_words(lasting)[:8], (), _part(ctx))


def in_words(lasting: dict[str, dict[int, str]]) -> list[str]:
    """Return a line for each change of an attribute."""
    lines = []
    for path, workers in sorted(lasting.items()):
        shown = "; ".join(f"worker {worker}: {text}" for worker, text in sorted(workers.items())[:4])
        lines.append(f"dataset{path}: {shown}")
    return lines


def lasting_changes(run: Run) -> dict[str, dict[int, str]]:
    """Return the changes in each worker, except for values that only its first reading sets (a cache), and the generators that move."""
    lasting: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    readings: Counter[int] = Counter()
    for record in run.records:
        worker = record.worker or 0
        readings[worker] += record.changes is not None
        for change in record.changes or ():
            if change.kind != "in place":
                lasting[change.path][worker].append(change.shown)
    result = {
        path: {worker: texts[-1] for worker, texts in workers.items()}
        for path, workers in lasting.items()
        if any(len(set(texts)) > 1 or len(texts) < readings[worker] for worker, texts in workers.items())
    }
    for record in run.records:
        for path in record.begun:
            if path.startswith((".", "[")):
                result.setdefault(path, {})[record.worker or 0] = "drawn from"
    return result


def _part(ctx: Context) -> AtFault:
    def still(run: Run) -> bool:
        in_place = any(change.kind == "in place" for record in run.records for change in record.changes or ())
        return in_place or bool(lasting_changes(run))

    return ctx.blamed(still, watch=True, reads=ctx.short)
