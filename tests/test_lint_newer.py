"""Files in the syntax of a newer Python."""

import json
import os
import sys
from pathlib import Path

import pytest

from seedsafe_lint import lint, newer
from seedsafe_lint.cli import main

DRAWS = "import numpy as np\nfrom torch.utils.data import Dataset\n{head}\n\nclass D{of}(Dataset):\n    def __getitem__(self, i):\n        {body}\n"
SYNTAX = {
    "3.12": [
        DRAWS.format(head="type Row = list[int]", of="", body="return np.random.rand()"),
        DRAWS.format(head="", of="[T]", body="return np.random.rand()"),
        DRAWS.format(head="def f[T](x: T) -> T:\n    return x", of="", body="return f(np.random.rand())"),
        DRAWS.format(head="", of="", body='return f"{np.random.rand()}{"a"}"'),
    ],
    "3.13": [DRAWS.format(head="", of="[T = int]", body="return np.random.rand()")],
    "3.14": [
        DRAWS.format(
            head="try:\n    pass\nexcept ValueError, TypeError:\n    pass",
            of="",
            body="return np.random.rand()",
        ),
        DRAWS.format(head="", of="", body='return t"{np.random.rand()}"'),
    ],
}
CASES = [(version, text) for version, texts in SYNTAX.items() for text in texts]
NEWER = [case for case in CASES if int(case[0][2:]) > sys.version_info.minor]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newer, "_pythons", list)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(("version", "text"), NEWER)
def test_a_skip_is_an_entry_and_names_the_python(
    version: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "data.py"
    file.write_text(text)
    assert main([str(file)]) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"{file}:")
    assert f"skipped: syntax of Python {version}, line " in out
    assert f"run the linter with Python {version} or newer" in out
    assert "All checks passed" not in out
    assert main([str(file), "--strict"]) == 2
    capsys.readouterr()
    assert main([str(file), "--strict", "--json"]) == 2
    (entry,) = json.loads(capsys.readouterr().out)
    assert (entry["code"], entry["severity"]) == (None, "skipped")
    assert main([str(file), "--strict", "--exit-zero"]) == 0


@pytest.mark.parametrize(("version", "text"), NEWER)
def test_a_newer_python_of_the_machine_reads_the_file(version: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "data.py"
    file.write_text(text)
    report = lint([file])
    if report.skipped:
        pytest.skip(f"no Python {version} here")
    number = next(n for n, line in enumerate(text.split("\n"), 1) if "np.random" in line)
    column = text.split("\n")[number - 1].index("np.random") + 1
    assert [(f.code, f.place.line, f.place.column) for f in report.findings] == [("SSF001", number, column)]


def test_the_tree_of_another_python_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / f"python3.{sys.version_info.minor + 1}"
    other.write_text(f"#!/bin/sh\nsed 's/^type .*/pass/' | exec {sys.executable} \"$@\"\n")
    other.chmod(0o755)
    if os.name == "nt":
        pytest.skip("no shell")
    monkeypatch.setattr(newer, "_pythons", lambda: [str(other)])
    text = Path(__file__).read_text(encoding="utf-8")
    import ast

    tree = newer.parse_newer("type Row = int\n" + text)
    assert tree is not None
    assert ast.dump(tree, include_attributes=True) == ast.dump(
        ast.parse("pass\n" + text), include_attributes=True
    )


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    "text", ["print 'old'\n", "def broken(:\n", "try:\n    f()\nexcept ValueError, e:\n    pass\n"]
)
def test_what_no_python_of_today_reads_needs_none(text: str, tmp_path: Path) -> None:
    file = tmp_path / "data.py"
    file.write_text(text)
    (skipped,) = lint([file]).skipped
    assert not skipped.newer
    assert "run the linter" not in skipped.reason


def test_an_unparsable_notebook_is_called_that(tmp_path: Path) -> None:
    file = tmp_path / "try.ipynb"
    cells = [
        {"cell_type": "code", "source": ["x = 1\n"]},
        {"cell_type": "code", "source": ["y = 2\n", "def f(:\n"]},
    ]
    file.write_text(json.dumps({"cells": cells}))
    (skipped,) = lint([file]).skipped
    assert skipped.reason.startswith("a notebook with a syntax error, of cell 2, line 2: ")
