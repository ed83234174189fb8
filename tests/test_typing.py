"""The types of the main interface, as mypy and pyright show them to users, and as an editor shows its docstrings."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TYPED = Path(__file__).with_name("typed_interface.py")
PATHS = [str(ROOT), str(ROOT / "adapters"), str(ROOT / "tools")]


def expected() -> dict[int, str]:
    """Return what each line with a reveal_type has to show."""
    lines = TYPED.read_text(encoding="utf-8").splitlines()
    found = {n: line.partition("  # ")[2] for n, line in enumerate(lines, 1) if "reveal_type(" in line}
    assert len(found) > 40
    assert all(found.values())
    return found


def ends(text: str) -> str:
    """Return a type without the modules of its names, and a NamedTuple by its name alone."""
    text = re.sub(r"tuple\[[^\[\]]*, fallback=([\w.]+)\]", r"\1", text)
    return re.sub(r"\b(?:[a-zA-Z_]\w*\.)+(?=[A-Za-z_])", "", text.replace("builtins.", "").replace("'", ""))


def wrong(revealed: dict[int, str]) -> list[str]:
    """Return the lines where a type checker shows something else."""
    return [
        f"line {line}: {revealed.get(line)!r} shown, {words!r} expected"
        for line, words in expected().items()
        if not ends(revealed.get(line, "")).startswith(ends(words))
    ]


@pytest.mark.timeout(600)
def test_mypy_shows_the_types() -> None:
    call = [sys.executable, "-m", "mypy", str(TYPED)]  # as `make check` calls it, whose cache it shares
    done = subprocess.run(call, capture_output=True, text=True, cwd=ROOT, check=False)
    assert "error:" not in done.stdout, done.stdout
    shown = re.findall(r":(\d+): note: Revealed type is \"(.*)\"", done.stdout)
    assert wrong({int(line): text for line, text in shown}) == []


@pytest.mark.timeout(600)
def test_pyright_shows_the_types(tmp_path: Path) -> None:
    shutil.copy(TYPED, tmp_path)
    config = {
        "include": ["."],
        "extraPaths": PATHS,
        "pythonVersion": "3.11",
        "typeCheckingMode": "standard",
        "reportUnnecessaryTypeIgnoreComment": "error",
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config))
    call = [
        sys.executable,
        "-m",
        "pyright",
        "-p",
        str(tmp_path),
        "--pythonpath",
        sys.executable,
        "--outputjson",
    ]
    done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = [one for one in found if one["severity"] == "error"]
    assert errors == []
    shown = {
        one["range"]["start"]["line"] + 1: re.sub(r'.* is "(.*)"$', r"\1", one["message"], flags=re.DOTALL)
        for one in found
        if one["severity"] == "information"
    }
    assert wrong(shown) == []


def test_that_a_wrong_type_would_be_noticed() -> None:
    right = expected()
    assert wrong(right) == []
    right[min(right)] = "Any"
    assert len(wrong(right)) == 1
