from __future__ import annotations

import subprocess
import sys

import pytest

from seedsafe.__main__ import TOOLS, main


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_starts(tool: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "seedsafe", tool, "--help"], capture_output=True, text=True, check=True
    )
    assert "usage:" in done.stdout


def test_wrong_calls(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main(["fly"]) == 2
    assert "no tool 'fly'" in capsys.readouterr().err
