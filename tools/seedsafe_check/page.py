"""The page that ``seedsafe check`` prints."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from seedsafe_check.affected import Library
from seedsafe_lint.findings import Covered, Entry, Place
from seedsafe_lint.output import line_list
from seedsafe_lint.paste import line_to_paste
from seedsafe_lint.rules import RULES

__all__ = ["Page"]

_WIDE = 110
_MOST = 40  # causes of one rule in the text; JSON has all
_FIRST = 3  # steps to take first


@dataclass(frozen=True, slots=True)
class Page:
    """The result of a check: whether the project is affected, why, and the first steps.

    Attributes:
        path: the file or folder that was read.
        files: the number of files.
        skipped: files that could not be read, with the reason.
        hidden: the number of findings in the project's baseline.
        libraries: the installed libraries.
        entries: the linter's findings, one for each cause.
        covered: the findings that a bridge covers, with the line of that.
        audit: the audit's report as plain data, or None without a dataset.
        bridge: the call that bridges the dataset, if an audit of that found no fault.
        as_of: when the meaning of the versions was measured.
    """

    path: str
    files: int
    skipped: tuple[str, ...]
    hidden: int
    libraries: tuple[Library, ...]
    entries: tuple[Entry, ...]
    as_of: str
    covered: tuple[Covered, ...] = ()
    audit: dict[str, Any] | None = field(default=None)
    bridge: str | None = None

    @property
    def errors(self) -> tuple[Entry, ...]:
        """The linter's errors, one for each cause."""
        return tuple(entry for entry in self.entries if entry.finding.severity == "error")

    @property
    def faults(self) -> list[dict[str, Any]]:
        """The audit's answers that are faults, one for each cause."""
        return self._answers("fault")

    def _answers(self, verdict: str) -> list[dict[str, Any]]:
        answers = self.audit["answers"] if self.audit else ()
        return [one for one in answers if one["verdict"] == verdict and one["part_of"] is None]

    @property
    def verdict(self) -> str:
        """The answer in one line."""
        if self.errors or self.faults:
            parts = [_count(len(self.errors), "cause") + " in the code"] if self.errors else []
            parts += [_count(len(self.faults), "fault") + " in the audit"] if self.faults else []
            return f"affected: {' and '.join(parts)}"
        if any(one["question"] == "epochs" for one in self._answers("warning")):
            return "augmented once: every epoch repeats what was drawn when the dataset was made"
        if self.entries or self._answers("warning"):
            return "nothing repeats; results depend on workers, order or versions"
        if not self.files and self.audit is None:
            return "nothing to read: no Python file there"
        if self.audit is None and len(self.skipped) >= self.files:
            return "not known: no Python file there could be read"
        return "not affected, as far as the code shows" if self.audit is None else "not affected"

    def exit_code(self, *, strict: bool) -> int:
        """Return 1 if something is wrong (with ``strict`` if anything was found), 2 if nothing could be read, else 0."""
        if self.audit is None and not self.entries and len(self.skipped) >= self.files:
            return 2
        more = strict and (self.entries or self._answers("warning"))
        return int(bool(self.errors or self.faults or more))

    def steps(self) -> list[str]:
        """Return the steps to take first."""
        errors = sorted(self.errors, key=lambda entry: -len(entry.more))
        result = [f"{_place(entry)}: {line_to_paste(entry.finding)}" for entry in errors[:_FIRST]]
        if not errors:
            warned = [one for one in self._answers("warning") if one["question"] == "epochs"]
            for one in [*self.faults, *warned][:_FIRST]:
                where = f"{', '.join(one['places'])}: " if one["places"] else ""
                result.append(f"{where}{one['summary']}")
        if self.bridge:
            result.append(
                f"or keep the code: {self.bridge} keys all that it draws (tried: it cures this dataset)"
            )
        if self.audit is None and (self.entries or not self.covered):
            result.append(
                f"seedsafe check {self.path} MODULE:DATASET runs a dataset, finds faults that the code alone does not show, and "
                "tries whether a bridge cures them"
            )
        elif errors and not self.faults and not self._is_audited(errors):
            result.append(
                "the audit found no fault in this dataset: name the dataset that uses the lines above"
            )
        if len(self.entries) > len(self.errors):
            result.append(f"seedsafe lint {self.path} lists the warnings and notes")
        return result

    def _is_audited(self, errors: Iterable[Entry]) -> bool:
        """Return whether the audit has seen draws in one of these lines."""
        lines = {
            _line(place) for one in (self.audit or {"answers": ()})["answers"] for place in one["places"]
        }
        return any(_line(_place(entry)) in lines for entry in errors)

    def text(self) -> str:
        """Return the page as text."""
        lines = [f"{self.path}: {self.verdict}", "", f"Installed (what it means: as of {self.as_of})"]
        width = max((len(f"{one.name} {one.version}") for one in self.libraries), default=0)
        for one in self.libraries:
            lines += _wrap(f"  {f'{one.name} {one.version}':{width}}  {one.state}: {one.means}", width + 4)
        if not self.libraries:
            lines.append(
                "  none of torch, Keras, albumentations and the other libraries that this page knows"
            )
        lines += ["", self._code()]
        for pair in self.covered[:_MOST]:
            found, by = _line_of(pair.finding.place), _line_of(pair.by)
            lines.append(f"  {pair.finding.code} {found} is covered by the bridge in {by}")
        for code in sorted({entry.finding.code for entry in self.errors}):
            lines.append(f"  {code} {RULES[code].name}")
            for entry in [entry for entry in self.errors if entry.finding.code == code][:_MOST]:
                more = f" (also {line_list(entry.more, entry.finding.place.path)})" if entry.more else ""
                lines += _wrap(f"    {_place(entry)}: {entry.finding.message}{more}", 6)
        if self.audit is not None:
            lines += ["", f"Audit of {self.audit['subject']}"]
            answers = [*self.faults, *self._answers("warning")]
            for answer in answers:
                where = f" ({', '.join(answer['places'])})" if answer["places"] else ""
                lines += _wrap(f"  {answer['verdict']} {answer['question']}: {answer['summary']}{where}", 4)
            if not answers:
                lines.append("  no fault and no warning")
        lines += ["", "What to do first"]
        for number, step in enumerate(self.steps() or ["nothing to do"], 1):
            lines += _wrap(f"  {number}. {step}", 5)
        return "\n".join(lines)

    def _code(self) -> str:
        counts = Counter(entry.finding.severity for entry in self.entries)
        parts = [_count(counts[name], name) for name in ("error", "warning", "note")]
        tail = f"; {_count(len(self.skipped), 'file')} cannot be parsed" if self.skipped else ""
        hidden = f"; the baseline hides {self.hidden}" if self.hidden else ""
        return f"Code: {', '.join(parts)} in {_count(self.files, 'file')}, one for each cause{tail}{hidden}"

    def to_dict(self) -> dict[str, Any]:
        """Return the page as plain data, for JSON."""
        causes = [
            {
                "code": entry.finding.code,
                "name": RULES[entry.finding.code].name,
                "severity": entry.finding.severity,
                "message": entry.finding.message,
                "fix": line_to_paste(entry.finding),
                "places": [asdict(where) for where in (entry.finding.place, *entry.more)],
            }
            for entry in self.entries
        ]
        return {
            "version": 1,
            "path": self.path,
            "affected": bool(self.errors or self.faults),
            "verdict": self.verdict,
            "as_of": self.as_of,
            "installed": [asdict(one) for one in self.libraries],
            "files": self.files,
            "skipped": list(self.skipped),
            "hidden_by_baseline": self.hidden,
            "causes": causes,
            "covered": [
                {"code": one.finding.code, "place": asdict(one.finding.place), "by": asdict(one.by)}
                for one in self.covered
            ],
            "audit": self.audit,
            "first": self.steps(),
        }


def _line(place: str) -> str:
    """Return a file's name and a line: the linter and the audit name files from different folders."""
    return place.replace("\\", "/").rpartition("/")[2]


def _place(entry: Entry) -> str:
    return _line_of(entry.finding.place)


def _line_of(place: Place) -> str:
    return str(place).rpartition(":")[0]  # without the column


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'s' * (number != 1)}"


def _wrap(line: str, indent: int) -> list[str]:
    begin = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(
        line.strip(), _WIDE, initial_indent=begin, subsequent_indent=" " * indent, break_on_hyphens=False
    )
