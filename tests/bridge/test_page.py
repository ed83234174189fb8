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
