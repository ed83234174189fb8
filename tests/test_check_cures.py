"""The first thing that every user tries: check, the line that it names, check again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import environment, python

from seedsafe.__main__ import main

DATASET = """\
import numpy as np
from torch.utils.data import Dataset, DataLoader
from seedsafe_torch import AugmentedDataset, loader


class Noisy(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.images = np.zeros((40, 6, 6, 3), np.uint8)

    def __len__(self):
        return 40

    def __getitem__(self, index):
        if not -40 <= index < 40:
            raise IndexError(index)
        return self.images[index] + self.rng.integers(0, 50, (6, 6, 3), dtype=np.uint8)


class Plain(Noisy):
    def __getitem__(self, index):
        return self.images[index]


"""
STREAM = """\
import numpy as np
import seedsafe as ss
from seedsafe_torch import AugmentedIterable
from torch.utils.data import IterableDataset, get_worker_info


class Records(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        for number in range(first, 40, step):
            yield {"__key__": str(number), "image": np.full((6, 6, 3), number, np.float32)}


class Noise:
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __call__(self, image):
        return image + self.rng.normal(size=image.shape)


"""
SEQUENCE = """\
import keras
import numpy as np
from seedsafe_keras import AugmentedSequence


class Noisy(keras.utils.PyDataset):
    def __init__(self, **options):
        super().__init__(**options)
        self.rng = np.random.default_rng(0)
        self.images = np.zeros((40, 6, 6, 3), np.float32)

    def __len__(self):
        return 10

    def __getitem__(self, index):
        if not 0 <= index < 10:
            raise IndexError(index)
        batch = self.images[4 * index : 4 * index + 4]
        return batch + self.rng.normal(size=batch.shape), np.arange(4)


"""
KEYED = "def dataset():\n    return AugmentedDataset(Noisy(), seed=42, bridge=True)\n"
BARE = "def bare():\n    return DataLoader(Noisy(), num_workers=2)\n"


def page_of(name: str, code: str, target: str, capsys: Any) -> tuple[int, Any]:
    Path(f"{name}.py").write_text(code)
    code_of_exit = main(["check", f"{name}.py", f"{name}.py:{target}", "--json"])
    return code_of_exit, json.loads(capsys.readouterr().out)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.chdir(tmp_path)


CURED = {
    "torch": DATASET + KEYED,
    "a_loader": DATASET + "def dataset():\n    keyed = AugmentedDataset(Noisy(), seed=42, bridge=True)\n"
    "    return loader(keyed, batch_size=4, num_workers=2)\n",
    "a_script": DATASET
    + "dataset = Noisy()\n\nif __name__ == '__main__':\n"  # the dataset that is named is read by the line alone
    "    batches = loader(AugmentedDataset(dataset, seed=42, bridge=True), batch_size=4)\n",
    "a_keras_script_": SEQUENCE + "dataset = Noisy()\n\nif __name__ == '__main__':\n"
    "    sequence = AugmentedSequence(dataset, seed=42, bridge=True)\n",
    "a_stream": STREAM
    + "def dataset():\n    return AugmentedIterable(Records(), ss.bridge(Noise()), seed=42)\n",
    "keras_": SEQUENCE + "def dataset():\n    options = {'workers': 2, 'use_multiprocessing': True}\n"
    "    return AugmentedSequence(Noisy(), seed=42, bridge=True, **options)\n",
}


OF_TENSORFLOW = """\
import numpy as np
import seedsafe as ss
import seedsafe_tf
import tensorflow as tf

IMAGES = {"image": np.zeros((40, 6, 6, 3), np.uint8), "id": np.arange(40)}
rng = np.random.default_rng(1)


def crop(image):
    np.sort(np.arange(200_000.0)[::-1])  # long enough for a thread that reads ahead to be inside a region
    top, left = rng.integers(0, 3, 2)
    return image[top : top + 4, left : left + 4]


def dataset():
    data = tf.data.Dataset.from_tensor_slices(IMAGES)
"""
CURED["tensorflow_"] = OF_TENSORFLOW + (
    '    return seedsafe_tf.keyed(data, ss.bridge(crop), seed=42, epoch=0, id="id").batch(4)\n'
)


def test_the_line_for_tf_data_is_one_of_tf_data(capsys: pytest.CaptureFixture[str]) -> None:
    mapped = '    return data.map(lambda one: tf.numpy_function(crop, [one["image"]], tf.uint8)).batch(4)\n'
    Path("pipeline.py").write_text(OF_TENSORFLOW + mapped)
    assert main(["check", "pipeline.py"]) == 1
    assert "seedsafe_tf.keyed(data, ss.bridge(function)" in " ".join(capsys.readouterr().out.split())


@pytest.mark.fork
@pytest.mark.parametrize("name", CURED)
def test_after_the_cure_there_is_nothing_to_do(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name.endswith("_"):  # in a process that has one framework and backend
        Path("cured.py").write_text(CURED[name])
        call = ("-m", "seedsafe", "check", "cured.py", "cured.py:dataset", "--json")
        done = python(*call, env=environment(KERAS_BACKEND="torch"), check=False)
        ended, page = done.returncode, json.loads(done.stdout)
    else:
        ended, page = page_of(f"cured_{name}", CURED[name], "dataset", capsys)
    assert (ended, page["verdict"], page["first"]) == (0, "not affected", []), page
    assert not [one for one in page["audit"]["answers"] if one["verdict"] in ("fault", "warning")]


STILL = {
    "no_bridge": KEYED.replace(", bridge=True", ""),
    "another_class": "def other():\n    return AugmentedDataset(Plain(), seed=42, bridge=True)\n\n\n"
    "def dataset():\n    return DataLoader(Noisy(), num_workers=2)\n",
    "a_comment": "# AugmentedDataset(Noisy(), seed=42, bridge=True)\n" + BARE,
    "dead_code": BARE + "\n\nif False:\n    keyed = AugmentedDataset(Noisy(), seed=42, bridge=True)\n",
    "a_second_use": KEYED + "\n\n" + BARE,
}


@pytest.mark.parametrize("name", STILL)
def test_what_is_not_cured_ends_with_1(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("still.py").write_text(DATASET + STILL[name])
    assert main(["check", "still.py"]) == 1
    assert "SSF002" in capsys.readouterr().out


@pytest.mark.fork
def test_a_named_dataset_without_the_line_is_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    other = "class Other(Noisy):\n    def __getitem__(self, index):\n        return self.images[index] + np.uint8(self.rng.integers(9))\n\n\n"
    _, page = page_of("apart", DATASET + other + KEYED + "\n\nother = Other\n", "other", capsys)
    assert page["verdict"].startswith("affected")


@pytest.mark.fork
def test_an_advised_bridge_was_tried(capsys: pytest.CaptureFixture[str]) -> None:
    _, page = page_of("tried", DATASET + "dataset = Noisy\n", "dataset", capsys)
    assert any("bridge=True) keys all" in step and "tried" in step for step in page["first"])
    kept = DATASET.replace("self.rng = np.random.default_rng(0)", "self.turns = {}").replace(
        "return self.images[index] + self.rng.integers(0, 50, (6, 6, 3), dtype=np.uint8)",
        "turn = self.turns.setdefault(index // 3, np.random.uniform())\n        return self.images[index] + turn",
    )
    ended, page = page_of("kept", kept + "dataset = Noisy\n", "dataset", capsys)
    assert ended == 1
    assert not any("keys all that it draws" in step for step in page["first"]), page["first"]


ONCE = """\
import numpy as np
from torch.utils.data import Dataset


class Once(Dataset):
    def __init__(self, data):
        DRAW

    def __len__(self):
        return len(self.noisy)

    def __getitem__(self, index):
        return self.noisy[index]


dataset = Once(np.arange(40.0))
"""


@pytest.mark.fork
@pytest.mark.parametrize(
    ("name", "draw", "told"),
    [
        ("noise", "self.noisy = data + np.random.normal(size=len(data))", True),
        ("seeded", "self.noisy = data + np.random.default_rng(0).normal(size=len(data))", True),
        ("random_data", "self.noisy = np.random.normal(size=40)", False),
        ("shuffled", "self.noisy = np.random.permutation(data)", False),
        ("chosen", "self.noisy = np.random.choice(1000.0 * data, 30)", False),
    ],
)
def test_what_was_augmented_once_is_told(
    name: str, draw: str, told: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    np.random.seed(0)  # of 1,000 shuffled sets of numbers one is near to the one before
    ended, page = page_of(f"once_{name}", ONCE.replace("DRAW", draw), "dataset", capsys)
    assert page["verdict"].startswith("augmented once" if told else "not affected"), page["verdict"]
    assert ended == 0
    if told:
        assert "augmented once" in page["first"][0]


PICTURES = """\
import numpy as np
from torch.utils.data import Dataset


def pictures():
    places = np.arange(12 * 16 * 3).reshape(12, 16, 3)
    for number in range(24):
        blocks = np.sin(places * (number + 1) ** 2 * 7.1)
        yield (np.kron(blocks, np.ones((4, 4, 1))) * 100 + 128).astype(np.uint8)


class Once(Dataset):
    def __init__(self):
        self.items = []
        for number, image in enumerate(pictures()):
            DRAW
            self.items.append((image, number))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


dataset = Once()
"""


@pytest.mark.fork
@pytest.mark.parametrize(
    ("name", "draw", "told"),
    [
        ("brighter", "image = (image * np.random.uniform(0.5, 1)).astype(np.uint8)", True),
        (
            "cropped",
            "y, x = np.random.randint(0, 12, 2)\n            image = image[y : y + 36, x : x + 48][:, :: x % 2 * 2 - 1]",
            True,
        ),
        ("drawn", "image = np.random.randint(0, 255, image.shape, np.uint8)", False),
    ],
)
def test_pictures_that_were_augmented_once_are_told(
    name: str, draw: str, told: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    np.random.seed(0)  # crops of smooth pictures may resemble other pictures more, and are not told then
    ended, page = page_of(f"pictures_{name}", PICTURES.replace("DRAW", draw), "dataset", capsys)
    assert (page["verdict"].startswith("augmented once"), ended) == (told, 0), page["verdict"]
    if name == "cropped":
        call = ["check", f"pictures_{name}.py", f"pictures_{name}.py:dataset", "--strict"]
        assert main(call) == 1


def test_only_imported_libraries_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    Path("drawn.py").write_text("import cv2\nfrom torch.utils import data\n")
    main(["check", "drawn.py", "--json"])
    names = {one["name"].partition("-")[0] for one in json.loads(capsys.readouterr().out)["installed"]}
    assert names == {"opencv", "torch"}
