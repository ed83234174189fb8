"""Does the dataset's length agree with its indices?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from seedsafe_audit import rng
from seedsafe_audit.content import as_array, digest, leaves
from seedsafe_audit.loaders import tell
from seedsafe_audit.questions.context import Context, Finding, NotMeasured
from seedsafe_audit.recording import Record, Recorder

__all__ = ["length", "outside"]


def length(ctx: Context) -> Finding:
    """Read the last samples that the length allows."""
    count = ctx.subject.length
    if count is None:
        raise NotMeasured("the dataset has no length")
    if ctx.serial.trouble:
        raise NotMeasured(ctx.serial.trouble)
    failed = {
        record.index: record.failure
        for record in ctx.serial.records
        if record.failure and record.failure.kind in ("IndexError", "KeyError")
    }
    if count - 1 in failed:
        first = min(failed)
        text = f"len() is {count}, but sample {count - 1} raises {failed[count - 1]}. Return the number of samples"
        where = f"the first of the read samples that fails is {first}"
        return Finding("fault", text, (where,), (count - 1,), "dataset")
    unread = {0, count - 1} - {record.index for record in ctx.serial.records if not record.failure}
    if unread:
        raise NotMeasured(f"sample {min(unread)} could not be read")
    return Finding("ok", f"len() is {count}, and samples 0 and {count - 1} can be read")


def outside(ctx: Context) -> Finding:
    """Read indices outside the dataset, and compare the results with the samples at its ends."""
    count = ctx.subject.length
    if count is None:
        raise NotMeasured("the dataset has no length")
    tried = [count - 1, -1, 0, count, count + 1, -count - 1]

    def work(folder: str) -> Iterator[Record]:
        rng.seed(1)
        recorder = Recorder(ctx.subject.dataset, tried, folder, carry=True)
        tell(ctx.subject.dataset, 0)
        for position in range(len(tried)):
            record, sample = recorder[position]
            record.arrival = _arrays(sample)
            yield record

    outcome = ctx.runs.call("indices outside", work)
    if outcome.error or len(outcome.items) < len(tried):
        raise NotMeasured(outcome.error or "an index outside the dataset made it hang")
    last, minus, first, *beyond = outcome.items
    evidence, bad = [], []
    steady = not ctx.trouble(ctx.serial) and not ctx.random
    if steady and minus.arrival and last.arrival and minus.arrival != last.arrival:
        bad.append(f"-1 does not give the sample {count - 1}")
    for record in beyond:
        if record.content is None or _empty(record):
            evidence.append(f"{record.index}: {record.failure.kind if record.failure else 'an empty batch'}")
            continue
        same = " the bytes of sample 0" if steady and record.digest == first.digest else " a sample"
        bad.append(f"{record.index} gives{same}")
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


def _empty(record: Record) -> bool:
    shapes = [shape for _, _, shape in record.content.form if shape] if record.content else []
    return bool(shapes) and all(shape.split("×")[0] == "0" for shape in shapes)
