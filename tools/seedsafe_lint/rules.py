"""The rules: codes, names and pages."""

import re
from dataclasses import dataclass
from pathlib import Path

from seedsafe_lint.tables import TABLES

__all__ = ["RETIRED", "RULES", "Rule", "current", "page", "page_file", "summary"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its code, its name in words, the line to paste where a file says nothing better, and whether it is on by default."""

    code: str
    name: str
    fix: str
    default: bool = True


_HERE = Path(__file__).resolve().parent


_OFF = {"SSF017"}
RULES = {code: Rule(code, texts[0], texts[1], code not in _OFF) for code, texts in TABLES["rules"].items()}

_RETIRED = "SSF008=SSF003 SSF009= SSF011= SSF012= SSF015= SSF016= SSF018=SSF004 SSF019=SSF001"
RETIRED: dict[str, str] = dict(pair.split("=") for pair in _RETIRED.split())
"""Codes of earlier versions, and the rule that reports such a place today, if there is one."""


def current(code: str) -> str:
    """Return today's code for a code of any version, or an empty string if the rule is gone.

    Example:
        >>> current("SSF018"), current("SSF001")
        ('SSF004', 'SSF001')
    """
    return RETIRED.get(code, code)


_PAGES = (_HERE / "pages", _HERE.parents[1] / "docs" / "reference" / "lint")


def page(code: str) -> str:
    """Return the page of a rule in Markdown, or raise FileNotFoundError if the pages are not installed."""
    return page_file(code).read_text(encoding="utf-8")


def page_file(code: str) -> Path:
    """Return the file of a rule's page, or raise FileNotFoundError if the pages are not installed."""
    for folder in _PAGES:
        file = folder / f"{code}.md"
        if file.is_file():
            return file
    raise FileNotFoundError(
        f"the page of {code} is missing in {' and '.join(map(str, _PAGES))}: reinstall seedsafe"
    )


def summary(code: str) -> str:
    """Return the first sentence of a rule's page.

    Example:
        >>> summary("SSF007")
        'Checks for a `worker_init_fn` that seeds every worker with the same number.'
    """
    match = re.search(r"^## What it does\n+(.+?)(?:\n\n|\Z)", page(code), re.MULTILINE | re.DOTALL)
    return " ".join(match[1].split()).partition(". ")[0].rstrip(".") + "." if match else RULES[code].name
