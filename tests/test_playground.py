"""What the playground runs in a browser, here in this Python."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import python

import seedsafe as ss

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "docs" / "_static"))

import playground

IMAGE = np.arange(40 * 50 * 4, dtype=np.uint32).reshape(40, 50, 4).astype(np.uint8)
TEXT = "ss.Compose([ss.RandomCrop(30), ss.HorizontalFlip(p=1), ss.GaussianNoise(20)])"


def show(text: str, seed: int = 42, epoch: int = 3, index: int = 7, view: int = 0) -> dict[str, Any]:
    return playground.show(text, seed, epoch, index, view, IMAGE.tobytes(), 40, 50)


def test_it_shows_the_librarys_sample() -> None:
    augment = eval(TEXT, {"ss": ss})
    key = ss.SampleKey(42, 3, 7)
    expected = augment(playground.sample(IMAGE[..., :3].copy()), key=key)
    made = show(TEXT)
    pixels = np.frombuffer(made["pixels"], np.uint8).reshape(made["height"], made["width"], 4)
    outside = expected["mask"] == 0
    np.testing.assert_array_equal(pixels[..., :3][outside], expected["image"][outside])
    assert made["boxes"] == expected["boxes"].tolist()
    assert made["keypoints"] == expected["keypoints"].tolist()
    assert made["params"][0] == f"RandomCrop: {augment.params(key, IMAGE[..., :3])[0].params}"


@pytest.mark.parametrize("change", [{"seed": 1}, {"epoch": 4}, {"index": 8}, {"view": 1}, {"seed": 2**100}])
def test_each_part_of_the_key_counts(change: dict[str, int]) -> None:
    assert show(TEXT, **change)["pixels"] != show(TEXT)["pixels"]


def test_numbers_may_be_digits() -> None:
    made = playground.show(TEXT, "42", "3", "7", "0", IMAGE.tobytes(), 40, 50)
    assert made == show(TEXT)


@pytest.mark.parametrize(
    "text",
    [
        f"augment = {TEXT}",
        f"size = 30\n{TEXT.replace('30', 'size')}",
        eval(TEXT, {"ss": ss}).to_json(),
    ],
)
def test_a_pipeline_may_be_written_in_several_ways(text: str) -> None:
    assert show(text)["pixels"] == show(TEXT)["pixels"]
    assert show(show(text)["json"])["pixels"] == show(TEXT)["pixels"]


@pytest.mark.parametrize(
    "text", ["ss.ToFloat()", "ss.ToCHW()", "ss.Compose([ss.ToFloat(), ss.Normalize(0.5, 0.25)])"]
)
def test_any_result_can_be_seen(text: str) -> None:
    made = show(text)
    assert (made["height"], made["width"], len(made["pixels"])) == (40, 50, 40 * 50 * 4)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the last line must be"),
        ("3", "the last line must be"),
        ("ss.Rotat(3)", "AttributeError"),
        ("ss.Rotate(", "SyntaxError"),
        ("{}", "ValueError"),
        ("ss.RandomCrop(500)", "pad_if_needed"),
    ],
)
def test_errors_are_told(text: str, told: str) -> None:
    assert told in show(text)["error"]


def test_a_key_out_of_range_is_told() -> None:
    assert "epoch" in show(TEXT, epoch=2**32)["error"]


def test_what_needs_opencv_says_so() -> None:
    code = (
        "import sys; sys.modules['cv2'] = None; import playground; "
        "show = lambda text: playground.show(text, 42, 3, 7, 0, bytes(6400), 40, 40); "
        "print(show('ss.Rotate(3)')['error'], 'error' in show('ss.RandomCrop(9)'))"
    )
    done = python(
        "-c",
        code,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), playground.__file__.rpartition("/")[0]]),
        },
    )
    assert done.stdout == "Rotate needs OpenCV, which the playground does not load False\n"
