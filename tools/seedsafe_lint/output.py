"""Reports as text, JSON, SARIF or GitHub commands."""

import json
import os
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from seedsafe_lint.baseline import identities
from seedsafe_lint.engine import Report
from seedsafe_lint.findings import SEVERITIES, Entry, Finding, Place
from seedsafe_lint.paste import line_to_paste
from seedsafe_lint.rules import RULES, page, page_file, summary

__all__ = ["EACH", "FORMATS", "line_list", "statistics"]


_MADE = {"text": "the generator is made here"}


def text(report: Report, found: list[Entry]) -> str:
    """Return one line for each entry as ruff writes it, the count, and one line to paste for each rule."""
    lines = [f"{item.path}:{item.line}: skipped: {item.reason}" for item in report.skipped if item.newer]
    said: set[str] = set()
    for f, more in found:
        fault, _, why = f.message.partition(": ")
        lines.append(f"{f.place}: {f.code} {f.severity}: {fault if why in said else f.message}")
        said |= {why} - {""}
        lines += [f"    also {line_list(more, f.place.path)}"] if more else []
    lines += [f"{f.place}: {f.code} covered by {by}" for f, by in report.covered]
    counts = Counter(entry.finding.severity for entry in found)
    parts = [f"{counts[s]} {s}{'s' * (counts[s] > 1)}" for s in SEVERITIES if counts[s]]
    places = (
        f" in {len(report.findings)} places (--all lists each)" if len(found) < len(report.findings) else ""
    )
    hidden = f" The baseline hides {report.known} more." if report.known else ""
    nothing = f"Found nothing, but {len(report.skipped)} of {report.files} files cannot be read."
    passed = nothing if report.skipped else "All checks passed!"
    lines.append((f"Found {_and(parts)}{places}." if parts else passed) + hidden)
    lines += dict.fromkeys(sorted(f"{f.code}: {line_to_paste(f)}" for f, _ in found))
    return "\n".join(lines)


def _and(parts: list[str]) -> str:
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def line_list(places: tuple[Place, ...], path: str) -> str:
    """Return the line numbers of places, after the names of files other than `path`."""
    by_file: dict[str, list[str]] = {}
    for where in places:
        cell = f" of cell {where.cell}" if where.cell else ""
        by_file.setdefault(where.path, []).append(f"{where.line}{cell}")
    return "; ".join(
        ("" if file == path else f"{file} ") + f"line{'s' * (len(numbers) > 1)} {_and(numbers)}"
        for file, numbers in ((file, list(dict.fromkeys(numbers))) for file, numbers in by_file.items())
    )


def as_json(report: Report, found: list[Entry]) -> str:
    """Return a JSON array of one object for each entry, with ruff's keys, and ``severity``, ``related`` and ``more``.

    What a bridge covers comes last, with the severity ``covered`` and the place of the bridge, ``covered_by``.
    ``more`` has the other places of the entry, each with ``filename``, ``row``, ``column`` and, in a notebook, ``cell``.
    """
    covered = [
        {**_object(Entry(f)), "severity": "covered", "covered_by": _place(by)} for f, by in report.covered
    ]
    skipped = [
        {
            "code": None,
            "name": "skipped",
            "message": item.reason,
            "severity": "skipped",
            "filename": item.path,
            "cell": None,
        }
        | {"location": {"row": item.line, "column": 1}}
        for item in report.skipped
        if item.newer
    ]
    return json.dumps([*map(_object, found), *covered, *skipped], indent=2)


def _object(entry: Entry) -> dict[str, object]:
    finding, place = entry.finding, entry.finding.place
    return {
        "code": finding.code,
        "name": RULES[finding.code].name,
        "message": finding.message,
        "severity": finding.severity,
        "filename": place.path,
        "cell": place.cell or None,
        "location": {"row": place.line, "column": place.column},
        "end_location": {"row": finding.end_line},
        "fix": {"applicability": "display", "message": line_to_paste(finding), "edits": []},
        "related": _place(finding.related) if finding.related else None,
        "more": [_place(where) for where in entry.more],
    }


def _place(where: Place) -> dict[str, object]:
    cell = {"cell": where.cell} if where.cell else {}
    return {"filename": where.path, "row": where.line, "column": where.column, **cell}


def sarif(report: Report, found: list[Entry]) -> str:
    """Return SARIF 2.1.0 (OASIS). Skipped files are notifications of the tool."""
    pages = os.environ.get("SEEDSAFE_PAGES", "").rstrip("/")
    rules = [
        {
            "id": rule.code,
            "name": rule.name,
            "shortDescription": {"text": summary(rule.code)},
            "helpUri": f"{pages}/{rule.code}.md" if pages else page_file(rule.code).as_uri(),
            "help": {"text": page(rule.code), "markdown": page(rule.code)},
        }
        for rule in RULES.values()
    ]
    run = {
        "tool": {"driver": {"name": "seedsafe", "version": _version(), "rules": rules}},
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {
                        "level": "warning",
                        "message": {"text": f"{item.path}: {item.reason}"},
                        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(item.path)}}}],
                    }
                    for item in report.skipped
                ],
            }
        ],
        "results": _results([(f, {}) for f, _ in found] + [(f, _suppressed(by)) for f, by in report.covered]),
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2)


def _version() -> str:
    try:
        return version("seedsafe")
    except PackageNotFoundError:
        return "0"


def _results(found: list[tuple[Finding, dict[str, object]]]) -> list[dict[str, object]]:
    """Return results with fingerprints that stay the same when lines above a finding change."""
    times: Counter[tuple[str, str, str]] = Counter()
    results: list[dict[str, object]] = []
    for (finding, more), which in zip(
        found, identities([f for f, _ in found], Path("baseline")), strict=True
    ):
        times[which] += 1
        mark = sha256("\n".join((*which, str(times[which]))).encode()).hexdigest()
        made = [{**_location(finding.related), "message": _MADE}] if finding.related else []
        result = {
            "ruleId": finding.code,
            "level": finding.severity,
            "message": {"text": _in_cell(finding.place) + finding.message},
            "locations": [_location(finding.place)],
            "relatedLocations": made,
            "partialFingerprints": {"seedsafe/v1": mark},
        }
        results.append(result | more)
    return results


def _suppressed(by: Place) -> dict[str, object]:
    return {"suppressions": [{"kind": "inSource", "justification": f"covered by the bridge at {by}"}]}


def _in_cell(where: Place) -> str:
    """Return a place in a notebook in words, because the lines of its cells are not those of its file."""
    return f"cell {where.cell}, line {where.line}: " if where.cell else ""


def _location(where: Place) -> dict[str, object]:
    region = {"startLine": 1 if where.cell else where.line, "startColumn": 1 if where.cell else where.column}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(where.path)}, "region": region}}


def _uri(path: str) -> str:
    file = Path(path)
    return file.as_uri() if file.is_absolute() else file.as_posix()


def github(report: Report, found: list[Entry]) -> str:
    """Return workflow commands that GitHub Actions shows on the lines of a change."""
    lines = [
        f"::error file={_property(item.path)},line={item.line},title=seedsafe::{_data(item.reason)}"
        for item in report.skipped
    ]
    for f, _ in found:
        row, column, last = (1, 1, 1) if f.place.cell else (f.place.line, f.place.column, f.end_line)
        kind, message = (
            "notice" if f.severity == "note" else f.severity,
            f"{f.code} {_in_cell(f.place)}{f.message}",
        )
        where = f"file={_property(f.place.path)},line={row},col={column},endLine={last}"
        lines.append(f"::{kind} {where},title=seedsafe ({f.code})::{_data(message)}")
    return "\n".join(lines)


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


FORMATS: dict[str, Callable[[Report, list[Entry]], str]] = {
    "text": text,
    "json": as_json,
    "sarif": sarif,
    "github": github,
}
EACH = frozenset({"sarif", "github"})
"""The formats with one result for each place, because their readers compare places with those of another run."""


def statistics(report: Report) -> str:
    """Return the number of findings for each rule, the largest first.

    Example:
        >>> statistics(Report((), (), 3))
        ''
    """
    counts = Counter(f.code for f in report.findings)
    width = len(str(max(counts.values(), default=0)))
    return "\n".join(f"{count:>{width}}\t{code}\t{RULES[code].name}" for code, count in counts.most_common())
