"""Lightning's DDP on two ranks: each sample of an epoch is served under a key of its own, also after a resume."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from recorded import COUNT

pytestmark = pytest.mark.trainers


def train(folder: Path, resume: str) -> list[Any]:
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parent / "bridge"), *filter(None, sys.path)])
    command = [sys.executable, str(here / "ranks.py"), str(folder), "shared", resume]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": path}, timeout=120)
    return [json.loads((folder / f"served-{resume}-{rank}.json").read_text()) for rank in range(2)]


def test_two_ranks_go_on_where_they_stood(tmp_path: Path) -> None:
    whole = train(tmp_path, "")
    keys = [tuple(sample) for rank in whole for batch in rank for sample in batch]
    assert len(set(keys)) == len(keys) == 3 * (COUNT + 1)
    assert train(tmp_path, "step=3.ckpt") == [rank[3:] for rank in whole]
