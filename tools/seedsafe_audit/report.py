"""The report of an audit: verdicts and evidence."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

__all__ = ["Answer", "AtFault", "Report", "Verdict"]

Verdict = Literal["ok", "fault", "warning", "not measured"]
AtFault = Literal["dataset", "transform", "loader"]

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question.

    Attributes:
        question: its name, as on the reference page: ``"duplicates"``.
        title: the question in words.
        verdict: ``"fault"`` if training gets wrong data, ``"warning"`` if results cannot be reproduced or something
            is lost, ``"ok"``, or ``"not measured"`` with the reason in the summary.
        summary: one or two sentences.
        evidence: the runs, workers and samples that show it, one line each.
        samples: the indices concerned, at most 20.
        at_fault: the part that causes it, if the measurements show that.
        places: the lines of the user's code that draw, ``data.py:12``, one for each generator.
        part_of: the question with the same cause that counts instead of this one, or None.
    """

    question: str
    title: str
    verdict: Verdict
    summary: str
    evidence: tuple[str, ...] = ()
    samples: tuple[int, ...] = ()
    at_fault: AtFault | None = None
    places: tuple[str, ...] = ()
    part_of: str | None = None

    def __post_init__(self) -> None:
        if self.verdict not in get_args(Verdict):
            raise ValueError(f"verdict must be one of {get_args(Verdict)}, got {self.verdict!r}")


@dataclass(frozen=True, slots=True)
class Report:
    """The answers of one audit, and how they were obtained.

    Attributes:
        subject: the dataset in words.
        answers: one for each question.
        runs: the runs, each with its readings, its seconds and its end.
        settings: the arguments of the audit.
        versions: the versions of Python, NumPy and the frameworks that the subject uses.
    """

    subject: str
    answers: tuple[Answer, ...]
    runs: tuple[dict[str, Any], ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, question: str) -> Answer:
        """Return the answer to a question.

        Raises:
            KeyError: the audit did not ask the question.
        """
        for answer in self.answers:
            if answer.question == question:
                return answer
        names = ", ".join(answer.question for answer in self.answers)
        raise KeyError(f"no answer to {question!r}: this audit asked {names}")

    @property
    def faults(self) -> tuple[Answer, ...]:
        """The answers that are faults, one for each cause."""
        return self._leading("fault")

    @property
    def warnings(self) -> tuple[Answer, ...]:
        """The answers that are warnings, one for each cause."""
        return self._leading("warning")

    def _leading(self, verdict: Verdict) -> tuple[Answer, ...]:
        return tuple(one for one in self.answers if one.verdict == verdict and one.part_of is None)

    def parts_of(self, question: str) -> tuple[str, ...]:
        """Return the other questions whose answers have the same cause."""
        return tuple(answer.question for answer in self.answers if answer.part_of == question)

    def exit_code(self, *, strict: bool = False) -> int:
        """Return 1 if there is a fault (with ``strict`` also for a warning), otherwise 0."""
        return int(bool(self.faults or (strict and self.warnings)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, for JSON."""
        return {"version": _VERSION, **asdict(self)}

    def to_json(self) -> str:
        """Return the report as JSON text."""
        return json.dumps(self.to_dict(), indent=1)
