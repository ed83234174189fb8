"""The questions of an audit, in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from seedsafe_audit.questions import collating, dependence, processes, repeats, samples, storage
from seedsafe_audit.questions.context import Context, Finding, NotMeasured, number_list
from seedsafe_audit.report import Answer

__all__ = ["QUESTIONS", "Context", "ask"]


@dataclass(frozen=True, slots=True)
class _Question:
    title: str
    ask: Callable[[Context], Finding] | None
    needs: str = ""
    """What it cannot be answered without, as in `Context.check`."""


QUESTIONS = {
    "ends": _Question("Does every run come to its end?", processes.ends),
    "duplicates": _Question("Do workers repeat each other?", repeats.duplicates, "readable"),
    "epochs": _Question("Do epochs repeat?", repeats.epochs, "readable"),
    "collate": _Question("Does the collate function repeat its draws?", collating.collate),
    "reproducible": _Question("Do two runs with the same seeds differ?", dependence.reproducible),
    "workers": _Question("Does it depend on the number of workers?", dependence.workers, "workers steady"),
    "order": _Question("Does it depend on the order?", dependence.order, "indices steady"),
    "batch-size": _Question(
        "Does it depend on the batch size?", dependence.batch_size, "indices workers steady"
    ),
    "kept-draws": _Question(
        "Does it keep random draws from sample to sample?", dependence.kept_draws, "indices readable"
    ),
    "global-state": _Question("Does it depend on global random state?", dependence.global_state, "steady"),
    "global-draws": _Question("Does it change global random state?", dependence.global_draws),
    "in-place": _Question("Does it modify its own cached samples?", storage.changes_in_place),
    "lost-state": _Question("Does it lose state that workers write?", storage.lost_state),
    "none": _Question("Does it return None?", samples.missing, "samples"),
    "not-finite": _Question("Does it return NaN or infinite values?", samples.not_finite, "samples"),
    "raises": _Question("Does some index raise?", samples.raises),
    "length": _Question("Does its length agree with its indices?", samples.length, "indices"),
    "memory": _Question("Does the workers' memory grow?", processes.memory, "indices"),
    "threads": _Question("Does it give different results in several threads?", dependence.threads, "indices"),
    "pickle": _Question("Can it be pickled for spawn?", processes.pickling),
    "at-fault": _Question("Is it the dataset, the transform or the loader?", None),
}
"""Each question by its name."""


def ask(ctx: Context, name: str, before: list[Answer]) -> Answer:
    """Answer the question of this name. Ask the last question last: it needs the other answers."""
    question = QUESTIONS[name]
    try:
        for need in question.needs.split():
            ctx.check(need)
        result = _blame(ctx, before) if question.ask is None else question.ask(ctx)
    except NotMeasured as why:
        result = Finding("not measured", *why.args)
    evidence, found = tuple(result.evidence), tuple(sorted(set(result.samples))[:20])
    return Answer(name, question.title, **result._replace(evidence=evidence, samples=found)._asdict())


def _blame(ctx: Context, answers: list[Answer]) -> Finding:
    """Compare each sample of the dataset with the one from the loader, and collect the parts at fault in other answers."""
    parts: dict[str, list[str]] = {}
    for answer in answers:
        if answer.verdict in ("fault", "warning") and answer.at_fault:
            parts.setdefault(answer.at_fault, []).append(answer.question)
    evidence = [f"{part}: {', '.join(names)}" for part, names in parts.items()]
    found = ctx.subject.transform()
    if found is not None:
        evidence.append(f"the transform: {type(found[0]).__name__}.{', .'.join(found[1])}")
    text = "no loader with workers was tried"
    if ctx.workers:
        run = ctx.other_batch
        arrived = [record for record in run.records if record.arrival is not None]
        spoilt = [record.index for record in arrived if record.arrival != record.digest]
        if not arrived:
            return Finding("not measured", ctx.trouble(run), evidence)
        evidence.append(
            f"{run.plan.name}: {len(arrived) - len(spoilt)} of {len(arrived)} samples arrived unchanged"
        )
        if spoilt:
            text = (
                f"samples {number_list(spoilt)} arrive with bytes other than those the dataset returned, because it writes again to memory "
                "that it returned (a buffer, a cached array). Return a copy"
            )
            return Finding("fault", text, evidence, spoilt, "dataset")
        text = "the loader delivers what the dataset returns"
    if parts:
        text += f". The faults and warnings come from the {' and the '.join(parts)}"
    return Finding("ok", text, evidence)
