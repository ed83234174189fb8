"""Are the samples themselves in order?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from seedsafe_audit.questions.context import Context, Finding, NotMeasured
from seedsafe_audit.recording import Record
from seedsafe_audit.report import Verdict
from seedsafe_audit.runs import Run

__all__ = ["length", "missing", "not_finite", "raises"]

_Complain = Callable[[Record], Sequence[str]]
"""Says what is wrong with one reading."""


def _judge(
    ctx: Context, find: Callable[[Run], _Complain], bad: str, good: str, verdict: Verdict = "fault"
) -> Finding:
    """Answer with what is wrong in the readings without workers; it is the transform's if it is gone without it.

    Args:
        ctx: the audit.
        find: returns a function that says what is wrong with the readings of a run.
        bad: the fault and the way out, with braces in between for the number of samples.
        good: the answer without a fault.
        verdict: the verdict if there is one.
    """

    def wrong(run: Run) -> dict[int, Sequence[str]]:
        complain = find(run)
        return {record.index: said for record in run.records if (said := complain(record))}

    found, count = wrong(ctx.serial), len({record.index for record in ctx.serial.records})
    if not found:
        return Finding("ok", f"{good} in {count} samples")
    evidence = [f"sample {index}: {', '.join(found[index][:4])}" for index in sorted(found)[:8]]

    def still(run: Run) -> bool:
        records = [record for record in run.records if record.index in found]
        raised = not records or any(record.failure for record in records)
        return raised or bool(found.keys() & wrong(run).keys())

    text = bad.format(f"in {len(found)} of {count} samples")
    return Finding(verdict, text, evidence, found, ctx.blamed(still))


def raises(ctx: Context) -> Finding:
    """List the errors of the readings."""
    if not ctx.serial.records:
        raise NotMeasured(ctx.serial.trouble or "no sample was read")

    def complain(record: Record) -> Sequence[str]:
        why = record.failure
        return [f"{why}{why.file and f', file {why.file}'} ({why.place})"] if why else ()

    failed = {record.index: record.failure.kind for record in ctx.serial.records if record.failure}
    kinds = ", ".join(f"{kind} ({count})" for kind, count in Counter(failed.values()).items())
    text = f"errors are raised, {kinds}, {{}}. Fix them, or leave them out"
    return _judge(ctx, lambda run: complain, text, "no error was raised")


def missing(ctx: Context) -> Finding:
    """Look for None among the samples and their parts."""
    return _judge(
        ctx,
        lambda run: lambda record: record.content.none if record.content else (),
        "None is returned {}. The default collate function refuses them: leave them out of the index",
        "no None",
    )


def not_finite(ctx: Context) -> Finding:
    """Look for NaN and infinite values."""
    return _judge(
        ctx,
        lambda run: lambda record: record.content.not_finite if record.content else (),
        "values are NaN or infinite {}. Fix the division or the data",
        "all values are finite",
    )


def length(ctx: Context) -> Finding:
    """Read the last samples that the length allows."""
    last = (ctx.subject.length or 0) - 1
    if ctx.serial.trouble:
        raise NotMeasured(ctx.serial.trouble)
    failed = {record.index: record.failure for record in ctx.serial.records if record.failure}
    beyond = [index for index, why in failed.items() if why.kind in ("IndexError", "KeyError")]
    if last in beyond:
        text = f"len() is {last + 1}, but sample {last} raises {failed[last]}. Return the number of samples"
        where = f"the first of the read samples that fails is {min(beyond)}"
        return Finding("fault", text, (where,), (last,), "dataset")
    unread = {0, last} & failed.keys()
    if unread:
        raise NotMeasured(f"sample {min(unread)} could not be read")
    return Finding("ok", f"len() is {last + 1}, and samples 0 and {last} can be read")
