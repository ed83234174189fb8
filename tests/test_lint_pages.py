"""Each rule's page is its test: the Example fires, and what to use instead is silent."""

import re
from pathlib import Path

import pytest

from seedsafe_lint import Config, lint
from seedsafe_lint.rules import RULES, page, summary

PAGES = Path(__file__).parents[1] / "docs" / "reference" / "lint"


def block(code: str, section: str) -> str:
    match = re.search(rf"^## {section}\n+```python\n(.*?)^```", page(code), re.MULTILINE | re.DOTALL)
    assert match, f"{code} has no python block under {section}"
    return match[1]


def codes(folder: Path, source: str) -> list[str]:
    file = folder / "example.py"
    file.write_text(source, encoding="utf-8")
    report = lint([file], config=Config(select=("ALL",)))
    assert not report.skipped
    return [finding.code for finding in report.findings]


@pytest.mark.parametrize("code", RULES)
def test_example_fires(code: str, tmp_path: Path) -> None:
    assert code in codes(tmp_path, block(code, "Example"))


@pytest.mark.parametrize("code", RULES)
def test_use_instead_is_silent(code: str, tmp_path: Path) -> None:
    assert codes(tmp_path, block(code, "Use instead")) == []


@pytest.mark.parametrize("code", RULES)
def test_page_has_the_rule_s_name_and_sections(code: str) -> None:
    text = page(code)
    assert text.startswith(f"# {code} {RULES[code].name}\n")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings == ["What it does", "Why is this bad?", "Known problems", "Example", "Use instead"]
    assert summary(code).startswith("Checks for ")


def test_every_page_belongs_to_a_rule_and_the_index_lists_it() -> None:
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    assert {file.stem for file in PAGES.glob("SSF*.md")} == set(RULES)
    for rule in RULES.values():
        assert f"| [{rule.code}]({rule.code}.md) | {rule.name} | {'yes' if rule.default else 'no'} |" in index


TWO_SENTENCES = re.compile(r".+\. (Draw|Make|Seed|Pass|Use|Call|Count|Copy|Take|Raise)\b.*\.")


def test_every_message_ends_with_the_way_out() -> None:
    corpus = Path(__file__).parent / "lint_corpus"
    found = lint([corpus], config=Config(select=("ALL",))).findings
    assert {finding.code for finding in found} == set(RULES)
    for finding in found:
        assert "\n" not in finding.message
        assert TWO_SENTENCES.fullmatch(finding.message), finding.message
        assert len(re.findall(r"[.!?] [A-Z]", finding.message)) == 1, finding.message
