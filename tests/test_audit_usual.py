"""The datasets of the original post under the audit: torch's here, Keras's in processes of their own."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cases_usual import Corrupted, Landmarks, Segments, ThreeNumbers
from programs import environment, python

import seedsafe as ss

PHOTOGRAPHS = np.random.default_rng(3).random((16, 20, 20))
LANDMARKS = [
    {"image": np.full((20, 20), number, np.uint8), "keypoints": np.ones((4, 2))} for number in range(16)
]
CLIPS = np.random.default_rng(4).random((16, 400)).astype(np.float32)

USUAL = {
    "the post's numbers, stored": (lambda: ThreeNumbers(np.random.default_rng(0)), "fault", "fault"),
    "the post's numbers, global": (lambda: ThreeNumbers(None), "ok", "ok"),
    "landmarks": (lambda: Landmarks(LANDMARKS, 12), "fault", "fault"),
    "corrupted images, stored": (lambda: Corrupted(PHOTOGRAPHS, np.random.RandomState(0)), "fault", "fault"),
    "corrupted images, global": (lambda: Corrupted(PHOTOGRAPHS, None), "ok", "ok"),
    "audio segments": (lambda: Segments(CLIPS, 100), "fault", "fault"),
}


@pytest.mark.parametrize("name", USUAL)
def test_torch(name: str) -> None:
    make, duplicates, epochs = USUAL[name]
    report = ss.audit(
        make(),
        samples=16,
        workers=(0, 4),
        start_methods=("fork",),
        questions=["duplicates", "epochs", "workers"],
    )
    assert (report["duplicates"].verdict, report["epochs"].verdict) == (duplicates, epochs)
    assert report["workers"].verdict == "warning"  # both kinds depend on the number of workers


@pytest.mark.parametrize("framework", ["keras", "tf_keras"])
def test_keras(framework: str) -> None:
    script = (
        "import json, audit_keras_cases as cases, seedsafe as ss\n"
        "options = dict(samples=12, workers=(0, 2, 4), start_methods=('fork',), timeout=60)\n"
        "asked = ['ends', 'duplicates', 'epochs', 'reproducible', 'workers', 'threads', 'at-fault']\n"
        "made = [cases.stored(), cases.globally(), cases.keyed()]\n"
        "reports = [ss.audit(one, questions=asked, **options) for one in made]\n"
        "print(json.dumps([[answer.verdict for answer in report.answers] for report in reports]))\n"
    )
    done = python("-c", script, env=environment(SEEDSAFE_TEST_FRAMEWORK=framework))
    stored, globally, keyed = json.loads(done.stdout.splitlines()[-1])
    assert stored[:3] == ["ok", "fault", "fault"]
    assert globally[:3] == ["ok", "fault", "fault"]
    assert stored[4] == globally[4] == "warning"
    assert keyed == ["ok"] * 7
