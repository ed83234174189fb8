"""Group the answers that have one cause.

The first of them leads and shows the lines that draw. The others are part of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from seedsafe_audit.draws import KEY, SEED, Draw
from seedsafe_audit.report import Answer

__all__ = ["concern_draws", "group"]

_FAULTS = ("kept-draws", "duplicates", "epochs")
_WARNINGS = (
    "reproducible",
    "global-state",
    "order",
    "workers",
    "batch-size",
    "global-draws",
    "lost-state",
)
"""The questions that show how a dataset draws. The first of them with this verdict leads the others."""

_ABOUT = {
    "hash()": ("workers",),
    "the clock": ("reproducible", "duplicates"),
    "the process id": ("reproducible", "duplicates"),
    KEY: ("kept-draws",),
}
"""The only questions that some sources concern."""


def concern_draws(answers: Sequence[Answer]) -> bool:
    """Return whether an answer is about random draws, so that the lines that draw are worth searching for."""
    return any(_leads(answers, names) for names in (_FAULTS, _WARNINGS))


def group(answers: Sequence[Answer], draws: Sequence[Draw]) -> list[Answer]:
    """Return the answers in the same order. The first of each cause lists the lines that draw; the others refer to it."""
    new: dict[str, Answer] = {}
    for names in (_FAULTS, _WARNINGS):
        members = _leads(answers, names)
        if not members:
            continue
        first, *others = members
        lines = [draw for draw in draws if first.question in _ABOUT.get(draw.source, (first.question,))]
        told = {line.partition(":")[0].removeprefix("dataset") for line in first.evidence}
        seeds = any(one.startswith(SEED) for one in told)
        lines = [draw for draw in lines if draw.source in told] or [
            draw for draw in lines if draw.source.startswith(f"{SEED} ") == seeds
        ]
        new[first.question] = replace(
            first,
            evidence=(*first.evidence, *map(str, lines)),
            places=tuple(dict.fromkeys(draw.place for draw in lines)),
        )
        for one in others:
            new[one.question] = replace(one, part_of=first.question)
    return [new.get(answer.question, answer) for answer in answers]


def _leads(answers: Sequence[Answer], names: tuple[str, ...]) -> list[Answer]:
    verdict = "fault" if names is _FAULTS else "warning"
    found = {answer.question: answer for answer in answers if answer.verdict == verdict}
    members = [found[name] for name in names if name in found]
    return [
        one
        for one in members
        if one.question != "lost-state" or all(line.endswith("drawn from") for line in one.evidence)
    ]
