"""Are the samples themselves in order?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from seedsafe_audit import state
from seedsafe_audit.content import Content, as_array, digest, leaves
from seedsafe_audit.loaders import tell
from seedsafe_audit.questions.context import Context, Finding, NotMeasured
from seedsafe_audit.recording import Plan, Record, Recorder
from seedsafe_audit.report import Verdict
from seedsafe_audit.runs import Run

__all__ = ["forms", "length", "missing", "not_finite", "outside", "raises"]

_ENTRY = re.compile(r"\[\d+\]$")
_PLAIN = ("int", "float", "bool", "str")

_Find = Callable[[Run], dict[int, list[str]]]
"""Lists what is wrong with samples of a run, by index."""


def _judge(
    ctx: Context, find: _Find, bad: str, good: str, way_out: str, verdict: Verdict = "fault"
) -> Finding:
    """Answer with what is wrong in the readings without workers; it is the transform's if it is gone without it."""
    found, count = find(ctx.serial), len({record.index for record in ctx.serial.records})
    if not found:
        return Finding("ok", f"{good} in {count} samples")
    evidence = [f"sample {index}: {', '.join(found[index][:4])}" for index in sorted(found)[:8]]

    def still(run: Run) -> bool:
        records = [record for record in run.records if record.index in found]
        raised = not records or any(record.failure for record in records)
        return raised or bool(found.keys() & find(run).keys())

    text = f"{bad} in {len(found)} of {count} samples. {way_out}"
    return Finding(verdict, text, evidence, found, ctx.blamed(still))


def raises(ctx: Context) -> Finding:
    """List the errors of the readings."""
    if not ctx.serial.records:
        raise NotMeasured(ctx.serial.trouble or "no sample was read")

    def find(run: Run) -> dict[int, list[str]]:
        failures = {record.index: record.failure for record in run.records if record.failure}
        return {
            index: [f"{why}{why.file and f', file {why.file}'} ({why.place})"]
            for index, why in failures.items()
        }

    failed = {record.index: record.failure.kind for record in ctx.serial.records if record.failure}
    kinds = ", ".join(f"{kind} ({count})" for kind, count in Counter(failed.values()).items())
    return _judge(
        ctx, find, f"errors are raised, {kinds},", "no error was raised", "Fix them, or leave them out"
    )


def _each(ctx: Context, complaints: Callable[[Content], Iterable[str]]) -> _Find:
    """Return a function that looks at each sample alone."""
    if not any(record.content for record in ctx.serial.records):
        raise NotMeasured(ctx.trouble(ctx.serial))

    def find(run: Run) -> dict[int, list[str]]:
        result: dict[int, list[str]] = {}
        for record in run.records:
            if record.content and (found := [one.strip() for one in complaints(record.content)]):
                result.setdefault(record.index, found)
        return result

    return find


def missing(ctx: Context) -> Finding:
    """Look for None among the samples and their parts."""
    find = _each(ctx, lambda content: (path or "the sample itself" for path in content.none))
    way_out = "The default collate function refuses them: leave them out of the index"
    return _judge(ctx, find, "None is returned", "no None", way_out)


def not_finite(ctx: Context) -> Finding:
    """Look for NaN and infinite values."""
    find = _each(
        ctx,
        lambda content: (
            *(f"{path} NaN" for path in content.nan),
            *(f"{path} infinite" for path in content.infinite),
        ),
    )
    way_out = "Fix the division or the data"
    return _judge(ctx, find, "values are NaN or infinite", "all values are finite", way_out)


def forms(ctx: Context) -> Finding:
    """Compare the samples' types, dtypes and shapes."""
    if not ctx.singles(ctx.serial.epoch(0)):
        raise NotMeasured(ctx.trouble(ctx.serial))
    result = _judge(
        ctx,
        lambda run: _others(ctx, run, _kinds),
        "types or dtypes differ from those of most samples",
        "",
        "Convert them in one place",
    )
    if result.verdict != "ok":
        return result
    result = _judge(
        ctx,
        lambda run: _others(ctx, run, lambda content: [(path, shape) for path, _, shape in content.form]),
        "shapes differ from those of most samples",
        "types, dtypes and shapes are the same",
        "The default collate function refuses them in one batch: crop or pad to one size",
        "warning",
    )
    if result.verdict != "ok" and ctx.subject.loader == "keras":
        text = "only the shapes of the batches differ, as the last one's may"
        return Finding("ok", text, result.evidence)
    return result


def _others(ctx: Context, run: Run, key: Callable[[Content], object]) -> dict[int, list[str]]:
    """Return the forms of the samples that differ from those of most, with one of these."""
    contents = {record.index: record.content for record in ctx.singles(run.epoch(0))}
    keys = {index: repr(key(content)) for index, content in contents.items() if content}
    usual, _ = Counter(keys.values()).most_common(1)[0] if keys else ("", 0)
    most = next((_form(contents[index]) for index, one in keys.items() if one == usual), "")
    return {
        index: [f"{_form(contents[index])}, where most are {most}"]
        for index, one in keys.items()
        if one != usual
    }


def _kinds(content: Content) -> list[object]:
    """Return the types and dtypes of a sample's parts, in which a list of numbers or strings is one part of any length."""
    kinds = ((_ENTRY.sub("[]", path) if kind in _PLAIN else path, kind) for path, kind, _ in content.form)
    return list(dict.fromkeys(kinds))


def _form(content: Content | None) -> str:
    parts = [" ".join(filter(None, part)) for part in (content.form if content else ())]
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

    def work(folder: str) -> Iterator[Record]:
        state.seed(1)
        recorder = Recorder(ctx.subject.dataset, tried, folder, Plan(carry=True))
        tell(ctx.subject.dataset, 0)
        for position in range(len(tried)):
            record, sample = recorder[position]
            record.arrival = _arrays(sample)
            yield record

    outcome = ctx.call("indices outside", work)
    if outcome.error or len(outcome.items) < len(tried):
        raise NotMeasured(outcome.error or "an index outside the dataset made it hang")
    last, minus, first, *beyond = outcome.items
    evidence, bad = [], []
    steady = not ctx.trouble(ctx.serial) and not ctx.random
    if steady and minus.arrival and last.arrival and minus.arrival != last.arrival:
        bad.append(f"-1 does not give the sample {count - 1}")
    for record in beyond:
        shapes = [shape for _, _, shape in record.content.form if shape] if record.content else []
        if record.failure or (shapes and all(shape.split("×")[0] == "0" for shape in shapes)):
            evidence.append(f"{record.index}: {record.failure.kind if record.failure else 'an empty batch'}")
        else:
            same = steady and record.digest == first.digest
            bad.append(f"{record.index} gives {'the bytes of sample 0' if same else 'a sample'}")
    if bad:
        text = (
            "indices outside the dataset give samples, so a wrong sampler stays unnoticed and `for x in dataset` never ends. "
            "Raise IndexError"
        )
        return Finding("warning", text, (*bad, *evidence), (), "dataset")
    return Finding("ok", "indices outside the dataset raise", evidence)


def _arrays(sample: Any) -> str | None:
    """Return the digest of a sample's arrays, without its labels, which may be the index."""
    arrays = [array for _, leaf in leaves(sample) if (array := as_array(leaf)) is not None and array.ndim]
    return digest(arrays) if arrays else None
