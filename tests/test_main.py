from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from seedsafe.__main__ import TOOLS, main
from seedsafe_lint import options, output


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_starts(tool: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "seedsafe", tool, "--help"], capture_output=True, text=True, check=True
    )
    assert "usage:" in done.stdout


@pytest.mark.parametrize("tool", ["", *TOOLS])
def test_help_loads_nothing_heavy(tool: str) -> None:
    code = (
        "import sys; from seedsafe.__main__ import main; code = main(sys.argv[1:]);"
        "print(code, len(sys.modules), *(m for m in sys.modules if m in ('numpy', 'multiprocessing')))"
    )
    call = [sys.executable, "-c", code, *([tool] if tool else []), "--help"]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    *shown, last = done.stdout.splitlines()
    assert f"usage: seedsafe {tool or 'TOOL'}" in shown[0]
    ended, modules, *heavy = last.split()
    assert (ended, heavy) == ("0", [])
    assert int(modules) < 150


def test_what_follows_two_dashes_is_no_call_for_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--", "-h"]) == 2
    assert "-h" in capsys.readouterr().err


def test_the_parser_knows_every_form_of_a_report() -> None:
    assert list(options.FORMATS) == sorted(output.FORMATS)


def test_wrong_calls(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main(["fly"]) == 2
    assert "no tool 'fly'" in capsys.readouterr().err


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"seedsafe {version('seedsafe')}\n"


@pytest.mark.parametrize(
    "call",
    [
        ["lint", "nowhere.py"],
        ["audit", "nowhere.py:dataset"],
        ["stats", "nowhere"],
        ["index", "nowhere"],
        ["stats", ".", "--json", "nowhere/x.json"],
    ],
    ids=" ".join,
)
def test_a_missing_path_has_one_exit_code(call: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(call) == 2
    assert "nowhere" in capsys.readouterr().err


def test_an_interrupted_tool_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(argv: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("seedsafe.data.folder.cli.main", interrupted)
    assert main(["index", "."]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_names_that_are_no_unicode_are_printed(tmp_path: Path) -> None:
    os.symlink(b"nowhere", os.fsencode(tmp_path) + b"/\xff.png")
    done = subprocess.run(
        [sys.executable, "-m", "seedsafe", "index", str(tmp_path), "--flat"],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "utf-8:strict"},
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert rb"\udcff.png: No such file" in done.stdout


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    for number in range(2000):  # more lines of problems than a pipe holds
        (tmp_path / f"{number:0100}.png").symlink_to("nowhere")
    code = f"{sys.executable} -m seedsafe index {tmp_path} --flat --json | head -1"
    done = subprocess.run(code, shell=True, capture_output=True, text=True, check=True)
    assert done.stdout == "{\n"
    assert done.stderr == ""
