"""Are the samples themselves in order?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from seedsafe_audit.content import Content, as_array, content, digest, leaves
from seedsafe_audit.questions.context import Context, Finding, NotMeasured
from seedsafe_audit.recording import Record
from seedsafe_audit.report import Verdict
from seedsafe_audit.runs import Run

__all__ = ["forms", "length", "missing", "not_finite", "outside", "raises"]

_ENTRY = re.compile(r"\[\d+\]$")
_PLAIN = ("int", "float", "bool", "str")

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


def forms(ctx: Context) -> Finding:
    """Compare the samples' types, dtypes and shapes."""
    result = _judge(
        ctx,
        lambda run: _unusual(ctx, run, _kinds),
        "types or dtypes differ from those of most samples {}. Convert them in one place",
        "",
    )
    if result.verdict != "ok":
        return result
    result = _judge(
        ctx,
        lambda run: _unusual(ctx, run, lambda content: [(path, shape) for path, _, shape in content.form]),
        "shapes differ from those of most samples {}. The default collate function refuses them in one batch: crop or pad to one size",
        "types, dtypes and shapes are the same",
        "warning",
    )
    if result.verdict != "ok" and ctx.subject.loader == "keras":
        text = "only the shapes of the batches differ, as the last one's may"
        return Finding("ok", text, result.evidence)
    return result


def _unusual(ctx: Context, run: Run, key: Callable[[Content], object]) -> _Complain:
    """Return a function that complains about a sample whose form is not that of most."""
    contents = [record.content for record in ctx.singles(run.epoch(0)) if record.content]
    keys = [repr(key(content)) for content in contents]
    usual = max(keys, key=keys.count, default="")
    most = _form(contents[keys.index(usual)]) if keys else ""

    def complain(record: Record) -> Sequence[str]:
        seen = record.content
        is_usual = seen is None or repr(key(seen)) == usual
        return () if is_usual or seen is None else [f"{_form(seen)}, where most are {most}"]

    return complain


def _kinds(content: Content) -> list[object]:
    """Return the types and dtypes of a sample's parts, in which a list of numbers or strings is one part of any length."""
    kinds = ((_ENTRY.sub("[]", path) if kind in _PLAIN else path, kind) for path, kind, _ in content.form)
    return list(dict.fromkeys(kinds))


def _form(content: Content) -> str:
    parts = [" ".join(filter(None, part)) for part in content.form]
    return "; ".join(parts[:6]) + (" …" if len(parts) > 6 else "")


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


def outside(ctx: Context) -> Finding:
    """Read indices outside the dataset, and compare the results with the samples at its ends."""
    count = ctx.subject.length or 0
    tried = [count - 1, -1, 0, count, count + 1, -count - 1]

    def work(say: Callable[[str], None]) -> Iterator[tuple[str, str, str]]:
        for index in tried:
            say(f"reading index {index}")
            try:
                sample = ctx.subject.dataset[index]
            except Exception as error:  # noqa: BLE001  # that is the answer
                yield type(error).__name__, "", ""
                continue
            shapes = [shape for _, _, shape in content(sample).form if shape]
            is_empty = shapes and all(shape.split("×")[0] == "0" for shape in shapes)
            yield "an empty batch" if is_empty else "", digest(sample), _arrays(sample)

    outcome = ctx.call("indices outside", work)
    if outcome.error or len(outcome.items) < len(tried):
        raise NotMeasured(outcome.error or "an index outside the dataset made it hang")
    (*_, last), (*_, minus), (_, first, _), *beyond = outcome.items
    evidence, bad = [], []
    steady = not ctx.trouble(ctx.serial) and not ctx.random
    if steady and minus and last and minus != last:
        bad.append(f"-1 does not give the sample {count - 1}")
    for index, (raised, found, _) in zip(tried[3:], beyond, strict=True):
        if raised:
            evidence.append(f"{index}: {raised}")
        else:
            bad.append(
                f"{index} gives {'the bytes of sample 0' if steady and found == first else 'a sample'}"
            )
    if bad:
        text = (
            "indices outside the dataset give samples, so a wrong sampler stays unnoticed and `for x in dataset` never ends. "
            "Raise IndexError"
        )
        return Finding("warning", text, (*bad, *evidence), (), "dataset")
    return Finding("ok", "indices outside the dataset raise", evidence)


def _arrays(sample: Any) -> str:
    """Return the digest of a sample's arrays, without its labels, which may be the index, or an empty string."""
    arrays = [array for _, leaf in leaves(sample) if (array := as_array(leaf)) is not None and array.ndim]
    return digest(arrays) if arrays else ""
