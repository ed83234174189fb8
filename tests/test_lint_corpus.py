"""The labelled corpus: each hazard is found on its line and nothing else, each clean idiom is left alone.

A case is one file, or a folder where it needs several. ``# expect: SSF001`` marks a line with a finding.
"""

import re
from collections import Counter
from pathlib import Path

import pytest

from seedsafe_lint import lint

CORPUS = Path(__file__).parent / "lint_corpus"
HAZARDS = sorted((CORPUS / "hazard").iterdir())
CLEAN = sorted((CORPUS / "clean").iterdir())


def expected(case: Path) -> Counter[tuple[str, int, str]]:
    files = [case] if case.is_file() else sorted(case.rglob("*.py"))
    return Counter(
        (str(file), number, code)
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), start=1)
        if (match := re.search(r"# expect: ([A-Z0-9 ]+)$", line))
        for code in match[1].split()
    )


def found(case: Path) -> Counter[tuple[str, int, str]]:
    report = lint([case])
    assert not report.skipped
    return Counter((f.place.path, f.place.line, f.code) for f in report.findings)


@pytest.mark.parametrize("case", HAZARDS, ids=lambda case: case.stem)
def test_hazard_is_found(case: Path) -> None:
    assert expected(case), "a hazard marks at least one line"
    assert found(case) == expected(case)


@pytest.mark.parametrize("case", CLEAN, ids=lambda case: case.stem)
def test_clean_idiom_is_left_alone(case: Path) -> None:
    assert not expected(case)
    assert found(case) == Counter()


def test_corpus_is_large_enough() -> None:
    assert len(HAZARDS) >= 120
    assert len(CLEAN) >= 120
