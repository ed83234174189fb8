"""The examples train on folders of real photographs, and a run that was killed goes on as if it had not been."""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from programs import ROOT, environment, python
from skimage import data

EXAMPLES = ROOT / "examples"
PHOTOS = {"astronaut": data.astronaut(), "cat": data.chelsea(), "coffee": data.coffee()}


def write(path: Path, image: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    assert cv2.imwrite(str(path), cv2.cvtColor(image, cv2.COLOR_RGB2BGR) if image.ndim == 3 else image)


def windows(image: np.ndarray, count: int) -> list[np.ndarray]:
    return [image[(i * 13) % 90 :][:200, (i * 29) % 120 :][:, :260] for i in range(count)]


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    root = tmp_path / "photos"
    if request.param == "classify.py":
        for name, photo in PHOTOS.items():
            for i, window in enumerate(windows(photo, 12)):
                write(root / name / f"{i:02}.jpg", window)
    boxes = {}
    for i, window in enumerate(windows(PHOTOS["astronaut"], 18)):
        if request.param == "segment.py":
            write(root / "images" / f"{i:02}.jpg", window)
            write(root / "masks" / f"{i:02}.png", np.uint8(255) * (window.sum(-1) > 300).astype(np.uint8))
        if request.param == "detect.py":
            write(root / f"{i:02}.jpg", window)
            boxes[f"{i:02}.jpg"] = [[40, 30, 140, 150]] if i % 5 else []
    if boxes:
        (root / "boxes.json").write_text(json.dumps(boxes))
    return root


def command(example: str, folder: Path, *more: str) -> list[str]:
    return [
        sys.executable,
        str(EXAMPLES / example),
        str(folder),
        *more,
        "--held-out",
        str(folder),
        "--epochs",
        "2",
    ]


def run(example: str, folder: Path, where: Path, *more: str) -> str:
    where.mkdir(exist_ok=True)
    done = subprocess.run(
        command(example, folder, *more),
        cwd=where,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("folder", ["classify.py"], indirect=True)
def test_a_classifier_that_was_killed_goes_on_at_the_same_batch(folder: Path, tmp_path: Path) -> None:
    whole = run("classify.py", folder, tmp_path / "whole", "--workers", "0")
    assert "held out: " in whole
    where = tmp_path / "killed"
    where.mkdir()
    process = subprocess.Popen(
        command("classify.py", folder), cwd=where, env=environment(), stdout=subprocess.PIPE, text=True
    )
    while not (where / "run.pt").exists():
        assert process.poll() is None
        os.sched_yield()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    rest = run("classify.py", folder, where, "--workers", "1")
    for whole_line, rest_line in zip(whole.splitlines()[-2:], rest.splitlines()[-2:], strict=True):
        assert whole_line.endswith(rest_line.partition(": ")[2])


@pytest.mark.parametrize(
    ("folder", "example", "written"),
    [("segment.py", "segment.py", "run/0002.keras"), ("detect.py", "detect.py", "run.pt")],
    indirect=["folder"],
)
def test_the_others_train_and_go_on(folder: Path, example: str, written: str, tmp_path: Path) -> None:
    first = run(example, folder, tmp_path / "here")
    assert "held out: " in first
    assert (tmp_path / "here" / written).exists()
    again = run(example, folder, tmp_path / "here")  # all epochs are done
    assert again.splitlines()[-1] == first.splitlines()[-1]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_each_can_be_read_in_a_minute(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 80


def test_the_notebook_is_made_of_the_script() -> None:
    made = runpy.run_path(str(ROOT / "scripts" / "make_notebook.py"))
    assert made["NOTEBOOK"].read_text(encoding="utf-8") == made["notebook"](), (
        "old: python scripts/make_notebook.py"
    )


@pytest.mark.parametrize("folder", ["classify.py"], indirect=True)
def test_the_notebook_trains_as_the_script_does(folder: Path, tmp_path: Path) -> None:
    cells = json.loads((EXAMPLES / "classify.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    code.insert(2, f"options.folder = options.held_out = Path({str(folder)!r})\noptions.epochs = 2")
    (tmp_path / "notebook.py").write_text("\n".join(code), encoding="utf-8")
    trained = run("classify.py", folder, tmp_path / "script")
    (tmp_path / "cells").mkdir()
    done = python(tmp_path / "notebook.py", cwd=tmp_path / "cells", check=False)
    assert (done.returncode, done.stdout) == (0, trained), done.stderr
    assert "held out:" in trained


@pytest.mark.parametrize("folder", ["classify.py"], indirect=True)
def test_diffusion_losses_depend_on_no_batch_and_no_worker(folder: Path, tmp_path: Path) -> None:
    def losses(*options: str) -> list[float]:
        options = (str(EXAMPLES / "diffusion.py"), str(folder), "--epochs", "2", "--rate", "0", *options)
        done = python(*options, cwd=tmp_path)
        return [float(line.rpartition(" ")[2]) for line in done.stdout.splitlines()]

    usual = losses("--batch-size", "16", "--workers", "0")
    assert len(set(usual)) == 2
    np.testing.assert_allclose(losses("--batch-size", "7", "--workers", "2"), usual, atol=2e-6)
