"""The page that compares libraries: its figures for this one and for seeding by hand are measured again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from programs import ROOT, environment

PAGE = (ROOT / "docs" / "explanation" / "comparison.md").read_text(encoding="utf-8")
SCRIPT = ROOT / "scripts" / "compare.py"


def shown(name: str) -> list[str]:
    """Return the figures of a library's row."""
    (row,) = (line for line in PAGE.splitlines() if line.endswith(f"| `compare.py {name}` |"))
    return [cell.strip() for cell in row.split("|")[2:-2]]


@pytest.mark.parametrize("name", ["seedsafe", "by_hand", "stored", "keyed"])
def test_the_figures_are_those_of_today(name: str, tmp_path: Path) -> None:
    call = [sys.executable, "-W", "ignore", str(SCRIPT), name]
    done = subprocess.run(call, capture_output=True, text=True, env=environment(), cwd=tmp_path, check=True)
    told = [line.split(": ") for line in done.stdout.splitlines()]
    assert [answer.split()[0] for question, answer in told if question != "both epochs"] == shown(name)


def test_each_figure_of_another_library_has_its_command() -> None:
    for name in ("albumentations", "invocation_seed", "torchvision", "kornia", "grain", "keras"):
        assert len(shown(name)) == 7
        assert f"def {name}(" in SCRIPT.read_text(encoding="utf-8")


def test_each_cell_has_a_link_or_a_command() -> None:
    table = PAGE.partition("## Point by point")[2].partition("## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ") and not line.startswith("| |")]
    assert len(rows) > 8
    for row in rows:
        *cells, by_hand = (cell.strip() for cell in row.strip("|").split("|"))
        for cell in cells[1:]:
            assert "](" in cell or "`" in cell, f"{cells[0]}: {cell}"
        assert by_hand
