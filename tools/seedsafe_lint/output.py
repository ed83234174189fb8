"""Reports as text, JSON, SARIF and workflow commands of GitHub."""

import json
from collections import Counter
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from seedsafe_lint.findings import Finding
from seedsafe_lint.rules import RULES, page, summary
from seedsafe_lint.runner import Report

__all__ = ["FORMATS", "statistics"]


def text(report: Report) -> str:
    """Return one line a finding, in the form of ruff's ``--output-format concise``, and a count at the end."""
    lines = [f"{f.place}: {f.code} {f.message}" for f in report.findings]
    count = len(report.findings)
    lines.append(f"Found {count} problem{'' if count == 1 else 's'}." if count else "All checks passed!")
    return "\n".join(lines)


def as_json(report: Report) -> str:
    """Return an array with one object a finding, with the keys that ruff uses, and ``severity`` and ``related``."""
    return json.dumps([_object(f) for f in report.findings], indent=2)


def _object(finding: Finding) -> dict[str, object]:
    place, related = finding.place, finding.related
    return {
        "code": finding.code,
        "name": RULES[finding.code].name,
        "message": finding.message,
        "severity": finding.severity,
        "filename": place.path,
        "location": {"row": place.line, "column": place.column},
        "end_location": {"row": finding.end_line},
        "related": {"filename": related.path, "row": related.line, "column": related.column}
        if related
        else None,
    }


def sarif(report: Report) -> str:
    """Return SARIF 2.1.0 (OASIS), with skipped files as notifications of the tool."""
    rules = [
        {
            "id": rule.code,
            "name": rule.name,
            "shortDescription": {"text": summary(rule.code)},
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
        "results": [_result(f) for f in report.findings],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2)


def _version() -> str:
    try:
        return version("seedsafe")
    except PackageNotFoundError:
        return "0"


def _result(finding: Finding) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": finding.code,
        "level": finding.severity,
        "message": {"text": finding.message},
        "locations": [_location(finding.place.path, finding.place.line, finding.place.column)],
    }
    if finding.related:
        where = finding.related
        made = _location(where.path, where.line, where.column)
        result["relatedLocations"] = [{**made, "message": {"text": "the generator is made here"}}]
    return result


def _location(path: str, line: int, column: int) -> dict[str, object]:
    region = {"startLine": line, "startColumn": column}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(path)}, "region": region}}


def _uri(path: str) -> str:
    file = Path(path)
    return file.as_uri() if file.is_absolute() else file.as_posix()


def github(report: Report) -> str:
    """Return workflow commands that GitHub Actions shows on the lines of a change."""
    return "\n".join(
        f"::{'notice' if f.severity == 'note' else f.severity} file={_property(f.place.path)},line={f.place.line},"
        f"col={f.place.column},endLine={f.end_line},title=seedsafe ({f.code})::{_data(f'{f.code} {f.message}')}"
        for f in report.findings
    )


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


FORMATS: dict[str, Callable[[Report], str]] = {
    "text": text,
    "json": as_json,
    "sarif": sarif,
    "github": github,
}


def statistics(report: Report) -> str:
    """Return how often each rule was violated, most often first.

    Example:
        >>> statistics(Report((), (), 3))
        ''
    """
    counts = Counter(f.code for f in report.findings)
    width = len(str(max(counts.values(), default=0)))
    return "\n".join(f"{count:>{width}}\t{code}\t{RULES[code].name}" for code, count in counts.most_common())
