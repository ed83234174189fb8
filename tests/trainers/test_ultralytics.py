"""ultralytics' detector with mosaics: its own augmentation is keyed, whatever the workers, and after a kill."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.trainers

STEPS = 3


def run(folder: Path, workers: int, kind: str, name: str) -> subprocess.CompletedProcess[str]:
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parent / "bridge"), *filter(None, sys.path)])
    environment = {
        **os.environ,
        "PYTHONPATH": path,
        "YOLO_OFFLINE": "true",
        "YOLO_CONFIG_DIR": str(folder),
    }
    command = [sys.executable, str(here / "detection.py"), str(folder), str(workers), kind, name]
    return subprocess.run(
        command, check=False, env=environment, timeout=120, capture_output=True, text=True, cwd=folder
    )


def train(folder: Path, workers: int, kind: str, name: str) -> Any:
    done = run(folder, workers, kind, name)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / f"{name}.json").read_text())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from detection import pictures

    made = tmp_path_factory.mktemp("detection")
    pictures(made)
    return made


@pytest.fixture(scope="module")
def whole(folder: Path) -> Any:
    return train(folder, 0, "whole", "whole")


def test_workers_change_nothing(folder: Path, whole: Any) -> None:
    assert train(folder, 2, "whole", "workers") == whole
    epochs = [
        sorted(name for batch in whole[at : at + STEPS] for name, _ in batch) for at in range(0, 9, STEPS)
    ]
    assert epochs == [[str(n) for n in range(9)]] * 3
    digests = [digest for batch in whole for _, digest in batch]
    assert len(set(digests)) == len(digests)  # each epoch has its own augmentation


def test_without_the_keyed_loader_they_do(folder: Path) -> None:
    assert train(folder, 0, "unkeyed", "unkeyed") != train(folder, 2, "unkeyed", "unkeyed-workers")


def test_a_killed_run_goes_on(folder: Path, whole: Any) -> None:
    assert run(folder, 0, "killed", "killed").returncode == 9
    assert train(folder, 2, "resumed", "resumed") == whole[STEPS:]


def test_mosaics_of_what_a_worker_read_last_are_refused(folder: Path) -> None:
    assert 'pass cache="ram"' in run(folder, 0, "uncached", "uncached").stderr
