"""An adapter's dataset class has at most 130 lines of code: what two adapters need belongs in the reader."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ADAPTERS = Path(__file__).parents[1] / "adapters"
LIMIT = 130


def lines_of_code(source: str, name: str) -> int:
    """Return the lines of a class, without its docstrings."""
    (found,) = (
        node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == name
    )
    texts = [
        node.body[0]
        for node in ast.walk(found)
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None
    ]
    return sum(
        end.end_lineno - end.lineno + 1 if sign > 0 else end.lineno - end.end_lineno - 1  # type: ignore[operator]
        for sign, end in ((1, found), *((-1, text) for text in texts))
    )


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("AugmentedDataset", "seedsafe_torch/dataset.py"),
        ("AugmentedIterable", "seedsafe_torch/iterable.py"),
        ("AugmentedSequence", "seedsafe_keras/sequence.py"),
    ],
)
def test_a_dataset_class_is_short(name: str, file: str) -> None:
    assert lines_of_code((ADAPTERS / file).read_text(encoding="utf-8"), name) <= LIMIT


def test_a_long_class_would_be_noticed() -> None:
    short = 'class Data:\n    """Text.\n\n    More.\n    """\n' + "    x = 1\n" * (LIMIT - 1)
    assert lines_of_code(short, "Data") == LIMIT
    assert lines_of_code(short + "    x = 1\n", "Data") > LIMIT
