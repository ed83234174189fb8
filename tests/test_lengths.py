"""A library file has at most 300 lines, or the first line of its docstring says why it is long ("long because …").

An adapter's dataset class has at most 130: what two adapters need belongs in the reader.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("AugmentedDataset", "seedsafe_torch/dataset.py"),
        ("AugmentedIterable", "seedsafe_torch/iterable.py"),
        ("AugmentedSequence", "seedsafe_keras/sequence.py"),
    ],
)
def test_a_dataset_class_is_short(name: str, file: str) -> None:
    (found,) = (
        node
        for node in ast.parse((ROOT / "adapters" / file).read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name == name
    )
    assert found.end_lineno is not None
    assert found.end_lineno - found.lineno < 130
