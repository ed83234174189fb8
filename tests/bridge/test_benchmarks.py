"""A short form of ``make bench``: every case of three peers does the same work, is measured once, and is on the page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.page import page

pytestmark = pytest.mark.bridge
ROOT = Path(__file__).parents[2]
MEASURE = (
    "-m benchmarks.run_env albumentations torchvision pillow --distributions numpy --rounds 1 --sizes 32"
)


def test_every_case_is_measured(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    command = [sys.executable, *MEASURE.split(), "--out", str(figures)]
    paths = os.pathsep.join(str(ROOT / folder) for folder in ("", "adapters", "tools"))
    subprocess.run(command, check=True, cwd=ROOT, env=os.environ | {"PYTHONPATH": paths})
    text, _ = page("a test", [figures])
    rows = re.findall(r"^\| ([^|]+) \| ([\d.]+) \|", text, re.MULTILINE)
    assert len(rows) > 70
    assert all(float(microseconds) > 0 for _, microseconds in rows)
