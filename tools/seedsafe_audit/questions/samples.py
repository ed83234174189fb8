"""Are the samples themselves in order?"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable

import numpy as np

from seedsafe_audit.content import Content
from seedsafe_audit.questions.context import Context, Finding, NotMeasured, number_list
from seedsafe_audit.recording import Record
from seedsafe_audit.report import AtFault

__all__ = ["forms", "missing", "not_finite", "outliers", "raises"]

_FAR = 100.0
_ENTRY = re.compile(r"\[\d+\]$")
_PLAIN = ("int", "float", "bool", "str")


def raises(ctx: Context) -> Finding:
    """List the errors of the readings."""
    if not ctx.serial.records:
        raise NotMeasured(ctx.serial.trouble or "no sample was read")
    failed = {record.index: record for record in ctx.serial.records if record.failure}
    if not failed:
        return Finding("ok", f"{_read(ctx)} samples were read, and none raised an error")
    evidence = []
    for index, record in sorted(failed.items())[:8]:
        failure = record.failure
        assert failure is not None
        file = f", file {failure.file}" if failure.file else ""
        evidence.append(f"sample {index}: {failure}{file} ({failure.place})")
    kinds = Counter(record.failure.kind for record in failed.values() if record.failure)
    errors = ", ".join(f"{kind} ({count})" for kind, count in kinds.items())
    text = f"{len(failed)} of {_read(ctx)} samples raise: {errors}. Fix them, or leave them out"
    part = _part(ctx, failed, lambda record: record.failure is not None)
    return Finding("fault", text, evidence, failed, part)


def missing(ctx: Context) -> Finding:
    """Look for None among the samples and their parts."""
    return _look(
        ctx,
        lambda content: content.none,
        "None is returned",
        "no None",
        "The default collate function refuses them: leave them out of the index",
    )


def not_finite(ctx: Context) -> Finding:
    """Look for NaN and infinite values."""
    return _look(
        ctx,
        lambda content: (
            [f"{path} NaN".strip() for path in content.nan]
            + [f"{path} infinite".strip() for path in content.infinite]
        ),
        "values are NaN or infinite",
        "all values are finite",
        "Fix the division or the data",
    )


def forms(ctx: Context) -> Finding:
    """Compare the samples' types, dtypes and shapes."""
    records = _contents(ctx)
    if not records:
        raise NotMeasured(ctx.trouble(ctx.serial))
    kinds = _groups(records, _kinds)
    shapes = _groups(records, _shapes)
    groups = kinds if len(kinds) > 1 else shapes
    if len(groups) == 1:
        return Finding("ok", f"all samples have the same form: {_form(records[0])}")
    evidence = [
        f"{len(found)} samples, {number_list(r.index for r in found)}: {_form(found[0])}"
        for found in groups[:6]
    ]
    odd = {record.index: record for found in groups[1:] for record in found}
    part = _bare_forms(ctx, by_kind=groups is kinds)
    if groups is kinds:
        text = f"types or dtypes differ between samples, in {len(groups)} forms. Convert them in one place"
        return Finding("fault", text, evidence, odd, part)
    text = (
        f"shapes differ between samples, in {len(groups)} forms, which the default collate function refuses in one batch. Crop "
        "or pad to one size"
    )
    if ctx.subject.loader == "keras":
        return Finding("ok", "only the shapes of the batches differ, as the last one's may", evidence)
    return Finding("warning", text, evidence, odd, part)


def outliers(ctx: Context) -> Finding:
    """Compare the range of each sample's values with the ranges of the rest."""
    records = _contents(ctx)
    if len(records) < 8:
        raise NotMeasured(f"needs 8 samples, but only {len(records)} could be read")
    evidence: list[str] = []
    far: set[int] = set()
    for path, found in _ranges(records).items():
        for index, low, high, usual in _far(found):
            far.add(index)
            evidence.append(
                f"sample {index}{path and ', ' + path}: {low:g} to {high:g}, but others stay within ±{usual:g}"
            )
    if not far:
        return Finding("ok", "no values lie far outside the range of the rest")
    text = (
        "values lie far outside the range of the rest, as after a division by almost zero or an integer overflow. Convert the "
        "type before you compute"
    )
    bare = _ranges(ctx.singles(ctx.bare.records)).values() if ctx.has_bare else ()
    bare_far = {index for found in bare for index, *_ in _far(found)}
    part = _part(ctx, far, lambda record: record.index in bare_far)
    return Finding("fault", text, evidence[:8], far, part)


def _ranges(records: Iterable[Record]) -> dict[str, list[tuple[int, float, float]]]:
    """Return the index and the range of each reading's values, by path."""
    ranges: dict[str, list[tuple[int, float, float]]] = defaultdict(list)
    for record in records:
        assert record.content is not None
        for path, low, high in record.content.ranges:
            ranges[path].append((record.index, low, high))
    return ranges


def _far(found: list[tuple[int, float, float]]) -> list[tuple[int, float, float, float]]:
    if len(found) < 8:
        return []
    sizes = np.array([max(abs(low), abs(high)) for _, low, high in found])
    usual = float(np.quantile(sizes, 0.9, method="lower"))
    lows = np.array([low for _, low, _ in found])
    # A negative value of the usual size, where few samples have one, is an integer that wrapped.
    wrapped = (lows < -usual / 4) if usual and np.mean(lows < 0) <= 0.1 else np.zeros(len(found), bool)
    far = (sizes > _FAR * usual) if usual else np.zeros(len(found), bool)
    return [(*one, usual) for one, is_far in zip(found, far | wrapped, strict=True) if is_far]


def _look(
    ctx: Context, look: Callable[[Content], Iterable[str]], bad: str, good: str, way_out: str
) -> Finding:
    records = _contents(ctx, every=True)
    if not records:
        raise NotMeasured(ctx.trouble(ctx.serial))
    result: dict[int, list[str]] = {}
    for record in records:
        assert record.content is not None
        paths = list(look(record.content))
        if paths:
            result.setdefault(record.index, paths)
    if not result:
        return Finding("ok", f"{good} in {_read(ctx)} samples")
    evidence = [
        f"sample {index}: {', '.join(p or 'the sample itself' for p in result[index][:4])}"
        for index in sorted(result)[:8]
    ]

    def is_bad(record: Record) -> bool:
        return record.content is not None and bool(list(look(record.content)))

    text = f"{bad} in {len(result)} of {_read(ctx)} samples. {way_out}"
    return Finding("fault", text, evidence, result, _part(ctx, result, is_bad))


def _part(ctx: Context, indices: Iterable[int], also: Callable[[Record], bool]) -> AtFault:
    """Return "transform" if no index is bad without it, otherwise "dataset"."""
    if not ctx.has_bare:
        return "dataset"
    chosen = set(indices)
    found = [record for record in ctx.bare.records if record.index in chosen]
    if not found or any(also(record) or record.failure for record in found):
        return "dataset"
    return "transform"


def _bare_forms(ctx: Context, *, by_kind: bool) -> AtFault:
    if not ctx.has_bare:
        return "dataset"
    records = [record for record in ctx.bare.records if record.content]
    groups = _groups(records, _kinds if by_kind else _shapes)
    return "transform" if len(groups) == 1 else "dataset"


def _kinds(content: Content) -> tuple[object, ...]:
    """Return the types and dtypes of a sample's parts, in which a list of numbers or strings is one part of any length."""
    kinds = ((_ENTRY.sub("[]", path) if kind in _PLAIN else path, kind) for path, kind, _ in content.form)
    return tuple(dict.fromkeys(kinds))


def _shapes(content: Content) -> tuple[object, ...]:
    return tuple((path, shape) for path, _, shape in content.form)


def _contents(ctx: Context, *, every: bool = False) -> list[Record]:
    records = [record for record in ctx.serial.records if record.content is not None]
    return records if every else ctx.singles(record for record in records if record.epoch == 0)


def _groups(records: list[Record], key: Callable[[Content], object]) -> list[list[Record]]:
    result: dict[object, list[Record]] = {}
    for record in records:
        assert record.content is not None
        result.setdefault(key(record.content), []).append(record)
    return sorted(result.values(), key=len, reverse=True)


def _form(record: Record) -> str:
    assert record.content is not None
    parts = [
        f"{path + ' ' if path else ''}{kind}{' ' + shape if shape else ''}"
        for path, kind, shape in record.content.form
    ]
    return "; ".join(parts[:6]) + (" …" if len(parts) > 6 else "")


def _read(ctx: Context) -> int:
    return len({record.index for record in ctx.serial.records})
