"""The README's Python blocks run, one after another, and print what the README says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from test_docs import ROOT, blocks, environment, printed_by


def test_blocks_print_what_the_readme_shows(tmp_path: Path) -> None:
    found = blocks(ROOT / "README.md")
    assert sum(language == "python" for language, _, _ in found) >= 3
    code, shown = printed_by(found)
    script = tmp_path / "readme.py"
    script.write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, env=environment(), timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == shown
