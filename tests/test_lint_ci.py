"""The pre-commit hook and the GitHub action: what they run, run here."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
HELPER = "import numpy as np\n\n\ndef f():\n    return np.random.default_rng(0)\n"
DATA = """\
from helper import f
from torch.utils.data import Dataset

RNG = f()


class Images(Dataset):
    def __getitem__(self, index):
        return RNG.random()


print(Images()[0])
"""


def shell(command: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell in which `seedsafe` is this tree's."""
    program = folder / "bin" / "seedsafe"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m seedsafe "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    places = os.pathsep.join([str(ROOT), str(ROOT / "tools")])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": places, **variables}
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_the_action_lints_once_writes_sarif_and_annotations_and_fails_on_errors(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "helper.py").write_text(HELPER)
    (tmp_path / "src" / "data.py").write_text(DATA)
    text = (ROOT / "action.yml").read_text()
    (line,) = re.findall(r"run: (seedsafe lint .*)", text)
    given = {"PATHS": "src", "ARGS": "--strict", "SEEDSAFE_PAGES": "https://example.org/pages"}
    result = shell(line, tmp_path, **given)
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout.startswith("::error file=src/data.py,line=9,")
    (file,) = re.findall(r"sarif_file: ([\w.]+)", text)
    (only,) = json.loads((tmp_path / file).read_text())["runs"]
    assert [found["ruleId"] for found in only["results"]] == ["SSF002"]
    assert only["tool"]["driver"]["rules"][0]["helpUri"] == "https://example.org/pages/SSF001.md"
    assert "if: ${{ !cancelled()" in text  # so that the upload follows errors
    (tmp_path / "src" / "data.py").write_text("x = 1\n")
    assert shell(line, tmp_path, **given).returncode == 0
    (tmp_path / "src" / "data.py").write_text("def broken(:\n")
    assert shell(line, tmp_path, **given).returncode == 1


def test_the_hook_reads_the_whole_project(tmp_path: Path) -> None:
    hook = dict(
        re.findall(
            r"^[- ] (\w+): ([^#\n]*?) *(?:#.*)?$", (ROOT / ".pre-commit-hooks.yaml").read_text(), re.MULTILINE
        )
    )
    assert hook["pass_filenames"] == "false"
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "data.py").write_text(DATA)
    result = shell(hook["entry"], tmp_path)
    assert result.returncode == 1
    assert result.stdout.startswith("data.py:9:16: SSF002 error: ")
