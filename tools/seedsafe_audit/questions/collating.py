"""Does the collate function repeat its draws?"""

from __future__ import annotations

from dataclasses import replace

from seedsafe_audit.loaders import Batches
from seedsafe_audit.questions.context import Context, Finding, compare
from seedsafe_audit.questions.repeats import duplicates, epochs
from seedsafe_audit.runs import Order
from seedsafe_audit.subject import Subject

__all__ = ["collate"]

_TURNS, _SINGLES, _SIZE = 32, 16, 8
_WAY_OUT = (
    "Draw in __getitem__ from ss.draws(), or let the collate function follow the batch with bridge=True and "
    "seedsafe_torch.loader"
)


def collate(ctx: Context) -> Finding:
    """Ask the questions of a dataset about the batches that it makes of the same samples again and again."""
    if ctx.subject.collate is None:
        return Finding("ok", "there is no collate function but the framework's own")
    ctx.check("workers")
    inside = _inside(ctx)
    texts, evidence = [], list[str]()
    said = {duplicates: "workers make the same draws", epochs: "an epoch repeats the one before"}
    for question, text in said.items():
        found = question(inside)
        if found.verdict == "fault":
            texts.append(text)
            evidence += found.evidence
    if texts:
        text = f"in the collate function {' and '.join(texts)}. {_WAY_OUT}"
        return Finding("fault", text, [*evidence, *map(str, inside.lines)], (), "loader")
    if not inside.random:
        return Finding("ok", "equal samples give equal batches, so the collate function draws nothing")
    bad = f"what the collate function draws depends on the number of workers. {_WAY_OUT}"
    result = compare(
        inside,
        [(inside.serial, inside.parallels()[0])],
        bad,
        "the collate function draws alike for any number of workers",
    )
    return result._replace(samples=(), at_fault=None if result.verdict == "ok" else "loader")


def _inside(ctx: Context) -> Context:
    """Return a context that reads batches of the same samples; a few readings of one batch come first, as of an index."""
    size = min(ctx.subject.batch or _SIZE, _SIZE)
    unread = {record.index for record in ctx.serial.records if record.failure}
    indices = [index for index in dict.fromkeys(ctx.order.indices) if index not in unread][:size]
    user = ctx.subject
    batches = Batches(user.dataset, None if user.iterable else tuple(indices), size, user.collate)
    return replace(
        ctx,
        subject=Subject(batches, "torch", iterable=False, length=_SINGLES, worker_init=user.worker_init),
        order=Order((*[0] * _TURNS, *range(_SINGLES)), _TURNS, 1),
        workers=ctx.workers[:1],
        methods=ctx.methods[:1],
        epochs=2,
        samples=_SINGLES,
        done={},
    )
