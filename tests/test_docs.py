"""The Python blocks of the documentation run, and print what the text block right after each of them shows.

A block marked ```` ```python no-run: reason ```` is left out; without a reason the test fails. Blocks of one page run
in order, in one process, as a reader would.
"""

from __future__ import annotations

import re
from pathlib import Path

import cv2
import numpy as np
import pytest
from programs import ROOT, photographs, python

_FENCE = re.compile(r"^```([\w-]+)[ \t]*([^\n]*)\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """Return the fenced blocks of a page: language, what follows it on the line, and the text."""
    return _FENCE.findall(page.read_text(encoding="utf-8"))


def printed_by(found: list[tuple[str, str, str]]) -> tuple[str, str]:
    """Return the code of a page's Python blocks, and what its text blocks say that they print."""
    code, shown = [], []
    for place, (language, mark, text) in enumerate(found):
        if language == "python" and not mark:
            code.append(text)
            after = found[place + 1] if place + 1 < len(found) else ("", "", "")
            if after[0] == "text":
                shown.append(after[2])
    return "\n".join(code), "".join(shown)


def pages() -> list[Path]:
    found = sorted((ROOT / "docs").rglob("*.md"))
    return [p for p in found if "_build" not in p.parts and "docs/reference/lint" not in p.as_posix()]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT / "docs").as_posix())
def test_page(page: Path, tmp_path: Path) -> None:
    found = blocks(page)
    marks = [mark for language, mark, _ in found if language == "python" and mark]
    unexplained = [mark for mark in marks if not re.fullmatch(r"no-run: \S.{5,}", mark)]
    assert not unexplained, f"a block that does not run says why, ```python no-run: reason; got {unexplained}"
    code, shown = printed_by(found)
    if not code:
        return
    if 'ImageFolder("photos")' in code and "mkdir" not in code:
        photographs(tmp_path)
    script = tmp_path / "page.py"
    script.write_text(code, encoding="utf-8")
    done = python(script, cwd=tmp_path)
    if shown:
        assert done.stdout == shown
    for name in re.findall(r"!\[[^]]*\]\((\w+\.jpg)\)", page.read_text(encoding="utf-8")):
        if (tmp_path / name).exists():
            old, new = (cv2.imread(str(folder / name)).astype(float) for folder in (page.parent, tmp_path))
            assert np.abs(old - new).mean() < 3, (
                f"{page.parent / name} is old: copy what the page's script writes"
            )


def test_a_wrong_page_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nprint(1)\n```\n\n```text\n2\n```\n\n```python no-run: needs a GPU\nx\n```\n",
        encoding="utf-8",
    )
    assert printed_by(blocks(page)) == ("print(1)\n", "2\n")
