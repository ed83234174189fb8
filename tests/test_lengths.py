"""A library file has at most 300 lines, or the first line of its docstring says why it is long ("long because …")."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHELVES = ("seedsafe", "adapters", "tools")
LIMIT = 300
REASON = "long because "


def is_too_long(source: str) -> bool:
    """Return whether a file is long without its reason."""
    if len(source.splitlines()) <= LIMIT:
        return False
    first, *_ = (ast.get_docstring(ast.parse(source)) or "").split("\n")
    return not first.partition(REASON)[2]


def test_a_long_file_gives_its_reason() -> None:
    files = [path for shelf in SHELVES for path in sorted((ROOT / shelf).rglob("*.py"))]
    assert len(files) > 200
    found = [str(path.relative_to(ROOT)) for path in files if is_too_long(path.read_text(encoding="utf-8"))]
    assert found == []


def test_a_long_file_without_its_reason_is_noticed() -> None:
    body = "x = 1\n" * LIMIT
    assert is_too_long(f'"""A table."""\n{body}')
    assert is_too_long(body + "x = 1\n")
    assert is_too_long(f'"""A table.\n\nlong because it is one.\n"""\n{body}')
    assert not is_too_long(f'"""A table, long because it is one."""\n{body}')
    assert not is_too_long(body)
