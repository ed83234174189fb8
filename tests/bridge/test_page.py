"""The blocks of the how-to that need a library run where the library is."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from libraries import AUDIO, IMAGES

import seedsafe as ss
from seedsafe_torch import AugmentedDataset

pytestmark = pytest.mark.bridge
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "bridge.md"
BLOCKS = re.findall(
    r"^```python no-run: needs (\w+)[^\n]*\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL
)


@pytest.mark.parametrize(("library", "code"), BLOCKS, ids=[library for library, _ in BLOCKS])
def test_block(library: str, code: str, capsys: Any) -> None:
    names = {"ss": ss, "np": np, "AugmentedDataset": AugmentedDataset, "images": IMAGES, "clips": AUDIO}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the libraries' own
        exec(code, names)  # noqa: S102  # the page of this repository
        dataset: Any = names["dataset"]
        assert dataset.at(5, epoch=1).tobytes() == dataset.at(5, epoch=1).tobytes()
    assert capsys.readouterr().out.startswith("(")


def test_every_library_has_its_ten_lines() -> None:
    assert len(BLOCKS) == 7
    assert all(len(code.splitlines()) <= 12 for _, code in BLOCKS)


@pytest.mark.parametrize("kind", ["Dataset", "CacheDataset"])
def test_a_dataset_of_monais(kind: str) -> None:
    """The line of the page on trainers."""
    data, transforms = (pytest.importorskip(f"monai.{name}") for name in ("data", "transforms"))
    volumes = [{"image": np.full((1, 12, 12), n, np.float32)} for n in range(6)]
    steps = [
        transforms.ScaleIntensityRanged("image", 0, 6, 0, 1),
        transforms.RandGaussianNoised("image", prob=1.0),
    ]

    def made() -> AugmentedDataset:
        return AugmentedDataset(getattr(data, kind)(volumes, transforms.Compose(steps)), seed=42, bridge=True)

    one, other = made(), made()
    for index in (5, 0, 3):
        assert np.array_equal(one.at(index, epoch=1)["image"], other.at(index, epoch=1)["image"])
        assert not np.array_equal(one.at(index, epoch=1)["image"], one.at(index, epoch=2)["image"])
    assert np.array_equal(one.at(3, epoch=1)["image"], other.at(3, epoch=1)["image"])
