"""The demonstration's statements, from the figures that a small run of it writes."""

from __future__ import annotations

import json
from typing import Any

import cv2
import numpy as np
import pytest
from programs import ROOT, python


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("demo")
    done = python("-m", "demo", "--json", "out/demo.json", cwd=folder)
    assert "all equal" in done.stdout
    assert (folder / "out/demo.png").read_bytes().startswith(b"\x89PNG")
    shown, made = ROOT / "docs/workers.jpg", folder / "out/workers.jpg"
    assert shown.stat().st_size < 150_000
    old, new = (cv2.imread(str(path)).astype(float) for path in (shown, made))
    assert np.abs(old - new).mean() < 3, f"docs/workers.jpg is old: copy {made} there"
    return json.loads((folder / "out/demo.json").read_text())


def test_usual_code_with_a_generator_of_its_own_repeats_itself(figures: dict[str, Any]) -> None:
    for name in (
        "torch: self.rng = default_rng(0)",
        "torch: self.rng = default_rng()",
        "torch: np.random, worker_init_fn of 2019",
        "torch, speech: self.rng = default_rng(0)",
        "Keras processes: np.random",
        "Keras processes: self.rng = default_rng(0)",
    ):
        without, *with_workers = figures["usual"][name]
        assert without == 0, name
        assert min(with_workers) > 0, name


def test_numpys_global_generator_is_cured_in_torch(figures: dict[str, Any]) -> None:
    assert figures["usual"]["torch: np.random"] == [0, 0, 0]


def test_seedsafe_repeats_nothing_and_delivers_the_same_bytes_everywhere(figures: dict[str, Any]) -> None:
    rows = figures["seedsafe"]
    assert {(row["loader"], row["workers"]) for row in rows} == {
        ("torch DataLoader", 0),
        ("torch DataLoader", 2),
        ("torch DataLoader", 4),
        ("Keras fit, training process", 0),
        ("Keras fit, processes", 2),
        ("Keras fit, processes", 4),
        ("Keras fit, threads", 4),
    }
    assert [row["repeats"] for row in rows] == [0] * len(rows)
    assert len({row["photographs"] for row in rows}) == 1
    assert len({row["speech"] for row in rows}) == 1
