"""The labelled corpus: each hazard is found on its line and nothing else, each clean idiom is left alone.

A case is one file, with all forms of its idea, or a folder where it needs several. ``# expect: SSF001`` marks a line with a finding. Beside the cases
stand whole trees, callers and callees in several files, labelled before the linter first read them; they have a score of their
own, and ``# expect: SSF001 (note)`` marks what is no more than a note there.
"""

import re
from collections import Counter
from pathlib import Path

import pytest

from seedsafe_lint import lint

CORPUS = Path(__file__).parent / "lint_corpus"
HAZARDS, CLEAN, TREES = (
    sorted(path for path in (CORPUS / kind).iterdir() if path.name != "__pycache__")
    for kind in ("hazard", "clean", "trees")
)


def expected(case: Path) -> Counter[tuple[str, int, str]]:
    files = [case] if case.is_file() else sorted(case.rglob("*.py"))
    return Counter(
        (str(file), number, code)
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), start=1)
        if (match := re.search(r"# expect: ([A-Z0-9 ]+)(?: \(note\))?$", line))
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
    assert sum(expected(case).total() for case in HAZARDS) >= 350
    sources = [file.read_text(encoding="utf-8") for file in (CORPUS / "clean").rglob("*.py")]
    assert sum(len(re.findall(r"(?m)^ *(?:class|def) ", source)) for source in sources) >= 400


def notes(tree: Path) -> Counter[tuple[str, int, str]]:
    return Counter(
        (str(file), number, code)
        for file in sorted(tree.rglob("*.py"))
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), start=1)
        if (match := re.search(r"# expect: (\w+) \(note\)$", line))
        for code in match[1].split()
    )


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.name)
def test_tree_is_right(tree: Path) -> None:
    assert found(tree) == expected(tree)
    unused = [f for f in lint([tree]).findings if "nothing in these files uses" in f.message]
    assert Counter((f.place.path, f.place.line, f.code) for f in unused) == notes(tree)
    assert {f.severity for f in unused} <= {"note"}


def test_score_on_trees() -> None:
    labels, findings = (sum((of(tree) for tree in TREES), Counter()) for of in (expected, found))
    right = (labels & findings).total()
    assert right >= 0.98 * findings.total()
    assert right >= 0.97 * labels.total()
    assert len(TREES) >= 9
    assert all(len(list(tree.rglob("*.py"))) >= 2 for tree in TREES)
