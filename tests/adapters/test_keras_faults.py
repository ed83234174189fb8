"""Faulty samples in Keras: raised or replaced, and reported, in this process and in model.fit's workers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from contract import AUGMENT, IMAGES, SEED, digest, expected
from faulty import BROKEN, FILES, Faulty, replaced, write_files
from programs import python

import seedsafe as ss
from seedsafe_keras import AugmentedSequence

ROOT = Path(__file__).parents[2]
UINT8 = Faulty(broken={index: fault for index, fault in BROKEN.items() if fault != "NaN"})
FAILING = set(UINT8.broken)
made: list[AugmentedSequence] = []


def faulty(on_error: Any = "raise", base: Any = UINT8, **options: Any) -> AugmentedSequence:
    options = {"epoch": 2, "batch_size": 4} | options
    made.append(AugmentedSequence(base, AUGMENT, seed=SEED, on_error=on_error, **options))
    return made[-1]


@pytest.fixture(autouse=True)
def _asked() -> Iterator[None]:
    """Ask every sequence of a test in its end: it would warn of what nobody was told."""
    yield
    for sequence in made:
        sequence.failures()
    made.clear()


@pytest.mark.parametrize(
    ("batch", "index", "message"),
    [
        (0, 3, "RuntimeError: a fault in the user's code"),
        (2, 8, "TypeError: the dataset returned None"),
        (3, 15, "in RandomCrop: ValueError: cannot crop"),
        (5, 20, "the sample has 3 values of 4800 in [0] that are not finite"),
    ],
)
def test_an_error_names_the_sample(batch: int, index: int, message: str) -> None:
    with pytest.raises(ss.SampleError) as raised:
        faulty(base=Faulty(), check_finite=True)[batch]
    assert f"sample {index} ('photographs/{index}.png') failed in epoch 2, in the main process" in str(
        raised.value
    )
    assert message in str(raised.value)
    assert raised.value.index == index
    assert raised.value.__cause__ is not None


def test_replacements_are_those_of_the_definition() -> None:
    sequence = faulty("replace")
    batches = [sequence[batch] for batch in range(len(sequence))]
    seen = [
        (int(i), digest(image)) for images, labels in batches for image, i in zip(images, labels, strict=True)
    ]
    wanted = expected(2, shuffle=False)
    for index in FAILING:
        other, image = replaced(index, 2, FAILING)
        wanted[index] = other, digest(image)
    assert seen == wanted
    assert list(sequence.failures()[2]) == sorted(FAILING)
    with pytest.warns(UserWarning, match=r"4 samples failed in epoch 2 and were replaced: 3, 8, 9, 15\."):
        sequence.report_failures()


class Batches(keras.utils.PyDataset):
    """Ready batches of which the second is as it is given."""

    def __init__(self, second: Any) -> None:
        super().__init__()
        self.second = second
        self.batch_size = 4

    def __len__(self) -> int:
        return 2

    def __getitem__(self, number: int) -> Any:
        if number and self.second is None:
            raise OSError("gone")
        return self.second if number else IMAGES[:4]


def test_a_ready_batch_is_named_with_its_first_sample() -> None:
    with pytest.raises(
        ss.SampleError, match=r"batch 1, whose first sample is 4, failed in epoch 0.*OSError: gone"
    ):
        AugmentedSequence(Batches(None), AUGMENT, seed=SEED, epoch=0)[1]
    images = IMAGES[4:8].astype(np.float32)
    images[2, 0, 0, 0] = np.inf
    sequence = AugmentedSequence(Batches(images), AUGMENT, seed=SEED, epoch=0, check_finite=True)
    with pytest.raises(ss.SampleError, match=r"batch 1, .* the first at \(2, 0, 0, 0\): inf"):
        sequence[1]


@pytest.mark.parametrize(("option", "value"), [("on_error", "replace"), ("ids", range(8))])
def test_ready_batches_cannot_be_taken_apart(option: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{option} needs a base of samples, but the base has ready batches"):
        AugmentedSequence(Batches(IMAGES[:4]), AUGMENT, seed=SEED, **{option: value})


def test_leaving_out_is_refused() -> None:
    with pytest.raises(ValueError, match="on_error must be one of 'raise', 'replace', got 'skip'"):
        faulty("skip")


def test_files_of_every_kind(tmp_path: Path) -> None:
    photographs = ss.ImageFolder(write_files(tmp_path))
    bad = [i for i, (path, _) in enumerate(photographs.samples) if Path(path).name.startswith("x ")]
    sequence = faulty("replace", photographs, batch_size=len(FILES))
    images, _ = sequence[0]
    assert images.shape == (len(FILES), 32, 32, 3)
    assert list(sequence.failures()[2]) == bad
    assert len(bad) == 9


@pytest.mark.parametrize(
    ("framework", "start"), [("keras", "fork"), ("keras", "spawn"), ("tf_keras", "fork")]
)
def test_training_goes_on_and_reports_each_epoch(framework: str, start: str) -> None:
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": f"{ROOT}:{ROOT / 'adapters'}:{Path(__file__).parent}",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "OMP_NUM_THREADS": "1",
    }
    done = python(Path(__file__).with_name("keras_faults.py"), framework, start, env=environment)
    found = json.loads(done.stdout.splitlines()[-1])
    runs = found["runs"]
    epochs = (
        ["epoch 0"]
        if start == "spawn"
        else ["epoch 0", "the validation epoch", "epoch 1", "the validation epoch"]
    )
    assert len(runs) == (3 if (framework, start) == ("keras", "fork") else 1)
    for run in runs:
        assert run == runs[0]
        assert [told.partition(" and ")[0] for told in run["told"]] == [
            f"3 samples failed in {e}" for e in epochs
        ]
        assert [list(reasons) for reasons in run["failures"].values()] == [["3", "9", "15"]] * len(
            set(epochs)
        )
    assert "SampleError: sample 15 ('photographs/15.png') failed in epoch 0, in process " in found["error"]
    assert "in RandomCrop: ValueError: cannot crop" in found["error"]
