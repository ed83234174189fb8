"""Is the dataset, transform or loader at fault?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from seedsafe_audit.questions.context import Context, Finding, number_list
from seedsafe_audit.questions.dependence import other_batch
from seedsafe_audit.report import Answer

__all__ = ["blame"]


def blame(ctx: Context, answers: Iterable[Answer]) -> Finding:
    """Compare each sample of the dataset with the one from the loader, and collect the parts at fault in other answers."""
    parts = defaultdict(list)
    for answer in answers:
        if answer.verdict in ("fault", "warning") and answer.at_fault:
            parts[answer.at_fault].append(answer.question)
    evidence = [f"{part}: {', '.join(names)}" for part, names in parts.items()]
    found = ctx.subject.transform()
    if found is not None:
        evidence.append(f"the transform: {type(found[0]).__name__}.{', .'.join(found[1])}")
    arrivals, spoilt = 0, []
    if ctx.workers:
        run = ctx.runs.get(other_batch(ctx.workers[0], ctx.methods[0], ctx.order.batch + 1))
        for record in run.records:
            arrivals += record.arrival is not None
            if record.arrival is not None and record.arrival != record.digest:
                spoilt.append(record.index)
        if not arrivals:
            return Finding("not measured", ctx.trouble(run), evidence)
        evidence.append(f"{run.plan.name}: {arrivals - len(spoilt)} of {arrivals} samples arrived unchanged")
    if spoilt:
        text = (
            f"samples {number_list(spoilt)} arrive with bytes other than those the dataset returned, because it writes again to memory "
            "that it returned (a buffer, a cached array). Return a copy"
        )
        return Finding("fault", text, evidence, spoilt, "dataset")
    text = "the loader delivers what the dataset returns" if arrivals else "no loader with workers was tried"
    if parts:
        text += f". The faults and warnings come from the {' and the '.join(parts)}"
    return Finding("ok", text, evidence)
