"""The questions of an audit, in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from seedsafe_audit.questions import batches, dependence, indices, keys, processes, repeats, samples, storage
from seedsafe_audit.questions.blame import blame
from seedsafe_audit.questions.context import Context, Finding, NotMeasured
from seedsafe_audit.report import Answer

__all__ = ["QUESTIONS", "Context", "ask"]

_Ask = Callable[[Context], Finding]


@dataclass(frozen=True, slots=True)
class _Question:
    title: str
    ask: _Ask | None


QUESTIONS = {
    "ends": _Question("Does every run come to its end?", processes.ends),
    "duplicates": _Question("Do workers repeat each other?", repeats.duplicates),
    "epochs": _Question("Do epochs repeat?", repeats.epochs),
    "collate": _Question("Does the collate function repeat its draws?", batches.collate),
    "reproducible": _Question("Do two runs with the same seeds differ?", dependence.reproducible),
    "workers": _Question("Does it depend on the number of workers?", dependence.workers),
    "order": _Question("Does it depend on the order?", dependence.order),
    "batch-size": _Question("Does it depend on the batch size?", dependence.batch_size),
    "kept-draws": _Question("Does it keep random draws from sample to sample?", keys.kept_draws),
    "hash-order": _Question("Does it depend on Python's hash seed?", keys.hash_order),
    "global-state": _Question("Does it depend on global random state?", dependence.global_state),
    "global-draws": _Question("Does it change global random state?", dependence.global_draws),
    "in-place": _Question("Does it modify its own cached samples?", storage.changes_in_place),
    "lost-state": _Question("Does it lose state that workers write?", storage.lost_state),
    "none": _Question("Does it return None?", samples.missing),
    "not-finite": _Question("Does it return NaN or infinite values?", samples.not_finite),
    "forms": _Question("Do types, dtypes or shapes differ?", samples.forms),
    "outliers": _Question("Do values lie far outside the range of the rest?", samples.outliers),
    "raises": _Question("Does some index raise?", samples.raises),
    "length": _Question("Does its length agree with its indices?", indices.length),
    "outside": _Question("Do indices outside it wrap silently?", indices.outside),
    "memory": _Question("Does the workers' memory grow?", processes.memory),
    "pools": _Question("Do workers start native thread pools?", processes.pools),
    "threads": _Question("Does it give different results in several threads?", dependence.threads),
    "pickle": _Question("Can it be pickled for spawn?", processes.pickling),
    "at-fault": _Question("Is it the dataset, the transform or the loader?", None),
}
"""Each question by its name."""


def ask(ctx: Context, name: str, before: list[Answer]) -> Answer:
    """Answer the question of this name. The last one is about the answers before it."""
    question = QUESTIONS[name]
    try:
        result = blame(ctx, before) if question.ask is None else question.ask(ctx)
    except NotMeasured as why:
        result = Finding("not measured", *why.args)
    evidence, samples = tuple(result.evidence), tuple(sorted(set(result.samples))[:20])
    return Answer(name, question.title, **result._replace(evidence=evidence, samples=samples)._asdict())
